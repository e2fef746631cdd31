//! CIFTI-2: matrices between vertices, voxels, parcels and maps, in NIfTI-2 files with an XML document in the
//! header that describes rows and columns (<https://www.nitrc.org/projects/cifti>). Rows are read and written
//! one at a time, since the largest matrices in use have 33 GB.

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

/// Types of files by the end of their names, which must agree with their axes.
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

/// Returns whether a name is that of a CIFTI-2 file: `.dconn.nii`, `.pconn.nii`, `.dscalar.nii`,
/// `.dlabel.nii`, `.dtseries.nii`, `.ptseries.nii` and similar.
pub fn is_cifti_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".nii")
        .and_then(|stem| stem.rsplit_once('.'))
        .is_some_and(|(_, kind)| ENDINGS.iter().any(|ending| ending.eq_ignore_ascii_case(kind)))
}
