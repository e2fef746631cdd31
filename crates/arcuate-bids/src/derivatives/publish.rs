//! Publishes the results of a scan's finished run as BIDS derivatives.

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
use arcuate_io::{NIFTI_ENDINGS, has_ending, without_ending};
use arcuate_pipeline::run::MASK;
use std::path::{Path, PathBuf};

/// The mask of the voxels in which the tensor was fitted. This mask is published if the run did not compute a
/// brain mask.
const LOOKED_AT: &str = "tensor/scan_mask";
/// The name of the report of a run in the result folder.
const REPORT: &str = "report.html";

/// The derivatives of a scan, all written to temporary places and ready to get their final names. If this
/// value is dropped before they get their names, the new files are deleted, and existing files stay
/// unchanged.
#[derive(Debug)]
pub struct Prepared(Staging);

impl Prepared {
    /// Returns the final paths of the published files, relative to the root folder of the derivatives.
    pub fn names(&self) -> &[PathBuf] {
        self.0.names()
    }

    /// Moves the derivatives to their final paths and returns these paths. `earlier` lists the derivatives of
    /// an earlier run of the same scan, as this function returned them. The paths in `earlier` may begin with
    /// the root folder. Files in `earlier` that have no new version are removed.
    ///
    /// # Errors
    /// Returns an error if a file cannot be moved or removed. In this case, no published file is changed.
    pub fn publish(self, earlier: &[PathBuf]) -> Result<Vec<PathBuf>> {
        self.0.exchange(earlier)
    }
}

/// Writes the derivatives of a scan to temporary places, from the result folder `results` of its run. `out`
/// must be a derivatives dataset created by [`begin`](super::begin). If the run has no streamlines or no
/// connectome, none are written. A file that is published without changes becomes a hard link to the result
/// file, or a copy if the file system does not support hard links.
///
/// # Errors
/// Returns an error if the results are incomplete or cannot be read, or if a file cannot be written. In this
/// case, no published file is changed.
pub fn prepare(scan: &Scan, results: &Path, out: &Path) -> Result<Prepared> {
    let results = Results::read(results)?;
    let description = read_object(&out.join(FILE_NAME))?;
    let publication = planned(scan, &results, Links::of(&description, out))?;
    publication.stage(out, &scan.id()).map(Prepared)
}

/// Determines the names and contents of all derivatives of a scan, before the first file is written.
fn planned(scan: &Scan, results: &Results, links: Links) -> Result<Publication> {
    let mask = mask(results)?;
    let tractogram = Tractogram::find(results)?;
    let maps = maps::find(results, tractogram.as_ref().map_or("", Tractogram::model))?;
    let mask_name = scan.name.with("desc", "brain").of("mask", "");
    let mut common = Common::new(scan, results, links)?;
    // Recording the published names of all results first lets the sidecar of any file refer to any other
    // published result.
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
            "The brain mask computed from the series; voxels outside were not processed"
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
    // The report is the last file that gets its final name. If the report exists, all other published files
    // exist, too.
    if let Some(report) = results.file(REPORT)? {
        publication.add(format!("{}.html", scan.id()), Content::Same(report));
    }
    Ok(publication)
}

/// The extension of tractograms.
const TRX: &str = ".trx";
/// The extension of images that are written.
const IMAGE: &str = NIFTI_ENDINGS[1];

fn with_ending(name: &BidsName, ending: &str) -> BidsName {
    name.of(&name.suffix, ending)
}

/// Returns the extension of a published image. BIDS allows only NIfTI.
fn image_ending(file: &str) -> &'static str {
    let own = NIFTI_ENDINGS.into_iter().find(|ending| has_ending(Path::new(file), &[ending]));
    own.unwrap_or(IMAGE)
}

/// Returns the content of a published image that consists of the volumes of `files`. If there is one file and
/// no reordering, the content is this existing file.
fn image(mut files: Vec<PathBuf>, order: Option<&'static [usize]>) -> Content {
    match files.len() {
        1 if order.is_none() && has_ending(&files[0], &NIFTI_ENDINGS) => Content::Same(files.remove(0)),
        _ => Content::Images(files, order),
    }
}

/// Returns the name of the mask file of a run, and true if the mask was computed from the diffusion series.
/// Returns `None` if the run has no mask.
fn mask(results: &Results) -> Result<Option<(String, bool)>> {
    let found = without_ending(MASK, &NIFTI_ENDINGS);
    if let Some(mask) = results.image(found)? {
        return Ok(Some((mask, true)));
    }
    Ok(results.image(LOOKED_AT)?.map(|mask| (mask, false)))
}
