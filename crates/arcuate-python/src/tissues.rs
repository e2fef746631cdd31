//! Five-tissue-type (5TT) images.

use crate::call::Call;
use crate::volume::Volume;
use arcuate_core::{FiveTissues, TissueMaps};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Converts a FreeSurfer segmentation to a five-tissue (5TT) image. Issues a warning about label numbers that
/// belong to no tissue.
#[pyfunction]
pub(crate) fn tissues_of_free_surfer(py: Python<'_>, call: &Call, segmentation: &Volume) -> PyResult<Volume> {
    let labels = segmentation.labels(BTreeMap::new()).map_err(crate::errors::raise)?;
    call.perform(py, |work| {
        let (tissues, unknown) = FiveTissues::from_free_surfer(&labels)?;
        tissues.count_unknown(&labels, &unknown, "segmentation", &work.control);
        Ok(tissues.into_image().into())
    })
}

/// Combines tissue maps, all on the same grid, to a five-tissue (5TT) image.
#[pyfunction]
pub(crate) fn tissues_of_maps(
    py: Python<'_>,
    call: &Call,
    grey: &Volume,
    white: &Volume,
    csf: &Volume,
    sub_cortical: Option<&Volume>,
    pathological: Option<&Volume>,
) -> PyResult<Volume> {
    let of = |volume: &Volume| Arc::clone(&volume.0);
    let (grey, white, csf) = (of(grey), of(white), of(csf));
    let (sub_cortical, pathological) = (sub_cortical.map(of), pathological.map(of));
    call.perform(py, |_| {
        let maps = TissueMaps {
            grey: &grey,
            white: &white,
            csf: &csf,
            sub_cortical: sub_cortical.as_deref(),
            pathological: pathological.as_deref(),
        };
        FiveTissues::from_maps(&maps).map(|tissues| tissues.into_image().into())
    })
}

/// Returns the amount of interface between grey and white matter in each voxel.
#[pyfunction]
pub(crate) fn tissue_interface(py: Python<'_>, call: &Call, tissues: &Volume) -> PyResult<Volume> {
    let tissues = Arc::clone(&tissues.0);
    call.perform(py, |_| Ok(FiveTissues::new((*tissues).clone())?.interface().into()))
}
