//! Assignment problems of QAPLIB, with their published solutions.

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::{Machine, Objective, Problem, Weight};
use topoloom_io::{
    Loader, MappingFile, machine_without_structure, mapping_content, parse_cost_matrix,
    parse_mapping, parse_traffic,
};

fn instances() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/qaplib/instances");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|ending| ending == "dat")).collect()
}

/// The problem and the costs of a file.
fn assignment(file: &Path) -> (Problem, impl Objective + use<>) {
    let loader = Loader::new();
    let name = file.to_str().unwrap();
    let (traffic, warnings) = loader.traffic(name, Weight::Bytes).unwrap();
    assert!(warnings.is_empty());
    let costs = loader.costs_beside_traffic(name).unwrap().expect("the file has costs");
    assert_eq!(costs.num_nodes(), traffic.num_ranks());
    let machine = Machine::parse(&machine_without_structure(costs.num_nodes())).unwrap();
    (Problem::new(traffic, machine, Weight::Bytes).unwrap(), costs)
}

#[test]
fn published_solutions_cost_what_was_published() {
    let files = instances();
    assert_eq!(files.len(), 13);
    for file in files {
        let (problem, costs) = assignment(&file);
        let solution = Loader::new().mapping(file.with_extension("sln")).unwrap();
        let mapping = solution.placement(&problem).unwrap();
        // The second number of the file with the solution; bur26a has diagonals, and several
        // instances have costs that differ by direction.
        assert_eq!(Some(costs.cost(&problem, &mapping)), solution.cost, "{}", file.display());
    }
}

#[test]
fn instances_are_recognised_by_their_content_alone() {
    for file in instances() {
        let bytes = fs::read(&file).unwrap();
        let named = parse_traffic("a.dat", &bytes, Weight::Bytes).unwrap();
        for name in ["a", "a.txt", "a.csv", "a.graph"] {
            let traffic = parse_traffic(name, &bytes, Weight::Bytes).unwrap();
            assert_eq!(traffic.total(Weight::Bytes), named.total(Weight::Bytes));
            assert_eq!(traffic.num_flows(), named.num_flows());
        }
        let solution = fs::read(file.with_extension("sln")).unwrap();
        assert_eq!(parse_mapping("a", &solution), parse_mapping("a.sln", &solution));
    }
}

#[test]
fn other_files_that_end_in_dat_are_what_they_were() {
    let read = |content: &str| parse_traffic("a.dat", content.as_bytes(), Weight::Bytes).unwrap();
    // An edge list of three columns.
    assert_eq!(read("0 1 5\n1 2 7\n2 3 1\n3 0 1\n").num_ranks(), 4);
    // Nine numbers that begin with 2: a matrix whose first rank sends 2 bytes to itself, and a
    // METIS graph of two vertices with weights of both kinds.
    assert_eq!(read("2 5 5\n1 0 5\n1 1 0\n").num_ranks(), 3);
    assert_eq!(read("2 1 11\n3 2 5\n3 1 5\n").rank_weights(), Some(&[3.0, 3.0][..]));
    // Two edges of a Scotch graph.
    assert_eq!(read("0\n2 2\n0 000\n1 1\n1 0\n").num_ranks(), 2);
}

#[test]
fn damaged_instances_are_refused_with_their_line() {
    let message = |name: &str, content: &str| {
        parse_traffic(name, content.as_bytes(), Weight::Bytes).unwrap_err().to_string()
    };
    let short = "2\n0 1\n1 0\n0 3\n3\n";
    let reason = "expected 8 numbers after the size, for two matrices of 2 x 2, found 7";
    assert_eq!(message("a.dat", short), format!("a.dat:1: {reason}"));
    let unnamed = message("a", short);
    let looks = format!("a: unknown traffic format; it looks most like qaplib (line 1: {reason});");
    assert!(unnamed.starts_with(&looks), "{unnamed}");
    let error = parse_cost_matrix("a.dat", short.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), format!("a.dat:1: {reason}"));
}

#[test]
fn costs_are_the_second_matrix_and_other_traffic_has_none() {
    let file = instances().into_iter().find(|file| file.ends_with("nug30.dat")).unwrap();
    let costs = Loader::new().objective(&format!("cost-matrix:{}", file.display())).unwrap();
    assert_eq!(costs.applies_to(&Machine::parse("mesh:5x6").unwrap()), Ok(()));
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table.dat");
    fs::write(&table, "0 1 5\n1 0 7\n").unwrap();
    let none = Loader::new().costs_beside_traffic(table.to_str().unwrap()).unwrap();
    assert!(none.is_none());
    assert!(Loader::new().costs_beside_traffic("ring:4").unwrap().is_none());
    assert!(Loader::new().costs_beside_traffic(folder.path().to_str().unwrap()).unwrap().is_none());
}

#[test]
fn a_mapping_with_its_cost_is_written_as_a_solution() {
    let mapping =
        MappingFile { node_of_rank: vec![2, 0, 1], cost: Some(17.5), ..MappingFile::default() };
    let mut written = Vec::new();
    mapping_content(Path::new("a.sln"), &mapping)(&mut written).unwrap();
    assert_eq!(written, b"3 17.5\n3 1 2\n");
    assert_eq!(parse_mapping("a.sln", &written).unwrap(), mapping);
}
