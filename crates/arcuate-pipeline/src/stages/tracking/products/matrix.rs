//! Connectivity matrix that is counted during tracking.

use crate::example_rows;
use crate::job::Job;
use crate::matrix_counter::MatrixCounter;
use crate::matrix_elements::ElementList;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile, Picture};
use crate::part_sums;
use crate::record::Record;
use crate::regions::RegionFile;
use crate::row_journal::RowJournal;
use crate::stages::tracking::options::Tracking;
use crate::stages::tracking::part_file::{each_entry, remedy, write_entries};
use crate::stages::tracking::part_folder::{PAIRS, ROWS, SavedPart};
use crate::stages::tracking::part_head::Head;
use crate::stages::tracking::product::{Open, Opening, Product, Report, Resumable};
use crate::stages::tracking::product_names::ProductName;
use crate::stages::tracking::receiver::{Receiver, ReceiverResult, Sink};
use crate::stages::tracking::run_inputs::RunInputs;
use crate::stages::tracking::seeds::SampleSeeds;
use crate::surface_files::SurfacePart;
use crate::tracked_matrix::{MatrixKind, MatrixPlan, MatrixRequest, MatrixSeeds};
use arcuate_core::{ElementKind, Error, Result};
use arcuate_report::human;
use arcuate_track::SampleTracks;
use std::path::{Path, PathBuf};

/// A connectivity matrix, as a kind of result that tracking writes.
pub(super) struct Matrix<'a> {
    pub(super) request: &'a MatrixRequest,
    pub(super) tracking: &'a Tracking,
}

impl Product for Matrix<'_> {
    fn files(&self) -> Vec<OutputFile> {
        let (request, seeds) = (self.request, &self.tracking.seeds);
        let are_in_voxels = seeds.mask.is_some() || seeds.surfaces.is_empty();
        let kind = match &seeds.cifti {
            Some(_) => ElementKind::Element,
            None => ElementList::kind_of_seeds(are_in_voxels, &seeds.surfaces),
        };
        let mut files = request.output_files(kind);
        files.extend(shown_files(request, seeds));
        files.extend(part_sums::output_files(parts_of_seeds(request, seeds)));
        files
    }

    fn check(&self, _: &Job) -> Result<()> {
        let Self { request, tracking } = *self;
        request.check()?;
        let (seeds, kind) = (&tracking.seeds, request.kind);
        if kind.has_rows_of_seeds() && seeds.are_drawn(tracking.preset, tracking.is_network()) {
            let problem = "its rows are seeds, each with as many streamlines as the others";
            let advice = "give ‘per_seed’ instead of ‘seed_number’ or ‘select’";
            return Err(Error::usage("‘matrix’", problem, advice));
        }
        if kind.has_a_row_for_each_seed() && seeds.points.is_some() {
            let problem = "its rows are voxels or vertices";
            return Err(Error::usage("‘matrix’", problem, "give ‘seed_mask’ or ‘seed_surfaces’"));
        }
        if kind == MatrixKind::Network && !tracking.constraints.targets.is_empty() {
            let problem = "a network counts by its regions, and seeds in them have no counts of their own";
            return Err(Error::usage(
                "‘targets’",
                problem,
                "remove ‘targets’, or add the target regions to ‘seed_list’",
            ));
        }
        if kind == MatrixKind::Network && seeds.are_chosen() {
            let problem = "streamlines of a network begin in its regions";
            return Err(Error::usage("‘seed_list’", problem, "leave other seeds out"));
        }
        Ok(())
    }

    fn file_of_part(&self) -> Option<&'static str> {
        Some(if self.request.kind.has_rows_of_seeds() { ROWS } else { PAIRS })
    }

    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        let Self { request, tracking } = *self;
        let Some(folder) = opening.folder else {
            return Err(Error::usage("‘matrix’", "its files need a folder", "give a folder as ‘out’"));
        };
        if !request.measures.is_empty() && !opening.run_inputs.field.has_even_steps() {
            let problem = "lengths of a matrix are counted in steps, and these steps differ in length";
            let advice = "leave out this option, or track with steps of one length";
            return Err(Error::usage("‘measure’", problem, advice));
        }
        // A part of a divided run saves only the rows or sums of the matrix. The files of the matrix are
        // written when the parts are merged.
        let of_part = MatrixRequest { forms: Vec::new(), ..request.clone() };
        let requested = if opening.is_part { &of_part } else { request };
        let mut plan = planned(requested, tracking, opening.run_inputs, folder.path())?;
        let journal = if opening.is_part && plan.has_rows_of_seeds() {
            let path = folder.file(ROWS);
            Some(plan.keep_rows(&path, None, &remedy(&path))?)
        } else if let Some(saved) = opening.saved {
            Some(plan.keep_rows(&saved.rows(), saved.end_of_rows(), &saved.remedy())?)
        } else {
            None
        };
        let entries = opening.parts.map_or(Ok(0), |parts| parts.pass_rows(&mut plan))?;
        if let Some(saved) = opening.saved.filter(|saved| saved.seeds() > 0) {
            let (done, all) = (saved.seeds(), plan.shape()[0]);
            opening
                .job
                .show_message(format!("{done} of {all} seeds were done before the run was interrupted"));
        }
        Ok(Box::new(OpenMatrix { of: self, plan, journal, entries }))
    }
}

struct OpenMatrix<'a> {
    of: &'a Matrix<'a>,
    plan: MatrixPlan,
    journal: Option<RowJournal>,
    /// Number of matrix entries in the rows of saved parts, which were already passed to the files of the
    /// matrix.
    entries: u64,
}

impl Open for OpenMatrix<'_> {
    fn receiver(&mut self) -> Result<Option<Box<dyn Receiver + '_>>> {
        let journal = self.journal.clone();
        Ok(Some(Box::new(Counting { counter: self.plan.counter()?, journal })))
    }

    fn resumable(&self) -> Option<Resumable> {
        let journal = self.journal.clone()?;
        Some(Resumable { seeds: self.plan.shape()[0] as u64, each: self.plan.each(), journal })
    }

    fn cut(&self, streamline: u64, of_each: u64) -> u64 {
        if self.plan.has_rows_of_seeds() {
            self.plan.cut(streamline.div_ceil(of_each)) * of_each
        } else {
            streamline
        }
    }

    fn finish(self: Box<Self>, received: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let ReceiverResult::Entries(entries) = received else { return Ok(()) };
        let Self { of, plan, journal, entries: before } = *self;
        let entries = entries + before + journal.as_ref().map_or(0, RowJournal::entries);
        report.lines.push(note(plan.shape(), entries, report.record));
        let Opening { folder, job, .. } = *report.opening;
        // Results of an earlier command in the folder can have the same names. They are moved to another
        // place first.
        if let Some(folder) = folder {
            folder.begin();
        }
        let places = job.step("write the matrix", || plan.finish())?;
        note_shown(of.request, &of.tracking.seeds, &places, report.record);
        Ok(())
    }
}

/// Counts the streamlines for the matrix.
struct Counting<'p> {
    counter: MatrixCounter<'p>,
    journal: Option<RowJournal>,
}

impl Receiver for Counting<'_> {
    fn sink(&mut self) -> Sink<'_> {
        if !self.counter.has_kernel() {
            return Sink::Host(&mut self.counter);
        }
        match self.counter.on_gpus() {
            Some(counter) => Sink::Device(counter),
            None => unreachable!("a counter with a kernel"),
        }
    }

    fn pause(&mut self) -> Result<()> {
        self.counter.pause()
    }

    fn add_part(&mut self, part: &SavedPart) -> Result<()> {
        match &mut self.counter {
            MatrixCounter::Pairs(pairs, _) => each_entry(&part.file(PAIRS), |entry| pairs.add(entry)),
            // The rows of saved parts were already passed to the files of the matrix.
            MatrixCounter::Rows(_) => Ok(()),
        }
    }

    fn keep_part(self: Box<Self>, folder: &OutputFolder, _: &mut Head) -> Result<()> {
        match &self.journal {
            Some(rows) => {
                self.counter.finish_part(&mut |_| Ok(()))?;
                rows.finish()
            }
            None => write_entries(&folder.file(PAIRS), |take| self.counter.finish_part(take)),
        }
    }

    fn finish(self: Box<Self>, _: &SampleTracks) -> Result<ReceiverResult> {
        self.counter.finish().map(ReceiverResult::Entries)
    }
}

/// Returns an error if a run with these options cannot save its state and continue after an interruption.
/// This is possible only with a matrix whose rows are seeds.
pub(in crate::stages::tracking) fn check_resume(tracking: &Tracking) -> Result<()> {
    if tracking.matrix.as_ref().is_none_or(|request| !request.kind.has_a_row_for_each_seed()) {
        let problem = "only rows of seeds are done one after the other";
        let advice = "leave it out, or ask for the matrix seeds or targets";
        return Err(Error::usage("‘resume’", problem, advice));
    }
    if tracking.writes(ProductName::Streamlines) || tracking.regions.is_some() {
        let problem = "streamlines and connections of a parcellation are not kept when a run is interrupted";
        return Err(Error::usage(
            "‘resume’",
            problem,
            "remove ‘resume’, or remove ‘products’ streamlines and ‘labels’",
        ));
    }
    Ok(())
}

/// Prepares the matrix for counting, and creates its files in `folder`.
fn planned(
    request: &MatrixRequest,
    tracking: &Tracking,
    run_inputs: &RunInputs,
    folder: &Path,
) -> Result<MatrixPlan> {
    let RunInputs { field, seeds, seed_mask, elements, everywhere, to_masks, .. } = run_inputs;
    let (given, to_masks) = (&tracking.seeds, to_masks.as_ref());
    let of_mask = |mask| ElementList::of_seeds(&given.mask_name(), Some(mask), &[]);
    let (elements, to_elements) = match (elements, seed_mask) {
        // If the matrix does not have a row for each seed, seeds are neither rows nor columns.
        _ if !request.kind.has_a_row_for_each_seed() => (ElementList::default(), None),
        (Some(elements), _) => (elements.clone(), to_masks),
        (None, Some(mask)) => (of_mask(mask)?, to_masks),
        (None, None) => (of_mask(everywhere)?, None),
    };
    let shown_on = shown_on(request, given);
    let seeds = MatrixSeeds { seeds, elements, to_elements, shown_on };
    request.plan(seeds, to_masks, field.step_mm(), folder)
}

/// Returns the number of files or brain structures of the seeds, if the matrix has seeds as rows and columns
/// and is shown on surfaces. In all other cases, returns 0.
fn parts_of_seeds(request: &MatrixRequest, seeds: &SampleSeeds) -> usize {
    if request.kind != MatrixKind::Seeds || shown_on(request, seeds).is_empty() {
        return 0;
    }
    match &seeds.cifti {
        Some(cifti) => cifti.parts(),
        None => usize::from(seeds.mask.is_some()) + seeds.surfaces.len(),
    }
}

/// Describes the files of the example rows of the matrix. Their values are shown on surfaces.
fn shown_files(request: &MatrixRequest, seeds: &SampleSeeds) -> Vec<OutputFile> {
    example_rows::output_files(&shown_on(request, seeds))
}

/// Returns the surfaces whose vertices are columns of the matrix, if its rows are seeds. Example rows are
/// shown on these surfaces.
fn shown_on(request: &MatrixRequest, seeds: &SampleSeeds) -> Vec<PathBuf> {
    let of_parts = |parts: &mut dyn Iterator<Item = &SurfacePart>| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for part in parts {
            if !paths.iter().any(|path| path == part.path()) {
                paths.push(part.path().to_owned());
            }
        }
        paths
    };
    match (request.kind, &seeds.cifti) {
        (MatrixKind::Seeds, Some(cifti)) => cifti.surfaces.clone(),
        (MatrixKind::Seeds, None) => of_parts(&mut seeds.surfaces.iter()),
        (MatrixKind::Targets, _) => of_parts(&mut request.targets.iter().filter_map(RegionFile::surface)),
        _ => Vec::new(),
    }
}

/// Adds the positions of the seeds of the example rows, which are shown on surfaces, to the record.
fn note_shown(request: &MatrixRequest, seeds: &SampleSeeds, of_rows: &[[f64; 3]], record: &mut Record) {
    for file in shown_files(request, seeds) {
        record.change_picture(&file.name, |picture| {
            if let Some(Picture { kind: Kind::Vertices { places, .. }, .. }) = picture {
                *places = of_rows.to_vec();
            }
        });
    }
}

/// Adds the number of rows, columns and nonzero entries of a matrix to the record. Returns a message for the
/// user with these numbers.
fn note([rows, columns]: [usize; 2], entries: u64, record: &mut Record) -> String {
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
