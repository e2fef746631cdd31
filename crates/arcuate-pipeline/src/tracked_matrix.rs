//! Connectivity matrices that are counted while streamlines are followed: their options, their counters and
//! their files.

use crate::disk;
use crate::example_rows::ExampleRows;
use crate::matrix_counter::MatrixCounter;
use crate::matrix_elements::ElementList;
use crate::memory;
use crate::output_files::{Kind, MAX_DRAWN_REGIONS, OutputFile, Picture};
use crate::part_sums::PartSums;
use crate::regions::RegionFile;
use crate::row_journal::{self, RowJournal, RowShape};
use crate::stages::tracking::names_of_regions;
use arcuate_compute::show_bytes;
use arcuate_connect::{ConnectomeOptions, PairCounter, PairMemory, PassedElements, RowCounter, SeedRows};
use arcuate_core::{Axis, ElementKind, Error, MatrixRowSink, Measure, Result};
use arcuate_io::{
    DconnRows, DotRows, JournalPosition, LARGEST_TEXT, MatrixRowFiles, NpzRows, is_image_name, npz_files,
    read_text_file,
};
use arcuate_track::{Mapping, Region, RegionShape, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Kind of a connectivity matrix, which states what its rows and columns are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixKind {
    /// Rows and columns are seeds. An entry is the number of streamlines that start at the seed of the row
    /// and pass the seed of the column.
    Seeds,
    /// Rows are seeds. Columns are the voxels or vertices of target masks. An entry is the number of
    /// streamlines that start at the seed of the row and pass the voxel or vertex of the column.
    Targets,
    /// Rows and columns are voxels or vertices of masks. An entry is the number of streamlines that pass
    /// both, from any starting point.
    Pairs,
    /// Rows and columns are regions. An entry is the number of streamlines that start in the region of the
    /// row and pass the region of the column.
    Network,
}

impl MatrixKind {
    /// Checks whether each matrix row counts the streamlines that start at the seed or in the region of the
    /// row.
    #[doc(hidden)]
    pub fn has_rows_of_seeds(self) -> bool {
        self != Self::Pairs
    }

    /// Checks whether each seed has its own matrix row. In a network, all seeds of a region have one row
    /// together.
    #[doc(hidden)]
    pub fn has_a_row_for_each_seed(self) -> bool {
        matches!(self, Self::Seeds | Self::Targets)
    }

    /// Checks whether this kind of matrix needs target masks, whose voxels or vertices are rows or columns.
    #[doc(hidden)]
    pub fn accepts_targets(self) -> bool {
        matches!(self, Self::Targets | Self::Pairs)
    }
}

/// File format of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixFormat {
    /// SciPy's compressed sparse rows (`.npz`), with tables that describe the rows and columns.
    Npz,
    /// FSL's text format (`.dot`), with files of the coordinates of rows and columns.
    Dot,
    /// CIFTI-2 (`.dconn.nii`), which stores all matrix entries, including zeros.
    Dconn,
}

/// Options of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRequest {
    /// Kind of the matrix.
    pub kind: MatrixKind,
    /// Masks whose voxels or vertices are the matrix columns. In a matrix of pairs, they are the rows, too.
    pub targets: Vec<RegionFile>,
    /// Masks whose voxels or vertices are the columns of a matrix of pairs, if the columns differ from the
    /// rows.
    pub target_columns: Vec<RegionFile>,
    /// Regions of a network matrix, in which streamlines start.
    pub seed_list: Vec<RegionFile>,
    /// Text files that list the regions.
    pub lists: Vec<PathBuf>,
    /// Measures in addition to the number of streamlines: their mean length ([`Measure::MeanLength`]), or the
    /// sum of their lengths ([`Measure::Sum`] of `length`).
    pub measures: Vec<Measure>,
    /// File formats of the matrix.
    pub forms: Vec<MatrixFormat>,
}

/// Seeds of a matrix.
#[derive(Debug)]
pub struct MatrixSeeds<'a> {
    /// Number and positions of the seeds.
    pub seeds: &'a Seeds,
    /// Voxels and vertices of the seeds, if each seed is a matrix row. If not, this list is empty.
    pub elements: ElementList,
    /// Mapping from the space of the streamlines to the space of these voxels and vertices.
    pub to_elements: Option<&'a Arc<Mapping>>,
    /// Surfaces on which some rows are shown. Their vertices are among the columns.
    pub shown_on: Vec<PathBuf>,
}

/// Beginning of the names of matrix files.
const STEM: &str = "matrix";

/// Reads a list of regions. Each entry of `words` is a region, or a text file that lists regions separated by
/// whitespace. Returns the regions, and the text files.
pub fn read_region_list(words: &[PathBuf]) -> Result<(Vec<RegionFile>, Vec<PathBuf>)> {
    let (mut regions, mut lists) = (Vec::new(), Vec::new());
    for word in words {
        let region = RegionFile::of(word)?;
        if is_image_name(region.path()) || region.surface().is_some() {
            regions.push(region);
            continue;
        }
        let text = read_text_file(word, LARGEST_TEXT)?;
        let before = regions.len();
        for line in text.split_whitespace() {
            regions.push(RegionFile::of(Path::new(line))?);
        }
        if regions.len() == before {
            return Err(Error::invalid(
                word.display(),
                "the text file names no region",
                "list the files of the regions in this text file",
            ));
        }
        lists.push(word.clone());
    }
    Ok((regions, lists))
}

impl MatrixRequest {
    /// Returns an error if masks or regions are missing that this kind of matrix needs, or if some are given
    /// that it does not use.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        let Self { kind, targets, target_columns, seed_list, .. } = self;
        if kind.accepts_targets() && targets.is_empty() {
            let problem = "there are no target voxels or vertices";
            return Err(Error::usage("‘matrix’", problem, "give ‘targets’"));
        }
        if *kind == MatrixKind::Pairs && target_columns.is_empty() && targets.len() > 2 {
            let problem = "with more than two masks, rows and columns must be given separately";
            let advice = "give those of columns as ‘target_columns’; the same again for all pairs among them";
            return Err(Error::usage("‘targets’", problem, advice));
        }
        if *kind != MatrixKind::Pairs && !target_columns.is_empty() {
            let problem = "the matrix is none of pairs";
            return Err(Error::usage("‘target_columns’", problem, "remove it, or choose pairs"));
        }
        match (kind, names_of_regions(seed_list).len()) {
            (MatrixKind::Network, 0 | 1) => {
                let problem = "a network joins two regions or more";
                Err(Error::usage("‘matrix’", problem, "give them as ‘seed_list’"))
            }
            (MatrixKind::Network, _) => self.require_one_network(),
            (_, 0) => Ok(()),
            _ => {
                let problem = "the matrix is not a network";
                Err(Error::usage("‘seed_list’", problem, "remove it, or choose network"))
            }
        }
    }

    fn require_one_network(&self) -> Result<()> {
        if self.forms.contains(&MatrixFormat::Dconn) {
            let problem = "regions are not vertices and voxels";
            return Err(Error::usage("‘matrix_format’", problem, "give npz or dot"));
        }
        let inside = self.seed_list.iter().filter_map(RegionFile::surface).find(|part| part.is_inside());
        match inside {
            Some(part) => {
                let problem = "the inside of a surface has no points at which streamlines could begin";
                Err(Error::usage(
                    part.name(),
                    problem,
                    "give a mask image of the voxels inside the surface, or the surface file itself",
                ))
            }
            None => Ok(()),
        }
    }

    /// Returns all files that the matrix reads.
    #[doc(hidden)]
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let regions = self.region_files().flat_map(RegionFile::files);
        self.lists.iter().map(PathBuf::as_path).chain(regions)
    }

    /// Returns the images of rows and columns.
    #[doc(hidden)]
    pub fn images(&self) -> impl Iterator<Item = &Path> {
        self.region_files().filter_map(RegionFile::image)
    }

    /// Checks whether some rows or columns of the matrix belong to a surface.
    #[doc(hidden)]
    pub fn has_surfaces(&self) -> bool {
        self.region_files().any(|region| region.surface().is_some())
    }

    fn region_files(&self) -> impl Iterator<Item = &RegionFile> {
        let targets = self.targets.iter().filter(|_| self.kind.accepts_targets());
        self.seed_list.iter().chain(targets).chain(&self.target_columns)
    }

    fn measures(&self) -> Vec<Measure> {
        std::iter::once(Measure::Count).chain(self.measures.iter().cloned()).collect()
    }

    /// Returns the masks of the rows and the masks of the columns, for a matrix of pairs. The second value is
    /// `None` if rows and columns are the same.
    fn pairs(&self) -> (&[RegionFile], Option<&[RegionFile]>) {
        match (&self.targets[..], &self.target_columns[..]) {
            ([a, b], []) => (std::slice::from_ref(a), Some(std::slice::from_ref(b))),
            (rows, []) => (rows, None),
            (rows, columns) => (rows, (rows != columns).then_some(columns)),
        }
    }

    /// Returns the kinds of elements (voxels, vertices, files, …) of the rows and of the columns. The second
    /// value is `None` if the matrix is symmetric. `seeds` is the kind of elements of the seeds.
    fn kinds(&self, seeds: ElementKind) -> (ElementKind, Option<ElementKind>) {
        match self.kind {
            MatrixKind::Seeds => (seeds, Some(seeds)),
            MatrixKind::Targets => (seeds, Some(ElementList::kind_of_files(&self.targets))),
            MatrixKind::Network => (ElementKind::File, Some(ElementKind::File)),
            MatrixKind::Pairs => {
                let (rows, columns) = self.pairs();
                (ElementList::kind_of_files(rows), columns.map(ElementList::kind_of_files))
            }
        }
    }

    /// Describes the files of the matrix. `seeds` is the kind of elements (voxels, vertices, or both) of the
    /// seeds.
    #[doc(hidden)]
    pub fn output_files(&self, seeds: ElementKind) -> Vec<OutputFile> {
        let measures = self.measures();
        let (rows, columns) = self.kinds(seeds);
        let mut files = Vec::new();
        for form in &self.forms {
            match form {
                MatrixFormat::Npz => {
                    let name = PathBuf::from(format!("{STEM}.npz"));
                    let titles = measures.iter().map(|measure| format!("{}, SciPy", title(measure)));
                    let axes = ["Description of each row", "Description of each column"].map(str::to_owned);
                    let names = npz_files(&name, &measures, rows, columns).unwrap_or_default();
                    let file = |(n, (name, title)): (usize, (PathBuf, String))| {
                        let picture = measures.get(n).and_then(|measure| self.picture(measure));
                        OutputFile { picture, ..OutputFile::file(name.display().to_string(), title) }
                    };
                    files.extend(names.into_iter().zip(titles.chain(axes)).enumerate().map(file));
                }
                MatrixFormat::Dot => {
                    for measure in &measures {
                        let name = format!("{STEM}_{}", measure.word());
                        files.push(OutputFile::file(
                            format!("{name}.dot"),
                            format!("{}, FSL", title(measure)),
                        ));
                        if self.kind == MatrixKind::Network {
                            continue;
                        }
                        files.push(OutputFile::file(format!("coords_for_{name}"), "Coordinates of each row"));
                        if self.kind != MatrixKind::Seeds && columns.is_some() {
                            let of_columns = format!("tract_space_coords_for_{name}");
                            files.push(OutputFile::file(of_columns, "Coordinates of each column"));
                        }
                    }
                }
                MatrixFormat::Dconn => files.extend(measures.iter().map(|measure| {
                    let name = format!("{STEM}_{}.dconn.nii", measure.word());
                    OutputFile::file(name, format!("{}, CIFTI-2", title(measure)))
                })),
            }
        }
        files
    }

    /// Returns how the report shows a measure (such as the number of streamlines) of a network matrix. Only
    /// networks with at most [`MAX_DRAWN_REGIONS`] regions are shown.
    fn picture(&self, measure: &Measure) -> Option<Picture> {
        if self.kind != MatrixKind::Network || names_of_regions(&self.seed_list).len() > MAX_DRAWN_REGIONS {
            return None;
        }
        let (quantity, circle) = match measure {
            Measure::MeanLength => ("mean length, mm", false),
            Measure::Sum(_) => ("sum of lengths, mm", false),
            _ => ("streamlines", true),
        };
        let regions = format!("{STEM}_rows.tsv").into();
        let kind = Kind::Matrix { quantity: quantity.into(), regions, circle };
        Some(Picture { caption: "Rows: where streamlines begin. Columns: what they pass.".into(), kind })
    }

    /// Returns the positions of the seeds of a network matrix, in mm, and the index of the region of each
    /// seed.
    #[doc(hidden)]
    pub fn network_seeds(&self) -> Result<(Vec<[f64; 3]>, Vec<u32>)> {
        let (mut places, mut rows) = (Vec::new(), Vec::new());
        let each = self.seed_list.iter().flat_map(RegionFile::each);
        for (row, region) in (0..).zip(each) {
            places.extend(ElementList::of_files(std::slice::from_ref(&region))?.places(0.0));
            rows.resize(places.len(), row);
        }
        Ok((places, rows))
    }

    /// Prepares the matrix for counting, and creates its files in `folder`. Logs the memory and the disk
    /// space that it needs. `step_mm` is the step length of the streamlines in mm. `to_masks` maps from the
    /// space of the streamlines to the space of the masks and surfaces.
    ///
    /// Returns an error if a file cannot be read, or if memory or disk space is insufficient. Also returns an
    /// error if seeds are drawn at random, so that they cannot be matrix rows.
    #[doc(hidden)]
    pub fn plan(
        &self,
        seeds: MatrixSeeds<'_>,
        to_masks: Option<&Arc<Mapping>>,
        step_mm: f64,
        folder: &Path,
    ) -> Result<MatrixPlan> {
        let mut plan = MatrixPlan {
            rows: Axis::unknown(0)?,
            columns: None,
            met: Vec::new(),
            seeds: None,
            is_square: self.kind != MatrixKind::Targets,
            measures: self.measures.clone(),
            step_mm,
            folder: folder.to_owned(),
            files: RowFiles::default(),
        };
        // Voxels and vertices of the rows, and of the columns if these differ from the rows, for files in
        // CIFTI-2 format.
        let mut lists = Vec::new();
        match self.kind {
            MatrixKind::Seeds | MatrixKind::Targets => {
                let rows = seeds.elements;
                plan.rows = rows.axis()?;
                plan.seeds = Some(SeedRows { each: each(seeds.seeds)?, rows: None });
                if self.kind == MatrixKind::Seeds {
                    plan.columns = Some(plan.rows.clone());
                    plan.met.push(rows.met(seeds.to_elements)?);
                    lists.push(rows);
                } else {
                    let columns = ElementList::of_files(&self.targets)?;
                    plan.columns = Some(columns.axis()?);
                    plan.met.push(columns.met(to_masks)?);
                    lists.extend([rows, columns]);
                }
            }
            MatrixKind::Network => {
                let names = names_of_regions(&self.seed_list);
                plan.rows = Axis::new(ElementKind::File, (0..names.len() as u64).collect(), names)?;
                plan.columns = Some(plan.rows.clone());
                plan.met.push(self.regions(to_masks)?);
                let (_, rows) = self.network_seeds()?;
                plan.seeds = Some(SeedRows { each: each(seeds.seeds)?, rows: Some(rows) });
            }
            MatrixKind::Pairs => {
                let (rows, columns) = self.pairs();
                for files in std::iter::once(rows).chain(columns) {
                    let list = ElementList::of_files(files)?;
                    plan.met.push(list.met(to_masks)?);
                    lists.push(list);
                }
                plan.rows = lists[0].axis()?;
                plan.columns = lists.get(1).map(ElementList::axis).transpose()?;
            }
        }
        plan.require_room(&self.forms, folder)?;
        plan.files.files = self.files_of(&plan, &lists, folder)?;
        if !seeds.shown_on.is_empty() {
            let mut lists = lists.into_iter();
            let (rows, columns) = (lists.next().unwrap_or_default(), lists.next());
            if self.kind == MatrixKind::Seeds {
                plan.files.parts = PartSums::new(&rows, folder);
            }
            plan.files.examples = Some(ExampleRows::new(&seeds.shown_on, folder, rows, columns));
        }
        Ok(plan)
    }

    /// Returns the regions of a network matrix in a form that finds those that a streamline passes. Each
    /// region is one column.
    fn regions(&self, to_masks: Option<&Arc<Mapping>>) -> Result<PassedElements> {
        let mut met = PassedElements::new(to_masks.cloned());
        for Region { name, shape, .. } in self.read_network()? {
            let added = match &shape {
                RegionShape::Voxels(mask) => met.add_region(mask),
                RegionShape::Triangles { surface, triangles } => met.add_triangles(surface, triangles),
                RegionShape::Inside(meshes) => met.add_inside(meshes),
            };
            added.map_err(|e| e.about(name))?;
        }
        Ok(met)
    }

    fn read_network(&self) -> Result<Vec<Region>> {
        let read: Result<Vec<Vec<Region>>> = self.seed_list.iter().map(|file| file.read(None)).collect();
        read.map(|regions| regions.concat())
    }

    /// Creates the matrix files.
    fn files_of(
        &self,
        plan: &MatrixPlan,
        lists: &[ElementList],
        folder: &Path,
    ) -> Result<Vec<Box<dyn MatrixRowFiles>>> {
        let measures = self.measures();
        let (rows, columns) = (&plan.rows, &plan.columns);
        let of_measures = |ending: &str| -> Vec<PathBuf> {
            let name = |measure: &Measure| folder.join(format!("{STEM}_{}.{ending}", measure.word()));
            measures.iter().map(name).collect()
        };
        // If the matrix columns are the same as the rows, FSL has only one file of coordinates.
        let others = columns.clone().filter(|_| self.kind != MatrixKind::Seeds);
        let mut files: Vec<Box<dyn MatrixRowFiles>> = Vec::new();
        for form in &self.forms {
            files.push(match form {
                MatrixFormat::Npz => {
                    let out = folder.join(format!("{STEM}.npz"));
                    Box::new(NpzRows::create(&out, rows.clone(), columns.clone(), &measures)?)
                }
                MatrixFormat::Dot => {
                    Box::new(DotRows::create(of_measures("dot"), rows.clone(), others.clone())?)
                }
                MatrixFormat::Dconn => {
                    let models: Result<Vec<_>> = lists.iter().map(ElementList::brain_models).collect();
                    let models = models?;
                    let (rows, columns) = (&models[0], models.last().unwrap_or(&models[0]));
                    Box::new(DconnRows::create(&of_measures("dconn.nii"), rows, columns)?)
                }
            });
        }
        Ok(files)
    }
}

fn title(measure: &Measure) -> &'static str {
    match measure {
        Measure::MeanLength => "Mean length of the ways, mm",
        Measure::Sum(_) => "Sum of the lengths of the ways, mm",
        _ => "Number of streamlines",
    }
}

/// Returns the number of streamlines that start at each seed. They have successive numbers.
fn each(seeds: &Seeds) -> Result<u64> {
    match seeds {
        Seeds::Voxels { each, .. } | Seeds::Points { each, .. } => Ok(u64::from(*each)),
        _ => {
            let problem = "its rows are seeds, and streamlines begin anywhere in the mask";
            Err(Error::usage("‘matrix’", problem, "give ‘per_seed’ instead of a total number of seeds"))
        }
    }
}

/// A matrix that is ready for counting.
pub struct MatrixPlan {
    rows: Axis,
    /// `None` if the matrix is symmetric.
    columns: Option<Axis>,
    /// Voxels, vertices or regions of the columns. For a matrix of pairs: first the elements of the rows,
    /// then the elements of the columns if they differ.
    met: Vec<PassedElements>,
    /// Seeds of the rows. `None` for a matrix of pairs.
    seeds: Option<SeedRows>,
    is_square: bool,
    measures: Vec<Measure>,
    step_mm: f64,
    folder: PathBuf,
    files: RowFiles,
}

/// All files and summaries to which the matrix rows are passed.
#[derive(Default)]
struct RowFiles {
    files: Vec<Box<dyn MatrixRowFiles>>,
    examples: Option<ExampleRows>,
    parts: Option<PartSums>,
    journal: Option<RowJournal>,
}

impl MatrixRowSink for RowFiles {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        if let Some(examples) = &mut self.examples {
            examples.take_row(row, columns, values)?;
        }
        if let Some(parts) = &mut self.parts {
            parts.take_row(row, columns, values)?;
        }
        if let Some(journal) = &mut self.journal {
            journal.take_row(row, columns, values)?;
        }
        self.files.iter_mut().try_for_each(|file| file.take_row(row, columns, values))
    }
}

impl MatrixPlan {
    /// Returns the numbers of rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.columns.as_ref().unwrap_or(&self.rows).len()]
    }

    /// Returns the number of streamlines that start at each seed. Returns 0 for a matrix of pairs.
    pub(crate) fn each(&self) -> u64 {
        self.seeds.as_ref().map_or(0, |seeds| seeds.each)
    }

    /// Checks whether each matrix row counts the streamlines that start at the seed or in the region of the
    /// row.
    pub(crate) fn has_rows_of_seeds(&self) -> bool {
        self.seeds.is_some()
    }

    /// Returns the next streamline, from number `streamline` on, that is the first streamline of a matrix
    /// row. For a matrix of pairs, returns `streamline`.
    pub(crate) fn cut(&self, streamline: u64) -> u64 {
        self.seeds.as_ref().map_or(streamline, |seeds| seeds.row_from(streamline))
    }

    /// Passes all matrix rows in a complete file that was written by [`keep_rows`](Self::keep_rows) to the
    /// files of the matrix. Returns the number of entries of these rows. `remedy` is the advice to the user
    /// in the error message.
    ///
    /// Returns an error if the file was changed, or if it contains rows of another matrix.
    pub(crate) fn take_rows(&mut self, path: &Path, remedy: &str) -> Result<u64> {
        let shape = self.row_shape();
        row_journal::replay(path, shape, &mut self.files, remedy)
    }

    fn row_shape(&self) -> RowShape {
        let [rows, columns] = self.shape();
        RowShape { rows, columns, measures: self.measures.len() + 1 }
    }

    /// Starts to write each finished matrix row into the file `path`, too. If a position in this file is
    /// given (`saved`), the rows before it are kept and passed to the files of the matrix. `remedy` is the
    /// advice to the user in the error message.
    ///
    /// Returns an error if the rows in the file were changed, or if they belong to another matrix.
    pub(crate) fn keep_rows(
        &mut self,
        path: &Path,
        saved: Option<JournalPosition>,
        remedy: &str,
    ) -> Result<RowJournal> {
        let shape = self.row_shape();
        let journal = RowJournal::open(path, saved, shape, &mut self.files, remedy)?;
        self.files.journal = Some(journal.clone());
        Ok(journal)
    }

    /// Returns the counter of the matrix.
    pub fn counter(&mut self) -> Result<MatrixCounter<'_>> {
        let Self { rows, columns, met, seeds, is_square, measures, step_mm, folder, files } = self;
        if let Some(seeds) = seeds {
            let counter =
                RowCounter::new(&met[0], seeds.clone(), rows.len(), *is_square, measures, *step_mm, files)?;
            return Ok(MatrixCounter::Rows(Box::new(counter)));
        }
        let of_columns = met.get(1).zip(columns.clone());
        let most_bytes = ConnectomeOptions::default().most_dense_bytes;
        let memory = PairMemory { most_bytes, folder: Some(folder) };
        let rows = (&met[0], rows.clone());
        let counter = PairCounter::new(rows, of_columns, measures, *step_mm, memory)?;
        tracing::info!("matrix: {}", counter.memory());
        Ok(MatrixCounter::Pairs(Box::new(counter), files))
    }

    /// Completes the files of the matrix. Returns the positions, in mm, of the seeds of the example rows,
    /// which are shown on surfaces.
    pub fn finish(self) -> Result<Vec<[f64; 3]>> {
        let RowFiles { files, examples, parts, .. } = self.files;
        files.into_iter().try_for_each(MatrixRowFiles::finish)?;
        parts.map_or(Ok(()), PartSums::finish)?;
        examples.map_or_else(|| Ok(Vec::new()), ExampleRows::finish)
    }

    /// Logs the disk space that the files need. Returns an error if there is not enough disk space for the
    /// files of known size, or not enough memory for a matrix row.
    fn require_room(&self, forms: &[MatrixFormat], folder: &Path) -> Result<()> {
        let [rows, columns] = self.shape().map(|n| n as u64);
        let measures = self.measures.len() as u64 + 1;
        let entries = rows.saturating_mul(columns);
        let bytes_of = |form: &MatrixFormat| match form {
            // Each matrix entry is stored once in a temporary file, and once in the final file of each
            // measure.
            MatrixFormat::Npz => entries.saturating_mul(4 + 8 * measures + 12 * measures),
            // The text line of a matrix entry contains the row, the column and the value.
            MatrixFormat::Dot => entries.saturating_mul(20 * measures),
            MatrixFormat::Dconn => entries.saturating_mul(4 * measures),
        };
        let disk = forms.iter().map(bytes_of).fold(0, u64::saturating_add);
        let whole = if forms.contains(&MatrixFormat::Dconn) { "" } else { "up to " };
        tracing::info!(
            "matrix: {rows} rows and {columns} columns; files need {whole}{} on disk",
            show_bytes(disk)
        );
        // Files in the other formats do not contain entries that are 0, so their size is not known in
        // advance.
        let dense = if forms.contains(&MatrixFormat::Dconn) { bytes_of(&MatrixFormat::Dconn) } else { 0 };
        let advice = "give ‘out’ elsewhere, or npz";
        disk::require(dense, folder, "‘matrix_format’", "matrices in CIFTI-2", advice)?;
        if self.seeds.is_none() {
            return Ok(());
        }
        let (work, advice) =
            ("a row of the matrix and where rows begin", "give fewer seeds, or coarser targets");
        memory::require(columns.saturating_mul(20).saturating_add(8 * rows), "‘matrix’", work, advice)
    }
}
