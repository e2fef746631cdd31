//! Arcuate computes brain connections from diffusion MRI data, and evaluates them with the measured signal.
//!
//! This crate is the public library. Each module has the data types, the functions and the options of one
//! processing step. The crates below this one, such as `arcuate-track`, may change in any release, so programs
//! depend on the crate `arcuate` only. Programs end each literal of an options struct with `..Default::default()`
//! or another update, and each `match` on an enumeration of the library with `_`. New options then do not break
//! them.
//!
//! The first example computes a connectome of weighted streamlines. It starts from a diffusion
//! series with its gradient table:
//!
//! ```
//! use arcuate::pipeline::{read_parcellation, series::{GradientSource, Series, Weighting}};
//! use arcuate::core::{Control, Measure, Tractogram};
//! use arcuate::{compute::Device, connect, evaluate, io, model, track};
//!
//! # fn main() -> arcuate::core::Result<()> {
//! # let folder = tempfile::tempdir().expect("a folder for files that pass");
//! # let [dwi, labels, out] = ["dwi.nii.gz", "labels.nii.gz", "weights.csv"].map(|name| folder.path().join(name));
//! # let options = arcuate::phantom::PhantomOptions { voxel_size_mm: 4.0, ..Default::default() };
//! # let brain = arcuate::phantom::simulate(&arcuate::phantom::default_gradients(30, 1000.0, 3)?, &options)?;
//! # let [bval, bvec] = ["dwi.bval", "dwi.bvec"].map(|name| folder.path().join(name));
//! # io::fsl_gradients::write(&bval, &bvec, &brain.gradients, brain.dwi.grid().affine())?;
//! # io::write_image(&dwi, &brain.dwi, &io::WriteOptions::default())?;
//! # let regions = arcuate::core::Volume::new(*brain.dwi.grid(), 1, brain.labels.values().to_vec())?;
//! # io::write_image(&labels, &regions, &io::WriteOptions::default())?;
//! let device = Device::Cpu;
//! let series = Series::read(&dwi, &GradientSource::default(), Weighting::Needed)?;
//! let mask = series.mask(None)?;
//! let options = model::TensorOptions::default();
//! let fit = model::fit_tensor(&series.dwi, &series.gradients, &mask, &device, &options)?;
//!
//! let seeds = track::Seeds::random_until(mask.clone(), 2000);
//! let options = track::TrackOptions { mask: Some(mask.clone()), select: Some(2000), ..Default::default() };
//! let mut tracks = Tractogram::new();
//! track::track_tensor(&fit.tensor, &seeds, &options, &device, &mut tracks, &Control::default())?;
//!
//! let options = evaluate::LifeOptions::default();
//! let life = evaluate::LifeProblem::<f32>::new(
//!     &series.dwi, &series.gradients, &mask, &tracks, &options, &device,
//! )?;
//! let weights = life.solve(&options, |_| true).weights;
//!
//! let labels = read_parcellation(&labels, None)?;
//! let options = connect::ConnectomeOptions::default();
//! let connectome = connect::connectome(&tracks, &labels, Some(&weights), &options)?;
//! io::write_matrix_csv(&out, &connectome.matrix, &Measure::Weight)?;
//! # let written = std::fs::read_to_string(&out).expect("what was written");
//! # assert_eq!(written.lines().count(), brain.labels.regions().len());
//! # // Streamlines connect regions, and LiFE keeps some of their weights.
//! # let [_, between] = connectome.matrix.sums(&Measure::Count).expect("they are counted");
//! # assert!(tracks.len() == 2000 && between > 100.0, "{between}");
//! # assert!(connectome.matrix.values(&Measure::Weight).expect("they are added up").iter().sum::<f64>() > 0.0);
//! # Ok(())
//! # }
//! ```
//!
//! The second example runs the same steps as a pipeline with result files, a record and a report, as
//! `arcuate run` does. A program can set every option of each stage of the pipeline. The example samples
//! fibre orientations, tracks streamlines through them, and computes a connectome:
//!
//! ```no_run
//! use arcuate::pipeline::job::Job;
//! use arcuate::pipeline::run::{PlannedWork, RunOptions, Tracking};
//!
//! # fn main() -> arcuate::core::Result<()> {
//! let run = RunOptions {
//!     tracking: Tracking::Samples,
//!     labels: Some("labels.nii.gz".into()),
//!     ..RunOptions::new("dwi.nii.gz", "results")
//! };
//! let mut work = run.work()?;
//! for stage in &mut work {
//!     match stage {
//!         PlannedWork::FitModels(fit) => fit.chains.chains = Some(2),
//!         PlannedWork::TrackSamples(track) => track.tracking.propagation.max_angle_degrees = Some(60.0),
//!         _ => {}
//!     }
//! }
//! let record = run.perform(&work, &Job::default())?;
//! println!("{}", record.done);
//! # Ok(())
//! # }
//! ```
//!
//! A function that can take long has a [`core::Control`] among its arguments. The control reports the
//! progress, cancels the computation, and receives warnings.
//!
//! ```
//! use arcuate::core::{Cancel, Control};
//! use arcuate::model::fit::FitOptions;
//!
//! let cancel = Cancel::default();
//! let control = Control::default().with_progress(|done, of| eprintln!("{done} of {of} voxels")).with_cancel(&cancel);
//! let options = FitOptions { control, ..FitOptions::default() };
//! // A call with these options returns `ErrorKind::Cancelled` after another thread cancels it.
//! cancel.set();
//! # assert!(options.control.is_cancelled());
//! ```
//!
//! The text of an error is one line. It contains names of parameters in ‘single quotes’, which
//! [`core::Error::with_parameters`] can replace.

// Some functions have no caller without the commands that need these features.
#![cfg_attr(
    not(all(feature = "bids", feature = "models", feature = "samples")),
    allow(dead_code, unused_imports)
)]

#[doc(hidden)]
pub mod commands_of_programs;
#[doc(hidden)]
pub mod parameters;
#[doc(hidden)]
pub mod program;

mod cli;
mod commands;
mod definition;
#[cfg(test)]
mod denials;
mod examples;
mod file_lists;
mod former_commands;
#[cfg_attr(not(feature = "fsl"), path = "fsl_programs_absent.rs")]
mod fsl_programs;
mod global_options;
mod grammar;
mod hints;
mod invocation;
mod library;
mod map_format;
mod meanings;
mod numbers;
#[cfg(test)]
mod one_definition;
#[cfg(test)]
mod option_meanings;
#[cfg(test)]
mod page_options;
#[cfg(test)]
mod parameter_names;
mod parsing;
mod peak_frame;
mod pipes;
mod precision;
mod progress;
#[cfg(test)]
mod python_array_table;
#[cfg(test)]
mod python_arrays;
#[cfg(test)]
mod python_functions;
#[cfg(test)]
mod python_keywords;
mod references;
mod requested_pipes;
mod series;
mod short_help;
mod signals;
mod stage_command;
mod surface_conversion;
mod table_reading;
mod tensor_order;
mod terminal;
mod typed_options;
mod usage_errors;
mod uses;
mod warnings;

use arcuate_pipeline::{output, output_files, record, space};

#[cfg(feature = "recon")]
pub use library::recon;
pub use library::{compute, connect, core, evaluate, fod, io, model, phantom, pipeline, solve, track};

/// The programs of a page of the documentation, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/rust.md")]
struct PageOfTheLibrary;
