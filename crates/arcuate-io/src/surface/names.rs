//! Recognises FreeSurfer's names of surface files, which have no ending of a format.

use arcuate_core::Structure;

/// FreeSurfer's file names after `lh.` or `rh.`.
const FREESURFER_NAMES: [&str; 17] = [
    "white",
    "pial",
    "orig",
    "inflated",
    "sphere",
    "reg",
    "smoothwm",
    "midthickness",
    "graymid",
    "nofix",
    "curv",
    "thickness",
    "area",
    "sulc",
    "volume",
    "mid",
    "avg_curv",
];

/// Returns true if a file name is FreeSurfer's name of a surface or of values of vertices, such as `lh.white`
/// or `rh.thickness`.
pub(crate) fn is_freesurfer_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_hemisphere = Structure::of_file_name(&name).is_some();
    FREESURFER_NAMES.contains(&last) && (is_hemisphere || name.matches('.').count() == 1)
}
