//! How much each pair exchanges in an all-to-all in which every pair has its own size.

use std::sync::Arc;

use super::patterns::npb::KeyExchange;

/// How many bytes each ordered pair of members exchanges in all calls together. Two values are
/// equal if every pair has the same bytes, however they are kept.
#[derive(Debug, Clone)]
pub enum VariableSizes {
    /// By sender, then by receiver.
    Table(Arc<[f64]>),
    /// (sender, receiver, bytes) in the order of senders, then of receivers, only for pairs with
    /// bytes: for few partners among many members.
    Pairs(Arc<[(u32, u32, f64)]>),
    /// The key exchange of integer sort, counted only when needed.
    Keys(KeyExchange),
}

impl VariableSizes {
    /// Visits (sender, receiver, bytes) of every pair with bytes among this many members, including
    /// what a member keeps, in the order of senders, then of receivers.
    pub fn for_each(&self, members: u32, visit: impl FnMut(u32, u32, f64)) {
        match self {
            VariableSizes::Table(table) => for_each_of_table(table, members, visit),
            VariableSizes::Pairs(pairs) => for_each_of_pairs(pairs, visit),
            VariableSizes::Keys(keys) => for_each_of_table(&keys.bytes_of_pairs(), members, visit),
        }
    }

    /// There are no more pairs with bytes than this.
    pub fn most_pairs(&self, members: u32) -> u64 {
        match self {
            VariableSizes::Pairs(pairs) => pairs.len() as u64,
            _ => u64::from(members) * u64::from(members),
        }
    }

    /// These sizes, each changed by `change`.
    pub(crate) fn map(&self, change: impl Fn(f64) -> f64) -> VariableSizes {
        let of_table = |table: &[f64]| {
            VariableSizes::Table(table.iter().map(|&bytes| change(bytes)).collect())
        };
        match self {
            VariableSizes::Table(table) => of_table(table),
            VariableSizes::Keys(keys) => of_table(&keys.bytes_of_pairs()),
            VariableSizes::Pairs(pairs) => {
                let changed = pairs.iter().map(|&(from, to, bytes)| (from, to, change(bytes)));
                VariableSizes::Pairs(changed.filter(|&(_, _, bytes)| bytes > 0.0).collect())
            }
        }
    }

    /// All pairs with bytes; a table is as wide as it is high.
    fn pairs(&self) -> Arc<[(u32, u32, f64)]> {
        let mut pairs = Vec::new();
        let mut add = |table: &[f64]| {
            let members = table.len().isqrt() as u32;
            for_each_of_table(table, members, |from, to, bytes| pairs.push((from, to, bytes)));
        };
        match self {
            VariableSizes::Pairs(pairs) => return pairs.clone(),
            VariableSizes::Table(table) => add(table),
            VariableSizes::Keys(keys) => add(&keys.bytes_of_pairs()),
        }
        pairs.into()
    }
}

impl PartialEq for VariableSizes {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (VariableSizes::Table(a), VariableSizes::Table(b)) => a == b,
            (VariableSizes::Keys(a), VariableSizes::Keys(b)) => a == b,
            _ => self.pairs() == other.pairs(),
        }
    }
}

fn for_each_of_table(table: &[f64], members: u32, mut visit: impl FnMut(u32, u32, f64)) {
    let rows = table.chunks_exact((members as usize).max(1));
    for (from, row) in (0..members).zip(rows) {
        for (to, &bytes) in (0..members).zip(row) {
            if bytes > 0.0 {
                visit(from, to, bytes);
            }
        }
    }
}

fn for_each_of_pairs(pairs: &[(u32, u32, f64)], mut visit: impl FnMut(u32, u32, f64)) {
    for &(from, to, bytes) in pairs {
        visit(from, to, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_its_pairs_are_the_same_sizes() {
        let table = VariableSizes::Table(Arc::from([0.0, 5.0, 0.0, 7.0]));
        let pairs = VariableSizes::Pairs(Arc::from([(0, 1, 5.0), (1, 1, 7.0)]));
        assert_eq!(table, pairs);
        assert_eq!(pairs.map(|bytes| 2.0 * bytes), table.map(|bytes| 2.0 * bytes));
        assert_ne!(pairs, table.map(|bytes| 2.0 * bytes));
        for sizes in [&table, &pairs] {
            let mut seen = Vec::new();
            sizes.for_each(2, |from, to, bytes| seen.push((from, to, bytes)));
            assert_eq!(seen, [(0, 1, 5.0), (1, 1, 7.0)]);
        }
        assert_eq!((table.most_pairs(2), pairs.most_pairs(2)), (4, 2));
    }

    #[test]
    fn the_keys_of_integer_sort_equal_the_pairs_they_make() {
        let traffic = crate::parse_pattern("is:class=S,ranks=4").unwrap();
        let keys =
            traffic.collectives().iter().find_map(|collective| match &collective.operation {
                super::super::Operation::AllToAllVariable(sizes) => Some(sizes.clone()),
                _ => None,
            });
        let keys = keys.expect("integer sort has a variable all-to-all");
        let pairs = VariableSizes::Pairs(keys.pairs());
        assert_eq!(keys, pairs);
        assert_ne!(keys, pairs.map(|bytes| bytes + 1.0));
    }
}
