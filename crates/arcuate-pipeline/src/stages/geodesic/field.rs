//! Geodesic tracking through diffusion tensors. A ray is a shortest path that starts at a seed in one
//! direction.

use crate::output_files::{Kind, Picture};
use crate::record::{Record, Table};
use crate::stages::tracking::field::{Field, StreamlineData};
use crate::stages::tracking::{
    MEAN_LENGTH, among_regions, note_lengths, table_of_counts, white_matter, without_zeros,
};
use arcuate_compute::Device;
use arcuate_core::{Column, Columns, Error, Grid, Mask, Result, Scalars, StreamlineLengths, Volume};
use arcuate_model::tensor_maps;
use arcuate_track::{
    CONNECTIVITY, DRIFT, GeodesicIntegrator, GeodesicOptions, GeodesicTracker, Geodesics, LENGTH, RayFigures,
    Repairs, SampleTracks, Selection, TargetSummary, Targets, TrackSummary, Tracker,
};
use std::cell::OnceCell;
use std::fmt::Display;

/// Default of the minimum FA at seeds, if the user does not select the seeds.
const MIN_SEED_FA: f64 = 0.2;

/// The tensor image that rays follow, with the options of the run. A ray is a shortest path that starts at a
/// seed in one direction.
pub(super) struct Rays {
    name: String,
    tensor: Volume<f32>,
    options: GeodesicOptions,
    /// Minimum FA at seeds, if the user does not select the seeds. `None` means the default.
    least_fa: Option<f64>,
    /// Target regions, and criteria for the rays to them that are kept. `None` if all rays are kept.
    connections: Option<(Targets, Selection)>,
    step_mm: f64,
    /// Numbers of tensors that were replaced because they cannot define the length of a path. They are known
    /// when the tracker has been created.
    repairs: OnceCell<Repairs>,
}

impl Rays {
    pub(super) fn new(
        name: String,
        tensor: Volume<f32>,
        options: GeodesicOptions,
        least_fa: Option<f64>,
        connections: Option<(Targets, Selection)>,
    ) -> Result<Self> {
        let step_mm = options.step_on(tensor.grid())?;
        Ok(Self { name, tensor, options, least_fa, connections, step_mm, repairs: OnceCell::new() })
    }

    /// Returns the number of rays that were not followed, for example because their seed is outside the mask,
    /// and the number of rays that were followed.
    fn counts(&self, summary: &TrackSummary) -> [u64; 2] {
        let rays_per_direction = self.options.rays_per_seed() / self.options.directions.count();
        let rays = summary.seeds * rays_per_direction as u64;
        let followed = summary.terminated.total();
        [rays.saturating_sub(followed), followed]
    }

    fn seeds(&self, summary: &TrackSummary) -> u64 {
        summary.seeds.div_ceil(self.options.directions.count() as u64)
    }

    /// Returns a message for each target region that a ray reached.
    fn describe_targets(rays: &RayFigures) -> Vec<String> {
        let line = |target: &TargetSummary| {
            let strongest = target.strongest?;
            let TargetSummary { name, reached, kept, .. } = target;
            Some(format!(
                "{name}: {reached} rays reach it, {kept} kept, connectivity measure up to {strongest:.3}"
            ))
        };
        rays.targets.iter().filter_map(line).collect()
    }
}

impl Field for Rays {
    fn grid(&self) -> &Grid {
        self.tensor.grid()
    }

    fn step_mm(&self) -> f64 {
        self.step_mm
    }

    fn has_even_steps(&self) -> bool {
        !matches!(self.options.integrator, GeodesicIntegrator::Adaptive { .. })
    }

    fn options(&self) -> String {
        // The mask is not part of this text, because it is one of the inputs that identify the run.
        format!("{:?}", GeodesicOptions { mask: None, ..self.options.clone() })
    }

    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask> {
        let mask = self.options.mask.as_ref();
        if are_chosen {
            return Ok(mask.cloned().unwrap_or_else(|| Mask::full(*self.grid())));
        }
        seed_voxels(&self.tensor, mask, self.least_fa)
    }

    fn backdrop(&self) -> Result<Volume<f32>> {
        Ok(tensor_maps(&self.tensor)?.fa)
    }

    fn repeats_seeds(&self) -> bool {
        false
    }

    fn of_each_seed(&self) -> u64 {
        self.options.directions.count() as u64
    }

    fn streamline_data(&self) -> Option<StreamlineData> {
        let none = || Column::new(1, Scalars::F32(Vec::new())).ok();
        let columns = |names: &[&str]| -> Option<Columns> {
            names.iter().map(|name| Some(((*name).to_owned(), none()?))).collect()
        };
        Some(StreamlineData {
            per_point: columns(&[CONNECTIVITY])?,
            per_streamline: columns(&[CONNECTIVITY, LENGTH, DRIFT])?,
            picture: Picture {
                caption: "Length over geodesic length: how fast diffusion is along a path, relative to its mean. In the picture \
                          above streamlines have its colours."
                    .into(),
                kind: Kind::Values {
                    data: CONNECTIVITY.into(),
                    name: "connectivity".into(),
                    quantity: "Connectivity measure".into(),
                },
            },
            mean: (CONNECTIVITY, "mean connectivity measure"),
        })
    }

    fn tracker<'a>(&'a self, device: &'a Device) -> Result<Box<dyn Tracker + 'a>> {
        let geodesics = Geodesics::new(&self.tensor, &self.options, device)?;
        let repairs = self.repairs.get_or_init(|| *geodesics.repairs());
        warn_of_repairs(&self.name, repairs);
        let connections = self.connections.as_ref().map(|(targets, selection)| (targets, *selection));
        Ok(Box::new(GeodesicTracker::new(geodesics, connections)))
    }

    fn check(&self, tracks: &SampleTracks, are_chosen: bool) -> Result<()> {
        tracks.summary.require_rays()?;
        if let Some(rays) = &tracks.rays {
            warn_of_targets(&rays.targets);
        }
        // If the user did not select the seeds, some of them may be below the anisotropy cutoff. This causes
        // no warning.
        warn_of_rays(&self.name, self.counts(&tracks.summary), &tracks.summary, are_chosen);
        Ok(())
    }

    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record) {
        let summary = &tracks.summary;
        let [not_followed, followed] = self.counts(summary);
        record.choice("step", format!("{} mm", self.step_mm));
        record.figure("seeds", self.seeds(summary));
        record.figure("rays followed", followed);
        record.figure("streamlines", summary.streamlines).key();
        if let Some(lengths) = measured(tracks, lengths) {
            note_lengths(lengths, record);
        } else if self.has_even_steps() {
            record.measure(MEAN_LENGTH, self.step_mm * summary.mean_steps(), "mm").key();
        }
        if let Some(RayFigures { drift, targets }) = &tracks.rays {
            record.figure("median drift of a ray's energy", drift.median());
            record.figure("largest drift of a ray's energy", drift.largest());
            if self.connections.is_some() {
                note_targets(targets, record);
            }
        }
        note_ends(not_followed, summary, self.connections.is_none(), record);
        if let Some(repairs) = self.repairs.get() {
            note_repairs(repairs, record);
        }
    }

    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String> {
        let summary = &tracks.summary;
        if let Some(rays) = tracks.rays.as_ref().filter(|_| self.connections.is_some()) {
            return Self::describe_targets(rays);
        }
        let seeds = self.seeds(summary);
        let how_long = measured(tracks, lengths).map_or_else(String::new, |lengths| format!(" of {lengths}"));
        vec![format!("{} streamlines{how_long} from {seeds} seeds", summary.streamlines)]
    }
}

/// Returns the lengths of the streamlines that the tracker measured. If it measured none, returns the lengths
/// of the written streamlines.
fn measured<'a>(
    tracks: &'a SampleTracks,
    written: Option<&'a StreamlineLengths>,
) -> Option<&'a StreamlineLengths> {
    let by_tracker = &tracks.summary.lengths;
    (!by_tracker.values().is_empty()).then_some(by_tracker).or(written)
}

/// Returns the voxels in which rays start if the user selects no seeds. They are voxels of white matter with
/// an FA of at least `least_fa` (default: 0.2).
///
/// # Errors
/// Returns an error if no voxel has a sufficient FA.
pub fn seed_voxels(tensor: &Volume<f32>, mask: Option<&Mask>, least_fa: Option<f64>) -> Result<Mask> {
    let minimum = least_fa.unwrap_or(MIN_SEED_FA);
    if !(0.0..=1.0).contains(&minimum) {
        let problem = format!("the smallest FA of a seed, {minimum}, is not from 0 to 1");
        return Err(Error::usage("‘seed_cutoff’", problem, "give an FA from 0 to 1, such as 0.2"));
    }
    let voxels = white_matter(&tensor_maps(tensor)?.fa, mask, minimum)?;
    if voxels.is_empty() {
        let problem = format!("no voxel has an FA from {minimum} to 1, as a seed needs");
        return Err(Error::invalid("tensor image", problem, "give ‘seed_mask’, or check ‘mask’"));
    }
    Ok(voxels)
}

/// Adds the number of target regions that rays reached, and a table of all targets, to the record.
fn note_targets(targets: &[TargetSummary], record: &mut Record) {
    let reached = targets.iter().filter(|target| target.reached > 0).count();
    record.figure("targets reached", format!("{reached} of {}", targets.len())).key();
    let strongest = targets.iter().filter_map(|target| target.strongest).reduce(f64::max);
    if let Some(strongest) = strongest {
        record.figure("largest connectivity measure", strongest).key();
    }
    let row = |target: &TargetSummary| {
        vec![
            target.name.clone().into(),
            target.reached.into(),
            target.kept.into(),
            target.strongest.into(),
            target.nearest_mm.into(),
        ]
    };
    record.tables.push(Table {
        title: "Targets".into(),
        section: String::new(),
        text: "Number of rays that reach each target, and number of them that are kept. If no ray reaches a target, the distance of \
               the nearest ray; its path up to that point is in the group of that name."
            .into(),
        columns: ["target", "rays that reach it", "kept", "largest connectivity measure", "nearest approach, mm"]
            .map(String::from)
            .to_vec(),
        rows: targets.iter().map(row).collect(),
    });
}

/// Adds a table of the reasons for which rays stopped to the record. `has_limits` is true if streamlines can
/// be rejected because of their length.
fn note_ends(not_followed: u64, summary: &TrackSummary, has_limits: bool, record: &mut Record) {
    let ends = &summary.terminated;
    let mut counts = vec![
        ("not followed: seed outside the image, the mask or the minimum anisotropy", not_followed),
        ("edge of the image", ends.left_image),
        ("edge of the mask", ends.left_mask),
        ("too low anisotropy", ends.anisotropy),
        ("too sharp a turn", ends.angle),
        ("largest length", ends.max_length),
        ("maximum number of steps", ends.max_steps),
        ("back where it was", ends.loops),
        ("target reached", ends.target),
        ("stuck: no step leads on", ends.stuck),
    ];
    let rejected = [
        ("rejected: too short", summary.rejected.too_short),
        ("rejected: too long", summary.rejected.too_long),
    ];
    counts.extend(rejected.into_iter().filter(|(_, count)| has_limits && *count > 0));
    counts.extend(among_regions(summary));
    let text = "Reasons why rays ended. The two rays of a direction count separately.";
    record.tables.push(table_of_counts("Why rays ended", text, &without_zeros(&counts)));
}

/// Adds the numbers of tensors that were replaced, with the reasons, to the record.
fn note_repairs(repairs: &Repairs, record: &mut Record) {
    record.measure("mean diffusivity that tensors are measured by", repairs.mean_diffusivity, "mm²/s");
    let counts = [
        ("voxels looked at", repairs.voxels),
        ("zero, now isotropic", repairs.zero),
        ("an eigenvalue below 0.01 of the mean or far above, now the nearest without", repairs.indefinite),
        ("not a number, now isotropic", repairs.not_a_number),
    ];
    let text = "Tensors that make no metric were replaced before.";
    record.tables.push(table_of_counts("Repaired tensors", text, &counts));
}

/// Warns if tensors were replaced because they contain NaN, or if more than half of the tensors were replaced
/// because of an eigenvalue. `tensors` is the name of the tensor image.
pub fn warn_of_repairs(tensors: &dyn Display, repairs: &Repairs) {
    if repairs.not_a_number > 0 {
        tracing::warn!(
            "{tensors}: {} of {} tensors have values that are not numbers; these tensors are treated as \
             isotropic",
            repairs.not_a_number,
            repairs.voxels
        );
    }
    if 2 * repairs.indefinite > repairs.voxels {
        tracing::warn!(
            "{tensors}: {} of {} tensors have an eigenvalue below 0.01 of the mean diffusivity {:.3e} and \
             were replaced; check ‘tensor_order’, and give a ‘mask’ without outliers",
            repairs.indefinite,
            repairs.voxels,
            repairs.mean_diffusivity
        );
    }
}

/// Warns if rays were not followed although the user selected their seeds, and if many rays stopped because
/// no step was possible. `not_followed` and `followed` are numbers of rays.
pub fn warn_of_rays(
    tensors: &dyn Display,
    [not_followed, followed]: [u64; 2],
    summary: &TrackSummary,
    are_seeds_chosen: bool,
) {
    let (rays, stuck) = (not_followed + followed, summary.terminated.stuck);
    if are_seeds_chosen && not_followed > 0 {
        tracing::warn!(
            "{not_followed} of {rays} rays (paths from a seed in one direction) were not followed: their \
             seeds are outside the image or ‘mask’, or have an FA below ‘fa_cutoff’"
        );
    }
    if 2 * stuck > followed {
        tracing::warn!(
            "{tensors}: {stuck} of {followed} rays (paths from a seed in one direction) stopped because no \
             step was possible; check the tensors, or sharpen the tensors less"
        );
    }
}

/// Warns of each target region that no ray reaches. The warning states how near the nearest ray comes.
pub fn warn_of_targets(targets: &[TargetSummary]) {
    for target in targets.iter().filter(|target| target.reached == 0) {
        let near = target.nearest_mm.map_or_else(String::new, |mm| {
            format!("; the nearest ray comes within {mm:.1} mm of the target")
        });
        tracing::warn!(
            "{}: no ray (path from a seed in one direction) reaches this target{near}; give more \
             ‘directions’ or more seeds, or a larger ‘max_length_mm’",
            target.name
        );
    }
}
