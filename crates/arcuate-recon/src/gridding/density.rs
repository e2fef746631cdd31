use super::{Gridding, cells};
use arcuate_core::{Error, Result};
use rayon::prelude::*;

/// Density compensation: a weight for each sample that corrects for the uneven sampling of k-space. The
/// weight is the volume of k-space that the sample represents, in cycles per field of view to the power of
/// the number of dimensions. In a Cartesian scan, each sample has the weight 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DensityCompensation {
    /// No density compensation: all samples have the same weight, the average volume of k-space per sample.
    None,
    /// Density compensation weights that the user gives, one for each sample.
    Given(Vec<f64>),
    /// Weights for which the gridded weights have a density of 1 at every sample (Pipe and Menon 1999,
    /// doi:10.1002/(SICI)1522-2594(199901)41:1<179::AID-MRM25>3.0.CO;2-V). They are computed by 30 iterations
    /// of w ← w / (gridded density of w at the sample).
    PipeMenon,
    /// The weight of a sample is the volume of the sample's Voronoi cell, within a cube of one cycle per
    /// field of view.
    Voronoi,
}

/// Number of iterations of the Pipe–Menon method. Each iteration divides the weight of each sample by the
/// gridded density of all weights at this sample.
const ROUNDS: usize = 30;

impl Gridding {
    /// Returns the density compensation weight of each sample.
    ///
    /// Returns an error if the number of given weights is not the number of samples, or if a weight is
    /// negative or not finite.
    pub fn weights(&self, density: &DensityCompensation) -> Result<Vec<f64>> {
        let count = self.samples.len();
        match density {
            DensityCompensation::None => Ok(vec![self.shape.voxels() as f64 / count as f64; count]),
            DensityCompensation::Given(weights) => {
                let invalid = |problem: String| {
                    Err(Error::invalid(
                        "density compensation",
                        problem,
                        "give one weight of at least 0 per k-space sample",
                    ))
                };
                if weights.len() != count {
                    return invalid(format!(
                        "there are {} sample weights, but the trajectory has {count} samples",
                        weights.len()
                    ));
                }
                match weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
                    Some(n) => invalid(format!("number {n} is {}", weights[n])),
                    None => Ok(weights.clone()),
                }
            }
            DensityCompensation::PipeMenon => Ok(self.pipe_menon()),
            DensityCompensation::Voronoi => Ok(cells::volumes(&self.samples)),
        }
    }

    fn pipe_menon(&self) -> Vec<f64> {
        let per_volume = 1.0 / self.point_volume();
        let mut weights = vec![1.0; self.samples.len()];
        let mut grid = vec![0.0; self.points()];
        for _ in 0..ROUNDS {
            self.spread(|n| weights[n], &mut grid);
            weights.par_iter_mut().enumerate().for_each(|(n, weight)| {
                let density = per_volume * self.gathered(&grid, n);
                // A sample whose gridded density is 0 gets the weight 0.
                *weight = if density > 0.0 { *weight / density } else { 0.0 };
            });
        }
        weights
    }
}
