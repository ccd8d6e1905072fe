//! Machines, as Python holds them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use topoloom::core::{self, Vertex};
use topoloom::io::{Given, Loader, atomic_write};

use crate::background::waited;
use crate::errors::{guarded, refuse};
use crate::numbers::Line;
use crate::traffic::contents;

/// A machine, under the name by which commands refer to it.
#[pyclass(frozen, module = "topoloom._native")]
pub struct Machine {
    pub machine: core::Machine,
    #[pyo3(get)]
    pub name: String,
    /// Contents of the files that it was read from, as they were then.
    pub files: Vec<(String, Vec<u8>)>,
}

#[pymethods]
impl Machine {
    /// The machine that a text names, and what should be known about it.
    #[staticmethod]
    #[pyo3(signature = (text, files = Vec::new()))]
    fn load(
        py: Python<'_>,
        text: String,
        files: Vec<(String, Vec<u8>)>,
    ) -> PyResult<(Machine, Vec<String>)> {
        waited(py, move || {
            let mut given = Given::default();
            files.iter().for_each(|(name, content)| given.add_file(name, content.clone()));
            let loader = Loader::with_given(given);
            let (machine, warnings) = loader.machine(&text).map_err(refuse)?;
            let warnings = warnings.iter().map(ToString::to_string).collect();
            let files = if files.is_empty() { contents(&loader, usize::MAX) } else { files };
            Ok((Machine { machine, name: text, files }, warnings))
        })
    }

    #[getter]
    fn specification(&self) -> &str {
        self.machine.spec()
    }

    #[getter]
    fn num_nodes(&self) -> usize {
        self.machine.num_nodes()
    }

    #[getter]
    fn num_slots(&self) -> usize {
        self.machine.num_slots()
    }

    #[getter]
    fn num_links(&self) -> u64 {
        self.machine.topology().num_links()
    }

    #[getter]
    fn routing(&self) -> String {
        self.machine.routing().name()
    }

    /// The distance from one node to another.
    fn distance(&self, from: u32, to: u32) -> PyResult<u32> {
        self.check("from", from)?;
        self.check("to", to)?;
        Ok(self.machine.topology().distance(Vertex(from), Vertex(to)))
    }

    /// The distances of pairs of nodes.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        from: &Bound<'py, PyAny>,
        to: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (from, to) = (Line::of("from", from)?, Line::of("to", to)?);
        if from.len() != to.len() {
            let (from, to) = (from.len(), to.len());
            return Err(refuse(format!("to: expected {from} nodes like from, found {to}")));
        }
        let to = to.reader();
        let mut distances = Vec::with_capacity(from.len());
        from.for_each(|place, node| {
            let (from, to) = (self.node("from", node)?, self.node("to", to(place))?);
            distances.push(self.machine.topology().distance(Vertex(from), Vertex(to)));
            Ok::<(), PyErr>(())
        })?;
        Ok(distances.into_pyarray(py))
    }

    /// The name of a node: its coordinates, or its host and core.
    fn node_name(&self, node: u32) -> PyResult<String> {
        self.check("node", node)?;
        Ok(self.machine.topology().vertex_name(Vertex(node)))
    }

    /// The names of its hosts in order, if it knows them.
    #[getter]
    fn hosts(&self) -> Option<Vec<String>> {
        let cluster = self.machine.topology().cluster()?;
        Some(cluster.description().hosts.iter().map(|host| host.name.clone()).collect())
    }

    /// Writes the description to a file, or else the specification.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let described = self.files.iter().find(|(name, _)| *name == self.name);
        let line = format!("{}\n", self.name).into_bytes();
        let content = described.map_or(&line, |(_, content)| content);
        guarded(|| atomic_write(&path, |file| file.write_all(content)).map_err(refuse))
    }

    /// Contents of its files when it was read.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        self.files.clone()
    }
}

impl Machine {
    fn check(&self, name: &str, node: u32) -> PyResult<()> {
        let nodes = self.machine.num_nodes();
        match (node as usize) < nodes {
            true => Ok(()),
            false => Err(no_node(name, f64::from(node), nodes)),
        }
    }

    fn node(&self, name: &str, value: f64) -> PyResult<u32> {
        let nodes = self.machine.num_nodes();
        match value >= 0.0 && value < nodes as f64 && value.fract() == 0.0 {
            true => Ok(value as u32),
            false => Err(no_node(name, value, nodes)),
        }
    }
}

fn no_node(name: &str, node: f64, nodes: usize) -> PyErr {
    refuse(format!("{name}: expected a node from 0 to {}, found {node}", nodes - 1))
}
