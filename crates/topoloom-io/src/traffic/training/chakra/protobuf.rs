//! Chakra's files of one rank: a message about the file, then one for each node, each preceded by
//! its length.

use super::node::{Node, RankNodes};
use super::wire::{Value, Wire};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;

/// Whether a file begins with a message that has a version, or an attribute with a name.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let mut wire = Wire::new(bytes);
    let Ok(length) = wire.number() else { return false };
    let about = wire.bytes();
    let about = &about[..about.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
    match Wire::new(about).field() {
        Ok(Some((1, Value::Part(version)))) => {
            let is_version = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
            version.bytes().contains(&b'.') && version.bytes().iter().all(is_version)
        }
        Ok(Some((2, Value::Part(mut attribute)))) => {
            let is_name = |name: Wire<'_>| {
                name.bytes().iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_')
            };
            matches!(attribute.field(), Ok(Some((1, Value::Part(name)))) if !name.is_empty() && is_name(name))
        }
        _ => false,
    }
}

/// What the file of a rank says.
pub(super) fn read(source: &Source<'_>) -> Result<RankNodes, ReadError> {
    nodes(source.bytes()).map_err(|fault| source.error(fault))
}

fn nodes(bytes: &[u8]) -> Result<RankNodes, Fault> {
    let mut wire = Wire::new(bytes);
    about(wire.part()?)?;
    let mut nodes = RankNodes::default();
    while !wire.is_empty() {
        let begin = wire;
        let node = node(wire.part()?)?;
        nodes.add(&node).map_err(|fault| begin.fault(fault))?;
    }
    Ok(nodes)
}

/// Checks the message about the file.
fn about(mut message: Wire<'_>) -> Result<(), Fault> {
    let begin = message;
    while let Some((number, value)) = message.field()? {
        let Value::Part(part) = value else {
            return Err(begin.fault(not_chakra()));
        };
        match number {
            1 => drop(part.text()?),
            2 => drop(attribute(part)?),
            _ => return Err(begin.fault(not_chakra())),
        }
    }
    Ok(())
}

fn not_chakra() -> Fault {
    Fault::wanted("the version and the attributes of a Chakra file")
}

fn node(mut message: Wire<'_>) -> Result<Node, Fault> {
    let mut node = Node::default();
    while let Some((number, value)) = message.field()? {
        match (number, value) {
            (2, Value::Part(name)) => node.name = name.text()?.to_string(),
            (3, Value::Number(kind)) => node.kind = kind,
            (8, Value::Part(mut inputs)) => {
                while let Some((number, value)) = inputs.field()? {
                    if let (1, Value::Part(values)) = (number, value) {
                        node.inputs.push(values.text()?.to_string());
                    }
                }
            }
            (10, Value::Part(part)) => {
                let (name, content) = attribute(part)?;
                set(&mut node, name, content);
            }
            // Other fields do not matter here.
            _ => {}
        }
    }
    Ok(node)
}

/// What an attribute is.
enum Content<'a> {
    Number(i64),
    Text(&'a str),
    Truths(Vec<bool>),
    Other,
}

fn set(node: &mut Node, name: &str, content: Content<'_>) {
    match (name, content) {
        ("comm_type", Content::Number(number)) => node.comm_type = Some(number),
        ("comm_size", Content::Number(number)) => node.comm_size = Some(number),
        ("comm_src", Content::Number(number)) => node.comm_src = Some(number),
        ("comm_dst", Content::Number(number)) => node.comm_dst = Some(number),
        ("is_cpu_op", Content::Number(number)) => node.is_cpu_op = number != 0,
        ("pg_name" | "comm_group", Content::Text(text)) => node.group = Some(text.to_string()),
        ("pg_name" | "comm_group", Content::Number(number)) => {
            node.group = Some(number.to_string());
        }
        ("involved_dim", Content::Truths(list)) => node.involved_dim = Some(list),
        _ => {}
    }
}

/// The name and the content of an attribute.
fn attribute(mut message: Wire<'_>) -> Result<(&str, Content<'_>), Fault> {
    let (mut name, mut content) = ("", Content::Other);
    while let Some((number, value)) = message.field()? {
        match (number, value) {
            (1, Value::Part(part)) => name = part.text()?,
            // Numbers of 32 and 64 bits, with and without a sign, and truth values.
            (7 | 9 | 11 | 13 | 27, Value::Number(number)) => {
                content = Content::Number(number as i64);
            }
            // Numbers whose sign is the lowest bit.
            (15 | 17, Value::Number(number)) => {
                content = Content::Number((number >> 1) as i64 ^ -((number & 1) as i64));
            }
            (19 | 21 | 25, Value::Fixed(bits)) => content = Content::Number(bits as i64),
            (23, Value::Fixed(bits)) => content = Content::Number(i64::from(bits as u32 as i32)),
            (28, Value::Part(list)) => content = Content::Truths(truths(list)?),
            (29, Value::Part(text)) => content = Content::Text(text.text()?),
            _ => {}
        }
    }
    Ok((name, content))
}

/// The values of a list of truth values, packed or one by one.
fn truths(mut list: Wire<'_>) -> Result<Vec<bool>, Fault> {
    let mut truths = Vec::new();
    while let Some((number, value)) = list.field()? {
        match (number, value) {
            (1, Value::Number(number)) => truths.push(number != 0),
            (1, Value::Part(mut packed)) => {
                while !packed.is_empty() {
                    truths.push(packed.number()? != 0);
                }
            }
            _ => {}
        }
    }
    Ok(truths)
}
