//! A location's own numbers for globally numbered things.

use std::collections::HashMap;

use super::bytes::Bytes;
use super::records::{File, for_each};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// The kind of the record.
const MAPPING_TABLE: u8 = 5;

// The kinds of things that tables are for.
const REGIONS: u8 = 3;
const COMMUNICATORS: u8 = 6;

/// Local numbers of one kind and their global numbers; missing numbers are the same in both.
#[derive(Default)]
pub enum Numbers {
    #[default]
    Same,
    /// By local number.
    Dense(Vec<u64>),
    Sparse(HashMap<u64, u64>),
}

impl Numbers {
    #[inline]
    pub fn global(&self, local: u32) -> u32 {
        let global = match self {
            Numbers::Same => None,
            Numbers::Dense(numbers) => numbers.get(local as usize),
            Numbers::Sparse(numbers) => numbers.get(&u64::from(local)),
        };
        global.map_or(local, |&global| u32::try_from(global).unwrap_or(u32::MAX))
    }
}

/// The numbers of one location.
#[derive(Default)]
pub struct LocalNumbers {
    pub regions: Numbers,
    pub communicators: Numbers,
}

pub fn read(bytes: Bytes<'_>, chunk_size: u64) -> Result<LocalNumbers, ReadError> {
    let mut numbers = LocalNumbers::default();
    for_each(bytes, File::Definitions, chunk_size, |record| {
        let mut content = record.content;
        if record.kind != MAPPING_TABLE {
            return Ok(());
        }
        match content.byte()? {
            REGIONS => numbers.regions = table(content)?,
            COMMUNICATORS => numbers.communicators = table(content)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(numbers)
}

fn table(mut content: Bytes<'_>) -> Result<Numbers, ReadError> {
    let position = content.position();
    let count = content.number_64()?;
    let kind = content.byte()?;
    if count > content.remaining() as u64 {
        let fault = Fault::expected(counted(count, "number"), "the end of the record");
        return Err(content.error_at(position, fault));
    }
    match kind {
        0 => (0..count).map(|_| content.number_64()).collect::<Result<_, _>>().map(Numbers::Dense),
        1 => {
            let mut pair = || Ok((content.number_64()?, content.number_64()?));
            (0..count).map(|_| pair()).collect::<Result<_, ReadError>>().map(Numbers::Sparse)
        }
        other => {
            Err(content
                .error_at(content.position() - 1, Fault::expected("a table (0 or 1)", other)))
        }
    }
}
