//! The NPB patterns compared with recorded runs, number by number.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use topoloom_core::traffic::{Collective, Operation};
use topoloom_core::{Traffic, Weight, parse_pattern};

/// Bytes and messages by (sender, receiver).
type Pairs = BTreeMap<(u64, u64), (u64, u64)>;
/// Calls and bytes, both added up over ranks, by (MPI name, size of the communicator).
type Collectives = BTreeMap<(String, u64), (u64, u64)>;

fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}

fn pattern(name: &str, class: &str, ranks: u32) -> Traffic {
    parse_pattern(&format!("{name}:class={class},ranks={ranks}")).expect("a legal count")
}

fn pairs_of(traffic: &Traffic) -> Pairs {
    let flows = traffic.flows();
    flows
        .map(|flow| {
            let pair = (u64::from(flow.from.0), u64::from(flow.to.0));
            (pair, (flow.bytes as u64, flow.messages as u64))
        })
        .collect()
}

fn collectives_of(traffic: &Traffic) -> Collectives {
    let mut found = Collectives::new();
    for collective in traffic.collectives() {
        let members = u64::from(collective.group.size());
        let name = collective.operation.mpi_name().to_string();
        let sum = found.entry((name, members)).or_default();
        sum.0 += collective.calls * members;
        sum.1 += bytes_passed(collective);
    }
    found
}

/// The bytes that all ranks together pass to the MPI call, in all calls.
fn bytes_passed(collective: &Collective) -> u64 {
    let members = u64::from(collective.group.size());
    let bytes = collective.calls * collective.bytes;
    match &collective.operation {
        Operation::Barrier => 0,
        Operation::Broadcast => bytes,
        Operation::Reduce | Operation::Allreduce | Operation::Allgather | Operation::Gather => {
            bytes * members
        }
        Operation::Scatter => bytes * members,
        Operation::AllToAll | Operation::ReduceScatter => bytes * members * members,
        Operation::AllToAllVariable(sizes) => {
            let mut all = 0.0;
            sizes.for_each(collective.group.size(), |_, _, bytes| all += bytes);
            all as u64
        }
    }
}

#[test]
fn every_pair_and_collective_of_every_recorded_run_is_generated() {
    let mut runs = 0;
    for entry in fs::read_dir(data("npb")).expect("the folder of recorded runs") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let [benchmark, class, ranks] = name.split('.').collect::<Vec<_>>()[..] else {
            panic!("{name}: expected benchmark.class.ranks");
        };
        let traffic = pattern(benchmark, class, ranks.parse().expect("a number of ranks"));
        let text = fs::read_to_string(&path).expect("a readable file");
        let recorded: Value = serde_json::from_str(&text).expect("JSON");
        let number = |value: &Value| value.as_u64().expect("a whole number");

        assert_eq!(traffic.num_ranks() as u64, number(&recorded["ranks"]), "{name}");
        let pairs = recorded["point_to_point"].as_array().expect("a list").iter();
        let pairs: Pairs = pairs
            .map(|row| ((number(&row[0]), number(&row[1])), (number(&row[3]), number(&row[2]))))
            .collect();
        assert_eq!(pairs_of(&traffic), pairs, "{name}");
        let collectives = recorded["collectives"].as_array().expect("a list").iter();
        let collectives: Collectives = collectives
            .map(|row| {
                let operation = row["name"].as_str().expect("a name").to_string();
                let sums = (number(&row["rank_calls"]), number(&row["send_bytes"]));
                ((operation, number(&row["comm_size"])), sums)
            })
            .collect();
        assert_eq!(collectives_of(&traffic), collectives, "{name}");
        runs += 1;
    }
    assert_eq!(runs, 19);
}

/// The entries of a coordinate matrix, counted from 0.
fn read_matrix(path: &str) -> BTreeMap<(u64, u64), u64> {
    let text = fs::read_to_string(data(path)).expect("a readable matrix");
    let entries = text.lines().filter(|line| !line.starts_with('%')).skip(1);
    entries
        .map(|line| {
            let numbers: Vec<u64> =
                line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
            ((numbers[0] - 1, numbers[1] - 1), numbers[2])
        })
        .collect()
}

#[test]
fn class_c_on_64_ranks_equals_the_matrices_of_real_runs() {
    for name in ["lu", "cg", "bt", "mg"] {
        let traffic = pattern(name, "C", 64);
        let mut expected = pairs_of(&traffic);
        // The matrices leave out messages from a rank to itself, and hold broadcasts as messages
        // from rank 0 and the final reduce as messages to it.
        expected.retain(|(from, to), _| from != to);
        for collective in traffic.collectives() {
            for other in 1..64 {
                let pair = match collective.operation {
                    Operation::Broadcast => (0, other),
                    Operation::Reduce => (other, 0),
                    _ => continue,
                };
                let sum = expected.entry(pair).or_default();
                sum.0 += collective.calls * collective.bytes;
                sum.1 += collective.calls;
            }
        }
        let bytes: BTreeMap<_, _> = expected.iter().map(|(&pair, &(b, _))| (pair, b)).collect();
        let messages: BTreeMap<_, _> = expected.iter().map(|(&pair, &(_, m))| (pair, m)).collect();
        assert_eq!(read_matrix(&format!("apps64/npb-{name}-c-64.bytes.mtx")), bytes, "{name}");
        assert_eq!(
            read_matrix(&format!("apps64/npb-{name}-c-64.messages.mtx")),
            messages,
            "{name}"
        );
    }
}

#[test]
fn totals_of_recorded_and_computed_runs_come_out() {
    // Pairs, messages and bytes of whole runs of NPB 3.4, including self messages.
    for (name, class, ranks, pairs, messages, bytes) in [
        ("lu", "A", 64, 224, 3_542_924_u64, 3_411_115_904_u64),
        ("lu", "C", 64, 224, 9_052_876, 22_128_532_608),
        ("lu", "D", 1024, 3968, 486_121_788, 748_096_551_296),
        ("bt", "W", 64, 384, 617_856, 1_601_187_840),
        ("bt", "C", 64, 384, 617_856, 51_169_708_800),
        ("bt", "D", 1024, 6144, 49_354_752, 1_755_300_986_880),
        ("sp", "W", 64, 384, 1_232_256, 4_242_610_176),
        ("sp", "C", 64, 384, 1_232_256, 90_636_161_280),
        ("cg", "A", 64, 256, 269_312, 1_492_271_104),
        ("cg", "S", 128, 640, 700_416, 189_906_944),
        ("cg", "C", 64, 256, 1_279_232, 75_884_703_744),
        ("mg", "A", 64, 408, 43_296, 315_818_496),
        ("mg", "S", 128, 920, 46_112, 9_577_984),
        ("mg", "C", 64, 408, 201_120, 4_533_555_712),
        ("mg", "D", 1024, 8664, 7_386_528, 115_003_686_400),
    ] {
        let traffic = pattern(name, class, ranks);
        let found = (
            traffic.num_flows(),
            traffic.total(Weight::Messages) as u64,
            traffic.total(Weight::Bytes) as u64,
        );
        assert_eq!(found, (pairs, messages, bytes), "{name} {class} {ranks}");
    }
}

#[test]
fn lu_runs_on_these_counts_below_130() {
    let legal: Vec<u32> = (1..130)
        .filter(|ranks| parse_pattern(&format!("lu:class=C,ranks={ranks}")).is_ok())
        .collect();
    let expected = [
        1, 2, 4, 6, 8, 9, 12, 15, 16, 18, 20, 24, 25, 28, 30, 32, 35, 36, 40, 42, 45, 48, 49, 50,
        54, 56, 60, 63, 64, 66, 70, 72, 77, 80, 81, 84, 88, 90, 91, 96, 98, 99, 100, 104, 108, 110,
        112, 117, 120, 121, 126, 128,
    ];
    assert_eq!(legal, expected);
}

#[test]
fn every_rank_of_is_sends_its_share_of_the_keys_eleven_times() {
    // Class W: 2^20 keys of 4 bytes.
    for ranks in [1_u32, 8, 64] {
        let traffic = pattern("is", "W", ranks);
        let sizes =
            traffic.collectives().iter().find_map(|collective| match &collective.operation {
                Operation::AllToAllVariable(sizes) => Some(sizes),
                _ => None,
            });
        let mut sent = vec![0.0; ranks as usize];
        let sizes = sizes.expect("a variable all-to-all");
        sizes.for_each(ranks, |from, _, bytes| sent[from as usize] += bytes);
        for of_rank in sent {
            assert_eq!(of_rank, f64::from(11 * 4 * (1 << 20) / ranks));
        }
    }
}
