//! Reads and checks all inputs of a COMMIT problem.

use super::model;
use super::options::{CommitSignal, DictionaryFiles, EvaluateCommit};
use crate::job::Job;
use crate::record::Record;
use crate::sample_folder::SampleFolder;
use crate::series::{self, Series};
use crate::space::{ImageOnGrid, map_on, region_on, warn_of_another_image};
use crate::tensor_order::require_no_tensors;
use arcuate_compute::Device;
use arcuate_core::{Error, Grid, Mask, Orientations, PeakFrame, Result, Volume, VoxelCounts};
use arcuate_evaluate::Element;
use arcuate_evaluate::commit::{
    Axes, CommitOperator, CommitProblem, Data, DataOptions, Samples, SegmentEncoder, SegmentSummary,
    Segments, UsableVoxels,
};
use arcuate_io::{Space, TractogramReader, read_volume, stream_tractogram_in};
use arcuate_model::compartments::{Compartment, Model, Weighting};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The signal that COMMIT explains: a diffusion series, or a 3-D map of one value per voxel.
enum Signal {
    Series(Rc<Series>),
    Map(Box<Volume<f32>>),
}

impl Signal {
    fn volume(&self) -> &Volume<f32> {
        match self {
            Self::Series(series) => &series.dwi,
            Self::Map(map) => map,
        }
    }
}

/// The measured signals, and the files from which they were read.
struct Measured {
    series: Signal,
    samples: Samples,
    shells: Vec<Weighting>,
    files: Vec<PathBuf>,
}

/// Segments of the streamlines and peaks, in the voxels that are used.
pub(super) struct Encoded {
    pub(super) segments: Segments,
    pub(super) axes: Axes,
    pub(super) summary: SegmentSummary,
    /// The directions that segments and peaks refer to by number, in scanner axes. `None` if the streamlines
    /// are not from a dictionary.
    pub(super) orientations: Option<Orientations>,
}

/// Segments of streamlines and peaks. A problem takes them, because the memory may be too small for a copy.
pub(super) struct Parts {
    segments: Arc<Segments>,
    axes: Axes,
}

/// All inputs of a COMMIT problem except its [`Parts`].
pub(super) struct Inputs {
    measured: Measured,
    options: DataOptions,
    confidence: Option<Volume<f32>>,
    has_peaks: bool,
    /// Number of voxels that streamlines pass but that have no peak. It is 0 if no voxel has a peak.
    bare_voxels: usize,
    orientations: Option<Orientations>,
    summary: SegmentSummary,
    model: Model,
    counts: VoxelCounts,
}

impl Inputs {
    pub(super) fn read(command: &EvaluateCommit, model: &Model, job: &Job) -> Result<(Self, Parts)> {
        let measured = Measured::read(command, model, job)?;
        let grid = *measured.series.volume().grid();
        if let Some(path) = command.tracts.as_deref() {
            let mut reader = TractogramReader::open_in(path, Space::Likely(&grid))?;
            if !reader.data_names().is_empty() {
                // The data and groups of the tractogram are copied to the results. They are read here once,
                // so that an error in them occurs before the long fit.
                job.step("check the data of the tractogram", || {
                    reader.read_groups()?;
                    let data = reader.data();
                    reader.stream_with(&data, &mut ())
                })?;
            }
        }
        let confidence = command
            .confidence
            .as_deref()
            .map(|path| map_on(path, &grid, "the diffusion series"))
            .transpose()?;
        let mask = match &command.mask {
            Some(path) => region_on(path, &grid, "the diffusion series")?,
            None => Mask::full(grid),
        };
        let options = DataOptions {
            normalise_signal: command.is_normalised(model),
            minimum_b0: command.normalisation.minimum_b0,
            demean: command.normalisation.demean,
        };
        let data = Data::new(measured.series.volume(), &measured.samples, options.clone())?;
        command.report_sources(job);
        let usable = data.usable(&mask, confidence.as_ref())?;
        let UsableVoxels { mask: usable, counts, .. } =
            if command.mask.is_some() { usable } else { usable.without_background() };
        counts.warn("COMMIT", &job.control());
        let extra = !model.compartments().extra.is_empty();
        let encoded = job.step("encode the streamlines", || match &command.dictionary {
            Some(dictionary) => dictionary.read(command, &usable, extra),
            None => encode(command, &usable, model),
        })?;
        let Encoded { segments, axes, summary, orientations } = encoded;
        let dictionary = command.dictionary.as_ref().map(|dictionary| dictionary.folder.as_path());
        let peaks = command.peaks.as_deref().or(dictionary).unwrap_or(Path::new("peaks"));
        let bare_voxels = warn_of_bare_voxels(&axes, &peaks.display());
        let inputs = Self {
            measured,
            options,
            confidence,
            has_peaks: !axes.is_empty(),
            bare_voxels,
            orientations,
            summary,
            model: model.clone(),
            counts,
        };
        Ok((inputs, Parts { segments: Arc::new(segments), axes }))
    }

    /// Returns the number of streamlines of the tractogram.
    pub(super) fn streamlines(&self) -> usize {
        self.summary.streamlines
    }

    /// Returns the voxel grid of the series.
    pub(super) fn grid(&self) -> &Grid {
        self.measured.series.volume().grid()
    }

    /// Creates the linear operator and the data vector of the COMMIT fit in the memory of a device (CPU or
    /// GPU).
    pub(super) fn problem<T: Element>(
        &self,
        Parts { segments, axes }: Parts,
        command: &EvaluateCommit,
        device: &Device,
    ) -> Result<Problem<T>> {
        let data = Data::new(self.measured.series.volume(), &self.measured.samples, self.options.clone())?;
        let Measured { samples, shells, .. } = &self.measured;
        let responses =
            model::responses(&self.model, samples, shells, !axes.is_empty(), command.normalisation.demean)?;
        let axial = (responses.intra() + responses.extra()).max(1);
        let directions = command.orientations.directions(self.orientations.as_ref(), axial)?;
        CommitProblem::new(
            &data,
            segments,
            axes,
            responses,
            self.confidence.as_ref(),
            command.normalisation.normalise_kernels,
            &directions,
            device,
        )
    }

    /// Returns all files that are read.
    pub(super) fn files(&self, command: &EvaluateCommit) -> Vec<PathBuf> {
        let maps = [&command.mask, &command.confidence];
        let mut files: Vec<PathBuf> = command.tracts.iter().cloned().collect();
        files.extend(command.dictionary.iter().flat_map(DictionaryFiles::files));
        files.extend(self.measured.files.iter().cloned());
        files.extend(maps.into_iter().flatten().cloned());
        files.extend(command.peaks_files());
        files.extend([command.orientations.file(), command.fit.groups_file()].into_iter().flatten());
        files
    }

    /// Returns the diffusion series. Returns `None` if the signal is a 3-D map.
    pub(super) fn series(&self) -> Option<&Series> {
        match &self.measured.series {
            Signal::Series(series) => Some(series),
            Signal::Map(_) => None,
        }
    }

    /// Adds a summary of the streamlines, compartments and voxels to the record.
    pub(super) fn describe(&self, record: &mut Record) {
        let SegmentSummary { wrong_length, outside, length_inside, .. } = &self.summary;
        let compartments = self.model.compartments();
        for (kind, list) in [
            ("intra-axonal", &compartments.intra),
            ("extra-axonal", &compartments.extra),
            ("isotropic", &compartments.isotropic),
        ] {
            let each: Vec<String> = list.iter().map(model::described).collect();
            let left_out = kind == "extra-axonal" && !self.has_peaks && !each.is_empty();
            let each = if left_out { "not used: no peaks".into() } else { each.join("; ") };
            record.choice(&format!("{kind} compartments"), each);
        }
        if *wrong_length > 0 {
            record.figure("streamlines too short or too long", *wrong_length);
        }
        record.figure("streamlines outside the voxels that count", *outside);
        record.measure("length of streamlines in the voxels", 1e-3 * length_inside, "m");
        record.voxel_counts("", &self.counts);
        if self.has_peaks {
            record.figure("voxels with streamlines but without a peak", self.bare_voxels);
        }
        if let Signal::Series(series) = &self.measured.series {
            series.note(record);
        }
    }
}

/// Returns an error if the options contradict the diffusion series or the map that COMMIT explains. No other
/// input is read.
pub(super) fn check(command: &EvaluateCommit, model: &Model, job: &Job) -> Result<()> {
    Measured::read(command, model, job).map(|_| ())
}

impl Measured {
    fn read(command: &EvaluateCommit, model: &Model, job: &Job) -> Result<Self> {
        if let CommitSignal::Map(path) = &command.signal {
            if !model.is_scalar() {
                let problem = format!("the model {} needs a diffusion series", model.kind().option_name());
                return Err(Error::usage("‘scalar_map’", problem, "give ‘dwi’, or ‘model’ scalar-map"));
            }
            let series = job.step("read the map", || read_volume(path))?;
            if series.channels() > 1 {
                let problem = format!("the image has {} volumes, not one", series.channels());
                return Err(Error::invalid(path.display(), problem, "give a 3-D map"));
            }
            if command.normalisation.merge_b0s || command.normalisation.demean {
                let option = if command.normalisation.merge_b0s { "‘merge_b0s’" } else { "‘demean’" };
                return Err(Error::usage(
                    option,
                    "this option needs several measurements, but a scalar map has one number per voxel",
                    "leave out this option",
                ));
            }
            let (samples, shells) = (Samples::of_map(), vec![Weighting::NONE]);
            return Ok(Self {
                series: Signal::Map(Box::new(series)),
                samples,
                shells,
                files: vec![path.clone()],
            });
        }
        let CommitSignal::Series(series) = &command.signal else { unreachable!("maps are read above") };
        if model.is_scalar() {
            return Err(Error::usage("‘dwi’", "the model scalar-map needs a map", "give ‘scalar_map’"));
        }
        let series = series.read(series::Weighting::Needed, job)?;
        let gradients = series.gradients.clone();
        // A model whose compartments have no diffusion ([`Compartment::Dot`]) does not need weighted
        // measurements.
        let weighted = model.compartments().intra.iter().any(|compartment| *compartment != Compartment::Dot);
        if weighted && gradients.weighted_indices().is_empty() {
            let problem = format!("all measurements count as b = 0 (b ≤ {} s/mm²)", gradients.b0_threshold());
            return Err(Error::invalid(
                series.table_name(),
                problem,
                "check the gradient table, or lower ‘b0_threshold’",
            ));
        }
        if !weighted && command.normalisation.demean {
            let problem =
                format!("this option removes all compartments of the model {}", model.kind().option_name());
            return Err(Error::usage(
                "‘demean’",
                problem,
                "leave out this option, or choose another ‘model’",
            ));
        }
        if command.model.has_timings() && !model.needs_timing() {
            let problem = format!(
                "the model {} has no radii that depend on the timings of the gradient pulses",
                model.kind().option_name()
            );
            return Err(Error::usage(
                "‘big_delta’",
                problem,
                "remove the timings, or choose another ‘model’",
            ));
        }
        let gradients = command.model.with_timings(gradients)?;
        let of_model = format!("‘model’ {}", model.kind().option_name());
        model.require_timing(&gradients).map_err(|e| e.about(of_model))?;
        let (shells, weightings) = command.model.shells(&gradients)?;
        let samples = Samples::of_series(&gradients, &shells, command.normalisation.merge_b0s)?;
        let files = series.files.clone();
        Ok(Self { series: Signal::Series(series), samples, shells: weightings, files })
    }
}

fn read_axes(command: &EvaluateCommit, path: &Path, segments: &Segments) -> Result<Axes> {
    let frame = command.peaks_frame.unwrap_or(PeakFrame::Scanner);
    let peaks = if path.is_dir() {
        SampleFolder::find(path, &[], None)?.peaks()?
    } else {
        ImageOnGrid::check(path, segments.grid(), "the diffusion series", None)?;
        require_no_tensors(path, "peaks")?;
        read_volume(path)?
    };
    let (axes, agreement) = Axes::from_peaks(&peaks, frame, command.peak_threshold, segments)?;
    match agreement.problem() {
        Some(problem) if command.peaks_frame.is_none() => {
            let advice = match (agreement.best_flip, agreement.best_frame) {
                (Some(_), _) => "correct the peaks, or say ‘peaks_frame’ scanner to take them as they are",
                (None, PeakFrame::Image) => "say ‘peaks_frame’ image, or scanner to take them as they are",
                (None, _) => "say ‘peaks_frame’ fsl, or scanner to take them as they are",
            };
            return Err(Error::invalid(path.display(), problem, advice));
        }
        Some(problem) => tracing::warn!("{}: {problem}; check ‘peaks_frame’", path.display()),
        None => {}
    }
    Ok(axes)
}

/// Divides the streamlines of the tractogram into segments, one for each voxel that a streamline passes. Also
/// reads the peaks. Only voxels of the mask `usable` are used.
fn encode(command: &EvaluateCommit, usable: &Mask, model: &Model) -> Result<Encoded> {
    let tractogram = command.tracts.as_deref().ok_or_else(|| {
        let problem = "there are no streamlines to evaluate";
        Error::usage("‘tracts’", problem, "give a tractogram, or a dictionary of COMMIT")
    })?;
    let mut encoder = SegmentEncoder::new(usable, command.segments.clone())?;
    stream_tractogram_in(tractogram, Space::Likely(usable.grid()), &mut encoder)?;
    let (segments, summary) = encoder.finish()?;
    warn_of_another_image(tractogram, usable.grid(), "the diffusion series")?;
    let share = summary.length_outside / (summary.length_inside + summary.length_outside);
    if share > 0.5 {
        tracing::warn!(
            "{:.0} % of the length of the streamlines is outside the used voxels; check that tractogram \
             and series belong together",
            100.0 * share
        );
    }
    let extra = !model.compartments().extra.is_empty();
    let axes = if let Some(path) = &command.peaks {
        if !extra {
            let problem = format!("the model {} has no compartments along peaks", model.kind().option_name());
            return Err(Error::usage("‘peaks’", problem, "leave out this option, or choose another ‘model’"));
        }
        read_axes(command, path, &segments)?
    } else {
        if extra {
            tracing::warn!("‘peaks’ is not given, so the model is fitted without extra-axonal compartments");
        }
        Axes::none(segments.voxels().len())
    };
    Ok(Encoded { segments, axes, summary, orientations: None })
}

pub(super) type Problem<T> = CommitProblem<T, CommitOperator<T>>;

/// Returns the number of voxels that streamlines pass but that have no peak. Warns if this number is not 0.
/// `peaks` is the name of the file of peaks in the warning.
pub fn warn_of_bare_voxels(axes: &Axes, peaks: &dyn Display) -> usize {
    let bare_voxels = if axes.is_empty() { 0 } else { axes.bare_voxels() };
    if bare_voxels > 0 {
        tracing::warn!(
            "{peaks}: {bare_voxels} of {} voxels that streamlines pass ({:.1} %) have no peak and therefore \
             no extra-axonal compartment; the signal of such a compartment is attributed to the streamlines",
            axes.voxels(),
            100.0 * bare_voxels as f64 / axes.voxels() as f64
        );
    }
    bare_voxels
}
