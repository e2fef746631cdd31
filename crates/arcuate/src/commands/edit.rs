use super::track::{RegionArgs, region_files};
use crate::grammar::Grammar;
use crate::meanings;
use crate::numbers::not_negative;
use crate::output::require_file;
use crate::space::image_grid;
use arcuate_connect::{Criteria, Filter, Selection};
use arcuate_core::{
    Error, Grid, Point, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, printable,
};
use arcuate_io::{
    DataDescription, Space, TractogramFormat, TractogramReader, TractogramWriter, read_tractogram_grid,
    read_weights, write_weights,
};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::stages::tracking::name_of_region;
use arcuate_track::{Constraints, PlacedConstraints, RegionTest, StreamlineCut};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Select, cut or join streamlines of tractograms
///
/// Keeps the streamlines that meet the conditions of all options. They keep their order, and the inputs are
/// joined one after the other. The groups and the data of .trx and .trk files stay with their streamlines.
/// --stop and --stop-on-exit first cut the streamlines; the other options test the cut streamlines.
#[derive(Debug, Args)]
pub(crate) struct Edit {
    #[arg(help = meanings::TRACTOGRAMS, value_name = "TRACKS", required = true)]
    tractograms: Vec<PathBuf>,
    /// Output: tractogram (.tck, .trk, .trx, .tck.gz or .trk.gz)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::REFERENCE,
        long_help = meanings::with(
            meanings::REFERENCE,
            "This image is used if a tractogram is a .trk or .trx file. [default: the space of the first \
             input file that states one]"
        ),
        value_name = "IMAGE"
    )]
    reference: Option<PathBuf>,
    /// Number of selected streamlines to skip, from the first one
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    #[arg(long, help = meanings::SELECT, value_name = "N")]
    select: Option<u64>,
    #[command(flatten)]
    regions: EditedRegions,
    #[command(flatten)]
    bounds: BoundArgs,
}

/// Regions that streamlines meet that are there already.
#[derive(Debug, Clone, Args)]
struct EditedRegions {
    #[command(flatten)]
    constraints: RegionArgs,
    #[arg(
        long,
        help = meanings::TARGETS,
        long_help = meanings::with(
            meanings::TARGETS,
            "Prints the number of streamlines that pass each target region. If the output is a .trx file, it \
             also gets a group of streamlines for each target."
        ),
        value_name = "FILES",
        value_delimiter = ',',
        value_parser = region_files()
    )]
    targets: Vec<RegionFile>,
    /// Part of a streamline that is tested against --waypoints, --avoid and --targets
    ///
    /// The options --stop and --stop-on-exit always test the points of the streamline. [default: line]
    #[arg(long, value_enum)]
    region_test: Option<RegionTestArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RegionTestArg {
    /// Test all voxels that the line through the points of the streamline passes
    Line,
    /// Test the voxels that contain a point of the streamline
    Points,
    /// Test the voxels that contain one of the two ends of the streamline
    Ends,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Lengths and weights")]
struct BoundArgs {
    #[arg(
        long,
        help = meanings::MIN_LENGTH,
        long_help = meanings::with(
            meanings::MIN_LENGTH,
            "Shorter streamlines are removed. Without this option, streamlines of any length are kept."
        ),
        value_name = "MM",
        value_parser = not_negative,
        allow_negative_numbers = true
    )]
    min_length: Option<f64>,
    #[arg(
        long,
        help = meanings::MAX_LENGTH,
        long_help = meanings::with(
            meanings::MAX_LENGTH,
            "Longer streamlines are removed. Without this option, streamlines of any length are kept."
        ),
        value_name = "MM",
        value_parser = not_negative,
        allow_negative_numbers = true
    )]
    max_length: Option<f64>,
    #[arg(
        long,
        help = meanings::WEIGHTS,
        long_help = meanings::with(
            meanings::WEIGHTS,
            "The weights have the order of the streamlines in all input files, one file after the other."
        ),
        value_name = "FILE"
    )]
    weights: Option<PathBuf>,
    /// Smallest weight (in --weights) of a streamline to keep
    #[arg(long, value_name = "WEIGHT", requires = "weights", allow_negative_numbers = true)]
    min_weight: Option<f64>,
    /// Largest weight (in --weights) of a streamline to keep
    #[arg(long, value_name = "WEIGHT", requires = "weights", allow_negative_numbers = true)]
    max_weight: Option<f64>,
    /// Write the weights of the kept streamlines to this text file
    #[arg(long, value_name = "FILE", requires = "weights")]
    weights_out: Option<PathBuf>,
}

impl Edit {
    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        let inputs = self.inputs();
        for path in std::iter::once(&self.out).chain(&self.bounds.weights_out) {
            require_file(path, &inputs, job)?;
        }
        self.require_effect()?;
        if let Some(weights) = &self.bounds.weights {
            job.came_from("streamline weights", &weights.display());
        }
        let constraints = self.regions.constraints.resolve(None, &self.regions.targets)?;
        let reference = self.reference.as_deref().map(image_grid).transpose()?;
        let region = first_grid(&constraints);
        let space = match (&reference, &region) {
            (Some(grid), _) => Space::Stated(grid),
            (None, Some(grid)) => Space::Likely(grid),
            (None, None) => Space::Unknown,
        };
        let mut selection = Selection::new(self.criteria()?)?;
        let (constraints, test) = (constraints.place()?, self.regions.test());
        let fits = |line: &[Point]| constraints.fit(line, test);
        let grid = reference.map_or_else(|| self.grid(), |grid| Ok(Some(grid)))?;
        let options = job.tractogram_options();
        job.step("edit", || {
            let mut readers = self.readers(space)?;
            let data = self.common_data(&readers)?;
            let keeps_data = TractogramFormat::of(&self.out)? != TractogramFormat::Tck;
            let mut writer = TractogramWriter::create(&self.out, grid.as_ref(), &options)?;
            let mut reached = Reached::new(&constraints, test, &mut writer);
            let (mut groups, mut left_out, mut cut) = (StreamlineGroups::default(), Vec::new(), 0);
            for (path, mut reader) in self.tractograms.iter().zip(readers.drain(..)) {
                let own = if keeps_data { reader.read_groups()? } else { StreamlineGroups::default() };
                self.require_new_groups(&own, path)?;
                let before = selection.kept();
                let mut filter = Filter::new(&mut selection, &mut reached).only(&fits);
                let mut shortened = StreamlineCut::new(&constraints, &mut filter);
                reader.stream_with(&data, &mut shortened)?;
                cut += shortened.into_parts().0;
                let kept = own.of(&filter.finish());
                groups.append(kept, before, &mut left_out).map_err(|e| e.about(path.display()))?;
            }
            let reached = self.regions.names().zip(reached.members).collect::<Vec<_>>();
            self.warn_of_dropped("not all inputs have the same: dropped:", left_out, "");
            let (seen, kept) = (selection.seen(), selection.kept());
            // This is an error if the number of weights differs from the number of streamlines. No file is
            // written then.
            let weights = selection.finish()?;
            let counts: Vec<_> = reached.iter().map(|(name, all)| (name.clone(), all.len())).collect();
            if TractogramFormat::of(&self.out)? == TractogramFormat::Trx {
                groups.members.extend(reached);
            }
            writer.finish_with_groups(&groups)?;
            if let Some(path) = &self.bounds.weights_out {
                write_weights(path, &weights, &[])?;
            }
            if kept == 0 && seen > 0 {
                tracing::warn!("no streamline matches all options; {} is empty", self.out.display());
            }
            let ends = if constraints.cut_lines() { format!("; {cut} cut") } else { String::new() };
            job.show_message(format_args!("{kept} of {seen} streamlines kept{ends}"));
            for (name, count) in counts {
                job.show_message(format_args!("{count} of them meet {name}"));
            }
            Ok(())
        })
    }

    /// Returns all input files.
    fn inputs(&self) -> Vec<PathBuf> {
        let EditedRegions { constraints, targets, .. } = &self.regions;
        let regions = constraints.files().chain(targets).flat_map(RegionFile::files).map(Path::to_owned);
        let several = self.tractograms.iter().chain(&self.bounds.weights).chain(&self.reference).cloned();
        several.chain(regions).collect()
    }

    /// Returns an error if an option has no effect.
    fn require_effect(&self) -> Result<()> {
        self.regions.check()?;
        let BoundArgs { weights, min_weight, max_weight, weights_out, .. } = &self.bounds;
        if weights.is_some() && min_weight.is_none() && max_weight.is_none() && weights_out.is_none() {
            let problem = "the weights have no effect";
            let advice = "give --min-weight, --max-weight or --weights-out, or remove --weights";
            return Err(Error::usage("--weights", problem, advice));
        }
        if self.reference.is_some()
            && TractogramFormat::of(&self.out)? == TractogramFormat::Tck
            && !self
                .tractograms
                .iter()
                .map(|path| Ok(TractogramReader::open(path)?.lacks_its_place()))
                .collect::<Result<Vec<_>>>()?
                .contains(&true)
        {
            let problem = "a .tck does not store the image of its space";
            return Err(Error::usage("--reference", problem, "remove this option, or write .trk or .trx"));
        }
        Ok(())
    }

    fn criteria(&self) -> Result<Criteria> {
        Ok(Criteria {
            min_length_mm: self.bounds.min_length,
            max_length_mm: self.bounds.max_length,
            weights: self.bounds.weights.as_deref().map(read_weights).transpose()?,
            min_weight: self.bounds.min_weight,
            max_weight: self.bounds.max_weight,
            skip: self.skip,
            select: self.select,
        })
    }

    /// Returns an error if an input already has a group with the name of a target.
    fn require_new_groups(&self, groups: &StreamlineGroups, path: &Path) -> Result<()> {
        match self.regions.names().find(|name| groups.members.contains_key(name)) {
            Some(name) => {
                let problem =
                    format!("the tractogram already has a group with the name of the target `{name}`");
                Err(Error::invalid(path.display(), problem, "give the target's file another name"))
            }
            None => Ok(()),
        }
    }

    /// Returns the grid of the first input that has one, as the reference image of the result if none is
    /// given.
    fn grid(&self) -> Result<Option<Grid>> {
        for path in &self.tractograms {
            if let Some(grid) = read_tractogram_grid(path)? {
                return Ok(Some(grid));
            }
        }
        Ok(None)
    }

    fn readers(&self, space: Space<'_>) -> Result<Vec<TractogramReader>> {
        self.tractograms.iter().map(|path| TractogramReader::open_in(path, space)).collect()
    }

    /// Returns the data that all inputs have with equal name, width and type. Warns of data that are dropped.
    fn common_data(&self, readers: &[TractogramReader]) -> Result<Vec<DataDescription>> {
        if TractogramFormat::of(&self.out)? == TractogramFormat::Tck {
            let names = readers.iter().flat_map(TractogramReader::data_names).collect();
            let why = "a .tck stores only positions, so these data are not written:";
            self.warn_of_dropped(why, names, " (write .trx to keep them)");
            return Ok(Vec::new());
        }
        let all: Vec<Vec<DataDescription>> = readers.iter().map(TractogramReader::data).collect();
        let is_common = |data: &DataDescription| all.iter().all(|of_one| of_one.contains(data));
        let different = all.iter().flatten().filter(|data| !is_common(data)).map(|data| data.name.clone());
        self.warn_of_dropped("not all inputs have the same: dropped:", different.collect(), "");
        Ok(all
            .iter()
            .flatten()
            .take(all.first().map_or(0, Vec::len))
            .filter(|data| is_common(data))
            .cloned()
            .collect())
    }

    fn warn_of_dropped(&self, why: &str, mut names: Vec<String>, advice: &str) {
        if names.is_empty() {
            return;
        }
        names.sort_unstable();
        names.dedup();
        tracing::warn!("{}: {why} {}{advice}", self.out.display(), printable(&names.join(", "), 500));
    }
}

impl EditedRegions {
    /// Returns an error if an option has no effect, or if several targets would form one group.
    fn check(&self) -> Result<()> {
        self.constraints.check()?;
        let RegionArgs { waypoints, avoid, .. } = &self.constraints;
        if self.region_test.is_some() && [waypoints, avoid, &self.targets].iter().all(|list| list.is_empty())
        {
            let problem = "there is no region to meet";
            let advice = "give one with --waypoints, --avoid or --targets";
            return Err(Error::usage("--region-test", problem, advice));
        }
        let mut names: Vec<String> = self.names().collect();
        names.sort();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let problem = format!("two targets are called `{}`", pair[0]);
                Err(Error::usage("--targets", problem, "give the files different names"))
            }
            None => Ok(()),
        }
    }

    fn test(&self) -> RegionTest {
        match self.region_test {
            None | Some(RegionTestArg::Line) => RegionTest::Line,
            Some(RegionTestArg::Points) => RegionTest::Points,
            Some(RegionTestArg::Ends) => RegionTest::Ends,
        }
    }

    /// Returns the names of the targets.
    fn names(&self) -> impl Iterator<Item = String> {
        self.targets.iter().flat_map(RegionFile::each).map(|region| name_of_region(&region))
    }
}

/// Returns the grid of the first region that has one.
fn first_grid(constraints: &Constraints) -> Option<Grid> {
    let Constraints { waypoints, avoid, stop, stop_on_exit, targets, .. } = constraints;
    let mut all = [waypoints, avoid, stop, stop_on_exit, targets].into_iter().flatten();
    all.find_map(|region| region.mask().map(|mask| *mask.grid()))
}

/// Records which streamlines pass which targets, and forwards the streamlines.
struct Reached<'a> {
    constraints: &'a PlacedConstraints,
    test: RegionTest,
    sink: &'a mut TractogramWriter,
    seen: u64,
    /// Numbers of the streamlines that pass each target.
    members: Vec<Vec<u32>>,
}

impl<'a> Reached<'a> {
    fn new(constraints: &'a PlacedConstraints, test: RegionTest, sink: &'a mut TractogramWriter) -> Self {
        let members = vec![Vec::new(); constraints.targets()];
        Self { constraints, test, sink, seen: 0, members }
    }
}

impl StreamlineSink for Reached<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if !self.members.is_empty() {
            for (number, line) in (self.seen..).zip(batch.iter()) {
                let number = u32::try_from(number).map_err(|_| {
                    let problem = format!("streamline number {number} is too large for a group");
                    Error::usage("--targets", problem, "keep fewer streamlines, or remove this option")
                })?;
                let met = self.constraints.targets_met(line, self.test);
                let reached = self.members.iter_mut().zip(met).filter(|(_, met)| *met);
                reached.for_each(|(members, _)| members.push(number));
            }
        }
        self.seen += batch.len() as u64;
        self.sink.take(batch)
    }
}
