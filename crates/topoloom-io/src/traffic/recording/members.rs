//! Whether the members of a group can be ranks of the run.

use crate::text::fault::Fault;
use topoloom_core::traffic::Group;

/// Whether the members of a group are among this many ranks, each once.
pub fn check_group(group: &Group, ranks: u32) -> Result<(), Fault> {
    if group.size() == 0 {
        return Err(Fault::expected("at least 1 member", "0"));
    }
    match *group {
        Group::Strided { first, stride, size } => {
            if stride == 0 && size > 1 {
                return Err(Fault::Repeated(format!("rank {first} is a member twice")));
            }
            let last = u64::from(first) + u64::from(stride) * u64::from(size - 1);
            match last < u64::from(ranks) {
                true => Ok(()),
                false => Err(Fault::OutOfRange(format!(
                    "there is no rank {last}, only 0 to {}",
                    ranks - 1
                ))),
            }
        }
        Group::List(ref members) => {
            let mut sorted = members.to_vec();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Fault::Repeated(format!("rank {} is a member twice", pair[0])));
            }
            match sorted.last() {
                Some(&last) if last >= ranks => Err(no_rank(last, ranks)),
                _ => Ok(()),
            }
        }
    }
}

pub fn no_rank(rank: u32, ranks: u32) -> Fault {
    Fault::OutOfRange(format!("there is no rank {rank}, only 0 to {}", ranks - 1))
}
