//! Network adapters inside a node: where they are, and which of them is nearest to a rank.

use std::collections::HashMap;

use super::{Hardware, Host, NodeAdapter, Object, ObjectKind, Wiring};

impl NodeAdapter {
    /// Whether two adapters are at the same place of two nodes.
    pub fn is_like(&self, other: &NodeAdapter) -> bool {
        let place = |adapter: &NodeAdapter| NodeAdapter { guid: None, ..adapter.clone() };
        place(self) == place(other)
    }

    /// Where in a Slingshot network it is plugged in, if its address says so. Of the address
    /// `02:00:00:0g:gs:sp`, 9 bits are the group, 5 the switch in the group, and 6 the port.
    pub fn slingshot_port(&self) -> Option<SlingshotPort> {
        const PREFIX: u64 = 0x20_0000;
        let address = self.guid.filter(|address| address >> 20 == PREFIX)?;
        let bits = |from: u32, count: u32| (address >> from & ((1 << count) - 1)) as u32;
        Some(SlingshotPort { group: bits(11, 9), switch: bits(6, 5), port: bits(0, 6) })
    }
}

/// A port of a Slingshot network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlingshotPort {
    /// The group of switches.
    pub group: u32,
    /// The switch in the group.
    pub switch: u32,
    /// The port of the switch.
    pub port: u32,
}

impl Hardware {
    /// Whether hosts with this and with that inside are of one kind.
    pub fn is_like(&self, other: &Hardware) -> bool {
        let pairs = || self.adapters.iter().zip(&other.adapters);
        self.node == other.node
            && self.adapters.len() == other.adapters.len()
            && pairs().all(|(own, other)| own.is_like(other))
    }

    /// The number of the NUMA node that an adapter is in.
    pub fn numa_of(&self, adapter: &NodeAdapter) -> Option<u32> {
        let mut around = None;
        let mut at = &self.node;
        while let Some(inner) = at.children.iter().find(|child| holds(child, &adapter.cpus)) {
            if inner.kind == ObjectKind::Numa {
                around = inner.index;
            }
            at = inner;
        }
        around
    }

    /// The numbers of the GPUs on an adapter's own PCI bridge: those that the vendor's library gives
    /// them or, without one, their positions.
    pub fn gpus_of(&self, adapter: &NodeAdapter) -> Vec<u32> {
        let mut numbers = Vec::new();
        add_gpus(&self.node, &mut numbers);
        let number = |&gpu: &u32| numbers.get(gpu as usize).map(|number| number.unwrap_or(gpu));
        adapter.gpus.iter().filter_map(number).collect()
    }

    /// How far an adapter is from a rank with these CPUs or this GPU: 0 on the GPU's own PCI bridge,
    /// else the number of CPUs in the smallest part that holds the CPUs of both.
    pub fn distance_to(&self, adapter: &NodeAdapter, cpus: &[u32], gpu: Option<u32>) -> usize {
        if gpu.is_some_and(|gpu| adapter.gpus.contains(&gpu)) {
            return 0;
        }
        let both: Vec<u32> = adapter.cpus.iter().chain(cpus).copied().collect();
        let mut at = &self.node;
        while let Some(inner) = at.children.iter().find(|child| holds(child, &both)) {
            at = inner;
        }
        at.cpus().len()
    }
}

fn add_gpus(object: &Object, numbers: &mut Vec<Option<u32>>) {
    if object.kind == ObjectKind::Gpu {
        numbers.push(object.index);
    }
    object.children.iter().for_each(|child| add_gpus(child, numbers));
}

/// Whether all of these CPUs are in a part. Nothing is known about no CPUs.
fn holds(object: &Object, cpus: &[u32]) -> bool {
    let own = object.cpus();
    !cpus.is_empty() && cpus.iter().all(|cpu| own.binary_search(cpu).is_ok())
}

/// Finds for each adapter of a network the one inside its host that it is: by its GUID, else by the
/// name that a host of the same kind has for an adapter with a known GUID, else by its name.
pub fn match_adapters(wiring: &mut Wiring, hosts: &[Host], kinds: &[Hardware]) {
    let inside = |host: u32| &kinds[hosts[host as usize].kind as usize].adapters;
    let mut learnt: HashMap<(u32, String), u32> = HashMap::new();
    for adapter in &mut wiring.adapters {
        let same = |own: &NodeAdapter| own.guid.is_some() && own.guid == adapter.guid;
        adapter.device = inside(adapter.host).iter().position(same).map(|number| number as u32);
        if let Some(device) = adapter.device {
            learnt.insert((hosts[adapter.host as usize].kind, adapter.name.clone()), device);
        }
    }
    for adapter in wiring.adapters.iter_mut().filter(|adapter| adapter.device.is_none()) {
        let key = (hosts[adapter.host as usize].kind, adapter.name.clone());
        let same = |own: &NodeAdapter| is_name_of(&adapter.name, &own.name);
        let by_name = || inside(adapter.host).iter().position(same).map(|number| number as u32);
        adapter.device = learnt.get(&key).copied().or_else(by_name);
    }
}

/// Whether an adapter in a network is the one that its host calls `own`. Older systems number
/// adapters from 1 and say `HCA-5` for `mlx5_4`.
fn is_name_of(name: &str, own: &str) -> bool {
    let counted = || {
        let from_one: u32 = name.strip_prefix("HCA-")?.parse().ok()?;
        let from_zero: u32 = own.rsplit_once('_')?.1.parse().ok()?;
        Some(from_zero.checked_add(1)? == from_one)
    };
    name == own || counted().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Adapter;

    /// Two packages of two NUMA nodes of two cores. CPUs are numbered in their order. One GPU is in
    /// the last NUMA node.
    fn node() -> Hardware {
        let core = |cpu| {
            let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
            Object::new(ObjectKind::Core, Some(cpu), vec![thread])
        };
        let numa = |number: u32| {
            let mut inside = vec![core(2 * number), core(2 * number + 1)];
            if number == 3 {
                inside.insert(0, Object::new(ObjectKind::Gpu, Some(7), Vec::new()));
            }
            Object::new(ObjectKind::Numa, Some(number), inside)
        };
        let package = |number: u32| {
            let inside = vec![numa(2 * number), numa(2 * number + 1)];
            Object::new(ObjectKind::Package, Some(number), inside)
        };
        let whole = Object::new(ObjectKind::Node, None, vec![package(0), package(1)]);
        let adapter = |name: &str, guid, cpus: [u32; 2], gpus: &[u32]| NodeAdapter {
            name: name.to_string(),
            guid: Some(guid),
            cpus: cpus.to_vec(),
            gpus: gpus.to_vec(),
            megabits_per_second: None,
        };
        let adapters =
            vec![adapter("mlx5_0", 10, [6, 7], &[0]), adapter("mlx5_1", 11, [2, 3], &[])];
        Hardware { adapters, ..Hardware::new(None, whole) }
    }

    #[test]
    fn adapters_know_where_they_are() {
        let node = node();
        let [first, second] = &node.adapters[..] else { panic!() };
        assert_eq!([first, second].map(|adapter| node.numa_of(adapter)), [Some(3), Some(1)]);
        assert_eq!(node.gpus_of(first), [7]);
        // The GPU itself, its NUMA node, its package, the whole node.
        let far = |cpus: &[u32], gpu| node.distance_to(first, cpus, gpu);
        assert_eq!(
            [far(&[6], Some(0)), far(&[6], None), far(&[5], None), far(&[0], None)],
            [0, 2, 4, 8]
        );
    }

    #[test]
    fn adapters_are_matched_by_guid_and_by_name() {
        let hosts: Vec<Host> = ["a", "b", "c"]
            .map(|name| Host { name: name.to_string(), kind: 0, slots: None, group: None })
            .to_vec();
        let adapter = |host, name: &str, guid| Adapter {
            host,
            name: name.to_string(),
            guid: Some(guid),
            addresses: 0..0,
            device: None,
        };
        // Host a was read: its rails have their own names, which host b shares. Host c counts.
        let adapters = vec![
            adapter(0, "left", 11),
            adapter(0, "right", 10),
            adapter(1, "left", 21),
            adapter(2, "HCA-1", 30),
            adapter(2, "mlx5_1", 31),
            adapter(2, "mlx5_2", 32),
        ];
        let mut wiring = Wiring { adapters, ..Wiring::default() };
        match_adapters(&mut wiring, &hosts, &[node()]);
        let devices: Vec<Option<u32>> =
            wiring.adapters.iter().map(|adapter| adapter.device).collect();
        assert_eq!(devices, [Some(1), Some(0), Some(1), Some(0), Some(1), None]);
    }
}
