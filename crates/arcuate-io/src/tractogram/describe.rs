//! Describes the content of tractogram files.

use super::TractogramReader;
use crate::formats::TractogramFormat;
use crate::tractogram_types::{DataDescription, DataOf, PositionType};
use arcuate_core::{Grid, Point, Result, StreamlineBatch, StreamlineLengths, StreamlineSink, length};
use std::path::Path;

/// A description of the content of a tractogram file, for which the file is read once.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TractogramDescription {
    /// Format of the file.
    pub format: TractogramFormat,
    /// True if the whole tractogram file is compressed, as in `.tck.gz`.
    pub gzip: bool,
    /// Number type of the stored positions.
    pub positions: PositionType,
    /// Number of streamlines.
    pub streamlines: u64,
    /// Number of points of all streamlines.
    pub points: u64,
    /// Lengths in mm: of the shortest streamline, the mean, the median, and of the longest streamline. `None`
    /// if the file has no streamlines.
    pub lengths: Option<[f64; 4]>,
    /// Smallest and largest coordinates in RAS mm; `None` if there are no points.
    pub bounds: Option<[Point; 2]>,
    /// The voxel grid of the image to which the streamlines belong, if the file describes it.
    pub grid: Option<Grid>,
    /// Descriptions of the values at each point.
    pub per_point: Vec<DataDescription>,
    /// Descriptions of the values of each streamline.
    pub per_streamline: Vec<DataDescription>,
    /// Name of each group of streamlines, and the number of streamlines in it.
    pub groups: Vec<(String, u64)>,
    /// Descriptions of the values that the file stores for each group of streamlines, named `group/value`.
    pub per_group: Vec<DataDescription>,
}

impl TractogramDescription {
    /// Returns the name of the file format, such as `MRtrix tracks (.tck), gzip`.
    pub fn format_name(&self) -> String {
        format!("{}{}", self.format, if self.gzip { ", gzip" } else { "" })
    }
}

/// Reads a tractogram file once and describes its content.
pub fn describe_tractogram(path: &Path) -> Result<TractogramDescription> {
    let opened = TractogramReader::open(path)?;
    let mut description = TractogramDescription {
        format: opened.format(),
        gzip: opened.is_gzip(),
        positions: opened.opened.positions(),
        streamlines: 0,
        points: 0,
        lengths: None,
        bounds: None,
        grid: opened.grid(),
        per_point: opened.data(),
        per_streamline: Vec::new(),
        groups: opened.opened.groups(),
        per_group: opened.opened.group_data(),
    };
    description.per_streamline =
        description.per_point.extract_if(.., |data| data.of == DataOf::Streamline).collect();
    let mut measure = Measure::default();
    let summary = opened.stream(&mut measure)?;
    description.streamlines = summary.streamlines;
    description.points = summary.points;
    if summary.streamlines > 0 {
        let Measure { shortest, longest, lengths, .. } = &measure;
        description.lengths = Some([*shortest, lengths.mean(), lengths.median(), *longest]);
    }
    if summary.points > 0 {
        description.bounds = Some([measure.minimum, measure.maximum]);
    }
    Ok(description)
}

/// Receives the streamlines, and computes their lengths and the bounding box of their points.
struct Measure {
    shortest: f64,
    longest: f64,
    lengths: StreamlineLengths,
    minimum: Point,
    maximum: Point,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            shortest: f64::INFINITY,
            longest: 0.0,
            lengths: StreamlineLengths::default(),
            minimum: [f32::INFINITY; 3],
            maximum: [f32::NEG_INFINITY; 3],
        }
    }
}

impl StreamlineSink for Measure {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for streamline in batch.iter() {
            let millimetres = length(streamline);
            self.shortest = self.shortest.min(millimetres);
            self.longest = self.longest.max(millimetres);
            self.lengths.push(millimetres as f32);
        }
        for point in batch.points() {
            for axis in 0..3 {
                self.minimum[axis] = self.minimum[axis].min(point[axis]);
                self.maximum[axis] = self.maximum[axis].max(point[axis]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Tractogram;

    #[test]
    fn sub_batches_are_measured_without_other_streamlines() {
        let mut whole = Tractogram::new();
        whole.push(&[[-90.0; 3], [90.0; 3]]);
        whole.push(&[[1.0, 2.0, 3.0], [4.0, 6.0, 3.0]]);
        whole.push(&[[-80.0; 3]]);
        let mut measure = Measure::default();
        measure.take(whole.as_batch().part(1..2)).unwrap();
        assert_eq!((measure.shortest, measure.longest, measure.lengths.values()), (5.0, 5.0, &[5.0][..]));
        assert_eq!((measure.minimum, measure.maximum), ([1.0, 2.0, 3.0], [4.0, 6.0, 3.0]));
    }
}
