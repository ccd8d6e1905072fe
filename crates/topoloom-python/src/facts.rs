//! The commands and their options, as Python sees them.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use topoloom_cli::embedded::{ArgumentFacts, CommandFacts, command_facts};

/// All commands of the program, each as a dictionary.
#[pyfunction]
pub fn commands(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    of_command(py, &command_facts())
}

fn of_command<'py>(py: Python<'py>, command: &CommandFacts) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("name", &command.name)?;
    facts.set_item("about", &command.about)?;
    let commands = PyDict::new(py);
    for inner in &command.commands {
        commands.set_item(&inner.name, of_command(py, inner)?)?;
    }
    facts.set_item("commands", commands)?;
    let arguments = PyList::empty(py);
    for argument in &command.arguments {
        arguments.append(of_argument(py, argument)?)?;
    }
    facts.set_item("arguments", arguments)?;
    Ok(facts)
}

fn of_argument<'py>(py: Python<'py>, argument: &ArgumentFacts) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("name", &argument.name)?;
    facts.set_item("aliases", &argument.aliases)?;
    facts.set_item("is_operand", argument.is_operand)?;
    facts.set_item("is_flag", argument.is_flag)?;
    facts.set_item("is_many", argument.is_many)?;
    facts.set_item("is_required", argument.is_required)?;
    facts.set_item("is_whole_number", argument.is_whole_number)?;
    facts.set_item("default", &argument.default)?;
    facts.set_item("help", &argument.help)?;
    facts.set_item("values", &argument.values)?;
    Ok(facts)
}
