//! Whether every pair sends the same in both directions.

use super::Values;

/// Whether every entry has its twin: as much from v to u as from u to v. Rows are in the order of
/// receivers.
///
/// Takes O(flows): the twins of the entries of rank 0, 1, 2, ... beyond the diagonal must be, in
/// this order, the entries of each row before the diagonal.
pub(super) fn is_symmetric(
    row_start: &[usize],
    receiver: &[u32],
    bytes: &Values,
    messages: &Values,
) -> bool {
    let ranks = row_start.len() - 1;
    let mut next_twin = row_start[..ranks].to_vec();
    for rank in 0..ranks {
        let end = row_start[rank + 1];
        let mut entry = next_twin[rank];
        if entry < end && (receiver[entry] as usize) < rank {
            return false;
        }
        if entry < end && receiver[entry] as usize == rank {
            entry += 1;
        }
        for here in entry..end {
            let other = receiver[here] as usize;
            let twin = next_twin[other];
            let found = twin < row_start[other + 1]
                && receiver[twin] as usize == rank
                && bytes.get(twin) == bytes.get(here)
                && messages.get(twin) == messages.get(here);
            if !found {
                return false;
            }
            next_twin[other] = twin + 1;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::TrafficBuilder;

    fn symmetric(flows: &[(u32, u32, f64)]) -> bool {
        let mut builder = TrafficBuilder::new(4);
        flows.iter().for_each(|&(from, to, bytes)| builder.add(from, to, 1.0, bytes));
        builder.build().is_symmetric()
    }

    #[test]
    fn every_flow_needs_a_twin_of_the_same_size() {
        assert!(symmetric(&[]));
        assert!(symmetric(&[(0, 1, 5.0), (1, 0, 5.0), (1, 1, 2.0), (1, 3, 1.0), (3, 1, 1.0)]));
        assert!(!symmetric(&[(0, 1, 5.0)]));
        assert!(!symmetric(&[(1, 0, 5.0)]));
        assert!(!symmetric(&[(0, 1, 5.0), (1, 0, 4.0)]));
        assert!(!symmetric(&[(0, 2, 5.0), (2, 0, 5.0), (2, 1, 1.0)]));
        assert!(!symmetric(&[(0, 3, 5.0), (1, 3, 5.0), (3, 1, 5.0)]));
    }
}
