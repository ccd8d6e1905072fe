//! MG: V-cycles on a periodic 3-D grid. On coarse levels there are fewer points than ranks in a
//! direction: most ranks sleep, and the others communicate over longer distances.

mod run;
mod trace;

use run::{Cycles, Run};

use super::{CLASS, GFLOPS, ITERATIONS, RANKS, collective};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// The pattern `mg`.
pub static ENTRY: PatternEntry = Entry {
    name: "mg",
    summary: "NPB MG: multigrid V-cycles on a periodic 3-D grid of ranks",
    example: "mg:class=A,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(trace::trace) },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let Run { case, active, cycles } = Run::read(spec)?;
    let mut builder = TrafficBuilder::new(case.ranks);
    if active > 1 {
        let mut row = Row::default();
        for rank in 0..active {
            cycles.send_all(rank, &mut row);
            for (to, messages, bytes) in row.0.drain(..) {
                builder.add(rank, to, messages, bytes);
            }
        }
    }
    let group = Group::first(active);
    collective(&mut builder, Operation::Barrier, &group, &[(6, 0)]);
    collective(&mut builder, Operation::Broadcast, &group, &[(6, 4), (1, 32)]);
    collective(&mut builder, Operation::Allreduce, &group, &[(48, 8), (40, 16)]);
    collective(&mut builder, Operation::Reduce, &group, &[(1, 8)]);
    Ok(builder.build())
}

/// What one rank sends. It has few partners but meets them on many levels, so adding up here
/// keeps the builder small.
#[derive(Debug, Default)]
struct Row(Vec<(u32, f64, f64)>);

impl Row {
    fn send(&mut self, to: u32, times: u64, bytes: u64) {
        let (messages, bytes) = (times as f64, times as f64 * bytes as f64);
        match self.0.iter_mut().find(|entry| entry.0 == to) {
            Some(entry) => {
                entry.1 += messages;
                entry.2 += bytes;
            }
            None => self.0.push((to, messages, bytes)),
        }
    }
}

impl Cycles {
    /// Adds everything that `rank` sends in the whole run to `row`.
    fn send_all(&self, rank: u32, row: &mut Row) {
        let position = self.position(rank);
        for level in 1..=self.levels {
            self.halo(level, position, row);
            if level > 1 {
                self.spread(level, position, row);
            }
        }
    }

    /// Both faces of each axis go to the neighbours. An axis also sends the ghost cells that came
    /// in along the axes before it.
    fn halo(&self, level: u32, position: [u32; 3], row: &mut Row) {
        let width = self.widths(level, position);
        if width.contains(&0) {
            return;
        }
        let times = if level == self.levels {
            3 * self.iterations + 7
        } else if level > 1 {
            3 * (self.iterations + 1)
        } else {
            2 * (self.iterations + 1)
        };
        let faces =
            [width[1] * width[2], (width[0] + 2) * width[2], (width[0] + 2) * (width[1] + 2)];
        for (axis, face) in faces.into_iter().enumerate() {
            let (up, down) = self.neighbours(level, position, axis);
            row.send(up, times, 8 * face);
            row.send(down, times, 8 * face);
        }
    }

    /// If interpolation wakes ranks, those awake on the level below give them their points: two
    /// layers upwards, one downwards.
    fn spread(&self, level: u32, position: [u32; 3], row: &mut Row) {
        let padded = self.widths(level, position).map(|width| width + 2);
        for axis in 0..3 {
            let wakes_ranks = self.sides[axis] > 1 << (level - 1);
            let gives = (position[axis] + 1).is_multiple_of(2 * self.distance(level, axis));
            if wakes_ranks && gives {
                let layer = 8 * padded[(axis + 1) % 3] * padded[(axis + 2) % 3];
                let (up, down) = self.neighbours(level, position, axis);
                row.send(up, self.iterations + 1, 2 * layer);
                row.send(down, self.iterations + 1, layer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::run::sides;
    use super::*;
    use crate::traffic::Weight;
    use crate::{Rank, parse_pattern};

    #[test]
    fn later_axes_get_the_longer_sides() {
        assert_eq!(sides(2), [1, 1, 2]);
        assert_eq!(sides(16), [2, 2, 4]);
        assert_eq!(sides(1 << 17), [32, 64, 64]);
    }

    #[test]
    fn on_two_ranks_two_axes_stay_at_home() {
        // 1 x 1 x 2, T = 1, levels 1 to 5: halos 10 + 3 x 6 + 4 = 32, each with two messages per
        // axis. Axes 1 and 2 go to the rank itself, axis 3 to the other. No rank ever sleeps.
        let traffic = parse_pattern("mg:class=S,ranks=2,iterations=1").unwrap();
        let messages: Vec<_> = traffic.flows().map(|f| (f.from.0, f.to.0, f.messages)).collect();
        assert_eq!(messages, [(0, 0, 128.0), (0, 1, 64.0), (1, 0, 64.0), (1, 1, 128.0)]);
    }

    #[test]
    fn long_sides_let_ranks_sleep_on_the_coarsest_level() {
        // 2 x 2 x 4: on level 1 only every second rank of the last axis has points, and
        // interpolation to level 2 wakes the others.
        let cycles = Cycles { sides: sides(16), levels: 5, iterations: 1 };
        assert_eq!(cycles.widths(1, [0, 0, 0]), [1, 1, 0]);
        assert_eq!(cycles.widths(1, [0, 0, 1]), [1, 1, 1]);
        assert_eq!(cycles.neighbours(1, [0, 0, 1], 2), (12, 12));
        // On level 2 widths are 2, 2, 1: one layer of 4 x 4 points, and two of them.
        let mut row = Row::default();
        cycles.spread(2, [0, 0, 1], &mut row);
        assert_eq!(row.0, [(8, 2.0, 2.0 * 256.0), (0, 2.0, 2.0 * 128.0)]);
    }

    #[test]
    fn ranks_beyond_the_power_of_two_are_idle() {
        let eight = parse_pattern("mg:class=S,ranks=8").unwrap();
        let twelve = parse_pattern("mg:class=S,ranks=12").unwrap();
        assert_eq!(twelve.total(Weight::Bytes), eight.total(Weight::Bytes));
        assert_eq!(twelve.flows_from(Rank(9)).count(), 0);
        assert!(twelve.collectives().iter().all(|collective| collective.group.size() == 8));
    }
}
