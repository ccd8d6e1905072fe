//! The placement of a report as a file.

use topoloom::core::Problem;
use topoloom::io::MappingFile;
use topoloom::show::report::Placed;

/// The chosen placement as a file.
pub fn mapping_file(problem: &Problem, chosen: &Placed) -> MappingFile {
    MappingFile {
        strategy: chosen.seed.map(|_| chosen.name.clone()),
        objective: chosen.objective.map(str::to_string),
        seed: chosen.seed,
        ..MappingFile::of(problem, &chosen.mapping)
    }
}
