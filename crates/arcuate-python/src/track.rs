//! Following streamlines through tensors and distributions, and what these have in common with other sources.

use crate::call::Call;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate::core::{self, Error, FiveTissues, Mask};
use arcuate::model;
use arcuate::pipeline::anatomy_file::warn_of_tissues;
use arcuate::pipeline::fod_basis::warn_of_another_basis;
use arcuate::pipeline::stages::propagation::Propagation;
use arcuate::pipeline::stages::seeds::{Beginnings, SeedNumber};
use arcuate::pipeline::stages::track_fod::{no_fod_streamline, voxels_of_amplitude};
use arcuate::pipeline::stages::track_tensor::no_tensor_streamline;
use arcuate::pipeline::stages::tracking::white_matter;
use arcuate::pipeline::tensor_order::check_tensors;
use arcuate::track::{
    Anatomy, AtMaxLength, Constraints, Curvature, FodImage, FodMethod, FodOptions, Integrator, JudgedBy,
    Method, Region, TrackOptions, TrackSummary, WaypointCondition, track_fod, track_tensor,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Where streamlines begin, and what they must and may not do: of all sources.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Common<'py> {
    mask: Option<PyRef<'py, Volume>>,
    seed_mask: Option<PyRef<'py, Volume>>,
    seed_weights: Option<PyRef<'py, Volume>>,
    seed_points: Option<Vec<[f64; 3]>>,
    seed_interface: bool,
    seeds: Option<u64>,
    seed_grid: Option<usize>,
    select: Option<u64>,
    waypoints: Vec<PyRef<'py, Volume>>,
    waypoint_condition: String,
    waypoints_in_order: bool,
    waypoints_one_way: bool,
    avoid: Vec<PyRef<'py, Volume>>,
    stop: Vec<PyRef<'py, Volume>>,
    stop_on_exit: Vec<PyRef<'py, Volume>>,
    targets: Vec<PyRef<'py, Volume>>,
    judged_by: String,
    five_tissues: Option<PyRef<'py, Volume>>,
    cropping: bool,
    back_tracking: bool,
}

/// The same, without Python's objects.
pub(crate) struct Begun {
    pub(crate) mask: Option<Mask>,
    pub(crate) beginnings: Beginnings,
    pub(crate) number: SeedNumber,
    pub(crate) select: Option<u64>,
    pub(crate) constraints: Constraints,
}

fn refuse<T>(parameter: &str, word: &str, known: &str) -> core::Result<T> {
    Err(Error::usage(parameter, format!("`{word}` is none of {known}"), "give one of them"))
}

impl Common<'_> {
    pub(crate) fn begin(self) -> core::Result<Begun> {
        let regions = |name: &str, images: &[PyRef<'_, Volume>]| -> Vec<Region> {
            let region = |(n, image): (usize, &PyRef<'_, Volume>)| {
                Region::of_mask(&format!("{name}[{n}]"), image.mask(), None)
            };
            images.iter().enumerate().map(region).collect()
        };
        let given = [
            self.seed_mask.is_some(),
            self.seed_weights.is_some(),
            self.seed_points.is_some(),
            self.seed_interface,
        ];
        if given.iter().filter(|given| **given).count() > 1 {
            let problem = "streamlines begin at one of mask, weights, points and interface";
            return Err(Error::usage("‘seed_mask’", problem, "give one of them"));
        }
        let number = match (self.seeds, self.seed_grid) {
            (None, None) => SeedNumber::AsNeeded,
            (Some(count), None) => SeedNumber::Random(count),
            (None, Some(per_axis)) => SeedNumber::Grid(per_axis),
            _ => return Err(Error::usage("‘seeds’", "‘seed_grid’ says how many, too", "give one of them")),
        };
        let beginnings = if let Some(mask) = &self.seed_mask {
            Beginnings::Mask(mask.mask())
        } else if let Some(weights) = &self.seed_weights {
            Beginnings::Weights((*weights.0).clone())
        } else if let Some(points) = self.seed_points {
            Beginnings::Points(points)
        } else if self.seed_interface {
            Beginnings::Interface
        } else {
            Beginnings::Everywhere
        };
        let tissues = self.five_tissues.map(|image| FiveTissues::new((*image.0).clone())).transpose()?;
        let anatomy = tissues.map(|tissues| Anatomy {
            back_track: self.back_tracking,
            crop_at_interface: self.cropping,
            ..Anatomy::new(Arc::new(tissues))
        });
        let constraints = Constraints {
            avoid: regions("avoid", &self.avoid),
            stop: regions("stop", &self.stop),
            stop_on_exit: regions("stop_on_exit", &self.stop_on_exit),
            waypoints: regions("waypoints", &self.waypoints),
            condition: match self.waypoint_condition.as_str() {
                "all" => WaypointCondition::All,
                "any" => WaypointCondition::Any,
                other => return refuse("‘waypoint_condition’", other, "all, any"),
            },
            in_order: self.waypoints_in_order,
            one_way: self.waypoints_one_way,
            targets: regions("targets", &self.targets),
            judged_by: match self.judged_by.as_str() {
                "half" => JudgedBy::Half,
                "whole" => JudgedBy::Whole,
                other => return refuse("‘judged_by’", other, "half, whole"),
            },
            anatomy,
        };
        let mask = self.mask.map(|mask| mask.mask());
        Ok(Begun { mask, beginnings, number, select: self.select, constraints })
    }
}

impl Begun {
    /// Warns of the anatomy, as the command does when it reads it.
    pub(crate) fn warn(&self) {
        if let Some(anatomy) = &self.constraints.anatomy {
            warn_of_tissues(&anatomy.tissues, &"‘five_tissues’");
        }
    }
}

/// What became of seeds and ends.
pub(crate) fn told<'py>(py: Python<'py>, summary: &TrackSummary) -> PyResult<Bound<'py, PyDict>> {
    let counts = PyDict::new(py);
    counts.set_item("seeds", summary.seeds)?;
    counts.set_item("streamlines", summary.streamlines)?;
    counts.set_item("too_short", summary.rejected.too_short)?;
    counts.set_item("too_long", summary.rejected.too_long)?;
    counts.set_item("seed_outside", summary.rejected.seed_outside)?;
    counts.set_item("avoided", summary.rejected.avoided)?;
    counts.set_item("waypoints_missed", summary.rejected.waypoints)?;
    counts.set_item("wrong_tissue", summary.rejected.anatomy)?;
    counts.set_item("through_targets", summary.targets.clone())?;
    Ok(counts)
}

/// What happens to a streamline that reaches the largest length.
fn at_max_length(word: &str) -> core::Result<AtMaxLength> {
    match word {
        "stop" => Ok(AtMaxLength::Stop),
        "discard" => Ok(AtMaxLength::Discard),
        other => refuse("‘at_max_length’", other, "stop, discard"),
    }
}

/// What streamlines are followed by, of tensors.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TensorKeywords {
    method: String,
    integrator: Option<String>,
    step: Option<f64>,
    angle: Option<f64>,
    curvature_radius: Option<f64>,
    cutoff: Option<f64>,
    seed_cutoff: Option<f64>,
    min_length: Option<f64>,
    max_length: Option<f64>,
    at_max_length: String,
    one_way: bool,
    deflection_f: f64,
    deflection_g: f64,
}

impl TensorKeywords {
    fn options(self) -> core::Result<TrackOptions> {
        let defaults = TrackOptions::default();
        let method = match self.method.as_str() {
            "fact" => Method::Fact,
            "tensor" => Method::Tensor,
            "deflection" => Method::TensorDeflection { f: self.deflection_f, g: self.deflection_g },
            other => return refuse("‘method’", other, "fact, tensor, deflection"),
        };
        let integrator = match self.integrator.as_deref() {
            None if method == Method::Fact => Integrator::Euler,
            None => defaults.integrator,
            Some("euler") => Integrator::Euler,
            Some("runge-kutta") => Integrator::RungeKutta4,
            Some(other) => return refuse("‘integrator’", other, "euler, runge-kutta"),
        };
        let curvature = match (self.angle, self.curvature_radius) {
            (None, None) => defaults.curvature,
            (Some(degrees), None) => Curvature::MaxAngleDegrees(degrees),
            (None, Some(radius)) => Curvature::MinRadiusMm(radius),
            _ => {
                let problem = "‘min_radius_mm’ says how sharp a turn may be, too";
                return Err(Error::usage("‘max_angle_degrees’", problem, "give one of them"));
            }
        };
        let propagation = Propagation {
            step_mm: self.step,
            cutoff: self.cutoff,
            seed_cutoff: self.seed_cutoff,
            min_length_mm: self.min_length,
            max_length_mm: self.max_length,
            at_max_length: at_max_length(&self.at_max_length)?,
            ..Propagation::default()
        };
        let both_directions = !self.one_way;
        Ok(propagation.of_tensors(TrackOptions {
            method,
            integrator,
            curvature,
            both_directions,
            ..defaults
        }))
    }
}

/// Follows diffusion tensors.
#[pyfunction]
pub(crate) fn through_tensors<'py>(
    py: Python<'py>,
    call: &Call,
    tensor: &Volume,
    common: Common<'py>,
    keywords: TensorKeywords,
) -> PyResult<(Tractogram, Bound<'py, PyDict>)> {
    let tensor = Arc::clone(&tensor.0);
    let (begun, options) =
        common.begin().and_then(|begun| Ok((begun, keywords.options()?))).map_err(crate::errors::raise)?;
    let (tracks, summary) = call.perform(py, |work| {
        begun.warn();
        let Begun { mask, beginnings, number, select, constraints } = begun;
        let select = beginnings.select(number, select);
        let options = TrackOptions { mask, constraints, select, seed: work.random_seed(), ..options };
        options.check(tensor.grid())?;
        check_tensors(&"tensor", &tensor, options.mask.as_ref(), Some("streamlines end there"))?;
        let anatomy = options.constraints.anatomy.as_ref();
        let are_chosen = beginnings != Beginnings::Everywhere;
        let seeds = beginnings.seeds(number, select, anatomy, None, || {
            let least = options.seed_fa.unwrap_or(options.fa_cutoff);
            let white = white_matter(&model::tensor_maps(&tensor)?.fa, options.mask.as_ref(), least)?;
            if white.count() == 0 { Err(no_tensor_streamline(&"tensor")) } else { Ok(white) }
        })?;
        let mut tracks = core::Tractogram::new();
        let device = arcuate::compute::Device::Cpu;
        let summary = track_tensor(&tensor, &seeds, &options, &device, &mut tracks, &work.control)?;
        if summary.streamlines == 0 && !are_chosen {
            return Err(no_tensor_streamline(&"tensor"));
        }
        Ok((tracks.into(), summary))
    })?;
    Ok((tracks, told(py, &summary)?))
}

/// What streamlines are followed by, of distributions.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FodKeywords {
    method: String,
    step: Option<f64>,
    angle: Option<f64>,
    cutoff: Option<f64>,
    seed_cutoff: Option<f64>,
    min_length: Option<f64>,
    max_length: Option<f64>,
    at_max_length: String,
}

impl FodKeywords {
    fn options(self) -> core::Result<FodOptions> {
        let method = match self.method.as_str() {
            "arcs" => FodMethod::Arcs,
            "steps" => FodMethod::Steps,
            "peaks" => FodMethod::Peaks,
            other => return refuse("‘method’", other, "arcs, steps, peaks"),
        };
        let propagation = Propagation {
            step_mm: self.step,
            max_angle_degrees: self.angle,
            cutoff: self.cutoff,
            seed_cutoff: self.seed_cutoff,
            min_length_mm: self.min_length,
            max_length_mm: self.max_length,
            at_max_length: at_max_length(&self.at_max_length)?,
        };
        Ok(propagation.of_fods(&FodOptions { method, ..FodOptions::default() }))
    }
}

/// Follows fibre orientation distributions.
#[pyfunction]
pub(crate) fn through_fods<'py>(
    py: Python<'py>,
    call: &Call,
    fod: &Volume,
    common: Common<'py>,
    keywords: FodKeywords,
) -> PyResult<(Tractogram, Bound<'py, PyDict>)> {
    let fod = Arc::clone(&fod.0);
    let (begun, options) =
        common.begin().and_then(|begun| Ok((begun, keywords.options()?))).map_err(crate::errors::raise)?;
    let (tracks, summary) = call.perform(py, |work| {
        begun.warn();
        let Begun { mask, beginnings, number, select, constraints } = begun;
        let select = beginnings.select(number, select);
        let image = FodImage::new(&fod, mask.as_ref())?;
        warn_of_another_basis(&image, "fod", &work.control)?;
        let options = FodOptions { select, seed: work.random_seed(), ..options };
        options.check_on(image.grid())?;
        let least = options.seed_amplitude.unwrap_or(options.min_amplitude);
        let anatomy = constraints.anatomy.as_ref();
        let are_chosen = beginnings != Beginnings::Everywhere;
        let seeds = beginnings.seeds(number, select, anatomy, None, || {
            voxels_of_amplitude(&image, least, &"fod", anatomy.is_some())
        })?;
        let mut tracks = core::Tractogram::new();
        let device = work.device()?;
        let found = track_fod(&image, &seeds, &constraints, &options, &device, &mut tracks, &work.control)?;
        if found.summary.streamlines == 0 && !are_chosen {
            return Err(no_fod_streamline(&"fod", anatomy.is_some()));
        }
        Ok((tracks.into(), found.summary))
    })?;
    Ok((tracks, told(py, &summary)?))
}
