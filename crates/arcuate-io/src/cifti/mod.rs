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

use std::path::Path;

/// Endings of the names of CIFTI-2 files. Each ending prescribes what the rows and columns of the matrix are.
const ENDINGS: [&str; 13] = [
    "dconn",
    "dtseries",
    "pconn",
    "ptseries",
    "dscalar",
    "dlabel",
    "pscalar",
    "plabel",
    "pdconn",
    "dpconn",
    "dfan",
    "fiberTEMP",
    "dparcel",
];

/// Returns true if a file name has an ending of CIFTI-2 files: `.dconn.nii`, `.pconn.nii`, `.dscalar.nii`,
/// `.dlabel.nii`, `.dtseries.nii`, `.ptseries.nii` and similar.
pub fn is_cifti_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".nii")
        .and_then(|stem| stem.rsplit_once('.'))
        .is_some_and(|(_, kind)| ENDINGS.iter().any(|ending| ending.eq_ignore_ascii_case(kind)))
}
