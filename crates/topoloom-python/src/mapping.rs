//! Mappings, as Python holds them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use topoloom::core::cluster::Seating;
use topoloom::core::topology::Place;
use topoloom::io::{Loader, MappingFile, mapping_json, parse_mapping, write_mapping};

use crate::errors::{guarded, refuse};
use crate::machine::Machine;
use crate::numbers::Line;

/// A mapping, not checked against traffic.
#[pyclass(frozen, module = "topoloom._native")]
pub struct Mapping {
    pub file: MappingFile,
}

#[pymethods]
impl Mapping {
    /// A mapping from the text of a file.
    #[staticmethod]
    fn parse(name: &str, content: &[u8]) -> PyResult<Mapping> {
        guarded(|| Ok(Mapping { file: parse_mapping(name, content).map_err(refuse)? }))
    }

    /// The mapping of a file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Mapping> {
        guarded(|| Ok(Mapping { file: Loader::new().mapping(path).map_err(refuse)? }))
    }

    /// Writes a mapping file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        guarded(|| write_mapping(path, &self.file).map_err(refuse))
    }

    /// A mapping from the node or, with `slots`, from the slot of each rank.
    #[staticmethod]
    fn of(
        array: &Bound<'_, PyAny>,
        are_slots: bool,
        machine: Option<&Machine>,
    ) -> PyResult<Mapping> {
        let what = if are_slots { "slot" } else { "node" };
        let line = Line::of("mapping", array)?;
        let mut numbers = Vec::with_capacity(line.len());
        line.for_each(|rank, value| {
            let fits = value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0;
            numbers.push(value as u32);
            match fits {
                true => Ok(()),
                false => Err(refuse(format!(
                    "mapping: expected the number of a {what} for rank {rank}, found {value}"
                ))),
            }
        })?;
        let machine = machine.map(|machine| &machine.machine);
        let most = machine.map_or(u32::MAX, |machine| match are_slots {
            true => machine.num_slots() as u32,
            false => machine.num_nodes() as u32,
        });
        if let Some(rank) = numbers.iter().position(|&number| number >= most) {
            let (found, last) = (numbers[rank], most.wrapping_sub(1));
            let text =
                format!("mapping: rank {rank} has the {what} {found}, but the last is {last}");
            return Err(refuse(text));
        }
        let mut file = MappingFile::default();
        if are_slots {
            let per_node = machine.map_or(1, topoloom::core::Machine::slots_per_node);
            file.node_of_rank = numbers.iter().map(|slot| slot / per_node).collect();
            file.slot_of_rank = Some(numbers);
        } else {
            file.node_of_rank = numbers;
        }
        if let Some(machine) = machine {
            file.machine = Some(machine.spec().to_string());
            let cluster = machine.topology().cluster();
            file.seating = cluster.map(|cluster| Seating::of_nodes(&file.node_of_rank, cluster));
        }
        Ok(Mapping { file })
    }

    /// The node of each rank.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.file.node_of_rank.clone().into_pyarray(py)
    }

    /// The slot of each rank, if the slots are known.
    #[getter]
    fn slots<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        self.file.slot_of_rank.clone().map(|slots| slots.into_pyarray(py))
    }

    /// The host of each rank, if the hosts are known.
    #[getter]
    fn hosts(&self) -> Option<Vec<String>> {
        let seating = self.file.seating.as_ref()?;
        let host = |place: &Place| seating.hosts[place.host as usize].clone();
        Some(seating.seats.iter().map(host).collect())
    }

    #[getter]
    fn num_ranks(&self) -> usize {
        self.file.ranks()
    }

    #[getter]
    fn machine(&self) -> Option<&str> {
        self.file.machine.as_deref()
    }

    #[getter]
    fn strategy(&self) -> Option<&str> {
        self.file.strategy.as_deref()
    }

    #[getter]
    fn objective(&self) -> Option<&str> {
        self.file.objective.as_deref()
    }

    #[getter]
    fn seed(&self) -> Option<u64> {
        self.file.seed
    }

    /// The text of a mapping file.
    fn json(&self) -> String {
        mapping_json(&self.file)
    }
}
