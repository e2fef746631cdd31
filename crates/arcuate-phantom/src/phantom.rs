use crate::bundles::Bundle;
use crate::tissues::TissueTruth;
use arcuate_core::{GradientTable, Grid, Labels, Mask, Tractogram, Volume};

/// Options of [`simulate`](crate::simulate).
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomOptions {
    /// Edge length of the cubic voxels in mm, for an image of the whole head along the scanner axes. Ignored if `grid`
    /// is given.
    pub voxel_size_mm: f64,
    /// Another image grid: oblique, flipped, anisotropic or covering only a part of the head.
    pub grid: Option<Grid>,
    /// S₀ of white matter divided by the standard deviation of the noise; `None` for no noise.
    pub snr: Option<f64>,
    /// Seed of all random numbers: noise, and the choice of true streamlines.
    pub seed: u64,
    /// Number of true streamlines per bundle.
    pub streamlines_per_bundle: usize,
    /// Number of evenly spaced points along each edge of a voxel, from which its content is computed.
    pub samples_per_edge: usize,
    /// Whether tissues are realistic, with their [truth](TissueTruth): CSF is 3.5 times as bright as white matter, all
    /// white matter consists of fibres with one response, which are dispersed over all directions outside bundles, and
    /// a bias field varies the brightness of the image. The noise is not affected by this field.
    pub tissues: bool,
}

impl Default for PhantomOptions {
    /// 2.5 mm voxels (48 × 56 × 44), SNR 30, 200 streamlines per bundle, 4³ points per voxel, without realistic
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

/// A simulated scan of a small brain, and its ground truth. All images have the grid of `dwi`.
#[derive(Debug, Clone)]
pub struct Phantom {
    /// The data: one channel per row of `gradients`, in arbitrary units.
    pub dwi: Volume<f32>,
    /// The given gradient table.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two receiver channels; 0 without noise.
    pub noise_level: f64,
    /// Voxels with at least half of their volume in the head: the brain and the CSF around it.
    pub brain_mask: Mask,
    /// Voxels with at least half white matter.
    pub white_matter: Mask,
    /// The grey matter at the ends of bundles: one named region per end. The rest of the cortex has no number.
    pub labels: Labels,
    /// Three channels: the fractions of cerebrospinal fluid, grey matter and white matter in a voxel. Their sum is 1
    /// inside the head, and less at its surface.
    pub tissue_fractions: Volume<f32>,
    /// One channel per bundle, in the order of `bundles`: the fraction of a voxel that its fibres fill. Bundles that
    /// share a point have equal fractions of it.
    pub bundle_fractions: Volume<f32>,
    /// Up to three vectors with three channels each, in scanner axes: the mean directions of the bundles in a voxel.
    /// Their length is the bundle's fraction of the voxel; they are sorted by length and padded with zeros.
    pub peaks: Volume<f32>,
    /// True streamlines, with one group per bundle and its name. They follow the fibres exactly and end inside the
    /// labelled grey matter.
    pub truth: Tractogram,
    /// The bundles.
    pub bundles: Vec<Bundle>,
    /// The ground truth of realistic tissues, if requested.
    pub tissues: Option<TissueTruth>,
}

impl Phantom {
    /// Channels of [`tissue_fractions`](Self::tissue_fractions).
    pub const TISSUES: [&'static str; 3] = ["cerebrospinal fluid", "grey matter", "white matter"];
}
