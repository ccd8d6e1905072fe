//! Which packets ask for which output, in lists without allocation.

const NONE: u32 = u32::MAX;

/// Set in the turn of a port that is served last.
const LAST: u32 = 1 << 31;

#[derive(Debug, Clone, Copy)]
struct Entry {
    input: u32,
    output: u32,
    /// The inputs of one link, and those of one node, share a port.
    port: u32,
    class: u16,
    before: u32,
    after: u32,
}

/// For each output, the inputs that ask for it. An input asks for up to `ways` of them.
#[derive(Debug)]
pub(super) struct Requests {
    ways: u32,
    /// By input, then way.
    entries: Vec<Entry>,
    /// How many ways each input asks for.
    asked: Vec<u8>,
    first: Vec<u32>,
    /// Ports from this one on are served last. It is beyond all ports if none is.
    first_of_last: u32,
    /// The port and input that were served last.
    last_served: Vec<(u32, u32)>,
}

impl Requests {
    /// The memory of one way that an input may ask for.
    pub const BYTES: usize = size_of::<Entry>();

    /// Ports from `first_of_last` on are served when no other asks.
    pub fn new(inputs: usize, outputs: usize, ways: usize, first_of_last: u32) -> Requests {
        let empty = Entry { input: 0, output: NONE, port: 0, class: 0, before: NONE, after: NONE };
        Requests {
            ways: ways as u32,
            first_of_last,
            entries: vec![empty; inputs * ways],
            asked: vec![0; inputs],
            first: vec![NONE; outputs],
            last_served: vec![(0, 0); outputs],
        }
    }

    /// An input of a port asks for an output in a class of channels.
    #[inline]
    pub fn add(&mut self, (port, input): (u32, u32), output: u32, class: u16) {
        let entry = input * self.ways + u32::from(self.asked[input as usize]);
        self.asked[input as usize] += 1;
        let after = self.first[output as usize];
        self.entries[entry as usize] = Entry { input, output, port, class, before: NONE, after };
        if after != NONE {
            self.entries[after as usize].before = entry;
        }
        self.first[output as usize] = entry;
    }

    /// Whether any input asks for an output.
    #[inline]
    pub fn is_asked(&self, output: u32) -> bool {
        self.first[output as usize] != NONE
    }

    /// An input no longer asks for anything.
    #[inline]
    pub fn clear(&mut self, input: u32) {
        let first = input * self.ways;
        for entry in first..first + u32::from(self.asked[input as usize]) {
            let Entry { output, before, after, .. } = self.entries[entry as usize];
            match before {
                NONE => self.first[output as usize] = after,
                before => self.entries[before as usize].after = after,
            }
            if after != NONE {
                self.entries[after as usize].before = before;
            }
        }
        self.asked[input as usize] = 0;
    }

    /// The input whose turn it is, of those whose class is `open`, with that class. Ports take
    /// turns, and so do the inputs of a port.
    #[inline]
    pub fn next(&self, output: u32, open: impl Fn(u16) -> bool) -> Option<(u32, u16)> {
        let (last_port, last_input) = self.last_served[output as usize];
        let mut best: Option<(u32, u16)> = None;
        let mut soonest = u64::MAX;
        let mut entry = self.first[output as usize];
        while entry != NONE {
            let Entry { input, port, class, after, .. } = self.entries[entry as usize];
            // Those after the last one served come first, then the others from the lowest: by port,
            // then by input. Ports are fewer than 2^31.
            let of_port = port.wrapping_sub(last_port + 1) & (LAST - 1);
            let of_port = if port >= self.first_of_last { of_port | LAST } else { of_port };
            let turn = u64::from(of_port) << 32 | u64::from(input.wrapping_sub(last_input + 1));
            // The one served last has the highest number possible, and may be the only one.
            if (turn < soonest || best.is_none()) && open(class) {
                (soonest, best) = (turn, Some((input, class)));
            }
            entry = after;
        }
        best
    }

    /// Remembers which one was served.
    #[inline]
    pub fn served(&mut self, output: u32, input: u32) {
        let port = self.entries[(input * self.ways) as usize].port;
        self.last_served[output as usize] = (port, input);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_take_turns() {
        let mut requests = Requests::new(4, 2, 2, u32::MAX);
        for input in [2, 0, 3] {
            requests.add((input, input), 1, 0);
        }
        let mut served = Vec::new();
        for _ in 0..7 {
            let (input, _) = requests.next(1, |_| true).unwrap();
            served.push(input);
            requests.served(1, input);
        }
        // After input 0, as if that had been served before.
        assert_eq!(served, [2, 3, 0, 2, 3, 0, 2]);
        assert_eq!(requests.next(0, |_| true), None);
        assert_eq!(requests.next(1, |_| false), None);
    }

    #[test]
    fn ports_take_turns_however_many_inputs_they_have() {
        let mut requests = Requests::new(4, 1, 1, u32::MAX);
        for (port, input) in [(0, 0), (0, 1), (0, 2), (1, 3)] {
            requests.add((port, input), 0, 0);
        }
        let mut served = Vec::new();
        for _ in 0..6 {
            let (input, _) = requests.next(0, |_| true).unwrap();
            served.push(input);
            requests.served(0, input);
        }
        assert_eq!(served.iter().filter(|&&input| input == 3).count(), 3);
    }

    #[test]
    fn ports_that_come_last_wait_for_all_others() {
        let mut requests = Requests::new(3, 1, 1, 1);
        for (port, input) in [(0, 0), (1, 1), (0, 2)] {
            requests.add((port, input), 0, 0);
        }
        for _ in 0..5 {
            let (input, _) = requests.next(0, |_| true).unwrap();
            assert_ne!(input, 1);
            requests.served(0, input);
        }
        requests.clear(0);
        requests.clear(2);
        assert_eq!(requests.next(0, |_| true), Some((1, 0)));
    }

    #[test]
    fn a_port_that_comes_last_is_served_again_if_no_other_asks() {
        let mut requests = Requests::new(2, 1, 1, 0);
        requests.add((1, 1), 0, 0);
        requests.served(0, 1);
        assert_eq!(requests.next(0, |_| true), Some((1, 0)));
    }

    #[test]
    fn an_input_that_is_served_asks_nowhere_else() {
        let mut requests = Requests::new(2, 3, 2, u32::MAX);
        requests.add((0, 0), 1, 0);
        requests.add((0, 0), 2, 1);
        requests.add((1, 1), 2, 0);
        requests.clear(0);
        assert_eq!(requests.next(1, |_| true), None);
        assert_eq!(requests.next(2, |_| true), Some((1, 0)));
    }
}
