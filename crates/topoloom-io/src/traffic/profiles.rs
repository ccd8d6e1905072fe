//! Reports of profilers that do not say which rank sends to which.

use crate::text::fault::Fault;

/// Why a file with this content cannot be read as traffic, if it is such a report.
pub(super) fn refusal(bytes: &[u8]) -> Option<Fault> {
    let message = "a report of mpiP says how much each rank sends at each call site, but not to which rank; \
         expected traffic between pairs of ranks: record the run with \"topoloom record\", or use \
         the monitoring of Open MPI";
    bytes.starts_with(b"@ mpiP").then(|| Fault::WrongInput(message.into()))
}
