//! Chooses the streamlines that a page shows.

use arcuate_core::{Point, Result, StreamlineBatch, StreamlineSink, Tractogram};

/// The number of all streamlines, and how many of them can be shown in the viewer.
#[derive(Debug, Default)]
pub(crate) struct Showable {
    pub(crate) total: usize,
    streamlines: usize,
    points: usize,
}

/// Returns true if a streamline can be shown in the viewer. It must have a length above 0, and its
/// coordinates must be finite in half precision.
fn can_be_shown(points: &[Point]) -> bool {
    points.len() > 1 && points.iter().flatten().all(|c| c.is_finite() && c.abs() < 60_000.0)
}

impl StreamlineSink for Showable {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.total += batch.len();
        for points in batch.iter().filter(|points| can_be_shown(points)) {
            self.streamlines += 1;
            self.points += points.len();
        }
        Ok(())
    }
}

/// Selects streamlines for the viewer that are evenly distributed over the tractogram, among those that can
/// be shown.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) streamlines: Tractogram,
    /// For each selected streamline, its index in the tractogram.
    pub(crate) numbers: Vec<usize>,
    /// The number of streamlines to select.
    target: usize,
    showable: usize,
    /// The number of streamlines read so far that can be shown. The next field is the number of all
    /// streamlines read so far.
    seen: [usize; 2],
}

impl Chosen {
    /// Creates an empty selection with a maximum number of streamlines and a maximum number of points.
    pub(crate) fn of(counted: &Showable, [streamlines, points]: [usize; 2]) -> Self {
        let plot_width = counted.streamlines as f64 * (points as f64 / counted.points.max(1) as f64).min(1.0);
        Self {
            streamlines: Tractogram::new(),
            numbers: Vec::new(),
            target: (plot_width as usize).min(streamlines),
            showable: counted.streamlines,
            seen: [0; 2],
        }
    }
}

impl StreamlineSink for Chosen {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for points in batch.iter() {
            let number = self.seen[1];
            self.seen[1] += 1;
            if !can_be_shown(points) {
                continue;
            }
            let place = self.numbers.len();
            if place < self.target && stratum(place, self.target, self.showable) == self.seen[0] {
                self.streamlines.push(points);
                self.numbers.push(number);
            }
            self.seen[0] += 1;
        }
        Ok(())
    }
}

/// Returns the index of the item that is selected in stratum `place`. The `total` items are divided into
/// `kept` strata of successive items, and one item of each stratum is selected at random. Tractograms often
/// have a periodic order (by seed or by side). If every nth streamline were selected, whole bundles could be
/// missing.
fn stratum(place: usize, kept: usize, total: usize) -> usize {
    let (first, end) = (place * total / kept, (place + 1) * total / kept);
    // The generator SplitMix64 (Steele, Lea, Flood 2014) makes the random choice reproducible.
    let mut z = (place as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    first + ((z ^ (z >> 31)) % (end - first) as u64) as usize
}
