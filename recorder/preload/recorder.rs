//! The one recorder of a process: when it runs, and who may touch it.

use std::cell::{Cell, UnsafeCell};
use std::collections::{HashMap, VecDeque};
use std::env;
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::action::Action;
use crate::ancestors::{identity_of, nearest_that_is_not, parent_of};
use crate::clock::{nanoseconds, ticks};
use crate::communicators::Comm;
use crate::events::Pending;
use crate::gate::{Gate, NOT_YET, OFF};
use crate::host::{describe_host, host, say};
use crate::layout::{
    EVENTS_ENDING, EVENTS_VARIABLE, FOLDER_VARIABLE, HEADER_BYTES, MAGIC, TIMES_VARIABLE,
    TOTALS_ENDING, UNNAMED_JOB, event, header,
};
use crate::library::{self, Family, Library, asked};
use crate::mapped_file::{Log, WholeFile, create};
use crate::symbols;
use crate::times::{self, Times};
use crate::totals::Direction;

/// What is recorded, and everything that is needed for it.
pub struct Recorder {
    pub totals: WholeFile,
    pub log: Option<Log>,
    pub records: usize,
    pub world_group: usize,
    pub comms: Vec<Comm>,
    /// By handle.
    pub comm_of: Map<usize, u32>,
    pub window_of: Map<usize, u32>,
    pub last_comm: (usize, u32),
    /// Records of groups, by what identifies the members, with the number of communicators.
    pub groups: Map<u64, (u32, u32)>,
    /// Communicators by their numbers in events.
    pub numbered: Vec<u32>,
    pub freed: usize,
    /// Freed communicators whose members are still known.
    pub retired: VecDeque<u32>,
    /// Records of flows, by communicator and rank in it, and by rank in the world.
    pub pairs: Map<u64, u32>,
    pub last_pair: (usize, i32, u32),
    pub flows: Map<u64, u32>,
    pub peers: Map<u64, u32>,
    pub collectives: Map<(u64, u64), u32>,
    pub parts: Map<u64, u32>,
    pub type_sizes: [(usize, u64); TYPES_KEPT],
    /// What the starts of persistent requests do.
    pub persistent: Map<usize, Arc<Action>>,
    /// What has begun and is not done, with events only.
    pub pending: Map<usize, Pending>,
    /// The same under handles that stand for several.
    pub pending_more: Map<usize, VecDeque<Pending>>,
    /// The communicator of messages that were matched by a probe.
    pub matched: Map<usize, u32>,
    pub free_numbers: Vec<u32>,
    pub next_number: u32,
    pub last_exit: u64,
    pub entered: u64,
    pub gap: u64,
    pub scratch: Action,
    pub parts_scratch: Vec<(u32, Direction, u64)>,
    pub times: Times,
}

pub const TYPES_KEPT: usize = 16;

const TOTALS: u8 = 2;
const EVENTS: u8 = 3;

/// Says what is recorded, and lets threads in one by one.
#[cfg(not(loom))]
static GATE: Gate = Gate::new();
#[cfg(loom)]
static GATE: std::sync::LazyLock<Gate> = std::sync::LazyLock::new(Gate::new);
/// Whether several threads may come at once.
static THREADS: AtomicBool = AtomicBool::new(false);
/// Whether the recorder is at work, if one thread calls at a time.
static BUSY: AtomicBool = AtomicBool::new(false);
/// Whether a Fortran function has been called, so some calls of C come from inside it.
static FORTRAN_SEEN: AtomicBool = AtomicBool::new(false);

struct Global<T>(UnsafeCell<T>);

// Written before the gate says that there is something to read, and then under its lock.
unsafe impl<T> Sync for Global<T> {}

static LIBRARY: Global<Library> = Global(UnsafeCell::new(library::UNKNOWN));
static RECORDER: Global<MaybeUninit<Recorder>> = Global(UnsafeCell::new(MaybeUninit::uninit()));

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static BUSY_HERE: Cell<bool> = const { Cell::new(false) };
}

/// The constants of the library; not valid before [`recording`].
#[inline]
pub fn library() -> &'static Library {
    unsafe { &*LIBRARY.0.get() }
}

/// Whether calls are recorded now.
#[inline]
pub fn recording() -> bool {
    match GATE.mode() {
        OFF => false,
        NOT_YET => start_late(),
        _ => !is_busy() && (!FORTRAN_SEEN.load(Ordering::Relaxed) || !INSIDE.get()),
    }
}

/// Whether events are recorded now.
#[inline]
pub fn recording_events() -> bool {
    recording() && GATE.mode() == EVENTS
}

/// Whether several threads may call at once.
#[inline]
pub fn has_threads() -> bool {
    THREADS.load(Ordering::Relaxed)
}

/// Whether Fortran calls are to be read as such: in other libraries they appear again as calls of
/// C.
pub fn reads_fortran() -> bool {
    recording() && library().family == Family::OpenMpi
}

/// Calls the function that a Fortran function stands for. What that one calls in turn is the same
/// call again.
pub fn inside_fortran<T>(call: impl FnOnce() -> T) -> T {
    if GATE.mode() < TOTALS || library().family != Family::OpenMpi {
        return call();
    }
    FORTRAN_SEEN.store(true, Ordering::Relaxed);
    let before = INSIDE.replace(true);
    let result = call();
    INSIDE.set(before);
    result
}

/// Does something with the recorder, exclusively. Only while [`recording`].
#[inline]
pub fn with<T>(work: impl FnOnce(&mut Recorder) -> T) -> T {
    let threads = has_threads();
    if threads {
        BUSY_HERE.set(true);
        GATE.lock();
    } else {
        BUSY.store(true, Ordering::Relaxed);
    }
    let result = work(unsafe { (*RECORDER.0.get()).assume_init_mut() });
    if threads {
        GATE.unlock();
        BUSY_HERE.set(false);
    } else {
        BUSY.store(false, Ordering::Relaxed);
    }
    result
}

/// Whether this call comes from inside the recorder. A question to the library may fail, and then
/// the program's own error handler runs, which may call anything.
#[inline]
pub fn is_busy() -> bool {
    if has_threads() { BUSY_HERE.get() } else { BUSY.load(Ordering::Relaxed) }
}

/// Begins to record in a program that has initialised MPI in a way that was not seen.
#[cold]
fn start_late() -> bool {
    let initialized = asked(|flag| unsafe { library::initialized(flag) });
    let finalized = asked(|flag| unsafe { library::finalized(flag) });
    if initialized.is_some_and(|flag| flag != 0) && finalized == Some(0) {
        start();
    }
    GATE.mode() >= TOTALS
}

/// Begins to record. MPI is initialised.
pub fn start() {
    GATE.start(|| match env::var_os(FOLDER_VARIABLE).map(PathBuf::from) {
        None => OFF,
        Some(folder) => match Recorder::start(&folder) {
            Ok(mode) => mode,
            Err(error) => {
                say(&format!("this process is not recorded: {error}"));
                OFF
            }
        },
    });
}

/// Ends recording in the middle. What is there stays, and says that it is incomplete.
pub fn abandon() {
    if recording() {
        with(|recorder| {
            recorder.note_time();
            recorder.note_threads_at_end();
            times::switch(false);
            GATE.close();
        });
    }
}

/// Ends recording: the program calls MPI_Finalize.
pub fn finish() {
    if !recording() {
        return;
    }
    with(|recorder| {
        recorder.note_time();
        times::switch(false);
        recorder.note_threads_at_end();
        // What was computed after the last call.
        recorder.enter(ticks());
        recorder.push([event::NOTHING, 0, 0, 0]);
        if let Some(log) = &recorder.log {
            let events = log.len();
            recorder.totals.publish(header::EVENTS, events);
        }
        recorder.totals.publish(header::STATE, header::FINALISED);
        GATE.close();
        // Closes the file of events; the file of totals stays as it is.
        recorder.log = None;
    });
}

impl Recorder {
    /// A recorder that has recorded nothing yet.
    pub fn new(totals: WholeFile, log: Option<Log>, world_group: usize) -> Recorder {
        Recorder {
            totals,
            log,
            records: 0,
            world_group,
            comms: Vec::new(),
            comm_of: Map::default(),
            window_of: Map::default(),
            last_comm: (usize::MAX, 0),
            groups: Map::default(),
            numbered: Vec::new(),
            freed: 0,
            retired: VecDeque::new(),
            pairs: Map::default(),
            last_pair: (usize::MAX, 0, 0),
            flows: Map::default(),
            peers: Map::default(),
            collectives: Map::default(),
            parts: Map::default(),
            type_sizes: [(usize::MAX, 0); TYPES_KEPT],
            persistent: Map::default(),
            pending: Map::default(),
            pending_more: Map::default(),
            matched: Map::default(),
            free_numbers: Vec::new(),
            next_number: 0,
            last_exit: ticks(),
            entered: 0,
            gap: 0,
            scratch: Action::default(),
            parts_scratch: Vec::new(),
            times: Times::default(),
        }
    }

    fn start(folder: &Path) -> io::Result<u8> {
        let other = |message: &str| io::Error::other(message.to_string());
        let library =
            Library::loaded().ok_or_else(|| other("its MPI library is not a known one"))?;
        if library.family == Family::SimGrid {
            return Err(other("SimGrid simulates all ranks in one process"));
        }
        unsafe { *LIBRARY.0.get() = library };
        let no_answer = || other("the MPI library does not answer");
        let rank = asked(|rank| unsafe { library::comm_rank(library.world, rank) });
        let size = asked(|size| unsafe { library::comm_size(library.world, size) });
        let (rank, size) = rank.zip(size).ok_or_else(no_answer)?;
        if library.was_spawned() {
            return Err(other("it was started by another MPI program"));
        }
        let provided = asked(|level| unsafe { library::query_thread(level) });
        let threads = provided == Some(library.thread_multiple);
        THREADS.store(threads, Ordering::Relaxed);

        let (file, path) = Self::create_totals(folder, rank, size)?;
        let events = env::var_os(EVENTS_VARIABLE).is_some();
        let mut totals = WholeFile::new(file, 4 * HEADER_BYTES)?;
        let log = match events {
            true => create(&path.with_extension(EVENTS_ENDING)).and_then(Log::new).ok(),
            false => None,
        };
        if events && log.is_none() {
            // Totals are better than nothing.
            *totals.number(header::CUT) |= 2;
        }
        let events = log.is_some();
        *totals.number(header::RANK) = rank as u64;
        *totals.number(header::SIZE) = size as u64;
        *totals.number(header::THREADS) = u64::from(threads);
        *totals.number(header::HAS_EVENTS) = u64::from(events);
        totals.write_text(header::HOST_BYTES, &host());
        totals.write_text(header::LIBRARY_BYTES, &library_version());
        *totals.number(header::LAUNCHER_RANK) = launcher_rank();
        *totals.number(header::STARTER) = u64::from(parent_of(launcher()));
        *totals.number(header::STATE) = header::RUNNING;
        *totals.number(header::FIRST_NANOSECONDS) = nanoseconds();
        *totals.number(header::FIRST_TICKS) = ticks();
        totals.publish(header::MAGIC, MAGIC);

        let mut world_group = 0_usize;
        unsafe { library::comm_group(library.world, &raw mut world_group as usize) }
            .filter(|&answer| answer == 0)
            .ok_or_else(no_answer)?;
        let recorder = Recorder::new(totals, log, world_group);
        let recorder = unsafe { (*RECORDER.0.get()).write(recorder) };
        // The world is everyone's first communicator.
        recorder.comm(library.world);
        recorder.note_seat();
        // Does nothing if it was done before MPI was initialised.
        let _ = describe_host(folder);
        // What was done here is not the program's time.
        *recorder.totals.number(header::FIRST_NANOSECONDS) = nanoseconds();
        *recorder.totals.number(header::FIRST_TICKS) = ticks();
        recorder.last_exit = ticks();
        if env::var_os(TIMES_VARIABLE).is_some() {
            *recorder.totals.number(header::HAS_TIMES) = 1;
            times::switch(true);
        }
        Ok(if events { EVENTS } else { TOTALS })
    }

    /// A file of this rank in this job. A script may run several jobs, and not always one after the
    /// other. Most launchers give them names; otherwise they are distinguished by the process that
    /// started them here.
    fn create_totals(folder: &Path, rank: i32, size: i32) -> io::Result<(File, PathBuf)> {
        let given = ["PMIX_NAMESPACE", "SLURM_STEP_ID", "PMI_JOBID", "ALPS_APP_ID"]
            .iter()
            .find_map(|name| env::var(name).ok());
        let job = given.unwrap_or_else(|| {
            let launcher = launcher();
            // Launchers in several containers may have the same number.
            format!("{UNNAMED_JOB}{size}-{launcher}-{:016x}", identity_of(launcher))
        });
        let job = job.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        let mut number = 1;
        loop {
            let path = folder.join(format!("{job}.{number}.{rank}.{TOTALS_ENDING}"));
            match create(&path) {
                Ok(file) => return Ok((file, path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => {
                    number += 1;
                }
                Err(error) => {
                    return Err(io::Error::other(format!("{}: {error}", path.display())));
                }
            }
        }
    }

    /// Notes the counter and the time, so ticks can be converted to nanoseconds.
    pub fn note_time(&mut self) {
        *self.totals.number(header::LAST_NANOSECONDS) = nanoseconds();
        *self.totals.number(header::LAST_TICKS) = ticks();
    }
}

/// The process that started this rank and its siblings, if its launcher gives jobs no name.
fn launcher() -> u32 {
    nearest_that_is_not(|variable| {
        variable.starts_with(b"PMI_RANK=") || variable.starts_with(b"PMI_ID=")
    })
}

/// The launcher's number of this process plus one, if the library that gives ranks another order is
/// loaded and has given this one another rank.
fn launcher_rank() -> u64 {
    let Some(address) = symbols::find(c"topoloom_launcher_rank") else { return 0 };
    unsafe { std::mem::transmute::<usize, extern "C" fn() -> u64>(address)() }
}

/// The first line of what the library says about itself.
fn library_version() -> Vec<u8> {
    // The longest that any library may write.
    let mut text = vec![0_u8; 8192];
    asked(|length| unsafe { library::library_version(text.as_mut_ptr() as usize, length) });
    text.split(|&byte| byte == 0 || byte == b'\n').next().unwrap_or_default().to_vec()
}

/// Maps whose keys are numbers that differ where they are used.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Multiplies and rotates: enough for keys that no attacker chooses.
#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}
