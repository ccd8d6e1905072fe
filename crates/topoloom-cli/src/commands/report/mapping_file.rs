//! The placement of a report as a file.

use topoloom::core::cluster::Seating;
use topoloom::core::{Mapping, Problem};
use topoloom::io::MappingFile;
use topoloom::show::report::Placed;

/// The chosen placement as a file.
pub fn mapping_file(problem: &Problem, chosen: &Placed) -> MappingFile {
    MappingFile {
        strategy: chosen.seed.map(|_| chosen.name.clone()),
        objective: chosen.objective.map(str::to_string),
        seed: chosen.seed,
        ..bare_mapping_file(problem, &chosen.mapping)
    }
}

/// A placement as a file that does not say where it comes from.
pub fn bare_mapping_file(problem: &Problem, mapping: &Mapping) -> MappingFile {
    let machine = problem.machine();
    MappingFile {
        machine: Some(machine.spec().to_string()),
        node_of_rank: mapping.nodes(),
        slot_of_rank: Some(mapping.slots().to_vec()),
        strategy: None,
        objective: None,
        seed: None,
        imbalance: problem.imbalance(),
        seating: machine.topology().cluster().map(|cluster| Seating::of(mapping, cluster)),
    }
}
