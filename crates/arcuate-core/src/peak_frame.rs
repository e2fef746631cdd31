//! The axes of directions in images.

use crate::{Affine, image_axes_to_scanner};

/// Which axes the components of peaks are along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeakFrame {
    /// The scanner's: x to the right, y to the front, z up, whatever the axes of the image (MRtrix's `sh2peaks` and
    /// `tensor2metric -vector`, `dmri-commit` with `peaks_use_affine=True`).
    Scanner,
    /// The image's: along the first, second and third voxel axis towards higher numbers, without any change of sign
    /// (`dmri-commit` with `peaks_use_affine=False`).
    Image,
    /// FSL's: along the voxel axes, with x negated where the affine's determinant is positive, as in `bvec` files
    /// (`dyads` of `bedpostx`, `V1` of `dtifit`).
    Fsl,
}

impl PeakFrame {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Scanner, Self::Image, Self::Fsl];

    /// What takes components to scanner axes: the directions, in RAS, of the three unit vectors of an image with this affine.
    /// Those of a sheared affine are not orthogonal.
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
