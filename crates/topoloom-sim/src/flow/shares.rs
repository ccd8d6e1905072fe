//! Max-min fair rates of flows, found again only where something changed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::watch::Watch;

/// A link of a route, with the share of the flow that crosses it.
pub(super) type Hop = (u32, f64);

#[derive(Debug, Default)]
struct Flow {
    hops: Vec<Hop>,
    /// The position of the flow in the list of each link of its route.
    places: Vec<u32>,
    weight: f64,
    /// The rate it would get alone.
    alone: f64,
    rate: f64,
    /// The rate after the change that is in progress.
    next_rate: f64,
    /// The number of the last change that examined it.
    seen: u32,
    /// The full link that holds it back.
    fixed_by: u32,
}

#[derive(Debug, Default, Clone)]
struct Link {
    capacity: f64,
    /// A limit on each flow on it, not on all of them together. It keeps no list of flows.
    is_fat_pipe: bool,
    /// The flows on it, and which hop of their route this link is.
    flows: Vec<(u32, u32)>,
    /// Whether something changed on it since rates were found.
    is_dirty: bool,
    seen: u32,
    /// While rates are found: what is left, the total weight of the flows that still want some, and
    /// their number.
    left: f64,
    wanting: f64,
    unfixed: u32,
}

/// Flows on links, and the rates they get. No flow can get more without taking from another one
/// that has no more than it, by weight.
#[derive(Debug)]
pub(super) struct Shares {
    links: Vec<Link>,
    flows: Vec<Flow>,
    /// Links on which something changed.
    dirty: Vec<u32>,
    change: u32,
    /// The flows whose rates the last change may have affected.
    touched: Vec<u32>,
    reached: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Shares {
    /// Links of this capacity each, and whether they are fat pipes.
    pub fn new(links: impl Iterator<Item = (f64, bool)>) -> Shares {
        let link = |(capacity, is_fat_pipe)| Link { capacity, is_fat_pipe, ..Link::default() };
        Shares {
            links: links.map(link).collect(),
            flows: Vec::new(),
            dirty: Vec::new(),
            change: 0,
            touched: Vec::new(),
            reached: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// Puts a flow on its links. Its rate is right after the next [`Shares::settle`], or at once if
    /// it is alone. Returns which.
    pub fn join(&mut self, flow: u32, hops: &[Hop], weight: f64) -> bool {
        if self.flows.len() <= flow as usize {
            self.flows.resize_with(flow as usize + 1, Flow::default);
        }
        let record = &mut self.flows[flow as usize];
        record.hops.clear();
        record.places.clear();
        (record.weight, record.alone) = (weight, f64::INFINITY);
        let mut is_alone = true;
        for (number, &(link, share)) in hops.iter().enumerate() {
            let of_link = &mut self.links[link as usize];
            record.alone = record.alone.min(of_link.capacity / share);
            record.hops.push((link, share));
            record.places.push(of_link.flows.len() as u32);
            if of_link.is_fat_pipe {
                continue;
            }
            of_link.flows.push((flow, number as u32));
            if of_link.flows.len() > 1 {
                is_alone = false;
                of_link.mark(link, &mut self.dirty);
            }
        }
        record.rate = if is_alone { record.alone } else { 0.0 };
        record.fixed_by = if is_alone { ALONE } else { UNFIXED };
        is_alone
    }

    /// Takes a flow from its links.
    pub fn leave(&mut self, flow: u32) {
        let hops = std::mem::take(&mut self.flows[flow as usize].hops);
        for (number, &(link, _)) in hops.iter().enumerate() {
            let place = self.flows[flow as usize].places[number];
            let of_link = &mut self.links[link as usize];
            if of_link.is_fat_pipe {
                continue;
            }
            of_link.flows.swap_remove(place as usize);
            if let Some(&(moved, hop)) = of_link.flows.get(place as usize) {
                self.flows[moved as usize].places[hop as usize] = place;
            }
            if !of_link.flows.is_empty() {
                of_link.mark(link, &mut self.dirty);
            }
        }
        self.flows[flow as usize].hops = hops;
    }

    pub fn rate(&self, flow: u32) -> f64 {
        self.flows[flow as usize].rate
    }

    /// The rate a flow would get alone.
    pub fn alone(&self, flow: u32) -> f64 {
        self.flows[flow as usize].alone
    }

    pub fn hops(&self, flow: u32) -> &[Hop] {
        &self.flows[flow as usize].hops
    }

    /// Finds the rates again and calls `visit` with each flow whose rate changes, its hops, and the
    /// rates before and after.
    ///
    /// At first, only the flows on links that changed are examined, as if all others kept their
    /// rates. If one of the others should not keep its rate, it is examined too, and so on until
    /// there are none left. Then every flow has a full link on which none has more, which makes the
    /// rates those of the definition.
    ///
    /// If it must stop meanwhile, nothing is visited.
    pub fn settle(&mut self, watch: &Watch<'_>, mut visit: impl FnMut(u32, &[Hop], f64, f64)) {
        if self.dirty.is_empty() {
            return;
        }
        self.change = self.change.wrapping_add(1);
        self.touched.clear();
        self.reached.clear();
        for place in 0..self.dirty.len() {
            let link = self.dirty[place] as usize;
            if watch.ends_after(self.links[link].flows.len()) {
                return;
            }
            self.links[link].is_dirty = false;
            for number in 0..self.links[link].flows.len() {
                let (flow, _) = self.links[link].flows[number];
                self.touch(flow);
            }
        }
        self.dirty.clear();
        loop {
            self.prepare(watch);
            self.fill(watch);
            let looked_at = self.touched.len();
            self.touch_who_should_not_stay(watch);
            if watch.is_over() {
                return;
            }
            if self.touched.len() == looked_at {
                break;
            }
        }
        for &flow in &self.touched {
            let record = &mut self.flows[flow as usize];
            let before = std::mem::replace(&mut record.rate, record.next_rate);
            if before != record.rate {
                visit(flow, &record.hops, before, record.rate);
            }
        }
    }

    /// Has a flow and its links examined.
    fn touch(&mut self, flow: u32) {
        let record = &mut self.flows[flow as usize];
        if record.seen == self.change {
            return;
        }
        record.seen = self.change;
        self.touched.push(flow);
        for &(link, _) in &record.hops {
            let of_link = &mut self.links[link as usize];
            // A link that a flow has for itself is a limit of the flow.
            if of_link.seen != self.change && of_link.flows.len() > 1 {
                of_link.seen = self.change;
                self.reached.push(link);
            }
        }
    }

    /// Counts what flows that are not examined leave of each link.
    fn prepare(&mut self, watch: &Watch<'_>) {
        self.heap.clear();
        for &flow in &self.touched {
            let record = &mut self.flows[flow as usize];
            record.fixed_by = UNFIXED;
            self.heap.push(Reverse(((record.alone / record.weight).to_bits(), FLOW | flow)));
        }
        for &link in &self.reached {
            let of_link = &mut self.links[link as usize];
            if watch.ends_after(of_link.flows.len()) {
                return;
            }
            (of_link.left, of_link.wanting, of_link.unfixed) = (of_link.capacity, 0.0, 0);
            for &(flow, hop) in &of_link.flows {
                let flow = &self.flows[flow as usize];
                let share = flow.hops[hop as usize].1;
                if flow.seen == self.change {
                    of_link.wanting += flow.weight * share;
                    of_link.unfixed += 1;
                } else {
                    of_link.left -= flow.rate * share;
                }
            }
            of_link.left = of_link.left.max(0.0);
            self.heap.push(Reverse((of_link.level().to_bits(), link)));
        }
    }

    /// Fixes the flows of the link that leaves least to each, then of the next, and so on. What a
    /// link leaves to each never falls, so an entry of the heap is at worst too low.
    fn fill(&mut self, watch: &Watch<'_>) {
        while let Some(Reverse((level, entry))) = self.heap.pop() {
            if watch.ends_after(1) {
                return;
            }
            if entry & FLOW != 0 {
                let flow = entry & !FLOW;
                if self.flows[flow as usize].fixed_by == UNFIXED {
                    self.fix(flow, self.flows[flow as usize].alone, ALONE);
                }
                continue;
            }
            let link = &self.links[entry as usize];
            if link.unfixed == 0 {
                continue;
            }
            let now = link.level();
            if now.to_bits() > level {
                self.heap.push(Reverse((now.to_bits(), entry)));
                continue;
            }
            watch.ends_after(self.links[entry as usize].flows.len());
            for place in 0..self.links[entry as usize].flows.len() {
                let (flow, _) = self.links[entry as usize].flows[place];
                let record = &self.flows[flow as usize];
                if record.seen == self.change && record.fixed_by == UNFIXED {
                    self.fix(flow, (now * record.weight).min(record.alone), entry);
                }
            }
        }
    }

    fn fix(&mut self, flow: u32, rate: f64, by: u32) {
        let record = &mut self.flows[flow as usize];
        (record.fixed_by, record.next_rate) = (by, rate);
        for &(link, share) in &record.hops {
            let of_link = &mut self.links[link as usize];
            of_link.left = (of_link.left - rate * share).max(0.0);
            of_link.wanting -= record.weight * share;
            of_link.unfixed = of_link.unfixed.saturating_sub(1);
        }
    }

    /// Finds flows that were not examined and that now have too much: on a link that is full for
    /// others with less, or whose own full link is no longer full or has others with more.
    fn touch_who_should_not_stay(&mut self, watch: &Watch<'_>) {
        for number in 0..self.reached.len() {
            let link = self.reached[number];
            let of_link = &self.links[link as usize];
            if watch.ends_after(of_link.flows.len()) {
                return;
            }
            let full = of_link.left <= of_link.capacity * TOLERANCE;
            // The rate of each by weight: the most, and the least of those that this link holds
            // back.
            let (mut most, mut held_back) = (0.0f64, f64::INFINITY);
            for &(flow, _) in &of_link.flows {
                let flow = &self.flows[flow as usize];
                if flow.seen == self.change {
                    let level = flow.next_rate / flow.weight;
                    most = most.max(level);
                    if flow.fixed_by == link {
                        held_back = held_back.min(level);
                    }
                } else {
                    most = most.max(flow.rate / flow.weight);
                }
            }
            for place in 0..self.links[link as usize].flows.len() {
                let (flow, _) = self.links[link as usize].flows[place];
                let record = &self.flows[flow as usize];
                if record.seen == self.change {
                    continue;
                }
                let level = record.rate / record.weight;
                let too_much = level > held_back * (1.0 + TOLERANCE);
                let freed = record.fixed_by == link && (!full || most > level * (1.0 + TOLERANCE));
                if too_much || freed {
                    self.touch(flow);
                }
            }
        }
    }
}

/// Differences due to rounding alone.
const TOLERANCE: f64 = 1e-12;

/// Nothing limits a flow yet.
const UNFIXED: u32 = u32::MAX;
/// A link that a flow has for itself limits it.
const ALONE: u32 = u32::MAX - 1;

/// Marks entries of the heap that are flows.
const FLOW: u32 = 1 << 31;

impl Link {
    /// Notes only once that something changed: otherwise a link of a thousand flows would be
    /// examined a thousand times.
    fn mark(&mut self, number: u32, dirty: &mut Vec<u32>) {
        if !std::mem::replace(&mut self.is_dirty, true) {
            dirty.push(number);
        }
    }

    /// What the link leaves to each flow of weight 1 that is not fixed.
    fn level(&self) -> f64 {
        if self.wanting > 0.0 { self.left / self.wanting } else { f64::INFINITY }
    }
}

/// The definition: the rates of all flows rise together until a link is full, and the flows of that
/// link then stay.
#[cfg(test)]
pub(super) fn fair_rates(capacities: &[f64], flows: &[(Vec<Hop>, f64)]) -> Vec<f64> {
    let mut rates = vec![0.0; flows.len()];
    let mut fixed = vec![false; flows.len()];
    let mut left = capacities.to_vec();
    while fixed.contains(&false) {
        let mut wanting = vec![0.0; capacities.len()];
        for (flow, (hops, weight)) in flows.iter().enumerate() {
            if !fixed[flow] {
                hops.iter().for_each(|&(link, share)| wanting[link as usize] += share * weight);
            }
        }
        let levels = left.iter().zip(&wanting).map(|(left, wanting)| match *wanting > 0.0 {
            true => left / wanting,
            false => f64::INFINITY,
        });
        let levels: Vec<f64> = levels.collect();
        let rise = levels.iter().copied().fold(f64::INFINITY, f64::min);
        for (flow, (hops, weight)) in flows.iter().enumerate() {
            if !fixed[flow] {
                rates[flow] += rise * weight;
                for &(link, share) in hops {
                    left[link as usize] -= rise * weight * share;
                }
            }
        }
        for (flow, (hops, _)) in flows.iter().enumerate() {
            let full = |&(link, _): &Hop| levels[link as usize] <= rise * (1.0 + 1e-12);
            fixed[flow] = fixed[flow] || hops.iter().any(full);
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom_model::random;

    #[test]
    fn rates_after_any_change_are_those_of_the_definition() {
        let mut rng = random::stream(7, &[]);
        for round in 0..60 {
            let links = 3 + random::below(&mut rng, 20);
            let capacities: Vec<f64> =
                (0..links).map(|_| f64::from(1 + random::below(&mut rng, 9))).collect();
            // In some rounds every third link is a fat pipe. In its place the definition gives each
            // flow its own link, at links + flow * links + link.
            let is_fat_pipe = |link: u32| round % 4 == 3 && link.is_multiple_of(3);
            let mut shares = Shares::new(
                capacities.iter().zip(0..).map(|(&capacity, link)| (capacity, is_fat_pipe(link))),
            );
            let all_capacities: Vec<f64> = (0..31).flat_map(|_| capacities.clone()).collect();
            let as_own = |flow: u32, (link, share): Hop| match is_fat_pipe(link) {
                true => (links + flow * links + link, share),
                false => (link, share),
            };
            let mut flows: Vec<Option<(Vec<Hop>, f64)>> = vec![None; 30];
            for _ in 0..100 {
                // Several changes at once.
                for _ in 0..1 + random::below(&mut rng, 3) {
                    let flow = random::below(&mut rng, 30);
                    if flows[flow as usize].take().is_some() {
                        shares.leave(flow);
                        continue;
                    }
                    let mut route: Vec<u32> = (0..links).collect();
                    random::shuffle(&mut rng, &mut route);
                    let length = 1 + random::below(&mut rng, 4.min(links)) as usize;
                    let share = |_: &u32| if round % 2 == 0 { 1.0 } else { 0.5 };
                    let hops: Vec<Hop> =
                        route[..length].iter().map(|link| (*link, share(link))).collect();
                    let weight = f64::from(1 + random::below(&mut rng, 1 + round % 3));
                    shares.join(flow, &hops, weight);
                    flows[flow as usize] = Some((hops, weight));
                }
                shares.settle(&Watch::new(&|_| false), |_, _, _, _| {});
                let present: Vec<u32> =
                    (0..30).filter(|&flow| flows[flow as usize].is_some()).collect();
                let all: Vec<_> = present
                    .iter()
                    .filter_map(|&flow| {
                        let (hops, weight) = flows[flow as usize].as_ref()?;
                        Some((hops.iter().map(|&hop| as_own(flow, hop)).collect(), *weight))
                    })
                    .collect();
                for (&flow, expected) in present.iter().zip(fair_rates(&all_capacities, &all)) {
                    let found = shares.rate(flow);
                    assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_flow_on_a_full_link_leaves_room_elsewhere() {
        // Links of 1 and 2: two flows share the first, and one of them also uses the second, where
        // a third flow gets what is left: 1.5.
        let mut shares = Shares::new([(1.0, false), (2.0, false)].into_iter());
        shares.join(0, &[(0, 1.0)], 1.0);
        shares.join(1, &[(0, 1.0), (1, 1.0)], 1.0);
        shares.join(2, &[(1, 1.0)], 1.0);
        shares.settle(&Watch::new(&|_| false), |_, _, _, _| {});
        assert_eq!([0, 1, 2].map(|flow| shares.rate(flow)), [0.5, 0.5, 1.5]);
    }

    #[test]
    fn every_flow_has_all_of_a_fat_pipe() {
        // Both flows cross a fat pipe of 3. The second also crosses a link of 2, which it shares
        // with a third.
        let mut shares = Shares::new([(3.0, true), (2.0, false)].into_iter());
        shares.join(0, &[(0, 1.0)], 1.0);
        shares.join(1, &[(0, 1.0), (1, 1.0)], 1.0);
        shares.join(2, &[(1, 1.0)], 1.0);
        shares.settle(&Watch::new(&|_| false), |_, _, _, _| {});
        assert_eq!([0, 1, 2].map(|flow| shares.rate(flow)), [3.0, 1.0, 1.0]);
        shares.leave(2);
        shares.settle(&Watch::new(&|_| false), |_, _, _, _| {});
        assert_eq!([0, 1].map(|flow| shares.rate(flow)), [3.0, 2.0]);
    }
}
