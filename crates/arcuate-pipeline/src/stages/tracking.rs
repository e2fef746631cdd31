//! The part of tracking that is the same for all sources of directions (such as tensors and FODs): the
//! options, the run and the results.

mod connections;
mod driver;
pub(crate) mod field;
mod following;
mod form;
mod options;
mod part;
mod part_file;
mod part_folder;
mod part_head;
mod part_run;
mod parts;
mod preset;
mod product;
mod product_names;
pub(crate) mod products;
mod receiver;
mod regions;
mod run_inputs;
mod seeds;

pub use connections::{Connections, groups_of};
pub use form::Form;
pub use options::{SampleMaps, Tracking};
pub use part::{Extent, PartOf};
pub use part_folder::{PartWords, folder_of_parts};
pub use preset::Preset;
pub use product_names::{ProductName, Products};
pub use regions::RegionsToJoin;
pub use seeds::{DEFAULT_SELECT, ReadSeeds, SampleSeedNumber, SampleSeeds};

use crate::job::Job;
use crate::record::{Record, Table};
use crate::regions::RegionFile;
use crate::space;
use arcuate_core::{Error, Grid, Mask, Result, StreamlineLengths, Volume, disturbs_terminal};
use arcuate_io::{content_name, read_triples};
use arcuate_report::human;
use arcuate_track::TrackSummary;
use std::path::Path;

/// Name that the record of a command uses for the mean length of the streamlines. The record of `arcuate run`
/// contains this value, too.
pub const MEAN_LENGTH: &str = "mean length";
/// Name that the record of a command uses for the number of accepted streamlines, if the record does not also
/// state the number of rejected ones.
pub const STREAMLINES: &str = "streamlines";
/// Name that the record of a command uses for the number of accepted streamlines, if the record also states
/// how many were rejected.
pub const ACCEPTED: &str = "streamlines accepted";
/// Name that the record of a command uses for the percentage of streamline ends that the maximum length
/// stopped.
pub const AT_MAXIMUM_LENGTH: &str = "ends at the maximum length";

/// Name that the record of a command uses for the number of seeds that were tried. Each seed gives at most one
/// streamline.
pub const SEEDS: &str = "seeds tried";
/// Start of the name that the record of a command uses for the number of seeds in places where tracking is not
/// possible. The rest of the name describes the place, such as "in voxels without orientations".
pub const NOT_TRACKED: &str = "seeds not tracked: ";
/// Name that the record of a command uses for the most frequent reason why seeds gave no kept streamline. It
/// is a clause with the number of these seeds.
pub const MAIN_REJECTION: &str = "main reason of rejection";

/// Returns the voxel grid of a tensor image. If the job has kept the diffusion series in memory, an earlier
/// stage of the run writes the tensor image, which may not exist yet. The grid of the series is then
/// returned.
pub fn grid_of(tensor: &Path, job: &Job) -> Result<Grid> {
    match job.kept_grid() {
        Some(grid) => Ok(grid),
        None => space::image_grid(tensor),
    }
}

/// Reads a mask that must be on the voxel grid of the tensor image. Returns an error if the mask is empty.
pub fn region_on(path: &Path, grid: &Grid) -> Result<Mask> {
    space::region_on(path, grid, "the tensor image")
}

/// Reads the mask outside which streamlines stop. Returns `None` if no mask is given.
pub fn mask_on(path: Option<&Path>, grid: &Grid) -> Result<Option<Mask>> {
    path.map(|path| region_on(path, grid)).transpose()
}

/// Reads points from a text file, as x y z in RAS mm. Returns an error if the file has no point.
pub fn read_points(path: &Path) -> Result<Vec<[f64; 3]>> {
    let points = read_triples(path, "a point, x y z in RAS mm")?;
    if points.is_empty() {
        let advice = "give x y z in RAS mm, a point a line";
        return Err(Error::invalid(path.display(), "it holds no point", advice));
    }
    Ok(points)
}

/// Returns the voxels in which streamlines of tensor tracking start if the user selects no seeds. Their FA is
/// at least `minimum` and at most 1. If the FA is above 1, noise has made an eigenvalue negative, which is
/// common at the edge of the brain.
pub fn white_matter(fa: &Volume<f32>, mask: Option<&Mask>, minimum: f64) -> Result<Mask> {
    let allowed = |voxel| mask.is_none_or(|mask| mask.contains(voxel));
    let white =
        |(voxel, &fa): (usize, &f32)| allowed(voxel) && f64::from(fa) >= minimum && fa > 0.0 && fa <= 1.0;
    Mask::new(*fa.grid(), fa.values().iter().enumerate().map(white).collect())
}

/// Adds the percentage of streamline ends that the maximum length or the maximum number of steps stopped to
/// the record.
pub fn note_ends_at_maximum(summary: &TrackSummary, record: &mut Record) {
    let (ends, all) = (&summary.terminated, summary.terminated.total());
    if all > 0 {
        let share = 100.0 * (ends.max_length + ends.max_steps) as f64 / all as f64;
        record.measure(AT_MAXIMUM_LENGTH, share, "%");
    }
}

/// Adds the number of seeds, the number of seeds that were not tracked, and the main reason of rejection to the
/// record. `place` describes the place of the seeds that were not tracked, such as "in voxels without
/// orientations".
pub fn note_seeds(summary: &TrackSummary, place: &str, record: &mut Record) {
    let TrackSummary { seeds, rejected, .. } = summary;
    record.figure(SEEDS, *seeds);
    record.figure(&format!("{NOT_TRACKED}{place}"), rejected.seed_outside);
    let not_tracked = format!("seeds are {place}");
    let reasons = [
        (rejected.too_short, "streamlines were too short"),
        (rejected.too_long, "streamlines were too long"),
        (rejected.anatomy, "streamlines had an end in white matter or CSF"),
        (rejected.waypoints, "streamlines did not pass the waypoints"),
        (rejected.avoided, "streamlines entered a region to avoid"),
        (rejected.seed_anisotropy, "seeds are in too low anisotropy"),
        (rejected.seed_outside, not_tracked.as_str()),
    ];
    if let Some((count, reason)) = reasons.into_iter().max_by_key(|(count, _)| *count)
        && count > 0
    {
        let [count, all] = [count, *seeds].map(human::count);
        record.figure(MAIN_REJECTION, format!("{count} of {all} {reason}"));
    }
}

/// Returns the names of two counts: of streamlines that are too short, and of those that are too long. The
/// names contain the limits of the length, if there are limits.
pub fn outside_lengths(shortest_mm: Option<f64>, longest_mm: Option<f64>) -> [String; 2] {
    let limit = |side: &str, limit: Option<f64>| {
        limit.map_or_else(String::new, |limit| format!(": {side} {} mm (not kept)", to_thousandths(limit)))
    };
    [
        format!("seeds of streamlines that are too short{}", limit("below", shortest_mm)),
        format!("seeds of streamlines that are too long{}", limit("above", longest_mm)),
    ]
}

/// Returns the table of the outcome of the seeds and of the reasons why streamlines ended: `counts`, and the
/// counts of regions and tissues. Counts that are 0 are omitted.
pub fn seeds_and_ends(text: &str, counts: &[(&str, u64)], summary: &TrackSummary) -> Table {
    let of_regions: Vec<(&str, u64)> = among_regions(summary).collect();
    let counts = [counts, of_regions.as_slice()].concat();
    table_of_counts("Seeds and ends", text, &without_zeros(&counts))
}

/// Returns the counts that are not 0.
pub fn without_zeros<'a>(counts: &[(&'a str, u64)]) -> Vec<(&'a str, u64)> {
    counts.iter().copied().filter(|(_, count)| *count > 0).collect()
}

/// Adds the mean and the median length of the streamlines to the record.
pub fn note_lengths(lengths: &StreamlineLengths, record: &mut Record) {
    record.measure(MEAN_LENGTH, lengths.mean(), "mm").key();
    record.measure("median length", lengths.median(), "mm").key();
}

/// Rounds a length or an angle to a thousandth, which is more precise than any measurement.
pub fn to_thousandths(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// Returns a text about the maximum curvature of streamlines: the angle between two steps, and the radius of
/// curvature in mm.
pub fn bend_of_steps(degrees: f64, step_mm: f64, radius_mm: f64) -> String {
    let [degrees, step] = [degrees, step_mm].map(to_thousandths);
    format!(
        "{degrees}° between steps of {step} mm, which corresponds to a radius of curvature of {radius_mm:.2} \
         mm"
    )
}

/// Returns an error if a preset (the default values of another program) is set. Only tracking through samples
/// of orientations has presets.
pub(crate) fn require_no_preset(preset: Option<Preset>) -> Result<()> {
    match preset {
        Some(preset) => {
            let problem = format!(
                "the preset {} is only for tracking with samples, peaks and bootstrap",
                preset.word()
            );
            Err(Error::usage("‘preset’", problem, "leave it out"))
        }
        None => Ok(()),
    }
}

/// Returns a table with a column of names and a column of numbers.
pub fn table_of_counts(title: &str, text: &str, counts: &[(&str, u64)]) -> Table {
    Table {
        title: title.into(),
        section: String::new(),
        text: text.into(),
        columns: ["what", "number"].map(String::from).to_vec(),
        rows: counts.iter().map(|&(what, number)| vec![what.into(), number.into()]).collect(),
    }
}

/// Returns the numbers of streamlines that regions and tissues rejected, and of streamline ends that they
/// stopped, each with its reason. Numbers that are 0 are omitted.
pub fn among_regions(summary: &TrackSummary) -> impl Iterator<Item = (&'static str, u64)> + use<> {
    let TrackSummary { rejected, terminated, .. } = summary;
    let counts = [
        ("rejected: entered a region to avoid", rejected.avoided),
        ("rejected: did not pass the waypoints", rejected.waypoints),
        ("ends in a region to stop in", terminated.stop),
        ("ends on leaving a region", terminated.exit),
        ("ends in a region to avoid", terminated.avoid),
        ("rejected: an end in white matter or CSF", rejected.anatomy),
        ("ends in cortical grey matter", terminated.cortical_grey),
        ("ends on leaving sub-cortical grey matter", terminated.sub_cortical_grey),
        ("ends at fluid", terminated.csf),
        ("ends where the brain ends", terminated.left_brain),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0)
}

/// Returns the name of a region: the name of its file without folder and extensions. For `regions/b.nii.gz`,
/// it is `b`. The name is used in file names, in table cells, and for groups of streamlines, whose names must
/// not contain dots in `.trx`.
pub fn region_name(path: &Path) -> String {
    let name = content_name(path);
    name.replace(|c: char| disturbs_terminal(c) || ['.', ':', '\\'].contains(&c), "_")
}

/// Returns a text about the number of streamlines that were rejected because of their tissues, as the end of
/// a sentence in brackets. The text is empty if this number is 0.
pub fn left_out_by_tissues(summary: &TrackSummary) -> String {
    match summary.rejected.anatomy {
        0 => String::new(),
        count => format!(", {count} with an end in white matter or CSF"),
    }
}

/// Returns the name of a region: the name of its file, followed by the label or the part of the surface that
/// is selected.
pub fn name_of_region(region: &RegionFile) -> String {
    let name = region_name(region.path());
    match region.suffix() {
        Some(suffix) => format!("{name}_{}", region_name(Path::new(&suffix))),
        None => name,
    }
}

/// Returns the names of all regions in these files, with one name for each selected label.
pub fn names_of_regions(files: &[RegionFile]) -> Vec<String> {
    files.iter().flat_map(RegionFile::each).map(|region| name_of_region(&region)).collect()
}

/// Returns an error if two target regions have the same name.
pub fn require_names_apart(targets: &[RegionFile]) -> Result<()> {
    let mut names = names_of_regions(targets);
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some([name, _]) => {
            let problem = format!("two targets are called `{name}`");
            Err(Error::usage("‘targets’", problem, "give the files different names"))
        }
        _ => Ok(()),
    }
}

/// Adds the number of accepted streamlines that pass each target region to the record.
pub fn note_targets(targets: &[RegionFile], summary: &TrackSummary, record: &mut Record) {
    if targets.is_empty() {
        return;
    }
    let names = names_of_regions(targets);
    let counts: Vec<(&str, u64)> =
        names.iter().map(String::as_str).zip(summary.targets.iter().copied()).collect();
    let text = "Accepted streamlines that pass each target; the seed does not count.";
    record.tables.push(table_of_counts("Targets", text, &counts));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_the_names_of_their_files() {
        for (path, name) in [
            ("a/b.nii.gz", "b"),
            ("left.v1.mif", "left_v1"),
            ("B.NII", "B"),
            ("c.d", "c_d"),
            ("lh.pial.surf.gii", "lh_pial"),
            ("lh.white", "lh_white"),
            (".nii", "_nii"),
            ("a\u{202e}b\u{1b}.nii.gz", "a_b_"),
        ] {
            assert_eq!(region_name(Path::new(path)), name);
        }
    }
}
