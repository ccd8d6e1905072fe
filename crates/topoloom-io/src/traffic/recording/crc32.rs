//! The checksum of a section: CRC-32 as in zlib.

/// How many bytes are processed at once.
const STRIDE: usize = 8;

/// What a byte adds if this many others follow it.
static TABLES: [[u32; 256]; STRIDE] = tables();

const fn tables() -> [[u32; 256]; STRIDE] {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut tables = [[0; 256]; STRIDE];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut following = 1;
    while following < STRIDE {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[following - 1][byte];
            tables[following][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        following += 1;
    }
    tables
}

/// The checksum of these pieces, one after another.
pub fn crc32(pieces: &[&[u8]]) -> u32 {
    let mut sum = Crc32::default();
    pieces.iter().for_each(|piece| sum.add(piece));
    sum.value()
}

/// A checksum of data that comes piece by piece.
pub struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Self {
        Crc32(u32::MAX)
    }
}

impl Crc32 {
    pub fn add(&mut self, piece: &[u8]) {
        self.0 = add(self.0, piece);
    }

    pub fn value(&self) -> u32 {
        !self.0
    }
}

fn add(mut sum: u32, bytes: &[u8]) -> u32 {
    let (chunks, rest) = bytes.as_chunks::<STRIDE>();
    for chunk in chunks {
        let first = sum.to_le_bytes();
        sum = 0;
        for (place, &byte) in chunk.iter().enumerate() {
            let byte = byte ^ first.get(place).copied().unwrap_or(0);
            sum ^= TABLES[STRIDE - 1 - place][usize::from(byte)];
        }
    }
    for &byte in rest {
        sum = sum >> 8 ^ TABLES[0][usize::from(byte ^ sum as u8)];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_zlib() {
        // The check value of the algorithm, and values of Python's zlib.crc32.
        assert_eq!(crc32(&[b"123456789"]), 0xcbf4_3926);
        assert_eq!(crc32(&[]), 0);
        assert_eq!(crc32(&[b"end "]), 0x550a_b06c);
        let long: Vec<u8> = (0..1000u32).map(|number| ((number * number) >> 3) as u8).collect();
        for cut in [0, 1, 7, 8, 9, 500, 1000] {
            assert_eq!(crc32(&[&long[..cut], &long[cut..]]), 0xcd46_636a, "{cut}");
        }
    }
}
