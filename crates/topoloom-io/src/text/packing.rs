//! Files packed with gzip or zstd, recognised by their first bytes.
//!
//! A file of a few bytes may unpack to any size, so the unpacked size is limited like any other
//! input.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::text::fault::Fault;
use crate::text::input_limit;

/// A way to pack a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

/// The extensions of packed files, in lower case.
const ENDINGS: [&str; 4] = [".gz", ".gzip", ".zst", ".zstd"];

/// The name that a file had before it was packed: `a.csv` of `a.csv.gz`.
pub(crate) fn inner_name(name: &str) -> &str {
    let inner = ENDINGS.iter().find_map(|ending| {
        let (start, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
        end.eq_ignore_ascii_case(ending).then_some(start)
    });
    inner.unwrap_or(name)
}

impl Packing {
    /// How a file that starts with these bytes is packed, if it is.
    pub fn of(bytes: &[u8]) -> Option<Packing> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstd),
            // A frame that is to be skipped, as parallel packers write it first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
            _ => None,
        }
    }

    /// The unpacked content, up to the limit of one input.
    pub fn unpack(self, packed: impl BufRead) -> io::Result<Vec<u8>> {
        self.unpack_up_to(packed, input_limit::limit()?)
    }

    fn unpack_up_to(self, packed: impl BufRead, limit: u64) -> io::Result<Vec<u8>> {
        match self {
            Packing::Gzip => {
                let inner = MultiGzDecoder::new(packed);
                input_limit::read_up_to(Checked { inner, packing: self }, 0, limit)
            }
            Packing::Zstd => {
                let inner = Frames { packed, frame: None };
                input_limit::read_up_to(Checked { inner, packing: self }, 0, limit)
            }
        }
    }
}

/// A reader whose errors say that the packed data is damaged.
struct Checked<R> {
    inner: R,
    packing: Packing,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| {
            let packing = match self.packing {
                Packing::Gzip => "gzip",
                Packing::Zstd => "zstd",
            };
            io::Error::from(Fault::Damaged(format!(
                "the {packing} data are damaged or cut off: {error}"
            )))
        })
    }
}

/// The frames of a zstd file, one after another.
struct Frames<R> {
    packed: R,
    frame: Option<FrameDecoder>,
}

impl<R: BufRead> Frames<R> {
    /// Begins the next frame that has data; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            let mut frame = FrameDecoder::new();
            match frame.init(&mut self.packed) {
                Ok(()) => {
                    self.frame = Some(frame);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.packed).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(frame) = &mut self.frame else {
                if self.begin()? {
                    continue;
                }
                return Ok(0);
            };
            let read = frame.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            if !frame.is_finished() {
                // One block at a time keeps the buffer of unread data small.
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                frame.decode_blocks(&mut self.packed, blocks).map_err(io::Error::other)?;
                continue;
            }
            let (found, made) = (frame.get_checksum_from_data(), frame.get_calculated_checksum());
            if found.is_some() && found != made {
                return Err(io::Error::other("the checksum of a frame differs"));
            }
            self.frame = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const TEXT: &[u8] = b"0,1,5\n1,2,7\n2,0,9\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn unpacked(packed: &[u8], limit: u64) -> Result<Vec<u8>, String> {
        let packing = Packing::of(packed).expect("it is packed");
        packing.unpack_up_to(packed, limit).map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_packed_comes_out_again() {
        assert_eq!(unpacked(&gzip(TEXT), 1000).unwrap(), TEXT);
        assert_eq!(unpacked(&zstd(TEXT), 1000).unwrap(), TEXT);
        assert_eq!(Packing::of(TEXT), None);
    }

    #[test]
    fn members_and_frames_after_one_another_are_one_file() {
        let twice = TEXT.repeat(2);
        assert_eq!(unpacked(&gzip(TEXT).repeat(2), 1000).unwrap(), twice);
        let skipped = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        let frames = [&skipped[..], &zstd(TEXT), &skipped, &zstd(TEXT)].concat();
        assert_eq!(unpacked(&frames, 1000).unwrap(), twice);
    }

    #[test]
    fn a_small_file_that_unpacks_to_much_ends_at_the_limit() {
        let zeros = vec![0; 64 << 20];
        for packed in [gzip(&zeros), zstd(&zeros)] {
            assert!(packed.len() < 100 << 10, "{}", packed.len());
            let error = unpacked(&packed, 1 << 20).unwrap_err();
            assert!(error.contains("the limit of 1048576 bytes"), "{error}");
            assert!(error.contains(input_limit::MAX_INPUT_VARIABLE), "{error}");
        }
        assert_eq!(unpacked(&gzip(TEXT), TEXT.len() as u64).unwrap(), TEXT);
        assert!(unpacked(&gzip(TEXT), TEXT.len() as u64 - 1).is_err());
    }

    #[test]
    fn damaged_and_cut_off_files_are_refused() {
        for (packed, name) in [(gzip(TEXT), "gzip"), (zstd(TEXT), "zstd")] {
            for length in 4..packed.len() {
                let error = unpacked(&packed[..length], 1000).unwrap_err();
                let expected = format!("the {name} data are damaged or cut off: ");
                assert!(error.starts_with(&expected), "{length}: {error}");
            }
        }
        let mut damaged = gzip(TEXT);
        let checksum = damaged.len() - 6;
        damaged[checksum] ^= 1;
        assert!(unpacked(&damaged, 1000).unwrap_err().contains("checksum"));
        let garbage_after = [&gzip(TEXT)[..], b"garbage"].concat();
        assert!(unpacked(&garbage_after, 1000).is_err());
    }

    #[test]
    fn no_damage_makes_unpacking_panic() {
        for packed in [gzip(&TEXT.repeat(20)), zstd(&TEXT.repeat(20))] {
            for place in 4..packed.len() {
                for bit in 0..8 {
                    let mut damaged = packed.clone();
                    damaged[place] ^= 1 << bit;
                    let _ = unpacked(&damaged, 1 << 20);
                }
            }
        }
    }

    #[test]
    fn names_lose_the_ending_of_the_packing() {
        assert_eq!(inner_name("a.csv.gz"), "a.csv");
        assert_eq!(inner_name("a.mtx.ZST"), "a.mtx");
        assert_eq!(inner_name("a.csv"), "a.csv");
        assert_eq!(inner_name("gz"), "gz");
        assert_eq!(inner_name("é"), "é");
    }
}
