//! Every malformed file gets a message that says what is wrong and where.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use topoloom_core::Weight;
use topoloom_io::{
    ReadError, parse_mapping, parse_network, parse_trace_file, parse_traffic, read_machine,
    read_mapping, read_trace, read_traffic,
};

/// A file in `tests/malformed/`, and its error without the file's name.
type Case = (&'static str, &'static str);

fn error_of(file: &str) -> ReadError {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    let bytes = fs::read(&path).unwrap();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("json" | "txt") => parse_mapping(file, &bytes).unwrap_err(),
        Some("net") => parse_network(file, &bytes).unwrap_err(),
        Some("trace") => parse_trace_file(file, &bytes).unwrap_err(),
        _ => parse_traffic(file, &bytes, Weight::Bytes).unwrap_err(),
    }
}

fn check_error(&(name, expected): &Case) {
    let file = format!("malformed/{name}");
    assert_eq!(error_of(&file).to_string(), format!("{file}{expected}"));
}

const MATRIX_MARKET: &[Case] = &[
    (
        "damaged_banner.mtx",
        r#":1: expected a first line such as "%%MatrixMarket matrix coordinate integer general""#,
    ),
    (
        "no_banner.mtx",
        r#":1: expected a first line such as "%%MatrixMarket matrix coordinate integer general""#,
    ),
    (
        "short_banner.mtx",
        r#":1: expected a first line such as "%%MatrixMarket matrix coordinate integer general""#,
    ),
    ("vector.mtx", r#":1: object "vector" is not supported; supported: matrix"#),
    ("complex.mtx", r#":1: field "complex" is not supported; supported: integer, real, pattern"#),
    (
        "hermitian.mtx",
        r#":1: symmetry "hermitian" is not supported; supported: general, symmetric"#,
    ),
    (
        "skew_symmetric.mtx",
        r#":1: symmetry "skew-symmetric" is not supported; supported: general, symmetric"#,
    ),
    ("unknown_layout.mtx", r#":1: layout "sparse" is not supported; supported: coordinate, array"#),
    ("array_pattern.mtx", ":1: an array has values, it cannot be a pattern"),
    ("no_size_line.mtx", ": the size line is missing"),
    ("short_size_line.mtx", ":2: expected rows, columns and entries, found 2 numbers"),
    ("not_square.mtx", ":3: expected a square matrix, found 3 rows and 4 columns"),
    ("no_ranks.mtx", ":2: expected at least 1 rank, found 0"),
    ("too_many_ranks.mtx", ":2: 4000000000 ranks are too many; at most 268435456 are supported"),
    ("huge_size.mtx", ":2: expected a square matrix, found 99999999999 rows and 1 column"),
    ("size_beyond_64_bits.mtx", r#":2: the number "99999999999999999999999" is too large"#),
    ("too_few_entries.mtx", ":2: expected 2 entries, found 1"),
    ("huge_entry_count.mtx", ":2: expected 9000000000000000000 entries, found 1"),
    ("too_many_entries.mtx", ":5: more entries than the 1 of the size line"),
    ("index_zero.mtx", ":3: index 0 is not among 1 to 2"),
    ("index_too_high.mtx", ":3: index 3 is not among 1 to 2"),
    ("index_not_a_number.mtx", r#":3: expected a whole number, found "two""#),
    ("missing_value.mtx", ":3: expected 3 numbers, found 2"),
    ("value_in_pattern.mtx", ":3: expected 2 numbers, found 3"),
    ("negative.mtx", r#":3: expected a number that is not negative, found "-0.5""#),
    ("fraction_in_integer.mtx", r#":3: expected a whole number, found "0.5""#),
    ("not_a_number.mtx", r#":3: expected a finite number, found "NaN""#),
    ("infinite.mtx", r#":3: expected a finite number, found "1e400""#),
    ("sum_overflows.mtx", ": the values add up to more than a number can hold"),
    ("array_too_short.mtx", ":2: expected 4 values, found 3"),
    ("array_too_long.mtx", ":4: more values than the 1 of the size line"),
    ("array_huge.mtx", ":2: expected 10000000000 values, found 1"),
    ("array_word.mtx", r#":3: expected a number, found "x""#),
];

const TABLES: &[Case] = &[
    ("too_few_columns.csv", ":2: expected 3 columns, found 2"),
    ("too_many_columns.csv", ":3: expected 3 columns, found 4"),
    ("too_many_columns_for_any.csv", ":2: expected 4 columns, found 6"),
    (
        "unknown_column.csv",
        r#":1: unknown column "tag"; known: from (src), to (dst), bytes (weight), messages (count)"#,
    ),
    ("column_twice.csv", r#":1: column "From" appears twice"#),
    ("no_sender_column.csv", r#":1: column "from" is missing"#),
    ("no_receiver_column.csv", r#":1: column "to" is missing"#),
    ("no_bytes_column.csv", r#":1: column "bytes" is missing"#),
    ("header_only.csv", ": the edge list has no lines"),
    ("comments_only.csv", ": the file has only comments"),
    ("empty.csv", ": the file is empty"),
    (
        "word_in_edge.csv",
        r#":2: expected a whole number, found "x": ranks have numbers in every line, or names in every line"#,
    ),
    ("missing_number.csv", ":2: expected a number, found nothing"),
    ("negative_rank.csv", r#":2: expected a whole number, found "-1""#),
    ("negative_bytes.csv", r#":2: expected a number that is not negative, found "-5""#),
    ("rank_too_high.csv", ":2: rank 4000000000 is too high; at most 268435456 ranks are supported"),
    ("ranks_not_a_number.csv", r#":1: expected a whole number, found "many""#),
    ("too_many_ranks.csv", ":1: 300000000 ranks are too many; at most 268435456 are supported"),
    ("wide_with_ranks.csv", ":2: expected 3 or 4 columns, found 2"),
    (
        "not_square.csv",
        ": expected columns from, to, bytes[, messages] or a square matrix, found 2 x 5 numbers",
    ),
    ("ragged_matrix.csv", ":2: expected 2 columns, found 1"),
    ("word_in_matrix.csv", r#":2: expected a number, found "x""#),
    ("open_quote.csv", r#":2: expected a whole number, found ""0""#),
    ("semicolons.csv", r#":2: expected a number, found "5,5""#),
    ("control_characters.csv", r#":2: expected a whole number, found "\0�\u{1b}[31m""#),
    ("too_few_columns.tsv", ":2: expected 3 columns, found 2"),
    ("spaces.tsv", ":2: expected 3 columns, found 1"),
];

const METIS: &[Case] = &[
    ("short_header.graph", ":1: expected vertices, edges[, fmt[, ncon]], found 1 number"),
    ("header_word.graph", r#":1: expected a whole number, found "many""#),
    ("wrong_fmt.graph", r#":1: expected a fmt of up to three digits 0 or 1, found "2""#),
    ("two_constraints.graph", ":2: 2 weights per vertex are not supported; supported: 1"),
    ("no_vertices.graph", ":1: expected at least 1 rank, found 0"),
    (
        "too_many_vertices.graph",
        ":1: 4000000000 ranks are too many; at most 268435456 are supported",
    ),
    ("too_few_lines.graph", ": expected 5 vertex lines, found 3"),
    ("too_many_lines.graph", ":5: more vertex lines than the 2 of the header"),
    ("wrong_edge_count.graph", ":1: expected 3 edges, found 1"),
    ("neighbour_too_high.graph", r#":2: vertex "3" is not among 1 to 2"#),
    ("neighbour_zero.graph", r#":2: vertex "0" is not among 1 to 2"#),
    ("own_neighbour.graph", ":2: vertex 1 is its own neighbour"),
    ("neighbour_twice.graph", ":2: neighbour 2 is listed twice"),
    ("one_sided.graph", ":2: vertex 1 lists 2, which does not list 1"),
    ("unequal_weights.graph", ":2: edge 1-2 weighs 7 here and 8 at vertex 2"),
    ("missing_edge_weight.graph", ":2: the weight of neighbour 2 is missing"),
    ("missing_vertex_weight.graph", ":3: the vertex weight is missing"),
    ("missing_size.graph", ":2: the vertex size is missing"),
    ("fraction.graph", r#":2: expected a whole number, found "0.5""#),
    (
        "unknown.dat",
        r#": unknown traffic format; it looks most like blanks (line 1: unknown column "what"; known: from (src), to (dst), bytes (weight), messages (count)) or metis (line 1: expected a whole number, found "what"); known endings: .mtx, .prof, .csv, .tsv, .graph, .rec, .json, .npy, .npz, .graphml, .grf, .src, .et, .goal, .dat, .edges, .edgelist, .el"#,
    ),
];

const MAPPINGS: &[Case] = &[
    ("other_format.json", r#": expected the format "topoloom-mapping", found "something-else""#),
    ("no_format.json", r#": not a mapping: no "format": "topoloom-mapping""#),
    ("format_number.json", r#": expected the format "topoloom-mapping", found 5"#),
    ("version_2.json", ": version 2 is not known; known: 1"),
    ("no_version.json", ": the version is missing"),
    ("cut_off.json", ":2: the file ends too early"),
    ("no_nodes.json", r#":2: missing field "node_of_rank""#),
    ("zero_ranks.json", ": expected at least 1 rank, found 0"),
    ("too_few_nodes.json", r#": expected 2 numbers in "node_of_rank", found 1"#),
    ("too_many_slots.json", r#": expected 2 numbers in "slot_of_rank", found 3"#),
    (
        "negative_node.json",
        r#":3: invalid value: integer "-1", expected a whole number below 2^32"#,
    ),
    (
        "node_beyond_32_bits.json",
        r#":2: invalid value: integer "4294967296", expected a whole number below 2^32"#,
    ),
    ("node_word.json", r#":2: invalid type: string "a", expected a whole number below 2^32"#),
    ("negative_imbalance.json", ": expected an imbalance that is not negative, found -0.5"),
    ("field_twice.json", r#":3: duplicate field "ranks""#),
    ("after_the_end.json", ":3: trailing characters"),
    ("word.txt", r#":3: expected a node number, found "two""#),
    ("negative.txt", r#":2: expected a node number, found "-1""#),
    ("two_numbers.txt", r#":1: expected a node number, found "0 1""#),
    ("node_beyond_32_bits.txt", r#":1: expected a node number, found "4294967296""#),
    ("only_comments.txt", ": the file has only comments"),
    ("empty.txt", ": the file is empty"),
];

const NETWORKS: &[Case] = &[
    ("empty.net", ": expected links, one per line, found none"),
    ("comments_only.net", ": expected links, one per line, found none"),
    (
        "one_column.net",
        ":2: expected two vertices[, bandwidth[, latency[, energy[, idle power]]]], found 1 column",
    ),
    (
        "seven_columns.net",
        ":1: expected two vertices[, bandwidth[, latency[, energy[, idle power]]]], found 7 columns",
    ),
    ("word.net", r#":2: expected a whole number, found "from""#),
    ("negative_vertex.net", r#":1: expected a whole number, found "-1""#),
    (
        "vertex_too_high.net",
        ":2: vertex 20000000 is too high; at most 16777216 nodes and switches are supported",
    ),
    ("vertex_beyond_64_bits.net", r#":1: the number "99999999999999999999999" is too large"#),
    ("missing_column.net", ":1: expected a whole number, found nothing"),
    ("blanks_and_commas.net", r#":1: expected a whole number, found "1 1e9""#),
    ("loop.net", ":3: vertex 1 is linked to itself"),
    ("no_bandwidth.net", r#":1: expected a bandwidth above 0, found "0""#),
    ("negative_bandwidth.net", r#":1: expected a number that is not negative, found "-1e9""#),
    ("infinite_bandwidth.net", r#":1: expected a finite number, found "inf""#),
    ("not_a_number.net", r#":1: expected a finite number, found "NaN""#),
    ("negative_latency.net", r#":1: expected a number that is not negative, found "-1e-9""#),
    ("energy_word.net", r#":1: expected a number, found "much""#),
    (
        "directed.net",
        ":1: expected two vertices[, bandwidth[, latency[, energy[, idle power]]]], found 1 column",
    ),
    ("nodes_without_number.net", r#":1: expected one number after "nodes", found 0"#),
    ("nodes_with_two_numbers.net", r#":1: expected one number after "nodes", found 2"#),
    ("nodes_word.net", r#":1: expected a whole number, found "many""#),
    ("no_nodes.net", ":1: expected at least 1 node, found 0"),
    ("too_many_nodes.net", ":1: 4000000000 nodes are too many; at most 16777216 are supported"),
    ("nodes_twice.net", ":3: the number of nodes is given twice"),
    ("node_cut_off.net", ": node 2 cannot be reached from node 0"),
    ("node_not_named.net", ": node 3 cannot be reached from node 0"),
    ("switch_cut_off.net", ": switch 2 cannot be reached from node 0"),
    ("gap.net", ": node 2 cannot be reached from node 0"),
];

const TRACES: &[Case] = &[
    ("no_version.trace", r#":1: expected a first line "topoloom-trace 1""#),
    ("other_first_line.trace", r#":1: expected a first line "topoloom-trace 1""#),
    ("newer_version.trace", ":1: version 2 is newer than this program, which reads up to 1"),
    ("version_word.trace", r#":1: expected version 1, found "one""#),
    ("version_zero.trace", r#":1: expected version 1, found "0""#),
    ("no_ranks.trace", r#":3: expected "ranks" and their number, found the end of the file"#),
    ("rank_before_ranks.trace", r#":2: expected "ranks" and their number, found "rank""#),
    ("ranks_without_number.trace", ":2: expected a number of ranks, found the end of the line"),
    ("zero_ranks.trace", ":2: expected at least 1 rank, found 0"),
    ("too_many_ranks.trace", ":2: 4000000000 ranks are too many; at most 16777216 are supported"),
    ("ranks_beyond_64_bits.trace", r#":2: the number "99999999999999999999" is too large"#),
    ("after_ranks.trace", r#":2: expected the end of the line, found "5""#),
    ("collective_order.trace", ":3: expected collective 0, found 1"),
    (
        "collective_without_number.trace",
        r#":3: expected the number of a collective, found "barrier""#,
    ),
    ("no_operation.trace", ":3: expected an operation, found the end of the line"),
    (
        "unknown_operation.trace",
        r#":3: unknown operation "scan"; known: barrier, broadcast, reduce, allreduce, alltoall, allgather, reduce-scatter, gather, scatter, alltoallv"#,
    ),
    ("unknown_option.trace", r#":3: expected bytes=, members=, sizes= or pairs=, found "root=1""#),
    ("option_twice.trace", r#":3: "bytes" is given twice"#),
    ("no_members.trace", ":3: expected members=, found none"),
    ("empty_members.trace", ":3: expected a whole number, found nothing"),
    ("member_twice.trace", ":3: rank 2 is a member twice"),
    ("member_too_high.trace", ":3: there is no rank 4, only 0 to 3"),
    ("members_without_size.trace", r#":3: expected members as FIRST+STRIDExSIZE, found "0+1""#),
    ("members_no_stride.trace", ":3: rank 1 is a member twice"),
    ("members_none.trace", ":3: expected at least 1 member, found 0"),
    ("members_too_many.trace", ":3: there is no rank 4, only 0 to 3"),
    ("members_overflow.trace", ":3: there is no rank 18446744073709551615, only 0 to 3"),
    ("stride_too_large.trace", ":3: the number 4294967296 is too large"),
    ("bytes_word.trace", r#":3: expected a whole number, found "many""#),
    ("sizes_of_barrier.trace", ":3: barrier takes no sizes="),
    (
        "no_sizes.trace",
        ":3: alltoallv needs sizes=, by sender, then receiver, or pairs=FROM>TO:BYTES,...",
    ),
    ("pairs_of_barrier.trace", ":3: barrier takes no pairs="),
    ("pairs_and_sizes.trace", ":3: alltoallv has sizes= or pairs=, not both"),
    ("pair_without_bytes.trace", r#":3: expected FROM>TO:BYTES, found "0>1""#),
    ("pair_of_no_member.trace", ":3: there is no member 2, only 0 to 1"),
    ("pair_twice.trace", ":3: the pair 0>1 is given twice"),
    ("pair_negative.trace", r#":3: expected a number that is not negative, found "-5""#),
    ("sizes_short_row.trace", ":3: expected 2 sizes in row 2, found 1"),
    ("sizes_few_rows.trace", ":3: expected 2 rows of sizes, found 1"),
    ("sizes_negative.trace", r#":3: expected a number that is not negative, found "-1""#),
    ("event_before_rank.trace", r#":4: expected "rank", found "c""#),
    ("collective_late.trace", ":8: expected collectives before the first rank, found one after it"),
    ("block_without_rank.trace", ":4: expected a rank, found the end of the line"),
    ("block_too_high.trace", ":4: there is no rank 4, only 0 to 3"),
    ("block_word.trace", r#":4: expected a whole number, found "all""#),
    ("block_backwards.trace", ":4: expected a last rank from 3 on, found 1"),
    ("block_twice.trace", ":6: rank 2 is given twice"),
    ("unknown_event.trace", r#":5: expected c, s, r, S, R, w, W, x, {, } or rank, found "send""#),
    ("no_time.trace", ":5: expected a number of nanoseconds, found the end of the line"),
    ("negative_time.trace", r#":5: expected a number of nanoseconds, found "-5""#),
    ("fraction_of_time.trace", r#":5: expected a number of nanoseconds, found "1.5""#),
    ("receiver_too_high.trace", ":5: there is no rank 4, only 0 to 3"),
    ("no_bytes.trace", ":5: expected a number of bytes, found the end of the line"),
    ("bytes_beyond_64_bits.trace", r#":5: the number "18446744073709551616" is too large"#),
    ("tag_too_large.trace", ":5: expected a tag up to 2147483647, found 4294967296"),
    ("request_word.trace", r#":5: expected a request, found "all""#),
    ("after_event.trace", r#":5: expected the end of the line, found "1""#),
    ("no_such_collective.trace", ":5: there is no collective 1, only 1 of them"),
    ("no_member.trace", ":6: rank 3 is not a member of collective 0"),
    ("no_repetition.trace", ":5: expected at least 1 repetition"),
    ("repetition_not_ended.trace", ":5: a repetition that does not end"),
    ("repetition_not_begun.trace", ":6: the end of a repetition that did not begin"),
    ("nested_too_deep.trace", ":13: repetitions are nested more than 8 deep"),
    (
        "shared_too_much.trace",
        ":72: ranks that share blocks have 67999932 events; at most 67108864 are possible",
    ),
];

#[test]
fn malformed_matrix_market_files_are_refused_with_place_and_reason() {
    MATRIX_MARKET.iter().for_each(check_error);
}

#[test]
fn malformed_table_files_are_refused_with_place_and_reason() {
    TABLES.iter().for_each(check_error);
}

#[test]
fn malformed_metis_files_are_refused_with_place_and_reason() {
    METIS.iter().for_each(check_error);
}

#[test]
fn malformed_mapping_files_are_refused_with_place_and_reason() {
    MAPPINGS.iter().for_each(check_error);
}

#[test]
fn malformed_networks_are_refused_with_place_and_reason() {
    NETWORKS.iter().for_each(check_error);
}

#[test]
fn malformed_traces_are_refused_with_place_and_reason() {
    TRACES.iter().for_each(check_error);
}

#[test]
fn no_malformed_file_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let present: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let checked: BTreeSet<String> = [MATRIX_MARKET, TABLES, METIS, MAPPINGS, NETWORKS, TRACES]
        .iter()
        .flat_map(|cases| cases.iter().map(|(file, _)| file.to_string()))
        .collect();
    assert_eq!(present, checked);
}

#[test]
fn a_missing_file_is_named_in_the_words_of_the_system() {
    let error = read_traffic(Path::new("missing/traffic.mtx"), Weight::Bytes).unwrap_err();
    let expected = "missing/traffic.mtx: cannot read: No such file or directory";
    assert_eq!(error.to_string(), expected);
    let error = read_mapping(Path::new("missing/mapping.json")).unwrap_err();
    let expected = "missing/mapping.json: cannot read: No such file or directory";
    assert_eq!(error.to_string(), expected);
    let error = read_trace(Path::new("missing/run.trace")).unwrap_err();
    let expected = "missing/run.trace: cannot read: No such file or directory";
    assert_eq!(error.to_string(), expected);
    let error = read_machine("graph:missing/network.txt,slots=2").unwrap_err();
    let expected = "missing/network.txt: cannot read: No such file or directory";
    assert_eq!(error.to_string(), expected);
}
