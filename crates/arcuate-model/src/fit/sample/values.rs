//! Memory layout of samples: the values are ordered by voxel, then chain, then the number of the sample.

use super::plan::ChainPlan;
use arcuate_numbers::Real;

/// Returns the number of values in all samples of one chain in one voxel.
pub(super) fn width<T: Real>(plan: &ChainPlan<T>) -> usize {
    plan.samples() * plan.sample_numbers()
}

/// Copies the samples of one chain to their positions in `values`, which has the samples of all chains.
/// `chain` is the index of this chain, and `chains` the number of chains. `width` is the number of values of
/// one chain in one voxel.
pub(super) fn put<T: Real>(samples: &[T], width: usize, [chain, chains]: [usize; 2], values: &mut [f32]) {
    let of_voxel = (chains * width).max(1);
    for (samples, values) in samples.chunks_exact(width.max(1)).zip(values.chunks_exact_mut(of_voxel)) {
        let own = &mut values[chain * width..][..width];
        own.iter_mut().zip(samples).for_each(|(own, sample)| *own = sample.double() as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_a_voxel_are_contiguous() {
        let mut values = [0.0f32; 12];
        // The test has two voxels, each with three chains of two values.
        put(&[1.0f64, 2.0, 7.0, 8.0], 2, [0, 3], &mut values);
        put(&[5.0f32, 6.0, 11.0, 12.0], 2, [2, 3], &mut values);
        put(&[3.0f32, 4.0, 9.0, 10.0], 2, [1, 3], &mut values);
        assert_eq!(values, std::array::from_fn(|n| n as f32 + 1.0));
    }
}
