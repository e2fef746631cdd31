//! The stages, and their options.
//!
//! ```
//! use arcuate::pipeline::series::SeriesFile;
//! use arcuate::pipeline::stages::{FindMask, FitTensor, Work};
//! use std::path::Path;
//!
//! let series = SeriesFile::new("dwi.nii.gz");
//! let mask = FindMask::new(series.clone(), "mask.nii.gz");
//! let tensor = FitTensor { mask: Some(mask.out.clone()), ..FitTensor::new(series, "tensor") };
//! assert!(tensor.outputs().contains(&Path::new("tensor").join("fa.nii.gz")));
//! ```

#[doc(inline)]
pub use arcuate_model::compartments::{GammaRadii, ModelKind};
#[cfg(feature = "models")]
#[doc(inline)]
pub use arcuate_model::fit::sample::ChainStart;
#[doc(inline)]
pub use arcuate_pipeline::anatomy_file::AnatomyFile;
#[doc(inline)]
pub use arcuate_pipeline::cifti_seeds::CiftiSeeds;
#[doc(inline)]
pub use arcuate_pipeline::connectomes::MeasureRequest;
#[doc(inline)]
pub use arcuate_pipeline::constraint_files::ConstraintFiles;
#[doc(inline)]
pub use arcuate_pipeline::map_format::MapFormat;
#[doc(inline)]
pub use arcuate_pipeline::mask_space::MaskSpace;
#[doc(inline)]
pub use arcuate_pipeline::precision::Precision;
#[doc(inline)]
pub use arcuate_pipeline::regions::RegionFile;
#[cfg(feature = "models")]
#[doc(inline)]
pub use arcuate_pipeline::stages::FitModels;
#[cfg(feature = "geodesic")]
#[doc(inline)]
pub use arcuate_pipeline::stages::TrackGeodesic;
#[doc(inline)]
pub use arcuate_pipeline::stages::commit::{
    CommitFit, CommitModel, CommitNormalisation, CommitOrientations, CommitSignal, DictionaryFiles,
    Regularise,
};
#[cfg(feature = "models")]
#[doc(inline)]
pub use arcuate_pipeline::stages::fit::{
    ChainOptions, FitMethod, MapNames, ModelCriterion, ModelOverrides, NoiseKind, TracedVoxels,
};
#[doc(inline)]
pub use arcuate_pipeline::stages::propagation::Propagation;
#[cfg(feature = "samples")]
#[doc(inline)]
pub use arcuate_pipeline::stages::sampled::SampleRules;
#[doc(inline)]
pub use arcuate_pipeline::stages::tracking::{
    Connections, Extent, PartOf, Preset, ProductName, Products, RegionsToJoin, SampleMaps, SampleSeedNumber,
    SampleSeeds, Tracking,
};
#[doc(inline)]
pub use arcuate_pipeline::stages::{
    EstimateResponse, EvaluateCommit, EvaluateLife, FindMask, FitCsd, FitTensor, MakeConnectome,
    MakeFiveTissues, MapDensity, ResponseMethod, TensorNames, TensorResults, TissueSource, TrackFod,
    TrackTensor, Work,
};
#[cfg(feature = "samples")]
#[doc(inline)]
pub use arcuate_pipeline::stages::{TrackBootstrap, TrackPeaks, TrackSamples};
#[doc(inline)]
pub use arcuate_pipeline::surface_files::SurfacePart;
#[doc(inline)]
pub use arcuate_pipeline::tracked_matrix::{MatrixFormat, MatrixKind, MatrixRequest};
#[doc(inline)]
pub use arcuate_pipeline::transforms::TransformFile;
