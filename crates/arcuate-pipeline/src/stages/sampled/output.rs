//! What probabilistic tracking writes, and what it notes of the streamlines.

use super::products::ProductName;
use super::seeds::SampleSeeds;
use super::target_counts;
use crate::constraint_files::ConstraintFiles;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, Outline, OutputFile};
use crate::record::{self, Record, Table};
use crate::regions::RegionFile;
use crate::stages::tracking::{
    MEAN_LENGTH, bend_of_steps, in_words, name_of_region, note_lengths, table_of_counts,
};
use arcuate_core::{Error, Mask, Result, StreamlineLengths, Volume};
use arcuate_io::write_image;
use arcuate_report::human;
use arcuate_track::{OrientationTable, Region, SampleOptions, SampleTracks, TrackSummary};
use std::collections::BTreeSet;
use std::path::Path;

const VISITS: &str = "visits.nii.gz";
const NORMALISED: &str = "visits_normalised.nii.gz";
const LENGTHS: &str = "lengths.nii.gz";
const BY_LENGTH: &str = "visits_by_length.nii.gz";
/// What maps are seen on.
pub(super) const ANATOMY: &str = "anatomy.nii.gz";
const REGIONS: &str = "regions.nii.gz";
pub(super) const STREAMLINES: &str = "streamlines.trx";

/// Share of the streamlines that maps begin at, unless said otherwise.
const DEFAULT_THRESHOLD: f64 = 0.005;

/// How maps are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleMaps {
    /// Lowest share of all accepted streamlines in the map of shares, 0.005 by default; voxels below are 0.
    pub threshold: Option<f64>,
    /// The format of the maps; compressed NIfTI by default.
    pub format: Option<MapFormat>,
}

impl SampleMaps {
    /// The least share of all streamlines that is not 0 in the map of shares.
    pub fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(DEFAULT_THRESHOLD)
    }

    /// The format of the maps in a folder.
    pub(super) fn format(&self) -> MapFormat {
        self.format.unwrap_or_default()
    }

    /// Fails if options of maps are given and there are none, and on a share that is not one. `folder` states whether the result is a
    /// folder.
    pub(super) fn check(&self, products: &BTreeSet<ProductName>, folder: bool) -> Result<()> {
        let advice = "leave it out, or give a folder for ‘products’ visits";
        if self.threshold.is_some() && !(folder && products.contains(&ProductName::Visits)) {
            let problem = "it is a limit of visits_normalised.nii.gz, which is not written";
            return Err(Error::usage("‘threshold’", problem, advice));
        }
        if self.format.is_some() && !(folder && has_backdrop(products)) {
            let problem = "there are no maps in a folder that would have this format";
            return Err(Error::usage("‘format’", problem, advice));
        }
        let threshold = self.threshold();
        if !(0.0..=1.0).contains(&threshold) {
            let problem = format!("{threshold} is not a number from 0 to 1");
            return Err(Error::usage("‘threshold’", problem, "give one, 0.005 say"));
        }
        Ok(())
    }
}

/// The file of a tractogram as the only result.
pub(super) fn tractogram(path: &Path) -> OutputFile {
    OutputFile::shown(record::name_of(path), "Streamlines", Kind::Streamlines { weights: None })
}

/// The file of the map of visits as the only result.
pub(super) fn image_of_visits(path: &Path) -> OutputFile {
    let map = Map { unit: "streamlines".into(), heat: true, ..Map::default() };
    OutputFile::shown(record::name_of(path), "Streamlines that pass each voxel", Kind::Map(map))
}

/// What is written into a folder; `targets` are the names of targets.
pub(super) fn output_files(
    products: &BTreeSet<ProductName>,
    targets: &[String],
    seeds: &SampleSeeds,
    outlined: &[Outlined],
) -> Vec<OutputFile> {
    let outlines: Vec<Outline> = outlined
        .iter()
        .enumerate()
        .map(|(volume, region)| Outline { volume, ..Outline::new(REGIONS, region.name.clone()) })
        .collect();
    let map = |name: &'static str, title: &'static str, unit: &'static str| {
        let outlines = outlines.clone();
        let map = Map { unit: unit.into(), heat: true, overlay: true, outlines, ..Map::default() };
        OutputFile::shown(name, title, Kind::Map(map))
    };
    let mut output_files = Vec::new();
    if products.contains(&ProductName::Visits) {
        output_files.push(map(NORMALISED, "Share of the streamlines that pass", ""));
        output_files.push(map(VISITS, "Streamlines that pass each voxel", "streamlines").aside());
    }
    if products.contains(&ProductName::Lengths) {
        output_files.push(map(LENGTHS, "Mean length of the way from the seeds", "mm"));
        output_files
            .push(map(BY_LENGTH, "Streamlines that pass, times the mean length of their way", "mm").aside());
    }
    if products.contains(&ProductName::TargetCounts) {
        for target in targets {
            output_files.extend(target_counts::output_files(seeds, target, &outlines));
        }
    }
    if has_backdrop(products) {
        // What it is stands in the record, which knows where orientations come from.
        let map = Map { window: Some([0.0, 1.0]), backdrop: true, aside: true, ..Map::default() };
        output_files.push(OutputFile::shown(ANATOMY, "Fractions of all fibres", Kind::Map(map)));
        if !outlined.is_empty() {
            output_files.push(OutputFile::file(REGIONS, "Seeds and regions, a volume for each"));
        }
    }
    if products.contains(&ProductName::Streamlines) {
        output_files.push(OutputFile::shown(STREAMLINES, "Streamlines", Kind::Streamlines { weights: None }));
    }
    output_files
}

/// Whether there are maps, which are seen on the anatomy.
pub(super) fn has_backdrop(products: &BTreeSet<ProductName>) -> bool {
    products.iter().any(|product| *product != ProductName::Streamlines)
}

/// Writes the maps.
pub(super) fn write(
    folder: &OutputFolder,
    tracks: &SampleTracks,
    maps: &SampleMaps,
    products: &BTreeSet<ProductName>,
    job: &Job,
) -> Result<()> {
    let options = job.image_options();
    let Some(map) = &tracks.map else { return Ok(()) };
    let write = |name: &str, volume: &Volume<f32>| write_image(&folder.file(name), volume, &options);
    if products.contains(&ProductName::Visits) {
        write(VISITS, &map.to_volume()?)?;
        write(NORMALISED, &map.normalised(tracks.summary.streamlines, maps.threshold())?)?;
    }
    if let (Some(lengths), Some(by_length)) = (map.lengths()?, map.distance_corrected()?) {
        write(LENGTHS, &lengths)?;
        write(BY_LENGTH, &by_length)?;
    }
    Ok(())
}

/// A region whose outline is drawn on maps.
pub(super) struct Outlined {
    name: String,
    region: RegionFile,
}

/// Regions that have an outline, at most: nobody tells more lines apart.
const MOST_OUTLINES: usize = 8;

/// The seeds, waypoints, targets and other regions that streamlines heed, as far as they can be told apart.
pub(super) fn outlined(seeds: Option<&Path>, constraints: &ConstraintFiles) -> Vec<Outlined> {
    let ConstraintFiles { waypoints, targets, stop, stop_on_exit, avoid, .. } = constraints;
    let lists = [
        ("waypoint", waypoints.as_slice()),
        ("target", targets),
        ("stop", stop),
        ("stop on exit", stop_on_exit),
        ("avoided", avoid),
    ];
    let seeds = seeds.map(|file| Outlined { name: "seeds".into(), region: RegionFile::mask(file) });
    let of_list = |(what, files): (&str, &[RegionFile])| {
        let region =
            |region: RegionFile| Outlined { name: format!("{what} {}", name_of_region(&region)), region };
        // Lines around voxels.
        let images = files.iter().filter(|file| file.image().is_some());
        images.flat_map(RegionFile::each).map(region).collect::<Vec<_>>()
    };
    seeds.into_iter().chain(lists.into_iter().flat_map(of_list)).take(MOST_OUTLINES).collect()
}

/// Writes what maps are seen on: the fractions of all fibres, and the regions in the voxels of the maps.
pub(super) fn write_anatomy(
    folder: &OutputFolder,
    fractions: &Volume<f32>,
    tracks: &SampleTracks,
    outlined: &[Outlined],
    job: &Job,
) -> Result<()> {
    let options = job.image_options();
    write_image(&folder.file(ANATOMY), fractions, &options)?;
    let Some(map) = tracks.map.as_ref().filter(|_| !outlined.is_empty()) else { return Ok(()) };
    let grid = *map.grid();
    let mut volume = Volume::filled(grid, outlined.len(), 0u8);
    for (n, region) in outlined.iter().enumerate() {
        for mask in region.region.read(None)?.iter().filter_map(Region::mask) {
            for voxel in 0..grid.len() {
                let inside = mask.grid().voxel_at(grid.centre(voxel)).is_some_and(|at| mask.contains(at));
                volume.voxel_mut(voxel)[n] = u8::from(inside);
            }
        }
    }
    write_image(&folder.file(REGIONS), &volume, &options)
}

/// What was done, in a sentence.
pub(super) fn sentence(tracks: &SampleTracks, done: &str) -> String {
    let summary = &tracks.summary;
    format!(
        "{} streamlines were followed, each step along an orientation drawn from the samples of its voxel; {} were accepted and \
         {done}.",
        human::count(summary.seeds),
        human::count(summary.streamlines)
    )
}

/// Where streamlines begin that no file tells where to.
pub(super) fn beginnings(voxels: &Mask, fraction: f64, table: &OrientationTable) -> String {
    let all = table.voxels();
    format!("{} of {all} voxels, whose fibres together have a fraction of {fraction} or more", voxels.count())
}

/// The most that streamlines bend.
fn bend(options: &SampleOptions) -> String {
    bend_of_steps(options.min_cosine.acos().to_degrees(), options.step_mm, options.smallest_radius_mm())
}

/// Notes what has a default that depends on voxels and results.
pub(super) fn note_choices(options: &SampleOptions, record: &mut Record) {
    record.choice("step", format!("{} mm", options.step_mm));
    record.choice("sharpest turn", bend(options));
    record.choice("fibres that count", format!("fractions above {}", options.min_fraction));
    record.choice("shortest streamline", format!("{} mm", in_words(options.min_length_mm)));
    if let Some(longest) = options.max_length_mm {
        record.choice("longest streamline", format!("{} mm", in_words(longest)));
    }
}

/// Why streamlines were rejected, and how many.
pub(super) fn rejections(summary: &TrackSummary) -> [(&'static str, u64); 6] {
    let rejected = &summary.rejected;
    [
        ("seeds outside the voxels with orientations", rejected.seed_outside),
        ("entered a region to avoid in both directions", rejected.avoided),
        ("did not pass the waypoints", rejected.waypoints),
        ("shorter than the minimum", rejected.too_short),
        ("longer than the maximum", rejected.too_long),
        ("an end in white matter or fluid", rejected.anatomy),
    ]
}

/// Why the two ends of streamlines are where they are, and how many; those of rejected ones among them.
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
        ("came to fluid", ends.fluid),
        ("left the brain", ends.left_brain),
    ]
}

/// A part of the streamlines that were followed.
fn share(count: u64, summary: &TrackSummary) -> String {
    format!("{:.1} %", 100.0 * count as f64 / summary.seeds.max(1) as f64)
}

/// Notes what became of the streamlines. `lengths` are those of their points, where these were made; else their steps say
/// how long they are on average.
pub(super) fn note(
    table: &OrientationTable,
    tracks: &SampleTracks,
    lengths: Option<&StreamlineLengths>,
    step_mm: f64,
    record: &mut Record,
) {
    let summary = &tracks.summary;
    record.figure("fibres of a voxel", table.fibres());
    record.figure("samples of a voxel", table.samples());
    record.figure("streamlines followed", summary.seeds).key();
    record.figure("streamlines accepted", summary.streamlines).key();
    match lengths {
        Some(lengths) => note_lengths(lengths, record),
        None => {
            record.measure(MEAN_LENGTH, step_mm * summary.mean_steps(), "mm").key();
        }
    }
    let mut rows = vec![("accepted", summary.streamlines)];
    rows.extend(rejections(summary));
    record.tables.push(Table {
        title: "Streamlines".into(),
        section: String::new(),
        text: "What became of the streamlines that were followed.".into(),
        columns: ["what", "number", "share"].map(String::from).to_vec(),
        rows: rows.iter().map(|&(what, n)| vec![what.into(), n.into(), share(n, summary).into()]).collect(),
    });
    let text = "Why streamlines end, both ends of each counted, those of rejected ones too.";
    record.tables.push(table_of_counts("Ends of streamlines", text, &ends(summary)));
}

/// One line about what limits streamlines.
pub(super) fn describe_limits(options: &SampleOptions) -> String {
    let SampleOptions { min_fraction, min_length_mm, .. } = options;
    let shortest = if *min_length_mm > 0.0 {
        format!("; at least {} mm", in_words(*min_length_mm))
    } else {
        String::new()
    };
    format!("at most {}; fibres above {min_fraction}{shortest}", bend(options))
}

/// One line about a run: what was accepted, how long it is, and what each rule has left out.
pub(super) fn describe(tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, step_mm: f64) -> String {
    let summary = &tracks.summary;
    let rejected = rejections(summary).into_iter().filter(|(_, count)| *count > 0);
    let rejected: Vec<String> =
        rejected.map(|(why, count)| format!("{} {why}", share(count, summary))).collect();
    let rejected =
        if rejected.is_empty() { String::new() } else { format!("; left out: {}", rejected.join(", ")) };
    let how_long = lengths.map_or_else(
        || format!("{:.1} mm on average", step_mm * summary.mean_steps()),
        StreamlineLengths::to_string,
    );
    format!(
        "{} of {} streamlines accepted ({}), {how_long}{rejected}",
        summary.streamlines,
        summary.seeds,
        share(summary.streamlines, summary),
    )
}
