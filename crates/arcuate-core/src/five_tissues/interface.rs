//! The interface of grey and white matter.

use super::{FiveTissue, FiveTissues, neighbours};
use crate::Volume;

/// Maximum number of steps towards the interface.
const MOVES: usize = 20;
/// Points with a smaller difference between the grey and white matter fractions are on the interface.
const ON_INTERFACE: f64 = 1e-4;
/// Half-widths of the central differences for slopes, in voxels. The larger one is used where the smaller one
/// finds no change.
const SIDES: [f64; 2] = [0.1, 0.5];

impl FiveTissues {
    /// Computes the amount of grey–white interface in each voxel, from 0 to 1. Grey matter is cortical or
    /// sub-cortical.
    ///
    /// With the fractions g and w of grey and white matter, the amount is (g + w) · √(Σ s²) over the three
    /// axes, at most 1. For each axis, s is the sum of √(−Δg Δw) over the two neighbours in which one
    /// fraction is larger and the other smaller; Δg and Δw are the neighbours' differences.
    ///
    /// Seeds of anatomically-constrained tractography are drawn from this image (Smith et al. 2012,
    /// doi:10.1016/j.neuroimage.2012.06.005). It serves the same purpose as MRtrix's `5tt2gmwmi` but has
    /// other values.
    pub fn interface(&self) -> Volume<f32> {
        let grid = *self.grid();
        let mut image = Volume::filled(grid, 1, 0f32);
        for (voxel, value) in image.values_mut().iter_mut().enumerate() {
            let [grey, white] = self.grey_and_white(voxel);
            if grey + white > 0.0 {
                let mut steps = [0f32; 3];
                for (n, beside) in neighbours(&grid, voxel).enumerate() {
                    // Outside the image, the nearest voxel's values are used.
                    if let Some([g, w]) = beside.map(|beside| self.grey_and_white(beside)) {
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

    /// Finds the grey–white interface near a point (RAS mm). There, the trilinear fractions of both are equal
    /// to 0.0001 and more than half of the tissue is grey or white matter. Newton's method follows the slope
    /// of their difference, with steps of at most half a voxel. Returns `None` if 20 steps do not reach the
    /// interface.
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
            // Uses the wider difference if nothing changes nearby.
            let slopes = SIDES.map(|side| self.slope(at, side));
            let square_of = |slope: &[f64; 3]| slope.iter().map(|s| s * s).sum::<f64>();
            let slope = slopes.into_iter().find(|slope| square_of(slope) > 1e-12)?;
            let square = square_of(&slope);
            let step = (difference / square).clamp(-0.5 / square.sqrt(), 0.5 / square.sqrt());
            at = std::array::from_fn(|axis| at[axis] - step * slope[axis]);
        }
        None
    }

    /// Slope of grey minus white matter along each grid axis, by differences over `side` voxels in both
    /// directions.
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
