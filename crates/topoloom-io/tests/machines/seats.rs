//! Machines that are the seats of a job.

use topoloom_core::cluster::Seat;
use topoloom_io::{parse_machine_description, write_machine_description};

#[test]
fn seats_of_a_job_come_back_as_they_were() {
    let text = r#"{"format": "topoloom-machine", "version": 1, "place": "core",
      "hosts": [{"names": "n[1-2]", "kind": 0}],
      "kinds": [{"node": {"kind": "node", "in": [{"kind": "core", "cpus": "0,2"}, {"kind": "core", "cpus": "1,3"}]}}],
      "seats": [{"host": "n2", "cpus": "0,2"}, {"host": "n1"}, {"host": "n1", "cpus": "3"}]}"#;
    let machine = parse_machine_description("m.json", text.as_bytes()).unwrap();
    let seat = |host, cpus: &[u32]| Seat { host, cpus: cpus.to_vec(), gpu: None };
    assert_eq!(machine.seats, [seat(1, &[0, 2]), seat(0, &[]), seat(0, &[3])]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.json");
    write_machine_description(&path, &machine).unwrap();
    let again = parse_machine_description("again.json", &std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(again, machine);
    let wrong = |from: &str, to: &str| {
        let text = text.replace(from, to);
        parse_machine_description("m.json", text.as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        wrong(r#"{"host": "n1"}"#, r#"{"host": "n3"}"#),
        "m.json: seat 1 is on n3, which is not among the hosts"
    );
    let empty = wrong(r#""cpus": "3"}]"#, r#""cpus": ""}]"#);
    assert_eq!(empty, "m.json: seat 2: expected CPUs such as 0-3, found none");
}
