//! Whole schedules: small ones computed by hand, and properties of all schedules.

use std::sync::Arc;

use topoloom_core::objective::HopBytes;
use topoloom_core::random::{below, stream};
use topoloom_core::{CollectiveMode, Effort, Machine, Weight, parse_strategy};
use topoloom_schedule::partition::Divider;
use topoloom_schedule::queue::parse_queue;
use topoloom_schedule::workload::{Lublin, WorkloadModel};
use topoloom_schedule::{
    Job, NodeTicks, PARTITIONS, QUEUES, RunTimes, Schedule, Simulation, Stop, Template, TrafficMix,
    TrafficRules,
};

/// Jobs from (submit, nodes, run time), estimates exact.
fn jobs(rows: &[(u64, u32, u64)]) -> Vec<Job> {
    let job = |(number, &(submit, ranks, run_time))| Job {
        number,
        submit,
        ranks,
        run_time,
        estimate: run_time,
    };
    (1..).zip(rows).map(job).collect()
}

fn run(machine: &str, jobs: Vec<Job>, queue: &str, partition: &str) -> Schedule {
    let machine = Machine::parse(machine).unwrap();
    let simulation = Simulation::without_traffic(&machine, jobs);
    let divider = Divider::parse(partition, &machine).unwrap();
    let queue = parse_queue(queue).unwrap();
    simulation.run(&queue, &divider, &Stop::never()).unwrap().unwrap()
}

fn starts(jobs: Vec<Job>, queue: &str) -> Vec<u64> {
    run("mesh:10", jobs, queue, "any-nodes").jobs.iter().map(|job| job.start).collect()
}

/// On 10 nodes: 6 nodes for 10 run at once, then 8 nodes for 10 have to wait, and behind them are a short
/// narrow job, a long narrow one and a long wide one.
const STREAM: [(u64, u32, u64); 5] = [(0, 6, 10), (1, 8, 10), (2, 4, 8), (3, 2, 30), (4, 4, 20)];

#[test]
fn first_come_lets_nobody_pass() {
    // The second starts when the first ends, the third when 4 nodes are free: at 20. Of the 6 others the fourth
    // takes 2 and the last 4.
    assert_eq!(starts(jobs(&STREAM), "first-come"), [0, 10, 20, 20, 20]);
}

#[test]
fn easy_lets_pass_who_does_not_delay_the_first() {
    // The second has its nodes at 10. The third ends at 10 and may pass. Then nothing is free until 10, where the
    // second leaves 2 nodes: the fourth takes them. The last has to wait for the second's end at 20.
    assert_eq!(starts(jobs(&STREAM), "easy"), [0, 10, 2, 10, 20]);
    // Without the third, the fourth passes at 3, because 2 nodes are left beside the second at 10.
    let without = [STREAM[0], STREAM[1], STREAM[3], STREAM[4]];
    assert_eq!(starts(jobs(&without), "easy"), [0, 10, 3, 20]);
}

#[test]
fn easy_may_delay_the_third_and_conservative_does_not() {
    // 10 nodes: A has 5 until 10. B needs 10 at 10 until 20. C needs 6 at 20 until 30. D needs 5 for 8 and
    // ends at 10 with A. E needs 5 from 20 to 45: with C there are 4 nodes left.
    let rows = [(0, 5, 10), (1, 10, 10), (1, 6, 10), (2, 5, 8), (2, 5, 25)];
    assert_eq!(starts(jobs(&rows), "easy"), [0, 10, 20, 2, 30]);
    assert_eq!(starts(jobs(&rows), "conservative"), [0, 10, 20, 2, 30]);
    // Now B needs 6 nodes. Under EASY a job of 4 nodes for 100 passes it at once (6 + 4 = 10), although C,
    // which needs 10, then waits until it ends; conservative keeps C's reservation at 20.
    let rows = [(0, 5, 10), (1, 6, 10), (1, 10, 10), (2, 4, 100)];
    assert_eq!(starts(jobs(&rows), "easy"), [0, 10, 102, 2]);
    assert_eq!(starts(jobs(&rows), "conservative"), [0, 10, 20, 30]);
}

#[test]
fn conservative_moves_reservations_forward_when_a_job_ends_early() {
    // The first says 100 and takes 10. The second, of 10 nodes, is planned for 100; the third, of 5 nodes for
    // 50, passes it at once. At 10 nothing can start: the third runs until 51. Then the second moves to 51.
    let mut rows = jobs(&[(0, 5, 10), (1, 10, 10), (1, 5, 50)]);
    rows[0].estimate = 100;
    assert_eq!(starts(rows.clone(), "conservative"), [0, 51, 1]);
    assert_eq!(starts(rows.clone(), "easy"), [0, 51, 1]);
    // With 110 instead of 50 the third would end after 100, and may not pass.
    rows[2] = Job { run_time: 110, estimate: 110, ..rows[2] };
    assert_eq!(starts(rows.clone(), "conservative"), [0, 10, 20]);
    assert_eq!(starts(rows, "easy"), [0, 10, 20]);
}

#[test]
fn what_happens_at_once_is_in_the_order_of_job_numbers() {
    let rows = [(0, 10, 10), (10, 6, 5), (10, 6, 5), (10, 4, 5)];
    let mut jobs = jobs(&rows);
    // Numbers decide, not the order in the file.
    jobs.swap(1, 2);
    for queue in QUEUES.entries.iter().map(|entry| entry.name) {
        let schedule = run("mesh:10", jobs.clone(), queue, "any-nodes");
        let starts: Vec<(u64, u64)> =
            schedule.jobs.iter().map(|done| (done.job.number, done.start)).collect();
        let third_passes = if queue == "first-come" { 15 } else { 10 };
        assert_eq!(starts, [(1, 0), (2, 10), (3, 15), (4, third_passes)], "{queue}");
    }
}

#[test]
fn boxes_wait_where_any_nodes_would_do() {
    // A row of 4: nodes 0, 1 and 2 have one job each, and the one in the middle ends first.
    let rows = jobs(&[(0, 1, 10), (0, 1, 5), (0, 1, 10), (6, 2, 5)]);
    let any = run("mesh:4", rows.clone(), "first-come", "any-nodes");
    assert_eq!((any.jobs[3].start, &any.jobs[3].partition.nodes[..]), (6, &[1, 3][..]));
    assert_eq!(any.node_ticks.scattered, 0);
    let boxes = run("mesh:4", rows, "first-come", "free-box");
    assert_eq!(boxes.jobs[3].start, 10);
    // From 6 to 10 nodes 1 and 3 are idle, which is as many as the job asks for.
    assert_eq!(boxes.node_ticks.scattered, 8);
    let expected = NodeTicks { busy: 10 + 5 + 10 + 2 * 5, scattered: 8, ..boxes.node_ticks };
    assert_eq!(boxes.node_ticks, expected);
    assert_eq!(boxes.node_ticks.total(), 4 * 15);
}

#[test]
fn blocks_hold_more_than_was_asked_for() {
    // 3 nodes in a block of 4 for 10, and 5 of 8 in the whole machine for 4 after them.
    let schedule = run("mesh:8", jobs(&[(0, 3, 10), (0, 5, 4)]), "easy", "fixed");
    assert_eq!(schedule.jobs[1].start, 10);
    let NodeTicks { busy, held_beyond, too_few, scattered, unwanted } = schedule.node_ticks;
    // While the first runs, 4 nodes are idle, and the second asks for 5.
    assert_eq!((busy, held_beyond, too_few), (30 + 20, 10 + 12, 40));
    assert_eq!((scattered, unwanted), (0, 0));
    assert!((schedule.measures.internal_fragmentation - 22.0 / 112.0).abs() < 1e-12);
}

#[test]
fn measures_are_those_of_the_definition() {
    // In seconds: the second waits 90 and takes 20; its slowdown is 110 / 20, that of the first 1. A job of a second
    // counts as 10 seconds: the third responds after 109 + 1.
    let seconds = jobs(&[(0, 10, 100_000), (10_000, 5, 20_000), (11_000, 10, 1_000)]);
    let schedule = run("mesh:10", seconds, "first-come", "any-nodes");
    let measures = schedule.measures;
    assert_eq!(measures.wait, (0.0 + 90.0 + 109.0) / 3.0);
    assert_eq!(measures.longest_wait, 109.0);
    assert_eq!(measures.response, (100.0 + 110.0 + 110.0) / 3.0);
    assert!((measures.bounded_slowdown - (1.0 + 5.5 + 11.0) / 3.0).abs() < 1e-12);
    assert_eq!(measures.makespan, 121.0);
    // 1000 + 100 + 10 of 1210 node seconds.
    assert!((measures.utilisation - 1110.0 / 1210.0).abs() < 1e-12);
    assert_eq!(measures.stretch, 1.0);
}

fn random_jobs(seed: u64, nodes: u32, count: usize) -> Vec<Job> {
    let mut rng = stream(seed, &[9]);
    let mut submit = 0;
    (1..=count as u64)
        .map(|number| {
            submit += u64::from(below(&mut rng, 8));
            let run_time = u64::from(below(&mut rng, 40));
            let estimate = run_time + u64::from(below(&mut rng, 3) * below(&mut rng, 30));
            Job { number, submit, ranks: 1 + below(&mut rng, nodes), run_time, estimate }
        })
        .collect()
}

/// Properties of every schedule: no job starts too early, no jobs share a node, and node ticks add
/// up.
fn check(schedule: &Schedule, nodes: usize, what: &str) {
    for (at, one) in schedule.jobs.iter().enumerate() {
        assert!(one.start >= one.job.submit && one.end > one.start, "{what}");
        assert!(one.partition.nodes.len() as u32 >= one.job.ranks, "{what}");
        for other in &schedule.jobs[..at] {
            if one.start < other.end && other.start < one.end {
                let shared =
                    one.partition.nodes.iter().find(|node| other.partition.nodes.contains(node));
                assert_eq!(shared, None, "{what}: {} and {}", one.job.number, other.job.number);
            }
        }
    }
    assert_eq!(
        schedule.node_ticks.total(),
        nodes as u128 * u128::from(schedule.makespan),
        "{what}"
    );
    let busy: u128 = schedule
        .jobs
        .iter()
        .map(|done| u128::from(done.end - done.start) * u128::from(done.job.ranks))
        .sum();
    assert_eq!(schedule.node_ticks.busy, busy, "{what}");
}

#[test]
fn node_ticks_add_up_and_nobody_shares_a_node_under_any_policies() {
    for spec in ["torus:4x3x2", "mesh:5x5", "tree:4:3:2,distances=1:5:9", "hypercube:4"] {
        let machine = Machine::parse(spec).unwrap();
        let nodes = machine.num_nodes();
        for entry in PARTITIONS.entries {
            let Ok(divider) = Divider::parse(entry.name, &machine) else { continue };
            for queue in QUEUES.entries.iter().map(|entry| entry.name) {
                let what = format!("{spec} {} {queue}", entry.name);
                let policy = parse_queue(queue).unwrap();
                let jobs = random_jobs(nodes as u64, nodes as u32, 60);
                let mut simulation = Simulation::without_traffic(&machine, jobs);
                let fits = simulation.fitting(&divider, &Stop::never()).unwrap().unwrap();
                simulation.retain(&fits);
                assert!(simulation.jobs().len() > 30, "{what}");
                let schedule = simulation.run(&policy, &divider, &Stop::never()).unwrap().unwrap();
                check(&schedule, nodes, &what);
                if divider.policy().takes_any_nodes() && queue != "conservative" {
                    assert_eq!(schedule.node_ticks.scattered, 0, "{what}");
                }
            }
        }
    }
}

#[test]
fn shapes_that_are_asked_for_are_given() {
    let machine = Machine::parse("torus:4x4x4").unwrap();
    for (shape, most_sides) in [("2d", 2), ("cube", 3)] {
        let divider =
            Divider::parse(&format!("free-box:shape={shape},fit=best"), &machine).unwrap();
        let jobs = random_jobs(3, 16, 50);
        let simulation = Simulation::without_traffic(&machine, jobs);
        let queue = parse_queue("easy").unwrap();
        let schedule = simulation.run(&queue, &divider, &Stop::never()).unwrap().unwrap();
        check(&schedule, 64, shape);
        for done in &schedule.jobs {
            let lengths = done.partition.lengths.as_ref().unwrap();
            assert_eq!(lengths.iter().product::<u32>() as usize, done.partition.nodes.len());
            assert!(lengths.iter().filter(|&&side| side > 1).count() <= most_sides, "{lengths:?}");
        }
    }
}

fn rules(strategy: &str, communication: f64) -> TrafficRules {
    let templates =
        ["stencil:2D", "stencil:3D", "all-to-all:N"].map(|text| Template::parse(text).unwrap());
    TrafficRules {
        mix: TrafficMix::new(templates.to_vec()).unwrap(),
        communication,
        objective: Arc::new(HopBytes),
        strategy: parse_strategy(strategy).unwrap(),
        strategy_name: strategy.to_string(),
        effort: Effort::Fast,
        seed: 1,
        weight: Weight::Bytes,
        collectives: CollectiveMode::default(),
    }
}

fn with_traffic(machine: &Machine, partition: &str, queue: &str) -> Schedule {
    let jobs = Lublin { jobs: 60 }.generate(machine.num_nodes() as u32, 1, 3);
    let rules = rules("greedy", 0.5);
    let kinds = rules.mix.draw(jobs.len(), 3);
    let run_times = Arc::new(RunTimes::new(machine, rules).unwrap());
    let divider = Divider::parse(partition, machine).unwrap();
    let simulation = Simulation::new(jobs, kinds, run_times);
    let queue = parse_queue(queue).unwrap();
    simulation.run(&queue, &divider, &Stop::never()).unwrap().unwrap()
}

#[test]
fn run_times_that_depend_on_the_partition_keep_every_promise() {
    for (spec, partition) in [
        ("torus:4x4x2", "free-box:shape=advise"),
        ("torus:4x4x2", "compact"),
        ("fat-tree:k=4", "switches"),
    ] {
        let machine = Machine::parse(spec).unwrap();
        for queue in QUEUES.entries.iter().map(|entry| entry.name) {
            let schedule = with_traffic(&machine, partition, queue);
            check(&schedule, machine.num_nodes(), &format!("{spec} {partition} {queue}"));
            assert!(schedule.jobs.iter().any(|done| done.factor != 1.0), "{spec} {partition}");
        }
    }
}

#[test]
fn a_job_takes_as_much_longer_as_its_messages_travel_farther() {
    // A chain of 4 on the first nodes of a row: 3 pairs at 1 hop. Every second node: 2 hops. Half of the time is
    // communication: 0.5 + 0.5 x 2.
    let machine = Machine::parse("mesh:8").unwrap();
    let mut rules = rules("in-order", 0.5);
    rules.mix = TrafficMix::new(vec![Template::parse("stencil:N").unwrap()]).unwrap();
    let run_times = RunTimes::new(&machine, rules).unwrap();
    let factor = |nodes: &[u32]| {
        let partition =
            topoloom_schedule::partition::Partition { nodes: nodes.to_vec(), lengths: None };
        run_times.factor(0, nodes.len() as u32, &partition, &Stop::never()).unwrap().unwrap()
    };
    assert_eq!(factor(&[0, 1, 2, 3]), 1.0);
    assert_eq!(factor(&[4, 5, 6, 7]), 1.0);
    assert_eq!(factor(&[0, 2, 4, 6]), 1.5);
    assert_eq!(factor(&[1, 3, 5, 7]), 1.5);
    // One rank sends nothing.
    assert_eq!(factor(&[3]), 1.0);
}

#[test]
fn equal_forms_are_equally_fast_wherever_they_are() {
    // The value remembered by form equals the value computed for each partition.
    for spec in [
        "torus:5x4",
        "mesh:5x4",
        "tree:3:3:2,distances=1:4:9",
        "dragonfly:groups=4,routers=2,nodes=2",
    ] {
        let machine = Machine::parse(spec).unwrap();
        let divider = Divider::parse("compact", &machine).unwrap();
        let all = RunTimes::new(&machine, rules("in-order", 0.5)).unwrap();
        let mut rng = stream(4, &[]);
        for _ in 0..60 {
            let mut free = topoloom_schedule::NodeSet::all(machine.num_nodes());
            for node in 0..machine.num_nodes() as u32 {
                if below(&mut rng, 2) == 0 {
                    free.remove_all(&[node]);
                }
            }
            let nodes = 1 + below(&mut rng, 6);
            let request = topoloom_schedule::partition::Request { nodes, shapes: Vec::new() };
            let Some(partition) = divider.policy().find(&request, &free) else { continue };
            let alone = RunTimes::new(&machine, rules("in-order", 0.5)).unwrap();
            let factor =
                |times: &RunTimes| times.factor(1, nodes, &partition, &Stop::never()).unwrap();
            assert_eq!(factor(&all), factor(&alone), "{spec} {partition:?}");
        }
    }
}

#[test]
fn advice_is_the_shape_on_which_the_job_is_fastest() {
    // 64 ranks in a cube of 4 x 4 x 4 are perfect on a cube and not on a plane.
    let machine = Machine::parse("torus:16x16x16").unwrap();
    let run_times = RunTimes::new(&machine, rules("folding", 0.5)).unwrap();
    let advised = |kind: usize| {
        let shapes = topoloom_schedule::boxes_for(64, &[16, 16, 16]);
        let candidates = topoloom_schedule::ShapeRule::Advise.choose(&shapes);
        let advised = run_times.advised(kind, 64, candidates, &Stop::never()).unwrap().unwrap();
        advised.iter().map(|shape| shape.rotations[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(advised(1), [[4, 4, 4]]);
    // A grid of 8 x 8 folds into a cube of 4 x 4 x 4 without a detour, so both will do.
    assert!(advised(0).contains(&vec![8, 8, 1]), "{:?}", advised(0));
}

#[test]
fn whoever_stops_gets_nothing() {
    let machine = Machine::parse("mesh:10").unwrap();
    let simulation = Simulation::without_traffic(&machine, jobs(&STREAM));
    let divider = Divider::parse("any-nodes", &machine).unwrap();
    let queue = parse_queue("easy").unwrap();
    assert_eq!(simulation.run(&queue, &divider, &Stop::when(|| true)).unwrap(), None);
}

#[test]
fn every_example_of_the_registries_works() {
    let machine = Machine::parse("torus:4x4").unwrap();
    for entry in PARTITIONS.entries.iter().filter(|entry| entry.name != "switches") {
        assert!(Divider::parse(entry.example, &machine).is_ok(), "{}", entry.example);
    }
    for entry in QUEUES.entries {
        assert_eq!(parse_queue(entry.example).unwrap().name(), entry.name);
    }
    for entry in topoloom_schedule::WORKLOADS.entries {
        assert!(topoloom_schedule::workload::parse_workload(entry.example).is_ok());
    }
}
