//! Matrices of what streamlines meet, counted while they are followed.

use super::preset::Preset;
use super::seeds::SampleSeeds;
use crate::example_rows;
use crate::matrix_elements::ElementList;
use crate::output_files::{Kind, OutputFile, Picture};
use crate::part_sums;
use crate::record::Record;
use crate::regions::RegionFile;
use crate::surface_files::SurfacePart;
use crate::tracked_matrix::{MatrixKind, MatrixPlan, MatrixRequest, MatrixSeeds};
use arcuate_core::{ElementKind, Error, Mask, Result};
use arcuate_report::human;
use arcuate_track::{Mapping, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of the matrix.
pub(super) fn output_files(request: Option<&MatrixRequest>, seeds: &SampleSeeds) -> Vec<OutputFile> {
    let are_in_voxels = seeds.mask.is_some() || seeds.surfaces.is_empty();
    let kind = match &seeds.cifti {
        Some(_) => ElementKind::Element,
        None => ElementList::kind_of_seeds(are_in_voxels, &seeds.surfaces),
    };
    let mut files = request.map_or_else(Vec::new, |request| request.output_files(kind));
    files.extend(shown_files(request, seeds));
    files.extend(part_sums::output_files(parts_of_seeds(request, seeds)));
    files
}

/// Of how many files or structures the seeds are of a matrix of seeds by seeds with surfaces.
fn parts_of_seeds(request: Option<&MatrixRequest>, seeds: &SampleSeeds) -> usize {
    if request.is_none_or(|request| request.kind != MatrixKind::Seeds) || shown_on(request, seeds).is_empty()
    {
        return 0;
    }
    match &seeds.cifti {
        Some(cifti) => cifti.parts(),
        None => usize::from(seeds.mask.is_some()) + seeds.surfaces.len(),
    }
}

/// Those of them that have some rows on surfaces.
fn shown_files(request: Option<&MatrixRequest>, seeds: &SampleSeeds) -> Vec<OutputFile> {
    example_rows::output_files(&shown_on(request, seeds))
}

/// The surfaces with vertices among the columns of a matrix whose rows are seeds.
fn shown_on(request: Option<&MatrixRequest>, seeds: &SampleSeeds) -> Vec<PathBuf> {
    let of_parts = |parts: &mut dyn Iterator<Item = &SurfacePart>| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for part in parts {
            if !paths.iter().any(|path| path == part.path()) {
                paths.push(part.path().to_owned());
            }
        }
        paths
    };
    match (request.map(|request| request.kind), &seeds.cifti) {
        (Some(MatrixKind::Seeds), Some(cifti)) => cifti.surfaces.clone(),
        (Some(MatrixKind::Seeds), None) => of_parts(&mut seeds.surfaces.iter()),
        (Some(MatrixKind::Targets), _) => {
            let targets = request.iter().flat_map(|request| &request.targets);
            of_parts(&mut targets.filter_map(RegionFile::surface))
        }
        _ => Vec::new(),
    }
}

/// Says in the record which places the rows are of that are shown on surfaces.
pub(super) fn note_shown(
    request: Option<&MatrixRequest>,
    seeds: &SampleSeeds,
    of_rows: &[[f64; 3]],
    record: &mut Record,
) {
    for file in shown_files(request, seeds) {
        record.change_picture(&file.name, |picture| {
            if let Some(Picture { kind: Kind::Vertices { places, .. }, .. }) = picture {
                *places = of_rows.to_vec();
            }
        });
    }
}

/// Fails on what does not go together; `has_targets` says whether targets are counted for each seed.
pub(super) fn check(
    request: Option<&MatrixRequest>,
    seeds: &SampleSeeds,
    has_targets: bool,
    preset: Option<Preset>,
) -> Result<()> {
    let Some(request) = request else { return Ok(()) };
    request.check()?;
    let is_network = request.kind == MatrixKind::Network;
    if request.kind.has_rows_of_seeds() && seeds.are_drawn(preset, is_network) {
        let problem = "its rows are seeds, each with as many streamlines as the others";
        return Err(Error::usage(
            "‘matrix’",
            problem,
            "give ‘per_seed’ instead of ‘seed_number’ or ‘select’",
        ));
    }
    if request.kind.has_a_row_for_each_seed() && seeds.points.is_some() {
        let problem = "its rows are voxels or vertices";
        return Err(Error::usage("‘matrix’", problem, "give ‘seed_mask’ or ‘seed_surfaces’"));
    }
    if request.kind == MatrixKind::Network && has_targets {
        let problem = "a network counts by its regions, and seeds in them have no counts of their own";
        return Err(Error::usage("‘targets’", problem, "leave it out, or add the regions to ‘seed_list’"));
    }
    if request.kind == MatrixKind::Network && seeds.files().next().is_some() {
        let problem = "streamlines of a network begin in its regions";
        return Err(Error::usage("‘seed_list’", problem, "leave other seeds out"));
    }
    Ok(())
}

/// Fails where there is nothing that a run could go on with: rows of seeds that are done.
pub(super) fn check_resume(request: Option<&MatrixRequest>, others: bool) -> Result<()> {
    if request.is_none_or(|request| !request.kind.has_a_row_for_each_seed()) {
        let problem = "only rows of seeds are done one after the other";
        return Err(Error::usage(
            "‘resume’",
            problem,
            "leave it out, or ask for the matrix seeds or targets",
        ));
    }
    if others {
        let problem = "streamlines and connections of a parcellation are not kept when a run is interrupted";
        return Err(Error::usage("‘resume’", problem, "leave it out, or ‘products’ streamlines and ‘labels’"));
    }
    Ok(())
}

/// Where the streamlines of a network begin.
pub(super) fn network_seeds(request: Option<&MatrixRequest>) -> Result<Option<Vec<[f64; 3]>>> {
    match request {
        Some(request) if request.kind == MatrixKind::Network => {
            request.network_seeds().map(|(places, _)| Some(places))
        }
        _ => Ok(None),
    }
}

/// What seeds are to a matrix.
pub(super) struct Beginnings<'a> {
    pub(super) given: &'a SampleSeeds,
    pub(super) seeds: &'a Seeds,
    /// Those that are listed.
    pub(super) elements: Option<ElementList>,
    /// The mask that was given.
    pub(super) mask: Option<&'a Mask>,
    /// Where streamlines begin without one.
    pub(super) everywhere: &'a Mask,
}

/// Everything ready to be counted into files in `folder`, by streamlines of steps of `step_mm`; `to_masks` leads to the space of masks.
pub(super) fn plan(
    request: &MatrixRequest,
    beginnings: Beginnings<'_>,
    to_masks: Option<&Arc<Mapping>>,
    step_mm: f64,
    folder: &Path,
) -> Result<MatrixPlan> {
    let Beginnings { given, seeds, elements, mask, everywhere } = beginnings;
    let of_mask = |mask| ElementList::of_seeds(&given.mask_name(), Some(mask), &[]);
    let (elements, to_elements) = match (elements, mask) {
        // Seeds are neither rows nor columns.
        _ if !request.kind.has_a_row_for_each_seed() => (ElementList::default(), None),
        (Some(elements), _) => (elements, to_masks),
        (None, Some(mask)) => (of_mask(mask)?, to_masks),
        (None, None) => (of_mask(everywhere)?, None),
    };
    let shown_on = shown_on(Some(request), given);
    request.plan(MatrixSeeds { seeds, elements, to_elements, shown_on }, to_masks, step_mm, folder)
}

/// Notes how large a matrix is; says so.
pub(super) fn note([rows, columns]: [usize; 2], entries: u64, record: &mut Record) -> String {
    record.figure("rows of the matrix", rows);
    record.figure("columns of the matrix", columns);
    record.figure("entries of the matrix that are not 0", entries).key();
    let share = 100.0 * entries as f64 / (rows as f64 * columns as f64).max(1.0);
    format!(
        "{} entries of {} × {} in the matrix ({share:.3} %)",
        human::count(entries),
        human::count(rows as u64),
        human::count(columns as u64)
    )
}
