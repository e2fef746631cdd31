use crate::bundles::Bundle;
use crate::tissues::TissueTruth;
use arcuate_core::{GradientTable, Grid, Labels, Mask, Tractogram, Volume};

/// What to simulate.
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomOptions {
    /// Edge of the cubic voxels in mm, for the image that covers the head along the scanner's axes. Not used where
    /// `grid` is given.
    pub voxel_size_mm: f64,
    /// Another image grid: oblique, flipped, anisotropic or covering only a part of the head.
    pub grid: Option<Grid>,
    /// S₀ of white matter over the standard deviation of the noise; nothing means no noise.
    pub snr: Option<f64>,
    /// Start of all random numbers: noise, and which fibres of a bundle become true streamlines.
    pub seed: u64,
    /// True streamlines of each bundle.
    pub streamlines_per_bundle: usize,
    /// A voxel's content is that of this many points along each of its edges, spread evenly.
    pub samples_per_edge: usize,
    /// Tissues as real ones, with the [truth](TissueTruth) about them: fluid 3.5 times as bright as white matter, all white matter
    /// of fibres with one response, outside bundles spread over all directions, and a field by which the image is brighter here than
    /// there. Noise does not follow that field.
    pub tissues: bool,
}

impl Default for PhantomOptions {
    /// 2.5 mm voxels (48 × 56 × 44), SNR 30, 200 streamlines a bundle, 4³ points a voxel, without real
    /// tissues.
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

/// A simulated measurement of a small brain, and the truth about it. All images have the grid of `dwi`.
#[derive(Debug, Clone)]
pub struct Phantom {
    /// The measurement: one channel per row of `gradients`, arbitrary units.
    pub dwi: Volume<f32>,
    /// The gradient table that was asked for.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two channels of the receiver; 0 without noise.
    pub noise_level: f64,
    /// Voxels of which at least half lies in the head: brain and the fluid around it.
    pub brain_mask: Mask,
    /// Voxels of which at least half is white matter.
    pub white_matter: Mask,
    /// The grey matter in which bundles end: one region per end, named. The rest of the cortex has no number.
    pub labels: Labels,
    /// Three channels: the fractions of a voxel that are cerebrospinal fluid, grey matter and white matter. They add
    /// up to 1 inside the head and to less at its surface.
    pub tissue_fractions: Volume<f32>,
    /// One channel per bundle, in the order of `bundles`: the fraction of a voxel that its fibres fill. Where
    /// bundles share a place, each has an equal part of it.
    pub bundle_fractions: Volume<f32>,
    /// Up to three vectors of three channels each, scanner axes: the mean directions of the bundles in a voxel,
    /// each as long as the fraction of the voxel that its bundle fills, longest first, zeros after the last.
    pub peaks: Volume<f32>,
    /// Known streamlines, one group per bundle with its name. They follow the fibres exactly and end inside the
    /// labelled grey matter.
    pub truth: Tractogram,
    /// The bundles.
    pub bundles: Vec<Bundle>,
    /// What is true of real tissues, where they were asked for.
    pub tissues: Option<TissueTruth>,
}

impl Phantom {
    /// Channels of [`tissue_fractions`](Self::tissue_fractions).
    pub const TISSUES: [&'static str; 3] = ["cerebrospinal fluid", "grey matter", "white matter"];
}
