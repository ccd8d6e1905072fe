//! What a caller learns from an error besides its text.

use topoloom_core::Weight;
use topoloom_io::{Fault, ReadError, cpu_list, parse_recording, parse_traffic, read_traffic};

fn refused(name: &str, content: &str) -> ReadError {
    parse_traffic(name, content.as_bytes(), Weight::Bytes).unwrap_err()
}

#[test]
fn an_error_has_its_file_its_line_and_what_was_expected() {
    let error = refused("a.csv", "0,1,5\n0,-1,7\n");
    assert_eq!((error.file.as_str(), error.line), ("a.csv", Some(2)));
    let (expected, found) = ("a whole number".to_string(), Some("\"-1\"".to_string()));
    assert_eq!(*error.kind(), Fault::Expected { expected, found });
    assert_eq!(error.to_string(), "a.csv:2: expected a whole number, found \"-1\"");
}

#[test]
fn a_caller_can_tell_kinds_apart_without_reading_the_text() {
    assert!(matches!(refused("a.csv", " \n").kind(), Fault::Empty(_)));
    assert!(matches!(refused("a.csv", "0,1,5\n0,x,7\n").kind(), Fault::Contradiction(_)));
    assert!(matches!(refused("a.csv", "from,bytes\n0,1\n").kind(), Fault::Missing(_)));
    assert!(matches!(refused("a.csv", "from,from,to\n0,1,2\n").kind(), Fault::Repeated(_)));
    assert!(matches!(refused("a.csv", "from,to,x\n0,1,2\n").kind(), Fault::Unknown { .. }));
    assert!(matches!(refused("a.graph", "2 1\n3\n1\n").kind(), Fault::OutOfRange(_)));
    assert!(matches!(refused("a.graph", "2 1\n2\n\n").kind(), Fault::Contradiction(_)));
    assert!(matches!(refused("a.graph", "2 1 0 7\n2\n1\n").kind(), Fault::Unsupported(_)));
    assert!(matches!(refused("a.graph", "999999999 0\n").kind(), Fault::TooLarge(_)));
    let sizes = "%%MatrixMarket matrix array integer general\n99999999999999999999 1\n";
    assert!(matches!(refused("a.mtx", sizes).kind(), Fault::TooLarge(_)));
    assert!(matches!(refused("a.csv", "@ mpiP\n").kind(), Fault::WrongInput(_)));
    assert!(matches!(refused("a.graphml", "<graphml").kind(), Fault::Malformed(_)));
    assert!(matches!(cpu_list::parse("x"), Err(Fault::Expected { .. })));
    let cut = parse_recording("a.rec", b"topoloom record\n\x01").unwrap_err();
    assert!(matches!(cut.kind(), Fault::CutShort(_)));
}

#[test]
fn a_file_that_does_not_exist_is_a_fault_of_the_system() {
    let error = read_traffic("no/such/file.csv", Weight::Bytes).unwrap_err();
    let kind = std::io::ErrorKind::NotFound;
    assert!(matches!(error.kind(), Fault::System { kind: found, .. } if *found == kind));
}
