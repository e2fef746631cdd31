use crate::bundles::Bundle;
use crate::tissues::TissueTruth;
use arcuate_core::{GradientTable, Grid, Labels, Mask, Tractogram, Volume};

/// Options of the simulated brain, for [`simulate`](crate::simulate).
#[derive(Debug, Clone, PartialEq)]
pub struct PhantomOptions {
    /// Edge length of the cubic voxels in mm. The image shows the whole head along the scanner axes. The
    /// value is ignored if `grid` is given.
    pub voxel_size_mm: f64,
    /// A voxel grid that replaces the grid given by `voxel_size_mm`. It may be oblique, flipped or
    /// anisotropic, and may cover only a part of the head.
    pub grid: Option<Grid>,
    /// Signal-to-noise ratio: the signal of white matter without diffusion weighting (S₀), divided by the
    /// standard deviation of the noise. `None` means no noise.
    pub snr: Option<f64>,
    /// Seed of the random number generator, which determines the noise and the choice of true streamlines.
    pub seed: u64,
    /// Number of true streamlines per bundle.
    pub streamlines_per_bundle: usize,
    /// Number of evenly spaced points along each edge of a voxel. The content of the voxel is computed from
    /// the tissues at these points.
    pub samples_per_edge: usize,
    /// True for realistic tissues and their [ground truth](TissueTruth). CSF is then 3.5 times as bright as
    /// white matter. All white matter consists of fibres with the same response. Outside bundles, these
    /// fibres are dispersed over all directions. A bias field varies the brightness of the image, but does
    /// not affect the noise.
    pub tissues: bool,
}

impl Default for PhantomOptions {
    /// Returns the default options: voxels of 2.5 mm (an image of 48 × 56 × 44 voxels) and an SNR of 30. By
    /// default there are also 200 streamlines per bundle, 4³ points per voxel, and no realistic tissues.
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
#[non_exhaustive]
pub struct Phantom {
    /// The simulated diffusion data, in arbitrary units. There is one channel per measurement of `gradients`.
    pub dwi: Volume<f32>,
    /// The gradient table of the data.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two receiver channels (real and imaginary). It is 0
    /// if there is no noise.
    pub noise_level: f64,
    /// Mask of the voxels that are at least half inside the head (the brain and the CSF around it).
    pub brain_mask: Mask,
    /// Mask of the voxels that are at least half inside white matter.
    pub white_matter: Mask,
    /// The grey matter at the ends of bundles, as labelled regions. Each end of a bundle has its own region
    /// with a name. The rest of the cortex has no label.
    pub labels: Labels,
    /// Fractions of cerebrospinal fluid, grey matter and white matter in each voxel, in three channels.
    /// Inside the head, their sum is 1. At the surface of the head, their sum is smaller.
    pub tissue_fractions: Volume<f32>,
    /// Fraction of each voxel that the fibres of each bundle fill. There is one channel per bundle, in the
    /// order of `bundles`. If several bundles contain a point, each bundle gets an equal fraction of the
    /// point.
    pub bundle_fractions: Volume<f32>,
    /// The mean directions of up to three bundles in each voxel, with three channels per bundle (a vector in
    /// scanner axes). The length of the vector is the fraction of the voxel that the bundle fills. The
    /// vectors are sorted by length, longest first. If there are fewer than three bundles, the remaining
    /// channels are 0.
    pub peaks: Volume<f32>,
    /// True streamlines. Each bundle is one group of streamlines, which has the name of the bundle. The
    /// streamlines follow the fibres exactly and end inside the labelled grey matter.
    pub truth: Tractogram,
    /// The bundles of the brain.
    pub bundles: Vec<Bundle>,
    /// The ground truth of realistic tissues. `None` if they were not requested.
    pub tissues: Option<TissueTruth>,
}

impl Phantom {
    /// Names of the channels of [`tissue_fractions`](Self::tissue_fractions).
    pub const TISSUES: [&'static str; 3] = ["cerebrospinal fluid", "grey matter", "white matter"];
}
