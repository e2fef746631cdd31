use crate::bundles::Bundle;
use crate::tissues::TissueTruth;
use arcuate_core::{GradientTable, Grid, Labels, Mask, Tractogram, Volume};

/// Options of the simulated brain, for [`simulate`](crate::simulate).
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomOptions {
    /// Edge length of the cubic voxels in mm. The image shows the whole head along the scanner axes. Ignored
    /// if `grid` is given.
    pub voxel_size_mm: f64,
    /// An image grid to use instead. It may be oblique, flipped or anisotropic, and may cover only a part of
    /// the head.
    pub grid: Option<Grid>,
    /// Signal-to-noise ratio: S₀ of white matter divided by the standard deviation of the noise. `None` for
    /// no noise.
    pub snr: Option<f64>,
    /// Seed of all random numbers, which determine the noise and the choice of true streamlines.
    pub seed: u64,
    /// Number of true streamlines per bundle.
    pub streamlines_per_bundle: usize,
    /// Number of evenly spaced points along each edge of a voxel. The voxel's content is computed at these
    /// points.
    pub samples_per_edge: usize,
    /// True for realistic tissues and their [ground truth](TissueTruth). CSF is then 3.5 times as bright as
    /// white matter. All white matter consists of fibres with one response, which are dispersed over all
    /// directions outside bundles. A bias field varies the brightness of the image, but does not affect the
    /// noise.
    pub tissues: bool,
}

impl Default for PhantomOptions {
    /// Returns the default options: 2.5 mm voxels (48 × 56 × 44), SNR 30, 200 streamlines per bundle, 4³
    /// points per voxel, and no realistic tissues.
    fn default() -> Self {
        Self {
            voxel_size_mm: 2.5,
            grid: None,
            snr: Some(30.0),
            seed: 1,
            streamlines_per_bundle: 200,
            samples_per_edge: 4,
            tissues: false,
        }
    }
}

/// A simulated scan of a small brain, and its ground truth. All images have the grid of `dwi`.
#[derive(Debug, Clone)]
pub struct Phantom {
    /// The simulated diffusion data, with one channel per row of `gradients`, in arbitrary units.
    pub dwi: Volume<f32>,
    /// The gradient table of the data.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two receiver channels (real and imaginary). 0 without
    /// noise.
    pub noise_level: f64,
    /// Mask of the voxels with at least half of their volume in the head (the brain and the CSF around it).
    pub brain_mask: Mask,
    /// Mask of the voxels with at least half of their volume in white matter.
    pub white_matter: Mask,
    /// The labelled grey matter at the ends of bundles, with one named region per end. The rest of the cortex
    /// has no label.
    pub labels: Labels,
    /// Fractions of cerebrospinal fluid, grey matter and white matter of each voxel, in three channels. Their
    /// sum is 1 inside the head, and less at its surface.
    pub tissue_fractions: Volume<f32>,
    /// Fraction of each voxel that the fibres of a bundle fill. There is one channel per bundle, in the order
    /// of `bundles`. Bundles that share a point have equal fractions of it.
    pub bundle_fractions: Volume<f32>,
    /// The mean directions of up to three bundles in a voxel, in scanner axes, with three channels each. The
    /// length of a vector is the bundle's fraction of the voxel. Vectors are sorted by length and padded with
    /// zeros.
    pub peaks: Volume<f32>,
    /// True streamlines, with one group per bundle and its name. They follow the fibres exactly and end inside the
    /// labelled grey matter.
    pub truth: Tractogram,
    /// The bundles of the brain.
    pub bundles: Vec<Bundle>,
    /// The ground truth of realistic tissues, if requested.
    pub tissues: Option<TissueTruth>,
}

impl Phantom {
    /// Names of the channels of [`tissue_fractions`](Self::tissue_fractions).
    pub const TISSUES: [&'static str; 3] = ["cerebrospinal fluid", "grey matter", "white matter"];
}
