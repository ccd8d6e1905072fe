//! LU's planes come from the north and the west.

use topoloom_model::trace::Trace;
use topoloom_model::{Event, parse_trace};

use crate::replayer::{Sends, replay};

/// The sweeps of a program in their order: blocks that are repeated once for each of the 10 inner
/// planes of class S.
fn sweeps(program: &[Event]) -> Vec<&[Event]> {
    let begins = (0..program.len()).filter(|&place| program[place] == Event::Repeat { times: 10 });
    let sweep = |begin: usize| {
        let length = program[begin..].iter().position(|&event| event == Event::End);
        &program[begin + 1..begin + length.expect("repetitions end")]
    };
    begins.map(sweep).collect()
}

#[test]
fn a_plane_waits_for_north_and_west_and_goes_on_to_south_and_east() {
    // Ranks of 4 x 4 are counted from north to south, then from west to east: around 5 are 4 in the
    // north, 6 in the south, 1 in the west and 9 in the east. Its 3 x 3 points are all inner ones.
    let trace = parse_trace("lu:class=S,ranks=16").unwrap().unwrap();
    let send = |to, tag| Event::Send { to, bytes: 40 * 3, tag };
    let receive = |from, tag| Event::Receive { from, tag };
    let sweeps = sweeps(&trace.programs()[5]);
    // The warm-up, the steps except the last, and the last.
    assert_eq!(sweeps.len(), 6);
    for pair in sweeps.chunks(2) {
        assert_eq!(pair[0], [receive(4, 0), receive(1, 0), send(6, 0), send(9, 0)]);
        assert_eq!(pair[1], [receive(6, 1), receive(9, 1), send(4, 1), send(1, 1)]);
    }
}

#[test]
fn the_wavefront_reaches_a_rank_after_as_many_planes_as_it_is_steps_away() {
    // With a plane of one nanosecond everywhere and messages that take no time, rank (a, b) is done
    // with its 10 planes after 10 + a + b.
    let trace = parse_trace("lu:class=S,ranks=16,gflops=0.001").unwrap().unwrap();
    let only_sweep = |program: &Vec<Event>| {
        let plane = sweeps(program)[0].iter().map(|&event| match event {
            Event::Compute { .. } => Event::Compute { nanoseconds: 1 },
            event => event,
        });
        let mut events = vec![Event::Repeat { times: 10 }];
        events.extend(plane);
        events.push(Event::End);
        events
    };
    let programs = trace.programs().iter().map(only_sweep).collect();
    let sweep = Trace::new(programs, Vec::new()).unwrap();
    let expected: Vec<u64> = (0..16).map(|rank| 10 + rank % 4 + rank / 4).collect();
    assert_eq!(replay(&sweep, Sends::Return), Ok(expected));
}
