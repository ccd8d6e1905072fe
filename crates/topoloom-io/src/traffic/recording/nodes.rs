//! The hosts' own descriptions. The texts of a cluster's hosts are nearly the same, and so are the
//! lines of each. Repeated text is replaced by a reference to its earlier place.

use std::collections::HashMap;

use super::encoding::{Payload, PayloadWriter};
use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// All texts together in one recording: a small file must not use up all memory.
pub const MOST_BYTES: usize = 1 << 28;

/// A repetition has at least this many bytes: a reference takes about three.
const LEAST_REPEATED: usize = 8;

pub fn check(nodes: &[String], hosts: usize) -> Result<(), Fault> {
    if nodes.is_empty() {
        return Ok(());
    }
    if nodes.len() != hosts {
        return Err(Fault::expected(
            format!("descriptions of {hosts}", hosts = counted(hosts, "host")),
            nodes.len(),
        ));
    }
    match nodes.iter().map(String::len).sum::<usize>() > MOST_BYTES {
        true => Err(too_many()),
        false => Ok(()),
    }
}

fn too_many() -> Fault {
    Fault::TooLarge(format!("the descriptions of all hosts have more than {MOST_BYTES} bytes"))
}

pub fn write(nodes: &[String]) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    nodes.iter().for_each(|node| payload.count(node.len()));
    write_bytes(nodes.concat().as_bytes(), &mut payload);
    payload
}

/// New bytes and references to earlier bytes, in turn.
fn write_bytes(bytes: &[u8], payload: &mut PayloadWriter) {
    // The last place of these bytes.
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(here) = bytes.get(at..at + LEAST_REPEATED) {
        let Some(before) = seen.insert(here, at) else {
            at += 1;
            continue;
        };
        let equal = bytes[before..at].iter().zip(&bytes[at..]).take_while(|(a, b)| a == b).count();
        if equal < LEAST_REPEATED {
            at += 1;
            continue;
        }
        payload.part(&bytes[plain..at]);
        payload.count(equal);
        payload.count(at - before);
        // Some places in it are enough to find the next repetition.
        for inside in (at + 1..at + equal).rev().take(INSIDE) {
            if let Some(here) = bytes.get(inside..inside + LEAST_REPEATED) {
                seen.insert(here, inside);
            }
        }
        at += equal;
        plain = at;
    }
    if plain < bytes.len() {
        payload.part(&bytes[plain..]);
    }
}

/// How many places at the end of a repetition are remembered.
const INSIDE: usize = 64;

pub fn read(payload: &mut Payload<'_>, hosts: usize) -> Result<Vec<String>, Fault> {
    let mut lengths = Vec::new();
    let mut all = 0_usize;
    for _ in 0..hosts {
        let length = payload.number()?;
        all = usize::try_from(length)
            .ok()
            .and_then(|length| all.checked_add(length))
            .filter(|&all| all <= MOST_BYTES)
            .ok_or_else(|| payload.error(too_many()))?;
        lengths.push(length as usize);
    }
    let bytes = read_bytes(payload, all)?;
    let mut rest = &bytes[..];
    let mut nodes = Vec::with_capacity(hosts);
    for length in lengths {
        let (node, behind) = rest.split_at(length);
        let text = str::from_utf8(node)
            .map_err(|_| payload.error(Fault::Malformed("text that is not UTF-8".into())))?;
        nodes.push(text.to_string());
        rest = behind;
    }
    Ok(nodes)
}

fn read_bytes(payload: &mut Payload<'_>, length: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let left = length - bytes.len();
        let plain = payload.bytes()?;
        if plain.len() > left {
            return Err(payload.error(Fault::expected(
                format!("up to {left}", left = counted(left, "byte")),
                plain.len(),
            )));
        }
        bytes.extend_from_slice(plain);
        let left = length - bytes.len();
        if left == 0 {
            break;
        }
        let (repeated, back) = (payload.number()?, payload.number()?);
        if repeated == 0 || repeated > left as u64 {
            return Err(
                payload.error(Fault::expected(format!("1 to {left} repeated bytes"), repeated))
            );
        }
        if back < repeated || back > bytes.len() as u64 {
            return Err(payload.error(Fault::expected(
                format!("{repeated} repeated bytes {repeated} to {} bytes back", bytes.len()),
                back,
            )));
        }
        let from = bytes.len() - back as usize;
        bytes.extend_from_within(from..from + repeated as usize);
    }
    Ok(bytes)
}
