use crate::outcome::Outcome;
use arcuate_compute::{Purpose, Random};
use arcuate_core::narrow;
use arcuate_evaluate::{Dictionary, Element, SparseTucker};
use arcuate_solve::LinearOperator;
use rayon::prelude::*;

/// Coefficients of a random LiFE problem. Their voxels, dictionary atoms and streamlines are uniformly
/// random, and their values are from 0.5 to 1.5. They are sorted by voxel, then by atom, then by streamline.
pub(super) struct RandomCoefficients {
    voxel_starts: Vec<usize>,
    atoms: Vec<u16>,
    members: Vec<u32>,
    values: Vec<f32>,
    streamlines: usize,
}

impl RandomCoefficients {
    pub(super) fn new(voxels: usize, streamlines: usize, coefficients: usize, atoms: usize) -> Self {
        let mean = coefficients as f64 / voxels as f64;
        let pieces: Vec<Vec<(u16, u32, f32)>> = (0..voxels as u64)
            .into_par_iter()
            .map(|voxel| {
                let mut random = Random::new(0, Purpose::Resampling, voxel);
                // The number of coefficients in a voxel is nearly Poisson-distributed, as for coefficients
                // that are placed independently.
                let count = (mean + mean.sqrt() * random.normal()).round().max(0.0) as usize;
                let mut here: Vec<(u16, u32, f32)> = (0..count)
                    .map(|_| {
                        let atom = narrow::<u16>(random.below(atoms));
                        (atom, narrow::<u32>(random.below(streamlines)), 0.5 + random.uniform() as f32)
                    })
                    .collect();
                here.sort_unstable_by_key(|&(atom, member, _)| (atom, member));
                here.dedup_by_key(|&mut (atom, member, _)| (atom, member));
                here
            })
            .collect();
        let total = pieces.iter().map(Vec::len).sum();
        let mut all = Self {
            voxel_starts: vec![0],
            atoms: Vec::with_capacity(total),
            members: Vec::with_capacity(total),
            values: Vec::with_capacity(total),
            streamlines,
        };
        for piece in pieces {
            for (atom, member, value) in piece {
                all.atoms.push(atom);
                all.members.push(member);
                all.values.push(value);
            }
            all.voxel_starts.push(all.values.len());
        }
        all
    }

    pub(super) fn operator<T: Element>(&self, dictionary: &Dictionary) -> Outcome<SparseTucker<T>> {
        let values = self.values.iter().map(|&v| T::of(f64::from(v))).collect();
        let members = self.members.clone();
        Ok(SparseTucker::new(dictionary, self.streamlines, &self.voxel_starts, &self.atoms, members, values)?)
    }

    /// Returns simulated data: the prediction from weights of which about a fifth are above 0, with noise.
    /// The standard deviation of the noise is half the root mean square of the signal.
    pub(super) fn data(&self, operator: &SparseTucker<f64>) -> Vec<f64> {
        let weights = planted_weights(self.streamlines);
        let mut data = vec![0.0; operator.rows()];
        operator.forward(&weights, &mut data);
        let strength = 0.5 * (arcuate_solve::vector::norm_squared(&data) / data.len() as f64).sqrt();
        data.par_chunks_mut(operator.directions()).enumerate().for_each(|(voxel, data)| {
            let mut random = Random::new(0, Purpose::Noise, voxel as u64);
            for y in data {
                *y += strength * random.normal();
            }
        });
        data
    }
}

/// The fraction of weights above 0 in the published solution: 106,000 of 500,000 weights.
const POSITIVE: f64 = 0.212;

/// Returns streamline weights that resemble a solution of LiFE: most are 0, and the others are random.
pub(crate) fn planted_weights(streamlines: usize) -> Vec<f64> {
    let mut random = Random::new(0, Purpose::Resampling, u64::MAX);
    (0..streamlines)
        .map(|_| {
            let (chosen, value) = (random.uniform() < POSITIVE, random.uniform());
            if chosen { value } else { 0.0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_coefficients_have_the_requested_counts() {
        let (voxels, streamlines, coefficients, atoms) = (400, 3000, 40_000, 97);
        let all = RandomCoefficients::new(voxels, streamlines, coefficients, atoms);
        // The total number of coefficients is nearly Poisson-distributed. The test allows a difference of six
        // standard deviations from the mean.
        assert!(all.values.len().abs_diff(coefficients) < 1200, "{}", all.values.len());
        assert_eq!(all.atoms.iter().collect::<std::collections::BTreeSet<_>>().len(), atoms);
        // Each of the 3,000 streamlines has 13 coefficients on average. The probability that some streamline
        // has no coefficient is about 1/200.
        let seen = all.members.iter().collect::<std::collections::BTreeSet<_>>().len();
        assert!(seen >= streamlines - 3, "{seen}");
        let dictionary = Dictionary::new(2, (0..2 * atoms).map(|n| n as f64).collect()).unwrap();
        let operator = all.operator::<f64>(&dictionary).unwrap();
        assert_eq!((operator.voxels(), operator.columns()), (voxels, streamlines));
        let positive = planted_weights(streamlines).iter().filter(|w| **w > 0.0).count() as f64;
        // The test allows a difference of six standard deviations from the mean number of positive weights: 6
        // · √(3000 · 0.21 · 0.79).
        assert!((positive - POSITIVE * streamlines as f64).abs() < 135.0, "{positive}");
    }
}
