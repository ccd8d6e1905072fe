//! Answers the questions of the ranks while the job runs.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use topoloom::io::{AskedSeat, Neighbours, OrderAnswer, Question, cpu_list, parse_question};
use topoloom_recorder::layout::run::{ANSWER_ENDING, MISSING_ENDING, QUESTION_ENDING};

use super::arguments::{RankZero, RunArguments, Within};
use super::placing::{Placed, Placing, Wanted, probe};
use super::plan::Plan;
use super::seating::matched;
use crate::output::numbers::{duration, fine_percent, grouped, plural};
use crate::output::{inform, warn};

/// The time limits of searches, if the user has given none. Many processes wait for them.
const LIMIT_OF_JOB: Duration = Duration::from_secs(10);
const LIMIT_OF_CALL: Duration = Duration::from_secs(2);

/// No more bytes of questions are remembered, however many topologies a program makes.
const MOST_KNOWN: usize = 64 << 20;

/// Looks for questions in a folder.
pub struct Service<'a> {
    arguments: &'a RunArguments,
    plan: &'a Plan,
    placing: &'a Placing<'a>,
    folder: &'a Path,
    last_question: Instant,
    /// How many jobs have asked for their order.
    jobs: u32,
    /// How many topologies have been asked about.
    calls: u32,
    /// Programs make the same topology again and again.
    known: HashMap<Vec<u8>, OrderAnswer>,
    known_bytes: usize,
}

impl<'a> Service<'a> {
    pub fn new(
        arguments: &'a RunArguments,
        plan: &'a Plan,
        placing: &'a Placing<'a>,
        folder: &'a Path,
    ) -> Service<'a> {
        let (jobs, calls, known) = (0, 0, HashMap::new());
        let last_question = Instant::now();
        let known_bytes = 0;
        Service { arguments, plan, placing, folder, last_question, jobs, calls, known, known_bytes }
    }

    /// Answers what has been asked, and says when to look again: soon at the beginning and after a
    /// question, and otherwise seldom, to leave the machine to the job.
    pub fn serve(&mut self) -> Duration {
        const LIVELY: Duration = Duration::from_secs(10);
        for question in self.files(QUESTION_ENDING) {
            self.last_question = Instant::now();
            if let Err(error) = self.answer(&question) {
                warn(&format!("{error:#}: the order stays as it is"));
                // Otherwise ranks would wait for the answer, and we would try again and again.
                let _ = fs::remove_file(&question);
                let _ = fs::remove_file(question.with_extension(ANSWER_ENDING));
            }
        }
        let may_ask_soon = self.jobs == 0 || self.arguments.reorder.is_some();
        let is_lively = may_ask_soon && self.last_question.elapsed() < LIVELY;
        Duration::from_millis(if is_lively { 3 } else { 30 })
    }

    /// Whether any job has asked for its order, or has said why it does not.
    pub fn has_heard_of_jobs(&self) -> bool {
        self.jobs > 0 || !self.files(MISSING_ENDING).is_empty()
    }

    fn files(&self, ending: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|own| own == ending));
        files.sort();
        files
    }

    fn answer(&mut self, file: &Path) -> anyhow::Result<()> {
        let name = file.display();
        let bytes = fs::read(file).with_context(|| format!("{name}: cannot read"))?;
        let answer = match self.known.get(&bytes) {
            Some(answer) => answer.clone(),
            None => self.decide(bytes),
        };
        fs::remove_file(file).with_context(|| format!("{name}: cannot remove"))?;
        let path = file.with_extension(ANSWER_ENDING);
        let written = File::options()
            .write(true)
            .open(&path)
            .and_then(|mut file| file.write_all(answer.content().as_bytes()));
        written.with_context(|| format!("{}: cannot write", path.display()))
    }

    /// The answer, whatever happens. Ranks wait for it.
    fn decide(&mut self, bytes: Vec<u8>) -> OrderAnswer {
        let question = match parse_question("question of the job", &bytes) {
            Ok(question) => question,
            // The program has asked for something impossible, and MPI will say so.
            Err(error) => {
                warn(&format!("{error}: the order stays as it is"));
                return OrderAnswer::Keep;
            }
        };
        if let Some(call) = &question.call {
            let answer = self.topology(call, &question);
            self.known_bytes += bytes.len();
            if self.known_bytes <= MOST_KNOWN {
                self.known.insert(bytes, answer.clone());
            }
            return answer;
        }
        self.order(&question.seats).unwrap_or_else(|error| self.misfit(&format!("{error:#}")))
    }

    /// Tells why a job does not get its order.
    fn misfit(&self, reason: &str) -> OrderAnswer {
        // An order that the user has written down is not ignored silently.
        let stops = self.arguments.strict || self.arguments.order.is_some();
        let then = if stops { "the job ends" } else { "the job keeps the launcher's order" };
        warn(&format!("{reason}: {then}"));
        if stops { OrderAnswer::Stop } else { OrderAnswer::Keep }
    }

    /// The order of all ranks of a job.
    fn order(&mut self, seats: &[AskedSeat]) -> anyhow::Result<OrderAnswer> {
        self.jobs += 1;
        let order = match self.plan {
            Plan::Nothing => return Ok(OrderAnswer::Keep),
            Plan::Given(given, numbers) => Some(given.of(seats.len() as u32, numbers.as_deref())?),
            Plan::Adapt { traffic } => self.placed_again(traffic, seats)?,
            Plan::Mapping { seats: wanted, traffic, name } => {
                let (within, rank_0) = (self.arguments.within, self.arguments.rank_0);
                let hosts = probe(seats, self.folder)?;
                let cores_of = |host: &str| hosts.cores_of(host);
                match matched(wanted, seats, cores_of, within, rank_0) {
                    Ok(matched) => {
                        matched.notes.iter().for_each(|note| warn(note));
                        self.hint_at_cores(wanted, &matched.order);
                        Some(matched.order)
                    }
                    Err(reason) => match traffic.as_ref().filter(|_| self.arguments.adapt) {
                        Some(traffic) => {
                            inform(&format!("{name}: {reason}: placing the ranks again ..."));
                            self.placed_again(traffic, seats)?
                        }
                        None => {
                            self.write_table(&launchers_order(seats), seats)?;
                            return Ok(self.misfit(&format!("{name}: {reason}")));
                        }
                    },
                }
            }
        };
        let order = order.unwrap_or_else(|| launchers_order(seats));
        self.tell(&order, seats);
        self.write_table(&order, seats)?;
        Ok(match is_identity(&order) {
            true => OrderAnswer::Keep,
            false => OrderAnswer::Order(order),
        })
    }

    fn tell(&self, order: &[u32], seats: &[AskedSeat]) {
        let moved = (0..).zip(order).filter(|(process, rank)| process != *rank).count();
        let mut hosts: Vec<&str> = seats.iter().map(|seat| &seat.host[..]).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let (ranks, hosts) = (plural(order.len(), "rank"), plural(hosts.len(), "host"));
        inform(&match moved {
            0 => format!("{ranks} on {hosts}: the launcher's order is already the right one"),
            moved => format!("{ranks} on {hosts}: {moved} of them move to another process"),
        });
        if order.first().is_some_and(|&first| first > 0) && has_input() {
            warn(&format!(
                "standard input goes to the launcher's rank 0, which is rank {} now; rank 0 of the \
                 program gets none",
                order[0]
            ));
        }
    }

    /// Where nothing changes, the mapping may still have wanted something.
    fn hint_at_cores(&self, wanted: &[crate::commands::verify::expected::Seat], order: &[u32]) {
        let names_cpus = wanted.iter().any(|seat| seat.core.is_some());
        if self.arguments.within == Within::Hosts && names_cpus && is_identity(order) {
            inform(
                "the mapping also names cores, and only hosts are looked at: give --within cores \
                 if no GPUs are chosen by local ranks",
            );
        }
    }

    /// A better order on the seats that the job has; `None` if there is none.
    fn placed_again(
        &self,
        traffic: &topoloom::core::Traffic,
        seats: &[AskedSeat],
    ) -> anyhow::Result<Option<Vec<u32>>> {
        if traffic.num_ranks() != seats.len() {
            let (ranks, started) =
                (plural(traffic.num_ranks(), "rank"), plural(seats.len(), "rank"));
            anyhow::bail!("the traffic has {ranks}, and the job has {started}");
        }
        let wanted = Wanted {
            traffic: traffic.clone(),
            within: self.arguments.within,
            rank_0: self.arguments.rank_0,
            limit: LIMIT_OF_JOB,
        };
        let placed = self.placing.place(wanted, seats, self.folder)?;
        inform(&format!("placed on the seats of the job: {}", in_words(&placed)));
        Ok(placed.order)
    }

    /// The ranks of a process topology.
    fn topology(&mut self, call: &str, question: &Question) -> OrderAnswer {
        self.calls += 1;
        let seats = &question.seats;
        let name = format!(
            "call {}, {call} of {}{}",
            self.calls,
            plural(seats.len(), "rank"),
            match &question.neighbours {
                Neighbours::Grid(dims) => format!(", {}", shape(dims)),
                // Here both ends name an edge.
                Neighbours::Graph(edges) if call.ends_with("adjacent") => {
                    format!(", {}", plural(edges.len() / 2, "edge"))
                }
                Neighbours::Graph(edges) => format!(", {}", plural(edges.len(), "edge")),
                Neighbours::None => String::new(),
            }
        );
        let wanted = Wanted {
            traffic: question.neighbours.traffic(seats.len() as u32),
            within: Within::Cores,
            rank_0: RankZero::Move,
            limit: LIMIT_OF_CALL,
        };
        let placed = match self.placing.place(wanted, seats, self.folder) {
            Ok(placed) => placed,
            Err(error) => {
                warn(&format!("{name}: {error:#}: the order stays as it is"));
                return OrderAnswer::Keep;
            }
        };
        let is_chosen =
            self.arguments.reorder.as_ref().is_some_and(|calls| calls.include(self.calls));
        let not_asked = if is_chosen { "" } else { " (not asked for: kept)" };
        inform(&format!("{name}: {}{not_asked}", in_words(&placed)));
        match placed.order {
            Some(order) if is_chosen => OrderAnswer::Order(order),
            _ => OrderAnswer::Keep,
        }
    }

    /// Writes both numbers of each rank.
    fn write_table(&self, order: &[u32], seats: &[AskedSeat]) -> anyhow::Result<()> {
        let Some(path) = &self.arguments.table else { return Ok(()) };
        // Each job of a script has its own.
        let path = if self.jobs > 1 { numbered(path, self.jobs) } else { path.clone() };
        let mut rows: Vec<(u32, usize)> =
            order.iter().enumerate().map(|(process, &rank)| (rank, process)).collect();
        rows.sort_unstable();
        let mut text = "rank\tlauncher_rank\thost\tcpus\n".to_string();
        for (rank, process) in rows {
            let AskedSeat { host, cpus } = &seats[process];
            text += &format!("{rank}\t{process}\t{host}\t{}\n", cpu_list::write(cpus));
        }
        topoloom::io::atomic_write(&path, |writer| writer.write_all(text.as_bytes()))?;
        Ok(())
    }
}

/// Whether standard input may bring something: a file that is not empty, or a pipe. A terminal or
/// /dev/null does not.
#[cfg(unix)]
fn has_input() -> bool {
    use std::os::unix::fs::FileTypeExt;
    let Ok(about) = fs::metadata("/proc/self/fd/0") else { return false };
    let kind = about.file_type();
    (kind.is_file() && about.len() > 0) || kind.is_fifo() || kind.is_socket()
}

#[cfg(not(unix))]
fn has_input() -> bool {
    false
}

fn is_identity(order: &[u32]) -> bool {
    (0..).zip(order).all(|(process, &rank)| process == rank)
}

fn launchers_order(seats: &[AskedSeat]) -> Vec<u32> {
    (0..seats.len() as u32).collect()
}

/// `table.tsv` becomes `table-2.tsv`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// `4x4 grid`, `4x4x4 torus` or `4x4p grid` with a ring in the second dimension.
fn shape(dims: &[(u32, bool)]) -> String {
    if dims.is_empty() {
        return "a grid without dimensions".to_string();
    }
    let rings = dims.iter().filter(|(_, is_ring)| *is_ring).count();
    let is_torus = rings == dims.len();
    let size = |&(size, is_ring): &(u32, bool)| match is_ring && !is_torus {
        true => format!("{size}p"),
        false => size.to_string(),
    };
    let sizes: Vec<String> = dims.iter().map(size).collect();
    format!("{} {}", sizes.join("x"), if is_torus { "torus" } else { "grid" })
}

fn in_words(placed: &Placed) -> String {
    let Placed { before, after, objective, seconds, .. } = placed;
    let cost = format!("{objective} {}", grouped(*before));
    match placed.order {
        None => format!("{cost}, nothing to gain: kept ({})", duration(*seconds)),
        Some(_) => format!(
            "{cost} -> {}, estimated to cost {} less ({})",
            grouped(*after),
            fine_percent(1.0 - after / before),
            duration(*seconds)
        ),
    }
}
