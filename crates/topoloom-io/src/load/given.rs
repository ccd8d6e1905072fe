//! What a program has in memory and gives under a name, in place of files and specifications.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use topoloom_core::{Machine, Objective, Traffic, Weight};

use crate::mappings::mapping_file::MappingFile;
use crate::text::input::Input;

/// Objects under the names by which a user of a [`super::Loader`] refers to them.
#[derive(Debug, Default)]
pub struct Given {
    traffic: BTreeMap<String, GivenTraffic>,
    machines: BTreeMap<String, Machine>,
    mappings: BTreeMap<PathBuf, MappingFile>,
    objectives: BTreeMap<String, Arc<dyn Objective>>,
    files: BTreeMap<PathBuf, Arc<Input>>,
}

#[derive(Debug)]
struct GivenTraffic {
    traffic: Traffic,
    origin: Origin,
}

/// Where traffic that is given came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It exists only in memory.
    Memory,
    /// Its name is that of a pattern, which also tells the order of events.
    Pattern,
    /// Its name is that of a file, whose single numbers per pair were read as bytes.
    File,
}

impl Given {
    /// Gives traffic under a name.
    pub fn add_traffic(&mut self, name: &str, traffic: Traffic, origin: Origin) {
        self.traffic.insert(name.to_string(), GivenTraffic { traffic, origin });
    }

    /// Gives a machine under a name.
    pub fn add_machine(&mut self, name: &str, machine: Machine) {
        self.machines.insert(name.to_string(), machine);
    }

    /// Gives a mapping under a name, which stands for a file.
    pub fn add_mapping(&mut self, name: &str, mapping: MappingFile) {
        self.mappings.insert(PathBuf::from(name), mapping);
    }

    /// Gives an objective under a name.
    pub fn add_objective(&mut self, name: &str, objective: Arc<dyn Objective>) {
        self.objectives.insert(name.to_string(), objective);
    }

    /// Gives the content of a file that need not exist.
    pub fn add_file(&mut self, name: &str, content: Vec<u8>) {
        self.files.insert(PathBuf::from(name), Arc::new(Input::of_bytes(name, content)));
    }

    /// The traffic of this name. If it was read from a file under another weight, the file has to be
    /// read again.
    pub(super) fn traffic(&self, name: &str, weight: Weight) -> Option<Traffic> {
        let given = self.traffic.get(name)?;
        let usable = weight == Weight::Bytes || given.origin != Origin::File;
        usable.then(|| given.traffic.clone())
    }

    /// Whether this is traffic in memory alone, of which nothing else is known.
    pub(super) fn is_only_totals(&self, name: &str) -> bool {
        self.traffic.get(name).is_some_and(|given| given.origin == Origin::Memory)
    }

    pub(super) fn machine(&self, name: &str) -> Option<Machine> {
        self.machines.get(name).cloned()
    }

    pub(super) fn mapping(&self, path: &Path) -> Option<MappingFile> {
        self.mappings.get(path).cloned()
    }

    pub(super) fn objective(&self, name: &str) -> Option<Arc<dyn Objective>> {
        self.objectives.get(name).cloned()
    }

    pub(super) fn file(&self, path: &Path) -> Option<Arc<Input>> {
        self.files.get(path).cloned()
    }

    /// Whether a mapping or the content of a file is given under this name.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.mappings.contains_key(path) || self.files.contains_key(path)
    }
}
