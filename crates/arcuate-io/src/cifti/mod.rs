//! Reads and writes CIFTI-2 files. They contain matrices whose rows and columns are vertices, voxels, parcels
//! or maps. The files are NIfTI-2 files whose header contains an XML document that describes the rows and
//! columns (<https://www.nitrc.org/projects/cifti>). One row at a time is read or written, because the
//! largest matrices in use have 33 GB.

mod axis;
mod document;
mod header;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use axis::{CiftiAxis, CiftiMap, CiftiParcel, CiftiSeries};
pub use read::CiftiFile;
pub use write::{CiftiWriter, convert_cifti};

/// Endings of the names of CIFTI-2 files that can be written. Each ending prescribes what the rows and columns
/// of the matrix are.
pub(crate) const WRITTEN_ENDINGS: [&str; 6] =
    [".dscalar.nii", ".dlabel.nii", ".dconn.nii", ".pconn.nii", ".dtseries.nii", ".pscalar.nii"];

/// Endings of the names of other CIFTI-2 files.
pub(crate) const OTHER_ENDINGS: [&str; 7] = [
    ".ptseries.nii",
    ".plabel.nii",
    ".pdconn.nii",
    ".dpconn.nii",
    ".dfan.nii",
    ".fibertemp.nii",
    ".dparcel.nii",
];
