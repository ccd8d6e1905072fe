//! Which edges are heavy: an additional broadcast or reduction must not hide the grid.

use crate::traffic::CommunicationGraph;

/// The heavy edges must carry this share of the bytes.
const LEAST_SHARE: f64 = 0.6;

/// The maximum number of thresholds tried.
const MOST: usize = 5;

/// Weights below which edges may be left out, in ascending order; the first leaves out none. Takes
/// O(edges).
pub(super) fn thresholds(graph: &CommunicationGraph) -> Vec<f64> {
    // By powers of two: the first 12 bits of a positive number are its exponent.
    let class = |weight: f64| (weight.to_bits() >> 52) as usize & 0x7ff;
    let mut bytes = vec![0.0; 0x800];
    let mut lightest = vec![f64::INFINITY; 0x800];
    let mut total = 0.0;
    for (_, _, weight) in graph.pairs() {
        let class = class(weight);
        bytes[class] += weight;
        lightest[class] = weight.min(lightest[class]);
        total += weight;
    }
    let mut carried = total;
    let mut thresholds = Vec::new();
    for class in 0..bytes.len() {
        if bytes[class] > 0.0 {
            if carried < LEAST_SHARE * total || thresholds.len() == MOST {
                break;
            }
            thresholds.push(lightest[class]);
            carried -= bytes[class];
        }
    }
    thresholds
}
