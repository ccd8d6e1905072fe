//! A node about which little more is known than which CPUs are near to which GPUs.

use std::collections::HashSet;

use topoloom_core::budget;
use topoloom_core::cluster::{Object, ObjectKind};
use topoloom_core::words::counted;

use crate::text::fault::Fault;
use crate::text::warnings::Warnings;

/// A GPU, by its number for the vendor's library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gpu {
    pub number: u32,
    pub name: Option<String>,
}

/// What is near to each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Near {
    /// The NUMA node, if it is known.
    pub numa: Option<u32>,
    /// Its CPUs in ascending order; none if they are not known.
    pub cpus: Vec<u32>,
    pub gpus: Vec<Gpu>,
}

/// The node of these parts. Every CPU is a core, because nothing tells which CPUs share one.
pub(super) struct GpuNode {
    pub node: Object,
    /// The numbers of the GPUs in their order in the node.
    gpus: Vec<u32>,
    /// The CPUs of each part that was given.
    pub cpus: Vec<Vec<u32>>,
}

impl GpuNode {
    /// Puts parts together. A CPU that several parts have belongs to the first.
    pub fn new(mut parts: Vec<Near>, warnings: &mut Warnings) -> Result<GpuNode, Fault> {
        let all: usize = parts.iter().map(|part| part.cpus.len()).sum();
        // A core with its thread, here and in the machine that is built from it.
        let bytes_each = 4 * size_of::<Object>() as u64;
        budget::memory().check_items("so many CPUs", all as u64, bytes_each)?;
        let mut taken: HashSet<u32> = parts.iter().flat_map(|part| &part.cpus).copied().collect();
        assume_cpus(&mut parts, &mut taken, warnings);
        let mut owned: HashSet<u32> = HashSet::new();
        let (mut children, mut loose) = (Vec::new(), Vec::new());
        let (mut gpus, mut loose_gpus) = (Vec::new(), Vec::new());
        let one = parts.len() == 1;
        for part in &parts {
            let own = part.cpus.iter().filter(|&&cpu| owned.insert(cpu)).map(|&cpu| core(cpu));
            let own: Vec<Object> = own.collect();
            let objects = part.gpus.iter().map(object);
            let numbers = part.gpus.iter().map(|gpu| gpu.number);
            // GPUs come first, because they are near the cores that follow.
            match own.is_empty() || (one && part.numa.is_none()) {
                true => {
                    loose.extend(objects);
                    loose_gpus.extend(numbers);
                    loose.extend(own);
                }
                false => {
                    gpus.extend(numbers);
                    let inside = objects.chain(own).collect();
                    children.push(Object::new(ObjectKind::Numa, part.numa, inside));
                }
            }
        }
        children.extend(loose);
        gpus.extend(loose_gpus);
        let node = Object::new(ObjectKind::Node, None, children);
        Ok(GpuNode { node, gpus, cpus: parts.into_iter().map(|part| part.cpus).collect() })
    }

    /// Where a GPU is among those of the node.
    pub fn position(&self, number: u32) -> Option<u32> {
        self.gpus.iter().position(|&gpu| gpu == number).map(|position| position as u32)
    }
}

/// Gives one CPU per GPU to parts whose CPUs are not known.
fn assume_cpus(parts: &mut [Near], taken: &mut HashSet<u32>, warnings: &mut Warnings) {
    let mut free = 0..;
    let mut supposed = Vec::new();
    for part in parts.iter_mut().filter(|part| part.cpus.is_empty()) {
        for gpu in &part.gpus {
            part.cpus.extend(free.by_ref().find(|cpu| taken.insert(*cpu)));
            supposed.push(gpu.number);
        }
    }
    if let Some((first, others)) = supposed.split_first() {
        let others = match others.len() {
            0 => String::new(),
            others => format!(" and {}", counted(others, "other")),
        };
        warnings.push(format!(
            "the CPUs near GPU {first}{others} are not known: one CPU per GPU is assumed"
        ));
    }
}

fn core(cpu: u32) -> Object {
    let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
    Object::new(ObjectKind::Core, Some(cpu), vec![thread])
}

fn object(gpu: &Gpu) -> Object {
    Object { name: gpu.name.clone(), ..Object::new(ObjectKind::Gpu, Some(gpu.number), Vec::new()) }
}

/// A warning about GPUs without links to other GPUs, if others have them.
pub(super) fn warn_of_unlinked(
    links: &str,
    gpus: impl Iterator<Item = (u32, bool)>,
    warnings: &mut Warnings,
) {
    let gpus: Vec<(u32, bool)> = gpus.collect();
    let without: Vec<u32> =
        gpus.iter().filter(|(_, linked)| !linked).map(|&(number, _)| number).collect();
    if without.is_empty() || without.len() == gpus.len() {
        return;
    }
    let word = if without.len() == 1 { "has" } else { "have" };
    let numbers = without.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    warnings.push(format!(
        "GPU {numbers} {word} no {links}, but other GPUs of the node do: if that is a fault, every \
         collective operation of the node is slow"
    ));
}
