//! Coordinate frames in which images store the components of fibre directions.

use crate::{Affine, image_axes_to_scanner};

/// The three axes along which an image of fibre directions (peaks) stores the components of the directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeakFrame {
    /// Components are along the scanner axes (x to the right, y to the front, z up), which do not depend on
    /// the axes of the image. Programs with this frame are MRtrix's `sh2peaks` and `tensor2metric -vector`,
    /// and `dmri-commit` with `peaks_use_affine=True`.
    Scanner,
    /// Components are along the first, second and third voxel axis of the image, and are positive towards
    /// higher voxel indices (`dmri-commit` with `peaks_use_affine=False`).
    Image,
    /// Components are along FSL's axes: the voxel axes, with x negated if the affine's determinant is
    /// positive. `bvec` files, `dyads` of `bedpostx` and `V1` of `dtifit` use these axes.
    Fsl,
}

impl PeakFrame {
    /// All coordinate frames of peaks.
    pub const ALL: [Self; 3] = [Self::Scanner, Self::Image, Self::Fsl];

    /// The directions, in RAS, of the frame's three unit vectors for an image with this affine. With these
    /// vectors, components are converted to scanner axes. If the affine has shears, the three directions are
    /// not orthogonal.
    pub fn axes(self, affine: &Affine) -> [[f64; 3]; 3] {
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        match self {
            Self::Scanner => unit,
            Self::Image => affine.axes(),
            Self::Fsl => {
                let axes = image_axes_to_scanner(&unit, affine);
                [axes[0], axes[1], axes[2]]
            }
        }
    }
}

impl std::fmt::Display for PeakFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Scanner => "scanner axes",
            Self::Image => "image axes",
            Self::Fsl => "FSL's axes",
        })
    }
}
