//! Images of distributions that tests follow, and what they follow them with.

use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Affine, Control, Grid, Mask, Tractogram, Volume};
use arcuate_track::{Constraints, FodImage, FodOptions, FodTracks, Seeds, track_fod};

/// Distributions of some fibres each, within a mask: sums of smooth lobes about directions, with these fractions.
pub(crate) fn image(
    grid: &Grid,
    degree: usize,
    mask: Option<&Mask>,
    fibres: impl Fn([f64; 3]) -> Vec<([f64; 3], f64)>,
) -> FodImage {
    let harmonics = EvenHarmonics::new(degree);
    let (order, degrees) = (harmonics.mrtrix_order(), harmonics.degrees());
    let mut volume = Volume::filled(*grid, harmonics.count(), 0.0f32);
    for voxel in 0..grid.len() {
        for (direction, fraction) in fibres(grid.centre(voxel)) {
            let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
            let values = harmonics.evaluate(direction.map(|c| c / length));
            for (sum, &(at, factor)) in volume.voxel_mut(voxel).iter_mut().zip(&order) {
                let l = (degrees[at] * (degrees[at] + 1)) as f64;
                *sum += (fraction * (-0.02 * l).exp() * factor * values[at]) as f32;
            }
        }
    }
    FodImage::new(&volume, mask).unwrap()
}

pub(crate) fn oblique(shape: [usize; 3]) -> Grid {
    let rows = [[-1.9, 0.3, 0.2, 20.0], [0.25, 1.8, -0.5, -12.0], [0.15, 0.45, 2.4, -6.0]];
    Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap()
}

/// Fibres that turn from place to place and cross, in an ellipsoid.
pub(crate) fn crossing(grid: &Grid, degree: usize) -> FodImage {
    let middle = grid.shape().map(|n| n as f64 / 2.0);
    let inside = |voxel: usize| {
        let at = grid.coordinates(voxel);
        (0..3).map(|axis| ((at[axis] as f64 - middle[axis]) / middle[axis]).powi(2)).sum::<f64>() < 0.95
    };
    let mask = Mask::new(*grid, (0..grid.len()).map(inside).collect()).unwrap();
    tangled(grid, degree, Some(&mask))
}

/// The same in all of a lattice, or in a mask.
pub(crate) fn tangled(grid: &Grid, degree: usize, mask: Option<&Mask>) -> FodImage {
    image(grid, degree, mask, |[x, y, z]| {
        let (a, b) = (0.04 * y, 1.4 + 0.05 * x);
        vec![([a.cos(), a.sin(), 0.2], 0.6), ([b.cos(), b.sin(), 0.3 * (0.1 * z).sin()], 0.4)]
    })
}

/// What a test follows.
pub(crate) struct Problem {
    pub(crate) image: FodImage,
    pub(crate) seeds: Seeds,
    pub(crate) options: FodOptions,
}

impl Problem {
    /// Few streamlines through crossing fibres.
    pub(crate) fn new() -> Self {
        let image = crossing(&oblique([14, 13, 11]), 8);
        let seeds = Seeds::random(image.mask().unwrap(), 150);
        Self { image, seeds, options: FodOptions { seed: 5, min_length_mm: 8.0, ..FodOptions::default() } }
    }

    pub(crate) fn follow(&self, device: &Device) -> (Tractogram, FodTracks) {
        let Self { image, seeds, options } = self;
        let (mut found, none) = (Tractogram::new(), Constraints::default());
        let tracks =
            track_fod(image, seeds, &none, options, device, &mut found, &Control::default()).unwrap();
        (found, tracks)
    }

    /// Fails where a device gives other streamlines than the processor, or another order of them; answers what these are.
    pub(crate) fn assert_same_bits_on(&self, device: &Device, which: &str) -> FodTracks {
        let (expected, here) = self.follow(&Device::Cpu);
        let (found, there) = self.follow(device);
        assert_eq!(here.followed_by, "the processor");
        assert_ne!(there.followed_by, "the processor", "{which}");
        assert_eq!(there.summary, here.summary, "{which}");
        assert!(bits(&found) == bits(&expected), "{which}: other streamlines");
        here
    }
}

pub(crate) fn bits(streamlines: &Tractogram) -> (Vec<u64>, Vec<u32>) {
    let positions = streamlines.positions().iter().flatten().map(|c| c.to_bits()).collect();
    (streamlines.offsets().to_vec(), positions)
}

pub(crate) fn gpu(memory_cap: Option<u64>) -> Device {
    Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(memory_cap))
}
