//! Evaluation of streamlines by the measured signal: LiFE and COMMIT.

use crate::call::{Call, Work};
use crate::keyword_options::keyword_options;
use crate::operators::Operator;
use crate::series::Gradients;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate_core::{self as core, Error, Mask, PeakFrame};
use arcuate_evaluate::commit::{
    Axes, CommitOperator, CommitProblem, Data, DataOptions, Samples, SegmentEncoder,
};
use arcuate_evaluate::{Element, LifeOptions, LifeProblem};
use arcuate_pipeline::precision::Precision;
use arcuate_pipeline::space::warn_of_points_outside;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::commit::{
    CommitNormalisation, CommitOrientations, require_numbers, responses, warn_of_bare_voxels, warn_of_outcome,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// Result of an evaluation: the weights of the streamlines, maps with their names, and numbers with their
/// names.
type Evaluated<'py> =
    (Bound<'py, PyArray1<f64>>, BTreeMap<&'static str, Volume>, BTreeMap<&'static str, f64>);

/// Results of an evaluation without NumPy arrays.
type Found = (Vec<f64>, BTreeMap<&'static str, Volume>, BTreeMap<&'static str, f64>);

/// Results of virtual lesions: for each group of streamlines, numbers with their names.
type Lesions = BTreeMap<String, BTreeMap<&'static str, f64>>;

/// Inputs that LiFE and COMMIT share.
struct Measured {
    dwi: Arc<core::Volume<f32>>,
    gradients: core::GradientTable,
    mask: Mask,
    has_mask: bool,
    tracks: Arc<core::Tractogram>,
}

impl Measured {
    fn new(tracks: &Tractogram, dwi: &Volume, gradients: &Gradients, mask: Option<&Volume>) -> Self {
        let has_mask = mask.is_some();
        let mask = mask.map_or_else(|| Mask::full(*dwi.0.grid()), Volume::mask);
        let (dwi, tracks) = (Arc::clone(&dwi.0), Arc::clone(&tracks.0));
        Self { dwi, gradients: gradients.0.clone(), mask, has_mask, tracks }
    }
}

/// Returns a map in which NaN is replaced by 0. The command writes such maps to files.
fn map(map: core::Volume<f32>) -> Volume {
    map.map(|value| if value.is_nan() { 0.0 } else { value }).into()
}

/// Parses the options of LiFE. Orientations from a file are not accepted.
fn life_options(words: Vec<OsString>) -> core::Result<(LifeOptions, Precision)> {
    let requested = keyword_options::<stages::EvaluateLife>(words)?;
    if requested.orientations.is_some() {
        return Err(no_directions("give their number"));
    }
    Ok((requested.options, requested.precision))
}

fn no_directions(advice: &str) -> Error {
    Error::usage("‘orientations’", "directions from a file are not supported here", advice)
}

/// Groups of streamlines that virtual lesions remove. `refit` states whether the weights of the remaining
/// streamlines are fitted again.
struct Groups {
    groups: Vec<(String, Vec<u32>)>,
    refit: bool,
}

fn life<T: Element>(
    measured: &Measured,
    options: &LifeOptions,
    lesions: &Groups,
    work: &Work<'_>,
) -> core::Result<(Found, Lesions)> {
    let Measured { dwi, gradients, mask, tracks, .. } = measured;
    options.check(gradients)?;
    let problem = LifeProblem::<T>::new(dwi, gradients, mask, &**tracks, options, &work.device()?)?;
    warn_of_points_outside(problem.encoding().nodes_outside(), problem.encoding().nodes() as usize);
    let total = options.stopping.iterations as u64;
    let life = problem.solve(options, |point| work.control.progress(point.iteration as u64, total).is_ok());
    work.control.check()?;
    let figures = [
        ("supported", life.supported().len() as f64),
        ("objective", life.objective),
        ("projected_gradient", life.projected_gradient),
        ("excluded_voxels", problem.counts().not_computed() as f64),
    ];
    let mut found = Lesions::new();
    for (name, members) in &lesions.groups {
        work.control.check()?;
        let lesion = problem
            .virtual_lesion(&life, members, lesions.refit.then_some(options))
            .map_err(|e| e.about(format!("lesion of `{name}`")))?;
        let figures = [
            ("streamlines", lesion.streamlines as f64),
            ("supported", lesion.supported as f64),
            ("voxels", lesion.voxels as f64),
            ("rmse_with", lesion.rmse_with),
            ("rmse_without", lesion.rmse_without),
            ("strength_of_evidence", lesion.strength_of_evidence),
            ("earth_movers_distance", lesion.earth_movers_distance),
        ];
        found.insert(name.clone(), figures.into());
    }
    let maps = [("rmse_before", map(life.rmse_before)), ("rmse_after", map(life.rmse_after))];
    Ok(((life.weights, maps.into(), figures.into()), found))
}

/// Evaluates streamlines with LiFE, and computes virtual lesions of groups of streamlines.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn evaluate_life<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    groups: Vec<(String, Vec<u32>)>,
    refit: bool,
    words: Vec<OsString>,
) -> PyResult<(Evaluated<'py>, Lesions)> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let lesions = Groups { groups, refit };
    let ((weights, maps, figures), found) = call.perform(py, |work| {
        let (options, precision) = life_options(words)?;
        match precision {
            Precision::Single => life::<f32>(&measured, &options, &lesions, work),
            Precision::Double => life::<f64>(&measured, &options, &lesions, work),
        }
    })?;
    Ok(((weights.into_pyarray(py), maps, figures), found))
}

/// Returns the linear operator of LiFE, and the signal that it explains. The operator maps the weights of the
/// streamlines to signals from which the mean of each shell has been subtracted.
#[pyfunction]
pub(crate) fn life_operator<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    words: Vec<OsString>,
) -> PyResult<(Operator, Bound<'py, PyArray1<f64>>)> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let (columns, (operator, data)) = call.perform(py, |work| {
        let (options, _) = life_options(words)?;
        options.check(&measured.gradients)?;
        let Measured { dwi, gradients, mask, tracks, .. } = &measured;
        let problem = LifeProblem::<f64>::new(dwi, gradients, mask, &**tracks, &options, &work.device()?)?;
        Ok((problem.columns().to_vec(), problem.into_parts()))
    })?;
    Ok((Operator::by_columns(operator, columns), data.into_pyarray(py)))
}

/// The options of COMMIT and its images.
struct CommitJob {
    requested: stages::EvaluateCommit,
    peaks: Option<Arc<core::Volume<f32>>>,
    confidence: Option<Arc<core::Volume<f32>>>,
}

impl CommitJob {
    fn new(images: Images, words: Vec<OsString>) -> core::Result<Self> {
        let requested = keyword_options::<stages::EvaluateCommit>(words)?;
        if matches!(requested.orientations, CommitOrientations::File(_)) {
            return Err(no_directions("give their number, exact or auto"));
        }
        let [peaks, confidence] = images;
        Ok(Self { requested, peaks, confidence })
    }
}

/// Images of peaks and confidence.
type Images = [Option<Arc<core::Volume<f32>>>; 2];

fn images(peaks: Option<&Volume>, confidence: Option<&Volume>) -> Images {
    [peaks, confidence].map(|image| image.map(|image| Arc::clone(&image.0)))
}

/// Builds the COMMIT problem from streamlines, the directions of compartments and a diffusion series.
fn problem<T: Element>(
    measured: &Measured,
    job: &CommitJob,
    work: &Work<'_>,
) -> core::Result<CommitProblem<T, CommitOperator<T>>> {
    let Measured { dwi, mask, has_mask, tracks, .. } = measured;
    let requested = &job.requested;
    let model = requested.model.model()?;
    requested.model.warn_of_diffusivities();
    let gradients = requested.model.with_timings(measured.gradients.clone())?;
    model.require_timing(&gradients).map_err(|e| e.about("‘model’"))?;
    let (shells, weightings) = requested.model.shells(&gradients)?;
    let CommitNormalisation { merge_b0s, normalise_signal, normalise_kernels, demean, minimum_b0 } =
        requested.normalisation;
    let samples = Samples::of_series(&gradients, &shells, merge_b0s)?;
    let data = Data::new(dwi, &samples, DataOptions { normalise_signal, minimum_b0, demean })?;
    let confidence = job.confidence.as_deref();
    let usable = data.usable(mask, confidence)?;
    let usable = if *has_mask { usable } else { usable.without_background() };
    usable.counts.warn("COMMIT", &work.control);
    let mut encoder = SegmentEncoder::new(&usable.mask, requested.segments.clone())?;
    encoder.add(tracks)?;
    let (segments, _) = encoder.finish()?;
    let extra = !model.compartments().extra.is_empty();
    let axes = match &job.peaks {
        Some(_) if !extra => {
            let problem = format!("the model {} has no compartments along peaks", model.kind().option_name());
            return Err(Error::usage("‘peaks’", problem, "leave out this option, or choose another ‘model’"));
        }
        Some(peaks) => {
            let frame = requested.peaks_frame.unwrap_or(PeakFrame::Scanner);
            let (axes, agreement) = Axes::from_peaks(peaks, frame, requested.peak_threshold, &segments)?;
            if let Some(problem) = agreement.problem() {
                if requested.peaks_frame.is_none() {
                    return Err(Error::invalid("‘peaks’", problem, "correct them, or say ‘peaks_frame’"));
                }
                work.control.warn(&format!("‘peaks’: {problem}; check ‘peaks_frame’"));
            }
            axes
        }
        None => {
            if extra {
                work.control
                    .warn("‘peaks’ is not given, so the model is fitted without extra-axonal compartments");
            }
            Axes::none(segments.voxels().len())
        }
    };
    warn_of_bare_voxels(&axes, &"‘peaks’");
    let responses = responses(&model, &samples, &weightings, !axes.is_empty(), demean)?;
    let directions =
        requested.orientations.directions(None, (responses.intra() + responses.extra()).max(1))?;
    let device = work.device()?;
    CommitProblem::new(
        &data,
        Arc::new(segments),
        axes,
        responses,
        confidence,
        normalise_kernels,
        &directions,
        &device,
    )
}

fn commit<T: Element>(measured: &Measured, job: &CommitJob, work: &Work<'_>) -> core::Result<Found> {
    let (of_fit, precision) = (&job.requested.fit, job.requested.precision);
    of_fit.check()?;
    let options = of_fit.options(None)?;
    let problem = problem::<T>(measured, job, work)?;
    let total = options.iterations as u64;
    let fit = problem.fit(&options, |point| work.control.progress(point.iteration as u64, total).is_ok())?;
    work.control.check()?;
    require_numbers(&fit, precision)?;
    warn_of_outcome(&fit, &options, precision);
    let found = problem.results(&fit.unknowns);
    let [intra_fraction, extra_fraction, isotropic_fraction] = found.fractions();
    let figures = [
        ("supported", found.supported().len() as f64),
        ("objective", fit.objective),
        ("iterations", fit.trace.last().map_or(0.0, |point| point.iteration as f64)),
    ];
    let maps = [
        ("intra_fraction", intra_fraction),
        ("extra_fraction", extra_fraction),
        ("isotropic_fraction", isotropic_fraction),
        ("intra", found.intra),
        ("extra", found.extra),
        ("isotropic", found.isotropic),
        ("rmse", found.rmse),
        ("nrmse", found.nrmse),
    ];
    Ok((found.weights, maps.map(|(name, of)| (name, map(of))).into(), figures.into()))
}

/// Evaluates streamlines with COMMIT (Convex Optimization Modeling for Microstructure Informed Tractography).
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn evaluate_commit<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    peaks: Option<&Volume>,
    confidence: Option<&Volume>,
    words: Vec<OsString>,
) -> PyResult<Evaluated<'py>> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let images = images(peaks, confidence);
    let (weights, maps, figures) = call.perform(py, |work| {
        let job = CommitJob::new(images, words)?;
        match job.requested.precision {
            Precision::Single => commit::<f32>(&measured, &job, work),
            Precision::Double => commit::<f64>(&measured, &job, work),
        }
    })?;
    Ok((weights.into_pyarray(py), maps, figures))
}

/// Returns the linear operator of COMMIT, and the measured signals that it explains. The operator maps the
/// amounts of all compartments to the signals of the voxels that streamlines pass.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn commit_operator<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    peaks: Option<&Volume>,
    confidence: Option<&Volume>,
    words: Vec<OsString>,
) -> PyResult<(Operator, Bound<'py, PyArray1<f64>>)> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let images = images(peaks, confidence);
    let (operator, data) = call.perform(py, |work| {
        let job = CommitJob::new(images, words)?;
        Ok(problem::<f64>(&measured, &job, work)?.into_parts())
    })?;
    Ok((Operator::new(operator), data.into_pyarray(py)))
}
