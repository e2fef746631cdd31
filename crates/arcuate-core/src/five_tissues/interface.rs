//! Where grey and white matter meet.

use super::{FiveTissue, FiveTissues, neighbours};
use crate::Volume;

/// How often a point is moved towards the interface.
const MOVES: usize = 20;
/// Difference of the fractions of grey and white matter that counts as none.
const ON_INTERFACE: f64 = 1e-4;
/// Slopes are taken over so much to each side, in voxels: a place at which nothing changes does not hide what is beside it.
const SIDES: [f64; 2] = [0.1, 0.5];

impl FiveTissues {
    /// How much of the interface of grey matter (cortical or not) and white matter is in each voxel, 0 to 1: with g and w the
    /// fractions of the two there and Δg, Δw what the voxel beside has more, (g + w) · √(Σ s²) over the three axes, 1 at most, where
    /// s is the sum of √(−Δg Δw) over the two voxels beside it along an axis in which the one is more and the other less. What seeds of
    /// anatomically-constrained tractography are drawn from (Smith et al. 2012, doi:10.1016/j.neuroimage.2012.06.005), as from the
    /// image of MRtrix's `5tt2gmwmi`, whose values are others.
    pub fn interface(&self) -> Volume<f32> {
        let grid = *self.grid();
        let mut image = Volume::filled(grid, 1, 0f32);
        for (voxel, value) in image.values_mut().iter_mut().enumerate() {
            let [grey, white] = self.grey_and_white(voxel);
            if grey + white > 0.0 {
                let mut steps = [0f32; 3];
                for (n, beside) in neighbours(&grid, voxel).enumerate() {
                    // Outside the image it goes on as it is.
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

    /// The fractions of grey matter, cortical or not, and white matter in a voxel.
    fn grey_and_white(&self, voxel: usize) -> [f32; 2] {
        let [cortical, sub_cortical, white, ..] = self.fractions(voxel);
        [cortical + sub_cortical, white]
    }

    /// The place of the interface of grey and white matter near a point (RAS mm): where the fractions of both, trilinear, are the
    /// same, to 0.0001, and more than half of the tissue is one of them. It is found by steps along the slope of their difference
    /// (Newton's method), none longer than half a voxel; nothing where 20 steps do not lead to it.
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
            // Farther off where nothing changes near by.
            let slopes = SIDES.map(|side| self.slope(at, side));
            let square_of = |slope: &[f64; 3]| slope.iter().map(|s| s * s).sum::<f64>();
            let slope = slopes.into_iter().find(|slope| square_of(slope) > 1e-12)?;
            let square = square_of(&slope);
            let step = (difference / square).clamp(-0.5 / square.sqrt(), 0.5 / square.sqrt());
            at = std::array::from_fn(|axis| at[axis] - step * slope[axis]);
        }
        None
    }

    /// How much more grey than white matter there is farther along each axis of the lattice, by so much to each side.
    fn slope(&self, at: [f64; 3], side: f64) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let [mut before, mut behind] = [at; 2];
            before[axis] -= side;
            behind[axis] += side;
            (self.grey_over_white(behind) - self.grey_over_white(before)) / (2.0 * side)
        })
    }

    /// The fraction of grey matter, cortical or not, less that of white matter, at voxel coordinates.
    fn grey_over_white(&self, at: [f64; 3]) -> f64 {
        let fraction = |tissue: FiveTissue| self.image().trilinear(tissue.volume(), at);
        fraction(FiveTissue::CorticalGrey) + fraction(FiveTissue::SubCorticalGrey)
            - fraction(FiveTissue::White)
    }
}
