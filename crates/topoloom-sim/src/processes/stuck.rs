//! Which ranks wait for something that never comes, in words.

use std::collections::HashMap;

use super::compile::Op;
use super::{BLOCKED, NOBODY, Processes, State};
use crate::error::Stuck;

/// How many ranks are explained.
const EXAMPLES: usize = 4;

/// Messages that were sent and that no rank asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreceived(pub u64);

impl Processes<'_> {
    /// Whether all ranks are done. If not, says which ones are not and why.
    pub fn check_finished(&self) -> Result<Unreceived, Stuck> {
        let stuck: Vec<u32> = (0..self.processes.len() as u32)
            .filter(|&rank| self.processes[rank as usize].state != State::Finished)
            .collect();
        if stuck.is_empty() {
            let left = self.channels.iter().map(|channel| channel.left_over(&self.messages));
            return Ok(Unreceived(left.sum::<usize>() as u64));
        }
        // A message that is never sent explains more than ranks that wait for each other.
        let mut of_rank = self.open_messages();
        let reasons: Vec<Reason> =
            stuck.iter().map(|&rank| self.reason(rank, &mut of_rank)).collect();
        let (causes, others): (Vec<&Reason>, Vec<&Reason>) =
            reasons.iter().partition(|reason| self.is_cause(reason));
        let first = causes.into_iter().chain(others).take(EXAMPLES);
        let examples = first.map(|reason| self.explain(reason)).collect();
        Err(Stuck { ranks: stuck.len(), examples })
    }

    /// By rank, the messages that it sends or receives and that have not arrived.
    fn open_messages(&self) -> HashMap<u32, Vec<u32>> {
        let mut of_rank: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, message) in (0..).zip(&self.messages).filter(|(_, message)| !message.arrived) {
            let channel = self.channels[message.channel as usize];
            of_rank.entry(channel.to).or_default().push(number);
            if channel.from != channel.to {
                of_rank.entry(channel.from).or_default().push(number);
            }
        }
        of_rank
    }

    fn reason(&self, rank: u32, of_rank: &mut HashMap<u32, Vec<u32>>) -> Reason {
        let process = &self.processes[rank as usize];
        let is_awaited = |request: u32| match process.state {
            State::Blocked => request == BLOCKED,
            State::Waiting { request: awaited } => request == awaited,
            State::WaitingForAll => request != BLOCKED && request != NOBODY,
            _ => false,
        };
        let mut found = None;
        for number in of_rank.remove(&rank).unwrap_or_default() {
            let message = &self.messages[number as usize];
            let channel = self.channels[message.channel as usize];
            let receives =
                channel.to == rank && message.awaited && is_awaited(message.receiver_request);
            let sends = channel.from == rank && message.sent && is_awaited(message.sender_request);
            if receives || sends {
                let reason = Reason { rank, message: Some((number, receives)) };
                if self.is_cause(&reason) {
                    return reason;
                }
                found.get_or_insert(reason);
            }
        }
        found.unwrap_or(Reason { rank, message: None })
    }

    /// The rank at the other end of the message that a rank waits for.
    fn partner(&self, reason: &Reason) -> Option<u32> {
        let (number, receives) = reason.message?;
        let channel = self.channels[self.messages[number as usize].channel as usize];
        Some(if receives { channel.from } else { channel.to })
    }

    /// Whether no other rank is to blame: the program makes no sense, or the partner has finished.
    fn is_cause(&self, reason: &Reason) -> bool {
        let state = |rank: u32| self.processes[rank as usize].state;
        state(reason.rank) == State::Failed
            || self.partner(reason).is_some_and(|partner| state(partner) == State::Finished)
    }

    fn explain(&self, reason: &Reason) -> String {
        let rank = reason.rank;
        let process = &self.processes[rank as usize];
        let event = process.cursor.position() - 1;
        let place = format!("rank {rank}, event {event}:");
        if process.state == State::Failed {
            let what = match self.compiled.program(rank)[event] {
                Op::Wait { .. } => "waits for a request that was not started",
                _ => "starts a request that is still open",
            };
            return format!("{place} {what}");
        }
        let (Some((number, receives)), Some(partner)) = (reason.message, self.partner(reason))
        else {
            return format!("{place} waits for something that never comes");
        };
        let tag = self.channels[self.messages[number as usize].channel as usize].tag;
        let message = if receives { "a message from" } else { "its message to" };
        let end = match (receives, self.is_cause(reason)) {
            _ if partner == rank => "that it is not ready for",
            (true, true) => "that is never sent",
            (false, true) => "that is never received",
            (_, false) => "that is itself waiting",
        };
        let whom = if partner == rank { "itself".to_string() } else { format!("rank {partner}") };
        format!("{place} waits for {message} {whom} with tag {tag} {end}")
    }
}

/// What a rank waits for: a message, and whether it receives it.
#[derive(Debug, Clone, Copy)]
struct Reason {
    rank: u32,
    message: Option<(u32, bool)>,
}
