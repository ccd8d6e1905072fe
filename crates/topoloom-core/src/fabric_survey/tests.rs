//! A network of four leaves and four spines, with two cables per pair and three hosts of two rails
//! per pair of leaves, and what is said when something in it changes.

use super::*;
use crate::cluster::{ADAPTER_LINK, Adapter, Cable, Device, Port, Switch};

const LEAVES: u32 = 4;
const SPINES: u32 = 4;

struct Net {
    wiring: Wiring,
    next_port: Vec<u32>,
}

impl Net {
    fn new() -> Net {
        let names = (0..LEAVES + SPINES).map(|number| format!("s{number}"));
        let switches = names.map(|name| Switch { name, guid: None }).collect();
        let wiring = Wiring { switches, ..Wiring::default() };
        let mut net = Net { wiring, next_port: vec![1; (LEAVES + SPINES) as usize] };
        for host in 0..6 {
            let first = 2 * (host / 3);
            net.host(host, &[first, first + 1]);
        }
        for leaf in 0..LEAVES {
            for spine in LEAVES..LEAVES + SPINES {
                net.cable(leaf, spine);
                net.cable(leaf, spine);
            }
        }
        net
    }

    fn port(&mut self, switch: u32) -> Port {
        self.next_port[switch as usize] += 1;
        Port { device: Device::Switch(switch), number: self.next_port[switch as usize] }
    }

    fn cable(&mut self, a: u32, b: u32) {
        let ends = [self.port(a), self.port(b)];
        self.wiring.cables.push(Cable { ends, link: ADAPTER_LINK });
    }

    /// A host with an adapter on each of these leaves.
    fn host(&mut self, host: u32, leaves: &[u32]) {
        for (rail, &leaf) in leaves.iter().enumerate() {
            let number = self.wiring.adapters.len() as u32;
            let name = format!("mlx5_{rail}");
            self.wiring.adapters.push(Adapter {
                host,
                name,
                guid: None,
                addresses: 0..0,
                device: None,
            });
            let ends = [Port { device: Device::Adapter(number), number: 1 }, self.port(leaf)];
            self.wiring.cables.push(Cable { ends, link: ADAPTER_LINK });
        }
    }

    /// Takes away one cable between two switches.
    fn cut(&mut self, a: u32, b: u32) {
        let wanted = [Device::Switch(a), Device::Switch(b)];
        let is_it = |cable: &Cable| cable.ends.map(|end| end.device) == wanted;
        let at = self.wiring.cables.iter().position(is_it).unwrap();
        self.wiring.cables.remove(at);
    }

    fn survey(&self) -> FabricSurvey {
        let hosts: Vec<String> = (0..16).map(|host| format!("n{host}")).collect();
        let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
        fabric_survey(&self.wiring, None, &hosts)
    }
}

#[test]
fn nothing_is_wrong_with_a_whole_tree() {
    let survey = Net::new().survey();
    assert!(survey.is_clean(), "{survey:?}");
    assert_eq!(survey.uncabled.of, 16);
    assert_eq!(survey.few_adapters.usual, Some(2));
}

#[test]
fn missing_cables_are_found() {
    let mut net = Net::new();
    net.cut(1, 5);
    net.cut(1, 5);
    net.cut(2, 6);
    let survey = net.survey();
    assert_eq!(survey.uncabled, UncabledPairs { pairs: vec![[1, 5]], of: 16 });
    assert_eq!(survey.thin, [ThinPair { switches: [2, 6], cables: 1, usual: 2 }]);
}

#[test]
fn a_spine_with_a_few_hosts_is_still_a_spine() {
    let mut net = Net::new();
    for host in 6..9 {
        net.host(host, &[0, 1]);
    }
    for host in 9..12 {
        net.host(host, &[2, 3]);
    }
    // A gateway on a spine: one adapter, where leaves have six.
    net.host(12, &[4]);
    net.cut(1, 4);
    net.cut(1, 4);
    let survey = net.survey();
    assert_eq!(survey.uncabled, UncabledPairs { pairs: vec![[1, 4]], of: 16 });
    assert_eq!(survey.few_adapters.hosts, [(12, 1)]);
}

#[test]
fn half_of_the_pairs_are_not_nearly_all() {
    let mut net = Net::new();
    for (leaf, spine) in [(0, 4), (0, 5), (1, 6), (1, 7)] {
        net.cut(leaf, spine);
        net.cut(leaf, spine);
    }
    let survey = net.survey();
    assert!(survey.is_clean(), "{survey:?}");
    assert_eq!(survey.uncabled.of, 0);
}

#[test]
fn crossed_rails_are_found_if_most_peers_agree() {
    let mut net = Net::new();
    net.host(6, &[1, 0]);
    let survey = net.survey();
    let crossed = [(12, 1, 0), (13, 0, 1)].map(|(adapter, switch, usual)| CrossedAdapter {
        adapter,
        switch,
        usual,
    });
    assert_eq!(survey.crossed, [CrossedHost { host: 6, adapters: crossed.to_vec() }]);
    // Three of six are not a majority.
    net.host(7, &[1, 0]);
    net.host(8, &[1, 0]);
    assert!(net.survey().is_clean());
}

#[test]
fn slow_cables_are_compared_with_their_kind() {
    let mut net = Net::new();
    // All cables of hosts are slower than those between switches, and one is slower still.
    let of_host = |cable: &&mut Cable| matches!(cable.ends[0].device, Device::Adapter(_));
    net.wiring.cables.iter_mut().filter(of_host).for_each(|c| c.link.bytes_per_second = 4e9);
    assert!(net.survey().is_clean());
    net.wiring.cables[3].link.bytes_per_second = 2e9;
    let slow = SlowCable { cable: 3, bytes_per_second: 2e9, usual: 4e9 };
    assert_eq!(net.survey().slow, [slow]);
}

#[test]
fn hosts_that_only_have_a_number_are_not_compared() {
    let mut net = Net::new();
    net.host(6, &[0]);
    assert_eq!(net.survey().few_adapters.hosts, [(6, 1)]);
    net.wiring.adapters[12].guid = Some(0xab);
    let mut hosts: Vec<&str> = vec!["n"; 7];
    hosts[6] = "00000000000000ab";
    assert!(fabric_survey(&net.wiring, None, &hosts).is_clean());
}
