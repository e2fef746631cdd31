//! What there is to say about an image, whatever its format.

use crate::{DataType, Element, StoredGradients};
use arcuate_core::{Affine, GradientTable, Grid, Volume};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// An image as read from a file, with what the file says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The values, all channels of a voxel together.
    pub volume: Volume<f32>,
    /// How the file stored them.
    pub data_type: DataType,
    /// The `dw_scheme` of a `.mif` file, where it has one row per channel.
    pub gradients: Option<StoredGradients>,
}

/// What the header of an image says, without its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageDescription {
    /// Name of the format, such as `NIfTI-1, gzip`.
    pub format: String,
    /// Voxels along x, y and z, then the sizes of further dimensions.
    pub dimensions: Vec<usize>,
    /// How values are stored.
    pub data_type: DataType,
    /// Whether the highest byte of a number comes first.
    pub big_endian: bool,
    /// Where the voxels are; [not placed](Grid::is_placed) where the file does not say it.
    pub grid: Grid,
    /// The edge lengths that the header has beside the affine, in mm, where it has any (NIfTI's `pixdim`, which is what FSL's
    /// programs go by): as a rule the same.
    pub stored_sizes: [f64; 3],
    /// Which part of the header gave the grid's affine: `sform`, `qform`, `transform`, or `voxel sizes only` where the file
    /// does not say where its voxels are.
    pub affine_source: &'static str,
    /// The space of a standard brain that the header says the affine leads to (NIfTI's codes 3 and 4): `Talairach`, `MNI`.
    pub standard_space: Option<&'static str>,
    /// NIfTI's code of what the values are, 0 for nothing in particular.
    pub intent: i64,
    /// Slope and intercept (`value = slope · stored + intercept`), where values are scaled.
    pub scaling: Option<(f64, f64)>,
    /// The gradient table in the header, where it has one row per channel.
    pub gradients: Option<StoredGradients>,
    /// The header's free text.
    pub description: String,
    /// What looks wrong but can be read.
    pub warnings: Vec<String>,
}

impl ImageDescription {
    /// Values per voxel.
    pub fn channels(&self) -> usize {
        self.dimensions[3..].iter().product::<usize>() * self.data_type.components()
    }

    /// Where the voxel axes point to, in letters (`RAS` is right, anterior, superior): the scanner axis nearest to each, each
    /// taken once, nearest pair first.
    pub fn orientation(&self) -> String {
        orientation_letters(self.grid.affine())
    }
}

/// What a NIfTI header states its values to be: symmetric matrices, labels, vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intent {
    /// NIfTI's code.
    pub code: i64,
    /// Numbers that belong to it, such as the size of matrices.
    pub parameters: [f64; 3],
    /// A name of the values, which may be empty.
    pub name: String,
}

impl Intent {
    /// The code of symmetric matrices. Their elements are the lower triangle, row by row: of tensors Dxx Dxy Dyy Dxz Dyz Dzz.
    pub const SYMMETRIC_MATRIX: i64 = 1005;

    /// The codes that stay true of a copy of the values: NIfTI-1's. Those of other standards mean further fields of the header.
    const COPIED: std::ops::RangeInclusive<i64> = 2..=1011;

    /// That of a header, if a copy of the values should have it.
    pub(crate) fn copied(code: i64, parameters: [f64; 3], name: String) -> Option<Self> {
        Self::COPIED.contains(&code).then_some(Self { code, parameters, name })
    }
}

impl fmt::Display for Intent {
    /// In words that can follow "lost:".
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

/// What a header says besides numbers and their places, for copies that should say the same. No field is required.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeaderNotes {
    /// Voxels along x, y and z, then the sizes of all further dimensions, whose product is the number of channels.
    pub dimensions: Vec<usize>,
    /// Time from one volume to the next (TR), in s.
    pub repetition_time: Option<f64>,
    /// Free text, line by line.
    pub comments: Vec<String>,
    /// Further keys and their values, in order; a key may come again.
    pub keys: Vec<(String, String)>,
    /// What the values are stated to be. Written only with the noted dimensions.
    pub intent: Option<Intent>,
    /// `value = slope · stored + intercept`, where the values beside these notes are stored ones that are scaled.
    pub scaling: Option<(f64, f64)>,
    /// What else the header held that no field here can say, in words.
    pub left_out: Vec<String>,
}

impl HeaderNotes {
    /// The sizes of the dimensions to write for an image: those noted where they are the image's, else one further
    /// dimension where there are several channels.
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

    /// What the values of an image are stated to be: nothing if the notes are not of an image of its size.
    pub(crate) fn intent_of(&self, grid: &Grid, channels: usize) -> Option<&Intent> {
        self.intent.as_ref().filter(|_| self.are_of(grid, channels))
    }

    /// Whether the noted dimensions are those of an image.
    fn are_of(&self, grid: &Grid, channels: usize) -> bool {
        let noted = &self.dimensions;
        noted.len() >= 3 && noted[..3] == grid.shape() && noted[3..].iter().product::<usize>() == channels
    }
}

/// An image to be written whose values are made while it is: what is computed from other values need not be in memory as a whole.
#[derive(Clone, Copy)]
pub struct MadeImage<'a, T> {
    /// The lattice.
    pub grid: &'a Grid,
    /// Values of a voxel.
    pub channels: usize,
    /// Makes values of one channel: those of the voxels from the given one on, x fastest, as many as there is room for. Several
    /// threads call it, in any order.
    pub make: &'a (dyn Fn(usize, usize, &mut [T]) + Sync),
}

/// Values that are written.
pub(crate) trait Values<T: Element>: Sync {
    fn grid(&self) -> &Grid;

    fn channels(&self) -> usize;

    /// Adds values of a channel.
    fn add_of_channel(&self, channel: usize, voxels: Range<usize>, out: &mut Vec<T>);

    /// Values where those of a voxel lie together.
    fn rows(&self, places: Range<usize>) -> Cow<'_, [T]>;

    /// Bytes of all.
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

/// Which values of an image are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Real ones, scaled.
    Real,
    /// Real ones, or the two components of complex ones, scaled.
    Components,
    /// Real ones as they are stored, before scaling.
    Stored,
}

impl Wanted {
    /// The scaling to apply.
    pub(crate) fn scaling(self, stored: Option<(f64, f64)>) -> Option<(f64, f64)> {
        if self == Self::Stored { None } else { stored }
    }
}

/// What goes into a file besides the values.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Free text, before the comments among the notes: at most 79 bytes of it in NIfTI (`descrip`), a `comments` line in `.mif`.
    pub description: String,
    /// The gradient table, one row per channel: in `.mif` only, because NIfTI has no place for it.
    pub gradients: Option<GradientTable>,
    /// What the header of the image's source said besides, as far as the format can hold it. Where a scaling is noted,
    /// the values are written as stored ones.
    pub notes: HeaderNotes,
    /// Write NIfTI-2 even where NIfTI-1 would do (all sizes up to 32767). NIfTI-2 keeps affines in double precision.
    pub nifti_2: bool,
}

/// An image in any number type, as the readers of the formats hand it over.
pub(crate) struct StoredImage<T> {
    pub(crate) volume: Volume<T>,
    pub(crate) data_type: DataType,
    pub(crate) gradients: Option<StoredGradients>,
    pub(crate) notes: HeaderNotes,
}

/// Where each voxel axis points to, in letters: the scanner axis nearest to it, each taken once, nearest pair first.
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
