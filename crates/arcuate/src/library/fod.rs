//! Spherical deconvolution: response functions, fibre orientation distributions (FODs) and their peaks.
//!
//! ```
//! use arcuate::compute::Device;
//! use arcuate::core::{Control, Orientations};
//! use arcuate::fod::{Response, SingleShell, SingleShellOptions};
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//!
//! let options = PhantomOptions { voxel_size_mm: 6.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(30, 1000.0, 1)?, &options)?;
//! // The response of one fibre: coefficients of degrees 0, 2 and 4 at b = 1000 s/mm².
//! let response = Response::new(vec![vec![500.0, -200.0, 30.0]])?;
//! // The directions in which amplitudes must not be negative.
//! let constraints = Orientations::half_sphere(300).directions().to_vec();
//! let options = SingleShellOptions::default();
//! let fit = SingleShell::new(&brain.gradients, &response, &constraints, &options)?;
//! let fods = fit.fit_volume(&brain.dwi, &brain.brain_mask, &Device::Cpu, &Control::default())?;
//! assert_eq!(fods.coefficients[0].channels(), fit.count());
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_fod::estimate::{
    DhollanderOptions, DhollanderResponses, SingleFibreResponse, TissueResponse, TournierOptions,
    dhollander_responses, tournier_response,
};
#[doc(inline)]
pub use arcuate_fod::{
    Distributions, HarmonicBasis, LabelledResponse, MultiTissue, MultiTissueScratch, NormaliseOptions,
    Normalised, Peak, PeakFinder, PeakScratch, Response, SingleShell, SingleShellOptions, SingleShellScratch,
    Tissue, TissueKind, VoxelFit, normalise_tissues,
};
