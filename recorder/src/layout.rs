//! Where things are in the files that every rank writes while it runs.
//!
//! A rank has a file of totals and, with events, a second one. Both are mapped into memory, so what
//! was recorded survives the death of the process. Numbers have 64 bits, in the machine's byte
//! order: the files leave the machine only as a recording, which has its own format.
//!
//! ```text
//! totals: header of HEADER_BYTES | records of RECORD_BYTES, as many as the header says
//! events: records of RECORD_BYTES, as many as the header of the totals says
//! ```

// The recorder and the reader each use a part of it.
#![allow(dead_code)]

/// The first number of a file of totals. The last two bytes are the version.
pub const MAGIC: u64 = u64::from_le_bytes(*b"tlpart01");

/// The bytes before the records.
pub const HEADER_BYTES: usize = 4096;

/// A record of either file: four numbers.
pub const RECORD_BYTES: usize = 32;

/// How names of files of totals end. Before it is the rank, and before that the job.
pub const TOTALS_ENDING: &str = "totals";

/// How names of files begin if their job has no name. The number of ranks and the process that
/// started them on their host follow.
pub const UNNAMED_JOB: &str = "job-";

/// How names of files of events end.
pub const EVENTS_ENDING: &str = "events";

/// The environment variable with the folder for the files.
pub const FOLDER_VARIABLE: &str = "TOPOLOOM_RECORD_FOLDER";

/// The environment variable that asks for events, with any value.
pub const EVENTS_VARIABLE: &str = "TOPOLOOM_RECORD_EVENTS";

/// The environment variable that asks for the time in calls, with any value.
pub const TIMES_VARIABLE: &str = "TOPOLOOM_RECORD_TIMES";

/// The environment variable with the folder for reports: processes that have a rank say where
/// they are and end before they begin.
pub const PROBE_VARIABLE: &str = "TOPOLOOM_PROBE_FOLDER";

/// The environment variable with the folder for times of messages: ranks measure instead of running
/// the program.
pub const MEASURE_VARIABLE: &str = "TOPOLOOM_MEASURE_FOLDER";

/// The environment variable with the folder in which ranks ask for another order.
pub const RUN_VARIABLE: &str = "TOPOLOOM_RUN_FOLDER";

/// The environment variable that says what ranks may ask for: some of [`run::ORDER`],
/// [`run::REORDER`], [`run::DESCRIBE`] and [`run::STRICT`], with blanks between them.
pub const RUN_WANTED_VARIABLE: &str = "TOPOLOOM_RUN_WANTED";

/// The environment variable with two times in seconds: how long the first rank waits for the others,
/// and then for an answer.
pub const RUN_LIMITS_VARIABLE: &str = "TOPOLOOM_RUN_LIMITS";

/// The environment variable with the folder for reports of ranks whose order has been changed: they
/// end after MPI_Init.
pub const RUN_PROBE_VARIABLE: &str = "TOPOLOOM_RUN_PROBE_FOLDER";

/// The file that the owner of a folder for ranks keeps locked. It holds the ID of this boot of the
/// owner's system.
pub const OWNER: &str = "owner";

/// The variables in which launchers give a process its rank. The first that is set counts: a
/// launcher that starts ranks through the processes of another one (Open MPI by `srun`) sets its
/// own variable beside the other's. So the launchers that only start ranks by themselves come
/// first.
pub const RANK_VARIABLES: [&str; 9] = [
    "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "PMI_ID",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
];

/// The variable in which launchers of training jobs (torchrun, DeepSpeed) give a process its rank.
/// Others must be set too, because its name is so short.
pub const TRAINING_RANK_VARIABLE: &str = "RANK";
/// The others.
pub const BESIDE_TRAINING_RANK: [&str; 3] = ["LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR"];

/// What a probe leaves in its folder, as text.
pub mod probe {
    /// How names of reports of ranks end.
    pub const RANK_ENDING: &str = "rank";
    /// How names of descriptions of nodes end: one line for each file of the system, with the path,
    /// a tab and its contents, with line breaks as `\n` and backslashes as `\\`. Ranks that are
    /// recorded leave them too.
    pub const NODE_ENDING: &str = "node";
    /// The first line of a report. Lines with a word and a value follow: [`RANK`], [`HOST`],
    /// [`CPUS`], [`VARIABLE`], [`PROCESS`], [`STARTER`] and [`COMMAND`].
    pub const FIRST_LINE: &str = "topoloom-probe 1";
    /// The rank in the world.
    pub const RANK: &str = "rank";
    /// The name of the host.
    pub const HOST: &str = "host";
    /// The CPUs that the rank may run on, such as 0-3,8.
    pub const CPUS: &str = "cpus";
    /// The variable that gave the rank.
    pub const VARIABLE: &str = "variable";
    /// The number of the process.
    pub const PROCESS: &str = "process";
    /// The name of the program that started the rank and its siblings, written as a word of
    /// [`COMMAND`].
    pub const STARTER: &str = "starter";
    /// What it runs: its words between blanks, characters that are not visible as %XX, and a single
    /// % for an empty word.
    pub const COMMAND: &str = "command";
}

/// What ranks ask while they run, and what they are told, as text in files of one folder.
pub mod run {
    /// How names of questions end. A question appears when it is complete.
    pub const QUESTION_ENDING: &str = "question";
    /// How names of answers end. The file is there before the question, and empty. Its last line is
    /// [`END`].
    pub const ANSWER_ENDING: &str = "answer";
    /// The ending of empty files that stand for a job in which ranks were missing.
    pub const MISSING_ENDING: &str = "missing";
    /// The first line of a question. Lines with a word and values follow: [`CALL`], [`RANKS`],
    /// [`SEAT`] for each rank, what the call says about neighbours, and [`END`].
    pub const FIRST_LINE: &str = "topoloom-run 1";
    /// What is asked: [`ORDER`], or the name of the function that has been called.
    pub const CALL: &str = "call";
    /// How many ranks the communicator has.
    pub const RANKS: &str = "ranks";
    /// The seat of a rank: its number in the communicator, its host and its CPUs such as 0-3,8, or
    /// `-` if they are not known.
    pub const SEAT: &str = "seat";
    /// A grid: how many ranks it has in each dimension, followed by `p` if it is a ring.
    pub const GRID: &str = "grid";
    /// An edge of a graph: two ranks and a weight.
    pub const EDGE: &str = "edge";
    /// The last line of questions and answers.
    pub const END: &str = "end";

    /// Asks for an order of all ranks at the beginning. In an answer, the new rank of each rank
    /// follows.
    pub const ORDER: &str = "order";
    /// Process topologies may be reordered.
    pub const REORDER: &str = "reorder";
    /// The first rank of each host describes it, in a file as of a probe.
    pub const DESCRIBE: &str = "describe";
    /// The job ends if it cannot have the order that is wanted.
    pub const STRICT: &str = "strict";
    /// The answer that the order stays as it is.
    pub const KEEP: &str = "keep";
    /// The answer that the job must end.
    pub const STOP: &str = "stop";
}

/// What is in the folder of a measurement, as text.
pub mod measure {
    /// What to do: one line with the bytes of a message and the number of rounds, then one line
    /// with two ranks for each pair.
    pub const PLAN: &str = "plan";
    /// How names of results end: one line for each pair whose first rank this is, with the number
    /// of the pair and the nanoseconds of a message.
    pub const RESULT_ENDING: &str = "times";
}

/// The numbers of the header, by their positions.
pub mod header {
    /// [`super::MAGIC`].
    pub const MAGIC: usize = 0;
    /// [`RUNNING`] or [`FINALISED`].
    pub const STATE: usize = 1;
    /// The rank in the world.
    pub const RANK: usize = 2;
    /// How many ranks the world has.
    pub const SIZE: usize = 3;
    /// How many records of totals there are.
    pub const RECORDS: usize = 4;
    /// How many records of events there are.
    pub const EVENTS: usize = 5;
    /// Not 0 if there was no room for more records, of totals (1) or events (2).
    pub const CUT: usize = 6;
    /// Not 0 if there is a file of events.
    pub const HAS_EVENTS: usize = 7;
    /// The counter that times events, at the beginning and at the last reading of the clock.
    pub const FIRST_TICKS: usize = 8;
    /// The clock in nanoseconds at the beginning.
    pub const FIRST_NANOSECONDS: usize = 9;
    /// The counter at the last reading.
    pub const LAST_TICKS: usize = 10;
    /// The clock at the last reading.
    pub const LAST_NANOSECONDS: usize = 11;
    /// Messages to or from processes that are not in the world.
    pub const OUTSIDE: usize = 12;
    /// Collective calls on intercommunicators.
    pub const INTERCOMMUNICATOR: usize = 13;
    /// One-sided calls.
    pub const ONE_SIDED: usize = 14;
    /// Whether several threads may call at once.
    pub const THREADS: usize = 15;
    /// How many CPUs of the host the job may use; 0: not known.
    pub const ONLINE: usize = 16;
    /// The number of threads that OMP_NUM_THREADS asks for; 0: it does not.
    pub const OPENMP_THREADS: usize = 17;
    /// Threads of the process after MPI_Init; 0: not known.
    pub const THREADS_AT_BEGIN: usize = 18;
    /// Threads of the process before MPI_Finalize; 0: not known.
    pub const THREADS_AT_END: usize = 19;
    /// Not 0 if the time in calls is recorded.
    pub const HAS_TIMES: usize = 20;
    /// The counter when the last call ended whose time is recorded.
    pub const LAST_EXIT: usize = 21;
    /// The parent of the process that started this rank; 0: not known.
    pub const STARTER: usize = 22;
    /// One more than the rank that the launcher gave to the process; 0: the program has the same.
    pub const LAUNCHER_RANK: usize = 23;
    /// Messages and bytes of [`super::KINDS`] times [`super::CLASSES`] classes of sizes.
    pub const SIZES: usize = 24;
    /// Text: the name of the host, up to the first 0.
    pub const HOST_BYTES: std::ops::Range<usize> = 3328..3584;
    /// Text: what the MPI library calls itself, up to the first 0.
    pub const LIBRARY_BYTES: std::ops::Range<usize> = 3584..4096;

    /// The rank has not called MPI_Finalize.
    pub const RUNNING: u64 = 1;
    /// The rank has called MPI_Finalize.
    pub const FINALISED: u64 = 2;
}

/// Point to point, one-sided, neighbourhood.
pub const KINDS: usize = 3;

/// Sizes of messages: 0 bytes, then by powers of two.
pub const CLASSES: usize = 65;

/// The low byte of a record of totals.
pub mod record {
    /// Messages and bytes exchanged with a peer: kind << 8, whether the peer is the sender << 16,
    /// peer << 32 | messages | bytes | 0.
    pub const FLOW: u64 = 1;
    /// Members of a communicator: [`STRIDED`], [`LISTED`] or 0 << 8, own number << 32 | hash of
    /// the members | how many | first, stride << 32. With [`LISTED`] the members follow, eight
    /// of 32 bits in a record.
    pub const GROUP: u64 = 2;
    /// Calls of a collective: call << 8, (root + 1) << 32 | number of the group's record | bytes
    /// of one call | calls.
    pub const COLLECTIVE: u64 = 3;
    /// What a member gives to another one in irregular calls: other member << 32 | number of the
    /// collective's record | bytes | whether the other is the sender.
    pub const PART: u64 = 4;
    /// A communicator, for events: | number of the group's record | which one of this group | 0.
    pub const COMMUNICATOR: u64 = 5;

    /// CPUs that the rank may run on: | first, last << 32, three times. A range whose first is
    /// above its last stands for nothing.
    pub const CPUS: u64 = 6;
    /// The name of a call of times: number << 8, bytes << 32 | the name. The part of it that has no
    /// room here follows in records of [`super::RECORD_BYTES`] bytes.
    pub const CALL: u64 = 7;
    /// Time in calls: number of the call's name << 8, peer << 32 | calls | ticks | 0. The peer may
    /// be one of [`super::partner`].
    pub const TIME: u64 = 8;

    /// Members are first, first + stride, ...
    pub const STRIDED: u64 = 1;
    /// The members follow.
    pub const LISTED: u64 = 2;
}

/// What stands for a peer in records of times.
pub mod partner {
    /// No partner can be named: the call waits for several, or does not say for whom.
    pub const NOT_TOLD: u32 = u32::MAX;
    /// All members of a communicator, a window or a file.
    pub const EVERYBODY: u32 = u32::MAX - 1;
    /// A file.
    pub const FILE: u32 = u32::MAX - 2;
}

/// The low byte of a record of events. The number of the communicator, in the order of their
/// records, is above it, << 8, and the request << 32.
pub mod event {
    /// Nothing: it was taken back.
    pub const NOTHING: u64 = 0;
    /// peer, tag << 32 | bytes | ticks since the previous call.
    pub const SEND: u64 = 1;
    /// peer, tag << 32 | 0 | ticks.
    pub const RECEIVE: u64 = 2;
    /// Like [`SEND`], with a request.
    pub const START_SEND: u64 = 3;
    /// Like [`RECEIVE`], with a request.
    pub const START_RECEIVE: u64 = 4;
    /// The request only, and ticks.
    pub const WAIT: u64 = 5;
    /// call, (root + 1) << 32 | bytes | ticks. Instead of a request it has its place in the order
    /// in which the communicator's calls were begun.
    pub const COLLECTIVE: u64 = 6;
    /// A part of the preceding irregular collective: other member, whether it is the sender << 32 |
    /// bytes | 0.
    pub const PART: u64 = 7;

    /// Stands for a peer that is not known.
    pub const NO_PEER: u32 = u32::MAX;
    /// Stands for an intercommunicator.
    pub const NO_COMMUNICATOR: u32 = (1 << 24) - 1;
    /// The tag of what neighbourhood collectives send.
    pub const NEIGHBOURHOOD_TAG: i32 = -1000;
}

/// The numbers of collective calls, as in recordings.
pub mod call {
    #![allow(missing_docs)]
    pub const BARRIER: u64 = 0;
    pub const BCAST: u64 = 1;
    pub const GATHER: u64 = 2;
    pub const GATHERV: u64 = 3;
    pub const SCATTER: u64 = 4;
    pub const SCATTERV: u64 = 5;
    pub const ALLGATHER: u64 = 6;
    pub const ALLGATHERV: u64 = 7;
    pub const ALLTOALL: u64 = 8;
    pub const ALLTOALLV: u64 = 9;
    pub const ALLTOALLW: u64 = 10;
    pub const ALLREDUCE: u64 = 11;
    pub const REDUCE: u64 = 12;
    pub const REDUCE_SCATTER: u64 = 13;
    pub const SCAN: u64 = 14;
    pub const EXSCAN: u64 = 15;
    pub const REDUCE_SCATTER_BLOCK: u64 = 16;
}

/// The class of a message of this many bytes.
#[inline]
pub const fn size_class(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}
