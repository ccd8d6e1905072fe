//! What every routing can do.

use std::fmt::Debug;

use super::loads::LinkLoads;
use super::spreading::Spreading;
use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// How a packet gets its way when it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketWays {
    /// It takes one of the routing's ways at random.
    Random,
    /// It takes the shortest way, or a random one if the queue there is shorter, by the hops of both.
    ByQueue,
}

/// The links that a message takes.
pub trait Routing: Debug + Send + Sync {
    /// The specification of this routing, such as `dimension-order:zyx`.
    fn name(&self) -> String;

    /// Visits each link that traffic from `from` to `to` crosses, with the share of the
    /// traffic that crosses it.
    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    );

    /// Adds a flow of `weight` from `from` to `to` to every link it crosses.
    fn add_flow(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        weight: f64,
        loads: &mut LinkLoads,
    ) {
        self.route(topology, from, to, &mut |link, share| loads.add(link, weight * share));
    }

    /// Whether flows run along straight stretches and are not split.
    fn is_straight(&self) -> bool {
        true
    }

    /// Whether routes may be longer than the shortest ones.
    fn may_be_longer(&self) -> bool {
        false
    }

    /// How each packet gets its way, if packets of one pair take different ones and these are not
    /// all shortest ways.
    fn packet_ways(&self) -> Option<PacketWays> {
        None
    }

    /// The links of one packet, in their order: on the shortest way, or on one that `pick(n)`
    /// chooses, one of n ways at a time. Only routings with ways of packets have it.
    fn one_way(
        &self,
        _topology: &dyn Topology,
        _ends: (Vertex, Vertex),
        _shortest: bool,
        _pick: &mut dyn FnMut(u32) -> u32,
        _visit: &mut dyn FnMut(LinkId),
    ) {
    }

    /// The routing itself if it spreads flows, so inner loops need no dynamic calls.
    fn spreading(&self) -> Option<&Spreading> {
        None
    }
}
