//! all_to_all
