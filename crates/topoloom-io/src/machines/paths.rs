//! Networks of which each host tells its switches, from the outermost to its own.

use std::collections::{HashMap, HashSet};

use topoloom_core::budget;
use topoloom_core::cluster::{Network, Parts, SwitchGroup};
use topoloom_core::words::counted;

use super::machine_file::MachineFile;
use crate::text::fault::Fault;
use crate::text::warnings::Warnings;

/// More switches between a host and the outermost one than any network has.
const LONGEST: usize = 64;

/// Hosts with their switches. Switches are the same if those around them are the same too.
#[derive(Default)]
pub(super) struct Paths {
    /// The switches: what each is called, and the one around it, which comes before it.
    switches: Vec<(String, Option<u32>)>,
    number_of: HashMap<(Option<u32>, String), u32>,
    /// The hosts with their own switches.
    hosts: Vec<(String, Option<u32>)>,
    host_of: HashMap<String, usize>,
    /// The NVLink domains of hosts that have one.
    domains: Vec<(String, String)>,
}

impl Paths {
    /// Adds a host with its switches, the outermost first, and its NVLink domain. A host that is
    /// named again must say the same.
    pub fn add(
        &mut self,
        host: &str,
        switches: &[&str],
        domain: Option<&str>,
    ) -> Result<(), Fault> {
        if switches.len() > LONGEST {
            return Err(Fault::TooLarge(format!("more than {LONGEST} switches around {host}")));
        }
        let mut at = None;
        for switch in switches {
            let next = self.switches.len() as u32;
            let number = *self.number_of.entry((at, switch.to_string())).or_insert(next);
            if number == next {
                self.switches.push((switch.to_string(), at));
            }
            at = Some(number);
        }
        let bytes_each = 4 * size_of::<(String, SwitchGroup)>() as u64;
        let all = (self.switches.len() + self.hosts.len()) as u64;
        budget::memory().check_items("hosts and switches", all, bytes_each)?;
        match self.host_of.get(host) {
            Some(&known) if self.hosts[known].1 == at => Ok(()),
            Some(_) => {
                Err(Fault::Contradiction(format!("host {host} is in two places of the network")))
            }
            None => {
                self.host_of.insert(host.to_string(), self.hosts.len());
                self.hosts.push((host.to_string(), at));
                self.domains.extend(domain.map(|domain| (host.to_string(), domain.to_string())));
                Ok(())
            }
        }
    }

    /// The network of the hosts that tell their switches.
    pub fn network(&self, warnings: &mut Warnings) -> Network {
        let mut levels = vec![1; self.switches.len()];
        for (number, (_, around)) in self.switches.iter().enumerate().rev() {
            if let Some(around) = around {
                let around = *around as usize;
                levels[around] = levels[around].max(levels[number] + 1);
            }
        }
        let group = |((name, parent), level): (&(String, Option<u32>), u32)| SwitchGroup {
            name: name.clone(),
            parent: *parent,
            level,
        };
        self.warn_of_same_names(warnings);
        let plugged = self.hosts.iter().filter_map(|(host, at)| Some((host.clone(), (*at)?)));
        let hosts: Vec<(String, u32)> = plugged.collect();
        let up = self.switches.iter().filter(|(_, around)| around.is_some()).count();
        Network {
            groups: self.switches.iter().zip(levels).map(group).collect(),
            switches: self.switches.len(),
            links: up + hosts.len(),
            hosts,
            wiring: None,
            named: None,
        }
    }

    fn warn_of_same_names(&self, warnings: &mut Warnings) {
        let mut names = HashSet::new();
        if let Some((name, _)) = self.switches.iter().find(|(name, _)| !names.insert(name)) {
            warnings.push(format!(
                "{name} is below different switches: it is treated as a separate switch below each"
            ));
        }
    }

    /// The network with its NVLink domains. If no host tells its switches, there are only domains;
    /// if some do, those that do not are left out.
    pub fn whole(self, warnings: &mut Warnings) -> Result<MachineFile, Fault> {
        let without: Vec<&str> =
            self.hosts.iter().filter(|(_, at)| at.is_none()).map(|(name, _)| &name[..]).collect();
        if without.len() == self.hosts.len() {
            return match self.domains.is_empty() {
                true => Err(Fault::expected("hosts with switches or NVLink domains", "none")),
                false => Ok(MachineFile::Domains(self.domains)),
            };
        }
        if let Some(first) = without.first() {
            warnings.push(format!(
                "{} without switches left out, such as {first}",
                counted(without.len(), "host")
            ));
        }
        let network = Some(self.network(warnings));
        let parts = Parts { network, domains: self.domains, ..Parts::default() };
        Ok(MachineFile::Whole(Box::new(parts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_count_from_the_hosts() {
        let mut paths = Paths::default();
        paths.add("a", &["top", "middle", "left"], None).unwrap();
        paths.add("b", &["top", "right"], None).unwrap();
        paths.add("b", &["top", "right"], None).unwrap();
        let mut warnings = Warnings::new();
        let network = paths.network(&mut warnings);
        let levels: Vec<_> =
            network.groups.iter().map(|group| (&group.name[..], group.level)).collect();
        assert_eq!(levels, [("top", 3), ("middle", 2), ("left", 1), ("right", 1)]);
        assert!(warnings.is_empty() && network.hosts.len() == 2);
        let error = paths.add("b", &["top"], None).unwrap_err().to_string();
        assert_eq!(error, "host b is in two places of the network");
    }

    #[test]
    fn a_switch_below_two_others_is_two_switches() {
        let mut paths = Paths::default();
        paths.add("a", &["x", "leaf"], Some("d")).unwrap();
        paths.add("b", &["y", "leaf"], Some("d")).unwrap();
        paths.add("c", &[], None).unwrap();
        let mut warnings = Warnings::new();
        let MachineFile::Whole(parts) = paths.whole(&mut warnings).unwrap() else { panic!() };
        assert_eq!((parts.network.unwrap().groups.len(), parts.domains.len()), (4, 2));
        assert_eq!(warnings.len(), 2);
    }
}
