//! Diffusion series with their gradient tables.
//!
//! ```
//! use arcuate::io::{WriteOptions, fsl_gradients, write_image};
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//! use arcuate::pipeline::series::{GradientSource, Series, Weighting};
//!
//! # let folder = tempfile::tempdir().expect("a temporary folder");
//! # let [dwi, bval, bvec] = ["dwi.nii.gz", "dwi.bval", "dwi.bvec"].map(|name| folder.path().join(name));
//! let options = PhantomOptions { voxel_size_mm: 6.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(6, 1000.0, 1)?, &options)?;
//! write_image(&dwi, &brain.dwi, &WriteOptions::default())?;
//! fsl_gradients::write(&bval, &bvec, &brain.gradients, brain.dwi.grid().affine())?;
//!
//! // The gradient table is read from the files next to the series.
//! let series = Series::read(&dwi, &GradientSource::default(), Weighting::Needed)?;
//! assert_eq!(series.gradients.len(), series.dwi.channels());
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_pipeline::series::{GradientSource, Series, Weighting};
#[doc(inline)]
pub use arcuate_pipeline::series_file::SeriesFile;
