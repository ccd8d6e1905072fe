//! What every registry promises.

use std::collections::HashSet;

use topoloom_core::objective::CostMatrix;
use topoloom_core::{
    COLLECTIVE_MODES, CollectiveMode, OBJECTIVES, PATTERNS, REFINERS, ROUTINGS, STRATEGIES, Spec,
    TOPOLOGIES, parse_objective, parse_pattern, parse_strategy,
};

#[test]
fn every_entry_builds_from_its_example_and_has_a_name_of_its_own() {
    fn names<B>(registry: &topoloom_core::Registry<B>) {
        let mut seen = HashSet::new();
        for entry in registry.entries {
            assert!(seen.insert(entry.name), "{} twice", entry.name);
            assert!(!entry.summary.is_empty() && entry.summary.len() < 90, "{}", entry.name);
            let spec = Spec::parse(entry.example).unwrap();
            assert_eq!(registry.find(&spec).unwrap().name, entry.name);
        }
    }
    names(&TOPOLOGIES);
    names(&PATTERNS);
    names(&OBJECTIVES);
    names(&ROUTINGS);
    names(&STRATEGIES);
    names(&REFINERS);
    names(&COLLECTIVE_MODES);
    for entry in PATTERNS.entries {
        assert!(parse_pattern(entry.example).unwrap().num_ranks() > 0, "{}", entry.example);
    }
    for entry in COLLECTIVE_MODES.entries {
        entry.example.parse::<CollectiveMode>().unwrap();
    }
    for entry in STRATEGIES.entries {
        parse_strategy(entry.example).unwrap();
    }
    for entry in OBJECTIVES.entries.iter().filter(|entry| entry.name != CostMatrix::NAME) {
        assert_eq!(parse_objective(entry.example).unwrap().name(), entry.name);
    }
    for entry in REFINERS.entries {
        parse_strategy(&format!("in-order | {}", entry.example)).unwrap();
    }
}
