//! No text makes the parsers of specifications panic.

use proptest::prelude::*;
use topoloom_core::{
    COLLECTIVE_MODES, CollectiveMode, Machine, PATTERNS, STRATEGIES, TOPOLOGIES, parse_objective,
    parse_pattern, parse_strategy,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_a_specification_panic(text in "\\PC{0,40}") {
        let _ = Machine::parse(&text);
        let _ = parse_pattern(&text);
        let _ = parse_strategy(&text);
        let _ = parse_objective(&text);
        let _ = text.parse::<CollectiveMode>();
    }

    #[test]
    fn no_option_makes_an_entry_panic(
        kind in 0usize..30,
        shape in "[0-9x:,=a-z.-]{0,12}",
        value in "[0-9a-z.e-]{0,8}",
    ) {
        fn specs<B>(registry: &topoloom_core::Registry<B>, kind: usize, shape: &str, value: &str) -> Vec<String> {
            let entry = registry.entries[kind % registry.entries.len()];
            let mut specs = vec![format!("{}:{shape}", entry.name), format!("{},{shape}", entry.example)];
            for parameter in entry.parameters.iter().chain(registry.common) {
                specs.push(format!("{}:{shape},{}={value}", entry.name, parameter.name));
                specs.push(format!("{},{}={value}", entry.name, parameter.name));
                specs.push(format!("{},{}", entry.example, parameter.name));
            }
            specs
        }
        // Legal specifications may be large, so only those that are small or refused quickly are
        // tried.
        let small = value.len() < 4 && shape.len() < 6;
        for spec in specs(&TOPOLOGIES, kind, &shape, &value) {
            if small { let _ = Machine::parse(&spec); }
        }
        for spec in specs(&STRATEGIES, kind, &shape, &value) {
            let _ = parse_strategy(&spec);
        }
        for spec in specs(&COLLECTIVE_MODES, kind, &shape, &value) {
            let _ = spec.parse::<CollectiveMode>();
        }
        for spec in specs(&PATTERNS, kind, &shape, &value) {
            if small { let _ = parse_pattern(&spec); }
        }
    }
}
