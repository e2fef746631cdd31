//! What there is to say about an image, whatever its format.

use crate::DataType;
use arcuate_core::{Affine, GradientTable, Volume};

/// An image as read from a file, with what the file says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The values, all channels of a voxel together.
    pub volume: Volume<f32>,
    /// How the file stored them.
    pub data_type: DataType,
    /// The `dw_scheme` of a `.mif` file, where it has one row per channel.
    pub gradients: Option<GradientTable>,
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
    /// Edge lengths of a voxel in mm.
    pub voxel_sizes: [f64; 3],
    /// Where the voxel axes point to: `RAS` is right, anterior, superior.
    pub orientation: String,
    /// Voxel coordinates to RAS mm.
    pub affine: Affine,
    /// Which part of the header gave the affine: `sform`, `qform`, `transform` or `voxel sizes only`.
    pub affine_source: &'static str,
    /// Slope and intercept (`value = slope · stored + intercept`), where values are scaled.
    pub scaling: Option<(f64, f64)>,
    /// The gradient table in the header, where it has one row per channel.
    pub gradients: Option<GradientTable>,
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
}

/// What goes into a file besides the values.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Free text: at most 79 bytes of it in NIfTI (`descrip`), a `comments` line in `.mif`.
    pub description: String,
    /// The gradient table, one row per channel: in `.mif` only, because NIfTI has no place for it.
    pub gradients: Option<GradientTable>,
    /// Write NIfTI-2 even where NIfTI-1 would do (all sizes up to 32767). NIfTI-2 keeps affines in double precision.
    pub nifti_2: bool,
}

/// An image in any number type, as the readers of the formats hand it over.
pub(crate) struct StoredImage<T> {
    pub(crate) volume: Volume<T>,
    pub(crate) data_type: DataType,
    pub(crate) gradients: Option<GradientTable>,
}

/// Where each voxel axis points to, in letters: the scanner axis nearest to it, each taken once, nearest pair first.
pub(crate) fn orientation_letters(affine: &Affine) -> String {
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
