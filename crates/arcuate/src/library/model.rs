//! Brain masks, diffusion tensors, signal models and their fits.
//!
//! ```
//! use arcuate::compute::Device;
//! use arcuate::model::{TensorOptions, fit_tensor, tensor_maps};
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//!
//! let options = PhantomOptions { voxel_size_mm: 6.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(12, 1000.0, 1)?, &options)?;
//! let fit = fit_tensor(&brain.dwi, &brain.gradients, &brain.brain_mask, &Device::Cpu, &TensorOptions::default())?;
//! let maps = tensor_maps(&fit.tensor)?;
//! assert_eq!(maps.fa.grid(), brain.dwi.grid());
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[cfg(feature = "models")]
pub mod fit;
#[cfg(feature = "models")]
pub mod language;

#[doc(inline)]
pub use arcuate_model::{
    BootstrapOptions, BootstrapTensors, DroppedSlice, FirstWeights, ImpossibleTensors, MaskOptions,
    Measurements, Repairs, Resampling, ScanQuality, TensorFit, TensorMaps, TensorOptions, TensorOrder,
    TensorShape, UnlikeVolume, bootstrap_tensors, brain_mask, fit_tensor, scan_quality, tensor_maps,
    tensor_shape, tensors_in_order,
};
#[cfg(feature = "models")]
#[doc(inline)]
pub use arcuate_model::{average_directions, averaged_for, models};
