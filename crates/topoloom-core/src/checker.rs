//! An independent judge of mappings: is a mapping valid, and what does it cost?
//!
//! It takes raw numbers. It does not use the trackers, the statistics or the metrics, only the
//! machine's own definition of distance.

use crate::ids::Vertex;
use crate::machine::Machine;
use crate::traffic::{Traffic, Weight};
use crate::words::counted;

/// What the checker found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Everything that is wrong, in words; empty if the mapping is valid.
    pub violations: Vec<String>,
    /// The hop-bytes of a valid mapping.
    pub hop_bytes: Option<f64>,
    /// The largest distance between partners of a valid mapping.
    pub max_dilation: Option<u32>,
    /// How far the fullest slot of a valid mapping is over its share: 0.03 for 3 %. If slots are
    /// not given, the fullest node counts. It is computed whatever limit was given.
    pub imbalance: Option<f64>,
}

/// What a mapping says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The node of each rank.
    pub node_of_rank: &'a [u32],
    /// It may be missing, as in a plain list of nodes; then only the ranks on each node count.
    pub slot_of_rank: Option<&'a [u32]>,
    /// With an imbalance E, a slot takes up to floor((1 + E) * ceil(W / slots)) of the ranks' weight
    /// W. Without one, it takes one rank.
    pub imbalance: Option<f64>,
}

/// Judges a mapping.
pub fn check(traffic: &Traffic, machine: &Machine, weight: Weight, claim: Claim) -> Verdict {
    let Claim { node_of_rank, slot_of_rank, imbalance } = claim;
    let mut violations = Vec::new();
    let ranks = traffic.num_ranks();
    for (kind, len) in std::iter::once(("node", node_of_rank.len()))
        .chain(slot_of_rank.map(|slots| ("slot", slots.len())))
    {
        if len != ranks {
            violations.push(format!("{} for {}", counted(len, kind), counted(ranks, "rank")));
        }
    }
    if violations.is_empty() {
        check_nodes(machine, node_of_rank, &mut violations);
        if let Some(slots) = slot_of_rank {
            check_slots(machine, node_of_rank, slots, &mut violations);
        }
        match imbalance {
            Some(imbalance) => {
                let load = Load::new(traffic, machine, imbalance);
                load.check(node_of_rank, slot_of_rank, &mut violations);
            }
            None => check_alone(machine, node_of_rank, slot_of_rank, &mut violations),
        }
    }
    if !violations.is_empty() {
        return Verdict { violations, hop_bytes: None, max_dilation: None, imbalance: None };
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
    Verdict {
        violations,
        hop_bytes: Some(hop_bytes),
        max_dilation: Some(max_dilation),
        imbalance: Some(Load::new(traffic, machine, 0.0).imbalance(node_of_rank, slot_of_rank)),
    }
}

fn check_nodes(machine: &Machine, node_of_rank: &[u32], violations: &mut Vec<String>) {
    let last = machine.topology().num_nodes() - 1;
    for (rank, &node) in node_of_rank.iter().enumerate() {
        if node as usize > last {
            violations.push(format!(
                "rank {rank} is on node {node}, but the machine has nodes 0 to {last}"
            ));
        }
    }
}

fn check_slots(machine: &Machine, nodes: &[u32], slots: &[u32], violations: &mut Vec<String>) {
    for (rank, (&slot, &node)) in slots.iter().zip(nodes).enumerate() {
        if slot / machine.slots_per_node() != node {
            violations.push(format!("rank {rank}: slot {slot} is not on node {node}"));
        }
    }
}

/// One rank per slot.
fn check_alone(
    machine: &Machine,
    nodes: &[u32],
    slots: Option<&[u32]>,
    violations: &mut Vec<String>,
) {
    let mut on_node = vec![0u32; machine.topology().num_nodes()];
    for &node in nodes {
        if let Some(count) = on_node.get_mut(node as usize) {
            *count += 1;
        }
    }
    for (node, &count) in on_node.iter().enumerate() {
        if count > machine.slots_per_node() {
            violations.push(format!(
                "node {node} holds {}, but has room for {}",
                counted(count, "rank"),
                machine.slots_per_node()
            ));
        }
    }
    let mut by_slot: Vec<(u32, usize)> =
        slots.into_iter().flatten().enumerate().map(|(rank, &slot)| (slot, rank)).collect();
    by_slot.sort_unstable();
    for pair in by_slot.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let ((slot, first), (_, second)) = (pair[0], pair[1]);
        violations.push(format!("ranks {first} and {second} are both in slot {slot}"));
    }
}

/// Several ranks per slot.
struct Load<'a> {
    weights: Option<&'a [f64]>,
    slots: usize,
    slots_per_node: u32,
    /// The load of a slot if all have the same.
    share: f64,
    slot_capacity: f64,
}

impl<'a> Load<'a> {
    fn new(traffic: &'a Traffic, machine: &Machine, imbalance: f64) -> Self {
        let slots_per_node = machine.slots_per_node();
        let slots = machine.topology().num_nodes() * slots_per_node as usize;
        let weights = traffic.rank_weights();
        let share = match weights {
            None => traffic.num_ranks().div_ceil(slots) as f64,
            Some(weights) => (weights.iter().sum::<f64>() / slots as f64).ceil(),
        };
        let slot_capacity = ((1.0 + imbalance) * share).floor();
        Load { weights, slots, slots_per_node, share, slot_capacity }
    }

    fn check(&self, nodes: &[u32], slots: Option<&[u32]>, violations: &mut Vec<String>) {
        let (kind, capacity) = match slots {
            Some(_) => ("slot", self.slot_capacity),
            None => ("node", self.slot_capacity * f64::from(self.slots_per_node)),
        };
        for (place, &weight) in self.held(nodes, slots).iter().enumerate() {
            if weight > capacity {
                violations.push(format!(
                    "{kind} {place} holds {weight}, but at most {capacity} is allowed"
                ));
            }
        }
    }

    /// The load of each slot, or of each node if slots are not given.
    fn held(&self, nodes: &[u32], slots: Option<&[u32]>) -> Vec<f64> {
        let (places, count) = match slots {
            Some(slots) => (slots, self.slots),
            None => (nodes, self.slots / self.slots_per_node as usize),
        };
        let mut held = vec![0.0; count];
        for (rank, &place) in places.iter().enumerate() {
            if let Some(held) = held.get_mut(place as usize) {
                *held += self.weights.map_or(1.0, |weights| weights[rank]);
            }
        }
        held
    }

    /// How far the fullest slot is over its share.
    fn imbalance(&self, nodes: &[u32], slots: Option<&[u32]>) -> f64 {
        let most = self.held(nodes, slots).into_iter().fold(0.0, f64::max);
        let share = match slots {
            Some(_) => self.share,
            None => self.share * f64::from(self.slots_per_node),
        };
        if share > 0.0 { (most / share - 1.0).max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrafficBuilder;

    fn claim<'a>(
        node_of_rank: &'a [u32],
        slot_of_rank: Option<&'a [u32]>,
        imbalance: Option<f64>,
    ) -> Claim<'a> {
        Claim { node_of_rank, slot_of_rank, imbalance }
    }

    fn two_ranks() -> Traffic {
        let mut builder = TrafficBuilder::new(2);
        builder.add(0, 1, 2.0, 10.0);
        builder.build()
    }

    #[test]
    fn a_valid_mapping_is_costed() {
        let machine = Machine::parse("mesh:4").unwrap();
        let verdict =
            check(&two_ranks(), &machine, Weight::Bytes, claim(&[0, 3], Some(&[0, 3]), None));
        assert_eq!(verdict.violations, [] as [String; 0]);
        // 10 bytes over 3 hops.
        assert_eq!(verdict.hop_bytes, Some(30.0));
        assert_eq!(verdict.max_dilation, Some(3));
    }

    #[test]
    fn every_violation_is_named() {
        let machine = Machine::parse("mesh:2,slots=2").unwrap();
        let violations = |nodes: &[u32], slots: Option<&[u32]>| {
            check(&two_ranks(), &machine, Weight::Bytes, claim(nodes, slots, None)).violations
        };
        assert_eq!(violations(&[0], None), ["1 node for 2 ranks"]);
        assert_eq!(
            violations(&[0, 5], None),
            ["rank 1 is on node 5, but the machine has nodes 0 to 1"]
        );
        assert_eq!(violations(&[0, 0], Some(&[1, 1])), ["ranks 0 and 1 are both in slot 1"]);
        assert_eq!(violations(&[0, 1], Some(&[0, 1])), ["rank 1: slot 1 is not on node 1"]);
        let machine = Machine::parse("mesh:2").unwrap();
        let verdict = check(&two_ranks(), &machine, Weight::Bytes, claim(&[1, 1], None, None));
        assert_eq!(verdict.violations, ["node 1 holds 2 ranks, but has room for 1"]);
    }

    #[test]
    fn with_an_imbalance_a_slot_takes_so_much_weight() {
        let machine = Machine::parse("mesh:1x1x2,slots=2").unwrap();
        let mut builder = TrafficBuilder::new(9);
        let unweighted = builder.clone().build();
        builder.set_rank_weights(vec![2.0; 9]);
        let weighted = builder.build();
        let violations = |traffic: &Traffic, nodes: &[u32], slots: Option<&[u32]>, imbalance| {
            check(traffic, &machine, Weight::Bytes, claim(nodes, slots, Some(imbalance))).violations
        };
        let nodes = [0, 0, 0, 0, 0, 1, 1, 1, 1];
        let slots = [0, 0, 0, 1, 1, 2, 2, 3, 3];
        // 9 on 4 slots: 3 each. 18: 5 each, 6 with a fifth more.
        assert_eq!(violations(&unweighted, &nodes, Some(&slots), 0.0), [] as [String; 0]);
        assert_eq!(
            violations(&weighted, &nodes, Some(&slots), 0.0),
            ["slot 0 holds 6, but at most 5 is allowed"]
        );
        assert_eq!(violations(&weighted, &nodes, Some(&slots), 0.2), [] as [String; 0]);
        assert_eq!(violations(&unweighted, &nodes, None, 0.0), [] as [String; 0]);
        // The actual imbalance, not the allowed one: 6 of weight 2 where 18 on 4 slots make 5.
        let counted = |traffic: &Traffic, imbalance| {
            let slots = Some(&slots[..]);
            check(traffic, &machine, Weight::Bytes, claim(&nodes, slots, Some(imbalance))).imbalance
        };
        assert_eq!(counted(&weighted, 100.0), Some(6.0 / 5.0 - 1.0));
        assert_eq!(counted(&unweighted, 100.0), Some(0.0));
        assert_eq!(counted(&weighted, 0.0), None);
        let all_on_one = [0; 9];
        assert_eq!(
            violations(&unweighted, &all_on_one, None, 0.0),
            ["node 0 holds 9, but at most 6 is allowed"]
        );
    }
}
