//! The same traffic, read from every common format, is equal.

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::{Traffic, Weight};
use topoloom_io::{Input, parse_traffic, read_traffic, traffic_of};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/files-people-have")
}

fn files() -> Vec<PathBuf> {
    let files = fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let is_data = |file: &PathBuf| file.extension().is_some_and(|end| end != "md" && end != "py");
    let mut files: Vec<PathBuf> = files.filter(is_data).collect();
    files.sort();
    files
}

fn flows(traffic: &Traffic) -> (usize, Vec<(u32, u32, f64, f64)>) {
    let flow = |flow: topoloom_core::Flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes);
    (traffic.num_ranks(), traffic.flows().map(flow).collect())
}

fn message(name: &str, content: &[u8]) -> String {
    parse_traffic(name, content, Weight::Bytes).unwrap_err().to_string()
}

fn read(content: &str, weight: Weight) -> Traffic {
    parse_traffic("a", content.as_bytes(), weight).unwrap()
}

#[test]
fn every_file_is_read_as_the_matrix_market_file_is() {
    for weight in [Weight::Bytes, Weight::Messages] {
        for kind in ["traffic", "symmetric"] {
            let expected = read_traffic(folder().join(format!("{kind}.mtx")), weight).unwrap();
            let mut compared = 0;
            for file in files() {
                let name = file.file_name().unwrap().to_str().unwrap();
                if !name.starts_with(kind) {
                    continue;
                }
                compared += 1;
                let traffic = read_traffic(&file, weight).unwrap();
                assert_eq!(flows(&traffic), flows(&expected), "{name}");
                // By content alone.
                let bytes = fs::read(&file).unwrap();
                if !name.ends_with(".gz") && !name.ends_with(".zst") {
                    let traffic = parse_traffic("a", &bytes, weight).unwrap();
                    assert_eq!(flows(&traffic), flows(&expected), "{name}");
                }
            }
            assert!(compared >= 4, "{kind}: {compared}");
        }
    }
}

#[test]
fn graphs_that_scotch_makes_are_read() {
    let mesh = read_traffic(folder().join("mesh.grf"), Weight::Bytes).unwrap();
    assert_eq!((mesh.num_ranks(), mesh.num_flows()), (6, 14));
    let cube = read_traffic(folder().join("hypercube.grf"), Weight::Bytes).unwrap();
    assert_eq!((cube.num_ranks(), cube.num_flows()), (8, 24));
}

#[test]
fn vertex_weights_of_scotch_are_rank_weights_in_the_order_of_labels() {
    let traffic = read("0\n2 2\n0 111\n7 30 1 5 3\n3 40 1 5 7\n", Weight::Bytes);
    assert_eq!(traffic.rank_weights(), Some(&[40.0, 30.0][..]));
    assert_eq!(flows(&traffic), (2, vec![(0, 1, 1.0, 5.0), (1, 0, 1.0, 5.0)]));
}

#[test]
fn no_damage_makes_a_reader_panic() {
    for file in files() {
        let name = file.file_name().unwrap().to_str().unwrap();
        let original = fs::read(&file).unwrap();
        // A step that reaches every kind of place in a short time.
        for place in (0..original.len()).step_by(1 + original.len() / 400) {
            for byte in [0, b'9', b'-', b'\n', b'<', 0xff, original[place] ^ 1] {
                let mut bytes = original.clone();
                bytes[place] = byte;
                if let Err(error) = parse_traffic(name, &bytes, Weight::Bytes) {
                    assert_eq!(error.file, name);
                }
            }
            let _ = parse_traffic(name, &original[..place], Weight::Messages);
        }
    }
}

#[test]
fn lists_of_edges_with_blanks_have_two_to_four_columns() {
    let expected = (3, vec![(0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0)]);
    assert_eq!(flows(&read("# from to\n0 1\n1 2\n", Weight::Bytes)), expected);
    assert_eq!(flows(&read("# from to\n0\t1\n1\t2\n", Weight::Bytes)), expected);
    let expected = (4, vec![(1, 2, 1.0, 5.0), (2, 3, 1.0, 7.0)]);
    // METIS cannot have five edges of one vertex.
    assert_eq!(flows(&read("1  2 5\n2  3 7\n", Weight::Bytes)), expected);
    let expected = (3, vec![(0, 1, 2.0, 5.0), (1, 2, 3.0, 7.0)]);
    assert_eq!(flows(&read("0 1 5 2\n1 2 7 3\n", Weight::Bytes)), expected);
}

#[test]
fn lists_of_edges_that_networkx_writes_are_read() {
    // What write_edgelist writes: plain, of a graph with NumPy's numbers, without data, with names.
    let expected = (3, vec![(0, 1, 1.0, 5.0), (1, 2, 1.0, 7.5)]);
    assert_eq!(flows(&read("0 1 {'weight': 5}\n1 2 {'weight': 7.5}\n", Weight::Bytes)), expected);
    let numpy = "# made by hand\n0 1 {'label': 'a b', 'weight': np.int64(5)}\n\n\
                 1 2 {'weight': np.float64(7.5), 'label': '}'}\n";
    assert_eq!(flows(&read(numpy, Weight::Bytes)), expected);
    let named = "n1 n2 {'weight': 5}\nn2 n10 {'weight': 7.5}\n";
    assert_eq!(flows(&read(named, Weight::Bytes)), expected);
    let expected = (3, vec![(0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0)]);
    assert_eq!(flows(&read("0 1 {}\n1 2 {}\n", Weight::Bytes)), expected);
    let both = "# ranks: 4\n0 1 {'bytes': 5, 'messages': 2}\n1 0 {'messages': 3, 'bytes': 7}\n";
    let expected = (4, vec![(0, 1, 2.0, 5.0), (1, 0, 3.0, 7.0)]);
    assert_eq!(flows(&read(both, Weight::Bytes)), expected);
    let counted = (2, vec![(0, 1, 4.0, 4.0)]);
    assert_eq!(flows(&read("0 1 {'count': 4}\n", Weight::Messages)), counted);
}

#[test]
fn tables_of_pandas_may_have_cells_without_a_value() {
    let table = ",a,b,c\na,0,1,\nb,2,NaN,3\nc,,1,0\n";
    let input = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    fs::write(input.path(), table).unwrap();
    let (traffic, warnings) =
        traffic_of(&Input::open(input.path()).unwrap(), Weight::Bytes).unwrap();
    let expected = vec![(0, 1, 1.0, 1.0), (1, 0, 1.0, 2.0), (1, 2, 1.0, 3.0), (2, 1, 1.0, 1.0)];
    assert_eq!(flows(&traffic), (3, expected));
    assert_eq!(warnings, ["3 cells without a value: nothing is sent there"]);
    // Without labels of rows, a missing number is a mistake.
    assert!(parse_traffic("a.csv", b"0,1,2\n0,,1\n1,2,0\n", Weight::Bytes).is_err());
}

#[test]
fn what_is_wrong_in_a_list_of_networkx_is_said_where_it_is() {
    let error = |content: &str| {
        parse_traffic("a.edgelist", content.as_bytes(), Weight::Bytes).unwrap_err().to_string()
    };
    let good = "# a comment\n0 1 {'weight': 5}\n";
    for (line, expected) in [
        ("1 2 {'weight': 'x'}", "a.edgelist:3: expected a number, found "),
        (
            "1 2 {'weight': -1}",
            "a.edgelist:3: expected a number that is not negative, found \"-1\"",
        ),
        ("1 2", "a.edgelist:3: expected two ends of an edge and its data in braces"),
        ("1 2 3 {}", "a.edgelist:3: expected two ends of an edge and its data in braces"),
        ("1 2 {'weight'}", "a.edgelist:3: expected a name and a value"),
        ("1 x {'weight': 5}", "a.edgelist:3: expected a whole number, found \"x\": ranks have"),
    ] {
        let message = error(&format!("{good}{line}\n"));
        assert!(message.starts_with(expected), "{message}");
    }
    let message = error(&format!("{good}1 2 {{}}\n"));
    assert!(message.starts_with("a.edgelist:3: \"bytes\" is missing"), "{message}");
    let message = error(&format!("0 1 {{}}\n{good}"));
    assert!(message.contains("a.edgelist:3: \"bytes\" is here"), "{message}");
    let message = error("0 1 {'colour': 5}\n");
    assert!(message.contains("\"bytes\" is missing; known names: from (src)"), "{message}");
}

#[test]
fn a_name_decides_where_content_fits_a_graph_of_metis_too() {
    let content = "3 3\n2 3\n1 3\n1 2\n";
    assert_eq!(read(content, Weight::Bytes).num_flows(), 6);
    let edges = parse_traffic("a.edges", content.as_bytes(), Weight::Bytes).unwrap();
    assert_eq!((edges.num_ranks(), edges.num_flows()), (4, 4));
}

#[test]
fn columns_have_their_usual_names() {
    let expected = (2, vec![(0, 1, 2.0, 5.0)]);
    for header in ["src,dst,weight,count", "Sender,Receiver,volume,msgs", "i,j,value,messages"] {
        let table = format!("{header}\n0,1,5,2\n");
        assert_eq!(flows(&read(&table, Weight::Bytes)), expected, "{header}");
        let table = format!(",{header}\n0,0,1,5,2\n").replace(',', ";");
        assert_eq!(flows(&read(&table, Weight::Bytes)), expected, "{header}");
        let table = format!("{header}\n0.0,1e+00,5,2\n").replace(',', " ");
        assert_eq!(flows(&read(&table, Weight::Bytes)), expected, "{header}");
    }
}

#[test]
fn names_of_an_edge_list_become_ranks() {
    // n2 before n10, and n1 first.
    let expected = (3, vec![(0, 1, 1.0, 5.0), (1, 2, 1.0, 7.0)]);
    assert_eq!(flows(&read("src,dst,weight\nn1,n2,5\nn2,n10,7\n", Weight::Bytes)), expected);
    assert_eq!(flows(&read("src dst weight\nn1 n2 5\nn2 n10 7\n", Weight::Bytes)), expected);
    assert_eq!(flows(&read("weight\tdst\tsrc\n5\tn2\tn1\n7\tn10\tn2\n", Weight::Bytes)), expected);
    // Without a header, the name of the file says that it is a table.
    let named = |name: &str, content: &str| parse_traffic(name, content.as_bytes(), Weight::Bytes);
    assert_eq!(flows(&named("a.csv", "n1,n2,5\nn2,n10,7\n").unwrap()), expected);
    assert_eq!(flows(&named("a.edges", "n1 n2 5\nn2 n10 7\n").unwrap()), expected);
    // As many lines as columns are not a matrix.
    let three = named("a.csv", "n1,n2,5\nn2,n3,7\nn3,n1,9\n").unwrap();
    assert_eq!((three.num_ranks(), three.num_flows()), (3, 3));
    // As they appear, and a rank that is silent.
    let expected = (3, vec![(0, 1, 1.0, 5.0)]);
    let content = "# ranks: 3\nfrom,to,bytes\nmaster,10.0.0.7,5\n";
    assert_eq!(flows(&read(content, Weight::Bytes)), expected);
}

#[test]
fn names_and_numbers_are_not_mixed() {
    let both = "ranks have numbers in every line, or names in every line";
    assert_eq!(
        message("a.csv", b"from,to,bytes\nn1,n2,5\nn2,3,5\n"),
        format!("a.csv:3: expected the name of a rank, found \"3\": {both}")
    );
    assert_eq!(
        message("a.csv", b"from,to,bytes\n1,2,5\n2,n3,5\n"),
        format!("a.csv:3: expected a whole number, found \"n3\": {both}")
    );
    assert_eq!(
        message("a.csv", b"from,to,bytes\n0,n2,5\n"),
        format!("a.csv:2: expected a whole number, found \"n2\": {both}")
    );
    assert_eq!(
        message("a.csv", b"from,to,bytes\nn1,n2,5\nn2\n"),
        "a.csv:3: expected 3 columns, found 1"
    );
}

#[test]
fn a_graph_of_metis_with_too_many_lines_is_not_a_list_of_edges() {
    // A triangle, and one line more.
    let error = message("a", b"3 3\n2 3\n1 3\n1 2\n1 2\n");
    assert!(error.contains("line"), "{error}");
    // Not a graph: the second vertex has no edge to the first.
    let edges = read("3 3\n2 3\n2 3\n1 2\n1 2\n", Weight::Bytes);
    assert_eq!(edges.num_ranks(), 4);
}

#[test]
fn labels_of_rows_may_come_in_any_order() {
    let expected = (2, vec![(0, 1, 1.0, 5.0), (1, 0, 1.0, 7.0)]);
    assert_eq!(flows(&read("rank,a,b\nb,7,0\na,0,5\n", Weight::Bytes)), expected);
    assert_eq!(flows(&read("\"a\" \"b\"\n\"a\" 0 5\n\"b\" 7 0\n", Weight::Bytes)), expected);
    assert_eq!(message("a.csv", b"rank,a,b\nb,7,0\nb,0,5\n"), UNKNOWN_RANK);
    assert_eq!(message("a.csv", b",a,a\na,7,0\na,0,5\n"), "a.csv:1: label \"a\" appears twice");
}

#[test]
fn edges_under_unknown_names_are_not_a_matrix() {
    let known = "known: from (src), to (dst), bytes (weight), messages (count)";
    let unknown = |name: &str| format!("a.csv:1: unknown column \"{name}\"; {known}");
    let edges = b"sendr,recvr,nbytes\n0,1,100\n1,2,100\n2,0,100\n";
    assert_eq!(message("a.csv", edges), unknown("sendr"));
    let edges = b"a,b,c,d\n0,1,100,1\n1,2,100,1\n2,3,100,1\n3,0,100,1\n";
    assert_eq!(message("a.csv", edges), unknown("a"));
    // Nobody sends to itself, so this is a matrix.
    let matrix = read("a,b,c\n0,1,100\n1,0,100\n2,5,0\n", Weight::Bytes);
    assert_eq!((matrix.num_ranks(), matrix.num_flows()), (3, 6));
}

#[test]
fn files_of_other_programs_are_named() {
    for (content, said) in [
        (&b"\xfd7zXZ\0\0\x04"[..], "is packed with xz; unpack it first"),
        (b"\x89HDF\r\n\x1a\n\0", "is an HDF5 file; save the matrix as .npy, .npz or .csv"),
        (b"\xff\xfef\0r\0", "is in UTF-16; save it in UTF-8"),
        (b"{\"a\": 1}", "found a JSON file without a known format"),
        (b"{\"format\": \"topoloom-mapping\"}", "a JSON file of the format \"topoloom-mapping\""),
    ] {
        let message = message("a", content);
        assert!(message.contains(said), "{message}");
    }
}

const UNKNOWN_RANK: &str = "a.csv:1: unknown column \"rank\"; known: from (src), to (dst), bytes (weight), messages (count)";

#[test]
fn graphml_knows_directions_defaults_and_its_errors() {
    let file = |inside: &str| {
        format!(
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
             <key id=\"d\" for=\"edge\" attr.name=\"bytes\"><default>3</default></key>\n\
             <graph edgedefault=\"directed\"><node id=\"x\"/><node id=\"y\"/>\n{inside}\n\
             </graph></graphml>"
        )
    };
    let edges = "<edge source=\"x\" target=\"y\"/>\
                 <edge source=\"y\" target=\"x\" directed=\"false\"><data key=\"d\">5</data></edge>";
    let expected = (2, vec![(0, 1, 2.0, 8.0), (1, 0, 1.0, 5.0)]);
    assert_eq!(flows(&read(&file(edges), Weight::Bytes)), expected);
    let error = |inside: &str| message("a", file(inside).as_bytes());
    assert_eq!(
        error("<edge source=\"x\" target=\"z\"/>"),
        "a:4: expected the id of a node as \"target\", found \"z\""
    );
    let negative = "<edge source=\"x\" target=\"y\"><data key=\"d\">-1</data></edge>";
    assert_eq!(error(negative), "a:4: expected a number that is not negative, found \"-1\"");
    assert_eq!(error("<node id=\"x\"/>"), "a:4: node \"x\" appears twice");
    assert_eq!(error("<hyperedge/>"), "a:4: hyperedges are not supported");
}

#[test]
fn graphs_of_scotch_that_are_wrong_say_where() {
    let error = |content: &str| message("a.grf", content.as_bytes());
    assert_eq!(error("1\n2 2\n0 000\n"), "a.grf:1: version 1 is not supported; supported: 0");
    assert_eq!(
        error("0\n2 2\n0 002\n"),
        "a.grf:3: expected up to three digits 0 or 1, found \"002\""
    );
    assert_eq!(error("0\n2 2\n1 000\n1 2\n1 3\n"), "a.grf:5: vertex 3 is not among 1 to 2");
    assert!(error("0\n2 2\n0 000\n1 1\n").ends_with("found the end of the file"));
    assert_eq!(error("0\n2 4\n0 000\n1 1\n1 0\n"), "a.grf: expected 4 ends of edges, found 2");
    assert!(error("0\n2 1\n0 000\n1 1\n0\n").contains("expected every edge at both of its ends"));
    assert!(error("0\n2 2\n0 000\n1 1\n1 0\n9\n").contains("more than the 2 vertices"));
    assert!(error("0\n4000000000 2\n0 000\n").contains("ranks are too many"));
}

#[test]
fn arrays_that_are_no_traffic_say_why() {
    let array = |shape: &str, data: &[f64]| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let data: Vec<u8> = data.iter().flat_map(|number| number.to_le_bytes()).collect();
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &data].concat()
    };
    let error = |shape: &str, data: &[f64]| message("a.npy", &array(shape, data));
    assert_eq!(
        error("(2, 1)", &[1.0, 2.0]),
        "a.npy: expected a square matrix, found an array of the shape (2, 1)"
    );
    assert_eq!(
        error("(2, 2)", &[0.0, 1.0, -2.0, 0.0]),
        "a.npy: row 1, column 0: expected a number that is not negative, found -2"
    );
    assert!(error("(1, 1)", &[f64::NAN]).ends_with("expected a finite number, found NaN"));
    assert!(error("(0, 0)", &[]).ends_with("expected at least 1 rank, found 0"));
    assert!(message("a.npz", b"PK\x03\x04").contains("its list of members is missing"));
}

#[test]
fn reports_without_partners_say_so() {
    let report = b"@ mpiP\n@ Command : ./a.out\n@ Version : 3.5\n";
    let error = message("a.mpiP", report);
    assert!(error.contains("but not to which rank"), "{error}");
}

#[test]
fn an_unknown_file_is_told_what_it_looks_like() {
    let error = message("a", b"<html><body/></html>");
    assert!(error.contains("it looks most like graphml (line 1: expected an element"), "{error}");
    let error = message("a", b"a;b;c\n");
    assert!(error.contains("it looks most like csv (line 1: unknown column \"a\""), "{error}");
    let error = message("a", b"hello world\n");
    assert!(error.contains("most like blanks (line 1: unknown column \"hello\""), "{error}");
    assert!(error.contains(" or metis (line 1: expected a whole number"), "{error}");
}
