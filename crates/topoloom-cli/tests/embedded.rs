//! Commands inside another program.

use std::ffi::OsString;
use std::time::Duration;

use topoloom::core::{Machine, Weight};
use topoloom::io::Loader;
use topoloom_cli::embedded::{Answer, Call, Failure, Given, IN_MEMORY, Origin, Running};

/// Longer than any of these commands takes.
const LONG: Duration = Duration::from_secs(300);

fn run(words: &[&str], given: Given) -> Result<Answer, Failure> {
    let arguments = words.iter().map(OsString::from).collect();
    let running = Running::start(Call { arguments, given, watcher: None })?;
    running.wait(LONG).expect("it ends")
}

fn refused(words: &[&str]) -> String {
    match run(words, Given::default()) {
        Err(Failure::Refused(text)) => text,
        Err(Failure::Internal(text)) => panic!("{text}"),
        Ok(_) => panic!("{words:?} is not refused"),
    }
}

#[test]
fn names_stand_for_what_is_in_memory() {
    let (traffic, _) = Loader::new().traffic("ring:8", Weight::Bytes).unwrap();
    let mut given = Given::default();
    given.add_traffic("mine", traffic, Origin::Memory);
    given.add_machine("a line", Machine::parse("mesh:8").unwrap());
    let words = ["map", "--traffic", "mine", "--machine", "a line", "--json"];
    let answer = run(&words, given).unwrap();
    assert!(answer.done.printed.contains("\"traffic\": \"mine\""));
    let mapping = answer.done.mapping.unwrap();
    assert_eq!(mapping.ranks(), 8);
    // The mapping that was found is judged under its own name, which is neither a file nor a
    // strategy.
    let mut given = Given::default();
    given.add_mapping("the first", mapping);
    let words = ["check", "--traffic", "ring:8", "--machine", "mesh:8", "--mapping", "the first"];
    let answer = run(&words, given).unwrap();
    assert_eq!(answer.code, 0);
    assert!(answer.done.printed.starts_with("valid"));
}

#[test]
fn contents_stand_for_files() {
    let mut given = Given::default();
    given.add_file("flows.csv", b"0,1,5\n1,0,7\n".to_vec());
    let words = ["traffic", "scale", "flows.csv", "--factor", "2", "--output", IN_MEMORY];
    let answer = run(&words, given).unwrap();
    assert_eq!(answer.done.traffic.unwrap().total(Weight::Bytes), 24.0);
}

#[test]
fn errors_have_the_text_of_the_command_line() {
    let unknown = refused(&["map", "--traffic", "ring:8", "--machine", "mush:8"]);
    assert!(unknown.starts_with("unknown topology \"mush\""), "{unknown}");
    let missing = refused(&["map"]);
    assert!(missing.contains("--traffic <TRAFFIC>") && !missing.contains("Usage"), "{missing}");
    assert!(refused(&["mop"]).contains("map"));
    let too_many = refused(&["map", "--traffic", "ring:9", "--machine", "mesh:8"]);
    assert!(too_many.contains("9 ranks do not fit 8 slots"), "{too_many}");
}

#[test]
fn a_search_ends_with_the_best_so_far() {
    let words = ["map", "--traffic", "random:ranks=4096,degree=16", "--machine", "torus:16x16x16"];
    let arguments = words.iter().map(OsString::from).collect();
    let running =
        Running::start(Call { arguments, given: Given::default(), watcher: None }).unwrap();
    // It reads and builds first, which is not a search.
    while !running.stop() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let answer = running.wait(LONG).unwrap().unwrap();
    assert_eq!(answer.done.mapping.unwrap().ranks(), 4096);
}

#[test]
fn several_commands_at_once_keep_their_output_apart() {
    let run_one = |ranks: usize| {
        let traffic = format!("ring:{ranks}");
        let machine = format!("mesh:{ranks}");
        let words =
            ["score", "--traffic", &traffic, "--machine", &machine, "--mapping", "in-order"];
        let printed = run(&words, Given::default()).unwrap().done.printed;
        assert!(printed.contains(&format!("({ranks} ranks)")), "{printed}");
    };
    std::thread::scope(|scope| {
        (2..20).for_each(|ranks| {
            scope.spawn(move || run_one(ranks));
        });
    });
}
