//! This host and this process: names, CPUs, and files that are visible only when they are complete.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::layout::probe::NODE_ENDING;
use crate::node_files::describe_node;
use crate::system::{gethostname, sched_getaffinity};

/// Prints a message, if anybody can see it.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "topoloom: {text}");
}

/// Writes the description of this host, unless another rank does.
pub fn describe_host(folder: &Path) -> io::Result<()> {
    let name = host_in_file_names();
    match File::create_new(folder.join(format!("{name}.claimed"))) {
        Ok(_) => write_whole(folder, &format!("{name}.{NODE_ENDING}"), describe_node().as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes a file in such a way that nobody ever sees a part of it.
pub fn write_whole(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let path = folder.join(name);
    let beside = folder.join(format!("{name}.part"));
    let written = File::create_new(&beside).and_then(|mut file| file.write_all(content));
    written
        .and_then(|()| fs::rename(&beside, &path))
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// The CPUs that this process may run on.
pub fn allowed_cpus() -> io::Result<Vec<u32>> {
    const MOST_BYTES: usize = 1 << 20;
    let mut mask = vec![0_u8; 128];
    // The kernel refuses a mask that is shorter than its own.
    while unsafe { sched_getaffinity(0, mask.len(), mask.as_mut_ptr()) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::InvalidInput || mask.len() >= MOST_BYTES {
            return Err(error);
        }
        mask.resize(mask.len() * 2, 0);
    }
    // The mask consists of numbers in the machine's byte order, lowest bits first.
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    let words = mask.chunks_exact(8).map(word).enumerate();
    let bits = |(place, word): (usize, u64)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place as u32 * 64 + bit)
    };
    Ok(words.flat_map(bits).collect())
}

/// Rising numbers as Linux writes them: `0-3,8`.
pub fn list(numbers: &[u32]) -> String {
    let range = |run: &[u32]| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    numbers.chunk_by(|a, b| *b == a + 1).map(range).collect::<Vec<String>>().join(",")
}

pub fn host_name() -> String {
    String::from_utf8_lossy(&host()).into_owned()
}

/// The name of this host in a form that may be part of a file's name.
pub fn host_in_file_names() -> String {
    // Names of hosts have no other characters, but a file's name must not lead elsewhere.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    host_name().replace(|letter| !plain(letter), "-")
}

/// The name of this host.
pub fn host() -> Vec<u8> {
    let mut name = [0_u8; 256];
    unsafe { gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_listed_as_linux_does() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&[5]), "5");
        assert_eq!(list(&[0, 1, 2, 8, 10, 11]), "0-2,8,10-11");
    }

    #[test]
    fn this_process_may_run_where_the_system_says() {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let said = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        assert_eq!(list(&allowed_cpus().unwrap()), said.trim());
    }
}
