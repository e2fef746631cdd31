//! FOD images and helpers for tests of FOD tracking.

use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Affine, Control, FiveTissues, Grid, Mask, Tractogram, Volume};
use arcuate_track::{Anatomy, Constraints, FodImage, FodOptions, FodTracks, Seeds, track_fod};
use std::sync::Arc;

/// Creates FODs of fibres in a mask. Each FOD is a sum of smooth lobes around directions, weighted by
/// fractions.
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

/// Fibres that vary in direction and cross, in an ellipsoid.
pub(crate) fn crossing(grid: &Grid, degree: usize) -> FodImage {
    let middle = grid.shape().map(|n| n as f64 / 2.0);
    let inside = |voxel: usize| {
        let at = grid.coordinates(voxel);
        (0..3).map(|axis| ((at[axis] as f64 - middle[axis]) / middle[axis]).powi(2)).sum::<f64>() < 0.95
    };
    let mask = Mask::new(*grid, (0..grid.len()).map(inside).collect()).unwrap();
    tangled(grid, degree, Some(&mask))
}

/// Fibres that vary in direction and cross, in the whole grid or in a mask.
pub(crate) fn tangled(grid: &Grid, degree: usize, mask: Option<&Mask>) -> FodImage {
    image(grid, degree, mask, |[x, y, z]| {
        let (a, b) = (0.04 * y, 1.4 + 0.05 * x);
        vec![([a.cos(), a.sin(), 0.2], 0.6), ([b.cos(), b.sin(), 0.3 * (0.1 * z).sin()], 0.4)]
    })
}

/// Creates tissues around the middle of a grid, on a separate grid. A shell of cortex surrounds white matter,
/// which contains nuclei, CSF and a lesion. Voxels at borders contain several tissues.
pub(crate) fn tissues_about(grid: &Grid) -> Arc<FiveTissues> {
    let shape = grid.shape();
    let middle = grid.affine().apply(shape.map(|n| n as f64 / 2.0 - 0.5));
    let half =
        0.5 * shape.iter().zip(grid.voxel_sizes()).map(|(&n, mm)| n as f64 * mm).fold(f64::MAX, f64::min);
    let within = |p: [f64; 3], at: [f64; 3], radius: f64| {
        (0..3).map(|n| (p[n] - middle[n] - half * at[n]).powi(2)).sum::<f64>() < (half * radius).powi(2)
    };
    let tissue = |p: [f64; 3]| -> Option<usize> {
        let places = [
            (0.28, [0.35, 0.2, 0.1], 1),
            (0.25, [-0.4, -0.3, 0.2], 1),
            (0.22, [0.1, -0.45, -0.2], 3),
            (0.2, [-0.3, 0.45, 0.0], 4),
            (0.8, [0.0; 3], 2),
            (1.1, [0.0; 3], 0),
        ];
        places.iter().find(|(radius, at, _)| within(p, *at, *radius)).map(|&(.., tissue)| tissue)
    };
    let spacing = 1.7;
    let count = (2.6 * half / spacing) as usize;
    let origin = middle.map(|c| c - 0.5 * spacing * (count - 1) as f64);
    let own = Grid::new([count; 3], Affine::scaling([spacing; 3], origin)).unwrap();
    let mut image = Volume::filled(own, 5, 0f32);
    for voxel in 0..own.len() {
        let centre = own.centre(voxel);
        let mut parts = [0f32; 5];
        for corner in 0..8 {
            let p = [0, 1, 2].map(|n| centre[n] + spacing * if corner >> n & 1 == 0 { -0.25 } else { 0.25 });
            if let Some(tissue) = tissue(p) {
                parts[tissue] += 0.125;
            }
        }
        let sum: f32 = parts.iter().sum();
        if sum >= 0.5 {
            image.voxel_mut(voxel).copy_from_slice(&parts.map(|part| part / sum));
        }
    }
    Arc::new(FiveTissues::new(image).unwrap())
}

/// Input of a tracking run.
pub(crate) struct Problem {
    pub(crate) image: FodImage,
    pub(crate) seeds: Seeds,
    pub(crate) constraints: Constraints,
    pub(crate) options: FodOptions,
}

impl Problem {
    /// Few streamlines through crossing fibres.
    pub(crate) fn new() -> Self {
        let image = crossing(&oblique([14, 13, 11]), 8);
        let seeds = Seeds::random(image.mask().unwrap(), 150);
        let options = FodOptions { seed: 5, min_length_mm: 8.0, ..FodOptions::default() };
        Self { image, seeds, constraints: Constraints::default(), options }
    }

    /// The same run with anatomical constraints.
    pub(crate) fn in_tissues() -> Self {
        let mut problem = Self::new();
        let once = Anatomy::new(tissues_about(problem.image.grid()));
        problem.constraints.anatomy = Some(Anatomy { back_track: true, ..once });
        problem
    }

    pub(crate) fn follow(&self, device: &Device) -> (Tractogram, FodTracks) {
        let Self { image, seeds, constraints, options } = self;
        let mut found = Tractogram::new();
        let tracks =
            track_fod(image, seeds, constraints, options, device, &mut found, &Control::default()).unwrap();
        (found, tracks)
    }

    /// Fails if a device gives other streamlines than the CPU, or another order of them. Returns the results
    /// of the CPU.
    pub(crate) fn assert_same_bits_on(&self, device: &Device, which: &str) -> FodTracks {
        let (expected, here) = self.follow(&Device::Cpu);
        let (found, there) = self.follow(device);
        assert_eq!(here.device_name, "the processor");
        assert_ne!(there.device_name, "the processor", "{which}");
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
