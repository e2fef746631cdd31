//! The samples of one voxel in the order in which the chains drew them.

use super::convergence::Diagnostics;
use super::moments::{dyadic, principal_axis};
use super::results::{ModelSamples, SampledParameter};

/// The samples of one parameter in one voxel, in the order in which the chains drew them.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The samples of each chain, in the unit of the parameter. For an orientation, the values are angles to
    /// the principal axis of all samples, from 0 to 90 degrees.
    pub chains: Vec<Vec<f64>>,
    /// R̂, and the effective numbers of samples in the bulk and in the tails of the distribution. `None` if
    /// they are not defined ([`ModelSamples::convergence_of`]).
    pub convergence: Option<[f64; 3]>,
}

impl ModelSamples {
    /// Returns the samples of a parameter in a voxel of the image, in the order in which they were drawn.
    /// Returns `None` if the voxel has no samples.
    pub fn trace(&self, voxel: usize, parameter: &SampledParameter) -> Option<Trace> {
        let place = self.voxels.binary_search(&voxel).ok()?;
        let width = self.chains * self.samples * self.numbers;
        let own = &self.values[place * width..][..width];
        let axis =
            (parameter.numbers == 3).then(|| principal_axis(&dyadic(own, parameter.first, self.numbers)).0);
        let value = |row: &[f32]| {
            let numbers = parameter.of(row);
            axis.map_or(f64::from(numbers[0]), |axis| angle(axis, [0, 1, 2].map(|n| f64::from(numbers[n]))))
        };
        let of_chain = |rows: &[f32]| rows.chunks_exact(self.numbers).map(value).collect();
        let diagnostics = Diagnostics::new(self.chains, self.samples);
        let convergence = self.convergence_in(own, parameter, diagnostics.as_ref());
        let convergence = convergence.map(|found| [found.hat, found.bulk, found.tail]);
        let chains = own.chunks_exact(self.samples * self.numbers).map(of_chain).collect();
        Some(Trace { chains, convergence })
    }
}

/// Returns the angle between two axes (orientations without sign) in degrees. The angle is computed from its
/// tangent, because cosines in single precision cannot resolve angles near 0.
fn angle([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> f64 {
    let across = [b * z - c * y, c * x - a * z, a * y - b * x];
    let sine = across.iter().map(|component| component * component).sum::<f64>().sqrt();
    sine.atan2((a * x + b * y + c * z).abs()).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::angle;

    #[test]
    fn angles_are_between_axes() {
        let at = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0];
        for (degrees, expected) in [(0.0, 0.0), (1e-4, 1e-4), (37.0, 37.0), (90.0, 90.0), (143.0, 37.0)] {
            let found = angle(at(0.0), at(degrees));
            assert!((found - expected).abs() < 1e-9, "{degrees}: {found}");
        }
    }
}
