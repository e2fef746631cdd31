//! Tractography exchange files (`.trx`): a zip archive or a folder whose entries' names say what they hold,
//! `positions.3.float32` for instance. Specification: <https://github.com/tee-ar-ex/trx-spec>.

mod container;
mod header;
mod names;
mod read;
mod write;

pub(crate) use names::ScalarType;
pub(crate) use read::TrxFile;
pub use write::TrxLayout;
pub(crate) use write::TrxWriter;
