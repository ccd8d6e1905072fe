//! Builds one machine from files and options.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use topoloom::core::cluster::{
    Costs, Description, Hardware, Host, Network, Parts, Seat, Speed, same_host,
};
use topoloom::io::machines::{
    DeviceNames, MachineFile, RunningSystem, detect, is_device_names, parse_device_names,
    parse_machine_file, parse_machine_file_named,
};
use topoloom::io::{
    Probe, host_list, host_of_file, is_machine_file, is_recording, parse_description,
    parse_machine_description,
};

use crate::files;
use crate::output::numbers::plural;

use super::arguments::{DetectArguments, ImportArguments, JoinedArguments};

/// A machine built from several sources.
pub struct Joined {
    /// Its name.
    pub name: String,
    pub description: Description,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// The node that this program runs on, changed by the options.
pub fn detected(arguments: &DetectArguments) -> anyhow::Result<Joined> {
    let hardware = detect(&RunningSystem)?;
    let name = hardware.host.clone().unwrap_or_else(|| "this node".to_string());
    let mut gathered = Gathered::default();
    gathered.parts.hardware.push((hardware, Vec::new()));
    if let Some(path) = &arguments.network {
        gathered.add_network(path)?;
        // The network may be large. Without a list of hosts, only this node is meant.
        if arguments.joined.hosts.is_none() {
            gathered.parts.hosts.push((name.clone(), None));
        }
    }
    gathered.join(name, &arguments.joined)
}

/// The hosts that a probe has seen, as they describe themselves, in the order of their first ranks.
pub fn probed(probe: &Probe, network: Option<&Path>) -> anyhow::Result<Joined> {
    let mut gathered = Gathered::default();
    if let Some(path) = network {
        gathered.add_network(path)?;
    }
    for rank in &probe.ranks {
        if gathered.parts.hosts.iter().any(|(host, _)| *host == rank.host) {
            continue;
        }
        let hardware = probe
            .hardware_of(&rank.host)
            .with_context(|| format!("{} does not describe what is inside it", rank.host))?;
        gathered.parts.hosts.push((rank.host.clone(), None));
        gathered.parts.hardware.push((hardware, vec![rank.host.clone()]));
    }
    gathered.finish("the hosts of the job".to_string())
}

/// The machine that the files describe.
pub fn imported(arguments: &ImportArguments) -> anyhow::Result<Joined> {
    let mut gathered = Gathered::default();
    // Names of devices come first, wherever they are given: a network is read with them.
    let mut others = Vec::new();
    for path in &arguments.files {
        let (name, bytes) = (path.display().to_string(), files::open(path)?.bytes()?);
        match is_device_names(&bytes) {
            true => gathered.names.extend(parse_device_names(&name, &bytes)?),
            false => others.push((name, bytes)),
        }
    }
    for (name, bytes) in others {
        gathered.add(&name, &bytes)?;
    }
    if !gathered.names.is_empty() {
        gathered.check_names()?;
    }
    for node in &arguments.nodes {
        let Some((hosts, file)) = node.split_once('=') else {
            bail!("--node: expected HOSTS=FILE, such as gpu[01-16]=gpu.xml, found \"{node}\"");
        };
        let hosts =
            host_list::parse_names(hosts).map_err(|error| anyhow::anyhow!("--node: {error}"))?;
        match read(Path::new(file), &mut gathered.warnings)? {
            MachineFile::Hardware(hardware) => gathered.parts.hardware.push((hardware, hosts)),
            _ => bail!("{file}: expected a node, as hwloc describes it"),
        }
    }
    let names: Vec<String> =
        arguments.files.iter().map(|file| file.display().to_string()).collect();
    gathered.join(names.join(" and "), &arguments.joined)
}

fn read(path: &Path, warnings: &mut Vec<String>) -> anyhow::Result<MachineFile> {
    let name = path.display().to_string();
    let bytes = files::open(path)?.bytes()?;
    let (file, said) = parse_machine_file(&name, &bytes)?;
    warnings.extend(said.iter().map(ToString::to_string));
    Ok(file)
}

/// What was read so far.
#[derive(Default)]
struct Gathered {
    parts: Parts,
    /// What devices of the network are called.
    names: DeviceNames,
    /// The seats of a job, each with the name of its host.
    seats: Vec<(String, Seat)>,
    /// A machine that was made before.
    base: Option<Description>,
    warnings: Vec<String>,
}

impl Gathered {
    fn add_network(&mut self, path: &Path) -> anyhow::Result<()> {
        self.add_file(path)?;
        match self.parts.network {
            Some(_) => Ok(()),
            None => bail!("{}: expected a network, such as Slurm's topology.conf", path.display()),
        }
    }

    fn add_file(&mut self, path: &Path) -> anyhow::Result<()> {
        let name = path.display().to_string();
        let bytes = files::open(path)?.bytes()?;
        self.add(&name, &bytes)
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        if is_machine_file(bytes) {
            if self.base.replace(parse_machine_description(name, bytes)?).is_some() {
                bail!(
                    "{name}: a second machine; a machine can be made from several files, but not \
                     from several machines"
                );
            }
            return Ok(());
        }
        if is_recording(bytes) {
            return self.add_recording(name, bytes);
        }
        let (file, said) = parse_machine_file_named(name, bytes, &self.names)?;
        self.warnings.extend(said.iter().map(ToString::to_string));
        match file {
            MachineFile::Names(names) => self.names.extend(names),
            MachineFile::Hardware(hardware) => self.add_hardware(name, hardware),
            MachineFile::Network(network) => self.set_network(name, network)?,
            MachineFile::Domains(domains) => self.parts.domains.extend(domains),
            MachineFile::Whole(whole) => {
                self.parts.hardware.extend(whole.hardware);
                self.parts.domains.extend(whole.domains);
                self.parts.place = whole.place.or(self.parts.place);
                for (level, speed) in whole.costs.speeds() {
                    self.parts.costs.set_speed(level, speed)?;
                }
                if let Some(network) = whole.network {
                    self.set_network(name, network)?;
                }
            }
            MachineFile::Hosts(hosts) => {
                self.parts.hosts.extend(hosts.into_iter().map(|host| (host.name, host.slots)));
            }
            MachineFile::Tables(tables) => {
                if self.parts.tables.replace(tables).is_some() {
                    bail!("{name}: give only one file of forwarding tables");
                }
            }
            MachineFile::Target(target) => bail!("{name}: {}", target.without_hosts()),
        }
        Ok(())
    }

    fn set_network(&mut self, name: &str, network: Network) -> anyhow::Result<()> {
        match self.parts.network.replace(network) {
            Some(_) => bail!("{name}: a second network; a machine has one"),
            None => Ok(()),
        }
    }

    /// Whether names of devices were given for this network.
    fn check_names(&mut self) -> anyhow::Result<()> {
        let wiring = self.parts.network.as_ref().and_then(|network| network.wiring.as_ref());
        let wiring = wiring.context(
            "names of devices need a network with GUIDs, such as output of ibnetdiscover",
        )?;
        let guids = wiring.adapters.iter().map(|adapter| adapter.guid);
        let guids = guids.chain(wiring.switches.iter().map(|switch| switch.guid));
        if !guids.flatten().any(|guid| self.names.get(guid).is_some()) {
            let names = plural(self.names.len(), "name");
            self.warnings.push(format!("{names} of devices that are not in the network"));
        }
        Ok(())
    }

    /// The hosts of a run, what is inside them, and the seats of its ranks.
    fn add_recording(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        if !self.seats.is_empty() {
            bail!("{name}: only one recording can supply seats");
        }
        let (of_job, warnings) = parse_description(name, bytes)?;
        self.warnings.extend(warnings.iter().map(ToString::to_string));
        for host in &of_job.hosts {
            let hardware = of_job.kinds[host.kind as usize].clone();
            self.parts.hosts.push((host.name.clone(), None));
            self.parts.hardware.push((hardware, vec![host.name.clone()]));
        }
        let named = |seat: &Seat| (of_job.hosts[seat.host as usize].name.clone(), seat.clone());
        self.seats = of_job.seats.iter().map(named).collect();
        Ok(())
    }

    /// The seats with the hosts of the joined machine.
    fn seated(&self, description: &Description) -> anyhow::Result<Vec<Seat>> {
        let seat = |(name, seat): &(String, Seat)| {
            let host = description.hosts.iter().position(|host| host.name == *name);
            let host = host.with_context(|| {
                format!("{name}: a rank ran there, but it is not among the hosts")
            })?;
            Ok(Seat { host: host as u32, ..seat.clone() })
        };
        self.seats.iter().map(seat).collect()
    }

    /// A node that does not have a name gets the name of its file.
    fn add_hardware(&mut self, name: &str, mut hardware: Hardware) {
        if hardware.host.is_none() {
            hardware.host = Some(host_of_file(name));
        }
        self.parts.hardware.push((hardware, Vec::new()));
    }

    fn join(mut self, name: String, arguments: &JoinedArguments) -> anyhow::Result<Joined> {
        if let Some(list) = &arguments.hosts {
            let hosts = match files::is_readable(Path::new(list)) {
                true => files::read_hosts(list)?,
                false => host_list::parse(list).map_err(|error| anyhow!("--hosts: {error}"))?,
            };
            self.parts.hosts = hosts.into_iter().map(|host| (host.name, host.slots)).collect();
        }
        if let Some(counts) = &arguments.slots {
            self.parts.slots = host_list::parse_counts(counts)
                .map_err(|error| anyhow::anyhow!("--slots: {error}"))?;
        }
        self.parts.place = arguments.place.or(self.parts.place);
        for cost in &arguments.costs {
            set_cost(&mut self.parts.costs, cost)
                .map_err(|error| anyhow::anyhow!("--cost: {error}"))?;
        }
        for text in &arguments.bandwidths {
            let speed = |number| Speed { bytes_per_second: Some(number), ..Speed::default() };
            set_speed(&mut self.parts.costs, text, "its bandwidth, such as switch1=25e9", speed)
                .map_err(|error| anyhow!("--bandwidth: {error}"))?;
        }
        for text in &arguments.latencies {
            let speed = |number| Speed { latency_seconds: Some(number), ..Speed::default() };
            set_speed(&mut self.parts.costs, text, "its delay, such as switch1=600e-9", speed)
                .map_err(|error| anyhow!("--latency: {error}"))?;
        }
        self.finish(name)
    }

    fn finish(mut self, name: String) -> anyhow::Result<Joined> {
        let mut warnings = std::mem::take(&mut self.warnings);
        let parts = std::mem::take(&mut self.parts);
        let (mut description, assumed) = match self.base.take() {
            Some(base) => (reallocated(base, parts)?, None),
            None => parts.join()?,
        };
        if !self.seats.is_empty() {
            description.seats = self.seated(&description)?;
        }
        warnings.extend(
            assumed.map(|assumed| {
                format!("{assumed}; give --slots, or a file that describes the node")
            }),
        );
        Ok(Joined { name, description, warnings })
    }
}

/// `L2=1`.
fn set_cost(costs: &mut Costs, text: &str) -> anyhow::Result<()> {
    let wrong = || anyhow!("expected a level and its cost, such as L2=1, found \"{text}\"");
    let (level, cost) = text.split_once('=').ok_or_else(wrong)?;
    Ok(costs.set(level.trim(), cost.trim().parse().map_err(|_| wrong())?)?)
}

/// `switch1=25e9`.
fn set_speed(
    costs: &mut Costs,
    text: &str,
    expected: &str,
    speed: impl Fn(f64) -> Speed,
) -> anyhow::Result<()> {
    let wrong = || anyhow!("expected a level and {expected}, found \"{text}\"");
    let (level, number) = text.split_once('=').ok_or_else(wrong)?;
    let speed = speed(number.trim().parse().map_err(|_| wrong())?);
    if !speed.is_fine() {
        return Err(wrong());
    }
    Ok(costs.set_speed(level.trim(), speed)?)
}

/// An existing machine with other hosts, slots, places or costs.
fn reallocated(mut machine: Description, parts: Parts) -> anyhow::Result<Description> {
    let Parts { hardware, network, domains, tables, hosts, slots, costs, place } = parts;
    if !hardware.is_empty() || network.is_some() || tables.is_some() || !domains.is_empty() {
        bail!("a machine file is complete: nodes and networks can only be joined when it is made");
    }
    if !hosts.is_empty() {
        let mut chosen = Vec::new();
        for (name, slots) in hosts {
            let same = |host: &Host| same_host(&host.name, &name);
            let Some(host) = machine.hosts.iter().position(same) else {
                bail!("{name}: not a host of the machine");
            };
            machine.hosts[host].slots = slots.or(machine.hosts[host].slots);
            chosen.push(host as u32);
        }
        machine = machine.with_hosts(&chosen);
    }
    match slots[..] {
        [] => {}
        [all] => machine.hosts.iter_mut().for_each(|host| host.slots = Some(all)),
        ref each if each.len() == machine.hosts.len() => {
            machine.hosts.iter_mut().zip(each).for_each(|(host, &slots)| host.slots = Some(slots));
        }
        ref each => {
            let hosts = plural(machine.hosts.len(), "host");
            bail!("expected one number of slots, or one for each of {hosts}, found {}", each.len())
        }
    }
    for (level, cost) in costs.given() {
        machine.costs.set(level, cost).map_err(anyhow::Error::msg)?;
    }
    for (level, speed) in costs.speeds() {
        machine.costs.set_speed(level, speed).map_err(anyhow::Error::msg)?;
    }
    machine.place = place.unwrap_or(machine.place);
    Ok(machine)
}
