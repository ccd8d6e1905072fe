//! Whether a mapping was made for the machine on which it is judged.

use std::path::Path;

use topoloom::core::topology::{Cluster, Graph, PLATFORM};
use topoloom::core::{Machine, Spec, Vertex};
use topoloom::io::MappingFile;

use crate::files;

/// The result of the comparison.
#[derive(Debug, PartialEq, Eq)]
pub enum MadeFor {
    /// It was made for this machine, under this name or another, or it names no machine.
    This,
    /// It was made for another machine, described in words.
    Another(String),
    /// Unknown, with the reason in words: the file of the machine is missing.
    Unknown(String),
}

/// Compares the machine that a mapping names with `machine`: by their names, by the seats of the
/// mapping, else node by node.
pub fn made_for(file: &MappingFile, machine: &Machine) -> MadeFor {
    let Some(name) = file.machine.as_ref().filter(|name| *name != machine.spec()) else {
        return MadeFor::This;
    };
    // Seats name hosts, cores and CPUs. A machine that has them all is the right one.
    let seated = file.seating.is_some() && machine.topology().cluster().is_some();
    if seated && file.wrong_seats(machine).is_empty() {
        return MadeFor::This;
    }
    let another = || format!("the mapping was made for {name}, not for {}", machine.spec());
    let Ok(spec) = Spec::parse(name) else { return MadeFor::Another(another()) };
    let same_kind = Spec::parse(machine.spec()).is_ok_and(|other| other.name == spec.name);
    let in_a_file = [Cluster::NAME, Graph::NAME, PLATFORM].contains(&&*spec.name);
    // We never wait for something that a file merely names.
    let readable = !in_a_file || file_of(name).is_some_and(Path::is_file);
    match readable.then(|| files::read_machine(name)) {
        Some(Ok((other, _))) if are_alike(&other, machine) => MadeFor::This,
        Some(Ok(_)) => MadeFor::Another(another()),
        _ if same_kind && in_a_file => {
            MadeFor::Unknown(format!("{}, and the first cannot be read to compare them", another()))
        }
        _ => MadeFor::Another(another()),
    }
}

/// The file of a specification such as graph:net.txt,slots=4.
fn file_of(spec: &str) -> Option<&Path> {
    let (_, rest) = spec.split_once(':')?;
    rest.split(',').next().map(Path::new)
}

/// Machines of fewer nodes are compared pair by pair, larger ones by this many pairs.
const MOST_PAIRS: usize = 100_000;

/// Whether two machines have the same nodes at the same distances.
fn are_alike(a: &Machine, b: &Machine) -> bool {
    let nodes = a.num_nodes();
    if nodes != b.num_nodes() || a.slots_per_node() != b.slots_per_node() {
        return false;
    }
    let pairs = nodes.saturating_mul(nodes);
    // A step that has no common factor with numbers of nodes.
    let step = if pairs <= MOST_PAIRS { 1 } else { (pairs / MOST_PAIRS) | 1 };
    (0..pairs).step_by(step).all(|pair| {
        let (from, to) = (Vertex((pair / nodes) as u32), Vertex((pair % nodes) as u32));
        a.topology().distance(from, to) == b.topology().distance(from, to)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(made: Option<&str>, on: &str) -> MadeFor {
        let file = MappingFile { machine: made.map(str::to_string), ..MappingFile::default() };
        made_for(&file, &Machine::parse(on).unwrap())
    }

    #[test]
    fn the_same_machine_may_have_several_names() {
        assert_eq!(judged(None, "torus:4x4"), MadeFor::This);
        assert_eq!(judged(Some("torus:4x4"), "torus:4x4"), MadeFor::This);
        assert_eq!(judged(Some("torus:4x4,slots=1"), "torus:4x4"), MadeFor::This);
        assert_eq!(judged(Some("mesh:2x2x2"), "hypercube:3"), MadeFor::This);
    }

    #[test]
    fn another_machine_is_another_whatever_it_has_in_common() {
        let another = |made, on| {
            let text = format!("the mapping was made for {made}, not for {on}");
            assert_eq!(judged(Some(made), on), MadeFor::Another(text));
        };
        another("mesh:4x4", "torus:4x4");
        another("mesh:16", "mesh:4x4");
        another("torus:4x4,slots=2", "torus:4x4");
        another("torus:4x4x4", "torus:4x4");
        another("graph:no/such/file", "torus:4x4");
        another("no machine at all", "torus:4x4");
    }
}
