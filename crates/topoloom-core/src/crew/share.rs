//! How a run shares out pieces of work.

use super::packed::{Packed, Reader};
use crate::parallel;
use crate::random::mix;
use crate::run::Run;

impl Run {
    /// Does `count` pieces of work on all threads or, if the run has a crew, in all its processes,
    /// and returns the results in order. Those that were not begun in time are missing. `mark` sums
    /// up what the pieces depend on. Pieces that take longest should come first.
    pub fn share<T: Packed + Send>(
        &self,
        mark: u64,
        count: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> Vec<Option<T>> {
        self.share_out(mark, count, &work)
    }

    fn share_out<T: Packed + Send>(
        &self,
        mark: u64,
        count: usize,
        work: &(dyn Fn(usize) -> T + Sync),
    ) -> Vec<Option<T>> {
        if count == 1 {
            // On the thread of the caller: it may share out parts of this piece.
            return vec![Some(work(0))];
        }
        let in_time = |piece: usize| (piece == 0 || !self.is_over()).then(|| work(piece));
        let Some(crew) = self.crew() else {
            return parallel::map(count, &in_time);
        };
        let mark = mix(self.mark() ^ mix(mark ^ count as u64));
        let results = crew.share(mark, count, &|piece| work(piece).packed(), &|| self.is_over());
        results
            .into_iter()
            .map(|bytes| {
                bytes.map(|bytes| T::unpacked(&bytes).expect("the same program packed it"))
            })
            .collect()
    }
}

/// What a part of a run has used, for its way to another process.
#[derive(Debug, Clone)]
pub struct Used {
    evaluations: u64,
    was_cut_short: bool,
    notes: Vec<String>,
}

impl Used {
    /// What this part has used.
    pub fn by(part: &Run) -> Used {
        let notes = part.notes().to_vec();
        Used { evaluations: part.evaluations(), was_cut_short: part.was_cut_short(), notes }
    }

    /// Adds it to the run, without its notes. Returns whether the part was cut short.
    pub fn count(&self, run: &mut Run) -> bool {
        run.count(self.evaluations);
        self.was_cut_short
    }

    /// Adds it to the run, with its notes.
    pub fn absorb(self, run: &mut Run) {
        if self.was_cut_short {
            run.cut_short();
        }
        run.count(self.evaluations);
        self.notes.into_iter().for_each(|note| run.note(note));
    }
}

impl Packed for Used {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.evaluations.pack(bytes);
        self.was_cut_short.pack(bytes);
        self.notes.pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (evaluations, was_cut_short, notes) = <(u64, bool, Vec<String>)>::unpack(from)?;
        Some(Used { evaluations, was_cut_short, notes })
    }
}
