//! A user's text means the same for the program and for library users.

use std::fs;

use topoloom_core::{Problem, Vertex, Weight};
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
fn a_target_of_scotch_is_a_machine_whose_processors_keep_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let machine = |content: &str| {
        let file = folder.path().join("t.tgt");
        fs::write(&file, content).unwrap();
        Loader::new().machine(file.to_str().unwrap()).map(|(machine, _)| machine)
    };
    // 2 nodes of 2 packages of 4 cores.
    let tree = machine("tleaf 3 2 1000 2 10 4 5\n").unwrap();
    assert_eq!(tree.spec().to_string(), "tree:4:2:2,distances=5:10:1000");
    let distance = |to: u32| tree.topology().distance(Vertex(0), Vertex(to));
    assert_eq!([0, 3, 4, 7, 8, 15].map(distance), [0, 5, 10, 10, 1000, 1000]);
    // X is the fast dimension.
    let mesh = machine("mesh2D 3 2").unwrap();
    let distance = |to: u32| mesh.topology().distance(Vertex(0), Vertex(to));
    assert_eq!([1, 2, 3, 5].map(distance), [1, 2, 1, 3]);
    assert_eq!(machine("hcub 5").unwrap().num_nodes(), 32);
    let error = |content: &str| machine(content).unwrap_err().to_string();
    assert!(
        error("\nhcub 99").contains("t.tgt:2: hypercube: expected 1 to 24"),
        "{}",
        error("\nhcub 99")
    );
    assert!(error("torus3D 90000 90000 90000").contains("t.tgt:1: "));
    assert!(error("deco 0\n2 3").contains("t.tgt:1: Scotch's deco does not describe a machine"));
}

#[test]
fn a_target_of_scotch_has_no_hosts() {
    let error = topoloom_io::parse_description("t.tgt", b"torus2D 4 4").unwrap_err().to_string();
    assert!(error.starts_with("t.tgt: a target of Scotch has no hosts"), "{error}");
    assert!(error.contains("torus:4x4"), "{error}");
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
