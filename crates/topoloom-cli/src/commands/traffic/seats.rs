//! Where the ranks of a recorded run were allowed to sit, in one line.

use std::collections::HashMap;

use serde_json::{Value, json};
use topoloom::io::{RecordedSeat, Recording, cpu_list};

use crate::output::numbers::plural;

/// The seats in words; `None` if they are not known.
pub fn in_words(recording: &Recording) -> Option<String> {
    let known: Vec<&RecordedSeat> =
        recording.seats.iter().filter(|seat| !seat.cpus.is_empty()).collect();
    if known.is_empty() {
        return None;
    }
    let hosts = plural(recording.hosts.len().max(1), "host");
    let mut text = format!("{} on {hosts}, ", plural(recording.seats.len(), "rank"));
    let each = |ranks: usize| if ranks == 1 { "" } else { " each" };
    let bound: Vec<&RecordedSeat> = known.iter().filter(|seat| seat.is_bound()).copied().collect();
    match bound.len() {
        0 => text += &format!("not bound ({} on each host)", range(&known, "CPU", num_cpus)),
        all if all == known.len() => {
            text += &format!("bound to {}{}", range(&bound, "CPU", num_cpus), each(all));
        }
        some => {
            let cpus = range(&bound, "CPU", num_cpus);
            text += &format!("{some} of them bound to {cpus}{}", each(some));
        }
    }
    let sharing = most_bound_to_one_cpu(recording);
    if sharing > 1 {
        text += &format!(", up to {sharing} ranks on one CPU");
    }
    if let Some(missing) = recording.seats.len().checked_sub(known.len()).filter(|&it| it > 0) {
        text += &format!("; not known for {}", plural(missing, "rank"));
    }
    if known.iter().all(|seat| seat.openmp_threads.is_some()) {
        let threads = |seat: &RecordedSeat| seat.openmp_threads.unwrap_or(0) as usize;
        let (threads, each) = (range(&known, "thread", threads), each(known.len()));
        text += &format!("; {threads}{each} (OMP_NUM_THREADS)");
    } else if known.iter().any(|seat| seat.threads.is_some_and(|threads| threads > 1)) {
        let threads = |seat: &RecordedSeat| seat.threads.unwrap_or(1) as usize;
        text += &format!("; about {}{}", range(&known, "thread", threads), each(known.len()));
    }
    Some(text)
}

fn num_cpus(seat: &RecordedSeat) -> usize {
    seat.cpus.len()
}

/// `2 CPUs`, or `1 to 2 CPUs`.
fn range(seats: &[&RecordedSeat], what: &str, of: fn(&RecordedSeat) -> usize) -> String {
    let fewest = seats.iter().map(|seat| of(seat)).min().unwrap_or(0);
    let most = seats.iter().map(|seat| of(seat)).max().unwrap_or(0);
    match fewest == most {
        true => plural(most, what),
        false => format!("{fewest} to {}", plural(most, what)),
    }
}

/// How many bound ranks have a CPU in common, at most.
fn most_bound_to_one_cpu(recording: &Recording) -> usize {
    let mut ranks: HashMap<(u32, u32), usize> = HashMap::new();
    for (rank, seat) in recording.seats.iter().enumerate().filter(|(_, seat)| seat.is_bound()) {
        let host = recording.host_of_rank.get(rank).copied().unwrap_or(0);
        for &cpu in &seat.cpus {
            *ranks.entry((host, cpu)).or_default() += 1;
        }
    }
    ranks.into_values().max().unwrap_or(0)
}

/// A seat for each rank; some are unknown.
pub fn record(recording: &Recording) -> Value {
    let seat = |seat: &RecordedSeat| match seat.cpus.is_empty() {
        true => Value::Null,
        false => json!({
            "cpus": cpu_list::write(&seat.cpus),
            "usable_cpus_of_host": Some(seat.online).filter(|&online| online > 0),
            "bound": seat.is_bound(),
            "openmp_threads": seat.openmp_threads,
            "threads": seat.threads,
        }),
    };
    recording.seats.iter().map(seat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seats: &[RecordedSeat], hosts: &[u32]) -> String {
        let names = ["a", "b"].iter().take(1 + *hosts.iter().max().unwrap() as usize);
        let recording = Recording {
            ranks: seats.len() as u32,
            hosts: names.map(|name| name.to_string()).collect(),
            host_of_rank: hosts.to_vec(),
            seats: seats.to_vec(),
            ..Recording::default()
        };
        in_words(&recording).unwrap_or_default()
    }

    fn seat(cpus: &[u32]) -> RecordedSeat {
        RecordedSeat { cpus: cpus.to_vec(), online: 4, openmp_threads: None, threads: Some(1) }
    }

    #[test]
    fn seats_are_told_in_a_line() {
        let free = seat(&[0, 1, 2, 3]);
        let (left, right, first) = (seat(&[0, 1]), seat(&[2, 3]), seat(&[0]));
        let unknown = RecordedSeat::default();
        let openmp = RecordedSeat { openmp_threads: Some(2), ..left.clone() };
        let threads = RecordedSeat { threads: Some(3), ..free.clone() };
        assert_eq!(
            run(&[free.clone(), free.clone()], &[0, 0]),
            "2 ranks on 1 host, not bound (4 CPUs on each host)"
        );
        assert_eq!(
            run(&[left.clone(), right, openmp.clone(), unknown.clone()], &[0, 0, 1, 1]),
            "4 ranks on 2 hosts, bound to 2 CPUs each; not known for 1 rank"
        );
        assert_eq!(
            run(&[left, first, free], &[0, 0, 0]),
            "3 ranks on 1 host, 2 of them bound to 1 to 2 CPUs each, up to 2 ranks on one CPU"
        );
        assert_eq!(
            run(&[openmp], &[0]),
            "1 rank on 1 host, bound to 2 CPUs; 2 threads (OMP_NUM_THREADS)"
        );
        assert_eq!(
            run(&[threads], &[0]),
            "1 rank on 1 host, not bound (4 CPUs on each host); about 3 threads"
        );
        assert_eq!(run(&[unknown], &[0]), "");
    }
}
