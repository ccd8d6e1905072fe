//! How a part is divided into two halves: by coordinates, the right way round, then by exchanges.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::direction::main_direction;
use super::exchange::{Exchanging, Halves};
use super::layout::Layout;
use super::room::{CHUNK, RoomOfPart};
use crate::clock::Clock;
use crate::parallel;
use crate::side_by_side;
use crate::topology::Metric;

/// What dividing a part needs to know.
pub(super) struct Dividing<'a, M> {
    pub(super) layout: &'a Layout,
    pub(super) metric: &'a M,
    /// The middle of the part of the machine each rank will be in.
    pub(super) nodes: &'a [AtomicU32],
    pub(super) exchanging: Exchanging,
    pub(super) clock: &'a Clock<'a>,
}

impl<M: Metric> Dividing<'_, M> {
    /// Decides which `low` members of a part go to the first half of its region. `middle` are the
    /// middles of the halves.
    pub(super) fn divide(
        &self,
        part: Range<usize>,
        low: usize,
        middle: [u32; 2],
        room: &mut RoomOfPart<'_>,
    ) {
        if low == part.len() {
            room.in_second.fill(false);
            return;
        }
        let direction = main_direction(&self.layout.points[part.clone()]);
        split_along(self.layout, direction, part.clone(), low, room);
        self.pull(part.clone(), middle, room.pulls);
        let towards_second: f64 = (room.pulls.iter().zip(&*room.in_second))
            .map(|(&pull, &second)| f64::from(if second { -pull } else { pull }))
            .sum();
        if towards_second > 0.0 {
            split_along(self.layout, direction.map(|x| -x), part.clone(), low, room);
        }
        let between = self.metric.distance(middle[0], middle[1]) as f32;
        let halves = Halves { layout: self.layout, part, between, clock: self.clock };
        self.exchanging.improve(&halves, room);
    }

    /// Finds how much nearer each member is to those outside if it is in the second half.
    fn pull(&self, part: Range<usize>, middle: [u32; 2], pulls: &mut [f32]) {
        let pull = |place: usize| -> f32 {
            let outside = self.layout.outside(place).map(|(rank, weight)| {
                let node = self.nodes[rank as usize].load(Ordering::Relaxed);
                let first = self.metric.distance(middle[0], node);
                let second = self.metric.distance(middle[1], node);
                weight * (first as f32 - second as f32)
            });
            outside.sum()
        };
        // Small parts are not worth the way to another thread.
        if part.len() > CHUNK {
            parallel::each_part(pulls, CHUNK, &|first, pulls| {
                (part.start + first..).zip(pulls).for_each(|(at, to)| *to = pull(at));
            });
        } else {
            part.zip(pulls).for_each(|(at, to)| *to = pull(at));
        }
    }
}

/// The `low` lowest members along a direction form the first half.
fn split_along(
    layout: &Layout,
    direction: [f32; 4],
    part: Range<usize>,
    low: usize,
    room: &mut RoomOfPart<'_>,
) {
    let points = &layout.points[part];
    for ((key, point), member) in room.keys.iter_mut().zip(points).zip(0..) {
        *key = (side_by_side(point, &direction).map(|(x, d)| x * d).sum(), member);
    }
    room.keys.select_nth_unstable_by(low, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (place, &(_, member)) in room.keys.iter().enumerate() {
        room.in_second[member as usize] = place >= low;
    }
}
