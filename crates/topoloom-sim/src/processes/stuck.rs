//! Which ranks wait for what never comes, in words.

use super::compile::Op;
use super::{BLOCKED, Message, NOBODY, Processes, State};
use crate::error::Stuck;

/// How many ranks are explained.
const EXAMPLES: usize = 4;

/// Messages that were sent and that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreceived(pub u64);

impl Processes<'_> {
    /// Whether all ranks are done; says who is not and why.
    pub fn check_finished(&self) -> Result<Unreceived, Stuck> {
        let stuck: Vec<u32> = (0..self.processes.len() as u32)
            .filter(|&rank| self.processes[rank as usize].state != State::Finished)
            .collect();
        if stuck.is_empty() {
            let left = self.channels.iter().map(|channel| channel.left_over(&self.messages));
            return Ok(Unreceived(left.sum::<usize>() as u64));
        }
        // A message that is never sent explains more than ranks that wait for each other.
        let mut reasons: Vec<(bool, String)> =
            stuck.iter().map(|&rank| self.explain(rank)).collect();
        reasons.sort_by_key(|&(is_cause, _)| !is_cause);
        let examples = reasons.into_iter().take(EXAMPLES).map(|(_, text)| text).collect();
        Err(Stuck { ranks: stuck.len(), examples })
    }

    /// Whether this rank's wait is a cause of its own, and what it waits for.
    fn explain(&self, rank: u32) -> (bool, String) {
        let process = &self.processes[rank as usize];
        let event = process.cursor.position() - 1;
        let place = format!("rank {rank}, event {event}:");
        if process.state == State::Failed {
            let op = self.compiled.program(rank)[event];
            let what = match op {
                Op::Wait { .. } => "waits for a request that was not started",
                _ => "starts a request that is still open",
            };
            return (true, format!("{place} {what}"));
        }
        let is_awaited = |request: u32| match process.state {
            State::Blocked => request == BLOCKED,
            State::Waiting { request: awaited } => request == awaited,
            State::WaitingForAll => request != BLOCKED && request != NOBODY,
            _ => false,
        };
        let mut waits_for_partner = None;
        for message in self.messages.iter().filter(|message| !message.arrived) {
            let channel = self.channels[message.channel as usize];
            let receives = channel.to == rank && is_awaited(message.receiver_request);
            let sends = channel.from == rank && is_awaited(message.sender_request);
            if receives && message.awaited || sends && message.sent {
                let (cause, text) = self.explain_message(&place, message, receives);
                if cause {
                    return (true, text);
                }
                waits_for_partner.get_or_insert(text);
            }
        }
        let unknown = || format!("{place} waits for something that never comes");
        (false, waits_for_partner.unwrap_or_else(unknown))
    }

    fn explain_message(&self, place: &str, message: &Message, receives: bool) -> (bool, String) {
        let channel = self.channels[message.channel as usize];
        let tag = match channel.tag {
            topoloom_model::trace::COLLECTIVE_TAG => "of a collective".to_string(),
            tag => format!("with tag {tag}"),
        };
        let partner = if receives { channel.from } else { channel.to };
        let finished = self.processes[partner as usize].state == State::Finished;
        let text = match (receives, finished) {
            (true, true) => {
                format!("{place} waits for a message from rank {partner} {tag} that nobody sends")
            }
            (false, true) => {
                format!("{place} sends a message to rank {partner} {tag} that nobody receives")
            }
            (true, false) => {
                format!("{place} waits for rank {partner} to send {tag}, which waits itself")
            }
            (false, false) => {
                format!("{place} waits for rank {partner} to receive {tag}, which waits itself")
            }
        };
        (finished, text)
    }
}
