//! Questions of ranks that run: which other ranks should they have?

use topoloom_core::{Traffic, TrafficBuilder};
use topoloom_recorder::layout::run::{
    CALL, EDGE, END, FIRST_LINE, GRID, KEEP, ORDER, RANKS, SEAT, STOP,
};

use crate::text::cpu_list;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// The shortest line of a seat. A question with fewer bytes for each rank is not complete.
const SHORTEST_SEAT: usize = 8;

/// What the first rank of a communicator asks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    /// The name of the function that makes a process topology; `None` for the order of all ranks
    /// of a job.
    pub call: Option<String>,
    /// Where each rank sits.
    pub seats: Vec<AskedSeat>,
    /// What the topology says.
    pub neighbours: Neighbours,
}

/// The seat of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskedSeat {
    /// The host.
    pub host: String,
    /// The CPUs that it may run on; empty if they are not known.
    pub cpus: Vec<u32>,
}

/// Which ranks are neighbours.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Neighbours {
    /// Nothing is said.
    #[default]
    None,
    /// A grid: the number of ranks in each dimension, and whether it is a ring. The last dimension
    /// varies fastest.
    Grid(Vec<(u32, bool)>),
    /// A graph: two ranks and a weight each.
    Graph(Vec<(u32, u32, u32)>),
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderAnswer {
    /// The order stays as it is.
    Keep,
    /// The new rank of each rank.
    Order(Vec<u32>),
    /// The job must end.
    Stop,
}

impl OrderAnswer {
    /// As text for the rank that asked.
    pub fn content(&self) -> String {
        let text = match self {
            OrderAnswer::Keep => KEEP.to_string(),
            OrderAnswer::Stop => STOP.to_string(),
            OrderAnswer::Order(ranks) => {
                ranks.iter().fold(ORDER.to_string(), |text, rank| text + &format!(" {rank}"))
            }
        };
        format!("{text}\n{END}\n")
    }
}

impl Neighbours {
    /// What ranks would send: one message of as many bytes as the weight says along each edge, in
    /// both directions of a grid.
    pub fn traffic(&self, ranks: u32) -> Traffic {
        let mut builder = TrafficBuilder::new(ranks);
        match self {
            Neighbours::None => {}
            Neighbours::Graph(edges) => {
                for &(from, to, weight) in edges.iter().filter(|(from, to, _)| from != to) {
                    builder.add(from, to, 1.0, f64::from(weight));
                }
            }
            Neighbours::Grid(dims) => add_grid(&mut builder, dims),
        }
        builder.build()
    }
}

fn add_grid(builder: &mut TrafficBuilder, dims: &[(u32, bool)]) {
    let total: u32 = dims.iter().map(|&(size, _)| size).product();
    let mut stride = total;
    for &(size, is_ring) in dims {
        stride /= size.max(1);
        for rank in 0..total {
            let place = rank / stride % size;
            let next = match place + 1 {
                next if next < size => rank + stride,
                // The ring is closed by the first one.
                _ if is_ring && size > 1 => rank - place * stride,
                _ => continue,
            };
            builder.add_both_ways(rank, next, 1.0, 1.0);
        }
    }
}

/// Reads the question `bytes`, a file called `name`.
pub fn parse_question(name: &str, bytes: &[u8]) -> Result<Question, ReadError> {
    let source = Source::new(name, bytes);
    let mut lines = source.lines();
    if lines.next().is_none_or(|(_, line)| line.trim_ascii_end() != FIRST_LINE.as_bytes()) {
        return Err(source
            .error(Fault::WrongInput(format!("not a question: expected \"{FIRST_LINE}\" first"))));
    }
    let mut question = Question::default();
    let mut ranks = None;
    let mut seated = 0;
    let mut edges = Vec::new();
    let mut is_complete = false;
    for (number, line) in lines {
        let wrong = |fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line)
            .map_err(|_| wrong(Fault::expected("text", shown(line))))?
            .trim_end();
        if text.is_empty() {
            continue;
        }
        let mut words = text.split(' ');
        let word = words.next().unwrap_or_default();
        let mut rank_or_weight = |most: u32| {
            let word = words.next().unwrap_or_default();
            let value = word.parse::<i64>().ok().filter(|&value| value < i64::from(most));
            value.map(|value| value.max(0) as u32).ok_or_else(|| {
                wrong(Fault::expected(format!("a number below {most}"), shown(word.as_bytes())))
            })
        };
        match word {
            CALL => {
                let call = words.next().unwrap_or_default();
                question.call = (call != ORDER).then(|| call.to_string());
            }
            RANKS if ranks.is_some() => {
                let expected = "expected the number of ranks once";
                return Err(wrong(Fault::WrongInput(expected.to_string())));
            }
            RANKS => {
                let number = rank_or_weight((bytes.len() / SHORTEST_SEAT) as u32)?;
                question.seats = vec![AskedSeat::default(); number as usize];
                ranks = Some(number);
            }
            SEAT => {
                let rank = rank_or_weight(ranks.unwrap_or(0))?;
                let host = words.next().unwrap_or_default().to_string();
                let cpus = words.next().unwrap_or_default();
                let cpus = match cpus {
                    "-" => Vec::new(),
                    list => cpu_list::parse(list).map_err(wrong)?,
                };
                let seat = &mut question.seats[rank as usize];
                if host.is_empty() || !seat.host.is_empty() {
                    let expected = format!("the seat of each rank once, with a host: rank {rank}");
                    return Err(wrong(Fault::WrongInput(format!("expected {expected}"))));
                }
                *seat = AskedSeat { host, cpus };
                seated += 1;
            }
            GRID => {
                let dims = words.map(dimension).collect::<Option<Vec<(u32, bool)>>>();
                let all = dims.as_ref().and_then(|dims| {
                    dims.iter().try_fold(1_u32, |all, &(size, _)| all.checked_mul(size))
                });
                match (dims, all) {
                    (Some(dims), Some(all)) if all <= ranks.unwrap_or(0) => {
                        question.neighbours = Neighbours::Grid(dims);
                    }
                    _ => {
                        let found = shown(text.as_bytes());
                        return Err(wrong(Fault::expected("a grid that fits the ranks", found)));
                    }
                }
            }
            EDGE => {
                let most = ranks.unwrap_or(0);
                edges.push((
                    rank_or_weight(most)?,
                    rank_or_weight(most)?,
                    rank_or_weight(u32::MAX)?,
                ));
            }
            END => is_complete = true,
            other => {
                let found = shown(other.as_bytes());
                return Err(wrong(Fault::expected("a line of a question", found)));
            }
        }
    }
    if !is_complete || question.seats.is_empty() || seated != question.seats.len() {
        let missing = "expected the seats of all ranks, and \"end\" in the last line";
        return Err(source.error(Fault::Missing(missing.to_string())));
    }
    if !edges.is_empty() {
        question.neighbours = Neighbours::Graph(edges);
    }
    Ok(question)
}

/// `4`, or `4p` for a ring.
fn dimension(word: &str) -> Option<(u32, bool)> {
    let size = word.strip_suffix('p');
    let number: u32 = size.unwrap_or(word).parse().ok()?;
    (number > 0).then_some((number, size.is_some()))
}

#[cfg(test)]
mod tests {
    use topoloom_core::{Rank, Weight};

    use super::*;

    fn parse(lines: &str) -> Result<Question, String> {
        let text = format!("topoloom-run 1\n{lines}");
        parse_question("q", text.as_bytes()).map_err(|error| error.to_string())
    }

    const TWO: &str = "ranks 2\nseat 1 b -\nseat 0 a 0-1,4\n";

    #[test]
    fn a_question_says_where_ranks_are_and_who_is_next_to_whom() {
        let question = parse(&format!("call order\n{TWO}end\n")).unwrap();
        assert_eq!((question.call, question.neighbours), (None, Neighbours::None));
        let (a, b) = (&question.seats[0], &question.seats[1]);
        assert_eq!((&a.host[..], &a.cpus[..], b.cpus.len()), ("a", &[0, 1, 4][..], 0));
        let question = parse(&format!("call MPI_Cart_create\n{TWO}grid 1 2p\nend\n")).unwrap();
        assert_eq!(question.call.as_deref(), Some("MPI_Cart_create"));
        assert_eq!(question.neighbours, Neighbours::Grid(vec![(1, false), (2, true)]));
        let question = parse(&format!("{TWO}edge 0 1 7\nedge 1 0 -3\nend\n")).unwrap();
        assert_eq!(question.neighbours, Neighbours::Graph(vec![(0, 1, 7), (1, 0, 0)]));
    }

    #[test]
    fn what_is_malformed_is_named() {
        assert!(parse("ranks 2\nseat 0 a -\nend\n").unwrap_err().contains("seats of all ranks"));
        assert!(parse(TWO).unwrap_err().contains("\"end\" in the last line"));
        assert!(parse("ranks 1\nseat 1 a -\n").unwrap_err().starts_with("q:3: expected a number"));
        assert!(parse("ranks 1\nseat 0 a -\nseat 0 a -\n").unwrap_err().starts_with("q:4: "));
        // Seats and edges before it would be those of other ranks.
        assert!(parse("ranks 1\nseat 0 a -\nranks 2\n").unwrap_err().starts_with("q:4: "));
        assert!(parse(&format!("{TWO}grid 2 2\nend\n")).unwrap_err().contains("fits the ranks"));
        assert!(parse(&format!("{TWO}edge 0 2 1\n")).unwrap_err().contains("below 2"));
        assert!(parse("nonsense\n").unwrap_err().contains("a line of a question"));
    }

    #[test]
    fn grids_have_neighbours_in_each_dimension() {
        let grid = |dims: &[(u32, bool)], ranks| Neighbours::Grid(dims.to_vec()).traffic(ranks);
        // A line of 3 has 2 pairs, a ring 3, and a ring of 2 has the same pair twice.
        let pairs = |traffic: &Traffic| traffic.total(Weight::Bytes) / 2.0;
        assert_eq!(pairs(&grid(&[(3, false)], 3)), 2.0);
        assert_eq!(pairs(&grid(&[(3, true)], 5)), 3.0);
        assert_eq!(pairs(&grid(&[(2, true)], 2)), 2.0);
        // 2 x 3: rank 0 is next to 1 and to 3.
        let traffic = grid(&[(2, false), (3, false)], 6);
        let partners: Vec<u32> = traffic.flows_from(Rank(0)).map(|flow| flow.to.0).collect();
        assert_eq!(partners, [1, 3]);
        assert_eq!(pairs(&traffic), 7.0);
    }
}
