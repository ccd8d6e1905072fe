//! Results as bytes, for their way to another process.

/// What can be sent to another process of the same program.
pub trait Packed: Sized {
    /// Appends it to `bytes`.
    fn pack(&self, bytes: &mut Vec<u8>);

    /// Reads it back; `None` if the bytes are not what was packed.
    fn unpack(from: &mut Reader<'_>) -> Option<Self>;

    /// The bytes of it alone.
    fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.pack(&mut bytes);
        bytes
    }

    /// Reads back what was packed alone.
    fn unpacked(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        Self::unpack(&mut from).filter(|_| from.rest.is_empty())
    }
}

/// Bytes that are read from the front.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the beginning.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// Everything that is left.
    pub fn take_all(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// The next bytes, if there are so many.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }
}

macro_rules! packed_numbers {
    ($($number:ty)*) => {
        $(impl Packed for $number {
            fn pack(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn unpack(from: &mut Reader<'_>) -> Option<Self> {
                let bytes = from.take(size_of::<$number>())?;
                Some(<$number>::from_le_bytes(bytes.try_into().ok()?))
            }
        })*
    };
}

packed_numbers!(u8 u32 u64 f32 f64);

impl Packed for bool {
    fn pack(&self, bytes: &mut Vec<u8>) {
        u8::from(*self).pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        Some(u8::unpack(from)? != 0)
    }
}

impl Packed for String {
    fn pack(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).pack(bytes);
        bytes.extend(self.as_bytes());
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let length = u64::unpack(from)?.try_into().ok()?;
        String::from_utf8(from.take(length)?.to_vec()).ok()
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).pack(bytes);
        self.iter().for_each(|item| item.pack(bytes));
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let length = u64::unpack(from)?;
        (0..length).map(|_| T::unpack(from)).collect()
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.is_some().pack(bytes);
        self.iter().for_each(|item| item.pack(bytes));
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        match bool::unpack(from)? {
            true => T::unpack(from).map(Some),
            false => Some(None),
        }
    }
}

impl<T: Packed, E: Packed> Packed for Result<T, E> {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.is_ok().pack(bytes);
        match self {
            Ok(result) => result.pack(bytes),
            Err(reason) => reason.pack(bytes),
        }
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        match bool::unpack(from)? {
            true => T::unpack(from).map(Ok),
            false => E::unpack(from).map(Err),
        }
    }
}

macro_rules! packed_tuples {
    ($($(($part:ident $place:tt))+;)*) => {
        $(impl<$($part: Packed),+> Packed for ($($part,)+) {
            fn pack(&self, bytes: &mut Vec<u8>) {
                $(self.$place.pack(bytes);)+
            }

            fn unpack(from: &mut Reader<'_>) -> Option<Self> {
                Some(($($part::unpack(from)?,)+))
            }
        })*
    };
}

packed_tuples! {
    (A 0) (B 1);
    (A 0) (B 1) (C 2);
    (A 0) (B 1) (C 2) (D 3);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_anything_else_is_refused() {
        type Everything = (Vec<u32>, Option<(f64, String)>, bool, Vec<Option<u64>>);
        let all: Everything = (vec![3, 1], Some((-0.5, "ä".into())), true, vec![None, Some(7)]);
        let bytes = all.packed();
        assert_eq!(Everything::unpacked(&bytes), Some(all));
        for end in 0..bytes.len() {
            assert_eq!(Everything::unpacked(&bytes[..end]), None);
        }
        assert_eq!(u32::unpacked(&[0; 5]), None);
    }
}
