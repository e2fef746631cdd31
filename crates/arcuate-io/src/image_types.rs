//! Types that describe images in any format.

use crate::{DataType, Element, StoredGradients};
use arcuate_core::{Affine, GradientTable, Grid, Volume};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// An image that was read from a file, with information from its header.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The values of the image; the values of a voxel (its channels) are adjacent in memory.
    pub volume: Volume<f32>,
    /// The number type in which the file stores its values.
    pub data_type: DataType,
    /// The gradient table `dw_scheme` of a `.mif` file. `None` if the table does not have one row per volume.
    pub gradients: Option<StoredGradients>,
}

/// The header of an image, without its values.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ImageDescription {
    /// Name of the image format, such as `NIfTI-1, gzip`.
    pub format: String,
    /// Numbers of voxels along x, y and z, followed by the sizes of all further dimensions, such as the
    /// number of volumes.
    pub dimensions: Vec<usize>,
    /// The number type in which the file stores its values.
    pub data_type: DataType,
    /// True if the file stores numbers in big-endian byte order.
    pub big_endian: bool,
    /// The voxel grid of the image. The grid is [not placed](Grid::is_placed) if the header does not state
    /// the position of the image.
    pub grid: Grid,
    /// Edge lengths of a voxel in mm that the header stores separately from the affine (NIfTI's `pixdim`,
    /// which FSL's programs use). They usually agree with the affine.
    pub stored_sizes: [f64; 3],
    /// The header field from which the affine of the voxel grid was read: `sform`, `qform` or `transform`. If
    /// the header states no position, this is `voxel sizes only`.
    pub affine_source: &'static str,
    /// The standard space to which the affine leads, if the header states one (NIfTI's codes 3 and 4):
    /// `Talairach` or `MNI`.
    pub standard_space: Option<&'static str>,
    /// NIfTI's intent code, which states the meaning of the values. 0 means that the header states no intent.
    pub intent: i64,
    /// Slope and intercept if values are scaled: `value = slope · stored + intercept`.
    pub scaling: Option<(f64, f64)>,
    /// The gradient table in the header of the image. `None` if there is no table with one row per volume.
    pub gradients: Option<StoredGradients>,
    /// Free text in the header that describes the image.
    pub description: String,
    /// Warnings about problems of the file that do not prevent reading it.
    pub warnings: Vec<String>,
}

impl ImageDescription {
    /// Number of values per voxel.
    pub fn channels(&self) -> usize {
        self.dimensions[3..].iter().product::<usize>() * self.data_type.components()
    }

    /// Returns the directions of the three voxel axes as letters; for example, `RAS` means right, anterior,
    /// superior. Each voxel axis gets the letter of the nearest scanner axis, and each scanner axis is used
    /// once. The pair of axes with the smallest angle is assigned first.
    pub fn orientation(&self) -> String {
        orientation_letters(self.grid.affine())
    }
}

/// The meaning of an image's values according to its NIfTI header, such as symmetric matrices, labels or
/// vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intent {
    /// NIfTI's code of the intent.
    pub code: i64,
    /// Parameters of the NIfTI intent, such as the number of rows of symmetric matrices.
    pub parameters: [f64; 3],
    /// Name of the values according to the header. It may be empty.
    pub name: String,
}

impl Intent {
    /// The NIfTI intent code of symmetric matrices. The file stores the elements of the lower triangle of
    /// each matrix, row by row. For tensors, these are Dxx Dxy Dyy Dxz Dyz Dzz.
    pub const SYMMETRIC_MATRIX: i64 = 1005;

    /// Intent codes that NIfTI-1 defines; they stay correct if the values are copied to another file. Intent
    /// codes of other standards depend on further header fields.
    const COPIED: std::ops::RangeInclusive<i64> = 2..=1011;

    /// Returns the intent of a header. Returns `None` if the intent would be wrong for a copy of the values
    /// in another file.
    pub(crate) fn copied(code: i64, parameters: [f64; 3], name: String) -> Option<Self> {
        Self::COPIED.contains(&code).then_some(Self { code, parameters, name })
    }
}

impl fmt::Display for Intent {
    /// Prints the intent as words that can follow "lost:" in a message.
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

/// The content of an image header that copies of the image should keep, without values and geometry. Each
/// field may be empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeaderNotes {
    /// Numbers of voxels along x, y and z, followed by the sizes of all further dimensions. The product of
    /// the sizes of the further dimensions is the number of channels.
    pub dimensions: Vec<usize>,
    /// Repetition time (TR): the time from one volume to the next, in s.
    pub repetition_time: Option<f64>,
    /// The lines of free text in the header.
    pub comments: Vec<String>,
    /// Further keys of the header and their values, in the order of the file. A key may occur several times.
    pub keys: Vec<(String, String)>,
    /// NIfTI's intent, which states the meaning of the values. It is only written if the dimensions in these
    /// notes are written, too.
    pub intent: Option<Intent>,
    /// Slope and intercept of the scaling `value = slope · stored + intercept`. They are `Some` if the values
    /// that were read with these notes are values before scaling.
    pub scaling: Option<(f64, f64)>,
    /// Descriptions of header content that no other field of this type can represent.
    pub left_out: Vec<String>,
}

impl HeaderNotes {
    /// Returns the sizes of all dimensions with which an image is written. If the dimensions in these notes
    /// agree with the image, they are returned. If not, the image has the three dimensions of its grid and,
    /// if it has several channels, a fourth dimension.
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

    /// Returns the intent for the values of an image. Returns `None` if these notes belong to an image of
    /// another size.
    pub(crate) fn intent_of(&self, grid: &Grid, channels: usize) -> Option<&Intent> {
        self.intent.as_ref().filter(|_| self.are_of(grid, channels))
    }

    /// Returns true if the notes state the dimensions of an image with this grid and this number of channels.
    fn are_of(&self, grid: &Grid, channels: usize) -> bool {
        let noted = &self.dimensions;
        noted.len() >= 3 && noted[..3] == grid.shape() && noted[3..].iter().product::<usize>() == channels
    }
}

/// An image whose values are computed while it is written, so that they need not fit into memory.
#[derive(Clone, Copy)]
pub struct MadeImage<'a, T> {
    /// The voxel grid of the image.
    pub grid: &'a Grid,
    /// Number of values per voxel.
    pub channels: usize,
    /// A function that computes the values of one channel for consecutive voxels (x fastest). Its arguments
    /// are the index of the channel, the index of the first voxel, and the slice that receives the values.
    /// Several threads call the function, in any order.
    pub make: &'a (dyn Fn(usize, usize, &mut [T]) + Sync),
}

/// The values of an image that will be written. They are either stored in memory or computed when they are
/// needed.
pub(crate) trait Values<T: Element>: Sync {
    fn grid(&self) -> &Grid;

    fn channels(&self) -> usize;

    /// Appends the values of one channel for a range of consecutive voxels to `out`.
    fn add_of_channel(&self, channel: usize, voxels: Range<usize>, out: &mut Vec<T>);

    /// Returns a range of the values of the image, in the order in which all channels of a voxel are
    /// adjacent.
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

/// The values of an image that the caller requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestedValues {
    /// Real values, after scaling.
    Real,
    /// Real values after scaling. For an image of complex numbers, the real and the imaginary part.
    Components,
    /// Real values before scaling, as the file stores them.
    Stored,
}

impl RequestedValues {
    /// Returns the scaling (slope and intercept) that must be applied to the stored values to get the
    /// requested values.
    pub(crate) fn scaling(self, stored: Option<(f64, f64)>) -> Option<(f64, f64)> {
        if self == Self::Stored { None } else { stored }
    }
}

/// Options for writing an image: the content of the file except its values.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Free text that describes the image. It is written before the comments of `notes`. NIfTI stores at most
    /// 79 bytes of both (`descrip`). A `.mif` file has a `comments` line for this text.
    pub description: String,
    /// The gradient table, with one row per volume. Only `.mif` files can store it; NIfTI files cannot.
    pub gradients: Option<GradientTable>,
    /// Content from the header of the image from which this image was computed. It is written if the format
    /// can store it. If these notes have a scaling, the values to write are values before scaling.
    pub notes: HeaderNotes,
    /// True to write NIfTI-2 even if NIfTI-1 suffices (all dimensions up to 32767). NIfTI-2 stores affines in
    /// double precision.
    pub nifti_2: bool,
}

/// An image with values of the number type `T`, as the readers of the single formats return it.
pub(crate) struct StoredImage<T> {
    pub(crate) volume: Volume<T>,
    pub(crate) data_type: DataType,
    pub(crate) gradients: Option<StoredGradients>,
    pub(crate) notes: HeaderNotes,
}

/// Returns the directions of the three voxel axes as letters, such as `RAS`. Each voxel axis gets the letter
/// of the nearest scanner axis, and each scanner axis is used once. The pair of axes with the smallest angle
/// is assigned first.
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
    fn orientations_have_conventional_letters() {
        let letters = |rows| orientation_letters(&Affine::from_rows(rows).unwrap());
        assert_eq!(orientation_letters(&Affine::identity()), "RAS");
        assert_eq!(letters([[-2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]]), "LAS");
        assert_eq!(letters([[0.0, 0.1, -2.0, 0.0], [2.0, 0.1, 0.0, 0.0], [0.1, -2.0, 0.0, 0.0]]), "AIL");
    }
}
