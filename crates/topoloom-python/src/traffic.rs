//! Traffic, as Python holds it.

use std::fs;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use topoloom::core::traffic::CollectiveMode;
use topoloom::core::{self, PATTERNS, Spec, Weight};
use topoloom::io::{Given, Input, Loader};
use topoloom_cli::embedded::Origin;

use crate::background::waited;
use crate::collectives;
use crate::errors::{guarded, refuse};
use crate::numbers::{Line, Table};
use crate::rows;

/// Traffic, under the name by which commands refer to it.
#[pyclass(frozen, module = "topoloom._native")]
pub struct Traffic {
    pub traffic: core::Traffic,
    #[pyo3(get)]
    pub name: String,
    pub origin: Origin,
    /// Contents of the files that it was read from, if the files need not exist.
    pub files: Vec<(String, Vec<u8>)>,
}

/// The arrays of compressed rows: where rows begin, the receivers, their numbers.
type CompressedRows<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

/// What [`Traffic::state`] gives.
type State<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Vec<f64>>,
    Vec<collectives::State>,
);

/// The same as it comes back.
type GivenState<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<Vec<f64>>,
    Vec<collectives::State>,
);

impl Traffic {
    pub fn in_memory(name: &str, traffic: core::Traffic) -> Traffic {
        Traffic { traffic, name: name.to_string(), origin: Origin::Memory, files: Vec::new() }
    }
}

#[pymethods]
impl Traffic {
    /// The traffic that a text names, and what should be known about it.
    #[staticmethod]
    #[pyo3(signature = (text, files = Vec::new()))]
    fn load(
        py: Python<'_>,
        text: String,
        files: Vec<(String, Vec<u8>)>,
    ) -> PyResult<(Traffic, Vec<String>)> {
        waited(py, move || {
            let mut given = Given::default();
            files.iter().for_each(|(name, content)| given.add_file(name, content.clone()));
            let loader = Loader::with_given(given);
            let (traffic, warnings) = loader.traffic(&text, Weight::Bytes).map_err(refuse)?;
            let is_file = !files.is_empty() || !loader.opened().is_empty() || !is_pattern(&text);
            let origin = if is_file { Origin::File } else { Origin::Pattern };
            let warnings = warnings.iter().map(ToString::to_string).collect();
            let files = if files.is_empty() { contents(&loader, MOST_KEPT) } else { files };
            Ok((Traffic { traffic, name: text, origin, files }, warnings))
        })
    }

    /// The traffic of a square array of bytes, and perhaps one of messages.
    #[staticmethod]
    #[pyo3(signature = (name, array, messages = None))]
    fn from_dense(
        name: &str,
        array: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Traffic> {
        let bytes = Table::of("traffic", array)?;
        let messages = messages.map(|array| Table::of("messages", array)).transpose()?;
        let traffic = guarded(|| rows::of_table(&bytes, messages.as_ref()).map_err(refuse))?;
        Ok(Traffic::in_memory(name, traffic))
    }

    /// The traffic of compressed rows.
    #[staticmethod]
    fn from_rows(
        name: &str,
        start: &Bound<'_, PyAny>,
        receivers: &Bound<'_, PyAny>,
        bytes: &Bound<'_, PyAny>,
    ) -> PyResult<Traffic> {
        let (start, receivers) = (Line::of("indptr", start)?, Line::of("indices", receivers)?);
        let bytes = Line::of("data", bytes)?;
        let traffic = guarded(|| rows::of_compressed(&start, &receivers, &bytes).map_err(refuse))?;
        Ok(Traffic::in_memory(name, traffic))
    }

    /// The traffic of a list of flows.
    #[staticmethod]
    fn from_flows(
        name: &str,
        ranks: Option<usize>,
        senders: &Bound<'_, PyAny>,
        receivers: &Bound<'_, PyAny>,
        bytes: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Traffic> {
        let senders = Line::of("senders", senders)?;
        let receivers = Line::of("receivers", receivers)?;
        let bytes = Line::of("bytes", bytes)?;
        let messages = messages.map(|array| Line::of("messages", array)).transpose()?;
        let traffic = guarded(|| {
            rows::of_flows(ranks, &senders, &receivers, &bytes, messages.as_ref()).map_err(refuse)
        })?;
        Ok(Traffic::in_memory(name, traffic))
    }

    /// Compressed rows of bytes or messages.
    fn rows<'py>(&self, py: Python<'py>, weight: &str) -> PyResult<CompressedRows<'py>> {
        let weight: Weight = weight.parse().map_err(refuse)?;
        let traffic = &self.traffic;
        let mut start = Vec::with_capacity(traffic.num_ranks() + 1);
        let mut receivers = Vec::with_capacity(traffic.num_flows());
        let mut values = Vec::with_capacity(traffic.num_flows());
        start.push(0);
        for rank in 0..traffic.num_ranks() as u32 {
            traffic.for_each_flow_from(rank..rank + 1, weight, |_, to, value| {
                receivers.push(to as i32);
                values.push(value);
            });
            start.push(receivers.len() as i64);
        }
        Ok((start.into_pyarray(py), receivers.into_pyarray(py), values.into_pyarray(py)))
    }

    /// The same traffic with collectives turned into messages.
    fn with_collectives(&self, py: Python<'_>, mode: &str) -> PyResult<Traffic> {
        let mode: CollectiveMode = mode.parse().map_err(refuse)?;
        let traffic = self.traffic.clone();
        let expanded = waited(py, move || traffic.with_collectives(mode).map_err(refuse))?;
        Ok(Traffic::in_memory(&self.name, expanded))
    }

    #[getter]
    fn num_ranks(&self) -> usize {
        self.traffic.num_ranks()
    }

    #[getter]
    fn num_flows(&self) -> usize {
        self.traffic.num_flows()
    }

    #[getter]
    fn num_collectives(&self) -> usize {
        self.traffic.collectives().len()
    }

    /// `memory`, `pattern` or `file`.
    #[getter]
    fn origin(&self) -> &'static str {
        match self.origin {
            Origin::Memory => "memory",
            Origin::Pattern => "pattern",
            Origin::File => "file",
        }
    }

    fn total(&self, weight: &str) -> PyResult<f64> {
        let weight: Weight = weight.parse().map_err(refuse)?;
        Ok(self.traffic.total(weight))
    }

    fn is_same(&self, other: &Traffic) -> bool {
        self.traffic == other.traffic
    }

    /// The same traffic under another name.
    fn named(&self, name: &str) -> Traffic {
        Traffic {
            traffic: self.traffic.clone(),
            name: name.to_string(),
            origin: Origin::Memory,
            files: Vec::new(),
        }
    }

    /// Its rows, rank weights and collectives, from which [`Traffic::from_state`] makes it again.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<State<'py>> {
        if self.traffic.step().is_some() {
            return Err(refuse("this training job is only in memory and cannot be pickled"));
        }
        let (start, receivers, bytes) = self.rows(py, "bytes")?;
        let (_, _, messages) = self.rows(py, "messages")?;
        let weights = self.traffic.rank_weights().map(<[f64]>::to_vec);
        let collectives = self.traffic.collectives().iter().map(collectives::state).collect();
        Ok((start, receivers, bytes, messages, weights, collectives))
    }

    /// The traffic of [`Traffic::state`].
    #[staticmethod]
    fn from_state(name: &str, state: GivenState<'_>) -> PyResult<Traffic> {
        let (start, receivers, bytes, messages, weights, collectives) = state;
        let (start, receivers) = (Line::of("indptr", &start)?, Line::of("indices", &receivers)?);
        let (bytes, messages) = (Line::of("bytes", &bytes)?, Line::of("messages", &messages)?);
        let traffic = guarded(|| {
            let mut builder =
                rows::builder(&start, &receivers, &bytes, &messages).map_err(refuse)?;
            if let Some(weights) = weights {
                builder.set_rank_weights(weights);
            }
            for state in collectives {
                builder.add_collective(collectives::of_state(state).map_err(refuse)?);
            }
            Ok(builder.build())
        })?;
        Ok(Traffic::in_memory(name, traffic))
    }

    /// Contents of its file when it was read, unless it was large.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        self.files.clone()
    }
}

/// Contents of files up to this size are kept, so that a file may change or go away later.
const MOST_KEPT: usize = 64 << 20;

/// Contents of everything that was read, if it is not too large; none if it is a folder.
pub fn contents(loader: &Loader, most: usize) -> Vec<(String, Vec<u8>)> {
    let content = |input: &Arc<Input>| {
        let size = fs::metadata(input.path()).ok().filter(|about| about.is_file())?.len();
        let bytes = (size <= most as u64).then(|| input.bytes().ok()).flatten()?;
        Some((input.name().to_string(), bytes.to_vec()))
    };
    loader.opened().iter().filter_map(content).collect()
}

fn is_pattern(text: &str) -> bool {
    Spec::parse(text).is_ok_and(|spec| PATTERNS.entries.iter().any(|entry| entry.name == spec.name))
}
