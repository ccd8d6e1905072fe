//! What is inside a node: packages, caches, cores and what is attached to them.

use std::fmt;
use std::str::FromStr;

use crate::spec::UnknownName;

/// What a part of a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// A hardware thread, which the operating system calls a CPU.
    Thread,
    /// A core with one or several threads.
    Core,
    /// The parts that share a first-level cache.
    L1,
    /// The parts that share a second-level cache.
    L2,
    /// The parts that share a third-level cache.
    L3,
    /// The parts that share a fourth-level cache.
    L4,
    /// A die of a package.
    Die,
    /// A part with its own memory.
    Numa,
    /// Everything that is plugged into one socket.
    Package,
    /// Parts that are closer to each other than to the rest, for no other known reason.
    Group,
    /// A whole node.
    Node,
    /// A graphics processor or another accelerator.
    Gpu,
}

impl ObjectKind {
    /// Every kind, innermost first.
    pub const ALL: [ObjectKind; 12] = [
        ObjectKind::Thread,
        ObjectKind::Core,
        ObjectKind::Gpu,
        ObjectKind::L1,
        ObjectKind::L2,
        ObjectKind::L3,
        ObjectKind::L4,
        ObjectKind::Die,
        ObjectKind::Numa,
        ObjectKind::Package,
        ObjectKind::Group,
        ObjectKind::Node,
    ];

    /// The word for it in files and options.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Thread => "thread",
            ObjectKind::Core => "core",
            ObjectKind::L1 => "L1",
            ObjectKind::L2 => "L2",
            ObjectKind::L3 => "L3",
            ObjectKind::L4 => "L4",
            ObjectKind::Die => "die",
            ObjectKind::Numa => "numa",
            ObjectKind::Package => "package",
            ObjectKind::Group => "group",
            ObjectKind::Node => "node",
            ObjectKind::Gpu => "gpu",
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ObjectKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let same = |kind: &ObjectKind| kind.name().eq_ignore_ascii_case(text);
        ObjectKind::ALL.into_iter().find(same).ok_or_else(|| {
            let known = ObjectKind::ALL.map(ObjectKind::name).join(", ");
            UnknownName::new("part of a node", text, known)
        })
    }
}

/// A part of a node and what is in it. Threads and GPUs have nothing in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// The operating system's number. For a thread this is its CPU number.
    pub index: Option<u32>,
    /// What it is called, such as the model of a GPU.
    pub name: Option<String>,
    /// What is in it, in the order of the hardware. A GPU is in the smallest part that it is near.
    pub children: Vec<Object>,
}

impl Object {
    /// A part with these children.
    pub fn new(kind: ObjectKind, index: Option<u32>, children: Vec<Object>) -> Object {
        Object { kind, index, name: None, children }
    }

    /// A node about which only the number of cores is known: core and CPU `i` for each `i`.
    pub fn flat_node(cores: u32) -> Object {
        let core = |index| {
            let thread = Object::new(ObjectKind::Thread, Some(index), Vec::new());
            Object::new(ObjectKind::Core, Some(index), vec![thread])
        };
        Object::new(ObjectKind::Node, None, (0..cores).map(core).collect())
    }

    /// How many parts of a kind it has, including itself.
    pub fn count(&self, kind: ObjectKind) -> usize {
        let own = usize::from(self.kind == kind);
        own + self.children.iter().map(|child| child.count(kind)).sum::<usize>()
    }

    /// The CPU numbers of its threads, in rising order.
    pub fn cpus(&self) -> Vec<u32> {
        let mut cpus = Vec::new();
        self.add_cpus(&mut cpus);
        cpus.sort_unstable();
        cpus
    }

    fn add_cpus(&self, cpus: &mut Vec<u32>) {
        if self.kind == ObjectKind::Thread {
            cpus.extend(self.index);
        }
        self.children.iter().for_each(|child| child.add_cpus(cpus));
    }
}

/// A node as a file or the running system describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hardware {
    /// The host that it was read from, if that is known.
    pub host: Option<String>,
    /// The node; its kind is [`ObjectKind::Node`].
    pub node: Object,
    /// Its network adapters, if they are known, in the order of the hardware.
    pub adapters: Vec<NodeAdapter>,
}

impl Hardware {
    /// A node without known adapters.
    pub fn new(host: Option<String>, node: Object) -> Hardware {
        Hardware { host, node, adapters: Vec::new() }
    }
}

/// A network adapter as the node itself knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAdapter {
    /// What the operating system calls it, such as `mlx5_0`.
    pub name: String,
    /// What tells it apart from all others, if that is known. It belongs to the host that the node
    /// was read from; other hosts of this kind have other ones.
    pub guid: Option<u64>,
    /// The CPUs of the part that it is attached to.
    pub cpus: Vec<u32>,
    /// The GPUs on its own PCI bridge, counted among those of the node.
    pub gpus: Vec<u32>,
    /// How much it sends, in Mbit/s, if that is known.
    pub megabits_per_second: Option<u32>,
}
