//! The stages of processing, such as the tensor fit. A stage is a value with the input files, the options and
//! the output files. The `run` function of a stage writes the results and a [record](crate::record) to disk,
//! and returns the results. Each call of `run` belongs to a [`Job`](crate::job::Job).
//!
//! The stages of signal models, of tracking through samples and of geodesic tracking need the features `models`, `samples`
//! and `geodesic`.
//!
//! ```
//! use arcuate_pipeline::series_file::SeriesFile;
//! use arcuate_pipeline::stages::{FindMask, FitTensor, Work};
//! use std::path::Path;
//!
//! let series = SeriesFile::new("dwi.nii.gz");
//! let mask = FindMask::new(series.clone(), "mask.nii.gz");
//! let tensor = FitTensor { mask: Some(mask.out.clone()), ..FitTensor::new(series, "tensor") };
//! assert!(mask.outputs().ends_with(&["mask.nii.gz.json".into()]), "its record is the last");
//! assert!(tensor.outputs().contains(&Path::new("tensor").join("fa.nii.gz")));
//! ```

pub mod commit;
pub mod connectome;
pub mod csd;
pub mod density;
pub mod evaluation;
#[cfg(feature = "models")]
pub mod fit;
pub mod five_tissues;
#[cfg(feature = "geodesic")]
pub mod geodesic;
pub mod life;
pub mod mask;
pub mod propagation;
pub mod response;
#[cfg(feature = "samples")]
pub mod sampled;
pub mod tensor;
pub mod track_fod;
pub mod track_tensor;
pub mod tracking;
pub mod work;

pub use commit::EvaluateCommit;
pub use connectome::MakeConnectome;
pub use csd::FitCsd;
pub use density::MapDensity;
#[cfg(feature = "models")]
pub use fit::FitModels;
pub use five_tissues::{MakeFiveTissues, TissueSource};
#[cfg(feature = "geodesic")]
pub use geodesic::TrackGeodesic;
pub use life::EvaluateLife;
pub use mask::FindMask;
pub use response::{EstimateResponse, ResponseMethod};
#[cfg(feature = "samples")]
pub use sampled::{TrackBootstrap, TrackPeaks, TrackProtocols, TrackSamples};
pub use tensor::{FitTensor, TensorNames, TensorResults};
pub use track_fod::TrackFod;
pub use track_tensor::TrackTensor;
pub use work::Work;
