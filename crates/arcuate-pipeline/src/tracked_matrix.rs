//! Matrices that are counted while streamlines are tracked: what is asked for, what counts it, and its files.

use crate::disk;
use crate::example_rows::ExampleRows;
use crate::matrix_counter::MatrixCounter;
use crate::matrix_elements::ElementList;
use crate::memory;
use crate::output_files::{Kind, MOST_REGIONS, OutputFile, Picture};
use crate::part_sums::PartSums;
use crate::regions::RegionFile;
use crate::row_journal::{self, RowJournal, RowShape};
use crate::stages::tracking::names_of_regions;
use arcuate_compute::show_bytes;
use arcuate_connect::{ConnectomeOptions, MetElements, PairCounter, PairMemory, RowCounter, SeedRows};
use arcuate_core::{Axis, ElementKind, Error, MatrixRowSink, Measure, Result};
use arcuate_io::{
    DconnRows, DotRows, JournalPosition, LARGEST_TEXT, MatrixRowFiles, NpzRows, is_image_name, npz_files,
    read_text_file,
};
use arcuate_track::{Mapping, Region, RegionShape, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What joins what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    /// Each seed with all other seeds that its streamlines meet.
    Seeds,
    /// Each seed with the voxels or vertices of masks that its streamlines meet.
    Targets,
    /// Any two voxels or vertices of masks that a streamline meets, wherever it begins.
    Pairs,
    /// Each of several regions, in which streamlines begin, with all others that they pass.
    Network,
}

impl MatrixKind {
    /// Whether each row is of streamlines that begin there.
    pub fn has_rows_of_seeds(self) -> bool {
        self != Self::Pairs
    }

    /// Whether each seed has a row of its own; those of a region share one.
    pub fn has_a_row_for_each_seed(self) -> bool {
        matches!(self, Self::Seeds | Self::Targets)
    }

    /// Whether targets are masks whose elements are counted one by one.
    pub fn takes_targets(self) -> bool {
        matches!(self, Self::Targets | Self::Pairs)
    }
}

/// A form of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixForm {
    /// SciPy's compressed sparse rows, with tables of rows and columns.
    Npz,
    /// FSL's text, with coordinates of rows and columns.
    Dot,
    /// CIFTI-2, every entry.
    Dconn,
}

/// A matrix that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRequest {
    /// What joins what.
    pub kind: MatrixKind,
    /// Masks of columns, and of the rows of pairs.
    pub targets: Vec<RegionFile>,
    /// Masks of the columns of pairs where they are not those of the rows.
    pub target_columns: Vec<RegionFile>,
    /// The regions of a network, in which streamlines begin.
    pub seed_list: Vec<RegionFile>,
    /// The text files that name them.
    pub lists: Vec<PathBuf>,
    /// What is measured beside the count: [`Measure::MeanLength`], [`Measure::Sum`] of `length`.
    pub measures: Vec<Measure>,
    /// The forms of its files.
    pub forms: Vec<MatrixForm>,
}

/// Where streamlines begin.
#[derive(Debug)]
pub struct MatrixSeeds<'a> {
    /// Number and places of the streamlines.
    pub seeds: &'a Seeds,
    /// What the seeds are where each of them is a row; else nothing.
    pub elements: ElementList,
    /// The way of streamlines to their space.
    pub to_elements: Option<&'a Arc<Mapping>>,
    /// Surfaces with vertices among the columns, on which some rows are shown.
    pub shown_on: Vec<PathBuf>,
}

/// How the names of files begin.
const STEM: &str = "matrix";

/// Reads a list of regions: each word is one, or a text file of several, parted by blanks or line ends. The regions, and the text
/// files.
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
                "it names no region",
                "give the files of regions in it",
            ));
        }
        lists.push(word.clone());
    }
    Ok((regions, lists))
}

impl MatrixRequest {
    /// Fails on files that are missing, or that are not for this matrix.
    pub fn check(&self) -> Result<()> {
        let Self { kind, targets, target_columns, seed_list, .. } = self;
        if kind.takes_targets() && targets.is_empty() {
            let problem = "there are no voxels or vertices that streamlines could meet";
            return Err(Error::usage("‘matrix’", problem, "give ‘targets’"));
        }
        if *kind == MatrixKind::Pairs && target_columns.is_empty() && targets.len() > 2 {
            let problem = "of more than two masks it is not said which are rows and which are columns";
            let advice = "give those of columns as ‘target_columns’; the same again for all pairs among them";
            return Err(Error::usage("‘targets’", problem, advice));
        }
        if *kind != MatrixKind::Pairs && !target_columns.is_empty() {
            let problem = "the matrix is none of pairs";
            return Err(Error::usage("‘target_columns’", problem, "leave it out, or ask for pairs"));
        }
        match (kind, names_of_regions(seed_list).len()) {
            (MatrixKind::Network, 0 | 1) => {
                let problem = "a network joins two regions or more";
                Err(Error::usage("‘matrix’", problem, "give them as ‘seed_list’"))
            }
            (MatrixKind::Network, _) => self.require_one_network(),
            (_, 0) => Ok(()),
            _ => {
                let problem = "the matrix is no network";
                Err(Error::usage("‘seed_list’", problem, "leave it out, or ask for a network"))
            }
        }
    }

    fn require_one_network(&self) -> Result<()> {
        if self.forms.contains(&MatrixForm::Dconn) {
            let problem = "regions are no vertices and voxels";
            return Err(Error::usage("‘matrix_format’", problem, "give npz or dot"));
        }
        let inside = self.seed_list.iter().filter_map(RegionFile::surface).find(|part| part.is_inside());
        match inside {
            Some(part) => {
                let problem = "what is inside of a surface has no points that streamlines could begin at";
                Err(Error::usage(part.name(), problem, "give a mask of its voxels, or the surface"))
            }
            None => Ok(()),
        }
    }

    /// All files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let regions = self.region_files().flat_map(RegionFile::files);
        self.lists.iter().map(PathBuf::as_path).chain(regions)
    }

    /// The images of rows and columns.
    pub fn images(&self) -> impl Iterator<Item = &Path> {
        self.region_files().filter_map(RegionFile::image)
    }

    /// Whether rows or columns are of surfaces.
    pub fn has_surfaces(&self) -> bool {
        self.region_files().any(|region| region.surface().is_some())
    }

    fn region_files(&self) -> impl Iterator<Item = &RegionFile> {
        let targets = self.targets.iter().filter(|_| self.kind.takes_targets());
        self.seed_list.iter().chain(targets).chain(&self.target_columns)
    }

    fn measures(&self) -> Vec<Measure> {
        std::iter::once(Measure::Count).chain(self.measures.iter().cloned()).collect()
    }

    /// The masks of rows and columns of pairs; the columns are nothing where they are those of the rows.
    fn pairs(&self) -> (&[RegionFile], Option<&[RegionFile]>) {
        match (&self.targets[..], &self.target_columns[..]) {
            ([a, b], []) => (std::slice::from_ref(a), Some(std::slice::from_ref(b))),
            (rows, []) => (rows, None),
            (rows, columns) => (rows, (rows != columns).then_some(columns)),
        }
    }

    /// The kinds of rows and columns; the columns are nothing where the matrix is symmetric. `seeds` is what seeds are.
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

    /// The files of the matrix; `seeds` is what seeds are.
    pub fn output_files(&self, seeds: ElementKind) -> Vec<OutputFile> {
        let measures = self.measures();
        let (rows, columns) = self.kinds(seeds);
        let mut files = Vec::new();
        for form in &self.forms {
            match form {
                MatrixForm::Npz => {
                    let name = PathBuf::from(format!("{STEM}.npz"));
                    let titles = measures.iter().map(|measure| format!("{}, SciPy", title(measure)));
                    let axes = ["What each row is", "What each column is"].map(str::to_owned);
                    let names = npz_files(&name, &measures, rows, columns).unwrap_or_default();
                    let file = |(n, (name, title)): (usize, (PathBuf, String))| {
                        let picture = measures.get(n).and_then(|measure| self.picture(measure));
                        OutputFile { picture, ..OutputFile::file(name.display().to_string(), title) }
                    };
                    files.extend(names.into_iter().zip(titles.chain(axes)).enumerate().map(file));
                }
                MatrixForm::Dot => {
                    for measure in &measures {
                        let name = format!("{STEM}_{}", measure.word());
                        files.push(OutputFile::file(
                            format!("{name}.dot"),
                            format!("{}, FSL", title(measure)),
                        ));
                        if self.kind == MatrixKind::Network {
                            continue;
                        }
                        files.push(OutputFile::file(format!("coords_for_{name}"), "Where each row is"));
                        if self.kind != MatrixKind::Seeds && columns.is_some() {
                            let of_columns = format!("tract_space_coords_for_{name}");
                            files.push(OutputFile::file(of_columns, "Where each column is"));
                        }
                    }
                }
                MatrixForm::Dconn => files.extend(measures.iter().map(|measure| {
                    let name = format!("{STEM}_{}.dconn.nii", measure.word());
                    OutputFile::file(name, format!("{}, CIFTI-2", title(measure)))
                })),
            }
        }
        files
    }

    /// How the report shows a measure of a network, whose regions are few.
    fn picture(&self, measure: &Measure) -> Option<Picture> {
        if self.kind != MatrixKind::Network || names_of_regions(&self.seed_list).len() > MOST_REGIONS {
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

    /// Where the streamlines of a network begin, in mm, and the region of each of these places.
    pub fn network_seeds(&self) -> Result<(Vec<[f64; 3]>, Vec<u32>)> {
        let (mut places, mut rows) = (Vec::new(), Vec::new());
        let each = self.seed_list.iter().flat_map(RegionFile::each);
        for (row, region) in (0..).zip(each) {
            places.extend(ElementList::of_files(std::slice::from_ref(&region))?.places(0.0));
            rows.resize(places.len(), row);
        }
        Ok((places, rows))
    }

    /// Everything ready to be counted by streamlines of steps of `step_mm`, from whose space `to_masks` leads to that of masks and
    /// surfaces, into files in `folder`. Says what memory and disk it takes.
    ///
    /// Fails where files cannot be read, on seeds that are no rows, and where there is no memory.
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
        // Of rows, and of columns where they are others, for CIFTI-2.
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

    /// The regions of a network, each of them one element.
    fn regions(&self, to_masks: Option<&Arc<Mapping>>) -> Result<MetElements> {
        let mut met = MetElements::new(to_masks.cloned());
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

    /// The files, begun.
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
        // FSL has one file of coordinates where columns are the rows.
        let others = columns.clone().filter(|_| self.kind != MatrixKind::Seeds);
        let mut files: Vec<Box<dyn MatrixRowFiles>> = Vec::new();
        for form in &self.forms {
            files.push(match form {
                MatrixForm::Npz => {
                    let out = folder.join(format!("{STEM}.npz"));
                    Box::new(NpzRows::create(&out, rows.clone(), columns.clone(), &measures)?)
                }
                MatrixForm::Dot => {
                    Box::new(DotRows::create(of_measures("dot"), rows.clone(), others.clone())?)
                }
                MatrixForm::Dconn => {
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

/// How many streamlines in a row begin at one seed.
fn each(seeds: &Seeds) -> Result<u64> {
    match seeds {
        Seeds::Voxels { each, .. } | Seeds::Points { each, .. } => Ok(u64::from(*each)),
        _ => {
            let problem = "its rows are seeds, and streamlines begin anywhere in the mask";
            Err(Error::usage("‘matrix’", problem, "give ‘per_seed’ instead of a number of seeds"))
        }
    }
}

/// A matrix that is going to be counted.
pub struct MatrixPlan {
    rows: Axis,
    /// Nothing where it is symmetric.
    columns: Option<Axis>,
    /// The elements of columns; of pairs those of rows, and of columns where they are others.
    met: Vec<MetElements>,
    /// Nothing of pairs.
    seeds: Option<SeedRows>,
    is_square: bool,
    measures: Vec<Measure>,
    step_mm: f64,
    folder: PathBuf,
    files: RowFiles,
}

/// Files that take the same rows.
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
    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.columns.as_ref().unwrap_or(&self.rows).len()]
    }

    /// How many streamlines begin at each seed, of which each is a row.
    pub(crate) fn each(&self) -> u64 {
        self.seeds.as_ref().map_or(0, |seeds| seeds.each)
    }

    /// Whether each row is of streamlines that begin there.
    pub(crate) fn has_rows_of_seeds(&self) -> bool {
        self.seeds.is_some()
    }

    /// The least number of a streamline from `streamline` on with which a row begins, where rows are of streamlines.
    pub(crate) fn cut(&self, streamline: u64) -> u64 {
        self.seeds.as_ref().map_or(streamline, |seeds| seeds.row_from(streamline))
    }

    /// Passes on all rows of a complete file that [keeps](Self::keep_rows) them; answers the number of their entries. `remedy` is what
    /// the user should do if the file is damaged.
    ///
    /// Fails if the file was changed, or does not hold rows of this matrix.
    pub(crate) fn take_rows(&mut self, path: &Path, remedy: &str) -> Result<u64> {
        let shape = self.row_shape();
        row_journal::replay(path, shape, &mut self.files, remedy)
    }

    fn row_shape(&self) -> RowShape {
        let [rows, columns] = self.shape();
        RowShape { rows, columns, measures: self.measures.len() + 1 }
    }

    /// Keeps rows in a file as they come, after those up to a saved place. `remedy` is what the user should do if the file is damaged.
    ///
    /// Fails if the saved rows were changed, or are not of this matrix.
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

    /// What counts it.
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

    /// Makes the files complete. The places in mm of the rows that are shown on surfaces.
    pub fn finish(self) -> Result<Vec<[f64; 3]>> {
        let RowFiles { files, examples, parts, .. } = self.files;
        files.into_iter().try_for_each(MatrixRowFiles::finish)?;
        parts.map_or(Ok(()), PartSums::finish)?;
        examples.map_or_else(|| Ok(Vec::new()), ExampleRows::finish)
    }

    /// Says what it takes of memory and disk, and fails where there is none for what is known to be written.
    fn require_room(&self, forms: &[MatrixForm], folder: &Path) -> Result<()> {
        let [rows, columns] = self.shape().map(|n| n as u64);
        let measures = self.measures.len() as u64 + 1;
        let entries = rows.saturating_mul(columns);
        let bytes_of = |form: &MatrixForm| match form {
            // Once in waiting, once in each of the files.
            MatrixForm::Npz => entries.saturating_mul(4 + 8 * measures + 12 * measures),
            // A line: two places and a number.
            MatrixForm::Dot => entries.saturating_mul(20 * measures),
            MatrixForm::Dconn => entries.saturating_mul(4 * measures),
        };
        let disk = forms.iter().map(bytes_of).fold(0, u64::saturating_add);
        let whole = if forms.contains(&MatrixForm::Dconn) { "" } else { "up to " };
        tracing::info!(
            "matrix: {rows} rows and {columns} columns; files take {whole}{} of the disk, as far as entries are not 0",
            show_bytes(disk)
        );
        // Of other forms nobody knows how many entries will be 0.
        let dense = if forms.contains(&MatrixForm::Dconn) { bytes_of(&MatrixForm::Dconn) } else { 0 };
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
