//! Tracking through diffusion tensors and FODs. Also contains code that the other tracking functions use.

use crate::call::Call;
use crate::errors::raise;
use crate::keyword_options::keyword_options;
use crate::streamlines::Tractogram;
use crate::volume::Volume;
use arcuate_core::{self as core, FiveTissues, Mask};
use arcuate_model as model;
use arcuate_pipeline::anatomy_file::warn_of_tissues;
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::fod_basis::warn_of_another_basis;
use arcuate_pipeline::stages::track_fod::{no_fod_streamline, voxels_of_amplitude};
use arcuate_pipeline::stages::track_tensor::no_tensor_streamline;
use arcuate_pipeline::stages::tracking::{ReadSeeds, SampleSeeds, Tracking, white_matter};
use arcuate_pipeline::stages::{TrackFod, TrackTensor};
use arcuate_pipeline::tensor_order::check_tensors;
use arcuate_track::{
    Anatomy, Constraints, FodImage, FodMethod, FodOptions, Region, Seeds, TrackOptions, TrackSummary,
    track_fod, track_tensor,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::sync::Arc;

/// Arrays that a tracking function gets. They replace the input files of the command.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Arrays<'py> {
    mask: Option<PyRef<'py, Volume>>,
    seed_mask: Option<PyRef<'py, Volume>>,
    seed_weights: Option<PyRef<'py, Volume>>,
    seed_points: Option<Vec<[f64; 3]>>,
    seed_interface: bool,
    waypoints: Vec<PyRef<'py, Volume>>,
    avoid: Vec<PyRef<'py, Volume>>,
    stop: Vec<PyRef<'py, Volume>>,
    stop_on_exit: Vec<PyRef<'py, Volume>>,
    targets: Vec<PyRef<'py, Volume>>,
    five_tissues: Option<PyRef<'py, Volume>>,
}

/// Where streamlines begin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SeedChoice {
    /// Seeds are in all voxels that are suitable for the source of directions, for example above an FA
    /// threshold.
    Everywhere,
    /// In the voxels of a mask.
    Mask(Mask),
    /// Seeds are random. Their density is proportional to the values of an image.
    Weights(core::Volume<f32>),
    /// Seeds are random positions on the interface between grey and white matter.
    Interface,
    /// At points, RAS mm.
    Points(Vec<[f64; 3]>),
}

/// Arrays that a tracking function gets, converted from Python objects.
pub(crate) struct Given {
    pub(crate) mask: Option<Mask>,
    pub(crate) beginnings: SeedChoice,
    regions: Constraints,
    tissues: Option<Arc<FiveTissues>>,
}

impl Arrays<'_> {
    pub(crate) fn given(self) -> core::Result<Given> {
        let regions = |name: &str, images: &[PyRef<'_, Volume>]| -> Vec<Region> {
            let region = |(n, image): (usize, &PyRef<'_, Volume>)| {
                Region::of_mask(&format!("{name}[{n}]"), image.mask(), None)
            };
            images.iter().enumerate().map(region).collect()
        };
        let regions = Constraints {
            avoid: regions("avoid", &self.avoid),
            stop: regions("stop", &self.stop),
            stop_on_exit: regions("stop_on_exit", &self.stop_on_exit),
            waypoints: regions("waypoints", &self.waypoints),
            targets: regions("targets", &self.targets),
            ..Constraints::default()
        };
        // Only one kind of seeds can be given here, because the parser of the command accepts only one.
        let beginnings = if let Some(mask) = &self.seed_mask {
            SeedChoice::Mask(mask.mask())
        } else if let Some(weights) = &self.seed_weights {
            SeedChoice::Weights((*weights.0).clone())
        } else if let Some(points) = self.seed_points {
            SeedChoice::Points(points)
        } else if self.seed_interface {
            SeedChoice::Interface
        } else {
            SeedChoice::Everywhere
        };
        let tissues = self.five_tissues.map(|image| FiveTissues::new((*image.0).clone())).transpose()?;
        let mask = self.mask.map(|mask| mask.mask());
        Ok(Given { mask, beginnings, regions, tissues: tissues.map(Arc::new) })
    }
}

impl Given {
    /// Returns true if seeds were given.
    pub(crate) fn are_chosen(&self) -> bool {
        self.beginnings != SeedChoice::Everywhere
    }

    /// Returns the options of the seeds without input files. Arrays replace these files here.
    fn options_of_seeds(requested: &Tracking) -> SampleSeeds {
        SampleSeeds { mask: None, weights: None, points: None, ..requested.seeds.clone() }
    }

    /// Returns the number of accepted streamlines after which tracking stops.
    pub(crate) fn select(&self, requested: &Tracking) -> Option<u64> {
        let listed = matches!(self.beginnings, SeedChoice::Points(_));
        Self::options_of_seeds(requested).select(requested.preset, listed)
    }

    /// Returns the seeds for these arrays, as the command would for files. `repeats` is true if streamlines
    /// from the same seed position can differ.
    pub(crate) fn seeds(
        &self,
        requested: &Tracking,
        constraints: &Constraints,
        everywhere: &Mask,
        repeats: bool,
    ) -> core::Result<Seeds> {
        requested.seeds.check()?;
        let seeds = Self::options_of_seeds(requested);
        let (listed, mask) = match &self.beginnings {
            SeedChoice::Interface => {
                return seeds.at_interface(constraints.anatomy.as_ref(), None, requested.preset);
            }
            SeedChoice::Weights(image) => return Ok(seeds.of_weights(image.clone(), None, requested.preset)),
            SeedChoice::Points(points) => (Some(points.clone()), None),
            SeedChoice::Mask(mask) => (None, Some(mask)),
            SeedChoice::Everywhere => (None, None),
        };
        let from = ReadSeeds { listed, elements: None, mask, mapping: None, everywhere };
        seeds.resolve(from, requested.preset, repeats)
    }

    /// Returns the tracking constraints with these regions and tissues. Issues a warning if the tissue image
    /// has problems.
    pub(crate) fn constraints(&self, requested: &ConstraintFiles) -> Constraints {
        if let Some(tissues) = &self.tissues {
            warn_of_tissues(tissues, &"‘five_tissues’");
        }
        let anatomy =
            self.tissues.as_ref().zip(requested.anatomy.as_ref()).map(|(tissues, requested)| Anatomy {
                back_track: requested.back_track,
                crop_at_interface: requested.crop_at_interface,
                ..Anatomy::new(Arc::clone(tissues))
            });
        Constraints {
            condition: requested.condition,
            in_order: requested.in_order,
            one_way: requested.one_way,
            judged_by: requested.judged_by,
            anatomy,
            ..self.regions.clone()
        }
    }
}

/// Returns the number of seeds, the number of accepted streamlines, and how many were rejected for each
/// reason.
pub(crate) fn summary_dict<'py>(py: Python<'py>, summary: &TrackSummary) -> PyResult<Bound<'py, PyDict>> {
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

/// Tracks streamlines through diffusion tensors.
#[pyfunction]
pub(crate) fn through_tensors<'py>(
    py: Python<'py>,
    call: &Call,
    tensor: &Volume,
    arrays: Arrays<'py>,
    words: Vec<OsString>,
) -> PyResult<(Tractogram, Bound<'py, PyDict>)> {
    let tensor = Arc::clone(&tensor.0);
    let given = arrays.given().map_err(raise)?;
    let (tracks, summary) = call.perform(py, |work| {
        let requested = keyword_options::<TrackTensor>(words)?;
        let TrackTensor { tracking, options, .. } = requested;
        let (mask, constraints) = (given.mask.clone(), given.constraints(&tracking.constraints));
        let (select, seed) = (given.select(&tracking), work.random_seed());
        let options = tracking.propagation.of_tensors(options);
        let options = TrackOptions { mask, constraints, select, seed, ..options };
        options.check(tensor.grid())?;
        check_tensors(&"tensor", &tensor, options.mask.as_ref(), Some("streamlines end there"))?;
        let are_chosen = given.are_chosen();
        let everywhere = if are_chosen {
            Mask::full(*tensor.grid())
        } else {
            let minimum = options.seed_fa.unwrap_or(options.fa_cutoff);
            white_matter(&model::tensor_maps(&tensor)?.fa, options.mask.as_ref(), minimum)?
        };
        if everywhere.is_empty() {
            return Err(no_tensor_streamline(&"tensor"));
        }
        let seeds = given.seeds(&tracking, &options.constraints, &everywhere, false)?;
        let mut tracks = core::Tractogram::new();
        let device = arcuate_compute::Device::Cpu;
        let summary = track_tensor(&tensor, &seeds, &options, &device, &mut tracks, &work.control)?;
        if summary.streamlines == 0 && !are_chosen {
            return Err(no_tensor_streamline(&"tensor"));
        }
        Ok((tracks.into(), summary))
    })?;
    Ok((tracks, summary_dict(py, &summary)?))
}

/// Tracks streamlines through fibre orientation distributions.
#[pyfunction]
pub(crate) fn through_fods<'py>(
    py: Python<'py>,
    call: &Call,
    fod: &Volume,
    arrays: Arrays<'py>,
    words: Vec<OsString>,
) -> PyResult<(Tractogram, Bound<'py, PyDict>)> {
    let fod = Arc::clone(&fod.0);
    let given = arrays.given().map_err(raise)?;
    let (tracks, summary) = call.perform(py, |work| {
        let requested = keyword_options::<TrackFod>(words)?;
        let TrackFod { tracking, options, .. } = requested;
        let constraints = given.constraints(&tracking.constraints);
        let image = FodImage::new(&fod, given.mask.as_ref())?;
        warn_of_another_basis(&image, "fod", &work.control)?;
        let (select, seed) = (given.select(&tracking), work.random_seed());
        let options = FodOptions { select, seed, ..tracking.propagation.of_fods(&options) };
        options.check_on(image.grid())?;
        let minimum = options.seed_amplitude.unwrap_or(options.min_amplitude);
        let (are_chosen, has_anatomy) = (given.are_chosen(), constraints.anatomy.is_some());
        let everywhere = if are_chosen {
            image.mask()?
        } else {
            voxels_of_amplitude(&image, minimum, &"fod", has_anatomy)?
        };
        let seeds = given.seeds(&tracking, &constraints, &everywhere, options.method != FodMethod::Peaks)?;
        let mut tracks = core::Tractogram::new();
        let device = work.device()?;
        let found = track_fod(&image, &seeds, &constraints, &options, &device, &mut tracks, &work.control)?;
        if found.summary.streamlines == 0 && !are_chosen {
            return Err(no_fod_streamline(&"fod", has_anatomy));
        }
        Ok((tracks.into(), found.summary))
    })?;
    Ok((tracks, summary_dict(py, &summary)?))
}
