//! The totals of one rank.

use topoloom_recorder::layout::{
    CLASSES, HEADER_BYTES, KINDS, MAGIC, RECORD_BYTES, header, record,
};

use crate::text::cpu_list::MOST_CPUS;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::recording::{FlowKind, RankState, RecordedSeat};

/// What one rank wrote.
#[derive(Debug, Default)]
pub struct Part {
    pub rank: u32,
    pub size: u32,
    /// Why it is incomplete.
    pub state: Option<RankState>,
    pub host: String,
    pub library: String,
    pub threads: bool,
    pub flows: Vec<Flow>,
    /// Messages and bytes by kind and class.
    pub sizes: Vec<(u64, u64)>,
    pub groups: Vec<GroupPart>,
    pub collectives: Vec<CollectivePart>,
    /// For events: the group and which communicator of that group, by the communicator's number.
    pub communicators: Vec<(usize, u64)>,
    pub num_events: u64,
    /// When it began, by the clock of its host.
    pub begin: u64,
    pub has_events: bool,
    /// Nanoseconds per tick, if they are known.
    pub tick: Option<f64>,
    pub outside: u64,
    pub intercommunicator: u64,
    pub one_sided: u64,
    pub seat: RecordedSeat,
    /// The parent of the process that started this rank; 0: not known.
    pub starter: u64,
    /// The rank that the launcher gave to the process, if the program had another one.
    pub launcher_rank: Option<u32>,
    pub times: Option<PartTimes>,
}

/// The time in calls, in ticks.
#[derive(Debug, Default)]
pub struct PartTimes {
    /// From the end of MPI_Init to the beginning of MPI_Finalize, or to the last call of a rank
    /// that did not get that far.
    pub wall: u64,
    /// The names of calls by their numbers.
    pub names: Vec<String>,
    pub calls: Vec<CallPart>,
}

/// Calls of one function with one partner.
#[derive(Debug)]
pub struct CallPart {
    /// The place of its name.
    pub name: usize,
    /// A rank, or one of `layout::partner`.
    pub peer: u32,
    pub calls: u64,
    pub ticks: u64,
}

/// Messages between this rank and another.
#[derive(Debug)]
pub struct Flow {
    pub peer: u32,
    pub from_peer: bool,
    pub kind: FlowKind,
    pub messages: u64,
    pub bytes: u64,
}

/// What a rank knows about a communicator's members.
#[derive(Debug)]
pub struct GroupPart {
    /// What distinguishes these members from others, and how many there are.
    pub identity: (u64, u32),
    /// This rank's number among them.
    pub own: u32,
    pub members: Known,
}

/// How the members are known.
#[derive(Debug)]
pub enum Known {
    Strided {
        first: u32,
        stride: u32,
    },
    Listed(Vec<u32>),
    /// Another member has written them down.
    Elsewhere,
}

/// Calls of a collective as this rank saw them.
#[derive(Debug)]
pub struct CollectivePart {
    /// The place of its members in `groups`.
    pub group: usize,
    pub call: MpiCall,
    pub root: Option<u32>,
    pub bytes: u64,
    pub calls: u64,
    /// Other member, whether it is the sender, bytes.
    pub parts: Vec<(u32, bool, u64)>,
}

/// The numbers of a file.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn get(&self, place: usize) -> Option<u64> {
        let bytes = self.0.get(8 * place..8 * place + 8)?;
        bytes.try_into().ok().map(u64::from_ne_bytes)
    }

    fn record(&self, number: u64) -> Option<[u64; 4]> {
        let place = usize::try_from(number).ok()?.checked_mul(RECORD_BYTES / 8)?;
        let place = place.checked_add(HEADER_BYTES / 8)?;
        Some([self.get(place)?, self.get(place + 1)?, self.get(place + 2)?, self.get(place + 3)?])
    }
}

impl Part {
    /// The content of a file of totals; nothing if it does not even name its rank.
    pub fn read(bytes: &[u8]) -> Option<Part> {
        let numbers = Numbers(bytes);
        if numbers.get(header::MAGIC)? != MAGIC || bytes.len() < HEADER_BYTES {
            return None;
        }
        let of = |place| numbers.get(place).unwrap_or(0);
        let (rank, size) = (u32::try_from(of(header::RANK)), u32::try_from(of(header::SIZE)));
        let (rank, size) = (rank.ok()?, size.ok()?);
        if rank >= size {
            return None;
        }
        let sizes = (0..KINDS * CLASSES)
            .map(|place| (of(header::SIZES + 2 * place), of(header::SIZES + 2 * place + 1)));
        let mut part = Part {
            rank,
            size,
            state: state(of(header::STATE), of(header::CUT)),
            host: text(bytes, header::HOST_BYTES),
            library: text(bytes, header::LIBRARY_BYTES),
            threads: of(header::THREADS) != 0,
            sizes: sizes.collect(),
            num_events: of(header::EVENTS),
            begin: of(header::FIRST_NANOSECONDS),
            has_events: of(header::HAS_EVENTS) != 0,
            tick: tick(
                [of(header::FIRST_TICKS), of(header::LAST_TICKS)],
                [of(header::FIRST_NANOSECONDS), of(header::LAST_NANOSECONDS)],
            ),
            outside: of(header::OUTSIDE),
            intercommunicator: of(header::INTERCOMMUNICATOR),
            one_sided: of(header::ONE_SIDED),
            seat: seat(of),
            starter: of(header::STARTER),
            launcher_rank: u32::try_from(of(header::LAUNCHER_RANK))
                .ok()
                .and_then(|it| it.checked_sub(1)),
            times: (of(header::HAS_TIMES) != 0).then(|| PartTimes {
                wall: of(header::LAST_TICKS)
                    .max(of(header::LAST_EXIT))
                    .saturating_sub(of(header::FIRST_TICKS)),
                ..PartTimes::default()
            }),
            ..Part::default()
        };
        part.read_records(&numbers, of(header::RECORDS));
        Some(part)
    }

    /// Reads records until one is incomplete.
    fn read_records(&mut self, numbers: &Numbers<'_>, records: u64) {
        // Records refer to others by their numbers.
        let mut places = Places::default();
        let mut number = 0;
        while number < records {
            let Some(words) = numbers.record(number) else { return };
            let upper = (words[0] >> 32) as u32;
            let kind = words[0] >> 8 & 0xff;
            match words[0] & 0xff {
                record::FLOW => self.flows.push(Flow {
                    peer: upper,
                    from_peer: words[0] >> 16 & 0xff != 0,
                    kind: flow_kind(kind as usize),
                    messages: words[1],
                    bytes: words[2],
                }),
                record::GROUP => {
                    let Ok(size) = u32::try_from(words[2]) else { return };
                    places.groups.push((number, self.groups.len()));
                    let (first, stride) = (words[3] as u32, (words[3] >> 32) as u32);
                    let members = match kind {
                        record::STRIDED => Known::Strided { first, stride },
                        record::LISTED => match listed(numbers, number + 1, size) {
                            Some(ranks) => Known::Listed(ranks),
                            None => return,
                        },
                        _ => Known::Elsewhere,
                    };
                    if matches!(members, Known::Listed(_)) {
                        number += u64::from(size).div_ceil(8);
                    }
                    self.groups.push(GroupPart { identity: (words[1], size), own: upper, members });
                }
                record::COLLECTIVE => {
                    let group = Places::find(&places.groups, words[1]);
                    let Some((group, call)) = group.zip(MpiCall::from_number(kind)) else { return };
                    places.collectives.push((number, self.collectives.len()));
                    self.collectives.push(CollectivePart {
                        group,
                        call,
                        root: upper.checked_sub(1),
                        bytes: words[2],
                        calls: words[3],
                        parts: Vec::new(),
                    });
                }
                record::PART => {
                    let Some(place) = Places::find(&places.collectives, words[1]) else { return };
                    self.collectives[place].parts.push((upper, words[3] != 0, words[2]));
                }
                record::COMMUNICATOR => {
                    let Some(group) = Places::find(&places.groups, words[1]) else { return };
                    self.communicators.push((group, words[2]));
                }
                record::CPUS => {
                    if !self.add_cpus(&words[1..]) {
                        return;
                    }
                }
                record::CALL => {
                    let Some(name) = name(numbers, number, upper) else { return };
                    number += (name_records(upper) - 1) as u64;
                    self.times.get_or_insert_default().names.push(name);
                }
                record::TIME => {
                    let call = CallPart {
                        name: (words[0] >> 8 & 0xff_ffff) as usize,
                        peer: upper,
                        calls: words[1],
                        ticks: words[2],
                    };
                    let times = self.times.get_or_insert_default();
                    if call.name >= times.names.len() {
                        return;
                    }
                    times.calls.push(call);
                }
                _ => return,
            }
            number += 1;
        }
    }

    /// Adds ascending ranges of CPUs; false if they are not ascending.
    fn add_cpus(&mut self, ranges: &[u64]) -> bool {
        let cpus = &mut self.seat.cpus;
        for range in ranges {
            let (first, last) = (*range as u32, (*range >> 32) as u32);
            if first > last {
                continue;
            }
            if last >= MOST_CPUS || cpus.last().is_some_and(|&before| before >= first) {
                return false;
            }
            cpus.extend(first..=last);
        }
        true
    }
}

/// The seat without its CPUs, which are in records.
fn seat(of: impl Fn(usize) -> u64) -> RecordedSeat {
    let known = |place| u32::try_from(of(place)).ok().filter(|&number| number > 0);
    let begin = known(header::THREADS_AT_BEGIN);
    let end = known(header::THREADS_AT_END);
    RecordedSeat {
        cpus: Vec::new(),
        online: known(header::ONLINE).unwrap_or(0),
        openmp_threads: known(header::OPENMP_THREADS),
        // Threads that the library started exist before the program continues.
        threads: begin.zip(end).map(|(begin, end)| end.saturating_sub(begin) + 1),
    }
}

/// How many records a name of this many bytes takes, with the data before it.
fn name_records(bytes: u32) -> usize {
    (8 + bytes as usize).div_ceil(RECORD_BYTES)
}

/// The name in this record and in those that follow.
fn name(numbers: &Numbers<'_>, record: u64, bytes: u32) -> Option<String> {
    const LONGEST: u32 = 2 * RECORD_BYTES as u32 - 8;
    let mut text = Vec::new();
    for place in 0..name_records(bytes.min(LONGEST + 1)) as u64 {
        let words = numbers.record(record + place)?;
        text.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
    }
    let text = text.get(8..8 + bytes as usize).filter(|_| bytes <= LONGEST)?;
    str::from_utf8(text).ok().map(str::to_string)
}

/// The place of a record among its kind, by its number.
#[derive(Default)]
struct Places {
    groups: Vec<(u64, usize)>,
    collectives: Vec<(u64, usize)>,
}

impl Places {
    fn find(places: &[(u64, usize)], record: u64) -> Option<usize> {
        let found = places.binary_search_by_key(&record, |&(record, _)| record).ok()?;
        Some(places[found].1)
    }
}

/// The members that follow a record, eight in each.
fn listed(numbers: &Numbers<'_>, from: u64, size: u32) -> Option<Vec<u32>> {
    let mut ranks = Vec::new();
    for number in 0..u64::from(size).div_ceil(8) {
        for word in numbers.record(from + number)? {
            ranks.extend([word as u32, (word >> 32) as u32]);
        }
    }
    ranks.truncate(size as usize);
    Some(ranks)
}

fn state(state: u64, cut: u64) -> Option<RankState> {
    match (state, cut) {
        (header::FINALISED, 0) => None,
        (header::FINALISED, _) => Some(RankState::CutShort),
        _ => Some(RankState::NeverFinalised),
    }
}

/// The length of a tick, if there was time to measure it.
fn tick([first, last]: [u64; 2], [begin, end]: [u64; 2]) -> Option<f64> {
    const LONG_ENOUGH: u64 = 1_000_000;
    let (ticks, nanoseconds) = (last.checked_sub(first)?, end.checked_sub(begin)?);
    (nanoseconds >= LONG_ENOUGH && ticks > 0).then(|| nanoseconds as f64 / ticks as f64)
}

pub fn flow_kind(number: usize) -> FlowKind {
    match number {
        1 => FlowKind::OneSided,
        2 => FlowKind::Neighbourhood,
        _ => FlowKind::PointToPoint,
    }
}

fn text(bytes: &[u8], range: std::ops::Range<usize>) -> String {
    let text = bytes.get(range).unwrap_or_default().split(|&byte| byte == 0).next();
    String::from_utf8_lossy(text.unwrap_or_default()).trim().to_string()
}
