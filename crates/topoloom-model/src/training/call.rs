//! What a group does together in a step.

/// What the members of a group do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Everyone gets the sum of everyone's bytes.
    AllReduce,
    /// Everyone gets all parts; the bytes are those of all parts together.
    AllGather,
    /// Everyone gets one part of the sum; the bytes are those of all parts together.
    ReduceScatter,
    /// Everyone sends its bytes in equal shares to everyone, itself included.
    AllToAll,
    /// Everyone sends its bytes to the next member, and the last one to the first, in the order of
    /// ranks.
    Shift,
    /// Every member except the last sends its bytes to the next, in the order of ranks.
    Forward,
    /// Every member except the first sends its bytes to the one before, in the order of ranks.
    Backward,
    /// The last member sends its bytes to the first.
    LastToFirst,
    /// The first member sends its bytes to the last.
    FirstToLast,
    /// The first member sends its bytes to everyone.
    Broadcast,
}

impl Operation {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Operation::AllReduce => "all-reduce",
            Operation::AllGather => "all-gather",
            Operation::ReduceScatter => "reduce-scatter",
            Operation::AllToAll => "all-to-all",
            Operation::Shift => "shift",
            Operation::Forward => "send forward",
            Operation::Backward => "send backward",
            Operation::LastToFirst => "send last to first",
            Operation::FirstToLast => "send first to last",
            Operation::Broadcast => "broadcast",
        }
    }

    /// How many members of a group of this size send.
    pub fn senders(self, members: u32) -> u32 {
        match self {
            Operation::Forward | Operation::Backward => members.saturating_sub(1),
            Operation::LastToFirst | Operation::FirstToLast => u32::from(members > 1),
            // Around a ring, every member except the last passes the bytes on.
            Operation::Broadcast => members.saturating_sub(1),
            _ => members,
        }
    }

    /// What a member sends per byte of a call, in a group of this size: the factor of bus bandwidth.
    /// For messages between neighbours of a pipeline, what a member sends that has a neighbour.
    pub fn sent_per_byte(self, members: u32) -> f64 {
        let n = f64::from(members);
        match self {
            _ if members < 2 => 0.0,
            Operation::AllReduce => 2.0 * (n - 1.0) / n,
            Operation::AllGather | Operation::ReduceScatter | Operation::AllToAll => (n - 1.0) / n,
            _ => 1.0,
        }
    }
}

/// One operation, done several times in a step with the same bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What is done.
    pub operation: Operation,
    /// When, such as `forward`.
    pub when: &'static str,
    /// How often. Layers that do not divide evenly among stages are shared out as fractions.
    pub times: f64,
    /// The bytes of each time, as the operation counts them.
    pub bytes: f64,
}

impl Call {
    /// What a member sends in all.
    pub fn sent(&self, members: u32) -> f64 {
        self.times * self.bytes * self.operation.sent_per_byte(members)
    }

    /// The same with the bytes of equal operations added up, for inner loops.
    pub fn combined(calls: &[Call]) -> Vec<Call> {
        let mut combined: Vec<Call> = Vec::new();
        for call in calls {
            let bytes = call.times * call.bytes;
            match combined.iter_mut().find(|known| known.operation == call.operation) {
                Some(known) => known.bytes += bytes,
                None => combined.push(Call { times: 1.0, bytes, ..call.clone() }),
            }
        }
        combined
    }
}
