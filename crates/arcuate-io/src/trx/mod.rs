//! Tractography exchange files (`.trx`): a zip archive or a folder whose entry names describe their content,
//! such as `positions.3.float32`. Specification: <https://github.com/tee-ar-ex/trx-spec>.

mod container;
mod header;
mod names;
mod read;
mod write;

pub(crate) use names::ScalarType;
pub(crate) use read::TrxFile;
pub use write::TrxLayout;
pub(crate) use write::TrxWriter;
