//! What probabilistic tracking writes, and what it notes of the streamlines.

use super::super::{note_lengths, region_name, table_of_counts};
use super::args::{MapArgs, RegionArgs};
use crate::context::Context;
use crate::output::OutputFolder;
use crate::products::{Kind, Map, Product};
use crate::record::{self, Record};
use arcuate_core::{Mask, Result, StreamlineLengths, Volume};
use arcuate_io::write_image;
use arcuate_track::{OrientationTable, SampleTracks};
use std::path::Path;

const VISITS: &str = "visits.nii.gz";
const NORMALISED: &str = "visits_normalised.nii.gz";
const LENGTHS: &str = "lengths.nii.gz";
const BY_LENGTH: &str = "visits_by_length.nii.gz";
pub(super) const STREAMLINES: &str = "streamlines.trx";

/// The file of a tractogram as the only result.
pub(super) fn tractogram(path: &Path) -> Product {
    Product::shown(record::name_of(path), "Streamlines", Kind::Streamlines { weights: None })
}

/// What the command writes into its folder.
pub(super) fn products(maps: &MapArgs, regions: &RegionArgs) -> Vec<Product> {
    let map = |name: &'static str, title: &'static str, unit: &'static str| {
        Product::shown(name, title, Kind::Map(Map { unit: unit.into(), heat: true, ..Map::default() }))
    };
    let mut products = vec![
        map(NORMALISED, "Share of the streamlines that pass", ""),
        map(VISITS, "Streamlines that pass each voxel", "streamlines").aside(),
    ];
    if maps.lengths {
        products.push(map(LENGTHS, "Mean length of the way from the seeds", "mm"));
        products
            .push(map(BY_LENGTH, "Streamlines that pass, times the mean length of their way", "mm").aside());
    }
    for target in &regions.targets {
        let name = region_name(target);
        let title = format!("Streamlines of each seed that pass {name}");
        let kind = Map { unit: "streamlines".into(), heat: true, ..Map::default() };
        products.push(Product::shown(format!("seeds_to_{name}.nii.gz"), title, Kind::Map(kind)));
    }
    if maps.streamlines {
        products.push(Product::shown(STREAMLINES, "Streamlines", Kind::Streamlines { weights: None }));
    }
    products
}

pub(super) fn write(
    folder: &OutputFolder,
    tracks: &SampleTracks,
    maps: &MapArgs,
    regions: &RegionArgs,
    seeds: &Mask,
    context: &Context,
) -> Result<()> {
    let options = context.image_options();
    let Some(map) = &tracks.map else { return Ok(()) };
    let write = |name: &str, volume: &Volume<f32>| write_image(&folder.file(name), volume, &options);
    write(VISITS, &map.to_volume()?)?;
    write(NORMALISED, &map.normalised(tracks.summary.streamlines, maps.threshold())?)?;
    if let (Some(lengths), Some(by_length)) = (map.lengths()?, map.distance_corrected()?) {
        write(LENGTHS, &lengths)?;
        write(BY_LENGTH, &by_length)?;
    }
    for (target, hits) in regions.targets.iter().zip(&tracks.target_hits) {
        let name = format!("seeds_to_{}.nii.gz", region_name(target));
        let mut volume = Volume::filled(*map.grid(), 1, 0.0);
        for (voxel, &hits) in seeds.indices().into_iter().zip(hits) {
            volume.values_mut()[voxel] = hits as f32;
        }
        write(&name, &volume)?;
    }
    Ok(())
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
    record.figure("streamlines followed", summary.seeds);
    record.figure("streamlines accepted", summary.streamlines);
    match lengths {
        Some(lengths) => note_lengths(lengths, record),
        None => record.measure("mean length", step_mm * summary.mean_steps(), "mm"),
    }
    let mut counts = vec![("accepted", summary.streamlines)];
    counts.extend(summary.rejections());
    let text = "What became of the streamlines that were followed.";
    record.tables.push(table_of_counts("Streamlines", text, &counts));
    let text = "Why streamlines end, both ends of each counted, those of rejected ones too.";
    record.tables.push(table_of_counts("Ends of streamlines", text, &summary.endings()));
}

pub(super) fn describe(tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, step_mm: f64) -> String {
    let summary = &tracks.summary;
    let how_long = lengths.map_or_else(
        || format!("{:.1} mm on average", step_mm * summary.mean_steps()),
        StreamlineLengths::to_string,
    );
    format!(
        "{} of {} streamlines accepted ({:.1} %), {how_long}",
        summary.streamlines,
        summary.seeds,
        100.0 * summary.acceptance()
    )
}
