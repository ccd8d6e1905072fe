//! What can go wrong.

/// Why a process cannot take part in a job, or cannot go on in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The variable that switches MPI on and off has another value.
    #[error("TOPOLOOM_MPI is \"{value}\"; expected \"on\" or \"off\"")]
    Setting {
        /// What it is.
        value: String,
    },
    /// A script or another program stands between the launcher and this process.
    #[error(
        "{launcher} variables say that this is one of {processes}, but {between} started it. If every process of the \
         job runs this command, and only once, set TOPOLOOM_MPI=on. If not, set TOPOLOOM_MPI=off"
    )]
    Unclear {
        /// Whose variables they are.
        launcher: &'static str,
        /// How many processes they speak of.
        processes: String,
        /// The program in between.
        between: String,
    },
    /// A launcher started several processes, but its library was not found.
    #[error(
        "{launcher} variables say that this is one of {processes}, but no MPI library can be loaded: {tried}. Set \
         TOPOLOOM_MPI_LIBRARY to the file of the library (libmpi.so...), or TOPOLOOM_MPI=off to take no part"
    )]
    NoLibrary {
        /// Whose variables they are.
        launcher: &'static str,
        /// How many processes they speak of.
        processes: String,
        /// What was tried, and what the loader said to it.
        tried: String,
    },
    /// A library was loaded, but it is of an unknown kind.
    #[error(
        "{file} is not a usable MPI library; known are those of Open MPI, of MPICH and of the MPI 5 standard. Set \
         TOPOLOOM_MPI_LIBRARY to the file of such a library"
    )]
    NotMpi {
        /// The file.
        file: String,
    },
    /// The library does not belong to the launcher.
    #[error(
        "{file} finds {found} in the job, but the launcher started {expected}. The library is not the launcher's: set \
         TOPOLOOM_MPI_LIBRARY to the file of the launcher's library"
    )]
    OtherLibrary {
        /// The file of the library.
        file: String,
        /// How many processes it knows.
        found: String,
        /// How many the launcher's variables speak of.
        expected: String,
    },
    /// The library does not allow programs with threads.
    #[error("{file} does not allow threads beside the one that calls it")]
    NoThreads {
        /// The file of the library.
        file: String,
    },
    /// MPI can be started only once in a process.
    #[error("this process has joined the MPI job before")]
    JoinedBefore,
    /// A function of MPI returned an error.
    #[error("{function} failed with code {code}")]
    Call {
        /// Its name.
        function: &'static str,
        /// What it returned.
        code: i32,
    },
    /// The library does not have a function of MPI 3.
    #[error("the MPI library has no {function}")]
    NoFunction {
        /// Its name.
        function: &'static str,
    },
    /// A message for a process that does not exist.
    #[error("there is no process {to}: the job has {size} processes, counted from 0")]
    NoProcess {
        /// Where it should go.
        to: usize,
        /// How many there are.
        size: usize,
    },
    /// A message that does not begin as all messages do.
    #[error("a message from process {from} is damaged, or of another version of this program")]
    NotOurs {
        /// Who sent it.
        from: usize,
    },
    /// Another process has dropped its office without finishing.
    #[error("process {rank} left the job before its end")]
    Left {
        /// Which one.
        rank: usize,
    },
    /// The thread that calls MPI has ended.
    #[error("the connection to the MPI job has ended")]
    Stopped,
    /// The system gave no thread.
    #[error("no thread for MPI: {0}")]
    Thread(#[from] std::io::Error),
    /// Bytes that are not a list of such numbers.
    #[error(
        "bytes {start} to {end} of {length} shared bytes are not a list of {kind}: its beginning and its length must \
         be multiples of {width} bytes within them"
    )]
    View {
        /// Where it should begin.
        start: usize,
        /// Where it should end.
        end: usize,
        /// How many bytes there are.
        length: usize,
        /// What numbers.
        kind: &'static str,
        /// How many bytes such a number has.
        width: usize,
    },
}

/// A number of processes in words; nothing if it is unknown.
pub(crate) fn processes(number: Option<usize>) -> String {
    match number {
        Some(1) => "1 process".to_string(),
        Some(number) => format!("{number} processes"),
        None => "several processes".to_string(),
    }
}
