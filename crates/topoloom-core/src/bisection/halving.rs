//! Ranks and machine, halved together.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::coordinates::coordinates_of_ranks;
use super::dividing::Dividing;
use super::exchange::Exchanging;
use super::layout::{Block, Layout};
use super::region::{Region, Regions};
use super::room::{Room, RoomOfPart};
use crate::clock::Clock;
use crate::pace::Pace;
use crate::parallel;
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// Parts of one size are divided in this many turns. Those of one turn are divided at the same time
/// and know the halves of the turns before: neighbours have to agree which way round they lie.
const TURNS: usize = 8;

/// The tasks of a turn are handed out in about this many portions per thread, if there are that
/// many. The result does not depend on it.
const PORTIONS: usize = 16;

/// The result of a bisection.
pub(crate) struct Bisected {
    /// The slot of each rank.
    pub(crate) slots: Vec<u32>,
    /// Whether the time ran out before every part was halved; in the unfinished parts the ranks are
    /// in order.
    pub(crate) was_cut_short: bool,
}

/// Places the ranks of `problem`; `None` if the time runs out before they have coordinates. Takes
/// O((ranks + flows) log nodes).
pub(crate) fn bisect(problem: &Problem, run: &Run) -> Option<Bisected> {
    let clock = Clock::new(run);
    let points = coordinates_of_ranks(problem.graph(), &clock)?;
    // Ranks without partners go last, into the remaining room.
    let talks = |&rank: &u32| problem.graph().num_partners(rank) > 0;
    let (mut ranks, silent): (Vec<u32>, Vec<u32>) =
        (0..problem.num_ranks() as u32).partition(talks);
    ranks.extend(silent);
    let layout = Layout::new(problem.graph(), ranks, &points);
    drop(points);
    let slots = with_metric!(problem.machine().metric(), metric => {
        let halving = Halving {
            problem,
            metric,
            exchanging: Exchanging::new(run.effort()),
            clock: &clock,
            nodes: (0..problem.num_ranks()).map(|_| AtomicU32::new(0)).collect(),
            slots: vec![0; problem.num_ranks()],
        };
        halving.place(layout)
    });
    Some(Bisected { slots, was_cut_short: clock.rang() })
}

/// A part of the ranks and the part of the machine they will be in.
struct Part {
    places: Range<usize>,
    region: Region,
}

/// A part that is being divided: the regions of the halves, and how many ranks the first gets.
struct Divided {
    places: Range<usize>,
    regions: [Region; 2],
    low: usize,
}

struct Halving<'a, M> {
    problem: &'a Problem,
    metric: &'a M,
    exchanging: Exchanging,
    clock: &'a Clock<'a>,
    /// The middle of the part of the machine each rank will be in.
    nodes: Vec<AtomicU32>,
    slots: Vec<u32>,
}

impl<M: Metric> Halving<'_, M> {
    /// The slot of each rank.
    fn place(mut self, mut layout: Layout) -> Vec<u32> {
        let (regions, whole) = Regions::new(self.problem.machine());
        let mut parts = vec![Part { places: 0..layout.ranks.len(), region: whole }];
        let mut next_layout = layout.blank();
        let mut room = Room::new(layout.ranks.len());
        // All parts of one size before the next size: then partners are about equally well known.
        loop {
            let mut open = Vec::with_capacity(parts.len());
            for part in parts {
                match part.region.num_nodes() == 1 || part.places.is_empty() {
                    true => self.fill(part.places, [&part.region], &layout, &regions),
                    false => open.push(part),
                }
            }
            if open.is_empty() {
                break;
            }
            let divided = self.divide(open, &layout, &mut next_layout, &mut room, &regions);
            if self.clock.is_over() {
                // Some parts may be undivided, therefore none of the new halves count.
                for part in divided {
                    self.fill(part.places, part.regions.each_ref(), &layout, &regions);
                }
                break;
            }
            parts = divided.into_iter().flat_map(Divided::halves).collect();
            std::mem::swap(&mut layout, &mut next_layout);
        }
        self.slots
    }

    /// Puts the ranks of a part into these regions in order.
    fn fill<const COUNT: usize>(
        &mut self,
        places: Range<usize>,
        into: [&Region; COUNT],
        layout: &Layout,
        regions: &Regions,
    ) {
        let per_node = self.problem.machine().slots_per_node();
        let mut ranks = layout.ranks[places].iter();
        for region in into {
            region.for_each_node(regions, |node| {
                let slots = node * per_node..(node + 1) * per_node;
                // Slots first: a rank that is taken has to get one.
                for (slot, &rank) in slots.zip(&mut ranks) {
                    self.slots[rank as usize] = slot;
                }
            });
        }
    }

    /// Divides all parts; the halves are in `next_layout`.
    fn divide(
        &self,
        parts: Vec<Part>,
        layout: &Layout,
        next_layout: &mut Layout,
        room: &mut Room,
        regions: &Regions,
    ) -> Vec<Divided> {
        let per_node = self.problem.machine().slots_per_node() as usize;
        let halve = |part: usize| {
            let Part { places, region } = &parts[part];
            let regions = region.halves(self.metric);
            // If there is more room than ranks, the ranks stay together.
            let low = places.len().min(regions[0].num_nodes() * per_node);
            Divided { places: places.clone(), regions, low }
        };
        let divided: Vec<Divided> = parallel::map(parts.len(), &halve);
        drop(parts);
        let parts = divided;
        let places = || parts.iter().map(|part| part.places.clone());
        let blocks = next_layout.blocks(layout, places());
        let rooms = room.of_parts(places());
        let mut turns: [Vec<Task<'_>>; TURNS] = Default::default();
        for (number, task) in parts.iter().zip(blocks).zip(rooms).enumerate() {
            let ((part, block), room) = task;
            turns[number % TURNS].push(Task { part, block, room });
        }
        let (clock, nodes) = (self.clock, &self.nodes[..]);
        let dividing =
            Dividing { layout, metric: self.metric, nodes, exchanging: self.exchanging, clock };
        for mut tasks in turns {
            let portions = PORTIONS * rayon::current_num_threads();
            let at_once = (tasks.len() / portions).max(1);
            parallel::each_part(&mut tasks, at_once, &|_, tasks| {
                let mut pace = Pace::default();
                for task in tasks {
                    if !clock.is_over_after(task.part.places.len(), &mut pace) {
                        task.run(&dividing, regions);
                    }
                }
            });
            // Only now, since the others of this turn must not know some of the new halves.
            if !clock.rang() {
                parallel::each_part(&mut tasks, at_once, &|_, tasks| {
                    tasks.iter().for_each(|task| task.tell(layout, nodes, regions));
                });
            }
        }
        parts
    }
}

/// A part to divide, with what it may write.
struct Task<'a> {
    part: &'a Divided,
    block: Block<'a>,
    room: RoomOfPart<'a>,
}

impl Task<'_> {
    fn run<M: Metric>(&mut self, dividing: &Dividing<'_, M>, regions: &Regions) {
        let Divided { places, regions: halves, low } = self.part;
        let middle = [halves[0].middle(regions), halves[1].middle(regions)];
        dividing.divide(places.clone(), *low, middle, &mut self.room);
        let more_to_do = halves.iter().any(|half| half.num_nodes() > 1);
        let (in_second, numbers) = (&*self.room.in_second, &mut *self.room.numbers);
        self.block.write(places.clone(), in_second, numbers, dividing.layout, more_to_do);
    }

    /// Says where the members will be.
    fn tell(&self, layout: &Layout, nodes: &[AtomicU32], regions: &Regions) {
        let Divided { places, regions: halves, .. } = self.part;
        let middle = [halves[0].middle(regions), halves[1].middle(regions)];
        for (&rank, &second) in layout.ranks[places.clone()].iter().zip(&*self.room.in_second) {
            nodes[rank as usize].store(middle[usize::from(second)], Ordering::Relaxed);
        }
    }
}

impl Divided {
    fn halves(self) -> [Part; 2] {
        let Divided { places, regions: [first, second], low } = self;
        let cut = places.start + low;
        [
            Part { places: places.start..cut, region: first },
            Part { places: cut..places.end, region: second },
        ]
    }
}
