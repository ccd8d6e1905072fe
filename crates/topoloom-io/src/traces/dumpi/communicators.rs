//! Which ranks are in which communicator.
//!
//! Each rank has its own numbers for communicators. All members of a communicator derive others
//! from it in the same order, so the n-th that one member derives is also the n-th of the others.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::call::{Call, for_each};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::traffic::ranks::MAX_RANKS;

// Numbers of DUMPI.
const NULL: i64 = 1;
const WORLD: i64 = 2;
const SELF: i64 = 3;

/// A communicator.
pub struct Members {
    pub in_order: Arc<[u32]>,
    /// The place of each rank.
    places: HashMap<u32, u32>,
    /// The lengths, for a grid.
    lengths: Vec<u64>,
}

impl Members {
    fn new(in_order: Vec<u32>, lengths: Vec<u64>) -> Members {
        let places = in_order.iter().enumerate().map(|(place, &rank)| (rank, place as u32));
        Members { places: places.collect(), in_order: in_order.into(), lengths }
    }

    pub fn place_of(&self, rank: u32) -> Option<u32> {
        self.places.get(&rank).copied()
    }
}

/// How a call divides the members of a communicator.
enum Part {
    /// Into groups of equal colour, each in the order of keys.
    Split { colour: i64, key: i64 },
    /// Not at all: all ranks that get a communicator are in the same one, which may be a grid.
    All { lengths: Vec<u64> },
    /// Along the dimensions that do not remain.
    Grid { remain: Vec<bool> },
}

/// One call by all members of the communicators that an earlier call has made.
#[derive(Default)]
struct Making {
    of: usize,
    parts: Vec<(u32, Part)>,
}

/// What a rank's number for a communicator means.
#[derive(Clone, Copy)]
enum Meaning<'a> {
    OnlySelf,
    /// Made by this making.
    Made(usize),
    /// Made by a call that is not followed.
    Unknown(&'a str),
}

/// The numbers of one rank, as they change from call to call.
pub struct Numbers<'a> {
    rank: u32,
    meanings: HashMap<i64, Meaning<'a>>,
    /// For each making, how many others this rank has derived from it.
    made_of: HashMap<usize, usize>,
}

/// All communicators.
pub struct Communicators {
    /// The making's number, by the parent and the position among its derived ones.
    makings: HashMap<(usize, usize), usize>,
    all: Vec<Members>,
    /// For each making, which rank got which of all communicators.
    given: Vec<HashMap<u32, usize>>,
    /// Whether some were made from groups, which are not followed.
    pub made_of_groups: bool,
}

/// A communicator as a rank means it.
pub enum Meant<'a> {
    OnlySelf,
    /// Its number among all, and its members.
    Of(u32, &'a Members),
}

/// Reads all calls that make communicators.
pub fn read(name: &str, files: &[Source<'_>]) -> Result<Communicators, ReadError> {
    let ranks = files.len() as u64;
    if ranks == 0 || ranks > MAX_RANKS {
        let fault = Fault::expected(format!("1 to {MAX_RANKS} ranks"), ranks);
        return Err(ReadError::new(name.to_string(), fault));
    }
    let mut makings = vec![Making::default()];
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let mut made_of_groups = false;
    for (rank, file) in files.iter().enumerate() {
        let mut numbers = Numbers::new(rank as u32);
        for_each(
            file,
            |_, _| {},
            |call| {
                let made = numbers.follow(&call, |of, as_which| {
                    *known.entry((of, as_which)).or_insert_with(|| {
                        makings.push(Making { of, parts: Vec::new() });
                        makings.len() - 1
                    })
                })?;
                made_of_groups |= call.name == "MPI_Comm_create";
                if let Some((making, part)) = made {
                    makings[making].parts.push((rank as u32, part));
                }
                Ok(())
            },
        )?;
    }
    let world = Members::new((0..ranks as u32).collect(), Vec::new());
    let of_world = (0..ranks as u32).map(|rank| (rank, 0)).collect();
    let (all, given) = (vec![world], vec![of_world]);
    let mut communicators = Communicators { makings: known, all, given, made_of_groups };
    // The parent of a communicator comes before it.
    for making in &makings[1..] {
        communicators.make(making);
    }
    Ok(communicators)
}

impl Communicators {
    /// The communicators that one call has made, and which rank got which.
    fn make(&mut self, making: &Making) {
        // Key, place and rank, by parent and colour.
        type Members = BTreeMap<(usize, Vec<i64>), Vec<(i64, u32, u32)>>;
        let mut parts = Members::new();
        let mut lengths: HashMap<(usize, Vec<i64>), Vec<u64>> = HashMap::new();
        for (rank, part) in &making.parts {
            let Some(&of) = self.given[making.of].get(rank) else { continue };
            let old = &self.all[of];
            let Some(place) = old.place_of(*rank) else { continue };
            let (colour, key) = match part {
                Part::Split { colour, key } => (vec![*colour], *key),
                Part::All { lengths: new } => {
                    lengths.insert((of, Vec::new()), new.clone());
                    (Vec::new(), 0)
                }
                Part::Grid { remain } => {
                    let (colour, new) = colour_in_grid(&old.lengths, remain, place);
                    lengths.insert((of, colour.clone()), new);
                    (colour, 0)
                }
            };
            parts.entry((of, colour)).or_default().push((key, place, *rank));
        }
        let mut given = HashMap::new();
        for (which, mut members) in parts {
            members.sort_unstable();
            let number = self.all.len();
            given.extend(members.iter().map(|&(_, _, rank)| (rank, number)));
            let in_order = members.into_iter().map(|(_, _, rank)| rank).collect();
            let lengths = lengths.remove(&which).unwrap_or_default();
            self.all.push(self::Members::new(in_order, lengths));
        }
        self.given.push(given);
    }

    /// What a rank means by a communicator's number.
    pub fn meant(&self, numbers: &Numbers<'_>, number: i64) -> Result<Meant<'_>, Fault> {
        let making = match (number, numbers.meanings.get(&number)) {
            (SELF, _) | (_, Some(Meaning::OnlySelf)) => return Ok(Meant::OnlySelf),
            (WORLD, _) => 0,
            (_, Some(&Meaning::Made(making))) => making,
            (_, Some(Meaning::Unknown(call))) => {
                return Err(Fault::Unsupported(format!(
                    "communicators of {call} are not supported"
                )));
            }
            _ => {
                return Err(Fault::OutOfRange(format!(
                    "communicator {number} was not made before"
                )));
            }
        };
        let given = self.given[making].get(&numbers.rank);
        let which = *given.ok_or_else(|| {
            Fault::Contradiction(format!("the rank is not in communicator {number}"))
        })?;
        Ok(Meant::Of(which as u32, &self.all[which]))
    }

    /// The communicator with a number among all.
    pub fn members(&self, which: u32) -> &Members {
        &self.all[which as usize]
    }

    /// Records a call that makes or frees a communicator.
    pub fn follow<'a>(&self, numbers: &mut Numbers<'a>, call: &Call<'a>) -> Result<(), Fault> {
        let known = |of, as_which| self.makings.get(&(of, as_which)).copied().unwrap_or(0);
        numbers.follow(call, known).map(drop)
    }
}

impl<'a> Numbers<'a> {
    pub fn new(rank: u32) -> Numbers<'a> {
        Numbers { rank, meanings: HashMap::new(), made_of: HashMap::new() }
    }

    /// Records a call that makes or frees a communicator: which making it is, by parent and
    /// position, and how it divides this rank, if the rank gets a communicator.
    fn follow(
        &mut self,
        call: &Call<'a>,
        making: impl FnOnce(usize, usize) -> usize,
    ) -> Result<Option<(usize, Part)>, Fault> {
        let part = match call.name {
            "MPI_Comm_dup" | "MPI_Comm_create" | "MPI_Graph_create" => {
                Part::All { lengths: Vec::new() }
            }
            "MPI_Comm_split" => {
                Part::Split { colour: call.number("color")?, key: call.number("key")? }
            }
            "MPI_Cart_create" => {
                let lengths = call.list("dims")?.unwrap_or_default();
                let lengths = lengths.into_iter().map(|length| u64::try_from(length).unwrap_or(1));
                Part::All { lengths: lengths.collect() }
            }
            "MPI_Cart_sub" => {
                let remain = call.list("remain_dims")?.unwrap_or_default();
                Part::Grid { remain: remain.into_iter().map(|remains| remains != 0).collect() }
            }
            "MPI_Intercomm_create"
            | "MPI_Intercomm_merge"
            | "MPI_Comm_spawn"
            | "MPI_Comm_spawn_multiple"
            | "MPI_Comm_accept"
            | "MPI_Comm_connect"
            | "MPI_Comm_join"
            | "MPI_Comm_get_parent" => {
                // Not all calls say what they have made.
                if let Ok(number) = call.number("newcomm") {
                    self.meanings.insert(number, Meaning::Unknown(call.name));
                }
                return Ok(None);
            }
            "MPI_Comm_free" => {
                self.meanings.remove(&call.number("comm")?);
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let (old, new) = (call.number("oldcomm")?, call.number("newcomm")?);
        let of = match (old, self.meanings.get(&old)) {
            (WORLD, _) => 0,
            (_, Some(&Meaning::Made(of))) => of,
            (_, meaning) => {
                let meaning = match meaning {
                    _ if old == SELF => Meaning::OnlySelf,
                    Some(Meaning::OnlySelf) => Meaning::OnlySelf,
                    _ => Meaning::Unknown(call.name),
                };
                if new != NULL {
                    self.meanings.insert(new, meaning);
                }
                return Ok(None);
            }
        };
        let as_which = self.made_of.entry(of).or_default();
        let making = making(of, *as_which);
        *as_which += 1;
        if new == NULL {
            return Ok(None);
        }
        self.meanings.insert(new, Meaning::Made(making));
        Ok(Some((making, part)))
    }
}

/// The colour that separates a place of a grid from places in other parts, and the lengths of its
/// part. The last dimension is the fastest.
fn colour_in_grid(lengths: &[u64], remain: &[bool], place: u32) -> (Vec<i64>, Vec<u64>) {
    let mut rest = u64::from(place);
    let (mut colour, mut part) = (Vec::new(), Vec::new());
    for (dimension, &length) in lengths.iter().enumerate().rev() {
        let coordinate = rest % length.max(1);
        rest /= length.max(1);
        match remain.get(dimension) {
            Some(true) => part.push(length),
            _ => colour.push(coordinate as i64),
        }
    }
    part.reverse();
    (colour, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_parted_along_what_does_not_remain() {
        // 2 x 3: place 4 is (1, 1). Its row has 3 places, its column 2.
        assert_eq!(colour_in_grid(&[2, 3], &[false, true], 4), (vec![1], vec![3]));
        assert_eq!(colour_in_grid(&[2, 3], &[true, false], 4), (vec![1], vec![2]));
        assert_eq!(colour_in_grid(&[2, 3], &[false, false], 4), (vec![1, 1], vec![]));
    }
}
