//! One line: what a rank does.

use crate::text::number::{self, shown};
use crate::traces::collective_calls::{Joining, Kind};

use super::datatype;
use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// What a line says.
#[derive(Debug)]
pub enum Action {
    /// Nothing relevant.
    Nothing,
    /// With an argument, elements without a type are doubles; without it, bytes.
    Init {
        doubles: bool,
    },
    Compute {
        nanoseconds: u64,
    },
    /// Without a receiver if that is none.
    Send {
        to: Option<u32>,
        tag: Option<u32>,
        bytes: u64,
        begins: bool,
    },
    /// From any sender if the sender is none, with any tag if the tag is none.
    Receive {
        from: Option<u32>,
        tag: Option<u32>,
        begins: bool,
    },
    Both {
        to: Option<u32>,
        bytes: u64,
        from: Option<u32>,
    },
    Wait {
        from: i64,
        to: i64,
        tag: i64,
    },
    WaitAll,
    Collective {
        joining: Joining,
        nanoseconds: u64,
    },
    /// A persistent request; the trace does not say what it sends.
    Persistent,
    OneSided,
}

/// The context in which the words of a line are read.
pub struct Words<'a> {
    pub words: Vec<&'a [u8]>,
    /// How many ranks there are.
    pub ranks: u32,
    /// Bytes of an element without a type.
    pub default_bytes: u64,
    /// How many elements of unknown size the line has sent.
    pub of_unknown_size: u64,
}

impl Words<'_> {
    /// The action of the line: its words after the rank.
    pub fn action(&mut self) -> Result<Action, Fault> {
        let name =
            self.words.first().ok_or_else(|| Fault::expected("what the rank does", "nothing"))?;
        let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
        let begins = lower.starts_with('i');
        Ok(match lower.as_str() {
            "init" => Action::Init { doubles: self.words.len() > 1 },
            "compute" => {
                self.need(1)?;
                Action::Compute { nanoseconds: self.nanoseconds(1, 1.0)? }
            }
            "sleep" => {
                self.need(1)?;
                Action::Compute { nanoseconds: self.nanoseconds(1, 1e9)? }
            }
            "send" | "ssend" | "bsend" | "rsend" | "isend" | "issend" | "ibsend" | "irsend" => {
                self.need(3)?;
                let bytes = self.bytes(3, 4)?;
                Action::Send { to: self.rank(1)?, tag: self.tag(2)?, bytes, begins }
            }
            "recv" | "irecv" => {
                self.need(3)?;
                Action::Receive { from: self.rank(1)?, tag: self.tag(2)?, begins }
            }
            "sendrecv" => {
                self.need(4)?;
                let bytes = self.bytes(1, 5)?;
                Action::Both { to: self.rank(2)?, bytes, from: self.rank(4)? }
            }
            "wait" => {
                self.need(3)?;
                Action::Wait { from: self.whole(1)?, to: self.whole(2)?, tag: self.whole(3)? }
            }
            "waitall" => Action::WaitAll,
            "start" | "startall" => Action::Persistent,
            "put" | "get" | "accumulate" | "get_accumulate" | "fetch_and_op"
            | "compare_and_swap" | "rput" | "rget" | "raccumulate" => Action::OneSided,
            // The call may have found nothing, so the rank does not wait.
            "test" | "testall" | "testany" | "testsome" | "waitany" | "waitsome" | "probe"
            | "iprobe" | "finalize" | "location" | "comm_size" | "comm_split" | "comm_dup"
            | "win_fence" => Action::Nothing,
            other => match other.strip_prefix('i').and_then(kind_of).or_else(|| kind_of(other)) {
                Some(kind) => self.collective(kind)?,
                None => {
                    return Err(Fault::Unsupported(format!(
                        "{} is not a known action",
                        shown(name)
                    )));
                }
            },
        })
    }

    fn collective(&mut self, kind: Kind) -> Result<Action, Fault> {
        let members = self.ranks as usize;
        let mut joining = Joining { kind, root: 0, bytes: 0, row: Vec::new() };
        let mut nanoseconds = 0;
        match kind {
            Kind::Barrier => {}
            Kind::Bcast => {
                self.need(1)?;
                (joining.bytes, joining.root) = (self.bytes(1, 3)?, self.root(2)?);
            }
            Kind::Reduce => {
                self.need(2)?;
                (joining.bytes, joining.root) = (self.bytes(1, 4)?, self.root(3)?);
                nanoseconds = self.nanoseconds(2, 1.0)?;
            }
            Kind::Allreduce | Kind::Scan | Kind::Exscan => {
                self.need(2)?;
                joining.bytes = self.bytes(1, 3)?;
                nanoseconds = self.nanoseconds(2, 1.0)?;
            }
            Kind::Alltoall => {
                self.need(2)?;
                joining.bytes = self.bytes(1, 3)?;
            }
            Kind::Allgather => {
                self.need(2)?;
                // In place, the send size is 0, and the size of the data that is already there
                // counts.
                joining.bytes = self.bytes(1, 3)?.max(self.bytes(2, 4)?);
            }
            Kind::Gather | Kind::Scatter => {
                self.need(2)?;
                let place = if kind == Kind::Gather { 1 } else { 2 };
                joining.bytes = self.bytes(place, place + 3)?;
                joining.root = self.root(3)?;
            }
            Kind::Gatherv => {
                self.need(1 + members)?;
                joining.bytes = self.bytes(1, members + 3)?;
                joining.root = self.root(members + 2)?;
            }
            Kind::Scatterv => {
                self.need(1 + members)?;
                joining.bytes = self.bytes(1 + members, members + 4)?;
                joining.root = self.root(members + 2)?;
            }
            Kind::Allgatherv => {
                self.need(1 + members)?;
                joining.bytes = self.bytes(1, members + 2)?;
            }
            Kind::Alltoallv => {
                self.need(2 + 2 * members)?;
                let of_type = 2 * members + 3;
                joining.row = (2..2 + members)
                    .map(|place| self.bytes(place, of_type))
                    .collect::<Result<_, _>>()?;
            }
            Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                (joining.kind, joining.bytes, nanoseconds) = self.reduce_scatter(members)?;
            }
        }
        Ok(Action::Collective { joining, nanoseconds })
    }

    /// The counts of all members, the computing and the type. A block of n for each member is
    /// written as n zeros and the type.
    fn reduce_scatter(&mut self, members: usize) -> Result<(Kind, u64, u64), Fault> {
        let numbers = self.words.len() - 1;
        let zeros = self.words[1..].iter().take_while(|word| **word == b"0").count();
        if zeros > 0 && zeros + 1 == numbers {
            let each = self.of_type(zeros as u64, numbers)?;
            return Ok((Kind::ReduceScatterBlock, each, 0));
        }
        self.need(1 + members)?;
        let mut sum = 0u64;
        for place in 1..=members {
            sum = sum.saturating_add(self.bytes(place, members + 2)?);
        }
        let nanoseconds = self.nanoseconds(members + 1, 1.0)?;
        Ok((Kind::ReduceScatter, sum / members as u64, nanoseconds))
    }

    fn need(&self, arguments: usize) -> Result<(), Fault> {
        match self.words.len() - 1 {
            found if found >= arguments => Ok(()),
            found => Err(Fault::expected(
                format!(
                    "at least {arguments} after {}",
                    shown(self.words[0]),
                    arguments = counted(arguments, "number")
                ),
                found,
            )),
        }
    }

    fn whole(&self, place: usize) -> Result<i64, Fault> {
        let word = self.words[place];
        let number = str::from_utf8(word).ok().and_then(|word| word.parse::<i64>().ok());
        number.ok_or_else(|| Fault::expected("a whole number", shown(word)))
    }

    /// A rank; none for numbers below 0, which mean no rank or any rank.
    fn rank(&self, place: usize) -> Result<Option<u32>, Fault> {
        match self.whole(place)? {
            none if none < 0 => Ok(None),
            rank if rank < i64::from(self.ranks) => Ok(Some(rank as u32)),
            rank => Err(Fault::OutOfRange(format!(
                "there is no rank {rank}, only 0 to {}",
                self.ranks - 1
            ))),
        }
    }

    fn root(&self, place: usize) -> Result<u32, Fault> {
        match self.words.get(place) {
            None => Ok(0),
            Some(_) => self.rank(place)?.ok_or_else(|| Fault::expected("a root", "none")),
        }
    }

    /// A tag; none for any tag.
    fn tag(&self, place: usize) -> Result<Option<u32>, Fault> {
        match self.whole(place)? {
            any if any < 0 => Ok(None),
            tag => match u32::try_from(tag) {
                Ok(tag) if tag < topoloom_core::trace::NAMES_END => Ok(Some(tag)),
                _ => Err(Fault::TooLarge(format!("the tag {tag} is too large"))),
            },
        }
    }

    /// An amount that may be written as a real number, in some unit.
    fn nanoseconds(&self, place: usize, of_one: f64) -> Result<u64, Fault> {
        let amount = number::weight(self.words[place], number::Kind::Real)?;
        whole(amount * of_one)
    }

    /// The bytes of elements of a type; the count and the type are at these places.
    fn bytes(&mut self, place: usize, of_type: usize) -> Result<u64, Fault> {
        let elements = number::weight(self.words[place], number::Kind::Real)?;
        self.of_type(whole(elements)?, of_type)
    }

    fn of_type(&mut self, elements: u64, of_type: usize) -> Result<u64, Fault> {
        let bytes = match self.words.get(of_type) {
            None => self.default_bytes,
            Some(_) => datatype::bytes(self.whole(of_type)?).unwrap_or_else(|| {
                self.of_unknown_size = self.of_unknown_size.saturating_add(elements);
                1
            }),
        };
        elements
            .checked_mul(bytes)
            .ok_or_else(|| Fault::TooLarge(format!("{elements} elements are too many")))
    }
}

/// A real number as a whole one, unless it is implausibly large.
fn whole(number: f64) -> Result<u64, Fault> {
    const MOST: f64 = (1_u64 << 53) as f64;
    match number.round() {
        number if number <= MOST => Ok(number as u64),
        number => Err(Fault::TooLarge(format!("the number {number:e} is too large"))),
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "barrier" => Kind::Barrier,
        "bcast" => Kind::Bcast,
        "reduce" => Kind::Reduce,
        "allreduce" => Kind::Allreduce,
        "scan" => Kind::Scan,
        "exscan" => Kind::Exscan,
        "alltoall" => Kind::Alltoall,
        "alltoallv" => Kind::Alltoallv,
        "gather" => Kind::Gather,
        "gatherv" => Kind::Gatherv,
        "scatter" => Kind::Scatter,
        "scatterv" => Kind::Scatterv,
        "allgather" => Kind::Allgather,
        "allgatherv" => Kind::Allgatherv,
        "reducescatter" => Kind::ReduceScatter,
        _ => return None,
    })
}
