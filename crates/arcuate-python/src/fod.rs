//! Fibre orientation distributions (FODs): estimation of tissue responses, deconvolution, normalisation and
//! peaks.

use crate::call::Call;
use crate::errors::raise;
use crate::keyword_options::keyword_options;
use crate::series::{Gradients, inside};
use crate::volume::Volume;
use arcuate_core::Error;
use arcuate_fod::{NormaliseOptions, PeakFinder, Response, TissueKind, normalise_tissues};
use arcuate_pipeline::stages::csd::{self, Deconvolution, deconvolve};
use arcuate_pipeline::stages::response::estimate;
use arcuate_pipeline::stages::{EstimateResponse, FitCsd};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::Arc;

/// Response of a tissue: the zonal spherical harmonic coefficients for each shell, one row per shell.
type Rows = Vec<Vec<f64>>;

fn response(rows: Rows) -> PyResult<Response> {
    Response::new(rows).map_err(raise)
}

/// Estimates the response of each tissue. Returns each response with a mask of the voxels from which it was
/// estimated.
#[pyfunction]
pub(crate) fn estimate_responses(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    words: Vec<OsString>,
) -> PyResult<Vec<(Rows, Volume)>> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.map(Volume::mask));
    call.perform(py, |work| {
        let options = keyword_options::<EstimateResponse>(words)?.options();
        let mask = inside(mask, &dwi, &gradients)?;
        let tissues = estimate(&dwi, &gradients, &mask, &options, &work.control)?.tissues;
        let voxels = |mask: arcuate_core::Mask| mask.to_volume().map(f32::from).into();
        Ok(tissues.into_iter().map(|(response, from)| (response.rows().to_vec(), voxels(from))).collect())
    })
}

/// Returns those of the given tissues that the shells of a series can separate. 0 is white matter, 1 is grey
/// matter, and 2 is CSF.
#[pyfunction]
pub(crate) fn told_apart(gradients: &Gradients, tissues: Vec<usize>) -> Vec<usize> {
    csd::told_apart(&gradients.0, &tissues)
}

/// Result of a deconvolution: the spherical harmonic coefficients of each tissue, the intensity field by
/// which they were divided, and the FOD peaks.
type Deconvolved = (Vec<Volume>, Option<Volume>, Volume);

/// Deconvolves a diffusion series with tissue responses. Each response has the number of its tissue: 0 for
/// white matter, 1 for grey matter, 2 for CSF. The response of white matter comes first.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn fit_csd(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    responses: Vec<(usize, Rows)>,
    peaks: usize,
    words: Vec<OsString>,
) -> PyResult<Deconvolved> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.map(Volume::mask));
    let responses = responses
        .into_iter()
        .map(|(tissue, rows)| Ok((TissueKind::ALL[tissue.min(2)], response(rows)?)))
        .collect::<PyResult<Vec<_>>>()?;
    call.perform(py, |work| {
        let FitCsd { order, normalise, .. } = keyword_options::<FitCsd>(words)?;
        if normalise && responses.len() < 2 {
            let problem = "there is one tissue, which has no other to be balanced with";
            return Err(Error::usage("‘normalise’", problem, "leave it out"));
        }
        let mask = inside(mask, &dwi, &gradients)?;
        let responses: Vec<_> = responses.iter().map(|(tissue, response)| (*tissue, response)).collect();
        let job =
            Deconvolution { dwi: &dwi, gradients: &gradients, mask: &mask, responses: &responses, order };
        let mut tissues = deconvolve(&job, &work.device()?, &work.control)?.coefficients;
        let mut field = None;
        if normalise {
            let found = normalise_tissues(&tissues, &mask, &NormaliseOptions::default(), &work.control)?;
            (tissues, field) = (found.tissues, Some(found.field.into()));
        }
        let white = &tissues[0];
        let peaks = PeakFinder::new(white.channels())?.peaks_of(white, &mask, peaks, &work.control)?;
        Ok((tissues.into_iter().map(Into::into).collect(), field, peaks.into()))
    })
}

/// Finds the largest maxima of the FOD in each voxel. Each maximum is a vector (x, y, z) whose length is the
/// FOD amplitude.
#[pyfunction]
pub(crate) fn find_peaks(
    py: Python<'_>,
    call: &Call,
    fod: &Volume,
    mask: &Volume,
    number: usize,
) -> PyResult<Volume> {
    let (fod, mask) = (Arc::clone(&fod.0), mask.mask());
    call.perform(py, |work| {
        PeakFinder::new(fod.channels())?.peaks_of(&fod, &mask, number, &work.control).map(Into::into)
    })
}
