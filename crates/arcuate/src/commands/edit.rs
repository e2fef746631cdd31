use crate::context::Context;
use crate::numbers::not_negative;
use crate::output::require_file;
use crate::space::image_grid;
use crate::weights::about_weights;
use arcuate_connect::{Criteria, Filter, RegionTest, Selection};
use arcuate_core::{Error, Grid, Mask, Result, StreamlineGroups, printable};
use arcuate_io::{
    DataDescription, Space, TractogramFormat, TractogramReader, TractogramWriter, read_mask,
    read_tractogram_grid, read_weights, write_weights,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Keep some streamlines of a tractogram, or join several
///
/// Streamlines that fit every option are kept, in their order; of several tractograms one after the other. Groups and
/// data of .trx and .trk files stay with the streamlines that are kept.
#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// Tractograms
    #[arg(value_name = "TRACKS", required = true)]
    tractograms: Vec<PathBuf>,
    /// Tractogram to write (.tck, .trk, .trx)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Image whose space a .trk or .trx refers to; by default that of the first input that names one
    #[arg(long, value_name = "IMAGE")]
    reference: Option<PathBuf>,
    /// Leave out the first so many that fit
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Keep only the first so many that fit and are not left out
    #[arg(long, value_name = "N")]
    select: Option<u64>,
    #[command(flatten)]
    regions: RegionArgs,
    #[command(flatten)]
    bounds: BoundArgs,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Regions")]
struct RegionArgs {
    /// Mask of a region that streamlines must meet; repeat for several, all of which they must meet
    #[arg(long, value_name = "IMAGE")]
    include: Vec<PathBuf>,
    /// Mask of a region that streamlines must not meet; repeat for several
    #[arg(long, value_name = "IMAGE")]
    exclude: Vec<PathBuf>,
    /// What of a streamline meets a region; line by default
    #[arg(long, value_enum)]
    region_test: Option<RegionTestArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RegionTestArg {
    /// Every voxel that its line passes
    Line,
    /// The voxels of its points
    Points,
    /// The voxels of its two ends
    Ends,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Lengths and weights")]
struct BoundArgs {
    /// Shortest streamline kept, in mm
    #[arg(long, value_name = "MM", value_parser = not_negative, allow_negative_numbers = true)]
    min_length: Option<f64>,
    /// Longest streamline kept, in mm
    #[arg(long, value_name = "MM", value_parser = not_negative, allow_negative_numbers = true)]
    max_length: Option<f64>,
    /// Weights, one number per streamline of all inputs
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Smallest weight kept
    #[arg(long, value_name = "WEIGHT", requires = "weights", allow_negative_numbers = true)]
    min_weight: Option<f64>,
    /// Largest weight kept
    #[arg(long, value_name = "WEIGHT", requires = "weights", allow_negative_numbers = true)]
    max_weight: Option<f64>,
    /// Write the weights of the streamlines kept
    #[arg(long, value_name = "FILE", requires = "weights")]
    weights_out: Option<PathBuf>,
}

impl Edit {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let inputs = self.inputs();
        for path in std::iter::once(&self.out).chain(&self.bounds.weights_out) {
            require_file(path, &inputs, context)?;
        }
        self.require_effect()?;
        let about_weights = about_weights(self.bounds.weights.as_deref());
        let criteria = self.criteria()?;
        let reference = self.reference.as_deref().map(image_grid).transpose()?;
        let region = criteria.include.iter().chain(&criteria.exclude).map(|region| *region.grid()).next();
        let space = match (&reference, &region) {
            (Some(grid), _) => Space::Stated(grid),
            (None, Some(grid)) => Space::Likely(grid),
            (None, None) => Space::Unknown,
        };
        let mut selection = Selection::new(criteria).map_err(about_weights)?;
        let grid = reference.map_or_else(|| self.grid(), |grid| Ok(Some(grid)))?;
        let options = context.tractogram_options();
        context.step("edit", |_| {
            let mut readers = self.readers(space)?;
            let data = self.common_data(&readers)?;
            let keeps_data = TractogramFormat::of(&self.out)? != TractogramFormat::Tck;
            let mut writer = TractogramWriter::create(&self.out, grid.as_ref(), &options)?;
            let (mut groups, mut left_out) = (StreamlineGroups::default(), Vec::new());
            for (path, mut reader) in self.tractograms.iter().zip(readers.drain(..)) {
                let own = if keeps_data { reader.read_groups()? } else { StreamlineGroups::default() };
                let before = selection.kept();
                let mut filter = Filter::new(&mut selection, &mut writer);
                reader.stream_with(&data, &mut filter).map_err(about_weights)?;
                let kept = own.of(&filter.finish());
                groups.append(kept, before, &mut left_out).map_err(|e| e.about(path.display()))?;
            }
            self.warn_of_dropped("not all inputs have the same:", left_out, "");
            let (seen, kept) = (selection.seen(), selection.kept());
            // Nothing is written of what does not fit its weights.
            let weights = selection.finish().map_err(about_weights)?;
            writer.finish_with_groups(&groups)?;
            if let Some(path) = &self.bounds.weights_out {
                write_weights(path, &weights, &[])?;
            }
            if kept == 0 && seen > 0 {
                tracing::warn!("no streamline fits; {} holds none", self.out.display());
            }
            context.say(format_args!("{kept} of {seen} streamlines kept"));
            Ok(())
        })
    }

    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let RegionArgs { include, exclude, .. } = &self.regions;
        let several = self.tractograms.iter().chain(include).chain(exclude);
        several.chain(&self.bounds.weights).chain(&self.reference).cloned().collect()
    }

    /// Fails on options that would change nothing.
    fn require_effect(&self) -> Result<()> {
        let RegionArgs { include, exclude, region_test } = &self.regions;
        if region_test.is_some() && include.is_empty() && exclude.is_empty() {
            let problem = "there is no region to meet";
            return Err(Error::usage("--region-test", problem, "give one with --include or --exclude"));
        }
        let BoundArgs { weights, min_weight, max_weight, weights_out, .. } = &self.bounds;
        if weights.is_some() && min_weight.is_none() && max_weight.is_none() && weights_out.is_none() {
            let problem = "nothing is done with them";
            let advice = "give --min-weight, --max-weight or --weights-out, or leave them out";
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
            let problem = "a .tck does not say which image it refers to";
            return Err(Error::usage("--reference", problem, "leave it out, or write .trk or .trx"));
        }
        Ok(())
    }

    fn criteria(&self) -> Result<Criteria> {
        let regions = |paths: &[PathBuf]| paths.iter().map(|path| read_region(path)).collect::<Result<_>>();
        Ok(Criteria {
            include: regions(&self.regions.include)?,
            exclude: regions(&self.regions.exclude)?,
            region_test: match self.regions.region_test {
                None | Some(RegionTestArg::Line) => RegionTest::Line,
                Some(RegionTestArg::Points) => RegionTest::Points,
                Some(RegionTestArg::Ends) => RegionTest::Ends,
            },
            min_length_mm: self.bounds.min_length,
            max_length_mm: self.bounds.max_length,
            weights: self.bounds.weights.as_deref().map(read_weights).transpose()?,
            min_weight: self.bounds.min_weight,
            max_weight: self.bounds.max_weight,
            skip: self.skip,
            select: self.select,
        })
    }

    /// The image that the result refers to, where none is given.
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

    /// The data that all inputs have alike, in name, width and type; says which are left out, all of them where the result
    /// has no room for any.
    fn common_data(&self, readers: &[TractogramReader]) -> Result<Vec<DataDescription>> {
        if TractogramFormat::of(&self.out)? == TractogramFormat::Tck {
            let names = readers.iter().flat_map(TractogramReader::data_names).collect();
            self.warn_of_dropped(".tck holds positions alone;", names, " (write .trx to keep everything)");
            return Ok(Vec::new());
        }
        let all: Vec<Vec<DataDescription>> = readers.iter().map(TractogramReader::data).collect();
        let is_common = |data: &DataDescription| all.iter().all(|of_one| of_one.contains(data));
        let different = all.iter().flatten().filter(|data| !is_common(data)).map(|data| data.name.clone());
        self.warn_of_dropped("not all inputs have the same:", different.collect(), "");
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
        tracing::warn!(
            "{}: {why} dropped: {}{advice}",
            self.out.display(),
            printable(&names.join(", "), 500)
        );
    }
}

/// Reads a region; fails on one without a voxel.
fn read_region(path: &Path) -> Result<Mask> {
    let region = read_mask(path)?;
    if region.count() == 0 {
        let problem = "no voxel is inside";
        return Err(Error::invalid(path.display(), problem, "give an image that is 1 in the region"));
    }
    Ok(region)
}
