//! The loads of all links while they change.

use crate::machine::Machine;
use crate::routing::RelativeRoutes;

/// The load of every link relative to its bandwidth, and what a change under examination would
/// add.
pub struct Loads<'a> {
    routes: RelativeRoutes<'a>,
    load: Vec<f64>,
    /// What the change would add; zero except for links in `touched`.
    change: Vec<f64>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl<'a> Loads<'a> {
    /// No load on any link.
    pub fn new(machine: &'a Machine) -> Loads<'a> {
        let routes = RelativeRoutes::new(machine);
        let bound = routes.link_bound();
        Loads {
            routes,
            load: vec![0.0; bound],
            change: vec![0.0; bound],
            touched: Vec::new(),
            is_touched: vec![false; bound],
        }
    }

    /// The load of each link, without the change.
    #[inline]
    pub fn now(&self) -> &[f64] {
        &self.load
    }

    /// What the change adds to each link.
    #[inline]
    pub fn changes(&self) -> &[f64] {
        &self.change
    }

    /// The links that the change touches.
    #[inline]
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    pub fn clear(&mut self) {
        self.load.fill(0.0);
    }

    /// Notes a change: a flow of `weight` more, or less, from one node to another.
    #[inline]
    pub fn change(&mut self, from: u32, to: u32, weight: f64) {
        if weight == 0.0 {
            return;
        }
        self.routes.for_each(from, to, |link, share| {
            if !self.is_touched[link] {
                self.is_touched[link] = true;
                self.touched.push(link as u32);
            }
            self.change[link] += weight * share;
        });
    }

    /// Makes the change.
    pub fn accept(&mut self) {
        for &link in &self.touched {
            let link = link as usize;
            // Rounding must not leave a link with a negative load.
            self.load[link] = (self.load[link] + self.change[link]).max(0.0);
        }
        self.refuse();
    }

    /// Discards the change.
    pub fn refuse(&mut self) {
        for link in self.touched.drain(..) {
            self.change[link as usize] = 0.0;
            self.is_touched[link as usize] = false;
        }
    }
}
