//! Types that describe images in any format.

use crate::{DataType, Element, StoredGradients};
use arcuate_core::{Affine, GradientTable, Grid, Volume};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// An image read from a file, with information from the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The values, all channels of a voxel together.
    pub volume: Volume<f32>,
    /// The stored number type.
    pub data_type: DataType,
    /// The `dw_scheme` of a `.mif` file, if it has one row per channel.
    pub gradients: Option<StoredGradients>,
}

/// The header of an image, without its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageDescription {
    /// Name of the format, such as `NIfTI-1, gzip`.
    pub format: String,
    /// Voxels along x, y and z, then the sizes of further dimensions.
    pub dimensions: Vec<usize>,
    /// The stored number type.
    pub data_type: DataType,
    /// Whether numbers are stored in big-endian order.
    pub big_endian: bool,
    /// The voxel grid; [not placed](Grid::is_placed) if the file has no position.
    pub grid: Grid,
    /// Edge lengths in mm that the header stores separately from the affine, if any (NIfTI's `pixdim`, which
    /// FSL's programs use). They usually agree with the affine.
    pub stored_sizes: [f64; 3],
    /// The source of the grid's affine: `sform`, `qform`, `transform`, or `voxel sizes only` if the file has
    /// no position.
    pub affine_source: &'static str,
    /// The standard space of the affine according to the header (NIfTI's codes 3 and 4): `Talairach`, `MNI`.
    pub standard_space: Option<&'static str>,
    /// NIfTI's intent code, 0 for none.
    pub intent: i64,
    /// Slope and intercept (`value = slope · stored + intercept`), if values are scaled.
    pub scaling: Option<(f64, f64)>,
    /// The gradient table in the header, if it has one row per channel.
    pub gradients: Option<StoredGradients>,
    /// The header's free text.
    pub description: String,
    /// Warnings about problems that do not prevent reading.
    pub warnings: Vec<String>,
}

impl ImageDescription {
    /// Values per voxel.
    pub fn channels(&self) -> usize {
        self.dimensions[3..].iter().product::<usize>() * self.data_type.components()
    }

    /// The directions of the voxel axes as letters (`RAS` is right, anterior, superior): the nearest scanner
    /// axis of each, without repetition, nearest pair first.
    pub fn orientation(&self) -> String {
        orientation_letters(self.grid.affine())
    }
}

/// The meaning of the values according to a NIfTI header: symmetric matrices, labels, vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intent {
    /// NIfTI's code.
    pub code: i64,
    /// Parameters of the intent, such as the size of matrices.
    pub parameters: [f64; 3],
    /// A name of the values, which may be empty.
    pub name: String,
}

impl Intent {
    /// The code of symmetric matrices. Their elements are the lower triangle, row by row; for tensors Dxx Dxy
    /// Dyy Dxz Dyz Dzz.
    pub const SYMMETRIC_MATRIX: i64 = 1005;

    /// Codes that remain valid for a copy of the values: NIfTI-1's. Codes of other standards affect further
    /// header fields.
    const COPIED: std::ops::RangeInclusive<i64> = 2..=1011;

    /// The intent of a header, if it is valid for a copy of the values.
    pub(crate) fn copied(code: i64, parameters: [f64; 3], name: String) -> Option<Self> {
        Self::COPIED.contains(&code).then_some(Self { code, parameters, name })
    }
}

impl fmt::Display for Intent {
    /// Words that can follow "lost:".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Self::SYMMETRIC_MATRIX => {
                f.write_str("the statement that its volumes are the lower triangle of matrices (intent 1005)")
            }
            code if self.name.is_empty() => write!(f, "an intent (code {code})"),
            _ => write!(f, "an intent `{}`", self.name),
        }
    }
}

/// Header content besides values and geometry, to be preserved in copies. All fields are optional.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeaderNotes {
    /// Voxels along x, y and z, then the sizes of all further dimensions, whose product is the number of channels.
    pub dimensions: Vec<usize>,
    /// Time from one volume to the next (TR), in s.
    pub repetition_time: Option<f64>,
    /// Free text, line by line.
    pub comments: Vec<String>,
    /// Further keys and their values, in order; keys may repeat.
    pub keys: Vec<(String, String)>,
    /// The intent of the values. Written only with the noted dimensions.
    pub intent: Option<Intent>,
    /// `value = slope · stored + intercept`, if the values that belong to these notes are stored ones with
    /// scaling.
    pub scaling: Option<(f64, f64)>,
    /// Descriptions of other header content that no field here can represent.
    pub left_out: Vec<String>,
}

impl HeaderNotes {
    /// The sizes of the dimensions to write for an image: the noted ones if they match the image, otherwise
    /// one further dimension if there are several channels.
    pub(crate) fn dimensions_of(&self, grid: &Grid, channels: usize) -> Vec<usize> {
        let shape = grid.shape();
        if self.are_of(grid, channels) {
            return self.dimensions.clone();
        }
        let mut dimensions = shape.to_vec();
        if channels > 1 {
            dimensions.push(channels);
        }
        dimensions
    }

    /// The intent of an image's values; `None` if the notes belong to an image of another size.
    pub(crate) fn intent_of(&self, grid: &Grid, channels: usize) -> Option<&Intent> {
        self.intent.as_ref().filter(|_| self.are_of(grid, channels))
    }

    /// Returns whether the noted dimensions match an image.
    fn are_of(&self, grid: &Grid, channels: usize) -> bool {
        let noted = &self.dimensions;
        noted.len() >= 3 && noted[..3] == grid.shape() && noted[3..].iter().product::<usize>() == channels
    }
}

/// An image to be written whose values are computed while writing, so that they need not fit into memory.
#[derive(Clone, Copy)]
pub struct MadeImage<'a, T> {
    /// The grid.
    pub grid: &'a Grid,
    /// Number of values of a voxel.
    pub channels: usize,
    /// Computes values of one channel for consecutive voxels (x fastest), starting with the given one, to
    /// fill the slice. Called by several threads, in any order.
    pub make: &'a (dyn Fn(usize, usize, &mut [T]) + Sync),
}

/// Values to be written.
pub(crate) trait Values<T: Element>: Sync {
    fn grid(&self) -> &Grid;

    fn channels(&self) -> usize;

    /// Appends values of a channel.
    fn add_of_channel(&self, channel: usize, voxels: Range<usize>, out: &mut Vec<T>);

    /// Values with all channels of a voxel adjacent.
    fn rows(&self, places: Range<usize>) -> Cow<'_, [T]>;

    /// Size of all values in bytes.
    fn bytes(&self) -> usize {
        self.grid().len() * self.channels() * size_of::<T>()
    }
}

impl<T: Element> Values<T> for Volume<T> {
    fn grid(&self) -> &Grid {
        Volume::grid(self)
    }

    fn channels(&self) -> usize {
        Volume::channels(self)
    }

    fn add_of_channel(&self, channel: usize, voxels: Range<usize>, out: &mut Vec<T>) {
        let channels = Volume::channels(self);
        let column = self.values()[voxels.start * channels + channel..].iter().step_by(channels);
        out.extend(column.take(voxels.len()).copied());
    }

    fn rows(&self, places: Range<usize>) -> Cow<'_, [T]> {
        Cow::Borrowed(&self.values()[places])
    }
}

impl<T: Element> Values<T> for MadeImage<'_, T> {
    fn grid(&self) -> &Grid {
        self.grid
    }

    fn channels(&self) -> usize {
        self.channels
    }

    fn add_of_channel(&self, channel: usize, voxels: Range<usize>, out: &mut Vec<T>) {
        let before = out.len();
        out.resize(before + voxels.len(), bytemuck::Zeroable::zeroed());
        (self.make)(channel, voxels.start, &mut out[before..]);
    }

    fn rows(&self, places: Range<usize>) -> Cow<'_, [T]> {
        let (first, end) = (places.start / self.channels, places.end.div_ceil(self.channels));
        let (mut rows, mut column) =
            (vec![bytemuck::Zeroable::zeroed(); (end - first) * self.channels], Vec::new());
        for channel in 0..self.channels {
            column.clear();
            self.add_of_channel(channel, first..end, &mut column);
            rows.iter_mut().skip(channel).step_by(self.channels).zip(&column).for_each(|(row, &value)| {
                *row = value;
            });
        }
        let begin = first * self.channels;
        rows.truncate(places.end - begin);
        rows.drain(..places.start - begin);
        Cow::Owned(rows)
    }
}

/// The requested values of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestedValues {
    /// Real values, scaled.
    Real,
    /// Real values, or the two components of complex ones, scaled.
    Components,
    /// Real stored values, before scaling.
    Stored,
}

impl RequestedValues {
    /// The scaling to apply.
    pub(crate) fn scaling(self, stored: Option<(f64, f64)>) -> Option<(f64, f64)> {
        if self == Self::Stored { None } else { stored }
    }
}

/// Content of a file besides the values.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Free text, before the noted comments: at most 79 bytes of it in NIfTI (`descrip`), a `comments` line
    /// in `.mif`.
    pub description: String,
    /// The gradient table, one row per channel: only in `.mif`, because NIfTI cannot store it.
    pub gradients: Option<GradientTable>,
    /// Notes from the header of the source image, written as far as the format supports them. If a scaling is
    /// noted, the values are stored ones.
    pub notes: HeaderNotes,
    /// Writes NIfTI-2 even if NIfTI-1 suffices (all sizes up to 32767). NIfTI-2 stores affines in double
    /// precision.
    pub nifti_2: bool,
}

/// An image of any number type, as returned by the readers of the formats.
pub(crate) struct StoredImage<T> {
    pub(crate) volume: Volume<T>,
    pub(crate) data_type: DataType,
    pub(crate) gradients: Option<StoredGradients>,
    pub(crate) notes: HeaderNotes,
}

/// The directions of the voxel axes as letters: the nearest scanner axis of each, without repetition, nearest
/// pair first.
fn orientation_letters(affine: &Affine) -> String {
    let axes = affine.axes();
    let mut letters = ['?'; 3];
    let (mut voxel_axes, mut scanner_axes) = (vec![0, 1, 2], vec![0, 1, 2]);
    while let Some((v, s)) = voxel_axes
        .iter()
        .flat_map(|&v| scanner_axes.iter().map(move |&s| (v, s)))
        .max_by(|&(v, s), &(w, t)| axes[v][s].abs().total_cmp(&axes[w][t].abs()))
    {
        letters[v] = [['R', 'L'], ['A', 'P'], ['S', 'I']][s][usize::from(axes[v][s] < 0.0)];
        voxel_axes.retain(|&other| other != v);
        scanner_axes.retain(|&other| other != s);
    }
    letters.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_have_their_usual_letters() {
        let letters = |rows| orientation_letters(&Affine::from_rows(rows).unwrap());
        assert_eq!(orientation_letters(&Affine::identity()), "RAS");
        assert_eq!(letters([[-2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]]), "LAS");
        assert_eq!(letters([[0.0, 0.1, -2.0, 0.0], [2.0, 0.1, 0.0, 0.0], [0.1, -2.0, 0.0, 0.0]]), "AIL");
    }
}
