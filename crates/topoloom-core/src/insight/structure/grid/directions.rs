//! Directions on a box as numbers: one digit per axis, 1 up and 2 down.

/// The digits of a direction, axis by axis.
pub(super) fn digits(mut direction: usize, axes: usize) -> Vec<usize> {
    let mut digits = vec![0; axes];
    for digit in digits.iter_mut().rev() {
        *digit = direction % 3;
        direction /= 3;
    }
    digits
}

/// The opposite direction.
pub(super) fn opposite(direction: usize, axes: usize) -> usize {
    let reversed = digits(direction, axes).into_iter().map(|digit| (3 - digit) % 3);
    reversed.fold(0, |number, digit| 3 * number + digit)
}

/// The directions up along the axes, axis by axis.
pub(super) fn straight(axes: usize) -> Vec<usize> {
    (0..axes).rev().map(|axis| 3usize.pow(axis as u32)).collect()
}

/// How many axes a direction goes along.
pub(super) fn steps(direction: usize, axes: usize) -> usize {
    digits(direction, axes).iter().filter(|&&digit| digit > 0).count()
}
