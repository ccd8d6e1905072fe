//! Groups of blocks in place of groups of ranks. Groups that go through the same blocks are one
//! group with the bytes of all.

use std::collections::HashMap;
use std::sync::Arc;

use crate::traffic::Group;
use crate::training::{Call, Carry, GroupKind, Operation, StepTraffic};

/// The same job with one rank per block of `size` ranks: messages between blocks are the same,
/// wherever blocks are. None if members of a group are unevenly spread over blocks, or collectives
/// are not carried by rings.
pub(super) fn quotient(step: &StepTraffic, size: u32, count: u32) -> Option<StepTraffic> {
    if !matches!(step.carry, Carry::Ring | Carry::Pxn) {
        return None;
    }
    let kinds: Option<Vec<GroupKind>> = step
        .kinds
        .iter()
        .filter(|kind| kind.weight > 0.0)
        .map(|kind| of_kind(kind, size))
        .collect();
    Some(StepTraffic { ranks: count, ranks_per_node: 1, kinds: kinds?, carry: Carry::Ring })
}

fn of_kind(kind: &GroupKind, size: u32) -> Option<GroupKind> {
    // Blocks and list of calls, with how many groups there are of each.
    let mut known: HashMap<(Vec<u32>, u32), usize> = HashMap::new();
    let mut found: Vec<(Vec<u32>, u32, u32, f64)> = Vec::new();
    for (number, group) in kind.groups.iter().enumerate() {
        if kind.calls(number).is_empty() {
            continue;
        }
        let (blocks, per_block) = blocks_of(group, size)?;
        if blocks.len() < 2 {
            continue;
        }
        let key = (blocks, kind.list_of_group[number] * (size + 1) + per_block);
        match known.get(&key) {
            Some(&at) => found[at].3 += 1.0,
            None => {
                known.insert(key.clone(), found.len());
                found.push((key.0, kind.list_of_group[number], per_block, 1.0));
            }
        }
    }
    let lists = found
        .iter()
        .map(|(blocks, list, per_block, times)| {
            let calls = Call::combined(&kind.lists[*list as usize]);
            let shrunk = |call: Call| shrunk(call, blocks.len() as u32, *per_block, *times);
            calls.into_iter().filter_map(shrunk).collect()
        })
        .collect();
    Some(GroupKind {
        name: kind.name.clone(),
        weight: kind.weight,
        list_of_group: (0..found.len() as u32).collect(),
        lists,
        groups: found
            .into_iter()
            .map(|(blocks, ..)| Group::of_members(Arc::from(blocks)))
            .collect(),
    })
}

/// The blocks of a group in the order of its members, and how many members each has. None if blocks
/// differ in that, or come back.
fn blocks_of(group: &Group, size: u32) -> Option<(Vec<u32>, u32)> {
    let mut blocks: Vec<(u32, u32)> = Vec::new();
    for number in 0..group.size() {
        let block = group.member(number) / size;
        match blocks.last_mut() {
            Some((last, members)) if *last == block => *members += 1,
            _ => blocks.push((block, 1)),
        }
    }
    let members = blocks.first()?.1;
    let mut seen: Vec<u32> = blocks.iter().map(|(block, _)| *block).collect();
    seen.sort_unstable();
    seen.dedup();
    let even = blocks.iter().all(|(_, other)| *other == members) && seen.len() == blocks.len();
    even.then(|| (blocks.into_iter().map(|(block, _)| block).collect(), members))
}

/// A call among blocks that sends between them what `times` equal calls among their members send.
fn shrunk(call: Call, blocks: u32, per_block: u32, times: f64) -> Option<Call> {
    let members = blocks * per_block;
    let bytes = match call.operation {
        // Every member of a block sends to every member of another.
        Operation::AllToAll => call.bytes * f64::from(per_block),
        // One member of a block sends to the next block.
        operation => {
            let (large, small) =
                (operation.sent_per_byte(members), operation.sent_per_byte(blocks));
            call.bytes * large / small
        }
    };
    (bytes > 0.0).then_some(Call { bytes: bytes * times, ..call })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;
    use crate::training::Carrier;

    fn between_blocks(step: &StepTraffic, size: u32, count: u32) -> Vec<f64> {
        let mut sums = vec![0.0; (count * count) as usize];
        let mut carrier = Carrier::default();
        for kind in &step.kinds {
            for (number, group) in kind.groups.iter().enumerate() {
                let block = |rank: u32| rank / size;
                carrier.messages(
                    group,
                    kind.calls(number),
                    step.carry,
                    block,
                    |from, to, bytes| {
                        if block(from) != block(to) {
                            sums[(block(from) * count + block(to)) as usize] += kind.weight * bytes;
                        }
                    },
                );
            }
        }
        sums
    }

    #[test]
    fn blocks_send_each_other_what_their_ranks_do() {
        for options in [
            "tp=4,pp=2,dp=8,ep=8,etp=1",
            "tp=2,cp=4,pp=2,dp=4,virtual=2",
            "tp=8,pp=2,dp=4,zero=3",
            "tp=1,pp=4,dp=16,ep=16",
            "tp=4,pp=2,dp=8,ep=8,etp=1,carry=pxn",
        ] {
            let traffic = format!("llm:layers=8,hidden=64,experts=16,sequence=64,{options}");
            let traffic = parse_pattern(&traffic).unwrap();
            let step = traffic.step().unwrap();
            let small = quotient(step, 8, 8).unwrap();
            let (large, small) = (between_blocks(step, 8, 8), between_blocks(&small, 1, 8));
            for (a, b) in large.iter().zip(&small) {
                assert!((a - b).abs() <= 1e-9 * a.max(*b), "{options}: {a} {b}");
            }
        }
    }
}
