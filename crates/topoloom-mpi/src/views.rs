//! Bytes that are there until the process ends, and lists of numbers in them.

use std::ops::Range;

use crate::error::Error;

/// Read-only bytes that all processes of a node have in common. They begin at a multiple of 64
/// bytes, and stay until the process ends.
#[derive(Debug, Clone, Copy)]
pub struct SharedBytes {
    bytes: &'static [u8],
    is_shared: bool,
}

/// A list of numbers of one type in a range of the bytes.
macro_rules! lists {
    ($($name:ident, $number:ty;)*) => {$(
        #[doc = concat!("The numbers in a range of the bytes, in the byte order of this machine: `", stringify!($number), "`.")]
        /// The range must begin at a multiple of such a number's width and hold a whole number of them.
        pub fn $name(&self, range: Range<usize>) -> Result<&'static [$number], Error> {
            let wrong = Error::View {
                start: range.start,
                end: range.end,
                length: self.bytes.len(),
                kind: stringify!($number),
                width: size_of::<$number>(),
            };
            let Some(bytes) = self.bytes.get(range) else { return Err(wrong) };
            // Every pattern of bits is such a number.
            match unsafe { bytes.align_to::<$number>() } {
                ([], numbers, []) => Ok(numbers),
                _ => Err(wrong),
            }
        }
    )*};
}

impl SharedBytes {
    /// Bytes that this process alone has, for programs without a job. They are copied to where they
    /// begin at a multiple of 64.
    pub fn private(bytes: &[u8]) -> SharedBytes {
        SharedBytes { bytes: aligned_copy(bytes), is_shared: false }
    }

    pub(crate) fn mapped(bytes: &'static [u8], is_shared: bool) -> SharedBytes {
        SharedBytes { bytes, is_shared }
    }

    /// All of them.
    pub fn bytes(&self) -> &'static [u8] {
        self.bytes
    }

    /// Whether other processes have the same memory. If not, this process is the only one of the job
    /// on its node, or the system lets processes share nothing.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    lists! {
        u32s, u32;
        u64s, u64;
        usizes, usize;
        f64s, f64;
    }
}

/// The bytes of a list of numbers.
pub(crate) fn bytes_of<T: Number>(list: &[T]) -> &[u8] {
    // Numbers have no gaps.
    unsafe { std::slice::from_raw_parts(list.as_ptr().cast(), size_of_val(list)) }
}

/// Types whose every byte has a value.
///
/// # Safety
/// There must be no gaps between bytes.
pub(crate) unsafe trait Number: Copy {}

unsafe impl Number for u32 {}
unsafe impl Number for usize {}
unsafe impl Number for f64 {}

/// As long as what processors move between memory and cache at once.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

fn aligned_copy(bytes: &[u8]) -> &'static [u8] {
    let mut lines = Vec::with_capacity(bytes.len().div_ceil(size_of::<Line>()));
    let (whole, rest) = bytes.as_chunks::<64>();
    lines.extend(whole.iter().map(|chunk| Line(*chunk)));
    if !rest.is_empty() {
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        lines.push(Line(last));
    }
    let lines: &'static [Line] = lines.leak();
    // A line is 64 bytes without gaps, and there are as many as were copied.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), bytes.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_where_they_were_written() {
        let mut bytes = 7_u64.to_ne_bytes().to_vec();
        bytes.extend([1_u32, 2, 3].iter().flat_map(|number| number.to_ne_bytes()));
        let shared = SharedBytes::private(&bytes);
        assert_eq!(shared.bytes(), bytes);
        assert_eq!(shared.bytes().as_ptr() as usize % 64, 0);
        assert_eq!(shared.u64s(0..8).unwrap(), [7]);
        assert_eq!(shared.u32s(8..20).unwrap(), [1, 2, 3]);
        assert_eq!(shared.f64s(8..8).unwrap(), [0.0; 0]);
        assert_eq!(bytes_of(&[1_u32, 2, 3]), &bytes[8..]);
        assert!(!shared.is_shared());
    }

    #[test]
    fn ranges_that_are_no_lists_are_errors() {
        let shared = SharedBytes::private(&[0; 100]);
        let message = shared.u64s(4..20).unwrap_err().to_string();
        assert_eq!(
            message,
            "bytes 4 to 20 of 100 shared bytes are not a list of u64: its beginning and its length must be multiples of \
             8 bytes within them"
        );
        assert!(shared.u32s(0..6).is_err());
        assert!(shared.f64s(96..104).is_err());
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = shared.u32s(8..4);
        assert!(reversed.is_err());
        assert!(SharedBytes::private(&[]).bytes().is_empty());
    }
}
