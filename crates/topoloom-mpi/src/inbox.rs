//! Messages that have arrived.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use crate::delivery::{Delivery, Message};
use crate::error::Error;

/// Messages that have arrived, in order. After another process has left, no thread waits here: the
/// messages of that process would never come.
pub struct Inbox {
    deliveries: Receiver<Delivery>,
    left: Option<usize>,
    /// Messages that were passed over because a thread waits for another sender.
    early: Vec<Message>,
}

impl Inbox {
    pub fn new(deliveries: Receiver<Delivery>) -> Inbox {
        Inbox { deliveries, left: None, early: Vec::new() }
    }

    /// The next message, whenever it comes.
    pub fn next(&mut self) -> Result<Message, Error> {
        if let Some(message) = self.next_if_there()? {
            return Ok(message);
        }
        let delivery = self.deliveries.recv().map_err(|_| Error::Stopped)?;
        self.opened(delivery)
    }

    /// The next message, if it comes within the limit.
    pub fn next_within(&mut self, limit: Duration) -> Result<Option<Message>, Error> {
        if let Some(message) = self.next_if_there()? {
            return Ok(Some(message));
        }
        match self.deliveries.recv_timeout(limit) {
            Ok(delivery) => self.opened(delivery).map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Stopped),
        }
    }

    /// The next message, if it is there.
    pub fn next_if_there(&mut self) -> Result<Option<Message>, Error> {
        match (self.deliveries.try_recv(), self.left) {
            (Ok(delivery), _) => self.opened(delivery).map(Some),
            (Err(_), Some(rank)) => Err(Error::Left { rank }),
            (Err(TryRecvError::Empty), None) => Ok(None),
            (Err(TryRecvError::Disconnected), None) => Err(Error::Stopped),
        }
    }

    /// The next message of one process, whenever it comes. Those of others are kept.
    pub fn next_from(&mut self, from: usize) -> Result<Vec<u8>, Error> {
        if let Some(place) = self.early.iter().position(|message| message.from == from) {
            return Ok(self.early.remove(place).bytes);
        }
        loop {
            let message = self.next()?;
            if message.from == from {
                return Ok(message.bytes);
            }
            self.early.push(message);
        }
    }

    fn opened(&mut self, delivery: Delivery) -> Result<Message, Error> {
        match delivery {
            Delivery::Message(message) => Ok(message),
            Delivery::Left(rank) => {
                let rank = *self.left.get_or_insert(rank);
                Err(Error::Left { rank })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn message(from: usize, byte: u8) -> Delivery {
        Delivery::Message(Message { from, bytes: vec![byte] })
    }

    #[test]
    fn messages_of_one_sender_keep_their_order_while_others_wait() {
        let (sender, receiver) = channel();
        let mut inbox = Inbox::new(receiver);
        for (from, byte) in [(2, 1), (1, 2), (2, 3), (1, 4)] {
            sender.send(message(from, byte)).unwrap();
        }
        assert_eq!(inbox.next_from(1).unwrap(), [2]);
        assert_eq!(inbox.next_from(1).unwrap(), [4]);
        assert_eq!(inbox.next_from(2).unwrap(), [1]);
        assert_eq!(inbox.next_from(2).unwrap(), [3]);
    }

    #[test]
    fn nobody_waits_after_a_process_has_left() {
        let (sender, receiver) = channel();
        let mut inbox = Inbox::new(receiver);
        sender.send(message(1, 5)).unwrap();
        sender.send(Delivery::Left(3)).unwrap();
        assert_eq!(inbox.next().unwrap().bytes, [5]);
        for _ in 0..3 {
            assert!(matches!(inbox.next(), Err(Error::Left { rank: 3 })));
        }
        sender.send(message(1, 6)).unwrap();
        assert_eq!(inbox.next().unwrap().bytes, [6]);
    }

    #[test]
    fn an_office_that_has_ended_is_an_error() {
        let (sender, receiver) = channel();
        let mut inbox = Inbox::new(receiver);
        assert!(inbox.next_within(Duration::from_millis(1)).unwrap().is_none());
        drop(sender);
        assert!(matches!(inbox.next(), Err(Error::Stopped)));
        assert!(matches!(inbox.next_if_there(), Err(Error::Stopped)));
    }
}
