//! Converts streamlines to sparse coefficients. A coefficient is the amount of one streamline in one voxel
//! along one orientation (Caiafa and Pestilli 2017, doi:10.1038/s41598-017-09250-w: the tensor Φ).

mod batch;
mod coefficients;
mod constants;
mod counts;
mod cpu;
mod cuda;
mod kernels;

pub use coefficients::{Encoding, EncodingOptions, NodeValue};

use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Error, Mask, Result, StreamlineSource};

/// Returns the error for a tractogram in which no point is inside the mask.
pub(crate) fn no_streamline_in_mask() -> Error {
    Error::invalid(
        "tractogram",
        "no streamline passes a voxel of the mask",
        "check that the tractogram belongs to this scan (same subject, same space, RAS mm)",
    )
}

impl Encoding {
    /// Converts the streamlines of a tractogram (RAS mm) to coefficients, in the voxels of `mask`. The
    /// streamlines can also come from a file that is read in batches. Each point of a streamline is a node
    /// with a voxel, an orientation and a value. The voxel contains the point. The orientation is the nearest
    /// one to the streamline's tangent (central differences). Streamlines with fewer than two points have no
    /// tangent and no coefficients.
    ///
    /// If there are several GPUs, the first one converts all streamlines. The coefficients are bit-identical
    /// on any device and for any memory size.
    ///
    /// Returns an error if there are more than 65,536 orientations, or more than 2³² voxels or streamlines.
    /// Also returns an error if no point of a streamline is in the mask.
    pub fn new(
        source: &dyn StreamlineSource,
        mask: &Mask,
        options: &EncodingOptions,
        device: &Device,
    ) -> Result<Self> {
        if options.orientations.len() > 1 << 16 {
            let problem =
                format!("the table has {} orientations, more than 65,536", options.orientations.len());
            return Err(Error::usage("‘orientations’", problem, "ask for fewer"));
        }
        if u32::try_from(mask.grid().len()).is_err() {
            let problem = "more than 4,294,967,295 voxels";
            return Err(Error::invalid("mask", problem, "evaluate the brain in parts"));
        }
        let encoding = with_fallback("encoding", device, |device| match device {
            Device::Cpu => cpu::encode(source, mask, options),
            Device::Cuda(gpus) => cuda::encode(source, mask, options, gpus.first()),
        })?;
        if encoding.values.is_empty() {
            return Err(no_streamline_in_mask());
        }
        Ok(encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::DeviceChoice;
    use arcuate_core::{Affine, Grid, Orientations, Tractogram};

    /// Returns the CPU as a device. If a GPU or its emulation is available, also returns a GPU device.
    fn devices(test: &str) -> Vec<Device> {
        let gpu = arcuate_emulation::available(test).then(|| DeviceChoice::Cuda(vec![0]).open(None).unwrap());
        [Device::Cpu].into_iter().chain(gpu).collect()
    }

    fn grid() -> Grid {
        Grid::new([5, 4, 3], Affine::scaling([2.0, 2.0, 2.0], [0.0; 3])).unwrap()
    }

    fn options(node_value: NodeValue) -> EncodingOptions {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        EncodingOptions { orientations: Orientations::new(&axes).unwrap(), node_value }
    }

    fn corner() -> Tractogram {
        let mut t = Tractogram::new();
        t.push(&[]);
        // The test streamline has three points along x, then points along y, and then leaves the image.
        t.push(&[
            [0.0, 0.0, 0.0],
            [0.5, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [2.0, 2.0, 0.0],
            [2.0, 6.9, 0.0],
            [2.0, 8.9, 0.0],
        ]);
        t.push(&[[1.0, 1.0, 1.0]]);
        t
    }

    #[test]
    fn nodes_are_encoded_as_voxels_atoms_and_values() {
        let mask = Mask::full(grid());
        for device in devices("nodes_are_encoded_as_voxels_atoms_and_values") {
            let encode = |value| Encoding::new(&corner(), &mask, &options(value), &device).unwrap();
            let counts = encode(NodeValue::Count);
            let all: Vec<_> = (0..counts.voxels.len())
                .flat_map(|n| {
                    let voxel = counts.voxels[n];
                    counts.coefficients_of(n).map(move |(a, s, v)| (voxel, a, s, v))
                })
                .collect();
            // Voxel (0,0,0) has two nodes whose tangents are along x. Voxel (1,0,0) has one node whose
            // tangent (1.5, 2) is nearest to y.
            assert_eq!(all, [(0, 0, 1, 2.0), (1, 1, 1, 1.0), (6, 1, 1, 1.0), (16, 1, 1, 1.0)], "{device}");
            assert_eq!(counts.nodes_outside(), 1);
            let lengths = encode(NodeValue::Length);
            for (value, expected) in lengths.values.iter().zip([0.25 + 1.0, 1.75, 1.0 + 2.45, 2.45 + 1.0]) {
                // The comparison has a tolerance, because 6.9 and 8.9 are not multiples of 2⁻²³.
                assert!((value - expected).abs() < 1e-6, "{device}");
            }
            assert_eq!(counts.numbers_by_first_voxel(), [1, 0, 2]);
            assert_eq!(counts.voxels_of(&[false, true, false]), [0, 1, 2, 3]);
            assert!(counts.voxels_of(&[true, false, true]).is_empty());
        }
    }

    #[test]
    fn only_voxels_of_the_mask_are_encoded() {
        let mut inside = vec![false; grid().len()];
        inside[6] = true;
        let mask = Mask::new(grid(), inside).unwrap();
        for device in devices("only_voxels_of_the_mask_are_encoded") {
            let encoding = Encoding::new(&corner(), &mask, &options(NodeValue::Count), &device).unwrap();
            assert_eq!((encoding.voxels(), encoding.nodes_outside()), ([6].as_slice(), 5), "{device}");
        }
    }

    #[test]
    fn streamlines_in_another_space_are_an_error() {
        let mut t = Tractogram::new();
        t.push(&[[500.0, 0.0, 0.0], [501.0, 0.0, 0.0]]);
        for device in devices("streamlines_in_another_space_are_an_error") {
            let error =
                Encoding::new(&t, &Mask::full(grid()), &options(NodeValue::Count), &device).unwrap_err();
            assert_eq!(
                error.to_string(),
                "tractogram: no streamline passes a voxel of the mask; check that the tractogram belongs \
                 to this scan (same subject, same space, RAS mm)",
                "{device}"
            );
        }
    }

    #[test]
    fn the_encoding_does_not_depend_on_the_number_of_threads() {
        let mut t = Tractogram::new();
        for n in 0..3000 {
            let line: Vec<_> = (0..20)
                .map(|p| {
                    let s = (n * 20 + p) as f32;
                    [
                        4.0 + 4.0 * (0.11 * s).sin(),
                        3.0 + 3.0 * (0.07 * s).cos(),
                        2.0 + 2.0 * (0.013 * s).sin(),
                    ]
                })
                .collect();
            t.push(&line);
        }
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mask = Mask::full(grid());
            pool.install(|| Encoding::new(&t, &mask, &options(NodeValue::Length), &Device::Cpu).unwrap())
        };
        let one = on(1);
        assert_eq!(one, on(3));
        for n in 0..one.voxels.len() {
            let keys: Vec<_> = one.coefficients_of(n).map(|(a, s, _)| (a, s)).collect();
            assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
