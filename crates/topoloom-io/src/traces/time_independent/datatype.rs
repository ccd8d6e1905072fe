//! Sizes of the datatypes that have numbers.

/// Bytes of the types from 0 (`MPI_DOUBLE`) to 50 (`MPI_LONG_DOUBLE_INT`), which have kept their
/// numbers in all versions of SimGrid, on 64-bit machines.
const BYTES: [u64; 51] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1,
    1, // double int char short long float byte long-long signed unsigned
    2, 4, 8, 8, 16, 4, 1, 1, 2,
    4, // short int long long-long long-double wchar bool int8 16 32
    8, 1, 2, 4, 8, 8, 16, 32, 8, 8, // int64 uint8 16 32 64, complex of 3 sizes, aint offset
    8, 16, 16, 8, 8, 8, 16, 16, 4,
    4, // pairs with int: float long double short; 2int ... real4
    8, 16, 8, 16, 16, 4, 2, 4, 8, 16, // real8 real16 complex8 16 32 integer1 2 4 8 16
    32, // long double and int
];

/// The bytes of the type with this number; none for the program's own types and for types whose
/// numbers have changed.
pub fn bytes(number: i64) -> Option<u64> {
    usize::try_from(number).ok().and_then(|number| BYTES.get(number)).copied()
}
