//! The other processes: ask the leader for pieces of work.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use topoloom::core::Crew;

use super::leader::in_pool;
use super::message::{Message, unpacked_results};
use super::post::Post;

/// The leader's number.
const LEADER: usize = 0;

pub struct Helper {
    post: Arc<dyn Post>,
    lanes: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The section that this process is at, or comes to next.
    number: u64,
    /// The mark of this section, once the process is there.
    mark: Option<u64>,
    /// Whether the process went another way than the leader. It gets no more work.
    is_lost: bool,
    pieces: VecDeque<usize>,
    /// Marks and results of this section and of later ones: the others may be ahead.
    joined: BTreeMap<u64, (u64, Vec<u8>)>,
}

impl State {
    /// The results of the section that this process is at.
    fn results(&self) -> Option<&[u8]> {
        self.joined.get(&self.number).map(|(_, results)| &results[..])
    }

    /// Keeps nothing for a process that went another way.
    fn look_for_way(&mut self) {
        let (joined, mark) = (self.joined.get(&self.number), self.mark);
        if joined.is_some_and(|(joined, _)| mark.is_some_and(|mark| mark != *joined)) {
            self.is_lost = true;
            self.joined.clear();
        }
    }
}

impl Helper {
    /// A helper that works on this many pieces at a time.
    pub fn new(post: Arc<dyn Post>, lanes: usize) -> Helper {
        Helper { post, lanes, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes note of a message of the leader.
    pub fn hear(&self, message: Message) {
        let mut state = self.lock();
        match message {
            Message::Piece { section, piece } if section == state.number => {
                state.pieces.push_back(piece as usize);
            }
            Message::Joined { section, mark, results }
                if section >= state.number && !state.is_lost =>
            {
                state.joined.insert(section, (mark, results));
                state.look_for_way();
            }
            // The others are for the leader.
            _ => return,
        }
        self.changed.notify_all();
    }

    /// Does pieces until the results are there.
    fn work(&self, (section, mark): (u64, u64), work: &(dyn Fn(usize) -> Vec<u8> + Sync)) {
        self.post.send(LEADER, &Message::Ask { section, mark });
        while let Some(piece) = self.next_piece() {
            let result = in_pool(piece, work);
            let piece = piece as u64;
            self.post.send(LEADER, &Message::Done { section, mark, piece, result });
        }
    }

    fn next_piece(&self) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if state.results().is_some() {
                return None;
            }
            if let Some(piece) = state.pieces.pop_front() {
                return Some(piece);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crew for Helper {
    /// Returns with the results of the leader. If this process went another way, it never returns:
    /// the process ends when the leader ends.
    fn share(
        &self,
        mark: u64,
        _: usize,
        work: &(dyn Fn(usize) -> Vec<u8> + Sync),
        _: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Vec<u8>>> {
        let mut state = self.lock();
        let section = state.number;
        state.mark = Some(mark);
        state.look_for_way();
        drop(state);
        std::thread::scope(|scope| {
            for _ in 0..self.lanes {
                scope.spawn(|| self.work((section, mark), work));
            }
        });
        let mut state = self.lock();
        let results = state.results().and_then(unpacked_results).unwrap_or_default();
        state.joined.remove(&section);
        state.number += 1;
        state.mark = None;
        results
    }

    fn size(&self) -> usize {
        self.post.size()
    }
}
