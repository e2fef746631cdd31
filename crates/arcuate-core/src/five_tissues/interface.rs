//! The interface between grey and white matter in a five-tissue-type image.

use super::{FiveTissue, FiveTissues, neighbours};
use crate::Volume;

/// Maximum number of Newton steps from a point to the interface of grey and white matter.
const MOVES: usize = 20;
/// A point is on the interface if its grey and white matter fractions differ by less than this number.
const ON_INTERFACE: f64 = 1e-4;
/// Distances, in voxels, over which slopes are estimated by central differences. The larger distance is used
/// if the image does not change over the smaller distance.
const SIDES: [f64; 2] = [0.1, 0.5];

impl FiveTissues {
    /// Computes the amount of grey–white interface in each voxel, from 0 to 1. Grey matter includes cortical
    /// and sub-cortical grey matter.
    ///
    /// Let g and w be the fractions of grey and white matter in a voxel. The amount of interface is (g + w) ·
    /// √(Σ s²), where each factor is limited to 1. The sum is over the three axes. For each axis, s is the
    /// sum of √(−Δg Δw) over the voxel's two neighbours. Δg and Δw are the changes of g and w from the voxel
    /// to a neighbour. A neighbour counts only if Δg and Δw have opposite signs.
    ///
    /// Seeds of anatomically-constrained tractography are drawn from this image (Smith et al. 2012,
    /// doi:10.1016/j.neuroimage.2012.06.005). MRtrix's `5tt2gmwmi` serves the same purpose, but computes
    /// other values.
    pub fn interface(&self) -> Volume<f32> {
        let grid = *self.grid();
        let mut image = Volume::filled(grid, 1, 0f32);
        for (voxel, value) in image.values_mut().iter_mut().enumerate() {
            let [grey, white] = self.grey_and_white(voxel);
            if grey + white > 0.0 {
                let mut steps = [0f32; 3];
                for (n, neighbour) in neighbours(&grid, voxel).enumerate() {
                    // A neighbouring voxel outside the image adds nothing to the sum, as if it had the same
                    // tissue fractions as this voxel.
                    if let Some([g, w]) = neighbour.map(|neighbour| self.grey_and_white(neighbour)) {
                        steps[n / 2] += (-(g - grey) * (w - white)).max(0.0).sqrt();
                    }
                }
                let length = steps.iter().map(|step| step * step).sum::<f32>().sqrt();
                *value = (grey + white).min(1.0) * length.min(1.0);
            }
        }
        image
    }

    /// The fractions of grey matter (cortical and sub-cortical) and white matter in a voxel.
    fn grey_and_white(&self, voxel: usize) -> [f32; 2] {
        let [cortical, sub_cortical, white, ..] = self.fractions(voxel);
        [cortical + sub_cortical, white]
    }

    /// Finds a point on the interface of grey and white matter near a given point (RAS mm). On the interface,
    /// the trilinear grey and white matter fractions differ by less than 0.0001 and their sum exceeds 0.5.
    /// Newton's method follows the slope of the difference of both fractions, with steps of at most half a
    /// voxel. Returns `None` if 20 steps do not reach the interface.
    pub fn on_interface(&self, point: [f64; 3]) -> Option<[f64; 3]> {
        let grid = self.grid();
        let mut at = grid.inverse().apply(point);
        for _ in 0..MOVES {
            grid.voxel_containing(at)?;
            let difference = self.grey_over_white(at);
            if difference.abs() < ON_INTERFACE {
                let white = self.image().trilinear(FiveTissue::White.volume(), at);
                return (2.0 * white + difference > 0.5).then(|| grid.affine().apply(at));
            }
            // If the tissue fractions do not change over the smaller distance, the slope over the larger
            // distance is used.
            let slopes = SIDES.map(|side| self.slope(at, side));
            let square_of = |slope: &[f64; 3]| slope.iter().map(|s| s * s).sum::<f64>();
            let slope = slopes.into_iter().find(|slope| square_of(slope) > 1e-12)?;
            let square = square_of(&slope);
            let step = (difference / square).clamp(-0.5 / square.sqrt(), 0.5 / square.sqrt());
            at = std::array::from_fn(|axis| at[axis] - step * slope[axis]);
        }
        None
    }

    /// Slope of the grey matter fraction minus the white matter fraction along each grid axis. The slope is a
    /// central difference with points at a distance of `side` voxels in both directions.
    fn slope(&self, at: [f64; 3], side: f64) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let [mut before, mut behind] = [at; 2];
            before[axis] -= side;
            behind[axis] += side;
            (self.grey_over_white(behind) - self.grey_over_white(before)) / (2.0 * side)
        })
    }

    /// The grey matter fraction (cortical and sub-cortical) minus the white matter fraction, at voxel
    /// coordinates.
    fn grey_over_white(&self, at: [f64; 3]) -> f64 {
        let fraction = |tissue: FiveTissue| self.image().trilinear(tissue.volume(), at);
        fraction(FiveTissue::CorticalGrey) + fraction(FiveTissue::SubCorticalGrey)
            - fraction(FiveTissue::White)
    }
}
