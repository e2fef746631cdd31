//! Publishes the five-tissue-type (5TT) image that was computed from an anatomical segmentation in the
//! dataset.

use super::sidecars::{Common, Sidecar};
use crate::entities::BidsName;
use crate::scans::Scan;
use arcuate_core::FiveTissue;
use serde_json::Value;
use std::path::Path;

/// The program that created the segmentation. Its name here is that of the corresponding algorithm of
/// MRtrix's `5ttgen`.
const SEGMENTATION: &str = "freesurfer";

/// Returns the path of the tissue image that was computed for the scan. Returns `None` if none was computed.
pub(super) fn made(scan: &Scan) -> Option<&Path> {
    scan.segmentation.as_ref().and(scan.five_tissues.as_deref())
}

/// Returns the BIDS name of the tissue image, without extension. The name lacks the entity `res` (resolution)
/// of the diffusion series, because the image has another voxel grid.
pub(super) fn name(scan: &Scan) -> BidsName {
    scan.name.without(&["res"]).with("seg", SEGMENTATION).of("probseg", "")
}

/// Returns the contents of the tissue image's sidecar.
pub(super) fn sidecar(scan: &Scan, common: &Common) -> Sidecar {
    let source = scan.segmentation.as_deref().and_then(|path| common.address(path));
    let description = "Fraction of each tissue in each voxel, from the label numbers of FreeSurfer's segmentation: MRtrix's 5TT";
    let mut sidecar = common.from(description, source);
    sidecar.remove("Resolution");
    let names: Vec<Value> = FiveTissue::ALL.iter().map(|tissue| tissue.name().into()).collect();
    sidecar.insert("LabelMap".into(), names.into());
    sidecar
}
