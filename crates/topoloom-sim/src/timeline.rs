//! How a quantity changed over time, in a fixed number of bins that grow wider as time goes on.

/// The number of bins of a timeline.
const BINS: usize = 64;

/// What was used in each bin of time, for any number of rows (links, or a single thing).
#[derive(Debug, Clone)]
pub struct Timeline {
    /// Ticks of a bin: a power of two, so a shift finds the bin of a time.
    log2_bin: u32,
    /// Where the bins of a row begin; rows without bins have none.
    begins: Vec<u32>,
    bins: Vec<[f32; BINS]>,
}

const NO_BINS: u32 = u32::MAX;

impl Timeline {
    pub(crate) fn new(rows: usize) -> Timeline {
        Timeline { log2_bin: 4, begins: vec![NO_BINS; rows], bins: Vec::new() }
    }

    /// The ticks of a bin.
    pub fn bin_ticks(&self) -> u64 {
        1 << self.log2_bin
    }

    /// The bins that `ticks` fill.
    pub fn num_bins(&self, ticks: u64) -> usize {
        (ticks.div_ceil(self.bin_ticks()) as usize).clamp(1, BINS)
    }

    /// The bins of a row, up to `ticks`.
    pub fn row(&self, row: usize, ticks: u64) -> &[f32] {
        let used = self.num_bins(ticks);
        match self.begins[row] {
            NO_BINS => &[0.0; BINS][..used],
            begin => &self.bins[begin as usize][..used],
        }
    }

    /// Adds `height` for every tick from `from` to `to`.
    #[inline]
    pub(crate) fn add(&mut self, row: usize, from: u64, to: u64, height: f64) {
        if to <= from {
            return;
        }
        while (to - 1) >> self.log2_bin >= BINS as u64 {
            self.widen();
        }
        let (first, last) = (from >> self.log2_bin, (to - 1) >> self.log2_bin);
        let begin = &mut self.begins[row];
        if *begin == NO_BINS {
            *begin = self.bins.len() as u32;
            self.bins.push([0.0; BINS]);
        }
        let bins = &mut self.bins[*begin as usize];
        if first == last {
            bins[first as usize] += (height * (to - from) as f64) as f32;
            return;
        }
        for bin in first..=last {
            let begin = from.max(bin << self.log2_bin);
            let end = to.min((bin + 1) << self.log2_bin);
            bins[bin as usize] += (height * (end - begin) as f64) as f32;
        }
    }

    /// Adds 1 for every tick from `from` to `to`, which are few.
    #[inline]
    pub(crate) fn add_ticks(&mut self, row: usize, from: u64, to: u64) {
        let bin = from >> self.log2_bin;
        let begin = self.begins[row] as usize;
        if (to - 1) >> self.log2_bin == bin
            && let Some(bins) = self.bins.get_mut(begin)
            && let Some(sum) = bins.get_mut(bin as usize)
        {
            *sum += (to - from) as i64 as f32;
        } else {
            self.add(row, from, to, 1.0);
        }
    }

    /// Makes bins so wide that all of them reach as far as `ticks`.
    pub(crate) fn cover(&mut self, ticks: u64) {
        while ticks.div_ceil(self.bin_ticks()) > BINS as u64 {
            self.widen();
        }
    }

    /// Makes bins twice as wide.
    fn widen(&mut self) {
        self.log2_bin += 1;
        for row in &mut self.bins {
            for bin in 0..BINS / 2 {
                row[bin] = row[2 * bin] + row[2 * bin + 1];
            }
            row[BINS / 2..].fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_stays_in_its_place_when_bins_widen() {
        let mut timeline = Timeline::new(2);
        timeline.add(1, 0, 100, 1.0);
        timeline.add(1, 990, 1_010, 2.0);
        timeline.add(0, 5_000, 5_001, 3.0);
        // 5,001 ticks in 64 bins: 128 ticks each.
        assert_eq!(timeline.bin_ticks(), 128);
        let row = timeline.row(1, 5_001);
        assert_eq!(row.len(), 40);
        assert_eq!((row[0], row[7]), (100.0, 40.0));
        assert_eq!(row.iter().sum::<f32>(), 140.0);
        assert_eq!(timeline.row(0, 5_001)[39], 3.0);
    }
}
