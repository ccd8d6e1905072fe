//! Carries out commands while Python goes on, hears Ctrl-C and shows progress.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use topoloom::core::objective::CostMatrix;
use topoloom_cli::embedded::{Call, Given, Running, Watcher};

use crate::background::PULSE;
use crate::errors::{guarded, of_failure, refuse};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::numbers::exactly;
use crate::traffic::Traffic;

/// What a command has done.
#[pyclass(frozen, get_all, module = "topoloom._native")]
pub struct Answer {
    code: u8,
    printed: String,
    warnings: Vec<String>,
    notes: Vec<String>,
    mapping: Option<Py<Mapping>>,
    traffic: Option<Py<Traffic>>,
    machine: Option<Py<PyBytes>>,
    page: Option<String>,
    picture: Option<(String, Py<PyBytes>)>,
    /// Whether Ctrl-C cut it short.
    interrupted: bool,
}

/// A task, how many of how many steps are done, and the least cost so far.
type News = (String, u64, u64, Option<f64>);

/// How far a command is, told by its threads and read by Python's.
#[derive(Default)]
struct Pace(Mutex<Option<News>>);

impl Watcher for Pace {
    fn progress(&self, task: &str, done: u64, total: u64, best: Option<f64>) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Some((task.to_string(), done, total, best));
    }
}

impl Pace {
    /// Tells Python, if there is something new.
    fn tell(&self, listener: &Bound<'_, PyAny>) -> PyResult<()> {
        let news = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(news) = news {
            listener.call1(news)?;
        }
        Ok(())
    }
}

/// Carries out a command. Names in its arguments may stand for the objects that are given.
#[pyfunction]
#[pyo3(signature = (arguments, traffic, machines, mappings, objectives, listener = None))]
pub fn call(
    py: Python<'_>,
    arguments: Vec<String>,
    traffic: Vec<PyRef<'_, Traffic>>,
    machines: Vec<PyRef<'_, Machine>>,
    mappings: Vec<(String, PyRef<'_, Mapping>)>,
    objectives: Vec<(String, Bound<'_, PyAny>)>,
    listener: Option<Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let mut given = Given::default();
    for traffic in &traffic {
        given.add_traffic(&traffic.name, traffic.traffic.clone(), traffic.origin);
        traffic.files.iter().for_each(|(name, content)| given.add_file(name, content.clone()));
    }
    for machine in &machines {
        given.add_machine(&machine.name, machine.machine.clone());
        machine.files.iter().for_each(|(name, content)| given.add_file(name, content.clone()));
    }
    for (name, mapping) in &mappings {
        given.add_mapping(name, mapping.file.clone());
    }
    for (name, costs) in &objectives {
        let costs: PyReadonlyArray2<'_, f64> = exactly("objective", costs)?;
        let rows = costs.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let objective = CostMatrix::new("array", rows)
            .map_err(|error| refuse(format!("objective: {error}")))?;
        given.add_objective(name, Arc::new(objective));
    }
    let pace = Arc::new(Pace::default());
    let watcher = listener.as_ref().map(|_| Arc::clone(&pace) as Arc<dyn Watcher>);
    let arguments = arguments.into_iter().map(Into::into).collect();
    let running =
        guarded(|| Running::start(Call { arguments, given, watcher }).map_err(of_failure))?;
    let mut interrupted = false;
    let result = loop {
        if let Some(result) = py.detach(|| running.wait(PULSE)) {
            break result;
        }
        let told = listener.as_ref().map_or(Ok(()), |listener| pace.tell(listener));
        if let Err(error) = told.and_then(|()| py.check_signals()) {
            // The second one ends it at once, and so does one where there is no best so far. A
            // listener that fails ends the search too.
            let is_interrupt = error.is_instance_of::<PyKeyboardInterrupt>(py);
            if !running.stop() || interrupted || !is_interrupt {
                return Err(error);
            }
            interrupted = true;
        }
    };
    if let Some(listener) = listener.filter(|_| !interrupted) {
        pace.tell(&listener)?;
    }
    let answer = result.map_err(|failure| match interrupted {
        true => PyKeyboardInterrupt::new_err(()),
        false => of_failure(failure),
    })?;
    let done = answer.done;
    let mapping = done.mapping.map(|file| Py::new(py, Mapping { file })).transpose()?;
    let of_memory = |traffic| Py::new(py, Traffic::in_memory("traffic", traffic));
    let bytes = |content: Vec<u8>| PyBytes::new(py, &content).unbind();
    Ok(Answer {
        code: answer.code,
        printed: done.printed,
        warnings: done.warnings,
        notes: done.notes,
        mapping,
        traffic: done.traffic.map(of_memory).transpose()?,
        machine: done.machine.map(bytes),
        page: done.page,
        picture: done.picture.map(|(svg, png)| (svg, bytes(png))),
        interrupted,
    })
}
