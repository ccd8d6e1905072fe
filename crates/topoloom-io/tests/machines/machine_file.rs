//! Files of any kind, recognised by their content, and host files.

use std::path::Path;

use topoloom_io::machines::{
    MachineFile, looks_like_machine_file, parse_machine_file, read_machine_file,
};

use super::{sample, samples};

#[test]
fn samples_are_known_by_their_content() {
    let mut found = [0; 2];
    for (name, bytes) in samples() {
        assert!(looks_like_machine_file(&bytes), "{name}");
        match parse_machine_file(&name, &bytes).unwrap().0 {
            MachineFile::Hardware(_) => found[0] += 1,
            MachineFile::Network(_) => found[1] += 1,
            _ => panic!("{name}"),
        }
    }
    assert_eq!(found, [5, 8]);
    let marked = [b"\xef\xbb\xbf", &sample("slurm/azure-slurm_topology.txt")[..]].concat();
    assert!(looks_like_machine_file(&marked));
    for other in ["", "0,1,5\n", "n1\nn2\n", "<svg/>", "%%MatrixMarket", "{}", "Switch case"] {
        assert!(!looks_like_machine_file(other.as_bytes()), "{other}");
    }
}

fn hosts(text: &str) -> Vec<(String, Option<u32>)> {
    let (file, warnings) = parse_machine_file("hosts", text.as_bytes()).unwrap();
    assert!(warnings.is_empty());
    let MachineFile::Hosts(hosts) = file else { panic!("{text} is a file of hosts") };
    hosts.into_iter().map(|host| (host.name, host.slots)).collect()
}

#[test]
fn hosts_are_read_as_launchers_write_them() {
    let host = |name: &str, slots: Option<u32>| (name.to_string(), slots);
    assert_eq!(hosts("n01\n\n# all\n n02 # too\r\n"), [host("n01", None), host("n02", None)]);
    assert_eq!(hosts("a:4\nb:2 ifname=ib0"), [host("a", Some(4)), host("b", Some(2))]);
    assert_eq!(
        hosts("a slots=4 max_slots=8\nb slots = 2\nc"),
        [host("a", Some(4)), host("b", Some(2)), host("c", None)]
    );
    assert_eq!(
        hosts("n[08-10]:2,login"),
        [host("n08", Some(2)), host("n09", Some(2)), host("n10", Some(2)), host("login", None)]
    );
    // As in PBS, one line per slot, so b has one slot.
    assert_eq!(hosts("a\na\nb\na\n"), [host("a", Some(3)), host("b", Some(1))]);
    assert_eq!(hosts("a:4\na:2\na\nb"), [host("a", Some(7)), host("b", None)]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let refusal = |text: &str| parse_machine_file("f", text.as_bytes()).unwrap_err().to_string();
    for (text, expected) in [
        ("", "f: expected hosts, one per line, found none"),
        ("# n1\n", "f: expected hosts, one per line, found none"),
        ("n1\nn2:many", "f:2: expected a number of slots after \"n2:\", found \"many\""),
        ("n1 slots=0", "f:1: expected slots such as slots=4, found \"slots=0\""),
        ("n1 slots=1 slots=2", "f:1: slots are given twice"),
        ("n1:2 slots=2", "f:1: slots are given twice"),
        ("slots=2", "f:1: expected the name of a host, found none"),
        (
            "n1 speed=9",
            "f:1: unknown \"speed\" after a host; known: slots, max_slots, max-slots, ifname, \
             binding, user",
        ),
        ("n1\nn[1-", "f:2: \"[\" without \"]\" in \"n[1-\""),
        ("{\"traffic\"}", "f:1: JSON: expected \":\""),
        ("<html/>", "f:1: expected hwloc's XML, which starts with <topology>, found <html>"),
    ] {
        assert_eq!(refusal(text), expected);
    }
    let error = parse_machine_file("f", b"n1\n\xff\n").unwrap_err();
    assert_eq!(error.to_string(), "f:2: expected UTF-8 text");
    let error = read_machine_file(Path::new("no/such/file")).unwrap_err();
    assert_eq!(error.to_string(), "no/such/file: cannot read: No such file or directory");
}
