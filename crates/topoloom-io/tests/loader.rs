//! A user's text means the same for the program and for library users.

use std::fs;

use topoloom_core::{Problem, Weight};
use topoloom_io::{LoadError, Loader, MappingFile, PlacementError, read_traffic};

#[test]
fn a_name_with_signs_of_the_syntax_can_be_a_machine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("n[1,2]=all,old.conf");
    fs::write(&file, "SwitchName=s Nodes=n[1-2]\n").unwrap();
    let name = file.to_str().unwrap();
    let (machine, _) = Loader::new().machine(name).unwrap();
    assert_eq!(machine.num_nodes(), 2);
    // Its specification names the same machine again, as mapping files need it.
    let (again, _) = Loader::new().machine(machine.spec()).unwrap();
    assert_eq!(again.spec(), machine.spec());
}

#[test]
fn events_are_traffic_for_library_users_too() {
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/otf2-ping-pong/traces.otf2");
    let (trace, _) = Loader::new().trace(archive).unwrap();
    let traffic = read_traffic(archive, Weight::Bytes).unwrap();
    assert_eq!(traffic.total(Weight::Bytes), trace.traffic().total(Weight::Bytes));
    assert!(traffic.total(Weight::Bytes) > 0.0);
}

#[test]
fn what_is_neither_a_name_nor_a_file_says_both() {
    let loader = Loader::new();
    let error = loader.traffic("stensil:4x4", Weight::Bytes).unwrap_err();
    assert!(matches!(error, LoadError::Neither { .. }), "{error}");
    let error = loader.machine("no/such/machine.json").unwrap_err();
    assert!(matches!(error, LoadError::File(_)), "{error}");
    let error = loader.trace("random:ranks=8,degree=2").unwrap_err();
    assert_eq!(error, LoadError::NoOrder("random:ranks=8,degree=2".to_string()));
}

#[test]
fn a_mapping_file_becomes_the_placement_it_was_made_of() {
    let loader = Loader::new();
    let (traffic, _) = loader.traffic("ring:4", Weight::Bytes).unwrap();
    let (machine, _) = loader.machine("mesh:2,slots=2").unwrap();
    let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
    let mapping = problem.mapping(vec![3, 0, 1, 2]).unwrap();
    let file = MappingFile::of(&problem, &mapping);
    assert_eq!(file.placement(&problem).unwrap(), mapping);
    // A list of nodes fills each node's slots in order.
    let nodes = MappingFile { node_of_rank: vec![1, 0, 1, 0], ..MappingFile::default() };
    assert_eq!(nodes.placement(&problem).unwrap().slots(), [2, 0, 3, 1]);
    let full = MappingFile { node_of_rank: vec![1, 1, 1, 0], ..MappingFile::default() };
    let error = full.placement(&problem).unwrap_err();
    assert_eq!(error, PlacementError::NodeIsFull { node: 1, slots: 2 });
    let few = MappingFile { node_of_rank: vec![1], ..MappingFile::default() };
    assert_eq!(
        few.placement(&problem).unwrap_err().to_string(),
        "1 rank in the mapping, 4 ranks in the traffic"
    );
}
