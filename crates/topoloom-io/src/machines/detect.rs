//! The node that a Linux system runs on, according to `/sys` and `/proc`.

use std::collections::{BTreeMap, BTreeSet};

use topoloom_core::cluster::{Hardware, Object, ObjectKind};

use super::cpu_set::CpuSet;
use super::pci;
use super::system_files::SystemFiles;
use crate::text::cpu_list;
use crate::text::fault::Fault;

/// The files that [`detect`] reads, as shell patterns, for tools that collect them. Missing files
/// are tolerated.
pub const PROBED_FILES: &[&str] = &[
    "/proc/sys/kernel/hostname",
    "/proc/self/status",
    "/proc/driver/nvidia/gpus/*/information",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/die_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/core_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/core_cpus_list",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list",
    "/sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/level",
    "/sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/type",
    "/sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/shared_cpu_list",
    "/sys/devices/system/node/node[0-9]*/cpulist",
    "/sys/bus/pci/devices/*/class",
    "/sys/bus/pci/devices/*/vendor",
    "/sys/bus/pci/devices/*/local_cpulist",
    "/sys/bus/pci/devices/*/drm/renderD*/dev",
];

const CPUS: &str = "/sys/devices/system/cpu";
const MEMORY: &str = "/sys/devices/system/node";
const PCI: &str = "/sys/bus/pci/devices";

/// Describes the node that these files come from, with only the threads that this process may use.
///
/// ```
/// use topoloom_io::machines::{RunningSystem, detect};
/// let hardware = detect(&RunningSystem).unwrap();
/// assert!(!hardware.node.cpus().is_empty());
/// ```
pub fn detect(files: &dyn SystemFiles) -> Result<Hardware, Fault> {
    let system = System { files };
    let cpus = system.usable_cpus()?;
    let mut nesting = Nesting::new(&cpus);
    let mut parts = system.parts(&cpus);
    // Larger parts contain smaller ones; `around` decides between parts of the same size.
    parts.sort_by_key(|part| (usize::MAX - part.cpus.len(), around(part.kind)));
    parts.into_iter().for_each(|part| nesting.add(part));
    nesting.wrap_bare_threads();
    for (gpu, near) in system.gpus() {
        nesting.attach(gpu, &near.and(&cpus));
    }
    let host = system.text("/proc/sys/kernel/hostname").filter(|name| !name.is_empty());
    Ok(Hardware::new(host, nesting.node()))
}

/// The nesting order of parts with the same CPUs.
fn around(kind: ObjectKind) -> usize {
    use ObjectKind::{Core, Die, L1, L2, L3, L4, Numa, Package};
    const OUTSIDE_IN: [ObjectKind; 8] = [Package, Numa, Die, L4, L3, L2, L1, Core];
    OUTSIDE_IN.iter().position(|&other| other == kind).unwrap_or(OUTSIDE_IN.len())
}

/// A part whose contents are not known yet.
struct Part {
    kind: ObjectKind,
    index: Option<u32>,
    cpus: CpuSet,
}

struct System<'a> {
    files: &'a dyn SystemFiles,
}

impl System<'_> {
    fn text(&self, path: &str) -> Option<String> {
        self.files.read(path).map(|text| text.trim().to_string())
    }

    fn number(&self, path: &str) -> Option<u32> {
        self.text(path)?.parse().ok()
    }

    fn cpu_list(&self, path: &str) -> Option<CpuSet> {
        Some(cpu_list::parse(&self.text(path)?).ok()?.into_iter().collect())
    }

    /// The numbers N of the entries called `prefix`N in a folder, in ascending order.
    fn numbered(&self, folder: &str, prefix: &str) -> BTreeSet<u32> {
        let number = |name: &String| name.strip_prefix(prefix)?.parse().ok();
        self.files.list(folder).iter().filter_map(number).collect()
    }

    /// The CPUs that run and that this process may use.
    fn usable_cpus(&self) -> Result<CpuSet, Fault> {
        let status = self.files.read("/proc/self/status").unwrap_or_default();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let allowed: Option<CpuSet> = match allowed {
            Some(list) => {
                let wrong = |fault: Fault| fault.within("/proc/self/status: Cpus_allowed_list");
                Some(cpu_list::parse(list).map_err(wrong)?.into_iter().collect())
            }
            None => None,
        };
        let named = || {
            let numbers = self.numbered(CPUS, "cpu").into_iter();
            numbers.filter(|&cpu| cpu < cpu_list::MOST_CPUS).collect::<CpuSet>()
        };
        let online = self.cpu_list(&format!("{CPUS}/online")).unwrap_or_else(named);
        let usable = match (allowed, online.is_empty()) {
            (Some(allowed), true) => allowed,
            (Some(allowed), false) => online.and(&allowed),
            (None, _) => online,
        };
        match usable.is_empty() {
            true => Err(Fault::expected(
                format!("CPUs that may be used in {CPUS} and /proc/self/status"),
                "none",
            )),
            false => Ok(usable),
        }
    }

    /// Packages, dies, NUMA nodes, caches and cores, without those that cannot be used.
    fn parts(&self, cpus: &CpuSet) -> Vec<Part> {
        let mut parts = self.packages_and_dies(cpus);
        for index in self.numbered(MEMORY, "node") {
            let near = self.cpu_list(&format!("{MEMORY}/node{index}/cpulist")).unwrap_or_default();
            let near = near.and(cpus);
            if !near.is_empty() {
                parts.push(Part { kind: ObjectKind::Numa, index: Some(index), cpus: near });
            }
        }
        parts.extend(self.caches_and_cores(cpus));
        parts
    }

    fn packages_and_dies(&self, cpus: &CpuSet) -> Vec<Part> {
        let mut packages: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut dies: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for cpu in cpus.numbers() {
            let topology = format!("{CPUS}/cpu{cpu}/topology");
            let Some(package) = self.number(&format!("{topology}/physical_package_id")) else {
                continue;
            };
            packages.entry(package).or_default().push(cpu);
            if let Some(die) = self.number(&format!("{topology}/die_id")) {
                dies.entry((package, die)).or_default().push(cpu);
            }
        }
        // Every package has a die; dies matter only if a package has several.
        dies.retain(|(package, _), cpus| packages[package] != *cpus);
        let part = |kind| {
            move |(index, cpus): (u32, Vec<u32>)| Part {
                kind,
                index: Some(index),
                cpus: cpus.into_iter().collect(),
            }
        };
        let dies = dies.into_iter().map(|((_, die), cpus)| (die, cpus));
        let packages = packages.into_iter().map(part(ObjectKind::Package));
        packages.chain(dies.map(part(ObjectKind::Die))).collect()
    }

    fn caches_and_cores(&self, cpus: &CpuSet) -> Vec<Part> {
        // By kind and first CPU, so a part that all its CPUs report is taken once.
        let mut known: BTreeMap<(ObjectKind, u32), Vec<Part>> = BTreeMap::new();
        for cpu in cpus.numbers() {
            let core = self.core(cpu).map(|(index, set)| (ObjectKind::Core, index, set));
            let caches = self.caches(cpu).into_iter().map(|(kind, set)| (kind, None, set));
            for (kind, index, set) in caches.chain(core) {
                let cpus = set.and(cpus);
                let Some(first) = cpus.numbers().next() else { continue };
                let same = known.entry((kind, first)).or_default();
                if same.iter().all(|other| other.cpus != cpus) {
                    same.push(Part { kind, index, cpus });
                }
            }
        }
        known.into_values().flatten().collect()
    }

    /// The number of a core and its threads.
    fn core(&self, cpu: u32) -> Option<(Option<u32>, CpuSet)> {
        let topology = format!("{CPUS}/cpu{cpu}/topology");
        let threads = self
            .cpu_list(&format!("{topology}/core_cpus_list"))
            .or_else(|| self.cpu_list(&format!("{topology}/thread_siblings_list")))?;
        Some((self.number(&format!("{topology}/core_id")), threads))
    }

    /// The caches of a CPU, except instruction caches, and the CPUs that share them.
    fn caches(&self, cpu: u32) -> Vec<(ObjectKind, CpuSet)> {
        let folder = format!("{CPUS}/cpu{cpu}/cache");
        let cache = |index: u32| {
            let file = |name| format!("{folder}/index{index}/{name}");
            let kind = match self.number(&file("level"))? {
                1 => ObjectKind::L1,
                2 => ObjectKind::L2,
                3 => ObjectKind::L3,
                4 => ObjectKind::L4,
                _ => return None,
            };
            let instructions = self.text(&file("type")).is_some_and(|kind| kind == "Instruction");
            let sharers = self.cpu_list(&file("shared_cpu_list"))?;
            (!instructions).then_some((kind, sharers))
        };
        self.numbered(&folder, "index").into_iter().filter_map(cache).collect()
    }

    /// The GPUs with the CPUs that they are near to, in the order of their addresses.
    fn gpus(&self) -> Vec<(Object, CpuSet)> {
        let gpu = |address: &String| {
            let file = |name: &str| self.text(&format!("{PCI}/{address}/{name}"));
            let (class, vendor) = (file("class")?, file("vendor")?);
            // The class with the interface behind it: 0x030200.
            let class = class.strip_prefix("0x")?.get(..4)?;
            let renders = || {
                let displays = self.files.list(&format!("{PCI}/{address}/drm"));
                displays.iter().any(|name| name.starts_with("renderD"))
            };
            if !pci::is_accelerator(class, vendor.strip_prefix("0x")?, renders()) {
                return None;
            }
            let near = self.cpu_list(&format!("{PCI}/{address}/local_cpulist")).unwrap_or_default();
            let name = self.nvidia_model(address);
            Some((Object { name, ..Object::new(ObjectKind::Gpu, None, Vec::new()) }, near))
        };
        self.files.list(PCI).iter().filter_map(gpu).collect()
    }

    /// What NVIDIA's driver calls a GPU.
    fn nvidia_model(&self, address: &str) -> Option<String> {
        let text = self.files.read(&format!("/proc/driver/nvidia/gpus/{address}/information"))?;
        let model = text.lines().find_map(|line| line.strip_prefix("Model:"))?.trim();
        (!model.is_empty()).then(|| model.to_string())
    }
}

/// Parts in parts, by their CPUs. Part 0 is the node.
struct Nesting {
    parts: Vec<Part>,
    /// The part around each part except the first.
    parents: Vec<usize>,
    /// GPUs with the part they are in.
    gpus: Vec<(usize, Object)>,
    /// The innermost part around each CPU so far.
    innermost: BTreeMap<u32, usize>,
}

impl Nesting {
    fn new(cpus: &CpuSet) -> Nesting {
        let node = Part { kind: ObjectKind::Node, index: None, cpus: cpus.clone() };
        let innermost = cpus.numbers().map(|cpu| (cpu, 0)).collect();
        Nesting { parts: vec![node], parents: vec![0], gpus: Vec::new(), innermost }
    }

    /// Puts a part into the innermost one around it. All before it must have been at least as
    /// large. A part that only overlaps another one is left out.
    fn add(&mut self, part: Part) {
        let Some(first) = part.cpus.numbers().next() else { return };
        let parent = self.innermost[&first];
        if part.cpus.numbers().all(|cpu| self.innermost[&cpu] == parent) {
            let number = self.parts.len();
            self.innermost.extend(part.cpus.numbers().map(|cpu| (cpu, number)));
            self.parts.push(part);
            self.parents.push(parent);
        }
    }

    /// Gives threads without a core their own core.
    fn wrap_bare_threads(&mut self) {
        let mut in_core = vec![false; self.parts.len()];
        for number in 0..self.parts.len() {
            let outside = self.parts[number].kind == ObjectKind::Core;
            in_core[number] = outside || in_core[self.parents[number]];
        }
        let bare: Vec<u32> = self
            .innermost
            .iter()
            .filter(|&(_, &part)| !in_core[part])
            .map(|(&cpu, _)| cpu)
            .collect();
        for cpu in bare {
            self.add(Part {
                kind: ObjectKind::Core,
                index: Some(cpu),
                cpus: [cpu].into_iter().collect(),
            });
        }
    }

    /// Puts a GPU into the smallest part around the CPUs that it is near to, but not into caches
    /// and cores. If it is near no CPUs, it goes into the node.
    fn attach(&mut self, gpu: Object, near: &CpuSet) {
        let holds = |number: usize| {
            let part = &self.parts[number];
            let small = around(part.kind) > around(ObjectKind::Die);
            (part.kind == ObjectKind::Node || !small) && near.is_in(&part.cpus)
        };
        let mut at = near.numbers().next().map_or(0, |cpu| self.innermost[&cpu]);
        while at != 0 && !holds(at) {
            at = self.parents[at];
        }
        self.gpus.push((at, gpu));
    }

    /// Assembles the node.
    fn node(self) -> Object {
        // The contents of each part: GPUs first, because they are near the cores that follow, then
        // parts with CPUs, ordered by their first CPU.
        let mut inside: Vec<Vec<(u32, Object)>> = vec![Vec::new(); self.parts.len()];
        for (part, gpu) in self.gpus {
            inside[part].push((0, gpu));
        }
        for (&cpu, &part) in &self.innermost {
            let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
            inside[part].push((cpu + 1, thread));
        }
        // The contents of a part come after it.
        for (number, part) in self.parts.iter().enumerate().skip(1).rev() {
            let object = Object::new(part.kind, part.index, sorted(&mut inside[number]));
            let first = part.cpus.numbers().next().unwrap_or_default();
            inside[self.parents[number]].push((first + 1, object));
        }
        Object::new(ObjectKind::Node, None, sorted(&mut inside[0]))
    }
}

fn sorted(objects: &mut Vec<(u32, Object)>) -> Vec<Object> {
    objects.sort_by_key(|(first, _)| *first);
    objects.drain(..).map(|(_, object)| object).collect()
}
