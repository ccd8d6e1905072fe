//! Scotch's target files, which describe a machine by a word and a few numbers.
//!
//! | file | machine |
//! | --- | --- |
//! | `tleaf n c0 w0 c1 w1 ...` | a tree of `n` levels, the root first: `ci` parts, `wi` the cost between them |
//! | `mesh2D X Y`, `mesh3D X Y Z`, `meshXD n X Y ...` | a mesh |
//! | `torus2D X Y`, `torus3D X Y Z`, `torusXD n X Y ...` | a torus |
//! | `hcub n` | a hypercube of `n` dimensions |
//! | `cmplt n` | `n` processors, each one hop from all others |
//!
//! Processors have the same numbers as in Scotch: in meshes and tori X is the fast dimension, and
//! in trees the last level is. Blanks and line ends separate words.

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// A machine that Scotch describes, as a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScotchTarget {
    /// The specification of the same machine, such as `torus:4x4`.
    pub spec: String,
    /// The line of the word that says what kind of machine it is, from 1.
    pub line: usize,
}

impl ScotchTarget {
    /// Why it is not a cluster, and what to use instead.
    pub fn without_hosts(&self) -> Fault {
        Fault::WrongInput(format!(
            "a target of Scotch has no hosts and is a whole machine already: name the file itself, \
             or {}, where a machine is expected",
            self.spec
        ))
    }
}

/// What the numbers after a word mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Levels of a tree.
    Tree,
    /// This many lengths of a mesh or torus; `None` if their number comes first.
    Box(&'static str, Option<usize>),
    /// Dimensions of a hypercube.
    Hypercube,
    /// Processors.
    Complete,
    /// Nothing that a machine could be made of.
    Refused(&'static str),
}

const WEIGHTS: &str = "it weighs processors, but all nodes of a machine count the same";
const DECOMPOSITION: &str = "it is a table of costs and has no network; as an objective, \
                             cost-matrix:FILE reads such costs from a Matrix Market file";
const VARIABLE: &str = "it has no size";
const PART: &str = "it is a part of another target";
const LABELS: &str = "it renumbers the leaves of a tree; use tleaf";

/// Scotch's words, and `mesh` and `torus`, which people write for `meshXD` and `torusXD`. Scotch does
/// not tell upper case from lower case.
const KINDS: [(&str, Kind); 17] = [
    ("tleaf", Kind::Tree),
    ("mesh2d", Kind::Box("mesh", Some(2))),
    ("mesh3d", Kind::Box("mesh", Some(3))),
    ("meshxd", Kind::Box("mesh", None)),
    ("mesh", Kind::Box("mesh", None)),
    ("torus2d", Kind::Box("torus", Some(2))),
    ("torus3d", Kind::Box("torus", Some(3))),
    ("torusxd", Kind::Box("torus", None)),
    ("torus", Kind::Box("torus", None)),
    ("hcub", Kind::Hypercube),
    ("cmplt", Kind::Complete),
    ("cmpltw", Kind::Refused(WEIGHTS)),
    ("deco", Kind::Refused(DECOMPOSITION)),
    ("ltleaf", Kind::Refused(LABELS)),
    ("sub", Kind::Refused(PART)),
    ("varcmplt", Kind::Refused(VARIABLE)),
    ("varhcub", Kind::Refused(VARIABLE)),
];

/// A word and its line.
type Word<'a> = (usize, &'a [u8]);

fn words<'a>(source: &Source<'a>) -> impl Iterator<Item = Word<'a>> + use<'a> {
    source.lines().flat_map(|(number, line)| {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map(move |word| (number, word))
    })
}

fn kind_of(word: &[u8]) -> Option<(&'static str, Kind)> {
    KINDS.into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// Whether this is a target file of Scotch: one of its words, and then a number or nothing.
pub fn is_scotch_target(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut words = words(&source);
    let starts = words.next().is_some_and(|(_, word)| kind_of(word).is_some());
    starts && words.next().is_none_or(|(_, word)| word.iter().all(u8::is_ascii_digit))
}

/// Reads the content `bytes` of a target file called `name`.
///
/// ```
/// use topoloom_io::machines::parse_scotch_target;
/// let target = parse_scotch_target("nodes.tgt", b"tleaf 3 2 1000 2 10 4 5").unwrap();
/// assert_eq!(target.spec, "tree:4:2:2,distances=5:10:1000");
/// ```
pub fn parse_scotch_target(name: &str, bytes: &[u8]) -> Result<ScotchTarget, ReadError> {
    let source = Source::new(name, bytes);
    let mut words = words(&source);
    let known = "a target of Scotch, such as tleaf, mesh2D, torus3D, hcub or cmplt";
    let (line, word) =
        words.next().ok_or_else(|| source.error(Fault::expected(known, "nothing")))?;
    let Some((word, kind)) = kind_of(word) else {
        return Err(source.error_in_line(line, Fault::expected(known, shown(word))));
    };
    if let Kind::Refused(why) = kind {
        let message = format!("Scotch's {word} does not describe a machine: {why}");
        return Err(source.error_in_line(line, Fault::Unsupported(message)));
    }
    let numbers = words.map(|(line, word)| {
        let number = str::from_utf8(word).ok().and_then(|text| text.parse::<u32>().ok());
        number.filter(|&number| number > 0).ok_or_else(|| {
            let fault = Fault::expected("a whole number of at least 1", shown(word));
            source.error_in_line(line, fault)
        })
    });
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    let wrong = |fault: Fault| source.error_in_line(line, fault.within(word));
    Ok(ScotchTarget { spec: spec(kind, &numbers).map_err(wrong)?, line })
}

/// The specification of a machine of this kind.
fn spec(kind: Kind, numbers: &[u32]) -> Result<String, Fault> {
    match kind {
        Kind::Tree => tree(numbers),
        Kind::Box(topology, dimensions) => {
            let lengths = match dimensions {
                Some(dimensions) => exactly(dimensions, "one per dimension", numbers)?,
                None => {
                    let (dimensions, rest) = counted(numbers, "the number of dimensions")?;
                    exactly(dimensions, "one per dimension", rest)?
                }
            };
            Ok(format!("{topology}:{}", joined(lengths.iter(), "x")))
        }
        Kind::Hypercube => Ok(format!("hypercube:{}", exactly(1, "its dimensions", numbers)?[0])),
        Kind::Complete => {
            let processors = exactly(1, "its processors", numbers)?[0];
            Ok(format!("tree:{processors},distances=1"))
        }
        Kind::Refused(why) => Err(Fault::Unsupported(why.to_string())),
    }
}

/// A tree from its root to its leaves; specifications begin with the leaves.
fn tree(numbers: &[u32]) -> Result<String, Fault> {
    let (levels, rest) = counted(numbers, "the number of levels")?;
    let old = "a size and a cost per level, as Scotch has them since version 6";
    let rest = exactly(levels.saturating_mul(2), old, rest)?;
    let costs = || rest.chunks_exact(2).map(|level| &level[1]);
    if !costs().is_sorted_by(|upper, lower| upper >= lower) {
        return Err(Fault::expected(
            "costs that do not rise from the root to the leaves",
            joined(costs(), " "),
        ));
    }
    let sizes = rest.chunks_exact(2).rev().map(|level| &level[0]);
    Ok(format!("tree:{},distances={}", joined(sizes, ":"), joined(costs().rev(), ":")))
}

/// The first number, which counts the others.
fn counted<'a>(numbers: &'a [u32], what: &str) -> Result<(usize, &'a [u32]), Fault> {
    match numbers {
        [count, rest @ ..] => Ok((*count as usize, rest)),
        [] => Err(Fault::expected(what, "nothing")),
    }
}

fn exactly<'a>(count: usize, what: &str, numbers: &'a [u32]) -> Result<&'a [u32], Fault> {
    match numbers.len() == count {
        true => Ok(numbers),
        false => {
            let expected = topoloom_core::words::counted(count, "number");
            Err(Fault::expected(format!("{expected} ({what})"), numbers.len()))
        }
    }
}

fn joined<'a>(numbers: impl Iterator<Item = &'a u32>, between: &str) -> String {
    numbers.map(u32::to_string).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec_of(text: &str) -> String {
        assert!(is_scotch_target(text.as_bytes()), "{text}");
        parse_scotch_target("t", text.as_bytes()).unwrap().spec
    }

    fn wrong(text: &str) -> String {
        parse_scotch_target("t.tgt", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn each_target_is_a_specification() {
        assert_eq!(spec_of("tleaf 3 8 1000 2 10 4 5\n"), "tree:4:2:8,distances=5:10:1000");
        assert_eq!(spec_of("mesh2D 3 4"), "mesh:3x4");
        assert_eq!(spec_of("mesh3D\n2\n3\n4\n"), "mesh:2x3x4");
        assert_eq!(spec_of("meshXD 4 2 2 2 3"), "mesh:2x2x2x3");
        assert_eq!(spec_of("mesh 1 7"), "mesh:7");
        assert_eq!(spec_of("torus2D 4 4"), "torus:4x4");
        assert_eq!(spec_of("TORUS3D 4 4 2"), "torus:4x4x2");
        assert_eq!(spec_of("torus 2 5 6"), "torus:5x6");
        assert_eq!(spec_of("hcub 5"), "hypercube:5");
        assert_eq!(spec_of("cmplt 16"), "tree:16,distances=1");
    }

    #[test]
    fn other_files_are_not_targets() {
        for text in ["", "torus:4x4", "mesh:2", "n1 slots=4", "mesh slots=4\n", "0 1\n1 2\n"] {
            assert!(!is_scotch_target(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn wrong_targets_are_refused_in_words() {
        assert!(wrong("").starts_with("t.tgt: expected a target of Scotch"));
        assert!(wrong("\nring 4").starts_with("t.tgt:2: expected a target of Scotch"));
        assert_eq!(
            wrong("mesh2D 3"),
            "t.tgt:1: mesh2d: expected 2 numbers (one per dimension), found 1"
        );
        assert_eq!(
            wrong("torusXD 3 4 4"),
            "t.tgt:1: torusxd: expected 3 numbers (one per dimension), found 2"
        );
        assert_eq!(
            wrong("mesh"),
            "t.tgt:1: mesh: expected the number of dimensions, found nothing"
        );
        assert_eq!(
            wrong("hcub\n4x"),
            "t.tgt:2: expected a whole number of at least 1, found \"4x\""
        );
        assert!(wrong("cmplt 0").contains("expected a whole number of at least 1"));
        assert!(wrong("cmplt 99999999999").contains("expected a whole number of at least 1"));
        // Version 5 had a depth, the depth of clusters, and one cost.
        assert!(wrong("tleaf 3 1 5").contains("as Scotch has them since version 6"));
        assert!(wrong("tleaf 4294967295 1 5").contains("found 2"));
        assert_eq!(
            wrong("tleaf 2 4 1 2 10"),
            "t.tgt:1: tleaf: expected costs that do not rise from the root to the leaves, found 1 10"
        );
        for refused in ["deco 0\n3 5", "deco 1", "cmpltw 2 1 3", "varhcub", "sub 3", "ltleaf 1 2 3"]
        {
            assert!(is_scotch_target(refused.as_bytes()), "{refused}");
            assert!(wrong(refused).contains("does not describe a machine: "), "{refused}");
        }
    }
}
