//! Traffic from arrays: checked, and packed into rows without a copy in between.

use topoloom::core::traffic::Values;
use topoloom::core::{Traffic, TrafficBuilder, budget};

use crate::numbers::{Line, Table};

/// What a flow takes in packed rows, and while it is not packed yet; and a rank.
const BYTES_OF_FLOW: u64 = 12;
const BYTES_OF_LOOSE_FLOW: u64 = 60;
const BYTES_OF_RANK: u64 = 24;

/// Rows that are being filled from the first to the last.
struct Rows {
    start: Vec<usize>,
    receiver: Vec<u32>,
    bytes: Vec<f64>,
}

impl Rows {
    fn new(ranks: usize, flows: usize) -> Result<Rows, String> {
        check_size(ranks, flows, BYTES_OF_FLOW)?;
        let mut start = Vec::with_capacity(ranks + 1);
        start.push(0);
        Ok(Rows { start, receiver: Vec::with_capacity(flows), bytes: Vec::with_capacity(flows) })
    }

    fn push(&mut self, to: u32, bytes: f64) {
        if bytes > 0.0 {
            self.receiver.push(to);
            self.bytes.push(bytes);
        }
    }

    /// Ends a row; its receivers are put in order, and entries for the same one are added up.
    fn end_row(&mut self) {
        let begin = self.start.last().copied().unwrap_or_default();
        if !self.receiver[begin..].is_sorted_by(|a, b| a < b) {
            let mut row: Vec<(u32, f64)> =
                self.receiver.drain(begin..).zip(self.bytes.drain(begin..)).collect();
            row.sort_by_key(|&(to, _)| to);
            for (to, bytes) in row {
                match self.bytes.last_mut() {
                    Some(last)
                        if self.receiver.len() > begin && self.receiver.last() == Some(&to) =>
                    {
                        *last += bytes;
                    }
                    _ => {
                        self.receiver.push(to);
                        self.bytes.push(bytes);
                    }
                }
            }
        }
        self.start.push(self.receiver.len());
    }

    fn traffic(mut self) -> Traffic {
        self.receiver.shrink_to_fit();
        self.bytes.shrink_to_fit();
        let (bytes, messages) = (Values::new(self.bytes), Values::Same(1.0));
        Traffic::from_rows(self.start, self.receiver, bytes, messages, None)
    }
}

/// The traffic of a square matrix of bytes, and perhaps one of messages.
pub fn of_table(bytes: &Table<'_>, messages: Option<&Table<'_>>) -> Result<Traffic, String> {
    let ranks = square("traffic", bytes.shape())?;
    if let Some(messages) = messages {
        let shape = messages.shape();
        if shape != bytes.shape() {
            return Err(format!(
                "messages: expected a matrix of {ranks} x {ranks} like the one of bytes, found {} x \
                 {}",
                shape.0, shape.1
            ));
        }
        return of_two_tables(ranks, bytes, messages);
    }
    let mut flows = 0;
    for from in 0..ranks {
        bytes.for_each_in_row(from, |to, value| {
            flows += usize::from(checked("traffic", from, to, value)? > 0.0);
            Ok::<(), String>(())
        })?;
    }
    let mut rows = Rows::new(ranks, flows)?;
    for from in 0..ranks {
        bytes.for_each_in_row(from, |to, value| {
            rows.push(to as u32, value);
            Ok::<(), String>(())
        })?;
        rows.end_row();
    }
    Ok(rows.traffic())
}

fn of_two_tables(ranks: usize, bytes: &Table<'_>, messages: &Table<'_>) -> Result<Traffic, String> {
    check_size(ranks, ranks * ranks, BYTES_OF_LOOSE_FLOW)?;
    let mut builder = TrafficBuilder::new(ranks as u32);
    for from in 0..ranks {
        let mut row = vec![0.0; ranks];
        bytes.for_each_in_row(from, |to, value| {
            row[to] = checked("traffic", from, to, value)?;
            Ok::<(), String>(())
        })?;
        messages.for_each_in_row(from, |to, value| {
            let value = checked("messages", from, to, value)?;
            if value > 0.0 || row[to] > 0.0 {
                builder.add(from as u32, to as u32, value, row[to]);
            }
            Ok::<(), String>(())
        })?;
    }
    Ok(builder.build())
}

/// The traffic of a sparse matrix in compressed rows.
pub fn of_compressed(
    start: &Line<'_>,
    receiver: &Line<'_>,
    bytes: &Line<'_>,
) -> Result<Traffic, String> {
    let ranks = start.len().checked_sub(1).ok_or("indptr: expected at least one number")?;
    let flows = receiver.len();
    if bytes.len() != flows {
        return Err(format!("data: expected {flows} numbers like indices, found {}", bytes.len()));
    }
    let mut rows = Rows::new(ranks, flows)?;
    let (start, receiver, bytes) = (start.reader(), receiver.reader(), bytes.reader());
    for from in 0..ranks {
        let (begin, end) = (start(from), start(from + 1));
        if !(0.0 <= begin && begin <= end && end <= flows as f64) {
            return Err(format!(
                "indptr: row {from} goes from {begin} to {end} of {flows} entries"
            ));
        }
        for flow in begin as usize..end as usize {
            let to = rank("indices", receiver(flow), ranks)?;
            rows.push(to, checked("traffic", from, to as usize, bytes(flow))?);
        }
        rows.end_row();
    }
    Ok(rows.traffic())
}

/// A builder that holds compressed rows of bytes and messages.
pub fn builder(
    start: &Line<'_>,
    receivers: &Line<'_>,
    bytes: &Line<'_>,
    messages: &Line<'_>,
) -> Result<TrafficBuilder, String> {
    let ranks = start.len().checked_sub(1).ok_or("indptr: expected at least one number")?;
    let flows = receivers.len();
    check_size(ranks, flows, BYTES_OF_LOOSE_FLOW)?;
    if bytes.len() != flows || messages.len() != flows {
        return Err(format!("bytes and messages: expected {flows} numbers like indices"));
    }
    let mut builder = TrafficBuilder::with_capacity(ranks as u32, flows);
    let (start, receivers) = (start.reader(), receivers.reader());
    let (bytes, messages) = (bytes.reader(), messages.reader());
    for from in 0..ranks {
        for flow in start(from) as usize..(start(from + 1) as usize).min(flows) {
            let to = rank("indices", receivers(flow), ranks)?;
            let size = checked("bytes", from, to as usize, bytes(flow))?;
            let count = checked("messages", from, to as usize, messages(flow))?;
            builder.add(from as u32, to, count, size);
        }
    }
    Ok(builder)
}

/// The traffic of a list of flows.
pub fn of_flows(
    ranks: Option<usize>,
    senders: &Line<'_>,
    receivers: &Line<'_>,
    bytes: &Line<'_>,
    messages: Option<&Line<'_>>,
) -> Result<Traffic, String> {
    let flows = senders.len();
    let lengths = [("receivers", receivers.len()), ("bytes", bytes.len())];
    let of_messages = messages.map(|messages| ("messages", messages.len()));
    for (name, length) in lengths.into_iter().chain(of_messages) {
        if length != flows {
            return Err(format!("{name}: expected {flows} numbers like senders, found {length}"));
        }
    }
    let ranks = match ranks {
        Some(ranks) => ranks,
        None => largest("senders", senders)?.max(largest("receivers", receivers)?),
    };
    check_size(ranks, flows, BYTES_OF_LOOSE_FLOW)?;
    let mut builder = TrafficBuilder::with_capacity(ranks as u32, flows);
    let (receivers, bytes) = (receivers.reader(), bytes.reader());
    let messages = messages.map(Line::reader);
    senders.for_each(|flow, from| {
        let from = rank("senders", from, ranks)?;
        let to = rank("receivers", receivers(flow), ranks)?;
        let bytes = checked("bytes", from as usize, to as usize, bytes(flow))?;
        let messages = match &messages {
            Some(messages) => checked("messages", from as usize, to as usize, messages(flow))?,
            None => f64::from(u8::from(bytes > 0.0)),
        };
        if bytes > 0.0 || messages > 0.0 {
            builder.add(from, to, messages, bytes);
        }
        Ok::<(), String>(())
    })?;
    Ok(builder.build())
}

fn check_size(ranks: usize, flows: usize, bytes_of_flow: u64) -> Result<(), String> {
    if u32::try_from(ranks).is_ok_and(|count| count < u32::MAX) {
        let bytes = ranks as u64 * BYTES_OF_RANK + flows as u64 * bytes_of_flow;
        let checked = budget::memory().check(&format!("traffic of {ranks} ranks"), bytes);
        return checked.map_err(|error| error.to_string());
    }
    Err(format!("traffic: {ranks} ranks are too many"))
}

fn square(name: &str, (rows, columns): (usize, usize)) -> Result<usize, String> {
    match rows == columns {
        true => Ok(rows),
        false => Err(format!("{name}: expected a square matrix, found {rows} x {columns}")),
    }
}

/// One more than the largest number.
fn largest(name: &str, line: &Line<'_>) -> Result<usize, String> {
    let mut largest = 0;
    line.for_each(|_, value| {
        largest = largest.max(rank(name, value, u32::MAX as usize)? as usize + 1);
        Ok::<(), String>(())
    })?;
    Ok(largest)
}

fn rank(name: &str, value: f64, ranks: usize) -> Result<u32, String> {
    match value >= 0.0 && value < ranks as f64 && value.fract() == 0.0 {
        true => Ok(value as u32),
        false if ranks == u32::MAX as usize => {
            Err(format!("{name}: expected the number of a rank, found {value}"))
        }
        false => {
            Err(format!("{name}: expected a rank from 0 to {}, found {value}", ranks as i64 - 1))
        }
    }
}

fn checked(name: &str, from: usize, to: usize, value: f64) -> Result<f64, String> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(format!(
            "{name}: expected numbers of at least 0, found {value} from rank {from} to rank {to}"
        )),
    }
}
