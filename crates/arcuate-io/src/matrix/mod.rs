//! Reads and writes connectivity matrices. Dense matrices are stored as text and NumPy arrays. Sparse
//! matrices are stored as SciPy arrays and in FSL's formats (`.dot`, `_1.mtx` to `_3.mtx`). Tables describe
//! what the rows and columns represent. The module `file` selects the format by the file name.

mod axis;
pub(crate) mod cifti;
mod dense;
pub(crate) mod dot;
mod entries;
mod file;
mod names;
pub(crate) mod oxford_sparse;
mod row_files;
pub(crate) mod sparse;
pub(crate) mod sparse_read;

pub use axis::{read_axis_csv, read_axis_tsv, write_axis_csv};
pub use dense::{read_matrix_csv, write_matrix_csv, write_matrix_npy};
pub use dot::{dot_files, read_dot, write_dot};
pub use file::{is_cifti_name, is_matrix_name, matrix_companions, matrix_files, read_matrix, write_matrix};
pub use oxford_sparse::{oxford_sparse_files, read_oxford_sparse, write_oxford_sparse};
pub use row_files::{DconnRows, DotRows, MatrixRowFiles, NpzRows};
pub use sparse::{is_npz_name, npz_files, write_matrix_npz};
pub use sparse_read::read_matrix_npz;
