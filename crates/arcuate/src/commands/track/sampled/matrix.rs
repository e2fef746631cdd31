//! The options of matrices that are counted while streamlines are tracked.

use super::args::SeedArgs;
use super::form::Form;
use crate::output_files::OutputFile;
use crate::record::Record;
use arcuate_core::{Error, Mask, Measure, Result};
use arcuate_pipeline::matrix_elements::ElementList;
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::tracked_matrix::{
    MatrixForm, MatrixKind, MatrixPlan, MatrixRequest, MatrixSeeds, read_region_list,
};
use arcuate_report::human;
use arcuate_track::{Mapping, Seeds};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A matrix of what streamlines meet on their way.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Matrix of what streamlines meet, in a folder")]
pub(super) struct MatrixOptions {
    /// Count a matrix of what streamlines meet while they are tracked, in the files matrix_counts and so on; rows and columns are
    /// in matrix_rows.tsv and matrix_columns.tsv (x y z of the voxel or vertex, the number of its file, its own in it), or
    /// one table where the matrix is symmetric
    #[arg(long, value_enum)]
    matrix: Option<MatrixArg>,
    /// Masks and surfaces that are the columns, where those of the rows (--targets) are others; with --matrix pairs
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = super::super::constraints::region_files(), requires = "matrix")]
    target_columns: Vec<RegionFile>,
    /// Regions in which streamlines begin, and which they join; with --matrix network, as masks, labels or surfaces, or text
    /// files that name them
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        requires = "matrix",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_surfaces", "seeds", "seed_anywhere"]
    )]
    seed_list: Vec<PathBuf>,
    /// What is measured of the streamlines of each entry; count (always there), length (mean of their ways from the seed, of pairs
    /// from one to the other, in mm), by-length (counts times mean lengths). count by default
    #[arg(long, value_name = "MEASURE,…", value_delimiter = ',', value_enum, requires = "matrix")]
    measure: Vec<MeasureArg>,
    /// Forms of the matrix; npz by default
    #[arg(long, value_name = "FORMAT,…", value_delimiter = ',', value_enum, requires = "matrix")]
    matrix_format: Vec<FormArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum MatrixArg {
    /// Each seed with all others: what its streamlines meet
    Seeds,
    /// Each seed with the voxels and vertices of --targets, which have no other results then
    Targets,
    /// Voxels and vertices of --targets with each other, or those of two --targets; seeds anywhere
    Pairs,
    /// Each region of --seed-list, whose voxels and vertices are the seeds, with the others
    Network,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum MeasureArg {
    Count,
    Length,
    ByLength,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum FormArg {
    /// SciPy's compressed sparse rows
    Npz,
    /// FSL's text, with coordinates beside it
    Dot,
    /// CIFTI-2 with every entry, .dconn.nii
    Dconn,
}

impl MatrixArg {
    fn kind(self) -> MatrixKind {
        match self {
            Self::Seeds => MatrixKind::Seeds,
            Self::Targets => MatrixKind::Targets,
            Self::Pairs => MatrixKind::Pairs,
            Self::Network => MatrixKind::Network,
        }
    }
}

impl MeasureArg {
    /// Beside the count.
    fn measure(self) -> Option<Measure> {
        match self {
            Self::Count => None,
            Self::Length => Some(Measure::MeanLength),
            Self::ByLength => Some(Measure::Sum("length".to_owned())),
        }
    }
}

impl FormArg {
    fn form(self) -> MatrixForm {
        match self {
            Self::Npz => MatrixForm::Npz,
            Self::Dot => MatrixForm::Dot,
            Self::Dconn => MatrixForm::Dconn,
        }
    }
}

impl MatrixOptions {
    /// Whether targets are masks whose voxels and vertices are counted one by one.
    pub(super) fn takes_targets(&self) -> bool {
        self.matrix.is_some_and(|matrix| matrix.kind().takes_targets())
    }

    /// What is asked for, if anything.
    pub(super) fn request(&self, targets: &[RegionFile]) -> Result<Option<MatrixRequest>> {
        let Some(matrix) = self.matrix else { return Ok(None) };
        let mut measures: Vec<Measure> = Vec::new();
        for measure in self.measure.iter().filter_map(|measure| measure.measure()) {
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
        let mut forms: Vec<MatrixForm> = Vec::new();
        for form in self.matrix_format.iter().map(|form| form.form()) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        if forms.is_empty() {
            forms.push(MatrixForm::Npz);
        }
        Ok(Some(MatrixRequest {
            kind: matrix.kind(),
            targets: targets.to_vec(),
            target_columns: self.target_columns.clone(),
            seed_list: read_region_list(&self.seed_list)?,
            measures,
            forms,
        }))
    }

    /// All files that are read beside targets.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        // What cannot be read is said before.
        let request = self.request(&[]).ok().flatten();
        let of_request = request.iter().flat_map(MatrixRequest::files).map(Path::to_owned);
        let mut files: Vec<PathBuf> = of_request.collect();
        let lists = self.seed_list.iter().filter(|path| path.is_file() && !files.contains(path));
        let lists: Vec<PathBuf> = lists.cloned().collect();
        files.extend(lists);
        files
    }

    /// The files of the matrix.
    pub(super) fn output_files(&self, targets: &[RegionFile], seeds: &SeedArgs) -> Vec<OutputFile> {
        let request = self.request(targets).ok().flatten();
        let kind = ElementList::kind_of_seeds(seeds.are_in_voxels(), seeds.surfaces());
        request.map_or_else(Vec::new, |request| request.output_files(kind))
    }

    /// Fails on what does not go together.
    pub(super) fn check(&self, form: Form, targets: &[RegionFile], seeds: &SeedArgs) -> Result<()> {
        form.require(self.matrix.is_some(), "--matrix")?;
        let Some(request) = self.request(targets)? else { return Ok(()) };
        request.check()?;
        if request.kind.has_rows_of_seeds() && seeds.are_drawn() {
            let problem = "its rows are seeds, each with as many streamlines as the others";
            return Err(Error::usage("--matrix", problem, "give --per-seed instead of --seeds or --select"));
        }
        let needs_elements = matches!(request.kind, MatrixKind::Seeds | MatrixKind::Targets);
        if needs_elements && seeds.points().is_some() {
            let problem = "its rows are voxels or vertices";
            return Err(Error::usage("--matrix", problem, "give --seed-mask or --seed-surfaces"));
        }
        Ok(())
    }

    /// Where the streamlines of a network begin.
    pub(super) fn network_seeds(&self) -> Result<Option<Vec<[f64; 3]>>> {
        match self.request(&[])? {
            Some(request) if request.kind == MatrixKind::Network => {
                request.network_seeds().map(|(places, _)| Some(places))
            }
            _ => Ok(None),
        }
    }

    /// Everything ready to be counted; `to_masks` leads to the space of masks. `everywhere` is where streamlines begin without a
    /// mask, and `mask` the mask.
    pub(super) fn plan(
        &self,
        targets: &[RegionFile],
        args: &SeedArgs,
        seeds: &Seeds,
        [mask, everywhere]: [Option<&Mask>; 2],
        to_masks: Option<&Arc<Mapping>>,
        step_mm: f64,
        folder: &Path,
    ) -> Result<Option<MatrixPlan>> {
        let Some(request) = self.request(targets)? else { return Ok(None) };
        let name = args.mask().map_or_else(|| "seeds".to_owned(), |path| path.display().to_string());
        let mask = match mask {
            Some(mask) => Some((name.as_str(), mask, to_masks)),
            None if args.surfaces().is_empty() => everywhere.map(|mask| (name.as_str(), mask, None)),
            None => None,
        };
        let seeds = MatrixSeeds { seeds, mask, surfaces: args.surfaces() };
        request.plan(seeds, to_masks, step_mm, folder).map(Some)
    }
}

/// Notes how large a matrix is, and says so.
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
