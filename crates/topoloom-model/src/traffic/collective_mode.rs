//! How collective operations are treated: `none`, `direct`, or `algorithm:broadcast=binomial`.

use std::fmt;
use std::str::FromStr;

use super::Collective;
use super::algorithms::{Algorithm, KNOWN, Kind, Library};
use crate::registry::{Entry, Parameter, Registry};
use crate::spec::{Spec, SpecError};

/// How collective operations are treated. By default they count, with the messages that MPI
/// libraries send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectiveMode {
    /// They are left out.
    None,
    /// One message per pair for an all-to-all, an allgather and a reduce-scatter. Rooted ones go to
    /// or from the root. An allreduce is a reduce to member 0 and a broadcast from it, and so is a
    /// barrier, with empty messages.
    Direct,
    /// The messages that MPI libraries turn them into.
    Algorithm(Algorithms),
}

/// How algorithms are chosen: by the rules of a library, except for operations that have a fixed
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Algorithms {
    library: Library,
    /// Positions in the lists of [`KNOWN`].
    fixed: [Option<usize>; KNOWN.len()],
}

impl Algorithms {
    /// The rules of `library` for every operation.
    pub fn of(library: Library) -> Algorithms {
        Algorithms { library, ..Algorithms::default() }
    }
}

impl Default for CollectiveMode {
    fn default() -> Self {
        CollectiveMode::Algorithm(Algorithms::default())
    }
}

impl CollectiveMode {
    /// The algorithm of this collective of this kind.
    pub(super) fn algorithm(self, kind: Kind, collective: &Collective) -> &'static Algorithm {
        let place = match self {
            CollectiveMode::None | CollectiveMode::Direct => 0,
            CollectiveMode::Algorithm(algorithms) => algorithms.fixed[kind as usize]
                .unwrap_or_else(|| {
                    algorithms.library.choose(kind, collective.group.size(), collective.bytes)
                }),
        };
        &kind.known().algorithms[place]
    }
}

/// Makes a mode from a specification.
pub type CollectiveModeBuilder = fn(&Spec) -> Result<CollectiveMode, SpecError>;

/// Every known mode.
pub static COLLECTIVE_MODES: Registry<CollectiveModeBuilder> =
    Registry { kind: "collective mode", entries: &[&NONE, &DIRECT, &ALGORITHM], common: &[] };

static NONE: Entry<CollectiveModeBuilder> = Entry {
    name: "none",
    summary: "collectives are left out",
    example: "none",
    parameters: &[],
    build: |_| Ok(CollectiveMode::None),
};

static DIRECT: Entry<CollectiveModeBuilder> = Entry {
    name: "direct",
    summary: "one message per pair, or to and from the root",
    example: "direct",
    parameters: &[],
    build: |_| Ok(CollectiveMode::Direct),
};

static ALGORITHM: Entry<CollectiveModeBuilder> = Entry {
    name: "algorithm",
    summary: "the messages that MPI libraries send, by size and members or as given",
    example: "algorithm:allreduce=ring,alltoall=pairwise",
    parameters: &[
        Parameter {
            name: "library",
            default: "mpich",
            summary: "the library whose rules choose: mpich or openmpi (up to 4.0)",
        },
        fixed("barrier", "linear, dissemination, recursive-doubling"),
        fixed(
            "broadcast",
            "linear, chain, binary, split-binary, binomial, scatter-recursive-doubling, scatter-ring",
        ),
        fixed("reduce", "linear, chain, binary, binomial, rabenseifner"),
        fixed("allreduce", "linear, binomial, recursive-doubling, rabenseifner, ring"),
        fixed("alltoall", "pairwise, bruck"),
        fixed("allgather", "pairwise, bruck, recursive-doubling, ring"),
        fixed("reduce-scatter", "pairwise, recursive-halving, ring"),
        fixed("gather", "linear, binomial"),
        fixed("scatter", "linear, binomial"),
    ],
    build: algorithms,
};

/// The option that fixes the algorithm of an operation. A test checks it against [`KNOWN`].
const fn fixed(name: &'static str, algorithms: &'static str) -> Parameter {
    Parameter { name, default: "by size", summary: algorithms }
}

fn algorithms(spec: &Spec) -> Result<CollectiveMode, SpecError> {
    let library = spec.get("library", "mpich or openmpi")?.unwrap_or_default();
    let mut algorithms = Algorithms::of(library);
    for (known, fixed) in KNOWN.iter().zip(&mut algorithms.fixed) {
        let expected = format!("one of {}", known.names());
        if let Some(name) = spec.get::<String>(known.name, &expected)? {
            let wrong = || {
                SpecError::new(format!(
                    "algorithm: unknown algorithm \"{name}\" for {}; known: {}",
                    known.name,
                    known.names()
                ))
            };
            *fixed = Some(known.position(&name).ok_or_else(wrong)?);
        }
    }
    Ok(CollectiveMode::Algorithm(algorithms))
}

impl fmt::Display for CollectiveMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CollectiveMode::Algorithm(algorithms) = self else {
            let direct = *self == CollectiveMode::Direct;
            return f.write_str(if direct { DIRECT.name } else { NONE.name });
        };
        let mut options = Vec::new();
        if algorithms.library != Library::default() {
            options.push(("library".to_string(), Some(algorithms.library.to_string())));
        }
        for (known, place) in KNOWN.iter().zip(algorithms.fixed) {
            if let Some(place) = place {
                let name = known.algorithms[place].name.to_string();
                options.push((known.name.to_string(), Some(name)));
            }
        }
        let name = ALGORITHM.name.to_string();
        Spec { name, shape: None, options }.fmt(f)
    }
}

impl FromStr for CollectiveMode {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec = Spec::parse(text)?;
        let entry = COLLECTIVE_MODES.find(&spec)?;
        spec.no_shape()?;
        (entry.build)(&spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_prints_as_it_was_written() {
        for text in [
            "none",
            "direct",
            "algorithm",
            "algorithm:library=openmpi",
            "algorithm:library=openmpi,broadcast=binomial,reduce-scatter=ring",
            "algorithm:allreduce=ring,alltoall=pairwise",
        ] {
            assert_eq!(text.parse::<CollectiveMode>().unwrap().to_string(), text);
        }
        assert_eq!("algorithm:library=mpich".parse(), "algorithm".parse::<CollectiveMode>());
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_known_ones() {
        for (text, answer) in [
            ("trees", "unknown collective mode \"trees\"; known: algorithm, direct, none"),
            ("direct:barrier=linear", "direct: unknown option \"barrier\"; known: none"),
            (
                "algorithm:gather=ring",
                "algorithm: unknown algorithm \"ring\" for gather; known: linear, binomial",
            ),
            (
                "algorithm:alltoall",
                "algorithm: expected options of the form key=value, found \"alltoall\"",
            ),
            (
                "algorithm:library=mpi",
                "algorithm: expected mpich or openmpi for \"library\", found \"mpi\"",
            ),
        ] {
            assert_eq!(text.parse::<CollectiveMode>().unwrap_err().to_string(), answer);
        }
        let unknown = "algorithm:bcast=ring".parse::<CollectiveMode>().unwrap_err();
        assert!(unknown.to_string().contains("known: library, barrier, broadcast,"), "{unknown}");
    }

    #[test]
    fn the_options_are_the_known_algorithms() {
        let options: Vec<_> = ALGORITHM
            .parameters
            .iter()
            .skip(1)
            .map(|option| (option.name, option.summary))
            .collect();
        let known: Vec<_> = KNOWN.iter().map(|known| (known.name, known.names())).collect();
        assert_eq!(options, known.iter().map(|(name, all)| (*name, &all[..])).collect::<Vec<_>>());
    }
}
