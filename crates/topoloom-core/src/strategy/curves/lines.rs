//! Row by row: sweep and scan.

/// Row by row, each row from its start: the order of the nodes' own numbers.
pub(super) fn sweep(lengths: &[u32]) -> Vec<u32> {
    (0..lengths.iter().product()).collect()
}

/// Row by row, forwards and backwards in turn, in every dimension: each step is one hop.
pub(super) fn scan(lengths: &[u32]) -> Vec<u32> {
    let volume: u32 = lengths.iter().product();
    (0..volume)
        .map(|position| {
            let mut node = 0;
            let mut stride = 1;
            let mut higher = position;
            for &length in lengths {
                let digit = higher % length;
                higher /= length;
                // A row is walked backwards when an odd number of rows came before it.
                let coordinate = if higher % 2 == 0 { digit } else { length - 1 - digit };
                node += coordinate * stride;
                stride *= length;
            }
            node
        })
        .collect()
}
