//! Reads and writes the file formats of diffusion MRI, with one module per format. This crate contains no
//! numerical methods.

mod abandoned;
mod array_shape;
mod atomic;
mod atomic_folder;
mod batches;
pub mod camino_gradients;
mod cfl;
mod checked_state;
mod cifti;
mod claims;
mod commit_dictionary;
mod complete;
mod complex_array;
mod disk;
mod element;
mod endings;
mod formats;
pub mod fsl_gradients;
mod gradients;
mod gzip;
mod header_checks;
mod image;
mod image_errors;
mod image_types;
mod itk;
mod label_names;
mod matrix;
pub mod memory;
mod mgh;
mod mif;
pub mod mrtrix_gradients;
mod nifti;
mod npy;
mod place;
mod plain_file;
mod pointer_file;
mod publish;
mod raw_data;
mod rearrange;
mod recovery;
mod response;
mod results;
mod set_aside;
mod spill_file;
mod spool;
mod stored_gradients;
mod streamline_input;
mod streamline_output;
mod surface;
mod tck;
mod text_file;
mod text_table;
mod toeplitz_kernel;
mod tractogram;
mod tractogram_types;
mod triples;
mod trk;
mod trx;
mod unfinished;
mod value_rows;
mod watch;
mod weights;
mod xml;
mod zip_target;

pub use abandoned::remove_abandoned;
pub use atomic::{AtomicFile, finish_together, write_file};
pub use cfl::{begin_cfl, files_of_array, read_cfl, write_cfl};
pub use checked_state::{JournalPosition, JournalReader, JournalWriter, SavedState, StateKind, hexadecimal};
pub use cifti::{CiftiAxis, CiftiFile, CiftiMap, CiftiParcel, CiftiSeries, CiftiWriter, convert_cifti};
pub use claims::{Claim, FileLock};
pub use commit_dictionary::{CommitDictionary, DictionaryStretch, read_commit_dictionary};
pub use complex_array::read_complex_array;
pub use element::{DataType, Element};
pub use endings::{companion_path, has_ending, split_ending, with_ending, without_ending};
pub use formats::{
    FileFormat, FileKind, GradientFormat, TractogramFormat, all_endings, content_name, ending_of_data,
    file_formats, file_kind, known_endings, read_endings, written_endings,
};
pub use gradients::{read_gradients, write_gradients};
pub use image::{
    MAP_ENDINGS, UNNAMED_IMAGE_ENDINGS, begin_image, describe_image, is_image_name, lost_in, read_components,
    read_image, read_labels, read_mask, read_stored, read_volume, read_volume_as, stores_gradients,
    write_image, write_made_image,
};
pub use image_types::{HeaderNotes, Image, ImageDescription, Intent, MadeImage, WriteOptions};
pub use itk::{ItkTransform, is_itk_transform, itk_transform_kinds, read_itk_transforms};
pub use label_names::{read_label_names, write_label_names};
pub use matrix::{
    DconnRows, DotRows, MatrixRowFiles, NpzRows, dot_files, is_cifti_name, is_matrix_name, is_npz_name,
    matrix_companions, matrix_files, npz_files, oxford_sparse_files, read_axis_csv, read_axis_tsv, read_dot,
    read_matrix, read_matrix_csv, read_matrix_npz, read_oxford_sparse, write_axis_csv, write_dot,
    write_matrix, write_matrix_csv, write_matrix_npy, write_matrix_npz, write_oxford_sparse,
};
pub use nifti::{
    ENDINGS as NIFTI_ENDINGS, FnirtCoefficients, PAIR_ENDINGS as NIFTI_PAIR_ENDINGS,
    files_of_pair as files_of_nifti_pair, read_fnirt_coefficients,
};
pub use npy::{NpzWriter, read_npy_complex, write_npy};
pub use place::place_of;
pub use plain_file::{LARGEST_TEXT, is_gzip, open_file, read_small_file};
pub use publish::synchronise_folder;
pub use response::write_response;
pub use results::Results;
pub use set_aside::SetAside;
pub use spill_file::SpillFile;
pub use stored_gradients::{BUnit, DirectionLengths, GradientReading, StoredGradients};
pub use surface::{
    GIFTI_ENDINGS, StoredCoordinates, StoredMesh, SurfaceFile, SurfaceKind, SurfaceReading, is_surface_file,
    is_surface_name, read_surface, read_surface_file, surface_needs_reference, write_surface_file,
};
pub use text_file::read_text_file;
pub use text_table::read_numbers;
pub use toeplitz_kernel::{ToeplitzKernelFile, read_toeplitz_kernel, write_toeplitz_kernel};
pub use tractogram::{
    TractogramDescription, TractogramFile, TractogramReader, TractogramSource, TractogramSummary,
    TractogramWriter, convert_tractogram, describe_tractogram, read_per_streamline, read_tractogram,
    read_tractogram_grid, read_tractogram_in, stream_tractogram, stream_tractogram_in, write_tractogram,
};
pub use tractogram_types::{DataDescription, DataOf, PositionType, Space, TractogramOptions, TrxLayout};
pub use triples::read_triples;
pub use unfinished::{remove_unfinished, remove_unfinished_soon};
pub use value_rows::ValueRows;
pub use watch::Watch;
pub use weights::{read_weights, write_weights};
