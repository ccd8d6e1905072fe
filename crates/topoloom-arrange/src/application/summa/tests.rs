use std::collections::HashMap;

use proptest::prelude::*;
use topoloom_core::{Event, Traffic, TrafficBuilder};

use super::*;
use crate::application::ApplicationError;
use crate::arrangement::Rectangle;

/// Columns of (processor, height), with their widths.
fn arrangement(columns: &[(u32, &[(u32, u32)])]) -> Arrangement {
    let column = |&(width, rectangles): &(u32, &[(u32, u32)])| Column {
        width,
        rectangles: rectangles
            .iter()
            .map(|&(processor, height)| Rectangle { processor, height })
            .collect(),
    };
    Arrangement::new(columns.iter().map(column).collect()).unwrap()
}

/// Two columns of 3 + 2 and 1 + 4 rows: overlaps of 1, 2 and 2.
fn small() -> Arrangement {
    arrangement(&[(2, &[(0, 3), (1, 2)]), (3, &[(2, 1), (3, 4)])])
}

/// Blocks of one byte, so bytes are blocks.
fn blocks(flow: Flow) -> Summa {
    Summa { block: 1, element_bytes: 1, flow, iterations: None }
}

fn triples(messages: Vec<Message>) -> Vec<(u32, u32, u64)> {
    messages.into_iter().map(|message| (message.from, message.to, message.bytes)).collect()
}

#[test]
fn around_rings_overlaps_of_all_columns_go_to_the_right_and_rows_go_down() {
    // Pivot 0: column 0 holds the column; 0 and 2 hold the row.
    let found = triples(blocks(Flow::Ring).messages(&small(), 0));
    assert_eq!(found, [(0, 2, 1), (0, 3, 2), (1, 3, 2), (0, 1, 2), (2, 3, 3)]);
    // Pivot 4: column 1 holds the column, around the end to column 0; 1 and 3 hold the row.
    let found = triples(blocks(Flow::Ring).messages(&small(), 4));
    assert_eq!(found, [(2, 0, 1), (3, 0, 2), (3, 1, 2), (1, 0, 2), (3, 2, 3)]);
}

#[test]
fn one_to_all_sends_one_message_for_each_overlap_of_two_rectangles() {
    // Three columns: 0 over 1 beside 2 beside 3 over 4.
    let three = arrangement(&[(1, &[(0, 2), (1, 1)]), (1, &[(2, 3)]), (1, &[(3, 1), (4, 2)])]);
    // Pivot 1 is column 1, which is all of 2: two parts to the left, two to the right.
    let found = triples(blocks(Flow::OneToAll).messages(&three, 1));
    assert_eq!(found, [(2, 0, 2), (2, 1, 1), (2, 3, 1), (2, 4, 2), (0, 1, 1), (4, 3, 1)]);
    // A ring cuts the column where any column is cut: three parts, two hops each.
    let found = triples(blocks(Flow::Ring).messages(&three, 1));
    let parts = [(2, 3, 1), (3, 0, 1), (2, 4, 1), (4, 0, 1), (2, 4, 1), (4, 1, 1)];
    assert_eq!(found[..6], parts);
}

#[test]
fn blocks_have_their_bytes() {
    assert_eq!(Summa::default().bytes_of_blocks(3), 3 * 64 * 64 * 8);
    let huge = Summa { block: u32::MAX, element_bytes: u32::MAX, ..Summa::default() };
    assert_eq!(huge.bytes_of_blocks(u32::MAX), u64::MAX);
}

#[test]
fn what_is_too_large_is_refused_before_it_is_tried() {
    let processors: Vec<u32> = (0..20_000).collect();
    let wide = Arrangement::grid(1, 20_000, (20_000, 1), &processors).unwrap();
    let high = Arrangement::grid(20_000, 1, (1, 20_000), &processors).unwrap();
    for one in [wide, high] {
        let to_all = blocks(Flow::OneToAll);
        assert!(matches!(to_all.traffic(&one), Err(ApplicationError::TooManyFlows(_))));
        for flow in [Flow::OneToAll, Flow::Ring] {
            let error = blocks(flow).trace(&one, None).unwrap_err();
            assert!(matches!(error, ApplicationError::TooManyEvents(_)), "{error}");
        }
        assert_eq!(blocks(Flow::Ring).traffic(&one).unwrap().num_flows(), 20_000);
    }
}

#[test]
fn a_single_processor_computes_and_sends_nothing() {
    let alone = arrangement(&[(5, &[(0, 5)])]);
    let trace = Summa::default().trace(&alone, Some(&[2e-6])).unwrap();
    let compute = Event::Compute { nanoseconds: 2000 };
    assert_eq!(trace.programs()[0], [Event::Repeat { times: 5 }, compute, Event::End]);
    assert_eq!(Summa::default().traffic(&alone).unwrap().num_flows(), 0);
}

#[test]
fn ranks_pass_on_what_they_get_and_repeat_what_is_alike() {
    // 0 | 1 | 2, each 2 wide and 6 high: in a row of three, processor 1 has 6 iterations.
    let row = arrangement(&[(2, &[(0, 6)]), (2, &[(1, 6)]), (2, &[(2, 6)])]);
    let trace = blocks(Flow::Ring).trace(&row, None).unwrap();
    let receive = Event::StartReceive { from: 0, tag: 0, request: 0 };
    let send = |request| Event::StartSend { to: 2, bytes: 6, tag: 0, request };
    let repeat = Event::Repeat { times: 2 };
    let wait = Event::Wait { request: 0 };
    let expected = [
        // 0 holds the pivot column: it is passed on.
        vec![repeat, receive, wait, send(1), Event::WaitAll, Event::End],
        // 1 holds it itself.
        vec![repeat, send(0), Event::WaitAll, Event::End],
        // 2 holds it: it comes here through 0, and has then been everywhere.
        vec![repeat, receive, Event::WaitAll, Event::End],
    ];
    assert_eq!(trace.programs()[1], expected.concat());
}

/// Arrangements of up to 6 columns of up to 6 rectangles, with processors in any order.
fn arrangements() -> impl Strategy<Value = Arrangement> {
    let columns =
        prop::collection::vec((1..5u32, prop::collection::btree_set(1..20u32, 0..6)), 1..7);
    (columns, any::<u64>()).prop_map(|(columns, seed)| {
        let count = columns.iter().map(|(_, cuts)| cuts.len() + 1).sum::<usize>() as u64;
        // Some order of all processors: multiplication by a coprime number is a permutation.
        let step =
            (seed % count..).find(|step| greatest_common_divisor(*step, count) == 1).unwrap();
        let mut number = seed % count;
        let columns = columns.into_iter().map(|(width, cuts)| {
            let cuts: Vec<u32> = [0].into_iter().chain(cuts).chain([20]).collect();
            let rectangles = cuts.windows(2).map(|pair| {
                number = (number + step) % count;
                Rectangle { processor: number as u32, height: pair[1] - pair[0] }
            });
            Column { width, rectangles: rectangles.collect() }
        });
        Arrangement::new(columns.collect()).unwrap()
    })
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn summas() -> impl Strategy<Value = Summa> {
    let flow = prop_oneof![Just(Flow::Ring), Just(Flow::OneToAll)];
    (flow, prop::option::of(0..30u32), 1..5u32).prop_map(|(flow, iterations, block)| Summa {
        block,
        element_bytes: 8,
        flow,
        iterations,
    })
}

/// All iterations, one after the other.
fn traffic_by_definition(summa: &Summa, arrangement: &Arrangement) -> Traffic {
    let mut builder = TrafficBuilder::new(arrangement.num_processors() as u32);
    for pivot in 0..summa.num_iterations(arrangement) {
        for Message { from, to, bytes } in summa.messages(arrangement, pivot) {
            builder.add(from, to, 1.0, bytes as f64);
        }
    }
    builder.build()
}

proptest! {
    #[test]
    fn traffic_is_that_of_all_iterations(arrangement in arrangements(), summa in summas()) {
        let by_definition = traffic_by_definition(&summa, &arrangement);
        prop_assert_eq!(summa.traffic(&arrangement).unwrap(), by_definition);
    }

    #[test]
    fn the_trace_sends_what_the_traffic_says(arrangement in arrangements(), summa in summas()) {
        let trace = summa.trace(&arrangement, None).unwrap();
        prop_assert_eq!(trace.traffic(), summa.traffic(&arrangement).unwrap());
        let iterations = summa.num_iterations(&arrangement);
        let overlaps = arrangement.cuts().len() - 1;
        let most = summa.most_events(&arrangement, overlaps, iterations);
        prop_assert!(trace.num_events() as u64 <= most, "{} {most}", trace.num_events());
    }

    #[test]
    fn everyone_receives_its_height_of_the_pivot_column_and_its_width_of_the_pivot_row(
        arrangement in arrangements(),
        flow in prop_oneof![Just(Flow::Ring), Just(Flow::OneToAll)],
    ) {
        let summa = blocks(flow);
        for pivot in 0..summa.num_iterations(&arrangement) {
            let mut received: HashMap<u32, u64> = HashMap::new();
            for message in summa.messages(&arrangement, pivot) {
                *received.entry(message.to).or_default() += message.bytes;
            }
            let mut left = 0;
            for column in arrangement.columns() {
                let holds_column = (left..left + column.width).contains(&pivot);
                left += column.width;
                for (processor, top, bottom) in extents(column) {
                    let height = if holds_column { 0 } else { bottom - top };
                    let width = if (top..bottom).contains(&pivot) { 0 } else { column.width };
                    let found = received.get(&processor).copied().unwrap_or(0);
                    prop_assert_eq!(found, u64::from(height + width), "{} {}", pivot, processor);
                }
            }
        }
    }
}
