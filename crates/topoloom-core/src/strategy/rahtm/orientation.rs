//! The rotations and reflections of a block.

/// Where each place of a block goes, under every rotation and reflection that keeps its shape.
#[derive(Debug)]
pub struct Orientations {
    places: usize,
    /// By orientation, then place. The first orientation leaves everything where it is.
    turned: Vec<u32>,
}

impl Orientations {
    /// Those of a block of these lengths; places are numbered first dimension fastest. Dimensions
    /// change places if they are equally long, in the block and in the `machine`.
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

/// Every order of the long dimensions that puts alike ones in each other's place.
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
