//! Orders that users give by themselves, without a placement.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use topoloom::core::random::{shuffle, stream};

use crate::files;

/// Which rank each rank of the launcher gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenOrder {
    /// The last one gets 0.
    Reverse,
    /// Each gets a number that is higher by this, and the last ones the first numbers.
    Rotate(u32),
    /// Chosen by this seed.
    Random(u64),
    /// From a file.
    File(PathBuf),
}

impl FromStr for GivenOrder {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<GivenOrder> {
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        let wrong = |expected: &str| format!("expected {expected}, found \"{text}\"");
        match (name, value) {
            ("reverse", "") if !text.contains(':') => Ok(GivenOrder::Reverse),
            ("rotate", number) => {
                Ok(GivenOrder::Rotate(number.parse().with_context(|| wrong("rotate:1"))?))
            }
            ("random", seed) => {
                Ok(GivenOrder::Random(seed.parse().with_context(|| wrong("random:SEED"))?))
            }
            _ => Ok(GivenOrder::File(PathBuf::from(text))),
        }
    }
}

impl GivenOrder {
    /// The numbers of the file, if it is one. They must be a permutation.
    pub fn numbers(&self) -> anyhow::Result<Option<Vec<u32>>> {
        match self {
            GivenOrder::File(path) => read(path).map(Some),
            _ => Ok(None),
        }
    }

    /// The new rank of each of so many ranks; `numbers` are those of the file.
    pub fn of(&self, ranks: u32, numbers: Option<&[u32]>) -> anyhow::Result<Vec<u32>> {
        Ok(match self {
            GivenOrder::Reverse => (0..ranks).rev().collect(),
            GivenOrder::Rotate(by) => (0..ranks).map(|rank| (rank + by % ranks) % ranks).collect(),
            GivenOrder::Random(seed) => {
                let mut order: Vec<u32> = (0..ranks).collect();
                shuffle(&mut stream(*seed, &[]), &mut order);
                order
            }
            GivenOrder::File(path) => match numbers {
                Some(numbers) if numbers.len() == ranks as usize => numbers.to_vec(),
                numbers => bail!(
                    "{}: expected {ranks} ranks, as the job has, found {}",
                    path.display(),
                    numbers.map_or(0, <[u32]>::len)
                ),
            },
        })
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u32>> {
    let input = files::open(path)?;
    let bytes = input.bytes()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut numbers: Vec<u32> = Vec::new();
    let name = path.display();
    for (line, words) in (1..).zip(text.lines()) {
        for word in words.split(|letter: char| letter.is_whitespace() || letter == ',') {
            if word.is_empty() {
                continue;
            }
            numbers.push(word.parse().ok().with_context(|| {
                format!("{name}:{line}: expected a rank, found \"{}\"", word.escape_debug())
            })?);
        }
    }
    if numbers.is_empty() {
        bail!("{name}: expected the new rank of each rank, found nothing");
    }
    let mut is_there = vec![false; numbers.len()];
    for &rank in &numbers {
        match is_there.get_mut(rank as usize) {
            None => bail!(
                "{name}: expected each of the ranks 0 to {} once, found {rank}",
                numbers.len() - 1
            ),
            Some(true) => bail!("{name}: expected each rank once, found {rank} twice"),
            Some(place) => *place = true,
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(text: &str, ranks: u32) -> Vec<u32> {
        text.parse::<GivenOrder>().unwrap().of(ranks, None).unwrap()
    }

    #[test]
    fn orders_are_permutations() {
        assert_eq!(order("reverse", 3), [2, 1, 0]);
        assert_eq!(order("rotate:1", 3), [1, 2, 0]);
        assert_eq!(order("rotate:4", 3), [1, 2, 0]);
        let random = order("random:7", 100);
        let mut sorted = random.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<u32>>());
        assert_ne!(random, sorted);
        assert_eq!(random, order("random:7", 100));
        for wrong in ["rotate:", "rotate:x", "random:-1"] {
            assert!(wrong.parse::<GivenOrder>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_have_each_rank_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("order");
        let read = |content: &str| {
            std::fs::write(&path, content).unwrap();
            read(&path).map_err(|error| error.to_string().split_once(": ").unwrap().1.to_string())
        };
        assert_eq!(read("2 0,1\n"), Ok(vec![2, 0, 1]));
        assert_eq!(read("0 0"), Err("expected each rank once, found 0 twice".to_string()));
        assert_eq!(read("0 2"), Err("expected each of the ranks 0 to 1 once, found 2".to_string()));
        assert!(read("0\nx").unwrap_err().contains("found \"x\""));
        assert!(read("").is_err());
    }
}
