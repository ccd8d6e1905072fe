//! Platforms of SimGrid 3.32 and later: hosts, a link for each cable, and a route for each pair of hosts.

use std::collections::BTreeSet;
use std::io::{self, Write};

use topoloom_core::routing::{OnePath, one_path};
use topoloom_core::topology::LinkProperties;
use topoloom_core::words::counted;
use topoloom_core::{LinkId, Machine, Vertex};

use super::cables::{Cable, Cables, Sharing, Step};
use super::error::ExportError;
use super::format::{Export, ExportEntry};
use super::hosts::{ExportedHost, hosts_of, numbered_host};
use crate::text::xml::escaped;

/// The most routes that are written. SimGrid keeps a table of all pairs; a file of this many has
/// about 300 MB.
const MOST_ROUTES: u64 = 1 << 20;

/// The most links on all routes.
const MOST_STEPS: usize = 1 << 24;

/// The seed of the path that a pair gets if the routing has several.
const SEED: u64 = 1;

/// Platforms of SimGrid.
pub(super) static ENTRY: ExportEntry = ExportEntry {
    name: "simgrid",
    summary: "platform of SimGrid (version 4.1): hosts, cables, and the route of every pair of hosts",
    example: "simgrid",
    parameters: &[],
    build: |machine| Ok(Box::new(Platform::new(machine)?)),
};

/// What SimGrid has to know about a machine.
#[derive(Debug)]
struct Platform<'a> {
    machine: &'a Machine,
    hosts: Vec<Host>,
    cables: Cables,
    /// The routes of all ordered pairs of different hosts, one after the other.
    steps: Vec<Step>,
    /// Where each route ends in `steps`.
    ends: Vec<u32>,
    /// Routes that are one of several.
    drawn: usize,
    /// Pairs without a route.
    unrouted: usize,
    /// Hosts of which SimGrid knows only one adapter.
    with_rails: usize,
}

/// A host with what is inside it.
#[derive(Debug)]
struct Host {
    of: ExportedHost,
    /// Between two ranks of the host.
    memory: LinkProperties,
    /// From its ranks to where the host is joined to the network, if that takes links.
    inside: Option<LinkProperties>,
}

impl<'a> Platform<'a> {
    fn new(machine: &'a Machine) -> Result<Platform<'a>, ExportError> {
        let topology = machine.topology();
        if !topology.is_wired() {
            return Err(ExportError::NoLinks(machine.spec().to_string()));
        }
        let hosts = hosts_of(machine)?;
        let routes = hosts.len() as u64 * (hosts.len() as u64).saturating_sub(1);
        if routes > MOST_ROUTES {
            let (machine, hosts) = (machine.spec().to_string(), hosts.len());
            return Err(ExportError::TooManyRoutes { machine, hosts, routes, most: MOST_ROUTES });
        }
        let rails = topology.cluster().and_then(|cluster| cluster.wired());
        let mut adapters =
            vec![0u32; topology.cluster().map_or(0, |c| c.description().hosts.len())];
        for adapter in rails.iter().flat_map(|wired| &wired.wiring().adapters) {
            adapters[adapter.host as usize] += 1;
        }
        let mut platform = Platform {
            machine,
            hosts: Vec::new(),
            cables: Cables::of(machine)?,
            steps: Vec::new(),
            ends: Vec::new(),
            drawn: 0,
            unrouted: 0,
            with_rails: adapters.iter().filter(|&&adapters| adapters > 1).count(),
        };
        platform.route_all(&hosts)?;
        let another =
            |host: &ExportedHost| hosts.iter().find(|other| other.first() != host.first());
        platform.hosts = hosts
            .iter()
            .map(|host| Host {
                memory: platform.memory(host),
                inside: another(host).and_then(|other| platform.inside(host, other.first())),
                of: host.clone(),
            })
            .collect();
        Ok(platform)
    }

    fn route_all(&mut self, hosts: &[ExportedHost]) -> Result<(), ExportError> {
        let mut path = Vec::new();
        for (from, to) in pairs(hosts) {
            match one_path(self.machine, from.first(), to.first(), SEED, &mut path) {
                OnePath::Only => {}
                OnePath::OneOfSeveral => self.drawn += 1,
                OnePath::None => self.unrouted += 1,
            }
            self.steps.extend(path.iter().filter_map(|&link| self.cables.step(link)));
            if self.steps.len() > MOST_STEPS {
                let machine = self.machine.spec().to_string();
                return Err(ExportError::TooLongRoutes { machine, most: MOST_STEPS as u64 });
            }
            self.ends.push(self.steps.len() as u32);
        }
        Ok(())
    }

    /// What ranks of a host communicate through: the links between its first and its last place.
    fn memory(&self, host: &ExportedHost) -> LinkProperties {
        let mut path = Vec::new();
        one_path(self.machine, host.first(), host.last(), SEED, &mut path);
        self.together(&path).unwrap_or(LinkProperties::MEMORY)
    }

    /// The links from all places of a host to its edge, as one link that they share. Each level is as
    /// fast as its links are together, and the slowest level counts.
    ///
    /// A link that each message has for itself would not do: in SimGrid, messages of longer routes
    /// get less of it.
    fn inside(&self, host: &ExportedHost, to: Vertex) -> Option<LinkProperties> {
        let topology = self.machine.topology();
        // The outermost level first.
        let mut levels: Vec<BTreeSet<LinkId>> = Vec::new();
        let mut path = Vec::new();
        let mut latency_seconds = 0.0;
        for &place in &host.nodes {
            one_path(self.machine, place, to, SEED, &mut path);
            path.truncate(path.iter().take_while(|&&id| self.cables.step(id).is_none()).count());
            levels.resize_with(levels.len().max(path.len()), BTreeSet::new);
            levels.iter_mut().zip(path.iter().rev()).for_each(|(level, &id)| {
                level.insert(id);
            });
            if place == host.first() {
                latency_seconds = self.together(&path)?.latency_seconds;
            }
        }
        let speed =
            |id: &LinkId| topology.link(*id).map_or(0.0, |link| link.properties.bytes_per_second);
        let together = levels.iter().map(|level| level.iter().map(speed).sum());
        let bytes_per_second = together.reduce(f64::min)?;
        Some(LinkProperties { bytes_per_second, latency_seconds, ..LinkProperties::ELECTRICAL })
    }

    /// Several links as one that each message has for itself; none without links.
    fn together(&self, path: &[LinkId]) -> Option<LinkProperties> {
        let links = path.iter().filter_map(|&id| self.machine.topology().link(id));
        links.map(|link| link.properties).reduce(|one, other| LinkProperties {
            bytes_per_second: one.bytes_per_second.min(other.bytes_per_second),
            latency_seconds: one.latency_seconds + other.latency_seconds,
            ..one
        })
    }

    fn name_of(&self, vertex: Vertex) -> String {
        let topology = self.machine.topology();
        match topology.cluster() {
            None if vertex.index() < topology.num_nodes() => numbered_host(vertex.index()),
            None => format!("switch {}", vertex.index() - topology.num_nodes()),
            Some(_) => topology.vertex_name(vertex),
        }
    }

    /// A name for the zone that no host has.
    fn zone(&self) -> String {
        let mut name = "machine".to_string();
        while self.hosts.iter().any(|host| host.of.name == name) {
            name.push('_');
        }
        name
    }

    fn write_cable(&self, out: &mut dyn Write, number: usize, cable: &Cable) -> io::Result<()> {
        let policy = match cable.sharing {
            Sharing::ByDirection => "SPLITDUPLEX",
            Sharing::OneWay => "SHARED",
            Sharing::FatPipe => "FATPIPE",
        };
        write_link(out, &format!("c{number}"), &cable.link.properties, policy, |out| {
            let ends = [cable.link.from, cable.link.to].map(|end| escaped(&self.name_of(end)));
            write!(
                out,
                "<prop id=\"from\" value=\"{}\"/><prop id=\"to\" value=\"{}\"/>",
                ends[0], ends[1]
            )
        })
    }

    fn write_step(&self, out: &mut dyn Write, step: &Step) -> io::Result<()> {
        let direction = match (self.cables.all[step.cable as usize].sharing, step.is_back) {
            (Sharing::ByDirection, false) => " direction=\"UP\"",
            (Sharing::ByDirection, true) => " direction=\"DOWN\"",
            _ => "",
        };
        write!(out, "<link_ctn id=\"c{}\"{direction}/>", step.cable)
    }
}

/// All ordered pairs of different hosts.
fn pairs<T>(hosts: &[T]) -> impl Iterator<Item = (&T, &T)> {
    let numbered = || hosts.iter().enumerate();
    numbered().flat_map(move |(a, from)| {
        numbered().filter(move |&(b, _)| a != b).map(move |(_, to)| (from, to))
    })
}

fn write_link(
    out: &mut dyn Write,
    id: &str,
    link: &LinkProperties,
    policy: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let LinkProperties { bytes_per_second, latency_seconds, .. } = link;
    write!(
        out,
        "  <link id=\"{id}\" bandwidth=\"{bytes_per_second:?}Bps\" latency=\"{latency_seconds:?}s\" \
         sharing_policy=\"{policy}\">"
    )?;
    content(out)?;
    writeln!(out, "</link>")
}

impl Export for Platform<'_> {
    fn summary(&self) -> String {
        format!(
            "{}, {}, {} by {}",
            counted(self.hosts.len(), "host"),
            counted(self.cables.all.len(), "cable"),
            counted(self.ends.len() - self.unrouted, "route"),
            self.machine.routing().name()
        )
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.drawn > 0 {
            warnings.push(format!(
                "{} divides the messages of {} of {} among several paths, but SimGrid has one route \
                 per pair: one path was drawn for each",
                self.machine.routing().name(),
                self.drawn,
                counted(self.ends.len(), "pair"),
            ));
        }
        if self.with_rails > 0 {
            warnings.push(format!(
                "{} with several adapters: SimGrid has one route per pair of hosts, so all ranks \
                 of a host use the adapter of its first place",
                counted(self.with_rails, "host")
            ));
        }
        if self.unrouted > 0 {
            let pairs = counted(self.unrouted, "pair");
            warnings.push(format!(
                "{pairs} of hosts without a route: SimGrid stops if they communicate"
            ));
        }
        warnings
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let none = |_: &mut dyn Write| Ok(());
        writeln!(
            out,
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
        )?;
        writeln!(
            out,
            "<platform version=\"4.1\">\n <zone id=\"{}\" routing=\"Full\">",
            self.zone()
        )?;
        for Host { of, .. } in &self.hosts {
            let (name, slots) = (escaped(&of.name), of.slots);
            writeln!(out, "  <host id=\"{name}\" speed=\"1Gf\" core=\"{slots}\"/>")?;
        }
        for (number, host) in self.hosts.iter().enumerate() {
            write_link(out, &format!("memory{number}"), &host.memory, "FATPIPE", none)?;
            if let Some(inside) = &host.inside {
                write_link(out, &format!("inside{number}"), inside, "SPLITDUPLEX", none)?;
            }
        }
        for (number, cable) in self.cables.all.iter().enumerate() {
            self.write_cable(out, number, cable)?;
        }
        for (number, host) in self.hosts.iter().enumerate() {
            let name = escaped(&host.of.name);
            writeln!(
                out,
                "  <route src=\"{name}\" dst=\"{name}\" symmetrical=\"NO\">\
                 <link_ctn id=\"memory{number}\"/></route>"
            )?;
        }
        let numbered: Vec<(usize, &Host)> = self.hosts.iter().enumerate().collect();
        let mut begin = 0;
        for ((from, to), &end) in pairs(&numbered).zip(&self.ends) {
            let steps = &self.steps[begin..end as usize];
            begin = end as usize;
            if steps.is_empty() {
                continue;
            }
            let names = [from, to].map(|(_, host)| escaped(&host.of.name));
            write!(out, "  <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", names[0], names[1])?;
            write_inside(out, *from, "UP")?;
            steps.iter().try_for_each(|step| self.write_step(out, step))?;
            write_inside(out, *to, "DOWN")?;
            writeln!(out, "</route>")?;
        }
        writeln!(out, " </zone>\n</platform>")
    }
}

fn write_inside(
    out: &mut dyn Write,
    (number, host): (usize, &Host),
    direction: &str,
) -> io::Result<()> {
    match host.inside {
        Some(_) => write!(out, "<link_ctn id=\"inside{number}\" direction=\"{direction}\"/>"),
        None => Ok(()),
    }
}
