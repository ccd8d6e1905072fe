//! The state of an evolution between two generations.

use super::breeding::{Breeding, MEMBERS};
use super::population::{Member, Population, best_of};
use crate::crew::Packed;

/// Everything that the next generation depends on, apart from the problem and the seed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    /// How many generations there were.
    pub(super) generation: u64,
    pub(super) islands: Vec<Population>,
}

impl State {
    /// The state before the first generation. The first members are dealt out to the islands.
    pub(super) fn new(islands: usize, first: Vec<Member>) -> State {
        let mut members = vec![Vec::new(); islands];
        for (number, member) in first.into_iter().take(islands * MEMBERS).enumerate() {
            members[number % islands].push(member);
        }
        State { generation: 0, islands: members.into_iter().map(Population::new).collect() }
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.islands.iter().flat_map(Population::members)
    }

    /// The best placement of all islands; of equal ones the first.
    pub(super) fn best(&self) -> Option<&Member> {
        best_of(self.members())
    }

    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let members: Vec<Vec<Member>> =
            self.islands.iter().map(|island| island.members().to_vec()).collect();
        (self.generation, members).packed()
    }

    /// The state that these bytes are; `None` if they are not one, or not one of this problem.
    pub(super) fn restored(bytes: &[u8], islands: u32, breeding: &impl Breeding) -> Option<State> {
        let (generation, members) = <(u64, Vec<Vec<Member>>)>::unpacked(bytes)?;
        let state =
            State { generation, islands: members.into_iter().map(Population::new).collect() };
        let complete = |island: &Population| match generation {
            0 => island.len() <= MEMBERS,
            _ => (1..=MEMBERS).contains(&island.len()),
        };
        let fits = state.islands.len() == islands as usize
            && state.islands.iter().all(complete)
            && state.best().is_some()
            && state.members().all(|member| breeding.judge(&member.places) == Some(member.fitness));
        fits.then_some(state)
    }
}
