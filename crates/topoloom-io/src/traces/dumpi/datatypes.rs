//! How large the elements of messages are.

use std::collections::HashMap;

use super::call::Call;
use crate::text::fault::Fault;

/// The first number of the program's own types.
const FIRST_OF_PROGRAM: i64 = 28;

/// Bytes of the types that MPI names, by their numbers in DUMPI, on 64-bit machines.
const NAMED: [u64; FIRST_OF_PROGRAM as usize] = [
    0, 0, 1, 1, 1, 1, 4, 2, 2,
    4, // error null char signed unsigned byte wchar short unsigned int
    4, 8, 8, 4, 8, 16, 8, 8, 8,
    1, // unsigned long unsigned float double long-double long-longs packed
    0, 0, 8, 16, 16, 8, 8,
    32, // bounds, pairs with int: float double long short int long-double
];

/// The types of one rank.
#[derive(Default)]
pub struct Datatypes {
    /// Sizes listed in the file take precedence over known ones.
    listed: HashMap<i64, u64>,
    made: HashMap<i64, u64>,
    /// How many elements had an unknown size.
    pub of_unknown_size: u64,
}

impl Datatypes {
    pub fn list(&mut self, number: i64, bytes: u64) {
        self.listed.insert(number, bytes);
    }

    fn size(&self, number: i64) -> Option<u64> {
        let named = || usize::try_from(number).ok().and_then(|number| NAMED.get(number));
        let known = self.made.get(&number).or_else(|| self.listed.get(&number));
        known.or_else(named).copied()
    }

    /// The bytes of this many elements of a type.
    pub fn bytes(&mut self, elements: i64, number: i64) -> u64 {
        let elements = u64::try_from(elements).unwrap_or(0);
        match self.size(number) {
            Some(bytes) => elements.saturating_mul(bytes),
            None => {
                self.of_unknown_size = self.of_unknown_size.saturating_add(elements);
                elements
            }
        }
    }

    /// Records a call that makes a type; returns whether it is one.
    pub fn make(&mut self, call: &Call<'_>) -> Result<bool, Fault> {
        let sum = |list: Option<Vec<i64>>| -> Option<u64> {
            let add = |sum: u64, &number: &i64| sum.checked_add(u64::try_from(number).ok()?);
            list?.iter().try_fold(0, add)
        };
        let number = |name: &str| call.number(name).map(|number| u64::try_from(number).ok());
        let elements = match call.name {
            "MPI_Type_contiguous" => number("count")?,
            "MPI_Type_vector"
            | "MPI_Type_hvector"
            | "MPI_Type_create_hvector"
            | "MPI_Type_create_indexed_block" => {
                let both = number("count")?.zip(number("blocklength")?);
                both.and_then(|(count, length)| count.checked_mul(length))
            }
            "MPI_Type_indexed" | "MPI_Type_hindexed" => sum(call.list("lengths")?),
            "MPI_Type_create_hindexed" => sum(call.list("blocklengths")?),
            "MPI_Type_create_subarray" => {
                let sizes = call.list("subsizes")?.unwrap_or_default();
                let times = |all: u64, &size: &i64| all.checked_mul(u64::try_from(size).ok()?);
                sizes.iter().try_fold(1, times)
            }
            "MPI_Type_create_resized" | "MPI_Type_dup" => Some(1),
            "MPI_Type_struct" => return self.make_of_parts(call, "lengths").map(|()| true),
            "MPI_Type_create_struct" => {
                return self.make_of_parts(call, "blocklengths").map(|()| true);
            }
            _ => return Ok(false),
        };
        let old = self.size(call.number("oldtype")?);
        self.set(call, elements.zip(old).and_then(|(elements, old)| elements.checked_mul(old)))?;
        Ok(true)
    }

    /// A type of blocks of several types.
    fn make_of_parts(&mut self, call: &Call<'_>, lengths: &str) -> Result<(), Fault> {
        let lengths = call.list(lengths)?.unwrap_or_default();
        let types = call.list("oldtypes")?.unwrap_or_default();
        let block = |(&length, &number): (&i64, &i64)| {
            u64::try_from(length).ok()?.checked_mul(self.size(number)?)
        };
        let mut blocks = lengths.iter().zip(&types).map(block);
        let bytes = blocks.try_fold(0u64, |sum, block| sum.checked_add(block?));
        self.set(call, bytes.filter(|_| lengths.len() == types.len()))
    }

    fn set(&mut self, call: &Call<'_>, bytes: Option<u64>) -> Result<(), Fault> {
        let number = call.number("newtype")?;
        match bytes {
            Some(bytes) => self.made.insert(number, bytes),
            None => self.made.remove(&number),
        };
        Ok(())
    }
}
