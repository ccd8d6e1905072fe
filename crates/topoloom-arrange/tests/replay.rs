//! Traces of arranged applications run to the end in the simulator.

use proptest::prelude::*;
use topoloom_arrange::{Application, Arrangement, Column, Flow, Rectangle, Summa};
use topoloom_core::traffic::patterns::Mpdata;
use topoloom_core::{Machine, Mapping, Trace, Weight};
use topoloom_sim::{Model, Report, simulate};

fn replay(trace: &Trace, model: &str) -> Report {
    let ranks = trace.num_ranks() as u32;
    let machine = Machine::parse(&format!("torus:{ranks}")).unwrap();
    let mapping = Mapping::new((0..ranks).collect(), &machine).unwrap();
    simulate(trace, &machine, &mapping, &Model::parse(model).unwrap()).unwrap()
}

fn column(width: u32, heights: &[u32], first: u32) -> Column {
    let rectangles = (first..).zip(heights);
    let rectangles = rectangles.map(|(processor, &height)| Rectangle { processor, height });
    Column { width, rectangles: rectangles.collect() }
}

/// Up to 4 columns of up to 4 rectangles, 12 blocks high.
fn arrangements() -> impl Strategy<Value = Arrangement> {
    let columns =
        prop::collection::vec((1..5u32, prop::collection::btree_set(1..12u32, 0..4)), 1..5);
    columns.prop_map(|columns| {
        let mut first = 0;
        let columns = columns.into_iter().map(|(width, cuts)| {
            let cuts: Vec<u32> = [0].into_iter().chain(cuts).chain([12]).collect();
            let heights: Vec<u32> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let column = column(width, &heights, first);
            first += heights.len() as u32;
            column
        });
        Arrangement::new(columns.collect()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nobody_waits_for_ever_whether_messages_wait_for_receivers_or_not(
        arrangement in arrangements(),
        flow in prop_oneof![Just(Flow::Ring), Just(Flow::OneToAll)],
        computes in any::<bool>(),
    ) {
        let seconds: Vec<f64> = (0..arrangement.num_processors()).map(|p| p as f64 * 1e-6).collect();
        let summa = Summa { block: 8, flow, ..Summa::default() };
        let trace = summa.trace(&arrangement, computes.then_some(&seconds[..])).unwrap();
        let traffic = summa.traffic(&arrangement).unwrap();
        for model in ["flow:eager=0", "flow", "packet:eager=0"] {
            let report = replay(&trace, model);
            prop_assert_eq!(report.unreceived, 0);
            prop_assert_eq!(report.messages as f64, traffic.total(Weight::Messages));
            prop_assert_eq!(report.bytes, traffic.total(Weight::Bytes));
        }
    }
}

#[test]
fn a_ring_is_a_pipeline() {
    // Four processors in a row, of which the first holds four pivots: 7 blocks of 32768 bytes from
    // neighbour to neighbour. At 10 GB/s and 100 ns a hop takes 23.0376 us.
    let widths = [4, 1, 1, 1];
    let columns = (0..).zip(widths).map(|(first, width)| column(width, &[7], first)).collect();
    let arrangement = Arrangement::new(columns).unwrap();
    let hop = 7.0 * 32768.0 / 10e9 + 100e-9;
    let first = |iterations| {
        let summa = Summa { iterations: Some(iterations), ..Summa::default() };
        replay(&summa.trace(&arrangement, None).unwrap(), "flow").seconds
    };
    assert!((first(1) - 3.0 * hop).abs() < 1e-10, "{}", first(1));
    // The second processor is ready for the next pivot when it has passed on the previous one,
    // after two hops: the fourth pivot ends after 3 * 2 + 3 hops, not after 4 * 3.
    assert!((first(4) - 9.0 * hop).abs() < 1e-10, "{} {hop}", first(4));
}

#[test]
fn bars_of_mpdata_go_before_its_slices() {
    // 2 x 2 parts of 4 x 4 x 100 numbers, halo 1: 4 bars of 800 bytes on the link to the side, then
    // a slice of 1*(1+4+1)*100*8 = 4800 bytes up or down; on a ring of four, 0-1, 1-3, 3-2, 2-0.
    let mpdata = Mpdata {
        rows: 2,
        columns: 2,
        domain: [8, 8, 100],
        ihalo: 1,
        jhalo: 1,
        steps: 3,
        ..Mpdata::default()
    };
    let arrangement = Arrangement::grid(2, 2, (4, 4), &[3, 1, 2, 0]).unwrap();
    let trace = Application::Mpdata(mpdata).trace(&arrangement, None).unwrap();
    let machine = Machine::parse("torus:4").unwrap();
    let mapping = Mapping::new(vec![0, 1, 3, 2], &machine).unwrap();
    let report = simulate(&trace, &machine, &mapping, &Model::parse("flow").unwrap()).unwrap();
    let step = (4.0 * 800.0 + 4800.0) / 10e9 + 2.0 * 100e-9;
    assert!((report.seconds - 3.0 * step).abs() < 1e-10, "{} {step}", report.seconds);
}
