//! What events refer to: ranks, regions, communicators, and the clock.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::bytes::Bytes;
use super::records::{File, Record, for_each};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use topoloom_core::words::counted;

// Kinds of records.
const CLOCK_PROPERTIES: u8 = 5;
const STRING: u8 = 10;
const LOCATION: u8 = 14;
const REGION: u8 = 15;
const GROUP: u8 = 18;
const COMMUNICATOR: u8 = 22;

// Paradigms.
const UNKNOWN: u8 = 0;
const USER: u8 = 1;
const MPI: u8 = 4;

// Kinds of groups.
const COMM_LOCATIONS: u8 = 4;
const COMM_GROUP: u8 = 5;
const COMM_SELF: u8 = 6;

/// The members of a communicator.
#[derive(Clone)]
pub enum Communicator {
    /// Every rank is alone in it.
    OnlySelf,
    /// Ranks of the world, shared by all communicators of one group.
    Ranks(Arc<Ranks>),
}

/// Ranks of the world in the order of a communicator.
pub struct Ranks {
    pub in_order: Arc<[u32]>,
    /// (rank, its place), by rank.
    places: Vec<(u32, u32)>,
    /// Whether events name members by their ranks in the world, not by their places.
    by_world_rank: bool,
}

impl Ranks {
    fn new(in_order: Vec<u32>, by_world_rank: bool) -> Ranks {
        let mut places: Vec<(u32, u32)> =
            in_order.iter().enumerate().map(|(place, &rank)| (rank, place as u32)).collect();
        places.sort_unstable();
        Ranks { in_order: in_order.into(), places, by_world_rank }
    }

    /// The place of a rank, if it is a member.
    pub fn place_of(&self, rank: u32) -> Option<u32> {
        let found = self.places.binary_search_by_key(&rank, |&(rank, _)| rank).ok()?;
        Some(self.places[found].1)
    }

    /// The place of the member that has this name in events.
    pub fn place_named(&self, name: u32) -> Option<u32> {
        match self.by_world_rank {
            true => self.place_of(name),
            false => Some(name).filter(|&place| (place as usize) < self.in_order.len()),
        }
    }

    /// The rank of the member that has this name in events.
    pub fn rank_named(&self, name: u32) -> Option<u32> {
        self.place_named(name).map(|place| self.in_order[place as usize])
    }

    fn has_doubles(&self) -> bool {
        self.places.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }
}

/// The global definitions, as far as they are used.
pub struct Definitions {
    pub ticks_per_second: u64,
    /// For each rank, the location of its process.
    pub location_of_rank: Vec<u64>,
    /// For each location, how many events it has.
    pub num_events: HashMap<u64, u64>,
    /// Regions that are MPI calls.
    pub mpi_regions: HashSet<u32>,
    pub communicators: HashMap<u32, Communicator>,
    /// Whether bytes that go to every member of a collective are counted once, not once per member.
    /// EZTrace does so, and it can be recognised only by the names of its regions.
    pub counts_once: bool,
}

/// What is collected before everything is known.
#[derive(Default)]
struct Collected {
    ticks_per_second: Option<u64>,
    num_events: HashMap<u64, u64>,
    /// Strings that are names of MPI's functions.
    mpi_names: HashSet<u32>,
    counts_once: bool,
    /// Regions without a known paradigm, or of the program itself, with their names.
    unsaid_regions: Vec<(u32, u32)>,
    mpi_regions: HashSet<u32>,
    locations: Option<Vec<u64>>,
    groups: BTreeMap<u32, MpiGroup>,
    /// (communicator, group).
    communicators: Vec<(u32, u32)>,
}

/// A group that communicators may use.
struct MpiGroup {
    kind: u8,
    members: Vec<u64>,
    by_world_rank: bool,
    /// Where it is defined.
    position: usize,
}

pub fn read(bytes: Bytes<'_>, chunk_size: u64) -> Result<Definitions, ReadError> {
    let mut collected = Collected::default();
    for_each(bytes.clone(), File::Definitions, chunk_size, |record| collected.add(record))?;
    collected.finish(&bytes)
}

impl Collected {
    fn add(&mut self, record: Record<'_>) -> Result<(), ReadError> {
        let mut content = record.content;
        match record.kind {
            CLOCK_PROPERTIES => {
                let position = content.position();
                let ticks = content.number_64()?;
                if ticks == 0 {
                    return Err(
                        content.error_at(position, Fault::expected("ticks per second", "0"))
                    );
                }
                self.ticks_per_second = Some(ticks);
            }
            STRING => {
                let number = content.number_32()?;
                let text = content.text()?;
                if text.starts_with(b"MPI_") {
                    self.mpi_names.insert(number);
                }
                self.counts_once |= text.starts_with(b"EZTrace");
            }
            LOCATION => {
                let location = content.number_64()?;
                let (_name, _kind) = (content.number_32()?, content.byte()?);
                self.num_events.insert(location, content.number_64()?);
            }
            REGION => self.add_region(content)?,
            GROUP => self.add_group(content)?,
            COMMUNICATOR => {
                let number = content.number_32()?;
                let _name = content.number_32()?;
                self.communicators.push((number, content.number_32()?));
            }
            _ => {}
        }
        Ok(())
    }

    fn add_region(&mut self, mut content: Bytes<'_>) -> Result<(), ReadError> {
        let (region, name) = (content.number_32()?, content.number_32()?);
        let (_description, _kind, _file) =
            (content.number_32()?, content.byte()?, content.number_32()?);
        let _lines = (content.number_32()?, content.number_32()?);
        // The first version of the format ends here.
        if content.remaining() == 0 {
            self.unsaid_regions.push((region, name));
            return Ok(());
        }
        let (_canonical_name, _role) = (content.number_32()?, content.byte()?);
        match content.byte()? {
            MPI => drop(self.mpi_regions.insert(region)),
            UNKNOWN | USER => self.unsaid_regions.push((region, name)),
            _ => {}
        }
        Ok(())
    }

    fn add_group(&mut self, mut content: Bytes<'_>) -> Result<(), ReadError> {
        let (group, _name, _old_kind) =
            (content.number_32()?, content.number_32()?, content.byte()?);
        let position = content.position();
        let count = content.number_32()?;
        if count as usize > content.remaining() {
            let fault = Fault::expected(counted(count, "member"), "the end of the record");
            return Err(content.error_at(position, fault));
        }
        let members: Result<Vec<u64>, ReadError> =
            (0..count).map(|_| content.number_64()).collect();
        let members = members?;
        if content.remaining() == 0 {
            return Err(content.error(Fault::Unsupported(
                "groups of archives before version 1.2 are not supported".into(),
            )));
        }
        match (content.byte()?, content.byte()?) {
            (COMM_LOCATIONS, MPI) => {
                let mut sorted = members.clone();
                sorted.sort_unstable();
                if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                    let fault =
                        Fault::Repeated(format!("location {} is two ranks of MPI", pair[0]));
                    return Err(content.error_at(position, fault));
                }
                self.locations = Some(members);
            }
            (kind @ (COMM_GROUP | COMM_SELF), MPI) => {
                let by_world_rank = content.number_32()? & 1 != 0;
                self.groups.insert(group, MpiGroup { kind, members, by_world_rank, position });
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self, bytes: &Bytes<'_>) -> Result<Definitions, ReadError> {
        let none =
            |expected: &str| bytes.error_at(0, Fault::expected(expected, "none in the file"));
        let ticks_per_second =
            self.ticks_per_second.ok_or_else(|| none("properties of the clock"))?;
        let location_of_rank = self
            .locations
            .filter(|locations| !locations.is_empty())
            .ok_or_else(|| none("a group of the locations of MPI"))?;
        let ranks = location_of_rank.len() as u64;
        for (region, name) in self.unsaid_regions {
            if self.mpi_names.contains(&name) {
                self.mpi_regions.insert(region);
            }
        }
        let mut of_groups = HashMap::new();
        for (number, group) in self.groups {
            of_groups.insert(number, group.ranks(ranks, bytes)?);
        }
        // Several communicators may have one group; groups that are not MPI's are left out.
        let with_group = |(number, group)| Some((number, of_groups.get(&group)?.clone()));
        let communicators = self.communicators.into_iter().filter_map(with_group).collect();
        Ok(Definitions {
            ticks_per_second,
            location_of_rank,
            num_events: self.num_events,
            mpi_regions: self.mpi_regions,
            communicators,
            counts_once: self.counts_once,
        })
    }
}

impl MpiGroup {
    /// Its members, given the number of ranks.
    fn ranks(&self, ranks: u64, bytes: &Bytes<'_>) -> Result<Communicator, ReadError> {
        if self.kind == COMM_SELF {
            return Ok(Communicator::OnlySelf);
        }
        let error = |fault: Fault| Err(bytes.error_at(self.position, fault));
        if let Some(rank) = self.members.iter().find(|&&rank| rank >= ranks) {
            return error(Fault::OutOfRange(format!(
                "there is no rank {rank}, only 0 to {}",
                ranks - 1
            )));
        }
        let in_order = self.members.iter().map(|&rank| rank as u32).collect();
        let ranks = Ranks::new(in_order, self.by_world_rank);
        if ranks.has_doubles() {
            return error(Fault::Repeated("a rank is in the group twice".into()));
        }
        Ok(Communicator::Ranks(Arc::new(ranks)))
    }
}
