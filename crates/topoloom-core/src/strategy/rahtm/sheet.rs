//! Link loads that only grow: what some blocks put on the links, and what one more would add.

use crate::routing::RelativeRoutes;

/// The largest load and the sum of squares, compared in this order.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Total {
    pub largest: f64,
    pub squares: f64,
}

/// The load of every link.
#[derive(Debug, Clone)]
pub struct Load {
    on_link: Vec<f64>,
    total: Total,
}

impl Load {
    /// No load on this many links.
    pub fn nothing(links: usize) -> Load {
        Load { on_link: vec![0.0; links], total: Total { largest: 0.0, squares: 0.0 } }
    }

    /// The total.
    pub fn total(&self) -> Total {
        self.total
    }
}

/// Loads that are about to be added.
#[derive(Debug)]
pub struct Sheet {
    more: Vec<f64>,
    touched: Vec<u32>,
}

impl Sheet {
    /// An empty sheet for this many links.
    pub fn new(links: usize) -> Sheet {
        Sheet { more: vec![0.0; links], touched: Vec::new() }
    }

    /// Adds a flow.
    #[inline]
    pub fn put(&mut self, routes: &RelativeRoutes, from: u32, to: u32, weight: f64) {
        // A message without bytes would make its links look untouched, and count them twice.
        if weight == 0.0 {
            return;
        }
        routes.for_each(from, to, |link, share| {
            let more = &mut self.more[link];
            if *more == 0.0 {
                self.touched.push(link as u32);
            }
            *more += weight * share;
        });
    }

    /// Adds loads that were taken from another sheet, none of which is 0.
    #[inline]
    pub fn add(&mut self, taken: &[(u32, f64)]) {
        for &(link, load) in taken {
            let more = &mut self.more[link as usize];
            if *more == 0.0 {
                self.touched.push(link);
            }
            *more += load;
        }
    }

    /// The loads on the sheet, link by link. The sheet is then clear.
    pub fn take(&mut self) -> Vec<(u32, f64)> {
        let take = |link| (link, std::mem::take(&mut self.more[link as usize]));
        self.touched.drain(..).map(take).collect()
    }

    /// What the total would be; `None` if that is above `bar`.
    pub fn total(&self, load: &Load, bar: f64) -> Option<Total> {
        let Total { mut largest, mut squares } = load.total;
        for &link in &self.touched {
            let (before, more) = (load.on_link[link as usize], self.more[link as usize]);
            largest = largest.max(before + more);
            squares += more * (2.0 * before + more);
        }
        (largest <= bar).then_some(Total { largest, squares })
    }

    /// Adds everything to `load`, and clears the sheet.
    pub fn add_to(&mut self, load: &mut Load) {
        load.total = self.total(load, f64::INFINITY).expect("nothing is above infinity");
        for &link in &self.touched {
            load.on_link[link as usize] += self.more[link as usize];
        }
        self.clear();
    }

    pub fn clear(&mut self) {
        for link in self.touched.drain(..) {
            self.more[link as usize] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    #[test]
    fn messages_without_bytes_do_not_make_links_count_twice() {
        let machine = Machine::parse("mesh:4").unwrap();
        let routes = RelativeRoutes::new(&machine);
        let mut sheet = Sheet::new(routes.link_bound());
        let mut load = Load::nothing(routes.link_bound());
        for weight in [0.0, 0.0, 5.0, 0.0] {
            sheet.put(&routes, 0, 1, weight);
        }
        sheet.add_to(&mut load);
        sheet.put(&routes, 0, 1, 1.0);
        sheet.add_to(&mut load);
        assert_eq!(load.total(), Total { largest: 6.0, squares: 36.0 });
    }
}
