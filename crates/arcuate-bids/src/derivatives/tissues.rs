//! The image of tissues that was made for a scan, of a segmentation of the data set.

use super::sidecars::{Common, Sidecar};
use crate::entities::BidsName;
use crate::scans::Scan;
use arcuate_core::FiveTissue;
use serde_json::Value;
use std::path::Path;

/// Whose segmentation it is made of, as MRtrix calls this way to make one.
const SEGMENTATION: &str = "freesurfer";

/// The image, where one was made.
pub(super) fn made(scan: &Scan) -> Option<&Path> {
    scan.segmentation.as_ref().and(scan.five_tissues.as_deref())
}

/// Its name, without its ending: it has a lattice of its own.
pub(super) fn name(scan: &Scan) -> BidsName {
    scan.name.without(&["res"]).with("seg", SEGMENTATION).of("probseg", "")
}

/// What is said of it.
pub(super) fn sidecar(scan: &Scan, common: &Common) -> Sidecar {
    let source = scan.segmentation.as_deref().and_then(|path| common.address(path));
    let description = "What part of each voxel is of each tissue, by the numbers of FreeSurfer's segmentation: MRtrix's 5TT";
    let mut sidecar = common.from(description, source);
    sidecar.remove("Resolution");
    let names: Vec<Value> = FiveTissue::ALL.iter().map(|tissue| tissue.name().into()).collect();
    sidecar.insert("LabelMap".into(), names.into());
    sidecar
}
