//! The first process: hands out pieces of work, does some of them, and joins the results.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use topoloom::core::Crew;

use super::message::{Message, packed_results};
use super::post::Post;

/// How often the leader checks whether the time is up.
const PATIENCE: Duration = Duration::from_millis(20);

pub struct Leader {
    post: Arc<dyn Post>,
    lanes: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The section that is being worked on, or comes next.
    number: u64,
    section: Option<Section>,
    /// Helpers that ask for pieces of a section that has not begun here.
    early: Vec<(usize, u64, u64)>,
}

struct Section {
    mark: u64,
    next: usize,
    /// Whether nothing more is handed out.
    is_over: bool,
    results: Vec<Option<Vec<u8>>>,
    /// How many pieces are being done.
    open: usize,
}

impl Section {
    /// The next piece. The first one is always done.
    fn take(&mut self) -> Option<usize> {
        let left = self.next < self.results.len() && (!self.is_over || self.next == 0);
        left.then(|| {
            self.next += 1;
            self.open += 1;
            self.next - 1
        })
    }

    fn is_done(&self) -> bool {
        self.open == 0 && (self.is_over && self.next > 0 || self.next == self.results.len())
    }
}

impl Leader {
    /// A leader that works on this many pieces at a time.
    pub fn new(post: Arc<dyn Post>, lanes: usize) -> Leader {
        Leader { post, lanes, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Whether any work has been shared out. Before that, all processes load the same inputs.
    pub fn has_begun(&self) -> bool {
        let state = self.lock();
        state.number > 0 || state.section.is_some()
    }

    /// Takes note of a message of a helper.
    pub fn hear(&self, from: usize, message: Message) {
        let mut state = self.lock();
        match message {
            Message::Ask { section, mark } => self.answer(&mut state, from, section, mark),
            Message::Done { section, mark, piece, result } => {
                if section == state.number
                    && let Some(current) = &mut state.section
                {
                    current.results[piece as usize] = Some(result);
                    current.open -= 1;
                    self.changed.notify_all();
                }
                self.answer(&mut state, from, section, mark);
            }
            // The others are for helpers, or for the thread that stops the work.
            _ => {}
        }
    }

    /// Hands a piece to a helper, if there is one for it. A helper with another mark went another
    /// way: what it would find does not fit.
    fn answer(&self, state: &mut State, helper: usize, section: u64, mark: u64) {
        match &mut state.section {
            Some(current) if section == state.number => {
                if current.mark == mark
                    && let Some(piece) = current.take()
                {
                    self.post.send(helper, &Message::Piece { section, piece: piece as u64 });
                }
            }
            // The results are on their way.
            _ if section < state.number => {}
            _ => state.early.push((helper, section, mark)),
        }
    }

    /// Does pieces until there are none left.
    fn work(&self, work: &(dyn Fn(usize) -> Vec<u8> + Sync)) {
        while let Some(piece) = self.take() {
            let result = in_pool(piece, work);
            let mut state = self.lock();
            if let Some(section) = &mut state.section {
                section.results[piece] = Some(result);
                section.open -= 1;
            }
            self.changed.notify_all();
        }
    }

    fn take(&self) -> Option<usize> {
        self.lock().section.as_mut().and_then(Section::take)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, mark: u64, count: usize) {
        let mut state = self.lock();
        let results = vec![None; count];
        state.section = Some(Section { mark, next: 0, is_over: false, results, open: 0 });
        let number = state.number;
        let (now, later) = state.early.drain(..).partition(|&(_, section, _)| section <= number);
        state.early = later;
        let now: Vec<(usize, u64, u64)> = now;
        for (helper, section, mark) in now {
            self.answer(&mut state, helper, section, mark);
        }
    }

    /// Waits for the pieces that others do.
    fn wait(&self, is_over: &(dyn Fn() -> bool + Sync)) {
        let mut state = self.lock();
        while !state.section.as_ref().is_none_or(Section::is_done) {
            if is_over()
                && let Some(section) = &mut state.section
            {
                section.is_over = true;
            }
            state = match self.changed.wait_timeout(state, PATIENCE) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    fn end(&self) -> Vec<Option<Vec<u8>>> {
        let mut state = self.lock();
        let section = state.section.take().expect("a section has begun");
        let number = state.number;
        state.number += 1;
        if self.post.size() > 1 {
            let results = packed_results(&section.results);
            self.post.pass_on(&Message::Joined { section: number, mark: section.mark, results });
        }
        section.results
    }
}

impl Crew for Leader {
    fn share(
        &self,
        mark: u64,
        count: usize,
        work: &(dyn Fn(usize) -> Vec<u8> + Sync),
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Vec<u8>>> {
        self.begin(mark, count);
        std::thread::scope(|scope| {
            for _ in 0..self.lanes {
                scope.spawn(|| self.work(work));
            }
            self.wait(is_over);
        });
        self.end()
    }

    fn size(&self) -> usize {
        self.post.size()
    }
}

/// Does a piece of work on the threads that everything shares.
pub fn in_pool(piece: usize, work: &(dyn Fn(usize) -> Vec<u8> + Sync)) -> Vec<u8> {
    rayon::scope(|_| work(piece))
}
