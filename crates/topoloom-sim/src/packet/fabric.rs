//! Links, buffers and packets.

use std::collections::VecDeque;
use std::ops::Range;

use topoloom_model::Machine;
use topoloom_model::budget;
use topoloom_model::routing::PacketWays;

use super::options::{Arbitration, PacketOptions};
use super::paths::{Hop, Paths};
use super::requests::Requests;
use crate::error::SimulationError;
use crate::network::Network;
use crate::queue::Queue;
use crate::report::Account;
use crate::send_queues::Lines;
use crate::source::Transfer;

/// What happens at a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Happening {
    /// A timer of the source.
    Wake(u32),
    /// A message between ranks of one node has arrived.
    Copied(u32),
    /// The head of a packet is through a router and asks for an output.
    Asks(u32),
    /// The tail of a packet has left a router over this link.
    LinkFree(u32),
    /// The notice that a place in a buffer is free has come back.
    Credit(u32),
    /// The tail of a packet has arrived at its node.
    Ejected(u32),
}

#[derive(Debug, Clone, Copy, Default)]
struct Packet {
    message: u32,
    bytes: u32,
    flits: u32,
    /// Where it is: the input (a channel of a link, or a place of injection) that holds it.
    input: u32,
    /// The position of its next hop if there is one way, and where its way ends; otherwise the node
    /// that it goes to.
    hop: u32,
    end: u32,
    class: u16,
    /// When it was ready to go on, and when its tail arrives.
    ready: u64,
    tail: u64,
    number: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Message {
    bytes: u64,
    left: u64,
    to: u32,
    hop: u32,
    end: u32,
    packets: u64,
    departed: u64,
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// Messages that have packets left to send, in turn: the first of every queue.
    sending: VecDeque<u32>,
    /// Places of injection that are free.
    free: Vec<u32>,
    ejecting: u32,
}

/// A link.
#[derive(Debug, Clone, Copy)]
struct Wire {
    latency: u64,
    /// Ticks per flit, if more than one.
    flit_ticks: Option<f64>,
    busy: bool,
    /// The input that sends over it.
    input: u32,
}

/// Where packets wait: a channel at the end of a link, or a place of injection.
#[derive(Debug, Clone, Copy)]
struct Input {
    /// Its packets in order, in a ring of this many places.
    begin: u32,
    holds: u16,
    head: u16,
    length: u16,
    /// The link it belongs to, or, after all links, its node.
    port: u32,
    vertex: u32,
}

/// A network of routers and links with what is on them.
#[derive(Debug)]
pub(crate) struct Fabric<'a> {
    options: &'a PacketOptions,
    paths: Paths<'a>,
    channels_of_link: u32,
    /// Packets that a channel can hold.
    buffers: u32,
    wires: Vec<Wire>,
    /// By channel of a link: places that are free, as far as its sender knows.
    credits: Vec<u32>,
    /// By link and class: the credits of its channels together.
    class_credits: Vec<u32>,
    /// The inputs of links come first.
    inputs: Vec<Input>,
    queues: Vec<u32>,
    requests: Requests,
    nodes: Vec<Node>,
    packets: Vec<Packet>,
    free_packets: Vec<u32>,
    messages: Vec<Message>,
    lines: Lines,
    /// Outputs at which something changed in this tick.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    ways: Vec<Hop>,
    injected: u64,
    pub queue: Queue<Happening>,
    pub account: Account,
}

/// The most cycles of anything that one packet does. Time is counted in 64 bits.
const MOST_CYCLES: f64 = (1u64 << 40) as f64;

/// Whether buffers fit in memory, and times in numbers.
fn check_size(
    channels: usize,
    paths: &Paths<'_>,
    network: &Network,
    options: &PacketOptions,
) -> Result<(), SimulationError> {
    let of_requests = paths.most_ways() * Requests::BYTES;
    let of_channel = 4 * options.buffers_on(network) as usize + size_of::<Input>() + of_requests;
    let what = format!("buffers for {channels} channels of links");
    budget::memory().check_items(&what, channels as u64, of_channel as u64)?;
    let cycle = options.seconds_per_cycle(network);
    let flits = options.packet_bytes.div_ceil(options.flit_bytes) as f64;
    let fits = |link: &topoloom_model::topology::Link| {
        let slower = network.fastest / link.properties.bytes_per_second;
        flits * slower <= MOST_CYCLES && link.properties.latency_seconds / cycle <= MOST_CYCLES
    };
    if network.links.iter().all(fits) { Ok(()) } else { Err(SimulationError::TooLong) }
}

/// The smallest whole number of cycles that is at least this number. An excess that is due to
/// rounding alone does not count.
fn cycles(number: f64) -> u64 {
    (number - 1e-6).ceil() as u64
}

impl<'a> Fabric<'a> {
    pub fn new(
        machine: &'a Machine,
        network: &'a Network,
        options: &'a PacketOptions,
    ) -> Result<Self, SimulationError> {
        let paths = Paths::new(machine, network, options);
        let cycle = options.seconds_per_cycle(network);
        let links = network.links.len();
        let channels_of_link = paths.classes * options.channels;
        let channels = links * channels_of_link as usize;
        let num_nodes = machine.num_nodes();
        let buffers = options.buffers_on(network);
        check_size(channels, &paths, network, options)?;
        let of_link = |channel: usize| {
            let link = channel / channels_of_link as usize;
            Input {
                begin: (channel * buffers as usize) as u32,
                holds: buffers as u16,
                head: 0,
                length: 0,
                port: link as u32,
                vertex: network.links[link].to.0,
            }
        };
        let of_node = |place: usize| Input {
            begin: (channels * buffers as usize + place) as u32,
            holds: 1,
            head: 0,
            length: 0,
            port: (links + place / options.injection as usize) as u32,
            vertex: (place / options.injection as usize) as u32,
        };
        let places = num_nodes * options.injection as usize;
        let inputs: Vec<Input> =
            (0..channels).map(of_link).chain((0..places).map(of_node)).collect();
        let wire = |link: &topoloom_model::topology::Link| Wire {
            latency: cycles(link.properties.latency_seconds / cycle),
            flit_ticks: (link.properties.bytes_per_second < network.fastest)
                .then(|| network.fastest / link.properties.bytes_per_second),
            busy: false,
            input: 0,
        };
        let node = |node: usize| {
            let first = channels + node * options.injection as usize;
            Node {
                free: (0..options.injection).rev().map(|place| first as u32 + place).collect(),
                ..Node::default()
            }
        };
        Ok(Fabric {
            options,
            channels_of_link,
            buffers,
            wires: network.links.iter().map(wire).collect(),
            credits: vec![buffers; channels],
            class_credits: vec![buffers * options.channels; links * paths.classes as usize],
            queues: vec![0; channels * buffers as usize + places],
            requests: Requests::new(
                inputs.len(),
                links + num_nodes,
                paths.most_ways(),
                match options.arbitration {
                    Arbitration::RoundRobin => u32::MAX,
                    Arbitration::TransitFirst => links as u32,
                },
            ),
            inputs,
            nodes: (0..num_nodes).map(node).collect(),
            packets: Vec::new(),
            free_packets: Vec::new(),
            messages: Vec::new(),
            lines: Lines::default(),
            changed: Vec::new(),
            is_changed: vec![false; links + num_nodes],
            ways: Vec::new(),
            injected: 0,
            queue: Queue::new(),
            account: Account::new(network),
            paths,
        })
    }

    /// Hands a message to its node.
    pub fn depart(&mut self, transfer: Transfer, now: u64) {
        let Transfer { message, from, to, bytes, queue } = transfer;
        self.account.departs(now);
        if self.messages.len() <= message as usize {
            self.messages.resize(message as usize + 1, Message::default());
        }
        let way = match self.paths.is_one_way() && from != to {
            true => self.paths.way(from, to),
            false => 0..to,
        };
        self.messages[message as usize] = Message {
            bytes,
            left: bytes,
            to,
            hop: way.start,
            end: way.end,
            packets: bytes.div_ceil(self.options.packet_bytes).max(1),
            departed: now,
        };
        if from != to && self.lines.join(message, queue) {
            self.nodes[from as usize].sending.push_back(message);
            self.inject(from, now, self.options.router_cycles);
        }
    }

    /// Counts a message that has arrived.
    pub fn arrived(&mut self, message: u32, now: u64) {
        let Message { departed, bytes, .. } = self.messages[message as usize];
        self.account.arrives(departed, now, bytes);
    }

    /// Makes packets of the messages of a node as long as it has places for them. They ask for an
    /// output after a delay.
    fn inject(&mut self, node: u32, now: u64, delay: u64) {
        while !self.nodes[node as usize].free.is_empty()
            && let Some(message) = self.nodes[node as usize].sending.pop_front()
        {
            let of_node = &mut self.nodes[node as usize];
            let input = of_node.free.pop().expect("it was just looked at");
            let record = &mut self.messages[message as usize];
            let bytes = record.left.min(self.options.packet_bytes);
            record.left -= bytes;
            // Queues of a node take turns, packet by packet.
            let next = if record.left > 0 { Some(message) } else { self.lines.leave(message) };
            of_node.sending.extend(next);
            self.injected += 1;
            let (to, usual) = (record.to, record.hop..record.end);
            let way = self.way_of_packet(node, to, usual);
            let packet = Packet {
                message,
                bytes: bytes as u32,
                flits: bytes.div_ceil(self.options.flit_bytes).max(1) as u32,
                input,
                hop: way.start,
                end: way.end,
                class: 0,
                ready: 0,
                tail: 0,
                number: self.injected,
            };
            let place = match self.free_packets.pop() {
                Some(place) => {
                    self.packets[place as usize] = packet;
                    place
                }
                None => {
                    self.packets.push(packet);
                    self.packets.len() as u32 - 1
                }
            };
            self.queue.add(now + delay, Happening::Asks(place));
        }
    }

    /// The way of a packet that is about to be sent: that of its message, or its own.
    fn way_of_packet(&mut self, from: u32, to: u32, usual: Range<u32>) -> Range<u32> {
        match self.paths.packet_ways() {
            None => usual,
            Some(PacketWays::Random) => self.paths.random_way(from, to, self.injected),
            Some(PacketWays::ByQueue) => {
                let other = self.paths.random_way(from, to, self.injected);
                let waits = self.product_of_queue_and_hops(&usual, &other);
                if waits.0 <= waits.1 { usual } else { other }
            }
        }
    }

    /// For two ways: the packets that are in the buffer after the first link in which they differ,
    /// times the links of the way.
    fn product_of_queue_and_hops(&self, a: &Range<u32>, b: &Range<u32>) -> (u64, u64) {
        let (first, second) = (self.paths.hops(a.clone()), self.paths.hops(b.clone()));
        let same = first.iter().zip(second).take_while(|(a, b)| a.link == b.link).count();
        let room = u64::from(self.buffers * self.options.channels * self.paths.classes);
        let queued = |hops: &[Hop]| {
            let Some(hop) = hops.get(same) else { return 0 };
            let first = (hop.link * self.paths.classes) as usize;
            let credits = &self.class_credits[first..first + self.paths.classes as usize];
            room.saturating_sub(credits.iter().map(|&free| u64::from(free)).sum())
        };
        (queued(first) * first.len() as u64, queued(second) * second.len() as u64)
    }

    fn num_channels(&self) -> u32 {
        self.credits.len() as u32
    }

    /// The head of a packet is through the router.
    pub fn asks(&mut self, packet: u32, now: u64) {
        let record = &mut self.packets[packet as usize];
        record.ready = now;
        let input = record.input;
        let place = &mut self.inputs[input as usize];
        let mut last = place.head + place.length;
        if last >= place.holds {
            last -= place.holds;
        }
        self.queues[place.begin as usize + last as usize] = packet;
        place.length += 1;
        if place.length == 1 {
            self.ask(input);
        }
    }

    /// The first packet of an input asks for its outputs.
    fn ask(&mut self, input: u32) {
        let Input { port, vertex: at, .. } = self.inputs[input as usize];
        let packet = self.head_of(input);
        let Packet { hop, end, class, number, message, .. } = self.packets[packet as usize];
        if self.paths.is_one_way() {
            let (output, class) = match hop == end {
                true => (self.wires.len() as u32 + at, 0),
                false => {
                    let hop = self.paths.hop(hop);
                    (hop.link, hop.class)
                }
            };
            self.requests.add((port, input), output, class);
            return self.change(output);
        }
        let to = self.messages[message as usize].to;
        if at == to {
            let output = self.wires.len() as u32 + at;
            self.requests.add((port, input), output, 0);
            return self.change(output);
        }
        let last = (input < self.num_channels()).then_some((port, class));
        let mut ways = std::mem::take(&mut self.ways);
        self.paths.next_hops((at, to), last, number, &mut ways);
        for way in &ways {
            self.requests.add((port, input), way.link, way.class);
        }
        // The emptier a way is, the sooner it is tried. The last one stays the last resort.
        let escape = ways.len() - 1;
        ways[..escape]
            .sort_by_key(|way| std::cmp::Reverse(self.class_credits[self.class_of(*way)]));
        ways.iter().for_each(|way| self.change(way.link));
        self.ways = ways;
    }

    #[inline]
    fn head_of(&self, input: u32) -> u32 {
        let Input { begin, head, .. } = self.inputs[input as usize];
        self.queues[begin as usize + head as usize]
    }

    /// Has an output examined once everything that happens in this tick is known.
    #[inline]
    fn change(&mut self, output: u32) {
        // A busy output is examined when it becomes free, and one that nobody wants when a packet
        // asks for it.
        let is_busy = self.wires.get(output as usize).is_some_and(|wire| wire.busy);
        if is_busy || !self.requests.is_asked(output) {
            return;
        }
        if !std::mem::replace(&mut self.is_changed[output as usize], true) {
            self.changed.push(output);
        }
    }

    /// The position of a link's class in `class_credits`.
    #[inline]
    fn class_of(&self, hop: Hop) -> usize {
        (hop.link * self.paths.classes + u32::from(hop.class)) as usize
    }

    /// The channel of a class with the most free places.
    #[inline]
    fn emptiest(&self, link: u32, class: u16) -> u32 {
        let first = link * self.channels_of_link + u32::from(class) * self.options.channels;
        let mut best = (first, self.credits[first as usize]);
        for channel in first + 1..first + self.options.channels {
            if self.credits[channel as usize] > best.1 {
                best = (channel, self.credits[channel as usize]);
            }
        }
        best.0
    }

    /// Gives every output at which something changed to the input whose turn it is.
    pub fn arbitrate(&mut self, now: u64) {
        let mut changed = std::mem::take(&mut self.changed);
        for &output in &changed {
            self.is_changed[output as usize] = false;
            match output.checked_sub(self.wires.len() as u32) {
                None => self.serve_link(output, now),
                Some(node) => self.serve_node(output, node, now),
            }
        }
        changed.clear();
        self.changed = changed;
    }

    fn serve_link(&mut self, link: u32, now: u64) {
        let first = (link * self.paths.classes) as usize;
        let credits = &self.class_credits[first..first + self.paths.classes as usize];
        let open = |class: u16| credits[class as usize] > 0;
        let Some((input, class)) = self.requests.next(link, open) else { return };
        self.requests.served(link, input);
        self.requests.clear(input);
        let channel = self.emptiest(link, class);
        self.credits[channel as usize] -= 1;
        self.class_credits[first + class as usize] -= 1;
        let place = self.head_of(input);
        let wire = &mut self.wires[link as usize];
        (wire.busy, wire.input) = (true, input);
        let packet = &mut self.packets[place as usize];
        let ticks = match wire.flit_ticks {
            None => u64::from(packet.flits),
            Some(flit_ticks) => cycles(f64::from(packet.flits) * flit_ticks),
        };
        // A tail cannot leave before it has arrived: after a slower link this one has gaps.
        let ticks = ticks.max(packet.tail.saturating_sub(now));
        let there = now + wire.latency + self.options.router_cycles;
        self.account.waits(now - packet.ready);
        self.account.packet_crosses(link, packet.bytes, now, now + ticks);
        packet.input = channel;
        packet.class = class;
        packet.tail = there + ticks;
        packet.hop += u32::from(self.paths.is_one_way());
        self.queue.add(now + ticks, Happening::LinkFree(link));
        self.queue.add(there, Happening::Asks(place));
    }

    fn serve_node(&mut self, output: u32, node: u32, now: u64) {
        while self.nodes[node as usize].ejecting < self.options.most_received()
            && let Some((input, _)) = self.requests.next(output, |_| true)
        {
            self.requests.served(output, input);
            self.requests.clear(input);
            self.nodes[node as usize].ejecting += 1;
            let place = self.head_of(input);
            let packet = &self.packets[place as usize];
            let ticks = u64::from(packet.flits).max(packet.tail.saturating_sub(now));
            self.account.waits(now - packet.ready);
            self.queue.add(now + ticks, Happening::Ejected(place));
        }
    }

    /// The tail of a packet has left over a link.
    pub fn link_free(&mut self, link: u32, now: u64) {
        self.wires[link as usize].busy = false;
        self.change(link);
        self.release(self.wires[link as usize].input, now);
    }

    /// The tail of a packet is at its node. Returns the message if all of it has arrived.
    pub fn ejected(&mut self, packet: u32, now: u64) -> Option<u32> {
        let Packet { input, message, .. } = self.packets[packet as usize];
        self.free_packets.push(packet);
        let node = self.inputs[input as usize].vertex;
        self.nodes[node as usize].ejecting -= 1;
        self.change(self.wires.len() as u32 + node);
        self.release(input, now);
        let record = &mut self.messages[message as usize];
        record.packets -= 1;
        (record.packets == 0).then_some(message)
    }

    /// The first packet of an input is gone.
    fn release(&mut self, input: u32, now: u64) {
        let place = &mut self.inputs[input as usize];
        place.length -= 1;
        place.head += 1;
        if place.head == place.holds {
            place.head = 0;
        }
        let Input { length, port, vertex, .. } = *place;
        let Some(wire) = self.wires.get(port as usize) else {
            self.nodes[vertex as usize].free.push(input);
            // The head of the next one was examined while the last one left.
            return self.inject(vertex, now, 0);
        };
        self.queue.add(now + wire.latency, Happening::Credit(input));
        if length > 0 {
            self.ask(input);
        }
    }

    /// A place in a buffer is free again.
    pub fn credit(&mut self, channel: u32) {
        self.credits[channel as usize] += 1;
        let link = self.inputs[channel as usize].port;
        let class = channel % self.channels_of_link / self.options.channels;
        self.class_credits[(link * self.paths.classes + class) as usize] += 1;
        self.change(link);
    }
}
