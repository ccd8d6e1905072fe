//! Which algorithm MPI libraries use, by the size of the message and the number of members.

use std::fmt;
use std::str::FromStr;

use super::known::Kind;
use crate::spec::UnknownName;

/// The library whose rules choose among the algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Library {
    /// MPICH's, with the default values of its `MPIR_CVAR_..._MSG_SIZE` variables. Its derivatives
    /// (Intel MPI, Cray MPICH, MVAPICH) have the same algorithms and tune the sizes.
    #[default]
    Mpich,
    /// The fixed rules of Open MPI's `tuned` component up to version 4.0.
    OpenMpi,
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Library::Mpich => "mpich",
            Library::OpenMpi => "openmpi",
        })
    }
}

impl FromStr for Library {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "mpich" => Ok(Library::Mpich),
            "openmpi" => Ok(Library::OpenMpi),
            _ => Err(UnknownName::new("library", text, "mpich, openmpi")),
        }
    }
}

/// Libraries do not split elements, so some rules compare elements with members. Traffic does not
/// know its elements: most reductions use double-precision numbers.
const BYTES_OF_AN_ELEMENT: u64 = 8;

impl Library {
    /// The position of the algorithm in the list of `kind`, for a call of `bytes` (see
    /// [`crate::traffic::Collective::bytes`]) among `members`.
    pub(in crate::traffic) fn choose(self, kind: Kind, members: u32, bytes: u64) -> usize {
        let name = match self {
            Library::Mpich => mpich(kind, members, bytes),
            Library::OpenMpi => open_mpi(kind, members, bytes),
        };
        kind.known().position(name).expect("every rule names an algorithm that is known")
    }
}

fn all_bytes(members: u32, bytes: u64) -> u64 {
    bytes.saturating_mul(u64::from(members))
}

fn mpich(kind: Kind, members: u32, bytes: u64) -> &'static str {
    let power_of_two = members.is_power_of_two();
    // At least one element for each member that is left when the members fold to a power of two.
    let blocks = 1 << members.max(1).ilog2();
    let enough_elements = bytes / BYTES_OF_AN_ELEMENT >= blocks;
    let total = all_bytes(members, bytes);
    match kind {
        Kind::Barrier => "dissemination",
        Kind::Broadcast if bytes < 12_288 || members < 8 => "binomial",
        Kind::Broadcast if bytes < 524_288 && power_of_two => "scatter-recursive-doubling",
        Kind::Broadcast => "scatter-ring",
        Kind::Reduce if bytes <= 2048 || !enough_elements => "binomial",
        Kind::Reduce => "rabenseifner",
        Kind::Allreduce if bytes <= 2048 || !enough_elements => "recursive-doubling",
        Kind::Allreduce => "rabenseifner",
        Kind::AllToAll if bytes <= 256 && members >= 8 => "bruck",
        Kind::AllToAll => "pairwise",
        Kind::Allgather if total < 524_288 && power_of_two => "recursive-doubling",
        Kind::Allgather if total < 81_920 => "bruck",
        Kind::Allgather => "ring",
        Kind::ReduceScatter if total < 524_288 => "recursive-halving",
        Kind::ReduceScatter => "pairwise",
        Kind::Gather | Kind::Scatter => "binomial",
    }
}

fn open_mpi(kind: Kind, members: u32, bytes: u64) -> &'static str {
    let power_of_two = members.is_power_of_two();
    let total = all_bytes(members, bytes);
    // Some rules are lines fitted to measurements: members against bytes.
    let above =
        |slope: f64, offset: f64, bytes: u64| f64::from(members) > slope * bytes as f64 + offset;
    match kind {
        Kind::Barrier if power_of_two => "recursive-doubling",
        Kind::Barrier => "dissemination",
        Kind::Broadcast if bytes < 2048 => "binomial",
        Kind::Broadcast if bytes < 370_728 => "split-binary",
        Kind::Broadcast if members < 13 && above(1.6134e-6, 2.1102, bytes) => "split-binary",
        Kind::Broadcast => "chain",
        Kind::Reduce if members < 8 && bytes < 512 => "linear",
        Kind::Reduce if bytes < 2048 || (members < 8 && bytes < 20_480) => "binomial",
        Kind::Reduce if above(0.6016 / 1024.0, 1.3496, bytes) => "binomial",
        Kind::Reduce if above(0.0410 / 1024.0, 9.7128, bytes) => "chain",
        Kind::Reduce if above(0.0422 / 1024.0, 1.1614, bytes) => "binary",
        Kind::Reduce => "chain",
        Kind::Allreduce if bytes < 10_000 => "recursive-doubling",
        Kind::Allreduce if bytes / BYTES_OF_AN_ELEMENT > u64::from(members) => "ring",
        Kind::Allreduce => "binomial",
        Kind::AllToAll if bytes < 200 && members > 12 => "bruck",
        Kind::AllToAll => "pairwise",
        Kind::Allgather if total < 50_000 && power_of_two => "recursive-doubling",
        Kind::Allgather if total < 50_000 => "bruck",
        // With an even number of members, neighbours exchange. The ring has the same pairs.
        Kind::Allgather => "ring",
        Kind::ReduceScatter
            if total <= 12 * 1024
                || (total <= 256 * 1024 && power_of_two)
                || f64::from(members) >= 0.0012 * total as f64 + 8.0 =>
        {
            "recursive-halving"
        }
        Kind::ReduceScatter => "ring",
        Kind::Gather if bytes > 6000 => "linear",
        Kind::Gather if members > 60 || (members > 10 && bytes < 1024) => "binomial",
        Kind::Gather => "linear",
        Kind::Scatter if members > 10 && bytes < 300 => "binomial",
        Kind::Scatter => "linear",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_known_and_every_known_algorithm_has_its_own_name() {
        for kind in Kind::ALL {
            for library in [Library::Mpich, Library::OpenMpi] {
                assert_eq!(library.to_string().parse(), Ok(library));
                for members in (0..70).chain([1000, 1024, u32::MAX]) {
                    for power in 0..=64 {
                        let bytes = (1_u128 << power) as u64;
                        library.choose(kind, members, bytes.wrapping_sub(1));
                    }
                }
            }
            let known = kind.known();
            for (place, algorithm) in known.algorithms.iter().enumerate() {
                assert_eq!(known.position(algorithm.name), Some(place), "{}", known.name);
            }
        }
    }

    fn chosen(library: Library, kind: Kind, members: u32, bytes: u64) -> &'static str {
        kind.known().algorithms[library.choose(kind, members, bytes)].name
    }

    #[test]
    fn mpich_changes_at_its_documented_sizes() {
        for (kind, members, bytes, name) in [
            (Kind::Broadcast, 64, 12_287, "binomial"),
            (Kind::Broadcast, 64, 12_288, "scatter-recursive-doubling"),
            (Kind::Broadcast, 7, 12_288, "binomial"),
            (Kind::Broadcast, 12, 12_288, "scatter-ring"),
            (Kind::Broadcast, 64, 524_288, "scatter-ring"),
            (Kind::Reduce, 64, 2048, "binomial"),
            (Kind::Reduce, 64, 2056, "rabenseifner"),
            (Kind::Allreduce, 64, 2048, "recursive-doubling"),
            (Kind::Allreduce, 64, 2056, "rabenseifner"),
            // 512 elements are not enough for 1,024 members.
            (Kind::Allreduce, 1024, 4096, "recursive-doubling"),
            (Kind::Allreduce, 1023, 4096, "rabenseifner"),
            (Kind::AllToAll, 8, 256, "bruck"),
            (Kind::AllToAll, 7, 256, "pairwise"),
            (Kind::AllToAll, 8, 257, "pairwise"),
            (Kind::Allgather, 64, 8191, "recursive-doubling"),
            (Kind::Allgather, 64, 8192, "ring"),
            (Kind::Allgather, 80, 1023, "bruck"),
            (Kind::Allgather, 80, 1024, "ring"),
            (Kind::ReduceScatter, 64, 8191, "recursive-halving"),
            (Kind::ReduceScatter, 64, 8192, "pairwise"),
        ] {
            assert_eq!(chosen(Library::Mpich, kind, members, bytes), name, "{kind:?} {bytes}");
        }
    }

    #[test]
    fn open_mpi_changes_at_its_documented_sizes() {
        for (kind, members, bytes, name) in [
            (Kind::Barrier, 8, 0, "recursive-doubling"),
            (Kind::Barrier, 9, 0, "dissemination"),
            (Kind::Broadcast, 64, 2047, "binomial"),
            (Kind::Broadcast, 64, 2048, "split-binary"),
            (Kind::Broadcast, 64, 370_728, "chain"),
            (Kind::Reduce, 7, 511, "linear"),
            // 0.6016 / 1024 * 65,536 + 1.3496 = 39.9 members.
            (Kind::Reduce, 40, 65_536, "binomial"),
            (Kind::Reduce, 39, 65_536, "chain"),
            (Kind::Reduce, 12, 65_536, "binary"),
            (Kind::Allreduce, 64, 9999, "recursive-doubling"),
            (Kind::Allreduce, 64, 10_000, "ring"),
            (Kind::Allreduce, 1250, 10_000, "binomial"),
            (Kind::AllToAll, 13, 199, "bruck"),
            (Kind::AllToAll, 12, 199, "pairwise"),
            (Kind::Allgather, 64, 781, "recursive-doubling"),
            (Kind::Allgather, 64, 782, "ring"),
            (Kind::ReduceScatter, 64, 4096, "recursive-halving"),
            (Kind::ReduceScatter, 64, 4097, "ring"),
            (Kind::Gather, 61, 6000, "binomial"),
            (Kind::Gather, 61, 6001, "linear"),
            (Kind::Scatter, 11, 299, "binomial"),
            (Kind::Scatter, 11, 300, "linear"),
        ] {
            assert_eq!(chosen(Library::OpenMpi, kind, members, bytes), name, "{kind:?} {bytes}");
        }
    }
}
