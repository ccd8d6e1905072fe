//! The rotations and reflections of a block, or the orders of its parts.

use super::hierarchy::{Level, Turns};

/// The maximum number of parts for which every order is tried.
const MOST_FOR_ALL_ORDERS: u32 = 4;

/// The maximum number of orders tried if there are more parts.
const MOST_ORDERS: usize = 512;

/// Where each place of a block goes, under every rotation and reflection that keeps its shape.
#[derive(Debug)]
pub struct Orientations {
    places: usize,
    /// Indexed by orientation, then place. The first orientation leaves everything where it is.
    turned: Vec<u32>,
}

impl Orientations {
    /// The orientations of the blocks of a level, on a machine of these lengths.
    pub fn of_level(level: &Level, machine: &[u32]) -> Orientations {
        match level.turns {
            Turns::Box => Orientations::of(&level.block, machine),
            Turns::Parts(parts) => {
                let places = level.block.iter().product::<u32>();
                Orientations::of_parts(parts.min(places), places)
            }
        }
    }

    /// The orders of equal parts of a block: all orders if there are few; otherwise those that go
    /// on in steps of equal size, from any first part.
    fn of_parts(parts: u32, places: u32) -> Orientations {
        let size = places / parts;
        let turned = part_orders(parts)
            .iter()
            .flat_map(|order| {
                let place = |place: u32| order[(place / size) as usize] * size + place % size;
                (0..places).map(place)
            })
            .collect();
        Orientations { places: places as usize, turned }
    }

    /// The orientations of a block of these lengths; places are numbered with the first dimension
    /// fastest. Dimensions may be swapped if they are equally long, in the block and in the
    /// `machine`.
    pub fn of(lengths: &[u32], machine: &[u32]) -> Orientations {
        let long: Vec<usize> = (0..lengths.len()).filter(|&at| lengths[at] > 1).collect();
        let mut orders = Vec::new();
        let alike = |a: usize, b: usize| lengths[a] == lengths[b] && machine[a] == machine[b];
        equal_orders(&alike, &long, &mut Vec::new(), &mut orders);
        let places = lengths.iter().product::<u32>() as usize;
        let mut turned = Vec::new();
        for order in &orders {
            for reflected in 0..1u32 << long.len() {
                for place in 0..places as u32 {
                    turned.push(turn(lengths, &long, order, reflected, place));
                }
            }
        }
        Orientations { places, turned }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.turned.len() / self.places
    }

    /// Where each place goes.
    #[inline]
    pub fn get(&self, orientation: u32) -> &[u32] {
        &self.turned[orientation as usize * self.places..][..self.places]
    }
}

/// Orders of parts: the place of each part. The first order leaves all where they are.
fn part_orders(parts: u32) -> Vec<Vec<u32>> {
    if parts <= MOST_FOR_ALL_ORDERS {
        let mut orders = vec![vec![]];
        for _ in 0..parts {
            orders = orders
                .into_iter()
                .flat_map(|order: Vec<u32>| {
                    let free = (0..parts).filter(|part| !order.contains(part)).collect::<Vec<_>>();
                    free.into_iter().map(move |part| [order.as_slice(), &[part]].concat())
                })
                .collect();
        }
        return orders;
    }
    let no_common_divisor = |step: &u32| {
        let (mut a, mut b) = (*step, parts);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    let steps = (1..parts).filter(no_common_divisor);
    let order = |step: u32, first: u32| -> Vec<u32> {
        let place =
            |part: u32| (u64::from(part) * u64::from(step) + u64::from(first)) % u64::from(parts);
        (0..parts).map(|part| place(part) as u32).collect()
    };
    steps
        .flat_map(|step| (0..parts).map(move |first| (step, first)))
        .take(MOST_ORDERS)
        .map(|(step, first)| order(step, first))
        .collect()
}

/// Every order of the long dimensions that only swaps those that are alike.
fn equal_orders(
    alike: &impl Fn(usize, usize) -> bool,
    long: &[usize],
    order: &mut Vec<usize>,
    orders: &mut Vec<Vec<usize>>,
) {
    let Some(&next) = long.get(order.len()) else { return orders.push(order.clone()) };
    for &dimension in long {
        if alike(dimension, next) && !order.contains(&dimension) {
            order.push(dimension);
            equal_orders(alike, long, order, orders);
            order.pop();
        }
    }
}

fn turn(lengths: &[u32], long: &[usize], order: &[usize], reflected: u32, mut place: u32) -> u32 {
    let mut coordinates = vec![0; lengths.len()];
    for (at, &length) in coordinates.iter_mut().zip(lengths) {
        *at = place % length;
        place /= length;
    }
    let mut moved = coordinates.clone();
    for (number, (&to, &from)) in long.iter().zip(order).enumerate() {
        let at = coordinates[from];
        moved[to] = if reflected >> number & 1 == 1 { lengths[to] - 1 - at } else { at };
    }
    let both = lengths.iter().zip(&moved).rev();
    both.fold(0, |place, (&length, &at)| place * length + at)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_cube_of_n_dimensions_has_two_to_the_n_times_n_factorial() {
        for (lengths, expected) in [
            (vec![2, 2], 8),
            (vec![2, 2, 2], 48),
            (vec![2, 2, 2, 2, 1], 384),
            (vec![4, 4], 8),
            (vec![4, 2], 4),
            (vec![1, 1], 1),
        ] {
            let orientations = Orientations::of(&lengths, &lengths);
            assert_eq!(orientations.len(), expected, "{lengths:?}");
            let different: HashSet<&[u32]> =
                (0..expected as u32).map(|number| orientations.get(number)).collect();
            assert_eq!(different.len(), expected);
            let places: u32 = lengths.iter().product();
            assert!(orientations.get(0).iter().copied().eq(0..places));
        }
    }

    #[test]
    fn parts_change_places_as_wholes() {
        // Three parts of two places: six orders. Seven parts of one: 6 steps from each of 7 first
        // parts.
        for (parts, places, expected) in [(3, 6, 6), (4, 4, 24), (7, 7, 42), (1, 5, 1), (6, 12, 12)]
        {
            let orientations = Orientations::of_parts(parts, places);
            assert_eq!(orientations.len(), expected, "{parts} parts");
            let different: HashSet<&[u32]> =
                (0..expected as u32).map(|number| orientations.get(number)).collect();
            assert_eq!(different.len(), expected);
            assert!(orientations.get(0).iter().copied().eq(0..places));
            let size = places / parts;
            for turned in different {
                let mut sorted = turned.to_vec();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..places));
                assert!(turned.iter().zip(0..).all(|(&to, from)| to % size == from % size));
            }
        }
    }

    #[test]
    fn neighbours_stay_neighbours() {
        let lengths = [3, 3, 2];
        let orientations = Orientations::of(&lengths, &lengths);
        let hops = |a: u32, b: u32| {
            let at = |place: u32| [place % 3, place / 3 % 3, place / 9];
            at(a).iter().zip(at(b)).map(|(a, b)| a.abs_diff(b)).sum::<u32>()
        };
        for number in 0..orientations.len() as u32 {
            let turned = orientations.get(number);
            for a in 0..18 {
                for b in 0..18 {
                    assert_eq!(hops(a, b), hops(turned[a as usize], turned[b as usize]));
                }
            }
        }
    }
}
