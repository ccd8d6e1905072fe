//! Curves by the bits of the coordinates: Z-order and Gray.
//!
//! If lengths are not powers of two, the walk goes through the next larger box of powers of two,
//! and nodes outside are left out.

/// Z-order (Morton): nodes ordered by their interleaved coordinates, with the first dimension
/// lowest.
pub(super) fn peano(lengths: &[u32]) -> Vec<u32> {
    nodes_by_key(lengths, |code| code)
}

/// The order in which the interleaved coordinates run through the reflected Gray code.
pub(super) fn gray(lengths: &[u32]) -> Vec<u32> {
    nodes_by_key(lengths, position_in_gray_code)
}

/// The number whose Gray code is `code`: each bit is the parity of the bits from there up.
fn position_in_gray_code(code: u64) -> u64 {
    let mut position = code;
    for shift in [1, 2, 4, 8, 16, 32] {
        position ^= position >> shift;
    }
    position
}

fn nodes_by_key(lengths: &[u32], key: fn(u64) -> u64) -> Vec<u32> {
    let bits: Vec<u32> = lengths.iter().map(|&length| length.next_power_of_two().ilog2()).collect();
    let volume: u32 = lengths.iter().product();
    let mut coordinates = vec![0u32; lengths.len()];
    let mut keyed = Vec::with_capacity(volume as usize);
    for node in 0..volume {
        keyed.push((key(interleave(&coordinates, &bits)), node));
        for (coordinate, &length) in coordinates.iter_mut().zip(lengths) {
            *coordinate += 1;
            if *coordinate < length {
                break;
            }
            *coordinate = 0;
        }
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, node)| node).collect()
}

/// From the highest bits of all dimensions to the lowest; a dimension without that bit is left out,
/// so the code has exactly as many bits as the box needs.
fn interleave(coordinates: &[u32], bits: &[u32]) -> u64 {
    let mut code = 0;
    for level in (0..bits.iter().copied().max().unwrap_or(0)).rev() {
        for (&coordinate, &bits) in coordinates.iter().zip(bits).rev() {
            if level < bits {
                code = code << 1 | u64::from(coordinate >> level & 1);
            }
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_eight_steps_of_z_order_draw_two_letters_z() {
        // On 4x2 (node = x + 4y): (0,0) (1,0) (0,1) (1,1), then the same two to the right.
        assert_eq!(peano(&[4, 2]), [0, 1, 4, 5, 2, 3, 6, 7]);
    }

    #[test]
    fn gray_changes_one_bit_of_one_coordinate_at_each_step() {
        // Codes 00 01 11 10 on 2x2: (0,0) (1,0) (1,1) (0,1).
        assert_eq!(gray(&[2, 2]), [0, 1, 3, 2]);
    }
}
