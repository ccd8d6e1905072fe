//! Arrays of any number type, read where they are.

use numpy::{Element, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::errors::refuse;

/// A number as Topoloom computes with it.
pub trait Number: Element + Copy {
    /// Its value.
    fn value(self) -> f64;
}

macro_rules! numbers {
    ($($variant:ident: $kind:ty),*) => {
        $(impl Number for $kind {
            fn value(self) -> f64 {
                self as f64
            }
        })*

        /// An array of one dimension.
        pub enum Line<'py> {
            $(#[allow(missing_docs)] $variant(PyReadonlyArray1<'py, $kind>),)*
        }

        impl<'py> Line<'py> {
            /// The array of an argument of this name.
            pub fn of(name: &str, array: &Bound<'py, PyAny>) -> PyResult<Line<'py>> {
                let array = &aligned(array)?;
                $(if let Ok(array) = array.extract::<PyReadonlyArray1<'py, $kind>>() {
                    return Ok(Line::$variant(array));
                })*
                Err(wrong(name, "an array of numbers with one dimension", array))
            }

            /// How many numbers it has.
            pub fn len(&self) -> usize {
                match self {
                    $(Line::$variant(array) => array.as_array().len(),)*
                }
            }

            /// Calls `visit` with every number, in order.
            pub fn for_each<E>(
                &self,
                mut visit: impl FnMut(usize, f64) -> Result<(), E>,
            ) -> Result<(), E> {
                match self {
                    $(Line::$variant(array) => array
                        .as_array()
                        .iter()
                        .enumerate()
                        .try_for_each(|(place, &number)| visit(place, number.value())),)*
                }
            }

            /// A function that gives the number at a place.
            pub fn reader<'a>(&'a self) -> Box<dyn Fn(usize) -> f64 + 'a> {
                match self {
                    $(Line::$variant(array) => {
                        let view = array.as_array();
                        Box::new(move |place| view[place].value())
                    })*
                }
            }
        }

        /// An array of two dimensions.
        pub enum Table<'py> {
            $(#[allow(missing_docs)] $variant(PyReadonlyArray2<'py, $kind>),)*
        }

        impl<'py> Table<'py> {
            /// The array of an argument of this name.
            pub fn of(name: &str, array: &Bound<'py, PyAny>) -> PyResult<Table<'py>> {
                let array = &aligned(array)?;
                $(if let Ok(array) = array.extract::<PyReadonlyArray2<'py, $kind>>() {
                    return Ok(Table::$variant(array));
                })*
                Err(wrong(name, "an array of numbers with two dimensions", array))
            }

            /// Its rows and columns.
            pub fn shape(&self) -> (usize, usize) {
                match self {
                    $(Table::$variant(array) => array.as_array().dim(),)*
                }
            }

            /// Calls `visit` with the column and the value of every number of a row.
            pub fn for_each_in_row<E>(
                &self,
                row: usize,
                mut visit: impl FnMut(usize, f64) -> Result<(), E>,
            ) -> Result<(), E> {
                match self {
                    $(Table::$variant(array) => array
                        .as_array()
                        .row(row)
                        .iter()
                        .enumerate()
                        .try_for_each(|(column, &number)| visit(column, number.value())),)*
                }
            }
        }
    };
}

numbers!(
    F64: f64, I64: i64, I32: i32, F32: f32, U64: u64, U32: u32, U8: u8, I8: i8, U16: u16, I16: i16
);

/// An array that is not what an argument of this name takes.
fn wrong(name: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let kind = found.getattr("dtype").and_then(|kind| kind.str()).map(|kind| kind.to_string());
    let shape = found.getattr("shape").and_then(|shape| shape.str()).map(|shape| shape.to_string());
    let found = match (kind, shape) {
        (Ok(kind), Ok(shape)) => format!("an array of {kind} with shape {shape}"),
        _ => found.get_type().to_string(),
    };
    refuse(format!("{name}: expected {expected}, found {found}"))
}

/// The array, or a copy if its numbers are not where the processor wants them, as in packed records.
fn aligned<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_aligned = array.getattr("flags").and_then(|flags| flags.getattr("aligned"));
    match is_aligned.and_then(|aligned| aligned.is_truthy()) {
        Ok(false) => array.call_method0("copy"),
        _ => Ok(array.clone()),
    }
}

/// An array of exactly this type.
pub fn exactly<'py, T: Element, D: numpy::ndarray::Dimension>(
    name: &str,
    array: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    let array = &aligned(array)?;
    array.extract().map_err(|_| wrong(name, "an array of floats with two dimensions", array))
}
