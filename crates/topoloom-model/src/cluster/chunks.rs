//! The places of a host in equal shares: a number of cores for each rank, close to each other.

use super::{Object, ObjectKind};

/// A part of a host with the shares in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPart {
    /// What it is.
    pub kind: ObjectKind,
    /// Parts with shares in them, in the order of the hardware.
    pub parts: Vec<SharedPart>,
    /// The CPUs of the shares that no smaller part holds.
    pub own: Vec<Vec<u32>>,
}

impl SharedPart {
    /// How many shares there are.
    pub fn count(&self) -> usize {
        self.own.len() + self.parts.iter().map(SharedPart::count).sum::<usize>()
    }

    /// The CPUs of all shares, in the order of the hardware.
    pub fn all(&self) -> Vec<Vec<u32>> {
        let inner = self.parts.iter().flat_map(SharedPart::all);
        inner.chain(self.own.iter().cloned()).collect()
    }
}

/// Shares out the first `room` places of the kind `place`, `size` of them to each share. A share is
/// in the smallest part that has enough places left. Places that are left over in the end belong to
/// no share.
pub fn share_out(node: &Object, place: ObjectKind, size: usize, room: usize) -> SharedPart {
    let mut room = room;
    shared(node, place, size.max(1), &mut room).0
}

/// The part with its shares, and the places that are left over in it.
fn shared(
    object: &Object,
    place: ObjectKind,
    size: usize,
    room: &mut usize,
) -> (SharedPart, Vec<Vec<u32>>) {
    let mut part = SharedPart { kind: object.kind, parts: Vec::new(), own: Vec::new() };
    let mut left = Vec::new();
    if object.kind == place {
        if *room > 0 {
            *room -= 1;
            left.push(object.cpus());
        }
    } else {
        for child in &object.children {
            let (inner, more) = shared(child, place, size, room);
            if inner.count() > 0 {
                part.parts.push(inner);
            }
            left.extend(more);
        }
    }
    while left.len() >= size {
        let rest = left.split_off(size);
        let mut cpus = left.concat();
        cpus.sort_unstable();
        part.own.push(cpus);
        left = rest;
    }
    (part, left)
}
