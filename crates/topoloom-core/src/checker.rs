//! An independent judge of mappings: is it valid, and what does it cost?
//!
//! It takes raw numbers and uses nothing of the trackers, the statistics or the metrics; only
//! the machine's own definition of distance.

use crate::ids::Vertex;
use crate::machine::Machine;
use crate::traffic::{Traffic, Weight};

/// What the checker found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Everything that is wrong, in words; empty if the mapping is valid.
    pub violations: Vec<String>,
    /// The hop-bytes of a valid mapping.
    pub hop_bytes: Option<f64>,
    /// The largest distance between partners of a valid mapping.
    pub max_dilation: Option<u32>,
}

/// Judges what a mapping file says. `slot_of_rank` may be missing, as in a plain list of nodes;
/// then only the number of ranks on each node counts.
pub fn check(
    traffic: &Traffic,
    machine: &Machine,
    weight: Weight,
    node_of_rank: &[u32],
    slot_of_rank: Option<&[u32]>,
) -> Verdict {
    let mut violations = Vec::new();
    let ranks = traffic.num_ranks();
    for (kind, len) in std::iter::once(("nodes", node_of_rank.len()))
        .chain(slot_of_rank.map(|slots| ("slots", slots.len())))
    {
        if len != ranks {
            violations.push(format!("{len} {kind} for {ranks} ranks"));
        }
    }
    if violations.is_empty() {
        check_nodes(machine, node_of_rank, &mut violations);
        if let Some(slots) = slot_of_rank {
            check_slots(machine, node_of_rank, slots, &mut violations);
        }
    }
    if !violations.is_empty() {
        return Verdict { violations, hop_bytes: None, max_dilation: None };
    }
    let mut hop_bytes = 0.0;
    let mut max_dilation = 0;
    for flow in traffic.flows() {
        let from = Vertex(node_of_rank[flow.from.index()]);
        let to = Vertex(node_of_rank[flow.to.index()]);
        let sent = match weight {
            Weight::Bytes => flow.bytes,
            Weight::Messages => flow.messages,
        };
        if sent > 0.0 {
            let hops = machine.topology().distance(from, to);
            max_dilation = max_dilation.max(hops);
            hop_bytes += f64::from(hops) * sent;
        }
    }
    Verdict { violations, hop_bytes: Some(hop_bytes), max_dilation: Some(max_dilation) }
}

fn check_nodes(machine: &Machine, node_of_rank: &[u32], violations: &mut Vec<String>) {
    let nodes = machine.topology().num_nodes();
    let mut on_node = vec![0u32; nodes];
    for (rank, &node) in node_of_rank.iter().enumerate() {
        match on_node.get_mut(node as usize) {
            Some(count) => *count += 1,
            None => violations.push(format!(
                "rank {rank} is on node {node}, but the machine has nodes 0 to {}",
                nodes - 1
            )),
        }
    }
    for (node, &count) in on_node.iter().enumerate() {
        if count > machine.slots_per_node() {
            violations.push(format!(
                "node {node} holds {count} ranks, but has room for {}",
                machine.slots_per_node()
            ));
        }
    }
}

fn check_slots(machine: &Machine, nodes: &[u32], slots: &[u32], violations: &mut Vec<String>) {
    let mut by_slot: Vec<(u32, usize)> =
        slots.iter().enumerate().map(|(rank, &slot)| (slot, rank)).collect();
    by_slot.sort_unstable();
    for pair in by_slot.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let ((slot, first), (_, second)) = (pair[0], pair[1]);
        violations.push(format!("ranks {first} and {second} are both in slot {slot}"));
    }
    for (rank, (&slot, &node)) in slots.iter().zip(nodes).enumerate() {
        if slot / machine.slots_per_node() != node {
            violations.push(format!("rank {rank}: slot {slot} is not on node {node}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrafficBuilder;

    fn two_ranks() -> Traffic {
        let mut builder = TrafficBuilder::new(2);
        builder.add(0, 1, 2.0, 10.0);
        builder.build()
    }

    #[test]
    fn a_valid_mapping_is_costed() {
        let machine = Machine::parse("mesh:4").unwrap();
        let verdict = check(&two_ranks(), &machine, Weight::Bytes, &[0, 3], Some(&[0, 3]));
        assert_eq!(verdict.violations, [] as [String; 0]);
        // 10 bytes over 3 hops.
        assert_eq!(verdict.hop_bytes, Some(30.0));
        assert_eq!(verdict.max_dilation, Some(3));
    }

    #[test]
    fn every_violation_is_named() {
        let machine = Machine::parse("mesh:2,slots=2").unwrap();
        let violations = |nodes: &[u32], slots: Option<&[u32]>| {
            check(&two_ranks(), &machine, Weight::Bytes, nodes, slots).violations
        };
        assert_eq!(violations(&[0], None), ["1 nodes for 2 ranks"]);
        assert_eq!(
            violations(&[0, 5], None),
            ["rank 1 is on node 5, but the machine has nodes 0 to 1"]
        );
        assert_eq!(violations(&[0, 0], Some(&[1, 1])), ["ranks 0 and 1 are both in slot 1"]);
        assert_eq!(violations(&[0, 1], Some(&[0, 1])), ["rank 1: slot 1 is not on node 1"]);
        let machine = Machine::parse("mesh:2").unwrap();
        let verdict = check(&two_ranks(), &machine, Weight::Bytes, &[1, 1], None);
        assert_eq!(verdict.violations, ["node 1 holds 2 ranks, but has room for 1"]);
    }
}
