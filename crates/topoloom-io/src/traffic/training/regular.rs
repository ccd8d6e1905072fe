//! The other groups of a kind, if one of them is known and all are made by the same axes.
//!
//! Layouts number ranks along axes, such as tensors, data and stages. A group is then all ranks that
//! differ in some of the axes. Its members show the strides and sizes of these axes, and what is
//! between them are the other axes, along which the groups are repeated.

/// An axis: how far apart neighbours are, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    stride: u64,
    size: u64,
}

/// All groups of a kind, by rising first members. None unless the known ones have the same form,
/// follow from axes, and tile the world.
pub(super) fn all_groups(known: &[&[u32]], world: u32) -> Option<Vec<Vec<u32>>> {
    let offsets = offsets(known.first()?)?;
    let mut sorted = offsets.clone();
    sorted.sort_unstable();
    let axes = axes(&sorted)?;
    let firsts = firsts(&axes, world)?;
    for group in known {
        let first = *group.iter().min()?;
        if self::offsets(group)? != offsets || firsts.binary_search(&first).is_err() {
            return None;
        }
    }
    // Every group has its offsets, so the sum of all groups is the world.
    let group = |&first: &u32| offsets.iter().map(|offset| first + offset).collect();
    Some(firsts.iter().map(group).collect())
}

/// The members relative to the smallest, in their order.
fn offsets(group: &[u32]) -> Option<Vec<u32>> {
    let first = *group.iter().min()?;
    Some(group.iter().map(|member| member - first).collect())
}

/// The axes of a group whose sorted members are at these offsets, the smallest stride first.
fn axes(sorted: &[u32]) -> Option<Vec<Axis>> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut left = sorted.to_vec();
    while left.len() > 1 {
        let stride = left[1];
        // Equal members have no axes.
        if stride == 0 {
            return None;
        }
        let on_line = |&(place, &offset): &(usize, &u32)| {
            u64::from(stride) * place as u64 == u64::from(offset)
        };
        let size = left.iter().enumerate().take_while(on_line).count();
        let (line, blocks) = (left[..size].to_vec(), left.chunks_exact(size));
        let repeats = |block: &[u32]| {
            block.iter().zip(&line).all(|(offset, on_line)| offset - block[0] == *on_line)
        };
        if !left.len().is_multiple_of(size) || !blocks.clone().all(repeats) {
            return None;
        }
        let axis = Axis { stride: u64::from(stride), size: size as u64 };
        if let Some(before) = axes.last()
            && !axis.stride.is_multiple_of(before.stride * before.size)
        {
            return None;
        }
        axes.push(axis);
        left = blocks.map(|block| block[0]).collect();
    }
    Some(axes)
}

/// The smallest members of all groups, rising.
fn firsts(axes: &[Axis], world: u32) -> Option<Vec<u32>> {
    // What is between the axes of a group, and beyond the last.
    let mut others: Vec<Axis> = Vec::new();
    let mut done = 1;
    for axis in axes {
        others.push(Axis { stride: done, size: axis.stride / done });
        done = axis.stride.checked_mul(axis.size)?;
    }
    if !u64::from(world).is_multiple_of(done) {
        return None;
    }
    others.push(Axis { stride: done, size: u64::from(world) / done });
    let mut firsts: Vec<u32> = vec![0];
    for axis in others {
        let shifted = |number: u64| {
            let by = (number * axis.stride) as u32;
            firsts.iter().map(move |first| first + by).collect::<Vec<u32>>()
        };
        firsts = (0..axis.size).flat_map(shifted).collect();
    }
    Some(firsts)
}

/// How many ranks a group has and how far they are apart, for messages.
pub(super) fn form(group: &[u32]) -> String {
    let strides = group.windows(2).map(|pair| pair[1].checked_sub(pair[0]));
    let mut strides = strides.collect::<Vec<_>>();
    strides.dedup();
    match strides[..] {
        [Some(stride)] => format!("{} ranks with a stride of {stride}", group.len()),
        _ => topoloom_core::words::counted(group.len(), "rank"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_from_one_of_them() {
        // World 16, tp 4, dp 2, pp 2, tensors fastest, then data.
        let tp = all_groups(&[&[4, 5, 6, 7]], 16).unwrap();
        assert_eq!(tp[..], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]);
        let dp = all_groups(&[&[9, 13]], 16).unwrap();
        assert_eq!(dp[..4], [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!((dp.len(), &dp[4]), (8, &vec![8, 12]));
        assert_eq!(all_groups(&[&[3, 11]], 16).unwrap().len(), 8);
    }

    #[test]
    fn groups_over_several_axes_follow_too() {
        // Data and sequences together, with stages of 4 ranks between them.
        let groups = all_groups(&[&[1, 3, 9, 11]], 16).unwrap();
        let expected = [[0, 2, 8, 10], [1, 3, 9, 11], [4, 6, 12, 14], [5, 7, 13, 15]];
        assert_eq!(groups[..], expected);
    }

    #[test]
    fn members_keep_the_order_of_the_group() {
        assert_eq!(all_groups(&[&[1, 0]], 4).unwrap(), [[1, 0], [3, 2]]);
    }

    #[test]
    fn every_rank_is_in_one_group() {
        for (group, world) in [(&[0, 6][..], 24), (&[2, 5, 14, 17], 24), (&[7], 8)] {
            let mut ranks = all_groups(&[group], world).unwrap().concat();
            ranks.sort_unstable();
            assert_eq!(ranks, (0..world).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_does_not_tile_the_world_is_not_derived() {
        assert_eq!(all_groups(&[&[0, 12]], 16), None, "first and last of four stages");
        assert_eq!(all_groups(&[&[0, 1, 3]], 6), None);
        assert_eq!(all_groups(&[&[1, 2]], 4), None, "would begin at 0 and 2");
        assert_eq!(all_groups(&[&[0, 1], &[2, 4]], 8), None);
        assert_eq!(all_groups(&[&[0, 0]], 8), None);
        assert_eq!(all_groups(&[&[]], 8), None);
    }
}
