//! Finds the sender for each receive from any sender, if the trace does not say.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use topoloom_core::Event;
use topoloom_core::trace::NAMES_END;

/// Any sender or any tag of a receive, or the unknown tag of a send.
pub(crate) const ANY: u32 = u32::MAX;

/// The tag of messages whose tag neither side knows.
const NOBODY_KNOWS: u32 = NAMES_END - 1;

/// Fills in every [`ANY`] of `programs`, in which collectives have the numbers of their calls;
/// `members_of_call` has the number of members of each call. All ranks run in turns and without
/// time; a message arrives as soon as it is sent. Receives from any sender that get no message are
/// left out. Returns their number.
pub(crate) fn resolve(programs: &mut [Vec<Event>], members_of_call: &[usize]) -> usize {
    if !programs.iter().flatten().any(|event| is_open(*event)) {
        return 0;
    }
    let ranks = programs.len();
    let mut run = Run {
        spare: spare(programs),
        programs,
        members_of_call,
        arrived: HashMap::new(),
        ranks: (0..ranks).map(|_| Rank::default()).collect(),
        ready: (0..ranks).collect(),
        blocked: BTreeSet::new(),
        dropped: HashSet::new(),
    };
    run.go();
    let dropped = run.dropped;
    for (rank, program) in programs.iter_mut().enumerate() {
        leave_out(program, |place| dropped.contains(&(rank, place)));
        program.iter_mut().for_each(close);
    }
    dropped.len()
}

/// By sender, receiver and tag, how many more messages there are than receives that name the
/// sender. The surplus is for receives from any sender.
fn spare(programs: &[Vec<Event>]) -> HashMap<(usize, usize, u32), i64> {
    let mut spare = HashMap::new();
    for (rank, program) in programs.iter().enumerate() {
        for &event in program {
            match event {
                Event::Send { to, tag, .. } | Event::StartSend { to, tag, .. } => {
                    *spare.entry((rank, to as usize, tag)).or_default() += 1;
                }
                Event::Receive { from, tag } | Event::StartReceive { from, tag, .. }
                    if from != ANY =>
                {
                    *spare.entry((from as usize, rank, tag)).or_default() -= 1;
                }
                _ => {}
            }
        }
    }
    spare
}

fn is_open(event: Event) -> bool {
    match event {
        Event::Send { tag, .. } | Event::StartSend { tag, .. } => tag == ANY,
        Event::Receive { from, tag } | Event::StartReceive { from, tag, .. } => {
            from == ANY || tag == ANY
        }
        _ => false,
    }
}

/// Gives a tag to sends and receives without a partner.
fn close(event: &mut Event) {
    match event {
        Event::Send { tag, .. }
        | Event::StartSend { tag, .. }
        | Event::Receive { tag, .. }
        | Event::StartReceive { tag, .. }
            if *tag == ANY =>
        {
            *tag = NOBODY_KNOWS;
        }
        _ => {}
    }
}

/// Leaves out the events at some places, and the waits for them.
fn leave_out(program: &mut Vec<Event>, at: impl Fn(usize) -> bool) {
    let mut requests = HashSet::new();
    let mut place = 0;
    program.retain(|event| {
        let out = at(place);
        place += 1;
        match *event {
            Event::StartReceive { request, .. } if out => {
                requests.insert(request);
            }
            Event::Wait { request } if requests.remove(&request) => return false,
            Event::WaitAll => requests.clear(),
            _ => {}
        }
        !out
    });
}

/// A message in flight: where it was sent.
#[derive(Clone, Copy)]
struct Message {
    from: usize,
    place: usize,
    tag: u32,
}

#[derive(Default)]
struct Rank {
    /// The event that comes next.
    next: usize,
    /// Messages without a receive yet, in their order.
    messages: VecDeque<Message>,
    /// Places of receives that have no message yet, in their order.
    receives: Vec<usize>,
    /// For each request, the place where it began to receive.
    requests: HashMap<u32, usize>,
    /// The place of the last receive that it has stopped for.
    asked: Option<usize>,
}

struct Run<'a> {
    spare: HashMap<(usize, usize, u32), i64>,
    programs: &'a mut [Vec<Event>],
    members_of_call: &'a [usize],
    /// The ranks that wait in each call.
    arrived: HashMap<u32, Vec<usize>>,
    ranks: Vec<Rank>,
    ready: VecDeque<usize>,
    blocked: BTreeSet<usize>,
    dropped: HashSet<(usize, usize)>,
}

impl Run<'_> {
    fn go(&mut self) {
        loop {
            while let Some(rank) = self.ready.pop_front() {
                self.run(rank);
            }
            // No rank can proceed. First a rank that waits for any sender gives up, then any
            // waiting rank.
            let for_anyone =
                self.blocked.iter().find_map(|&rank| Some((rank, self.awaited_from_anyone(rank)?)));
            if let Some((rank, open)) = for_anyone {
                let place = self.ranks[rank].receives.remove(open);
                self.dropped.insert((rank, place));
                self.wake(rank);
            } else if let Some(&rank) = self.blocked.first() {
                self.ranks[rank].next += 1;
                self.wake(rank);
            } else {
                return;
            }
        }
    }

    /// The position, among a rank's receives without a message, of the receive from any sender that
    /// the rank waits for.
    fn awaited_from_anyone(&self, rank: usize) -> Option<usize> {
        let Rank { next, ref receives, ref requests, .. } = self.ranks[rank];
        let from_anyone = |place: usize| {
            let event = self.programs[rank][place];
            matches!(
                event,
                Event::Receive { from: ANY, .. } | Event::StartReceive { from: ANY, .. }
            )
        };
        let awaited = match self.programs[rank][next] {
            Event::Receive { .. } => Some(next),
            Event::Wait { request } => requests.get(&request).copied(),
            Event::WaitAll => receives.iter().copied().find(|&place| from_anyone(place)),
            _ => None,
        };
        let awaited = awaited.filter(|&place| from_anyone(place))?;
        receives.iter().position(|&place| place == awaited)
    }

    fn wake(&mut self, rank: usize) {
        if self.blocked.remove(&rank) {
            self.ready.push_back(rank);
        }
    }

    /// Lets a rank go on until it waits for something.
    fn run(&mut self, rank: usize) {
        while let Some(&event) = self.programs[rank].get(self.ranks[rank].next) {
            let place = self.ranks[rank].next;
            let goes_on = match event {
                Event::Send { to, tag, .. } | Event::StartSend { to, tag, .. } => {
                    self.send(to as usize, Message { from: rank, place, tag });
                    true
                }
                Event::Receive { .. } => self.has_received(rank, place),
                Event::StartReceive { request, .. } => {
                    self.ranks[rank].requests.insert(request, place);
                    self.receive(rank, place);
                    true
                }
                Event::Wait { request } => {
                    let begun = self.ranks[rank].requests.get(&request);
                    begun.is_none_or(|place| !self.ranks[rank].receives.contains(place))
                }
                Event::WaitAll => self.ranks[rank].receives.is_empty(),
                Event::Collective { number } => self.join(rank, number),
                Event::Compute { .. } | Event::Repeat { .. } | Event::End => true,
            };
            if !goes_on {
                self.blocked.insert(rank);
                return;
            }
            self.ranks[rank].next += 1;
        }
    }

    /// Whether the receive at a place has its message. A new receive asks for one.
    fn has_received(&mut self, rank: usize, place: usize) -> bool {
        match self.ranks[rank].asked.replace(place) {
            Some(asked) if asked == place => !self.ranks[rank].receives.contains(&place),
            _ => self.receive(rank, place),
        }
    }

    /// Takes the first message that fits, or waits for one.
    fn receive(&mut self, rank: usize, place: usize) -> bool {
        let found = {
            let mut messages = self.ranks[rank].messages.iter();
            messages.position(|message| self.fits(rank, place, message))
        };
        match found.and_then(|found| self.ranks[rank].messages.remove(found)) {
            Some(message) => {
                self.pair(rank, place, message);
                true
            }
            None => {
                self.ranks[rank].receives.push(place);
                false
            }
        }
    }

    fn send(&mut self, to: usize, message: Message) {
        let mut receives = self.ranks[to].receives.iter();
        match receives.position(|&place| self.fits(to, place, &message)) {
            Some(found) => {
                let place = self.ranks[to].receives.remove(found);
                self.pair(to, place, message);
                self.wake(to);
            }
            None => self.ranks[to].messages.push_back(message),
        }
    }

    /// Pairs a message with its receive: each fills in what the other does not know.
    fn pair(&mut self, rank: usize, place: usize, message: Message) {
        let mut both = message.tag;
        if let Event::Receive { from, tag } | Event::StartReceive { from, tag, .. } =
            &mut self.programs[rank][place]
        {
            if *from == ANY {
                *self.spare.entry((message.from, rank, message.tag)).or_default() -= 1;
                *from = message.from as u32;
            }
            both = match (message.tag, *tag) {
                (ANY, ANY) => NOBODY_KNOWS,
                (ANY, known) => known,
                (known, _) => known,
            };
            *tag = both;
        }
        if let Event::Send { tag, .. } | Event::StartSend { tag, .. } =
            &mut self.programs[message.from][message.place]
        {
            *tag = both;
        }
    }

    /// Whether all members have arrived; the last one lets the others go on.
    fn join(&mut self, rank: usize, call: u32) -> bool {
        let arrived = self.arrived.entry(call).or_default();
        if arrived.contains(&rank) {
            return false;
        }
        arrived.push(rank);
        if arrived.len() < self.members_of_call[call as usize] {
            return false;
        }
        let here = Event::Collective { number: call };
        for waiting in self.arrived.remove(&call).unwrap_or_default() {
            let next = self.ranks[waiting].next;
            // Some ranks may have continued without the others.
            if waiting != rank && self.programs[waiting].get(next) == Some(&here) {
                self.ranks[waiting].next += 1;
                self.wake(waiting);
            }
        }
        true
    }

    /// Whether a receive may get a message.
    fn fits(&self, rank: usize, place: usize, message: &Message) -> bool {
        let (Event::Receive { from, tag } | Event::StartReceive { from, tag, .. }) =
            self.programs[rank][place]
        else {
            return false;
        };
        if tag != ANY && message.tag != ANY && tag != message.tag {
            return false;
        }
        match from {
            ANY => self.spare.get(&(message.from, rank, message.tag)).is_some_and(|&n| n > 0),
            from => from as usize == message.from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(to: u32, tag: u32) -> Event {
        Event::Send { to, bytes: 1, tag }
    }

    fn receive(from: u32, tag: u32) -> Event {
        Event::Receive { from, tag }
    }

    #[test]
    fn a_master_answers_whoever_has_asked() {
        // Workers ask, wait for the answer and ask again: the second question of one comes after
        // the answer to its first.
        let worker = |_| vec![send(0, 1), receive(0, 2), send(0, 1), receive(0, 2)];
        let master = vec![
            receive(ANY, 1),
            send(2, 2),
            receive(ANY, ANY),
            send(1, 2),
            receive(ANY, 1),
            send(1, 2),
            receive(ANY, 1),
            send(2, 2),
        ];
        let mut programs = vec![master, worker(1), worker(2)];
        assert_eq!(resolve(&mut programs, &[]), 0);
        // Without an answer yet, ranks 1 and 2 have asked in this order; rank 2 is answered first.
        let from: Vec<u32> = programs[0]
            .iter()
            .filter_map(|event| match *event {
                Event::Receive { from, tag: 1 } => Some(from),
                _ => None,
            })
            .collect();
        assert_eq!(from, [1, 2, 2, 1]);
    }

    #[test]
    fn tags_that_one_side_knows_are_known_to_both() {
        let mut programs =
            vec![vec![send(1, ANY), send(1, ANY)], vec![receive(0, 5), receive(0, ANY)]];
        assert_eq!(resolve(&mut programs, &[]), 0);
        assert_eq!(programs[0], [send(1, 5), send(1, NOBODY_KNOWS)]);
        assert_eq!(programs[1], [receive(0, 5), receive(0, NOBODY_KNOWS)]);
    }

    #[test]
    fn receives_that_nobody_sends_to_are_left_out_with_their_waits() {
        let start = |from, request| Event::StartReceive { from, tag: 3, request };
        let wait = |request| Event::Wait { request };
        let collective = Event::Collective { number: 0 };
        let first = vec![start(ANY, 0), start(1, 1), wait(0), receive(ANY, 9), collective, wait(1)];
        let mut programs = vec![first, vec![collective, send(0, 3)]];
        assert_eq!(resolve(&mut programs, &[2]), 2);
        assert_eq!(programs[0], [start(1, 1), collective, wait(1)]);
        // A message that another receive asks for by name is not for a receive from any sender.
        let mut programs = vec![vec![start(ANY, 0), start(1, 1), Event::WaitAll], vec![send(0, 3)]];
        assert_eq!(resolve(&mut programs, &[]), 1);
        assert_eq!(programs[0], [start(1, 1), Event::WaitAll]);
        // A rank that waits for a message that is never sent keeps waiting.
        let mut programs = vec![vec![receive(1, 3), receive(ANY, 4)], vec![send(0, 4)]];
        assert_eq!(resolve(&mut programs, &[]), 0);
        assert_eq!(programs[0], [receive(1, 3), receive(1, 4)]);
    }
}
