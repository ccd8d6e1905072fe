//! Nodes of Chakra: what a rank does, of which only calls and lists of groups matter.

use topoloom_core::training::Operation;

use super::super::group_list::{self, ListedGroup};
use super::super::rank_trace::Counted;
use crate::text::fault::Fault;
use crate::text::number::shown;

/// The kinds of nodes that matter.
pub(super) mod kind {
    pub const METADATA: u64 = 1;
    pub const SEND: u64 = 5;
    pub const RECEIVE: u64 = 6;
    pub const COLLECTIVE: u64 = 7;
}

/// A node as it is in the file.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub name: String,
    pub kind: u64,
    /// Texts of its inputs, in which metadata lists groups.
    pub inputs: Vec<String>,
    pub comm_type: Option<i64>,
    pub comm_size: Option<i64>,
    pub comm_src: Option<i64>,
    pub comm_dst: Option<i64>,
    pub group: Option<String>,
    pub involved_dim: Option<Vec<bool>>,
    pub is_cpu_op: bool,
}

/// What a call does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum What {
    Together(Operation),
    Reduce,
    Send(u32),
    Receive(u32),
    /// It is not supported; this is its name.
    Unknown(&'static str),
}

/// A call of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ChakraCall {
    pub what: What,
    pub bytes: u64,
    /// The name of its group; none for all ranks.
    pub group: Option<String>,
}

/// What the file of a rank says. Traces of PyTorch have a call twice: as an operation of the CPU and
/// as a kernel. Only one of them counts.
#[derive(Debug, Default)]
pub(super) struct RankNodes {
    of_cpu: Counted<ChakraCall>,
    of_gpu: Counted<ChakraCall>,
    pub groups: Vec<ListedGroup>,
}

impl RankNodes {
    pub fn calls(&self) -> &Counted<ChakraCall> {
        if self.of_gpu.is_empty() { &self.of_cpu } else { &self.of_gpu }
    }

    pub fn add(&mut self, node: &Node) -> Result<(), Fault> {
        match node.kind {
            kind::METADATA => {
                for text in node.inputs.iter().filter(|text| text.contains("pg_name")) {
                    let groups = group_list::parse(text).map_err(|fault| node.fault(fault))?;
                    self.groups.extend(groups);
                }
            }
            kind::SEND | kind::RECEIVE | kind::COLLECTIVE => {
                // The operation that starts a kernel does not have a size.
                if node.is_cpu_op && node.comm_size.is_none() {
                    return Ok(());
                }
                let Some(what) = node.what()? else { return Ok(()) };
                let bytes = node.need("comm_size", node.comm_size)?;
                let group = node.group.clone().filter(|name| !name.is_empty());
                let calls = if node.is_cpu_op { &mut self.of_cpu } else { &mut self.of_gpu };
                calls.add(ChakraCall { what, bytes, group }, 1);
            }
            _ => {}
        }
        Ok(())
    }
}

impl Node {
    fn fault(&self, what: impl std::fmt::Display) -> Fault {
        Fault::Malformed(what.to_string()).within(format!("node {}", shown(self.name.as_bytes())))
    }

    /// A number that must be there and not be negative.
    fn need(&self, name: &str, value: Option<i64>) -> Result<u64, Fault> {
        match value {
            None => Err(self.fault(format!("\"{name}\" is missing"))),
            Some(value) => u64::try_from(value)
                .map_err(|_| self.fault(format!("{name}: expected a size, found {value}"))),
        }
    }

    fn rank(&self, name: &str, value: Option<i64>) -> Result<u32, Fault> {
        let rank = self.need(name, value)?;
        u32::try_from(rank).map_err(|_| self.fault(format!("{name}: {rank} is not a rank")))
    }

    /// What it does; nothing for a barrier.
    fn what(&self) -> Result<Option<What>, Fault> {
        match self.kind {
            kind::SEND => return Ok(Some(What::Send(self.rank("comm_dst", self.comm_dst)?))),
            kind::RECEIVE => return Ok(Some(What::Receive(self.rank("comm_src", self.comm_src)?))),
            _ => {}
        }
        let has_group = self.group.as_ref().is_some_and(|name| !name.is_empty());
        if !has_group && self.involved_dim.iter().flatten().any(|involved| !involved) {
            let fault = "\"involved_dim\" leaves out a dimension of the simulated network, which is \
                         not in the file; supported: all dimensions, or a group (\"pg_name\")";
            let place = format!("node {}", shown(self.name.as_bytes()));
            return Err(Fault::Unsupported(fault.into()).within(place));
        }
        let what = match self.need("comm_type", self.comm_type)? {
            0 => What::Together(Operation::AllReduce),
            1 => What::Reduce,
            2 => What::Together(Operation::AllGather),
            3 => What::Unknown("gather"),
            4 => What::Unknown("scatter"),
            5 => What::Together(Operation::Broadcast),
            6 => What::Together(Operation::AllToAll),
            7 | 8 => What::Together(Operation::ReduceScatter),
            9 => return Ok(None),
            other => {
                let fault = format!("comm_type: expected a number from 0 to 9, found {other}");
                return Err(self.fault(fault));
            }
        };
        Ok(Some(what))
    }
}
