//! Routes between nodes, found once for each pair that sends.

use std::collections::HashMap;

use topoloom_model::{Machine, Vertex};

use crate::network::Network;

/// The most entries that are kept. Routes of further pairs are found again for each message.
const MOST_KEPT: usize = 1 << 26;

/// Routes by (from, to, number), in one flat array of hops.
#[derive(Debug, Default)]
pub(crate) struct Kept<H> {
    places: HashMap<(u32, u32, u32), (u32, u32)>,
    hops: Vec<H>,
}

impl<H> Kept<H> {
    /// The position of the hops of a pair, which may have several ways by number: begin and end.
    /// `make` adds them if they are not known.
    pub fn place(
        &mut self,
        pair: (u32, u32, u32),
        make: impl FnOnce(&mut Vec<H>),
    ) -> std::ops::Range<u32> {
        if let Some(&(begin, end)) = self.places.get(&pair) {
            return begin..end;
        }
        let begin = self.hops.len() as u32;
        make(&mut self.hops);
        let end = self.hops.len() as u32;
        self.places.insert(pair, (begin, end));
        begin..end
    }

    /// The hop at a position.
    #[inline]
    pub fn hop(&self, place: u32) -> &H {
        &self.hops[place as usize]
    }

    /// The hops of a range of positions.
    #[inline]
    pub fn hops(&self, places: std::ops::Range<u32>) -> &[H] {
        &self.hops[places.start as usize..places.end as usize]
    }

    /// Forgets everything once there is too much. Nobody may hold a position then.
    pub fn forget_if_full(&mut self) {
        if self.hops.len() > MOST_KEPT {
            self.places.clear();
            self.hops.clear();
        }
    }
}

/// The links of a route with the share of the traffic that each carries. They are in order if the
/// routing uses a single way.
pub(crate) fn links_of_route(
    machine: &Machine,
    network: &Network,
    from: u32,
    to: u32,
    visit: &mut dyn FnMut(u32, f64),
) {
    machine.routing().route(machine.topology(), Vertex(from), Vertex(to), &mut |link, share| {
        visit(network.place(link), share)
    });
}
