use super::{Gridding, cells};
use arcuate_core::{Error, Result};
use num_complex::Complex;
use rayon::prelude::*;

/// What samples are weighed with so that dense parts of k-space do not count for more: the part of k-space that is each
/// sample's, in cycles per field of view to the power of the dimensions; that of a Cartesian sample is 1.
#[derive(Debug, Clone, PartialEq)]
pub enum DensityCompensation {
    /// The same for all, as much as the samples have of the grid altogether on average.
    None,
    /// These.
    Given(Vec<f64>),
    /// Weights that make the gridded density 1 at every sample (Pipe and Menon 1999,
    /// doi:10.1002/(SICI)1522-2594(199901)41:1<179::AID-MRM25>3.0.CO;2-V): w ← w / (density of w), 30 times.
    PipeMenon,
    /// The volume of the sample's Voronoi cell, within a cube of a cycle per field of view.
    Voronoi,
}

/// Times that weights are divided by their density.
const ROUNDS: usize = 30;

impl Gridding {
    /// The weight of each sample.
    ///
    /// Fails where given ones are not as many as samples, or one is negative or not finite.
    pub fn weights(&self, density: &DensityCompensation) -> Result<Vec<f64>> {
        let count = self.samples.len();
        match density {
            DensityCompensation::None => Ok(vec![self.shape.voxels() as f64 / count as f64; count]),
            DensityCompensation::Given(weights) => {
                let invalid = |problem: String| {
                    Err(Error::invalid(
                        "density compensation",
                        problem,
                        "give a number of 0 or more for each sample",
                    ))
                };
                if weights.len() != count {
                    return invalid(format!("{} weights are not of the {count} samples", weights.len()));
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
        for _ in 0..ROUNDS {
            let grid = self.spread(|n| Complex::new(weights[n], 0.0));
            weights.par_iter_mut().enumerate().for_each(|(n, weight)| {
                let density = per_volume * self.gathered(&grid, n);
                // A sample without density has no weight.
                *weight = if density > 0.0 { *weight / density } else { 0.0 };
            });
        }
        weights
    }
}
