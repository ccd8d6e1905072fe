//! A square NumPy matrix, as `numpy.save` writes it: row i is what rank i sends.

use topoloom_core::{Entry, Traffic, TrafficBuilder, Weight};

use super::array::{Array, MAGIC};
use super::format::{Format, FormatEntry};
use super::ranks::{messages_and_bytes, ranks};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "npy",
    summary: "square matrix of NumPy (numpy.save); row i is what rank i sends",
    example: "traffic.npy",
    parameters: &[],
    build: Format {
        endings: &["npy"],
        looks_like: |bytes| bytes.starts_with(MAGIC),
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let traffic = Array::parse(source.bytes()).and_then(|array| matrix(&array, weight));
    traffic.map_err(|fault| source.error(fault))
}

/// The traffic that a square matrix means.
pub(super) fn matrix(array: &Array<'_>, weight: Weight) -> Result<Traffic, Fault> {
    let ranks = match array.shape[..] {
        [rows, columns] if rows == columns => ranks(rows)?,
        _ => {
            let sides: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
            let found = sides.join(", ");
            return Err(Fault::expected(
                "a square matrix",
                format!("an array of the shape ({found})"),
            ));
        }
    };
    let mut builder = TrafficBuilder::new(ranks);
    let side = ranks as usize;
    for from in 0..ranks {
        for to in 0..ranks {
            let (row, column) = (from as usize, to as usize);
            let place = if array.is_fortran { column * side + row } else { row * side + column };
            let value = array.weight(place);
            let value =
                value.map_err(|fault: Fault| fault.within(format!("row {from}, column {to}")))?;
            let (messages, bytes) = messages_and_bytes(value, weight);
            builder.add(from, to, messages, bytes);
        }
    }
    Ok(builder.build())
}
