//! Sets of CPUs by their numbers.

/// A set of CPU numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CpuSet {
    /// How many words of zeros come first. They are not stored, so a set of one high number is
    /// small.
    zeros: usize,
    words: Vec<u32>,
    /// Whether every number beyond the words is in the set, as hwloc writes for a machine's limits.
    and_beyond: bool,
}

const BITS: u32 = u32::BITS;

impl CpuSet {
    /// Every CPU.
    pub fn everything() -> CpuSet {
        CpuSet { and_beyond: true, ..CpuSet::default() }
    }

    /// The set that hwloc writes as `0x00000303,,0x03030303`: words of 32 bits, highest first.
    pub fn parse_hwloc(text: &str) -> Option<CpuSet> {
        let (and_beyond, text) = match text.strip_prefix("0xf...f") {
            Some("") => return Some(CpuSet::everything()),
            Some(rest) => (true, rest.strip_prefix(',')?),
            None => (false, text),
        };
        if text.is_empty() {
            return None;
        }
        let word = |word: &str| -> Option<u32> {
            let digits = match word {
                "" => return Some(0),
                word => word.strip_prefix("0x").unwrap_or(word),
            };
            let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            if plain { u32::from_str_radix(digits, 16).ok() } else { None }
        };
        let words = text.rsplit(',').map(word).collect::<Option<Vec<u32>>>()?;
        Some(CpuSet { zeros: 0, words, and_beyond })
    }

    /// Whether a CPU is in it.
    pub fn contains(&self, cpu: u32) -> bool {
        let Some(index) = ((cpu / BITS) as usize).checked_sub(self.zeros) else { return false };
        match self.words.get(index) {
            Some(word) => word >> (cpu % BITS) & 1 == 1,
            None => self.and_beyond,
        }
    }

    /// Whether no CPU is in it.
    pub fn is_empty(&self) -> bool {
        !self.and_beyond && self.words.iter().all(|&word| word == 0)
    }

    /// How many CPUs are in it, as far as they are known.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Its numbers in ascending order, as far as they are known.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let bits = move |(index, &word): (usize, &u32)| {
            let bits = (0..BITS).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| (self.zeros + index) as u32 * BITS + bit)
        };
        self.words.iter().enumerate().flat_map(bits)
    }

    /// The intersection.
    pub fn and(&self, other: &CpuSet) -> CpuSet {
        self.numbers().filter(|&cpu| other.contains(cpu)).collect()
    }

    /// Whether it is a subset of the other.
    pub fn is_in(&self, other: &CpuSet) -> bool {
        self.numbers().all(|cpu| other.contains(cpu))
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> CpuSet {
        let cpus: Vec<u32> = cpus.into_iter().collect();
        let index = |cpu: &u32| (cpu / BITS) as usize;
        let zeros = cpus.iter().map(index).min().unwrap_or_default();
        let end = cpus.iter().map(|cpu| index(cpu) + 1).max().unwrap_or_default();
        let mut words = vec![0; end - zeros];
        for cpu in &cpus {
            words[index(cpu) - zeros] |= 1 << (cpu % BITS);
        }
        CpuSet { zeros, words, and_beyond: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_hwloc_are_read_highest_first() {
        let numbers = |text| CpuSet::parse_hwloc(text).unwrap().numbers().collect::<Vec<u32>>();
        assert_eq!(numbers("0x0000000f"), [0, 1, 2, 3]);
        assert_eq!(numbers("0x1,,0x80000001"), [0, 31, 64]);
        assert_eq!(numbers("0x0"), Vec::<u32>::new());
        let endless = CpuSet::parse_hwloc("0xf...f,0x00000002").unwrap();
        assert_eq!([0, 1, 32, 9999].map(|cpu| endless.contains(cpu)), [false, true, true, true]);
        for wrong in ["", "0xg", "0x1ffffffff", "-1", "0x+1", "0xf...f0", "0x1;0x2"] {
            assert_eq!(CpuSet::parse_hwloc(wrong), None, "{wrong}");
        }
    }
}
