//! Connectivity matrices: as text and NumPy's arrays, which hold every entry, and as SciPy's sparse arrays, which hold what is
//! stored; and what their rows and columns are, as tables.

mod axis;
mod dense;
mod sparse;
mod sparse_read;

pub use axis::{read_axis_csv, read_axis_tsv, write_axis_csv};
pub use dense::{read_matrix_csv, write_matrix_csv, write_matrix_npy};
pub use sparse::{is_npz_name, npz_files, write_matrix_npz};
pub use sparse_read::read_matrix_npz;
