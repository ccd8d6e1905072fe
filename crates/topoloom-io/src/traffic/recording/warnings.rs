//! What a user should know before using a recording.

use super::content::{RankState, Recording};
use crate::text::warnings::Warnings;

impl Recording {
    /// Its notes, and which ranks are incomplete.
    pub fn warnings(&self) -> Warnings {
        let mut warnings = self.notes.clone();
        for (state, what) in [
            (
                RankState::NeverFinalised,
                "ended without MPI_Finalize: the recording has what was sent until then",
            ),
            (RankState::CutShort, "recorded in part: there was no room for more"),
            (RankState::Missing, "left no data"),
        ] {
            let of = self.incomplete.iter().filter(|(_, of)| *of == state);
            let ranks: Vec<u32> = of.map(|&(rank, _)| rank).collect();
            if !ranks.is_empty() {
                warnings.push(format!("{} {what}", listed(&ranks)));
            }
        }
        warnings
    }
}

/// `rank 3`, or `5 ranks (0, 1, 2, ...)`.
fn listed(ranks: &[u32]) -> String {
    const SHOWN: usize = 8;
    if let [rank] = ranks {
        return format!("rank {rank}");
    }
    let first: Vec<String> = ranks.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if ranks.len() > SHOWN { ", ..." } else { "" };
    format!("{} ranks ({}{more})", ranks.len(), first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_are_not_complete_are_named() {
        let incomplete = vec![
            (1, RankState::NeverFinalised),
            (2, RankState::Missing),
            (3, RankState::NeverFinalised),
        ];
        let notes = vec!["a note".to_string()];
        let recording = Recording { ranks: 4, notes, incomplete, ..Recording::default() };
        assert_eq!(
            recording.warnings(),
            [
                "a note",
                "2 ranks (1, 3) ended without MPI_Finalize: the recording has what was sent until \
                 then",
                "rank 2 left no data"
            ]
        );
    }
}
