//! Tissues at positions that are given in voxel coordinates of the tracked image.

use super::Anatomy;
use crate::space::{DisplacementCache, VoxelMapping, index, inside, nearest};
use arcuate_core::{Error, Grid, Result, narrow};

/// Tissue with the largest fraction at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matter {
    Cortical,
    SubCortical,
    White,
    Csf,
    Pathological,
    /// The position is outside the brain: the tissue fractions sum to less than one half.
    Nothing,
}

/// Tissue fractions and settings that are prepared for tracking. All values are in single precision, rounded
/// after each operation.
#[derive(Debug, Clone)]
pub(crate) struct PlacedAnatomy {
    pub(crate) voxel_mapping: VoxelMapping,
    pub(crate) shape: [i32; 3],
    fractions: Vec<[f32; 5]>,
    pub(crate) back_track: bool,
    pub(crate) crop_at_interface: bool,
}

/// Maximum excess of the white matter fraction over the grey matter fraction at which a point counts as on
/// the interface of both. A streamline may end there.
const ON_INTERFACE: f32 = 0.05;
/// Number of bisections of a step in the search for the interface of grey and white matter. The error is a
/// thousandth of the step length.
const HALVINGS: usize = 10;

impl PlacedAnatomy {
    /// Prepares the tissues for tracking in an image with the grid `field`.
    pub(crate) fn new(anatomy: &Anatomy, field: &Grid, displacements: &DisplacementCache) -> Self {
        let grid = anatomy.tissues.grid();
        Self {
            voxel_mapping: displacements.voxel_mapping(field, grid, anatomy.mapping.as_ref()),
            shape: grid.shape().map(narrow::<i32>),
            fractions: (0..grid.len()).map(|voxel| anatomy.tissues.fractions(voxel)).collect(),
            back_track: anatomy.back_track,
            crop_at_interface: anatomy.crop_at_interface,
        }
    }

    /// Returns an error if most of the given positions, which streamlines can pass, are outside the brain.
    pub(crate) fn check(&self, places: impl Iterator<Item = [f32; 3]>) -> Result<()> {
        let (mut all, mut brain) = (0u64, 0u64);
        for place in places {
            all += 1;
            brain += u64::from(self.at(place) != Matter::Nothing);
        }
        if 2 * brain < all {
            let problem = format!(
                "{} % of the voxels in which to track are outside the brain of this 5TT image",
                100 * (all - brain) / all
            );
            let advice = "resample it into the space of the diffusion scan, or give the transform";
            return Err(Error::invalid("‘anatomy’", problem, advice));
        }
        Ok(())
    }

    /// Returns the five tissue fractions of each voxel, voxel by voxel.
    pub(crate) fn all_fractions(&self) -> &[f32] {
        self.fractions.as_flattened()
    }

    /// Returns the five tissue fractions at a position, interpolated trilinearly. The position is in voxel
    /// coordinates of the tracked image. The fractions are 0 outside the tissue image.
    #[inline]
    fn fractions(&self, place: [f32; 3]) -> [f32; 5] {
        let at = self.voxel_mapping.apply(place);
        let mut sum = [0.0; 5];
        if !inside(at.map(nearest), self.shape) {
            return sum;
        }
        // Between the centres of the outermost voxels and the edge of the image, the tissue fractions are
        // constant.
        let at: [f32; 3] = std::array::from_fn(|n| at[n].max(0.0).min((self.shape[n] - 1) as f32));
        let low = at.map(f32::floor);
        let part: [f32; 3] = std::array::from_fn(|axis| at[axis] - low[axis]);
        for corner in 0..8 {
            let side: [u8; 3] = [corner & 1, corner >> 1 & 1, corner >> 2];
            let weight = (0..3).map(|n| if side[n] == 1 { part[n] } else { 1.0 - part[n] }).product::<f32>();
            let voxel: [f32; 3] = std::array::from_fn(|axis| low[axis] + f32::from(side[axis]));
            // Corners outside the image have weight 0.
            if weight > 0.0 {
                let own = &self.fractions[index(voxel, self.shape)];
                for n in 0..5 {
                    sum[n] += weight * own[n];
                }
            }
        }
        sum
    }

    /// Returns the tissue at a position.
    #[inline]
    pub(crate) fn at(&self, place: [f32; 3]) -> Matter {
        let [cortical, sub_cortical, white, csf, pathological] = self.fractions(place);
        let grey = cortical + sub_cortical;
        // `is_brain` is false if a tissue fraction is NaN.
        let is_brain = grey + white + csf + pathological >= 0.5;
        if !is_brain {
            Matter::Nothing
        } else if white >= grey && white >= csf && white >= pathological {
            Matter::White
        } else if csf > grey && csf >= pathological {
            Matter::Csf
        } else if pathological > grey {
            Matter::Pathological
        } else if cortical >= sub_cortical {
            Matter::Cortical
        } else {
            Matter::SubCortical
        }
    }

    /// Returns the fraction of sub-cortical grey matter at a position.
    pub(crate) fn depth(&self, place: [f32; 3]) -> f32 {
        self.fractions(place)[1]
    }

    /// Returns true if a streamline may stop at a position because no further step is possible there. This is
    /// allowed in sub-cortical grey matter, in pathological tissue, and on the interface of grey and white
    /// matter.
    pub(crate) fn may_end(&self, place: [f32; 3]) -> bool {
        match self.at(place) {
            Matter::Cortical | Matter::SubCortical | Matter::Pathological | Matter::Nothing => true,
            Matter::White => self.white_over_grey(place) <= ON_INTERFACE,
            Matter::Csf => false,
        }
    }

    fn white_over_grey(&self, place: [f32; 3]) -> f32 {
        let [cortical, sub_cortical, white, ..] = self.fractions(place);
        white - (cortical + sub_cortical)
    }

    /// Finds the point at which a step crosses from white matter into grey matter.
    pub(crate) fn crossing(&self, from: [f32; 3], to: [f32; 3]) -> [f32; 3] {
        let between = |part: f32| std::array::from_fn(|n| from[n] + part * (to[n] - from[n]));
        let (mut white, mut grey) = (0.0f32, 1.0f32);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (white + grey);
            if self.white_over_grey(between(middle)) > 0.0 {
                white = middle;
            } else {
                grey = middle;
            }
        }
        between(grey)
    }
}
