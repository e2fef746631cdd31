//! The stages of `arcuate run` with their files, records and reports.
//!
//! A stage is a struct. Its fields are the inputs, the options and the outputs, like the options of the command. The
//! function `run` of a stage reads and writes the files, for a [`Job`](job::Job).
//!
//! ```
//! use arcuate::pipeline::job::Job;
//! use arcuate::pipeline::series::SeriesFile;
//! use arcuate::pipeline::stages::FindMask;
//!
//! // The series does not exist, so the stage returns an error.
//! let mask = FindMask::new(SeriesFile::new("no-series.nii.gz"), "mask.nii.gz");
//! let error = mask.run(&Job::default()).unwrap_err();
//! assert!(error.to_string().contains("no-series.nii.gz"), "{error}");
//! ```

pub mod job;
pub mod record;
pub mod run;
pub mod series;
pub mod stages;

#[doc(inline)]
pub use arcuate_pipeline::parcellation::read_parcellation;
#[doc(inline)]
pub use arcuate_pipeline::report::render as render_report;
#[doc(inline)]
pub use arcuate_pipeline::warnings::listen as collect_warnings;
