//! Which streamlines the signal supports: LiFE and COMMIT.

use crate::call::{Call, Work};
use crate::operators::Operator;
use crate::series::Gradients;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate::core::{self, Error, Mask, PeakFrame};
use arcuate::evaluate::commit::{
    Axes, CommitOperator, CommitProblem, Data, DataOptions, Samples, SegmentEncoder, SegmentOptions,
};
use arcuate::evaluate::encoding::NodeValue;
use arcuate::evaluate::{Element, LifeOptions, LifeProblem, Normalisation, Solver};
use arcuate::model::compartments::ModelKind;
use arcuate::pipeline::precision::Precision;
use arcuate::pipeline::space::warn_of_points_outside;
use arcuate::pipeline::stages::commit::{
    CommitFit, CommitModel, CommitNormalisation, CommitOrientations, require_numbers, responses,
    warn_of_bare_voxels, warn_of_outcome,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Weights by streamline, maps by name, and figures by name.
type Evaluated<'py> =
    (Bound<'py, PyArray1<f64>>, BTreeMap<&'static str, Volume>, BTreeMap<&'static str, f64>);

/// The same without Python's array.
type Found = (Vec<f64>, BTreeMap<&'static str, Volume>, BTreeMap<&'static str, f64>);

/// Figures of virtual lesions, by the name of the group.
type Lesions = BTreeMap<String, BTreeMap<&'static str, f64>>;

/// What is read alike by both.
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

pub(crate) fn is_single(precision: &str) -> core::Result<bool> {
    match precision {
        "single" => Ok(true),
        "double" => Ok(false),
        other => Err(Error::usage(
            "‘precision’",
            format!("`{other}` is neither single nor double"),
            "give one of them",
        )),
    }
}

/// A map, 0 where it says nothing, as in files.
fn map(map: core::Volume<f32>) -> Volume {
    map.map(|value| if value.is_nan() { 0.0 } else { value }).into()
}

/// What LiFE is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LifeKeywords {
    shells: Option<Vec<f64>>,
    eigenvalues: Option<[f64; 3]>,
    orientations: Option<usize>,
    normalise_signal: bool,
    node_value: String,
    solver: String,
    lambda_: Option<f64>,
    tolerance: Option<f64>,
    iterations: Option<usize>,
    precision: String,
}

impl LifeKeywords {
    fn options(&self) -> core::Result<LifeOptions> {
        let mut options = LifeOptions { shells: self.shells.clone(), ..LifeOptions::default() };
        if let Some(eigenvalues) = self.eigenvalues {
            options.eigenvalues = eigenvalues;
        }
        if let Some(count) = self.orientations {
            options.orientations = core::Orientations::half_sphere(count);
        }
        if self.normalise_signal {
            options.normalisation = Normalisation::Relative;
        }
        options.node_value = match self.node_value.as_str() {
            "count" => NodeValue::Count,
            "length" => NodeValue::Length,
            other => {
                return Err(Error::usage(
                    "‘node_value’",
                    format!("`{other}` is neither count nor length"),
                    "give one",
                ));
            }
        };
        options.solver = match self.solver.as_str() {
            "barzilai-borwein" => Solver::ProjectedBarzilaiBorwein,
            "sbbnnls" => Solver::Sbbnnls,
            other => {
                let problem = format!("`{other}` is neither barzilai-borwein nor sbbnnls");
                return Err(Error::usage("‘solver’", problem, "give one of them"));
            }
        };
        options.l1 = self.lambda_.unwrap_or(0.0);
        if let Some(tolerance) = self.tolerance {
            options.stopping.tolerance = tolerance;
        }
        if let Some(iterations) = self.iterations {
            options.stopping.iterations = iterations;
        }
        Ok(options)
    }
}

/// Groups of streamlines that are left out, and whether the others are fitted anew then.
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

/// Linear Fascicle Evaluation, and virtual lesions of groups of streamlines.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn evaluate_life<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    keywords: LifeKeywords,
    groups: Vec<(String, Vec<u32>)>,
    refit: bool,
) -> PyResult<(Evaluated<'py>, Lesions)> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let lesions = Groups { groups, refit };
    let ((weights, maps, figures), found) = call.perform(py, |work| {
        let options = keywords.options()?;
        if is_single(&keywords.precision)? {
            life::<f32>(&measured, &options, &lesions, work)
        } else {
            life::<f64>(&measured, &options, &lesions, work)
        }
    })?;
    Ok(((weights.into_pyarray(py), maps, figures), found))
}

/// LiFE's operator, from weights by streamline to the signal without its mean in each shell, and that signal.
#[pyfunction]
pub(crate) fn life_operator<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    keywords: LifeKeywords,
) -> PyResult<(Operator, Bound<'py, PyArray1<f64>>)> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let (columns, (operator, data)) = call.perform(py, |work| {
        let options = keywords.options()?;
        options.check(&measured.gradients)?;
        let Measured { dwi, gradients, mask, tracks, .. } = &measured;
        let problem = LifeProblem::<f64>::new(dwi, gradients, mask, &**tracks, &options, &work.device()?)?;
        Ok((problem.columns().to_vec(), problem.into_parts()))
    })?;
    Ok((Operator::by_columns(operator, columns), data.into_pyarray(py)))
}

/// What COMMIT is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CommitKeywords<'py> {
    peaks: Option<PyRef<'py, Volume>>,
    peaks_frame: Option<String>,
    peak_threshold: Option<f64>,
    confidence: Option<PyRef<'py, Volume>>,
    model: Option<String>,
    axial_diffusivity: Option<f64>,
    radial_diffusivity: Option<f64>,
    zeppelin_axial_diffusivity: Option<f64>,
    radial_diffusivities: Option<Vec<f64>>,
    intra_fractions: Option<Vec<f64>>,
    isotropic_diffusivities: Option<Vec<f64>>,
    radii: Option<Vec<f64>>,
    pulses: Option<[f64; 3]>,
    b_step: f64,
    merge_b0: bool,
    normalise_signal: bool,
    normalise_kernels: bool,
    demean: bool,
    min_b0: f64,
    min_length: Option<f64>,
    max_length: Option<f64>,
    min_segment: Option<f64>,
    orientations: Option<usize>,
    lambda_: Option<f64>,
    lambda_extra: Option<f64>,
    lambda_isotropic: Option<f64>,
    tolerance: Option<f64>,
    iterations: Option<usize>,
    precision: String,
}

/// The same, without Python's objects.
struct CommitJob {
    peaks: Option<Arc<core::Volume<f32>>>,
    frame: Option<PeakFrame>,
    threshold: f64,
    confidence: Option<Arc<core::Volume<f32>>>,
    model: CommitModel,
    normalisation: CommitNormalisation,
    segments: SegmentOptions,
    orientations: CommitOrientations,
    fit: CommitFit,
    precision: Precision,
}

impl CommitKeywords<'_> {
    fn job(self) -> core::Result<CommitJob> {
        let refuse = |parameter: &str, word: &str, known: &str| {
            Error::usage(parameter, format!("`{word}` is none of {known}"), "give one of them")
        };
        let model = CommitModel {
            axial_diffusivity: self.axial_diffusivity,
            radial_diffusivity: self.radial_diffusivity,
            zeppelin_axial_diffusivity: self.zeppelin_axial_diffusivity,
            radial_diffusivities: self.radial_diffusivities,
            intra_fractions: self.intra_fractions,
            isotropic_diffusivities: self.isotropic_diffusivities,
            radii: self.radii,
            pulses: self.pulses,
            b_step: self.b_step,
            ..CommitModel::default()
        };
        let model = match &self.model {
            Some(word) => {
                let known = ModelKind::ALL.iter().find(|kind| kind.option_name() == word);
                let names: Vec<&str> = ModelKind::ALL.iter().map(|kind| kind.option_name()).collect();
                let kind = *known.ok_or_else(|| refuse("‘model’", word, &names.join(", ")))?;
                CommitModel { kind, ..model }
            }
            None => model,
        };
        let frame = match self.peaks_frame.as_deref() {
            None => None,
            Some("scanner") => Some(PeakFrame::Scanner),
            Some("image") => Some(PeakFrame::Image),
            Some("fsl") => Some(PeakFrame::Fsl),
            Some(word) => return Err(refuse("‘peaks_frame’", word, "scanner, image, fsl")),
        };
        let (usual, lengths) = (CommitFit::default(), SegmentOptions::default());
        Ok(CommitJob {
            peaks: self.peaks.map(|peaks| Arc::clone(&peaks.0)),
            frame,
            threshold: self.peak_threshold.unwrap_or(0.1),
            confidence: self.confidence.map(|map| Arc::clone(&map.0)),
            model,
            normalisation: CommitNormalisation {
                merge_b0s: self.merge_b0,
                normalise_signal: self.normalise_signal,
                normalise_kernels: self.normalise_kernels,
                demean: self.demean,
                minimum_b0: self.min_b0,
            },
            segments: SegmentOptions {
                minimum_length: self.min_length.unwrap_or(lengths.minimum_length),
                maximum_length: self.max_length.unwrap_or(lengths.maximum_length),
                minimum_segment: self.min_segment.unwrap_or(lengths.minimum_segment),
                ..lengths
            },
            orientations: self.orientations.map_or(CommitOrientations::Auto, CommitOrientations::Number),
            fit: CommitFit {
                regularise: match self.lambda_ {
                    Some(_) => arcuate::pipeline::stages::commit::Regularise::Lasso,
                    None => usual.regularise,
                },
                lambda: self.lambda_.map(|lambda| vec![lambda]),
                lambda_extra: self.lambda_extra,
                lambda_isotropic: self.lambda_isotropic,
                tolerance: self.tolerance.unwrap_or(usual.tolerance),
                iterations: self.iterations.unwrap_or(usual.iterations),
                ..usual
            },
            precision: if is_single(&self.precision)? { Precision::Single } else { Precision::Double },
        })
    }
}

/// Streamlines, compartments and the series as a problem.
fn problem<T: Element>(
    measured: &Measured,
    job: &CommitJob,
    work: &Work<'_>,
) -> core::Result<CommitProblem<T, CommitOperator<T>>> {
    let Measured { dwi, mask, has_mask, tracks, .. } = measured;
    let model = job.model.model()?;
    job.model.warn_of_diffusivities();
    let gradients = job.model.with_timings(measured.gradients.clone())?;
    model.require_timing(&gradients).map_err(|e| e.about("‘model’"))?;
    let (shells, weightings) = job.model.shells(&gradients)?;
    let CommitNormalisation { merge_b0s, normalise_signal, normalise_kernels, demean, minimum_b0 } =
        job.normalisation;
    let samples = Samples::of_series(&gradients, &shells, merge_b0s)?;
    let data = Data::new(dwi, &samples, DataOptions { normalise_signal, minimum_b0, demean })?;
    let confidence = job.confidence.as_deref();
    let usable = data.usable(mask, confidence)?;
    let usable = if *has_mask { usable } else { usable.without_background() };
    usable.counts.warn("COMMIT", &work.control);
    let mut encoder = SegmentEncoder::new(&usable.mask, job.segments.clone())?;
    encoder.add(tracks)?;
    let (segments, _) = encoder.finish()?;
    let extra = !model.compartments().extra.is_empty();
    let axes = match &job.peaks {
        Some(_) if !extra => {
            let problem = format!("the model {} has no compartment along peaks", model.kind().option_name());
            return Err(Error::usage("‘peaks’", problem, "leave it out, or choose another ‘model’"));
        }
        Some(peaks) => {
            let frame = job.frame.unwrap_or(PeakFrame::Scanner);
            let (axes, agreement) = Axes::from_peaks(peaks, frame, job.threshold, &segments)?;
            if let Some(problem) = agreement.problem() {
                if job.frame.is_none() {
                    return Err(Error::invalid("‘peaks’", problem, "correct them, or say ‘peaks_frame’"));
                }
                work.control.warn(&format!("‘peaks’: {problem}; check ‘peaks_frame’"));
            }
            axes
        }
        None => {
            if extra {
                work.control.warn("without ‘peaks’ the extra-axonal compartments of the model are left out");
            }
            Axes::none(segments.voxels().len())
        }
    };
    warn_of_bare_voxels(&axes, &"‘peaks’");
    let responses = responses(&model, &samples, &weightings, !axes.is_empty(), demean)?;
    let directions = job.orientations.directions(None, (responses.intra() + responses.extra()).max(1))?;
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
    job.fit.check()?;
    let options = job.fit.options(None)?;
    let problem = problem::<T>(measured, job, work)?;
    let total = options.iterations as u64;
    let fit = problem.fit(&options, |point| work.control.progress(point.iteration as u64, total).is_ok())?;
    work.control.check()?;
    require_numbers(&fit, job.precision)?;
    warn_of_outcome(&fit, &options, job.precision);
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

/// Convex Optimization Modeling for Microstructure Informed Tractography.
#[pyfunction]
pub(crate) fn evaluate_commit<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    keywords: CommitKeywords<'_>,
) -> PyResult<Evaluated<'py>> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let job = keywords.job().map_err(crate::errors::raise)?;
    let (weights, maps, figures) = call.perform(py, |work| match job.precision {
        Precision::Single => commit::<f32>(&measured, &job, work),
        Precision::Double => commit::<f64>(&measured, &job, work),
    })?;
    Ok((weights.into_pyarray(py), maps, figures))
}

/// COMMIT's operator, from amounts of all compartments to the samples of the voxels that streamlines pass, and these samples.
#[pyfunction]
pub(crate) fn commit_operator<'py>(
    py: Python<'py>,
    call: &Call,
    tracks: &Tractogram,
    dwi: &Volume,
    gradients: &Gradients,
    mask: Option<&Volume>,
    keywords: CommitKeywords<'_>,
) -> PyResult<(Operator, Bound<'py, PyArray1<f64>>)> {
    let measured = Measured::new(tracks, dwi, gradients, mask);
    let job = keywords.job().map_err(crate::errors::raise)?;
    let (operator, data) =
        call.perform(py, |work| Ok(problem::<f64>(&measured, &job, work)?.into_parts()))?;
    Ok((Operator::new(operator), data.into_pyarray(py)))
}
