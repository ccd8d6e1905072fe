//! Figures, one file each; every one gives a [`Picture`](crate::Picture).
