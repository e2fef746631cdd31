//! Writes a tractogram of any size, to see what programs need for it: `many_streamlines FILE STREAMLINES POINTS`.
//!
//! Streamlines wander through an image of 100 × 100 × 100 voxels of 2 mm. Each has its number, each point its own, and every
//! hundredth is in the group `hundredths`. None is held after it is written.

use arcuate_core::{
    Affine, Column, Columns, Error, Grid, Point, Result, Scalars, StreamlineBatch, StreamlineGroups,
    StreamlineSink,
};
use arcuate_io::{TractogramOptions, TractogramWriter};
use std::path::Path;

/// Streamlines that are made at a time.
const BATCH: u64 = 1000;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = || Error::usage("many_streamlines", "it takes FILE STREAMLINES POINTS", "give all three");
    let [path, streamlines, points] = &arguments[..] else { return Err(usage()) };
    let number = |text: &str| text.parse::<u64>().map_err(|_| usage());
    write(Path::new(path), number(streamlines)?, number(points)?)
}

fn write(path: &Path, streamlines: u64, points: u64) -> Result<()> {
    let grid = Grid::new([100; 3], Affine::scaling([2.0; 3], [-99.0; 3]))?;
    let mut writer = TractogramWriter::create(path, Some(&grid), &TractogramOptions::default())?;
    let offsets: Vec<u64> = (0..=BATCH).map(|n| n * points).collect();
    for first in (0..streamlines).step_by(BATCH as usize) {
        let count = BATCH.min(streamlines - first);
        let positions: Vec<Point> = (first..first + count).flat_map(|n| line(n, points)).collect();
        let numbers = Scalars::U32((first..first + count).map(|n| n as u32).collect());
        let at_points = Scalars::F32((0..count * points).map(|n| (n % 97) as f32).collect());
        let per_point = Columns::from([("value".to_owned(), Column::new(1, at_points)?)]);
        let per_streamline = Columns::from([("number".to_owned(), Column::new(1, numbers)?)]);
        let batch = StreamlineBatch::new(&offsets[..=count as usize], &positions);
        writer.take(batch.with_per_point(&per_point).with_per_streamline(&per_streamline))?;
    }
    let mut groups = StreamlineGroups::default();
    let hundredths = (0..streamlines).step_by(100).filter_map(|n| u32::try_from(n).ok());
    groups.members.insert("hundredths".to_owned(), hundredths.collect());
    writer.finish_with_groups(&groups)
}

/// A line from one side to the other, bent by its number.
fn line(number: u64, points: u64) -> impl Iterator<Item = Point> {
    let turn = number as f32 * 0.618;
    (0..points).map(move |n| {
        let along = n as f32 / points.max(2) as f32;
        [190.0 * along - 95.0, 60.0 * (turn + 2.0 * along).sin(), 60.0 * (turn * 0.7 - along).cos()]
    })
}
