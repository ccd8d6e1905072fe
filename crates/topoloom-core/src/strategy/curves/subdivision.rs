//! How a box is cut into sub-boxes that a walk of unit steps can cross.
//!
//! Corners and parts are bit masks, with one bit per axis: 0 is the side where the walk of the
//! whole box starts (near), 1 the other (far).

/// More dimensions than any box that has a length above 2.
pub(super) const MAX_DIMENSIONS: usize = 6;

/// The lengths of a box; 1 for axes it does not have.
pub(super) type Lengths = [u32; MAX_DIMENSIONS];

/// One sub-box of the walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Which sub-box: near or far along each axis.
    pub part: u32,
    /// The corner of the sub-box where its walk begins.
    pub entry: u32,
    /// The axis it is crossed along.
    pub axis: usize,
}

/// Where a box is cut and how its parts are walked.
#[derive(Debug)]
pub(super) struct Subdivision {
    /// The length of the near part of each axis; the whole length if there is no cut.
    pub near_lengths: Lengths,
    /// The parts in the order of the walk.
    pub steps: Vec<Step>,
}

/// Finds cuts and a walk from the near corner to the corner across `axis`; `None` if there are
/// none.
pub(super) fn plan(lengths: &Lengths, axis: usize) -> Option<Subdivision> {
    if !is_crossable(lengths, axis) {
        return None;
    }
    axes_to_cut(lengths, axis).into_iter().find_map(|cut_axes| {
        let choices: Vec<Vec<u32>> =
            cut_axes.iter().map(|&cut| near_length_choices(lengths[cut])).collect();
        let mut chosen = vec![0; cut_axes.len()];
        loop {
            let mut near_lengths = *lengths;
            for (position, &cut) in cut_axes.iter().enumerate() {
                near_lengths[cut] = choices[position][chosen[position]];
            }
            if let Some(steps) = walk_of_parts(lengths, &near_lengths, &cut_axes) {
                return Some(Subdivision { near_lengths, steps });
            }
            let next = (0..chosen.len()).find(|&at| chosen[at] + 1 < choices[at].len())?;
            chosen[next] += 1;
            chosen[..next].fill(0);
        }
    })
}

/// Whether a walk of unit steps can exist. Colour the nodes like a chess board: a walk through
/// an even number of nodes ends on the other colour, through an odd number on the same.
fn is_crossable(lengths: &Lengths, axis: usize) -> bool {
    let single = lengths.iter().all(|&length| length == 1);
    let odd = lengths.iter().all(|&length| length % 2 == 1);
    single || (lengths[axis] >= 2 && (lengths[axis].is_multiple_of(2) || odd))
}

/// Sets of axes to cut, best first; `axis` comes last in each. Long axes are cut, short ones only
/// once the others are equally short.
fn axes_to_cut(lengths: &Lengths, axis: usize) -> Vec<Vec<usize>> {
    let others: Vec<usize> = (1..MAX_DIMENSIONS)
        .map(|turn| (axis + turn) % MAX_DIMENSIONS)
        .filter(|&other| lengths[other] > 1)
        .collect();
    let longest = *lengths.iter().max().expect("a box has axes");
    let long = others.iter().copied().filter(|&other| 2 * lengths[other] > longest);
    let with_axis = |axes: &mut dyn Iterator<Item = usize>| axes.chain([axis]).collect::<Vec<_>>();
    let mut sets = vec![with_axis(&mut long.clone())];
    // The larger sets first: they keep parts compact.
    let mut subsets: Vec<u32> = (0..1 << others.len()).collect();
    subsets.sort_by_key(|subset| std::cmp::Reverse(subset.count_ones()));
    sets.extend(subsets.into_iter().map(|subset| {
        let chosen = (0..others.len()).filter(|&at| subset >> at & 1 == 1).map(|at| others[at]);
        with_axis(&mut chosen.into_iter())
    }));
    sets
}

/// Lengths of the near part, best first: even ones, then odd ones, each from the middle outwards.
/// The extremes matter for odd boxes; the lengths between would only cost time.
fn near_length_choices(length: u32) -> Vec<u32> {
    let half = length / 2;
    let near_middle = half.saturating_sub(2)..=half + 2;
    let mut choices: Vec<u32> = near_middle
        .chain([1, 2, length - 2, length - 1])
        .filter(|near| (1..length).contains(near))
        .collect();
    choices.sort_by_key(|&near| (near % 2, (2 * near).abs_diff(length), near));
    choices.dedup();
    choices
}

/// Visits the parts in the order of the reflected Gray code; for each, finds an entry corner and an
/// axis to cross it along. Each exit must touch the next entry.
fn walk_of_parts(lengths: &Lengths, near: &Lengths, cut_axes: &[usize]) -> Option<Vec<Step>> {
    let last = (1usize << cut_axes.len()) - 1;
    let part_of = |number: usize| {
        let code = number ^ (number >> 1);
        cut_axes
            .iter()
            .enumerate()
            .filter(|(bit, _)| code >> bit & 1 == 1)
            .fold(0u32, |part, (_, &axis)| part | 1 << axis)
    };
    let parts: Vec<Part> =
        (0..=last).map(|number| Part::new(lengths, near, part_of(number))).collect();
    let goal = 1u32 << cut_axes.last().expect("the crossed axis is cut");

    // From the back: the entry corners of a part from which the rest can be walked.
    let corners = 1usize << MAX_DIMENSIONS;
    let mut can_finish = vec![vec![false; corners]; last + 1];
    for number in (0..=last).rev() {
        for entry in 0..corners as u32 {
            can_finish[number][entry as usize] = (0..MAX_DIMENSIONS)
                .any(|axis| leads_on(&parts, &can_finish, number, entry, axis, goal));
        }
    }
    let mut entry = parts[0].corner(0);
    if !can_finish[0][entry as usize] {
        return None;
    }
    let mut steps = Vec::with_capacity(last + 1);
    for number in 0..=last {
        let preferred = butz_axis(number, cut_axes);
        let axis = std::iter::once(preferred)
            .chain(0..MAX_DIMENSIONS)
            .find(|&axis| leads_on(&parts, &can_finish, number, entry, axis, goal))
            .expect("the entry can finish");
        steps.push(Step { part: parts[number].part, entry, axis });
        if number < last {
            entry = parts[number].next_entry(entry, axis, &parts[number + 1])?;
        }
    }
    Some(steps)
}

/// Whether crossing part `number` along `axis` from `entry` allows the rest of the walk.
fn leads_on(
    parts: &[Part],
    can_finish: &[Vec<bool>],
    number: usize,
    entry: u32,
    axis: usize,
    goal: u32,
) -> bool {
    let part = &parts[number];
    if !is_crossable(&part.lengths, axis) || part.corner(entry) != entry {
        return false;
    }
    match parts.get(number + 1) {
        None => part.exit(entry, axis) == part.corner(goal),
        Some(next) => part
            .next_entry(entry, axis, next)
            .is_some_and(|entry| can_finish[number + 1][entry as usize]),
    }
}

/// The axis along which the curve of Butz crosses its sub-cube with this number.
fn butz_axis(number: usize, cut_axes: &[usize]) -> usize {
    let trailing_ones = |value: usize| (value.trailing_ones() as usize) % cut_axes.len();
    cut_axes[match number {
        0 => 0,
        _ if number.is_multiple_of(2) => trailing_ones(number - 1),
        _ => trailing_ones(number),
    }]
}

/// A sub-box.
struct Part {
    part: u32,
    lengths: Lengths,
    /// The axes along which it is longer than one node.
    extended: u32,
}

impl Part {
    fn new(lengths: &Lengths, near: &Lengths, part: u32) -> Part {
        let mut part_lengths = *near;
        for axis in 0..MAX_DIMENSIONS {
            if part >> axis & 1 == 1 {
                part_lengths[axis] = lengths[axis] - near[axis];
            }
        }
        let extended = (0..MAX_DIMENSIONS)
            .filter(|&axis| part_lengths[axis] > 1)
            .fold(0, |mask, axis| mask | 1 << axis);
        Part { part, lengths: part_lengths, extended }
    }

    /// A corner, without the axes along which both sides coincide.
    fn corner(&self, corner: u32) -> u32 {
        corner & self.extended
    }

    fn exit(&self, entry: u32, axis: usize) -> u32 {
        self.corner(entry ^ 1 << axis)
    }

    /// The corner of `next` that the exit touches, if any.
    fn next_entry(&self, entry: u32, axis: usize, next: &Part) -> Option<u32> {
        let exit = self.exit(entry, axis);
        let across = self.part ^ next.part;
        let towards = next.part & across;
        let touches = self.extended & across == 0 || exit & across == towards;
        // The far side of a near part meets the near side of the far part.
        touches.then(|| next.corner((exit & !across) | (across & !towards)))
    }
}
