//! A collective in one line, read and written.

use std::io::{self, Write};
use std::sync::Arc;

use topoloom_core::traffic::{Collective, Group, Operation, VariableSizes};
use topoloom_core::words::counted;

use crate::text::fault::Fault;
use crate::text::number::{self, Decimal, Kind, shown};

/// The word of each operation; for the variable all-to-all, without its sizes.
const OPERATIONS: &[(&str, Operation)] = &[
    ("barrier", Operation::Barrier),
    ("broadcast", Operation::Broadcast),
    ("reduce", Operation::Reduce),
    ("allreduce", Operation::Allreduce),
    ("alltoall", Operation::AllToAll),
    ("allgather", Operation::Allgather),
    ("reduce-scatter", Operation::ReduceScatter),
    ("gather", Operation::Gather),
    ("scatter", Operation::Scatter),
];

const VARIABLE: &str = "alltoallv";

fn word_of(operation: &Operation) -> &'static str {
    let known = OPERATIONS.iter().find(|(_, known)| known == operation);
    known.map_or(VARIABLE, |(word, _)| word)
}

/// The collective that the words after its number describe, for this many ranks.
pub fn parse(words: &[&[u8]], ranks: u32) -> Result<Collective, Fault> {
    let Some((&operation, options)) = words.split_first() else {
        return Err(Fault::expected("an operation", "the end of the line"));
    };
    let (mut bytes, mut group, mut sizes, mut pairs) = (None, None, None, None);
    for option in options {
        let given = if let Some(value) = option.strip_prefix(b"bytes=") {
            bytes.replace(whole(value)?).is_some()
        } else if let Some(value) = option.strip_prefix(b"members=") {
            group.replace(members(value, ranks)?).is_some()
        } else if let Some(value) = option.strip_prefix(b"sizes=") {
            sizes.replace(value).is_some()
        } else if let Some(value) = option.strip_prefix(b"pairs=") {
            pairs.replace(value).is_some()
        } else {
            let found = shown(option);
            return Err(Fault::expected("bytes=, members=, sizes= or pairs=", found));
        };
        if given {
            let name = option.split(|&byte| byte == b'=').next().unwrap_or_default();
            return Err(Fault::Repeated(format!("{} is given twice", shown(name))));
        }
    }
    let group = group.ok_or_else(|| Fault::expected("members=", "none"))?;
    let operation = match (known(operation)?, sizes, pairs) {
        (Some(operation), None, None) => operation,
        (Some(operation), Some(_), _) => {
            return Err(Fault::Malformed(format!("{} takes no sizes=", word_of(&operation))));
        }
        (Some(operation), None, Some(_)) => {
            return Err(Fault::Malformed(format!("{} takes no pairs=", word_of(&operation))));
        }
        (None, Some(sizes), None) => Operation::AllToAllVariable(table(sizes, group.size())?),
        (None, None, Some(pairs)) => Operation::AllToAllVariable(some(pairs, group.size())?),
        (None, Some(_), Some(_)) => {
            return Err(Fault::Malformed(format!("{VARIABLE} has sizes= or pairs=, not both")));
        }
        (None, None, None) => {
            return Err(Fault::Missing(format!(
                "{VARIABLE} needs sizes=, by sender, then receiver, or pairs=FROM>TO:BYTES,..."
            )));
        }
    };
    Ok(Collective { operation, group, calls: 1, bytes: bytes.unwrap_or(0) })
}

/// The operation with this name, or none for the one that needs sizes.
fn known(word: &[u8]) -> Result<Option<Operation>, Fault> {
    if word == VARIABLE.as_bytes() {
        return Ok(None);
    }
    match OPERATIONS.iter().find(|(known, _)| known.as_bytes() == word) {
        Some((_, operation)) => Ok(Some(operation.clone())),
        None => {
            let names: Vec<&str> = OPERATIONS.iter().map(|&(name, _)| name).collect();
            Err(Fault::unknown(
                format!("operation {}", shown(word)),
                format!("{}, {VARIABLE}", names.join(", ")),
            ))
        }
    }
}

/// A whole number of up to 64 bits.
pub fn whole(word: &[u8]) -> Result<u64, Fault> {
    // 20 digits may still fit, but the fast path accepts fewer.
    let number = str::from_utf8(word).ok().filter(|text| !text.starts_with('+'));
    match number.and_then(|text| text.parse().ok()) {
        Some(number) => Ok(number),
        None => number::count(word),
    }
}

/// `first+stride x size`, or the ranks, separated by commas.
fn members(value: &[u8], ranks: u32) -> Result<Group, Fault> {
    let exists = |rank: u64| match u32::try_from(rank) {
        Ok(rank) if rank < ranks => Ok(rank),
        _ => Err(Fault::OutOfRange(format!("there is no rank {rank}, only 0 to {}", ranks - 1))),
    };
    let Some((first, rest)) = split(value, b'+') else {
        let list: Result<Vec<u32>, Fault> =
            value.split(|&byte| byte == b',').map(|rank| exists(whole(rank)?)).collect();
        let list = list?;
        let mut sorted = list.clone();
        sorted.sort_unstable();
        return match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Fault::Repeated(format!("rank {} is a member twice", pair[0]))),
            None => Ok(Group::List(Arc::from(list))),
        };
    };
    let (stride, size) = split(rest, b'x')
        .ok_or_else(|| Fault::expected("members as FIRST+STRIDExSIZE", shown(value)))?;
    let first = exists(whole(first)?)?;
    let (stride, size) = (whole(stride)?, whole(size)?);
    if size == 0 {
        return Err(Fault::expected("at least 1 member", "0"));
    }
    if stride == 0 && size > 1 {
        return Err(Fault::Repeated(format!("rank {first} is a member twice")));
    }
    let last = stride.checked_mul(size - 1).and_then(|more| more.checked_add(u64::from(first)));
    exists(last.unwrap_or(u64::MAX))?;
    match (u32::try_from(stride), u32::try_from(size)) {
        (Ok(stride), Ok(size)) => Ok(Group::Strided { first, stride, size }),
        _ => Err(Fault::TooLarge(format!("the number {} is too large", stride.max(size)))),
    }
}

fn split(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|&byte| byte == at)?;
    Some((&bytes[..place], &bytes[place + 1..]))
}

/// As many rows as members, with as many sizes each.
fn table(value: &[u8], size: u32) -> Result<VariableSizes, Fault> {
    let mut sizes = Vec::new();
    let mut rows = 0;
    for row in value.split(|&byte| byte == b';') {
        let before = sizes.len();
        for word in row.split(|&byte| byte == b',') {
            sizes.push(number::weight(word, Kind::Real)?);
        }
        rows += 1;
        let found = sizes.len() - before;
        if found != size as usize {
            return Err(Fault::expected(
                format!("{size} in row {rows}", size = counted(size, "size")),
                found,
            ));
        }
    }
    if rows != size {
        return Err(Fault::expected(format!("{size} of sizes", size = counted(size, "row")), rows));
    }
    Ok(VariableSizes::Table(sizes.into()))
}

/// `from>to:bytes` for the pairs that exchange anything, separated by commas.
fn some(value: &[u8], size: u32) -> Result<VariableSizes, Fault> {
    let member = |word: &[u8]| match whole(word)? {
        member if member < u64::from(size) => Ok(member as u32),
        member => {
            Err(Fault::OutOfRange(format!("there is no member {member}, only 0 to {}", size - 1)))
        }
    };
    let mut pairs = Vec::new();
    for word in value.split(|&byte| byte == b',').filter(|_| !value.is_empty()) {
        let parts = split(word, b'>').and_then(|(from, rest)| Some((from, split(rest, b':')?)));
        let (from, (to, bytes)) =
            parts.ok_or_else(|| Fault::expected("FROM>TO:BYTES", shown(word)))?;
        pairs.push((member(from)?, member(to)?, number::weight(bytes, Kind::Real)?));
    }
    pairs.sort_by_key(|&(from, to, _)| (from, to));
    if let Some(pair) =
        pairs.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1))
    {
        return Err(Fault::Repeated(format!(
            "the pair {}>{} is given twice",
            pair[0].0, pair[0].1
        )));
    }
    pairs.retain(|&(_, _, bytes)| bytes > 0.0);
    Ok(VariableSizes::Pairs(pairs.into()))
}

/// Writes the text after a collective's number.
pub fn write(collective: &Collective, writer: &mut dyn Write) -> io::Result<()> {
    write!(writer, "{}", word_of(&collective.operation))?;
    if collective.bytes > 0 {
        write!(writer, " bytes={}", collective.bytes)?;
    }
    match &collective.group {
        Group::Strided { first, stride, size } => {
            write!(writer, " members={first}+{stride}x{size}")?;
        }
        Group::List(ranks) => {
            write!(writer, " members=")?;
            for (number, rank) in ranks.iter().enumerate() {
                let comma = if number > 0 { "," } else { "" };
                write!(writer, "{comma}{rank}")?;
            }
        }
    }
    if let Operation::AllToAllVariable(sizes) = &collective.operation {
        write_sizes(sizes, collective.group.size(), writer)?;
    }
    writeln!(writer)
}

fn write_sizes(sizes: &VariableSizes, members: u32, writer: &mut dyn Write) -> io::Result<()> {
    if let VariableSizes::Table(table) = sizes {
        write!(writer, " sizes=")?;
        for (number, &bytes) in table.iter().enumerate() {
            let mark = match number {
                0 => "",
                _ if number % members as usize == 0 => ";",
                _ => ",",
            };
            write!(writer, "{mark}{}", Decimal(bytes))?;
        }
        return Ok(());
    }
    write!(writer, " pairs=")?;
    let mut written = Ok(());
    let mut comma = "";
    sizes.for_each(members, |from, to, bytes| {
        if written.is_ok() {
            written = write!(writer, "{comma}{from}>{to}:{}", Decimal(bytes));
            comma = ",";
        }
    });
    written
}
