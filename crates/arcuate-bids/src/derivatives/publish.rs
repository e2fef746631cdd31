//! The finished folder of a run of a scan, as derivatives.

use super::describe::FILE_NAME;
use super::links::Links;
use super::maps;
use super::matrices::Connectome;
use super::publication::{Content, Publication};
use super::results::Results;
use super::sidecars::{Common, published_name};
use super::staging::Staging;
use super::tissues;
use super::tractograms::Tractogram;
use crate::dataset::read_object;
use crate::entities::BidsName;
use crate::scans::Scan;
use arcuate_core::Result;
use arcuate_pipeline::run::MASK;
use std::path::{Path, PathBuf};

/// What the tensor fit says of where it looked, where nobody had to find the brain.
const LOOKED_AT: &str = "tensor/scan_mask";
/// The report of a run.
const REPORT: &str = "report.html";

/// Derivatives that are whole and have not their names yet. Dropped, they are gone, and what is there stays as it is.
#[derive(Debug)]
pub struct Prepared(Staging);

impl Prepared {
    /// The names that they will have, from the root of derivatives on.
    pub fn names(&self) -> &[PathBuf] {
        self.0.names()
    }

    /// Gives them their names, and gives these. `earlier` are the files of an earlier run of the same scan, as they were given then or
    /// with the root in front: those that nothing follows go.
    ///
    /// # Errors
    /// Where something stands in the way: then nothing is changed.
    pub fn publish(self, earlier: &[PathBuf]) -> Result<Vec<PathBuf>> {
        self.0.exchange(earlier)
    }
}

/// Writes what a run found of a scan, whose folder is `results`, for `out`, where [`begin`](super::begin) has made a data set of derivatives;
/// all but the names. What the run has not (streamlines, a connectome), derivatives have not either. Files are hard links to results
/// where the file system has these and nothing is changed, else copies.
///
/// # Errors
/// Where results cannot be read or are not whole, and where a file cannot be written: then nothing is changed.
pub fn prepare(scan: &Scan, results: &Path, out: &Path) -> Result<Prepared> {
    let results = Results::read(results)?;
    let description = read_object(&out.join(FILE_NAME))?;
    let publication = planned(scan, &results, Links::of(&description, out))?;
    publication.stage(out, &scan.id()).map(Prepared)
}

/// All files of a scan, before the first is written.
fn planned(scan: &Scan, results: &Results, links: Links) -> Result<Publication> {
    let mask = mask(results)?;
    let tractogram = Tractogram::find(results)?;
    let maps = maps::find(results, tractogram.as_ref().map_or("", Tractogram::model))?;
    let mask_name = scan.name.with("desc", "brain").of("mask", "");
    let mut common = Common::new(scan, results, links)?;
    // What is made of other results names these, in whichever order they are written.
    if let Some((mask, _)) = &mask {
        common.note([mask], &with_ending(&mask_name, image_ending(mask)));
    }
    for map in &maps {
        common.note(&map.files, &with_ending(&map.name(&scan.name), image_ending(&map.files[0])));
    }
    if let Some(tractogram) = &tractogram {
        common.note(&tractogram.stands_for, &with_ending(&tractogram.name(&scan.name), TRX));
    }

    if let Some(image) = tissues::made(scan) {
        common.note_beside(image, &with_ending(&tissues::name(scan), IMAGE));
    }

    let mut publication = Publication::default();
    let mut add = |name: BidsName, ending: &str, content: Content, sidecar| {
        publication.add(published_name(scan, &with_ending(&name, ending)), content);
        publication.add_sidecar(published_name(scan, &with_ending(&name, ".json")), sidecar);
    };
    if let Some((mask, is_found)) = &mask {
        let path = results.folder.join(mask);
        let description = if *is_found {
            "The brain, as it was found in the series: all else was left out"
        } else {
            "The voxels that were looked at"
        };
        let given = scan.mask.as_ref().filter(|_| !is_found);
        let source = given.and_then(|mask| common.address(mask)).or_else(|| common.series());
        let mut sidecar = common.from(description, source);
        sidecar.insert("Type".into(), "Brain".into());
        add(mask_name, image_ending(mask), image(vec![path], None), sidecar);
    }
    if let Some(image) = tissues::made(scan) {
        add(tissues::name(scan), IMAGE, Content::Same(image.to_owned()), tissues::sidecar(scan, &common));
    }
    for map in maps {
        let files: Vec<PathBuf> = map.files.iter().map(|file| results.folder.join(file)).collect();
        let sidecar = map.sidecar(&common)?;
        let ending = image_ending(&map.files[0]);
        add(map.name(&scan.name), ending, image(files, map.order), sidecar);
    }
    if let Some(tractogram) = &tractogram {
        let path = results.folder.join(&tractogram.file);
        add(tractogram.name(&scan.name), TRX, Content::Same(path), tractogram.sidecar(&common)?);
    }
    if let Some(connectome) = Connectome::find(results)? {
        for (name, ending, content, sidecar) in connectome.files(&common)? {
            add(name, ending, content, sidecar);
        }
    }
    // Last, so that where it is, all is.
    if let Some(report) = results.file(REPORT)? {
        publication.add(format!("{}.html", scan.id()), Content::Same(report));
    }
    Ok(publication)
}

/// The ending of tractograms.
const TRX: &str = ".trx";
/// The ending of images, as they are written.
const IMAGE: &str = ".nii.gz";

fn with_ending(name: &BidsName, ending: &str) -> BidsName {
    name.of(&name.suffix, ending)
}

/// The ending of an image among derivatives: BIDS has NIfTI alone.
fn image_ending(file: &str) -> &'static str {
    if Path::new(file).extension().is_some_and(|ending| ending == "nii") { ".nii" } else { IMAGE }
}

/// An image of BIDS: the very file where nothing is to be changed.
fn image(mut files: Vec<PathBuf>, order: Option<&'static [usize]>) -> Content {
    let is_nifti = |path: &Path| path.extension().is_none_or(|ending| ending != "mif");
    match files.len() {
        1 if order.is_none() && is_nifti(&files[0]) => Content::Same(files.remove(0)),
        _ => Content::Images(files, order),
    }
}

/// The mask of a run, and whether it was found in the series.
fn mask(results: &Results) -> Result<Option<(String, bool)>> {
    let found = MASK.strip_suffix(".nii.gz").unwrap_or(MASK);
    if let Some(mask) = results.image(found)? {
        return Ok(Some((mask, true)));
    }
    Ok(results.image(LOOKED_AT)?.map(|mask| (mask, false)))
}
