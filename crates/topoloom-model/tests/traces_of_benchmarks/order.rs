//! The order of events can be run, whether sends wait for their receivers or not.

use topoloom_model::traffic::CollectiveMode;

use crate::replayer::{Sends, replay};
use crate::runs::{NAMES, legal, trace};

fn check(text: &str) {
    let trace = trace(text);
    for mode in ["none", "direct", "algorithm", "algorithm:library=openmpi"] {
        let expanded = trace.expanded(mode.parse::<CollectiveMode>().unwrap()).unwrap();
        for sends in [Sends::Meet, Sends::Return] {
            let result = replay(&expanded, sends);
            assert!(result.is_ok(), "{text}, {mode}, {sends:?}: {}", result.unwrap_err());
        }
    }
}

#[test]
fn nobody_hangs_and_nothing_is_left_over() {
    for name in NAMES {
        for text in legal(name, "S", 64) {
            let few = if name == "ep" { text } else { format!("{text},iterations=2") };
            check(&few);
        }
    }
}

#[test]
fn neither_on_larger_grids_with_unequal_parts() {
    for text in [
        "lu:class=W,ranks=35,iterations=1",
        "lu:class=W,ranks=12,iterations=2",
        "bt:class=W,ranks=25,iterations=1",
        "bt:class=W,ranks=10,iterations=1",
        "sp:class=W,ranks=49,iterations=1",
        "cg:class=S,ranks=128,iterations=1",
        "mg:class=S,ranks=128,iterations=1",
        "mg:class=S,ranks=512,iterations=1",
        "ft:class=W,ranks=128,iterations=1",
        "is:class=W,ranks=64,iterations=3",
    ] {
        check(text);
    }
}

#[test]
fn computing_does_not_change_the_order() {
    for name in NAMES {
        check(&format!("{name}:class=S,ranks=16,gflops=0.5"));
    }
}
