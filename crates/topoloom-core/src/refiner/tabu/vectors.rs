//! Sums and minima of many numbers at once, which compilers turn into vector instructions. All is
//! inlined, because only inlined code is compiled for the processor that `pulp` has found.

/// Numbers that are taken at once.
pub(super) const LANES: usize = 8;

#[inline(always)]
pub(super) fn lower(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The least of numbers; infinity if there are none.
#[inline(always)]
pub(super) fn least_of(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [f64::INFINITY; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = lower(lanes[lane], chunk[lane]);
        }
    }
    rest.iter().fold(least_of_lanes(&lanes), |least, &number| lower(least, number))
}

/// The least of eight numbers. Halves are compared: in a chain, each comparison would have to wait
/// for the one before it.
#[inline(always)]
pub(super) fn least_of_lanes(lanes: &[f64; LANES]) -> f64 {
    let &[a, b, c, d, e, f, g, h] = lanes;
    let four = [lower(a, e), lower(b, f), lower(c, g), lower(d, h)];
    lower(lower(four[0], four[2]), lower(four[1], four[3]))
}

/// Adds `factor` times each addend.
#[inline(always)]
pub(super) fn add_multiples(sums: &mut [f64], factor: f64, addends: &[f64]) {
    for (sum, addend) in sums.iter_mut().zip(addends) {
        *sum += factor * addend;
    }
}

/// Adds `(pull - pulls[k]) * (approaches[k] - approach)` to each delta `k`.
#[inline(always)]
pub(super) fn add_products(
    deltas: &mut [f64],
    (pull, pulls): (f64, &[f64]),
    (approach, approaches): (f64, &[f64]),
) {
    let count = deltas.len();
    let (pulls, approaches) = (&pulls[..count], &approaches[..count]);
    for k in 0..count {
        deltas[k] += (pull - pulls[k]) * (approaches[k] - approach);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_found_in_every_place() {
        for count in 0..40 {
            for place in 0..count {
                let numbers: Vec<f64> =
                    (0..count).map(|at| if at == place { -1.0 } else { at as f64 }).collect();
                assert_eq!(least_of(&numbers), -1.0, "place {place} of {count}");
            }
        }
        assert_eq!(least_of(&[]), f64::INFINITY);
    }
}
