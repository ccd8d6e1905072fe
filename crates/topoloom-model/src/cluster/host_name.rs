//! Names of hosts, which may lack their domain.

use std::collections::HashMap;

/// Things by the name of a host, full or short.
pub(super) fn by_name<'a, T: Clone>(
    named: impl Iterator<Item = (&'a str, T)>,
) -> HashMap<String, T> {
    let mut by_name = HashMap::new();
    for (name, thing) in named {
        let short = short_name(name);
        if short != name {
            by_name.entry(short.to_string()).or_insert_with(|| thing.clone());
        }
        by_name.insert(name.to_string(), thing);
    }
    by_name
}

pub(super) fn look_up<'a, T>(by_name: &'a HashMap<String, T>, name: &str) -> Option<&'a T> {
    by_name.get(name).or_else(|| by_name.get(short_name(name)))
}

/// A host's name without its domain; an address stays as it is.
pub fn short_name(name: &str) -> &str {
    match name.split_once('.') {
        Some((short, _)) if short.parse::<u32>().is_err() => short,
        _ => name,
    }
}

/// Whether two names may mean the same host: one may lack the domain.
pub fn same_host(one: &str, other: &str) -> bool {
    let lacks_domain = |name: &str| short_name(name) == name;
    one == other
        || ((lacks_domain(one) || lacks_domain(other)) && short_name(one) == short_name(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_lack_their_domain() {
        assert!(same_host("n1", "n1.cluster.org") && same_host("n1", "n1"));
        assert!(!same_host("n1", "n2") && !same_host("10.0.0.1", "10.0.0.2"));
        assert!(!same_host("n1.a.org", "n1.b.org"));
    }
}
