//! Fibre orientation distributions: responses, deconvolution, normalisation and peaks.

use crate::call::Call;
use crate::errors::{raise, refused};
use crate::series::Gradients;
use crate::volume::Volume;
use arcuate::fod::{NormaliseOptions, PeakFinder, Response, TissueKind, normalise_tissues};
use arcuate::pipeline::stages::csd::{self, Deconvolution, deconvolve};
use arcuate::pipeline::stages::response::{ResponseMethod, ResponseOptions, estimate};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::Arc;

/// What the signal of a tissue is: rows of zonal coefficients, a shell each.
type Rows = Vec<Vec<f64>>;

fn response(rows: Rows) -> PyResult<Response> {
    Response::new(rows).map_err(raise)
}

/// Estimates responses; with each the voxels that it is from.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub(crate) fn estimate_responses(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
    mask: &Volume,
    method: Option<&str>,
    voxels: Option<usize>,
    order: Option<usize>,
) -> PyResult<Vec<(Rows, Volume)>> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.mask());
    let method = match method {
        None => ResponseMethod::Automatic,
        Some("single-fibre") => ResponseMethod::SingleFibre,
        Some("tissues") => ResponseMethod::Tissues,
        Some(other) => {
            return Err(refused(format!("method: {other} is neither single-fibre nor tissues")));
        }
    };
    let options = ResponseOptions { method, voxels, order };
    call.perform(py, |work| {
        let tissues = estimate(&dwi, &gradients, &mask, &options, &work.control)?.tissues;
        let voxels = |mask: arcuate::core::Mask| mask.to_volume().map(f32::from).into();
        Ok(tissues.into_iter().map(|(response, from)| (response.rows().to_vec(), voxels(from))).collect())
    })
}

/// Of tissues (0 white matter, 1 grey matter, 2 fluid) those that a series tells apart.
#[pyfunction]
pub(crate) fn told_apart(gradients: &Gradients, tissues: Vec<usize>) -> Vec<usize> {
    csd::told_apart(&gradients.0, &tissues)
}

/// Deconvolves a series by responses, white matter's in front, each with its tissue (0 white matter, 1 grey matter, 2 CSF): the
/// coefficients of each tissue.
#[pyfunction]
pub(crate) fn fit_csd(
    py: Python<'_>,
    call: &Call,
    dwi: &Volume,
    gradients: &Gradients,
    mask: &Volume,
    responses: Vec<(usize, Rows)>,
    order: Option<usize>,
) -> PyResult<(Vec<Volume>, usize, usize)> {
    let (dwi, gradients, mask) = (Arc::clone(&dwi.0), gradients.0.clone(), mask.mask());
    let responses = responses
        .into_iter()
        .map(|(tissue, rows)| Ok((TissueKind::ALL[tissue.min(2)], response(rows)?)))
        .collect::<PyResult<Vec<_>>>()?;
    call.perform(py, |work| {
        let responses: Vec<_> = responses.iter().map(|(tissue, response)| (*tissue, response)).collect();
        let job =
            Deconvolution { dwi: &dwi, gradients: &gradients, mask: &mask, responses: &responses, order };
        let found = deconvolve(&job, &work.device()?, &work.control)?;
        Ok((
            found.coefficients.into_iter().map(Into::into).collect(),
            found.counts.not_computed(),
            found.unconverged,
        ))
    })
}

/// Brings tissues to one scale: them, the field that they were divided by, and the balance of each.
#[pyfunction]
pub(crate) fn normalise<'py>(
    py: Python<'py>,
    call: &Call,
    tissues: Vec<PyRef<'py, Volume>>,
    mask: &Volume,
) -> PyResult<(Vec<Volume>, Volume, Bound<'py, PyArray1<f64>>)> {
    let (tissues, mask) = (tissues.iter().map(|tissue| (*tissue.0).clone()).collect::<Vec<_>>(), mask.mask());
    let found = call.perform(py, |work| {
        normalise_tissues(&tissues, &mask, &NormaliseOptions::default(), &work.control)
    })?;
    let tissues = found.tissues.into_iter().map(Into::into).collect();
    Ok((tissues, found.field.into(), found.factors.into_pyarray(py)))
}

/// The largest maxima of each distribution: x, y, z of each, as long as their amplitudes.
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
