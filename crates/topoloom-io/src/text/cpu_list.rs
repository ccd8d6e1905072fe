//! Lists of CPUs as Linux writes them: `0-3,8,10-11`.

use crate::text::fault::Fault;
use topoloom_core::budget;

/// More than any machine has; a typing error must not use up all memory.
pub(crate) const MOST_CPUS: u32 = 1 << 16;

/// The numbers of a list such as `0-3,8`, in ascending order; none for an empty list.
///
/// ```
/// use topoloom_io::cpu_list;
/// assert_eq!(cpu_list::parse("8,0-2\n").unwrap(), [0, 1, 2, 8]);
/// assert_eq!(cpu_list::write(&[0, 1, 2, 8]), "0-2,8");
/// ```
pub fn parse(text: &str) -> Result<Vec<u32>, Fault> {
    let text = text.trim();
    let wrong = || Fault::expected("CPUs such as 0-3,8", format!("\"{text}\""));
    let mut cpus = Vec::new();
    for range in text.split(',').filter(|_| !text.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&cpu| cpu < MOST_CPUS);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => cpus.extend(first..=last),
            _ => return Err(wrong()),
        }
        if cpus.len() > MOST_CPUS as usize {
            return Err(wrong());
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

/// The lists of one file. Each is short in the file, but together they may be of any size. Their
/// memory must stay within the budget.
pub(crate) struct CpuLists {
    bytes_each: usize,
    cpus: u64,
}

impl CpuLists {
    /// For lists in which every CPU takes this many bytes.
    pub(crate) fn taking(bytes_each: usize) -> CpuLists {
        CpuLists { bytes_each, cpus: 0 }
    }

    /// The next list.
    pub(crate) fn parse(&mut self, text: &str) -> Result<Vec<u32>, Fault> {
        let cpus = parse(text)?;
        self.cpus += cpus.len() as u64;
        budget::memory()
            .check_items("lists of CPUs in one file", self.cpus, self.bytes_each as u64)
            .map_err(Fault::from)?;
        Ok(cpus)
    }
}

/// The list of ascending numbers, as Linux would write it.
pub fn write(cpus: &[u32]) -> String {
    topoloom_core::topology::number_ranges(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_were() {
        for list in ["", "0", "0-3", "0,2,4-7,255"] {
            assert_eq!(write(&parse(list).unwrap()), list);
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for wrong in ["a", "3-1", "1,,2", "-1", "1-", "99999999", "0-65535,0-65535"] {
            assert!(parse(wrong).unwrap_err().to_string().starts_with("expected CPUs"), "{wrong}");
        }
    }
}
