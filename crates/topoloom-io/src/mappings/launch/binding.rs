//! Binding ranks to CPUs: as a list that every host shares, or as a file with one line per rank.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use topoloom_core::topology::Place;

use super::error::LaunchError;
use super::format::{Launch, LaunchNames};
use crate::text::cpu_list;

/// How to tell a launcher with one list of CPUs for all hosts where ranks go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Binding {
    /// Not at all: ranks may run anywhere on their hosts.
    Free,
    /// The CPUs by the number of the rank on its host.
    List(Vec<Vec<u32>>),
    /// The CPUs in a file, one line per rank, because hosts differ.
    File(String),
}

impl Binding {
    /// The second file of a launch, if there is one.
    pub fn file(self) -> Option<String> {
        match self {
            Binding::File(content) => Some(content),
            _ => None,
        }
    }
}

/// The CPUs of a rank; if they are not known, the number of its core is used as a CPU.
pub(super) fn cpus_of(seat: &Place) -> Vec<u32> {
    match seat.cpus.is_empty() {
        true => seat.core.into_iter().collect(),
        false => seat.cpus.clone(),
    }
}

impl Launch {
    /// Whether ranks are bound to cores at all. If some are, the CPUs of the others are known.
    pub(super) fn has_cores(&self) -> Result<bool, LaunchError> {
        let seats = &self.seating()?.seats;
        if seats.iter().all(|seat| seat.core.is_none()) {
            return Ok(false);
        }
        match seats.iter().position(|seat| cpus_of(seat).is_empty()) {
            None => Ok(true),
            Some(rank) => Err(LaunchError::Mapping(format!(
                "rank {rank} is not bound while others are, and its CPUs are not known"
            ))),
        }
    }

    /// Whether ranks share CPUs because there are too few CPUs. Waiting ranks should then let
    /// others run.
    pub(super) fn is_crowded(&self) -> Result<bool, LaunchError> {
        let mut ranks_on: HashMap<(u32, Vec<u32>), usize> = HashMap::new();
        let mut of_host: HashMap<u32, (usize, HashSet<u32>)> = HashMap::new();
        for seat in &self.seating()?.seats {
            let cpus = cpus_of(seat);
            let (ranks, all) = of_host.entry(seat.host).or_default();
            *ranks += 1;
            all.extend(&cpus);
            *ranks_on.entry((seat.host, cpus)).or_default() += 1;
        }
        // If no CPUs are known, nothing is crowded.
        let same =
            ranks_on.iter().any(|((_, cpus), &ranks)| !cpus.is_empty() && ranks > cpus.len());
        let host = of_host.values().any(|(ranks, cpus)| !cpus.is_empty() && *ranks > cpus.len());
        Ok(same || host)
    }

    /// How to bind if the `i`-th process of a host is the `i`-th of its `groups` entry, and the
    /// lines of a file follow the groups one after another if `by_position`, else the ranks.
    pub(super) fn binding(
        &self,
        groups: &[Vec<u32>],
        by_position: bool,
        list_is_possible: bool,
    ) -> Result<Binding, LaunchError> {
        if !self.has_cores()? {
            return Ok(Binding::Free);
        }
        let seats = &self.seating()?.seats;
        let cpus = |rank: &u32| cpus_of(&seats[*rank as usize]);
        let lists: Vec<Vec<Vec<u32>>> =
            groups.iter().map(|ranks| ranks.iter().map(cpus).collect()).collect();
        let longest = lists.iter().max_by_key(|list| list.len()).cloned().unwrap_or_default();
        if list_is_possible && lists.iter().all(|list| longest.starts_with(list)) {
            return Ok(Binding::List(longest));
        }
        let mut content = String::new();
        if by_position {
            let lines = lists.iter().flatten();
            lines.for_each(|cpus| line(&mut content, &cpu_list::write(cpus)));
        } else {
            let lines = seats.iter().map(cpus_of);
            lines.for_each(|cpus| line(&mut content, &cpu_list::write(&cpus)));
        }
        Ok(Binding::File(content))
    }

    /// The binding if the processes of a host are numbered in the order of their ranks.
    pub(super) fn binding_by_rank(&self) -> Result<Binding, LaunchError> {
        let groups: Vec<Vec<u32>> =
            self.used_hosts()?.iter().map(|host| host.ranks.to_vec()).collect();
        self.binding(&groups, false, true)
    }

    /// The lines of a file of CPUs, one per rank.
    pub(super) fn bind_lines(&self) -> Result<String, LaunchError> {
        let mut content = String::new();
        let lists = self.seating()?.seats.iter().map(|seat| cpu_list::write(&cpus_of(seat)));
        lists.for_each(|list| line(&mut content, &list));
        Ok(content)
    }

    /// Whether ranks share CPUs.
    pub(super) fn shares_cpus(&self) -> Result<bool, LaunchError> {
        let mut taken = HashSet::new();
        let seats = self.seating()?.seats.iter();
        let mut each = seats.flat_map(|seat| {
            cpus_of(seat).into_iter().map(|cpu| (seat.host, cpu)).collect::<Vec<_>>()
        });
        Ok(!each.all(|place| taken.insert(place)))
    }

    /// The warning that core numbers stand for CPU numbers.
    pub(super) fn warning_of_unknown_cpus(&self) -> Result<Vec<String>, LaunchError> {
        let unknown = self.seating()?.seats.iter().any(|seat| seat.cpus.is_empty());
        let warning =
            "the mapping does not say which CPUs its cores have: core N is assumed to be CPU N";
        Ok((unknown && self.has_cores()?).then(|| warning.to_string()).into_iter().collect())
    }
}

/// The option that makes waiting ranks of Open MPI let others run, with a blank before it. Open MPI
/// does so by itself only if it knows that there are too few slots. With files that name cores it
/// does not know.
pub(super) fn open_mpi_yields(launch: &Launch) -> Result<&'static str, LaunchError> {
    Ok(if launch.is_crowded()? { " --mca mpi_yield_when_idle 1" } else { "" })
}

/// `program`, bound to the CPUs of its line in the file of CPUs; `variable` holds its number. The
/// shell starts no other program before it, because `verify` would treat that as the rank.
pub(super) fn bound(variable: &str, names: &LaunchNames<'_>) -> String {
    let LaunchNames { bind, program, .. } = names;
    match bind {
        Some(bind) => format!(
            r#"sh -c 'n=0; while read -r c && [ $n -lt ${variable} ]; do n=$((n+1)); done <"$0"; exec taskset -c "$c" "$@"' {bind} {program}"#
        ),
        None => program.to_string(),
    }
}

/// CPUs as a hexadecimal mask, as Slurm expects them.
pub(super) fn mask(cpus: &[u32]) -> String {
    let highest = cpus.iter().max().copied().unwrap_or(0);
    let mut digits = vec![0u32; highest as usize / 4 + 1];
    cpus.iter().for_each(|cpu| digits[*cpu as usize / 4] |= 1 << (cpu % 4));
    let mut text = "0x".to_string();
    digits.iter().rev().for_each(|digit| {
        let _ = write!(text, "{digit:x}");
    });
    text
}

/// The option by which Slurm binds the processes of each host.
pub(super) fn slurm_option(lists: &[Vec<u32>]) -> String {
    let single = lists.iter().all(|cpus| cpus.len() == 1);
    let one = |cpus: &Vec<u32>| if single { cpus[0].to_string() } else { mask(cpus) };
    let list: Vec<String> = lists.iter().map(one).collect();
    let kind = if single { "map_cpu" } else { "mask_cpu" };
    format!("--cpu-bind={kind}:{}", list.join(","))
}

/// The option that gives each process of Slurm as many CPUs as its rank has, with a blank before
/// it, if all ranks have the same number of CPUs and more than one.
pub(super) fn slurm_cpus_per_task(launch: &Launch) -> Result<String, LaunchError> {
    let mut counts: Vec<usize> =
        launch.seating()?.seats.iter().map(|seat| cpus_of(seat).len()).collect();
    counts.dedup();
    Ok(match counts[..] {
        [several] if several > 1 && launch.has_cores()? => format!(" --cpus-per-task={several}"),
        _ => String::new(),
    })
}

/// Adds a line.
pub(super) fn line(content: &mut String, text: &str) {
    content.push_str(text);
    content.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_a_bit_a_cpu() {
        assert_eq!(mask(&[0]), "0x1");
        assert_eq!(mask(&[0, 4]), "0x11");
        assert_eq!(mask(&[3, 67]), "0x80000000000000008");
        assert_eq!(slurm_option(&[vec![1], vec![0]]), "--cpu-bind=map_cpu:1,0");
        assert_eq!(slurm_option(&[vec![1, 5], vec![0]]), "--cpu-bind=mask_cpu:0x22,0x1");
    }
}
