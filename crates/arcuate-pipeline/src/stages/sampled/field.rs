//! The samples of fibre orientations that streamlines follow, as a source of directions for tracking.

use super::rules::SampleRules;
use crate::job::Job;
use crate::record::{Record, Table};
use crate::stages::propagation::Propagation;
use crate::stages::tracking::field::Field;
use crate::stages::tracking::{
    ACCEPTED, MEAN_LENGTH, Preset, Tracking, bend_of_steps, note_ends_at_maximum, note_lengths, note_seeds,
    table_of_counts, to_thousandths, without_zeros,
};
use arcuate_compute::Device;
use arcuate_core::{Error, Grid, Mask, Result, StreamlineLengths, Volume};
use arcuate_track::{OrientationTable, SampleOptions, SampleRuns, SampleTracks, TrackSummary, Tracker};

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. \
     doi:10.1002/mrm.10609",
    "Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain? \
     doi:10.1016/j.neuroimage.2006.09.018",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// Text about how streamlines are followed, as the end of a sentence in the record.
pub(super) const FOLLOWED: &str = ", each step along an orientation drawn from the samples of its voxel";

/// Names of the input data in errors of the library.
pub(super) const DATA: &[&str] = &["mask", "orientations", "peaks"];

/// Default minimum of the sum of the fibre fractions in a voxel in which streamlines start.
const SEED_FRACTION: f64 = 0.2;

/// Returns the minimum of the sum of the fibre fractions in the voxels in which streamlines start, if the
/// user selects no seeds. With a preset, the default minimum is 0.
pub fn seed_fraction(propagation: &Propagation, preset: Option<Preset>) -> f64 {
    propagation.seed_cutoff.unwrap_or(if preset.is_none() { SEED_FRACTION } else { 0.0 })
}

/// Returns the voxels in which the sum of the fibre fractions is at least `fraction`. Streamlines start in
/// these voxels if the user selects no seeds.
///
/// # Errors
/// Returns an error if the sum is smaller in all voxels.
pub fn everywhere(fraction: f64, table: &OrientationTable) -> Result<Mask> {
    if fraction == 0.0 {
        return table.mask();
    }
    let voxels = table.mask_of_fraction(fraction)?;
    if voxels.is_empty() {
        let problem = format!("no voxel has fibre fractions whose sum is at least {fraction}");
        return Err(Error::invalid("orientations", problem, "lower ‘seed_cutoff’, or give ‘seed_mask’"));
    }
    Ok(voxels)
}

/// Returns an error if the options contradict each other, or do not apply to samples of orientations. `grid`
/// is the voxel grid of the orientations, if it is known before the orientations are read.
pub(super) fn check(
    tracking: &Tracking,
    rules: &SampleRules,
    has_fractions: bool,
    grid: Option<&Grid>,
    job: &Job,
) -> Result<()> {
    tracking.check(job)?;
    if let Some(fraction) = tracking.propagation.seed_cutoff {
        let wrong = |problem: String, advice| Err(Error::usage("‘seed_cutoff’", problem, advice));
        if !(0.0..=1.0).contains(&fraction) {
            return wrong(
                format!("the smallest fibre fraction at a seed, {fraction}, is not from 0 to 1"),
                "give a fraction, such as 0.2",
            );
        }
        if !has_fractions {
            return wrong("lengths of peaks are not fractions of the voxel".into(), "leave it out");
        }
        if tracking.are_seeds_chosen() {
            let problem = "seeds are chosen by another option, which are used in any voxel";
            return wrong(problem.into(), "remove ‘seed_cutoff’, or remove the option that gives the seeds");
        }
    }
    // The number of fibres is not known before the orientations are read. Often, the voxel grid is not known
    // either.
    match grid.copied().or_else(|| job.kept_grid()) {
        Some(grid) => rules.of(tracking, Some(&grid), job)?.check_on(&grid, usize::MAX),
        None => rules.of(tracking, None, job)?.check(usize::MAX),
    }
}

/// The samples of fibre orientations, with the options of the run.
pub(super) struct SampledField {
    table: OrientationTable,
    options: SampleOptions,
    /// Minimum of the sum of the fibre fractions in the voxels in which streamlines start, if the user
    /// selects no seeds.
    fraction: f64,
}

impl SampledField {
    /// Reads the orientations with the function `read`.
    pub(super) fn read(
        tracking: &Tracking,
        rules: &SampleRules,
        has_fractions: bool,
        read: impl FnOnce() -> Result<OrientationTable>,
        job: &Job,
    ) -> Result<Box<dyn Field>> {
        let table = job.step("read the orientations", read)?;
        let options = rules.of(tracking, Some(table.grid()), job)?;
        options.check_on(table.grid(), table.fibres())?;
        let fraction =
            if has_fractions { seed_fraction(&tracking.propagation, tracking.preset) } else { 0.0 };
        Ok(Box::new(Self { table, options, fraction }))
    }

    fn bend(&self) -> String {
        let SampleOptions { min_cosine, step_mm, .. } = self.options;
        bend_of_steps(min_cosine.acos().to_degrees(), step_mm, self.options.smallest_radius_mm())
    }

    /// Returns text about the outcome of the streamlines, with the limits of their length.
    fn describe_kept(&self) -> String {
        let shortest = to_thousandths(self.options.min_length_mm);
        let longest = to_thousandths(self.options.longest_mm());
        format!(
            "The outcome of all tracked streamlines. The minimum length is {shortest} mm, and the maximum length {longest} mm."
        )
    }

    /// Returns one line of text about the limits of streamlines: curvature, fibre fraction and length.
    fn describe_limits(&self) -> String {
        let SampleOptions { min_fraction, min_length_mm, .. } = self.options;
        let shortest = if min_length_mm > 0.0 {
            format!("; at least {} mm", to_thousandths(min_length_mm))
        } else {
            String::new()
        };
        format!("at most {}; fibres above {min_fraction}{shortest}", self.bend())
    }
}

impl Field for SampledField {
    fn grid(&self) -> &Grid {
        self.table.grid()
    }

    fn step_mm(&self) -> f64 {
        self.options.step_mm
    }

    fn options(&self) -> String {
        format!("{:?}", self.options)
    }

    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask> {
        everywhere(if are_chosen { 0.0 } else { self.fraction }, &self.table)
    }

    fn describe_seeds(&self, voxels: &Mask) -> Option<String> {
        let Self { table, fraction, .. } = self;
        let (count, all) = (voxels.count(), table.voxels());
        let text = || {
            format!("{count} of {all} voxels, whose fibres together have a fraction of {fraction} or more")
        };
        (*fraction > 0.0).then(text)
    }

    fn backdrop(&self) -> Result<Volume<f32>> {
        self.table.mean_fraction()
    }

    fn tracker<'a>(&'a self, device: &'a Device) -> Result<Box<dyn Tracker + 'a>> {
        Ok(Box::new(SampleRuns::new(&self.table, &self.options, device)?))
    }

    fn check(&self, tracks: &SampleTracks, _: bool) -> Result<()> {
        warn_of_tracks(tracks);
        Ok(())
    }

    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record) {
        let (summary, options) = (&tracks.summary, &self.options);
        record.figure("fibres of a voxel", self.table.fibres());
        record.figure("samples of a voxel", self.table.samples());
        record.figure("streamlines followed", summary.seeds).key();
        record.figure(ACCEPTED, summary.streamlines).key();
        note_seeds(summary, "in voxels without orientations", record);
        note_ends_at_maximum(summary, record);
        match lengths {
            Some(lengths) => note_lengths(lengths, record),
            None => {
                record.measure(MEAN_LENGTH, options.step_mm * summary.mean_steps(), "mm").key();
            }
        }
        let mut rows = vec![("accepted", summary.streamlines)];
        rows.extend(without_zeros(&rejections(summary)));
        let row = |(what, n): (&str, u64)| vec![what.into(), n.into(), share(n, summary).into()];
        record.tables.push(Table {
            title: "Streamlines".into(),
            section: String::new(),
            text: self.describe_kept(),
            columns: ["what", "number", "share"].map(String::from).to_vec(),
            rows: rows.into_iter().map(row).collect(),
        });
        let text = "Why streamlines end, both ends of each counted, those of rejected ones too.";
        record.tables.push(table_of_counts("Ends of streamlines", text, &without_zeros(&ends(summary))));
        record.choice("step", format!("{} mm", to_thousandths(options.step_mm)));
        record.choice("sharpest turn", self.bend());
        record
            .choice("fibres that count", format!("fractions above {}", to_thousandths(options.min_fraction)));
        record.choice("shortest streamline", format!("{} mm", to_thousandths(options.min_length_mm)));
        if let Some(longest) = options.max_length_mm {
            record.choice("longest streamline", format!("{} mm", to_thousandths(longest)));
        }
    }

    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String> {
        let summary = &tracks.summary;
        let rejected = rejections(summary).into_iter().filter(|(_, count)| *count > 0);
        let rejected: Vec<String> =
            rejected.map(|(why, count)| format!("{} {why}", share(count, summary))).collect();
        let rejected =
            if rejected.is_empty() { String::new() } else { format!("; left out: {}", rejected.join(", ")) };
        let how_long = lengths.map_or_else(
            || format!("{:.1} mm on average", self.options.step_mm * summary.mean_steps()),
            StreamlineLengths::to_string,
        );
        let accepted = format!(
            "{} of {} streamlines accepted ({}), {how_long}{rejected}",
            summary.streamlines,
            summary.seeds,
            share(summary.streamlines, summary),
        );
        vec![self.describe_limits(), accepted]
    }
}

/// Returns each reason for which streamlines were rejected, with the number of streamlines.
pub(super) fn rejections(summary: &TrackSummary) -> [(&'static str, u64); 6] {
    let rejected = &summary.rejected;
    [
        ("seeds outside the voxels with orientations", rejected.seed_outside),
        ("entered a region to avoid in both directions", rejected.avoided),
        ("did not pass the waypoints", rejected.waypoints),
        ("shorter than the minimum", rejected.too_short),
        ("longer than the maximum", rejected.too_long),
        ("an end in white matter or CSF", rejected.anatomy),
    ]
}

/// Returns each reason for which an end of a streamline stopped, with the number of ends. Each streamline has
/// two ends. Rejected streamlines are included.
fn ends(summary: &TrackSummary) -> [(&'static str, u64); 12] {
    let ends = &summary.terminated;
    [
        ("no orientation there", ends.left_mask),
        ("the sampled fraction was too low, or its voxel has none", ends.fraction),
        ("too sharp a turn", ends.angle),
        ("in a region to stop in", ends.stop),
        ("left a region to stop on leaving", ends.exit),
        ("came back against its direction", ends.loops),
        ("entered a region to avoid", ends.avoid),
        ("at the largest length or number of steps", ends.max_steps),
        ("in cortical grey matter", ends.cortical_grey),
        ("left sub-cortical grey matter", ends.sub_cortical_grey),
        ("came to fluid", ends.csf),
        ("left the brain", ends.left_brain),
    ]
}

/// Formats a number of streamlines as a percentage of all streamlines that were started.
fn share(count: u64, summary: &TrackSummary) -> String {
    format!("{:.1} %", 100.0 * count as f64 / summary.seeds.max(1) as f64)
}

/// Warns if most seeds are in voxels without orientations. If no streamline was accepted, warns of this with
/// the most frequent reason.
pub fn warn_of_tracks(tracks: &SampleTracks) {
    let summary = &tracks.summary;
    let outside = summary.rejected.seed_outside;
    if 2 * outside > summary.seeds {
        tracing::warn!(
            "{outside} of {} streamlines have a seed in a voxel without orientations; check that seeds and \
             orientations are in the same space",
            summary.seeds
        );
    }
    if summary.streamlines == 0 {
        let why = rejections(summary).into_iter().max_by_key(|(_, count)| *count);
        let (reason, count) = why.unwrap_or(("", 0));
        tracing::warn!(
            "all {} streamlines were rejected; the most frequent reason ({count} streamlines): {reason}",
            summary.seeds
        );
    }
}
