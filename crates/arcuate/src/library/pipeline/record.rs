//! Records: the inputs, options, results and key figures of a command, in the file `arcuate.json`.
//!
//! ```
//! use arcuate::pipeline::record::Record;
//! use std::path::Path;
//!
//! // The folder of a result has a record. This folder has none.
//! let error = Record::read(Path::new("no-results")).unwrap_err();
//! assert!(error.to_string().contains("no-results"), "{error}");
//! ```

#[doc(inline)]
pub use arcuate_pipeline::checksums::Input;
#[doc(inline)]
pub use arcuate_pipeline::figures::{Figure, Named};
#[doc(inline)]
pub use arcuate_pipeline::output_files::OutputFile;
#[doc(inline)]
pub use arcuate_pipeline::record::{FILE_NAME, Iteration, LesionRow, Record, Table};
