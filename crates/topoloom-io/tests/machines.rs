//! Descriptions of machines are read with everything that is in them, or refused in words.

mod machines {
    mod detect;
    mod hwloc;
}
