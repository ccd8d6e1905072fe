//! Tests of evolutions.
