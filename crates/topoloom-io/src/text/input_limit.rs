//! How much is read from one input. The limit makes an endless input an error before memory runs
//! out.

use crate::text::fault::Fault;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::LazyLock;

/// The variable that says how many bytes one input may have.
pub const MAX_INPUT_VARIABLE: &str = "TOPOLOOM_MAX_INPUT";

/// The limit for any input, however much memory there is.
const MOST: u64 = 16 << 30;

/// All bytes from the position of `file`, up to the limit.
pub(crate) fn read_whole(file: &File) -> io::Result<Vec<u8>> {
    read_up_to(file, file.metadata().map_or(0, |about| about.len()), limit()?)
}

/// All bytes of `reader`, which has perhaps `size` of them, up to `limit`.
pub(crate) fn read_up_to(reader: impl Read, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let too_long = || {
        io::Error::from(Fault::TooLarge(format!(
            "it is larger than the limit of {limit} bytes; set {MAX_INPUT_VARIABLE} to a higher \
             number of bytes to read more"
        )))
    };
    if size > limit {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    // If memory runs out, this is an error. Growing a vector would abort the program.
    bytes.try_reserve_exact(size as usize + 1).map_err(|_| io::ErrorKind::OutOfMemory)?;
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_long());
    }
    Ok(bytes)
}

/// The value of the variable, or half of the memory; determined once.
pub(crate) fn limit() -> Result<u64, Fault> {
    static LIMIT: LazyLock<Result<u64, Fault>> = LazyLock::new(|| {
        let Some(text) = env::var_os(MAX_INPUT_VARIABLE) else {
            return Ok(memory().map_or(MOST, |memory| (memory / 2).min(MOST)));
        };
        let text = text.to_string_lossy();
        let wrong = || {
            Fault::expected("a number of bytes", format!("\"{text}\"")).within(MAX_INPUT_VARIABLE)
        };
        text.trim().parse().map_err(|_| wrong())
    });
    LIMIT.clone()
}

/// The memory of this machine, or of the part of it that this process may use.
fn memory() -> Option<u64> {
    let all = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_in(&text));
    let allowed = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let allowed = allowed.and_then(|text| text.trim().parse().ok());
    all.into_iter().chain(allowed).min()
}

/// The bytes of the line `MemTotal: N kB`.
fn total_in(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_input_ends_at_the_limit() {
        let zeros = File::open("/dev/zero").unwrap();
        let error = read_up_to(&zeros, 0, 1 << 20).unwrap_err().to_string();
        assert!(error.contains("the limit of 1048576 bytes"), "{error}");
        assert!(error.contains(MAX_INPUT_VARIABLE), "{error}");
    }

    #[test]
    fn what_is_as_long_as_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        let file = || File::open(&path).unwrap();
        assert_eq!(read_up_to(&file(), 5, 5).unwrap(), b"12345");
        assert!(read_up_to(&file(), 5, 4).is_err());
        assert!(read_up_to(&file(), 0, 4).is_err());
    }

    #[test]
    fn the_memory_is_the_first_line_of_the_system() {
        assert_eq!(total_in("MemTotal:       2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
        assert_eq!(total_in("nothing"), None);
    }
}
