//! Jobs: the program that requests work, its device, and its control.
//!
//! ```
//! use arcuate::compute::Device;
//! use arcuate::core::Control;
//! use arcuate::pipeline::job::{Job, JobOptions, LibraryHost};
//!
//! let control = Control::default().with_progress(|done, of| println!("{done} of {of}"));
//! let host = LibraryHost { device: Device::Cpu, control };
//! let job = Job::new(host, JobOptions { random_seed: 5, ..JobOptions::default() });
//! assert_eq!(job.random_seed(), 5);
//! ```

#[doc(inline)]
pub use arcuate_pipeline::host::{Host, LibraryHost};
#[doc(inline)]
pub use arcuate_pipeline::job::{Job, JobOptions};
#[doc(inline)]
pub use arcuate_pipeline::log_file::LogFile;
