//! Connectivity matrices. Rows and columns represent elements such as regions or voxels.

mod axis;
mod connectivity;
mod measure;
mod pattern;
mod row_sink;
mod rows;

pub use axis::{Axis, ElementKind};
pub use connectivity::ConnectivityMatrix;
pub use measure::Measure;
pub use pattern::SparsePattern;
pub use row_sink::{CollectedRows, MatrixRowSink};
pub use rows::WholeRows;

#[cfg(test)]
mod tests;
