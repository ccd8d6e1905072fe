use proptest::prelude::*;

use super::*;
use crate::traffic::{CollectiveMode, Weight};
use crate::{Rank, parse_pattern};

/// (from, to, messages, bytes) of every flow.
fn flows(traffic: &Traffic) -> Vec<(u32, u32, f64, f64)> {
    traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes)).collect()
}

fn built(ranks: u32, flows: &[(u32, u32, f64, f64)]) -> Traffic {
    let mut builder = TrafficBuilder::new(ranks);
    flows.iter().for_each(|&(from, to, messages, bytes)| builder.add(from, to, messages, bytes));
    builder.build()
}

fn with_collective(ranks: u32, operation: Operation, group: Group) -> Traffic {
    let mut builder = TrafficBuilder::new(ranks);
    builder.add_collective(Collective { operation, group, calls: 4, bytes: 10 });
    builder.build()
}

fn weighted(weights: &[f64]) -> Traffic {
    let mut builder = TrafficBuilder::new(weights.len() as u32);
    builder.add(0, 1, 1.0, 1.0);
    builder.set_rank_weights(weights.to_vec());
    builder.build()
}

#[test]
fn a_sum_adds_flows_weights_and_calls() {
    let a = built(3, &[(0, 1, 1.0, 10.0), (2, 2, 1.0, 1.0)]);
    let b = built(3, &[(0, 1, 2.0, 5.0), (1, 0, 1.0, 7.0)]);
    let sum = Traffic::sum(&[a.clone(), b]).unwrap();
    assert_eq!(flows(&sum), [(0, 1, 3.0, 15.0), (1, 0, 1.0, 7.0), (2, 2, 1.0, 1.0)]);
    let weights = Traffic::sum(&[weighted(&[1.0, 2.0, 3.0]), weighted(&[4.0, 4.0, 4.0]), a]);
    assert_eq!(weights.unwrap().rank_weights(), Some(&[5.0, 6.0, 7.0][..]));
    let barrier = with_collective(3, Operation::Barrier, Group::first(3));
    let broadcast = with_collective(3, Operation::Broadcast, Group::first(3));
    let sum = Traffic::sum(&[barrier.clone(), broadcast, barrier]).unwrap();
    let calls: Vec<u64> = sum.collectives().iter().map(|collective| collective.calls).collect();
    assert_eq!(calls, [8, 4]);
}

#[test]
fn sums_of_different_ranks_are_refused() {
    let error = Traffic::sum(&[built(3, &[]), built(3, &[]), built(4, &[])]).unwrap_err();
    assert_eq!(error.to_string(), "3 ranks in the first and 4 in number 3: they must agree");
}

#[test]
fn jobs_side_by_side_keep_their_order() {
    let group = Group::Strided { first: 0, stride: 1, size: 2 };
    let mut builder = TrafficBuilder::new(2);
    builder.add(0, 1, 1.0, 3.0);
    builder.add_collective(Collective { operation: Operation::Barrier, group, calls: 1, bytes: 0 });
    let job = builder.build();
    let both = Traffic::side_by_side(&[weighted(&[5.0, 6.0, 7.0]), job.clone(), job]).unwrap();
    assert_eq!(both.num_ranks(), 7);
    assert_eq!(flows(&both)[1..], [(3, 4, 1.0, 3.0), (5, 6, 1.0, 3.0)]);
    assert_eq!(both.rank_weights(), Some(&[5.0, 6.0, 7.0, 1.0, 1.0, 1.0, 1.0][..]));
    let groups: Vec<u32> = both.collectives().iter().map(|c| c.group.member(0)).collect();
    assert_eq!(groups, [3, 5]);
}

#[test]
fn scaling_bytes_makes_messages_larger_and_scaling_both_makes_more_of_them() {
    let mut builder = TrafficBuilder::new(4);
    builder.add(0, 1, 2.0, 10.0);
    let group = Group::first(4);
    let allreduce = Operation::Allreduce;
    builder.add_collective(Collective { operation: allreduce, group, calls: 4, bytes: 10 });
    let sizes = VariableSizes::Pairs(Arc::from([(0, 1, 8.0)]));
    let variable = Operation::AllToAllVariable(sizes);
    builder.add_collective(Collective {
        operation: variable,
        group: Group::first(4),
        calls: 2,
        bytes: 0,
    });
    let traffic = builder.build();
    for (bytes, messages) in [(3.0, 1.0), (1.0, 2.0), (2.0, 2.0), (0.5, 0.5)] {
        let scaled = traffic.scaled(Scaling { bytes, messages }).unwrap();
        assert_eq!(scaled.rounded, 0, "{bytes} {messages}");
        let direct = |traffic: &Traffic, weight| {
            traffic.with_collectives(CollectiveMode::Direct).unwrap().total(weight)
        };
        let was = |weight| direct(&traffic, weight);
        let is = |weight| direct(&scaled.traffic, weight);
        assert_eq!(is(Weight::Bytes), bytes * was(Weight::Bytes), "{bytes} {messages}");
        assert_eq!(is(Weight::Messages), messages * was(Weight::Messages), "{bytes} {messages}");
    }
    // 4 calls of 10 bytes become 1.2, which is rounded to 1.
    assert_eq!(traffic.scaled(Scaling { bytes: 0.3, messages: 0.3 }).unwrap().rounded, 2);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(traffic.scaled(Scaling { bytes: wrong, messages: 1.0 }).is_err());
    }
    assert!(traffic.scaled(Scaling { bytes: 1e308, messages: 1.0 }).is_err());
}

#[test]
fn ranks_that_are_kept_are_renumbered_or_keep_their_numbers() {
    let traffic = built(4, &[(0, 1, 1.0, 1.0), (1, 3, 1.0, 2.0), (3, 3, 1.0, 3.0)]);
    let ranks = Some(vec![false, true, false, true]);
    let filter = Filter { ranks: ranks.clone(), ..Filter::default() };
    let filtered = traffic.filtered(&filter).traffic;
    assert_eq!(filtered.num_ranks(), 2);
    assert_eq!(flows(&filtered), [(0, 1, 1.0, 2.0), (1, 1, 1.0, 3.0)]);
    let filter = Filter { ranks, keep_numbers: true, ..Filter::default() };
    let filtered = traffic.filtered(&filter).traffic;
    assert_eq!(filtered.num_ranks(), 4);
    assert_eq!(flows(&filtered), [(1, 3, 1.0, 2.0), (3, 3, 1.0, 3.0)]);
}

#[test]
fn members_that_remain_go_on_without_the_others() {
    let filter = Filter { ranks: Some(vec![false, true, true, true]), ..Filter::default() };
    let group = Group::first(4);
    for (operation, left) in [
        (Operation::Allreduce, Some(3)),
        (Operation::AllToAll, Some(3)),
        (Operation::Barrier, Some(3)),
        // The root is gone.
        (Operation::Broadcast, None),
        (Operation::Gather, None),
    ] {
        let filtered = with_collective(4, operation, group.clone()).filtered(&filter);
        let sizes = filtered.traffic.collectives().iter().map(|c| c.group.size()).next();
        assert_eq!(sizes, left);
        assert_eq!(filtered.dropped_collectives, usize::from(left.is_none()));
        assert_eq!(filtered.reduced_collectives, usize::from(left.is_some()));
    }
    let sizes = VariableSizes::Pairs(Arc::from([(0, 1, 1.0), (1, 2, 2.0), (3, 3, 3.0)]));
    let variable = with_collective(4, Operation::AllToAllVariable(sizes), group);
    let kept = variable.filtered(&filter).traffic.collectives()[0].operation.clone();
    let expected = VariableSizes::Pairs(Arc::from([(0, 1, 2.0), (2, 2, 3.0)]));
    assert_eq!(kept, Operation::AllToAllVariable(expected));
}

#[test]
fn limits_concern_flows_and_the_heaviest_partners_of_either_stay() {
    let traffic = parse_pattern("stencil:3").unwrap();
    let star = built(4, &[(0, 1, 9.0, 1.0), (0, 2, 1.0, 5.0), (3, 0, 1.0, 7.0), (0, 0, 1.0, 1.0)]);
    let by = |filter: Filter| flows(&star.filtered(&filter).traffic);
    let min_bytes = Filter { min_bytes: 5.0, ..Filter::default() };
    assert_eq!(by(min_bytes), [(0, 2, 1.0, 5.0), (3, 0, 1.0, 7.0)]);
    let min_messages = Filter { min_messages: 2.0, ..Filter::default() };
    assert_eq!(by(min_messages), [(0, 1, 9.0, 1.0)]);
    // The only partner of every rank is rank 0, so all stay.
    let top = Filter { top_partners: Some(1), ..Filter::default() };
    assert_eq!(by(top.clone()).len(), 4);
    // Rank 1's heaviest partner is 0, the lower of two; that of rank 2 is 1.
    assert_eq!(traffic.filtered(&top).traffic.num_flows(), 4);
    let none = Filter { top_partners: Some(0), ..Filter::default() };
    assert_eq!(by(none), [(0, 0, 1.0, 1.0)]);
}

#[test]
fn both_directions_get_the_mean_the_sum_or_the_larger() {
    let traffic =
        built(3, &[(0, 1, 2.0, 10.0), (1, 0, 4.0, 6.0), (2, 0, 1.0, 8.0), (1, 1, 3.0, 3.0)]);
    let expect = |both_ways, pairs: [(f64, f64); 2]| {
        let [(m01, b01), (m02, b02)] = pairs;
        let expected = [
            (0, 1, m01, b01),
            (0, 2, m02, b02),
            (1, 0, m01, b01),
            (1, 1, 3.0, 3.0),
            (2, 0, m02, b02),
        ];
        assert_eq!(flows(&traffic.symmetrized(both_ways)), expected);
    };
    expect(BothWays::Mean, [(3.0, 8.0), (0.5, 4.0)]);
    expect(BothWays::Sum, [(6.0, 16.0), (1.0, 8.0)]);
    expect(BothWays::Largest, [(4.0, 10.0), (1.0, 8.0)]);
}

#[test]
fn groups_send_what_their_ranks_send() {
    let ring = parse_pattern("ring:6").unwrap();
    let halves = ring.coarsened(&[0, 0, 0, 1, 1, 1], 2, false);
    // Two pairs inside each half, and two between them, in both directions.
    let expected = [(0, 0, 4.0, 4.0), (0, 1, 2.0, 2.0), (1, 0, 2.0, 2.0), (1, 1, 4.0, 4.0)];
    assert_eq!(flows(&halves), expected);
    assert_eq!(halves.rank_weights(), None);
    let uneven = ring.coarsened(&[0, 0, 0, 0, 1, 1], 2, true);
    assert_eq!(flows(&uneven), [(0, 1, 2.0, 2.0), (1, 0, 2.0, 2.0)]);
    assert_eq!(uneven.rank_weights(), Some(&[4.0, 2.0][..]));
    let sums = weighted(&[1.0, 2.0, 3.0]).coarsened(&[1, 0, 1], 2, false);
    assert_eq!(sums.rank_weights(), Some(&[2.0, 4.0][..]));
}

#[test]
fn collectives_of_groups_move_between_groups_what_those_of_ranks_did() {
    use Operation::{AllToAll, Allgather, Gather, ReduceScatter, Scatter};
    for group_of in [[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]] {
        for operation in [AllToAll, Gather, Scatter] {
            let traffic = with_collective(6, operation.clone(), Group::first(6));
            let direct =
                |traffic: &Traffic| traffic.with_collectives(CollectiveMode::Direct).unwrap();
            let before = direct(&traffic).coarsened(&group_of, 3, true);
            let after = direct(&traffic.coarsened(&group_of, 3, true));
            for flow in before.flows() {
                let mut same = after.flows_from(flow.from).filter(|other| other.to == flow.to);
                let bytes = same.next().map(|flow| flow.bytes);
                assert_eq!(bytes, Some(flow.bytes), "{} {group_of:?}", operation.mpi_name());
            }
        }
        // Every part goes to each group once, not to each of its ranks: two of three groups.
        for operation in [Allgather, ReduceScatter] {
            let traffic = with_collective(6, operation, Group::first(6));
            let coarse = traffic.coarsened(&group_of, 3, true);
            let bytes = coarse.with_collectives(CollectiveMode::Direct).unwrap();
            assert_eq!(bytes.total(Weight::Bytes), 4.0 * 10.0 * 6.0 * 2.0);
        }
    }
    let inside = with_collective(6, Operation::Allreduce, Group::first(2));
    assert!(inside.coarsened(&[0, 0, 1, 1, 2, 2], 3, false).collectives().is_empty());
    let rooted = with_collective(6, Operation::Broadcast, Group::List(Arc::from([5, 0, 1, 4])));
    let coarse = rooted.coarsened(&[0, 0, 1, 1, 2, 2], 3, false);
    assert_eq!(coarse.collectives()[0].group, Group::List(Arc::from([2, 0])));
}

fn any_traffic() -> impl Strategy<Value = Traffic> {
    let flow = (0..9u32, 0..9u32, 0..5u32, 0..1000u32);
    let weights = prop::option::of(prop::collection::vec(0..9u32, 9));
    (prop::collection::vec(flow, 0..40), weights, 0..3u64).prop_map(|(flows, weights, calls)| {
        let mut builder = TrafficBuilder::new(9);
        for (from, to, messages, bytes) in flows {
            builder.add(from, to, f64::from(messages), f64::from(bytes));
        }
        if let Some(weights) = weights {
            builder.set_rank_weights(weights.into_iter().map(f64::from).collect());
        }
        let group = Group::Strided { first: 1, stride: 2, size: 4 };
        let operation = Operation::AllToAll;
        builder.add_collective(Collective { operation, group, calls, bytes: 7 });
        builder.build()
    })
}

proptest! {
    #[test]
    fn a_sum_does_not_depend_on_the_order(a in any_traffic(), b in any_traffic()) {
        let there = Traffic::sum(&[a.clone(), b.clone()]).unwrap();
        let back = Traffic::sum(&[b, a.clone()]).unwrap();
        prop_assert_eq!(&there, &back);
        let nothing = TrafficBuilder::new(9).build();
        prop_assert_eq!(Traffic::sum(&[a.clone(), nothing]).unwrap(), a);
    }

    #[test]
    fn what_is_symmetric_stays_as_it_is(traffic in any_traffic()) {
        for both_ways in [BothWays::Mean, BothWays::Largest] {
            let once = traffic.symmetrized(both_ways);
            prop_assert!(once.is_symmetric());
            prop_assert_eq!(once.symmetrized(both_ways), once);
        }
        let total = traffic.symmetrized(BothWays::Mean).total(Weight::Bytes);
        prop_assert_eq!(total, traffic.total(Weight::Bytes));
    }

    #[test]
    fn scaling_by_one_and_groups_of_one_change_nothing(traffic in any_traffic()) {
        let scaled = traffic.scaled(Scaling { bytes: 1.0, messages: 1.0 }).unwrap();
        prop_assert_eq!(&scaled.traffic, &traffic);
        let alone: Vec<u32> = (0..9).collect();
        prop_assert_eq!(&traffic.coarsened(&alone, 9, false), &traffic);
        prop_assert_eq!(&traffic.filtered(&Filter::default()).traffic, &traffic);
    }

    #[test]
    fn groups_keep_the_total(traffic in any_traffic(), group_of in prop::collection::vec(0..4u32, 9)) {
        let coarse = traffic.coarsened(&group_of, 4, false);
        prop_assert_eq!(coarse.total(Weight::Bytes), traffic.total(Weight::Bytes));
        prop_assert_eq!(coarse.total(Weight::Messages), traffic.total(Weight::Messages));
        let between: f64 = traffic
            .flows()
            .filter(|flow| group_of[flow.from.index()] != group_of[flow.to.index()])
            .map(|flow| flow.bytes)
            .sum();
        let without = traffic.coarsened(&group_of, 4, true);
        prop_assert_eq!(without.total(Weight::Bytes), between);
    }

    #[test]
    fn filters_keep_what_is_heavy_and_nothing_else(traffic in any_traffic(), least in 0..900u32) {
        let filter = Filter { min_bytes: f64::from(least), ..Filter::default() };
        let kept = flows(&traffic.filtered(&filter).traffic);
        let mut expected = flows(&traffic);
        expected.retain(|flow| flow.3 >= f64::from(least));
        prop_assert_eq!(kept, expected);
        prop_assert_eq!(traffic.flows_from(Rank(0)).count() > 9, false);
    }
}
