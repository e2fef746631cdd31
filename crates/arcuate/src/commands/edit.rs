use crate::context::Context;
use crate::numbers::not_negative;
use crate::output::require_file;
use crate::space::image_grid;
use crate::weights::about_weights;
use arcuate_connect::{Criteria, Filter, RegionTest, Selection};
use arcuate_core::{Error, Grid, Mask, Result, Tractogram, printable};
use arcuate_io::{
    Space, TractogramFormat, TractogramWriter, lacks_its_place, read_mask, read_tractogram_grid,
    read_tractogram_in, read_weights, stream_tractogram_in, tractogram_data_names, write_tractogram,
    write_weights,
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
            let finish: Box<dyn FnOnce() -> Result<()>> = if self.keeps_data()? {
                let joined = self.select_whole(space, &mut selection).map_err(about_weights)?;
                let (out, options) = (&self.out, &options);
                Box::new(move || write_tractogram(out, &joined, grid.as_ref(), options))
            } else {
                let mut writer = TractogramWriter::create(&self.out, grid.as_ref(), &options)?;
                for path in &self.tractograms {
                    stream_tractogram_in(path, space, &mut Filter::new(&mut selection, &mut writer))
                        .map_err(about_weights)?;
                }
                Box::new(|| writer.finish())
            };
            let (seen, kept) = (selection.seen(), selection.kept());
            // Nothing is written of what does not fit its weights.
            let weights = selection.finish().map_err(about_weights)?;
            finish()?;
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
                .map(|path| lacks_its_place(path))
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

    /// Whether there are data beside the positions, and room for them in the result. Says what is dropped where there is
    /// none.
    fn keeps_data(&self) -> Result<bool> {
        let mut names = Vec::new();
        for path in &self.tractograms {
            names.extend(tractogram_data_names(path)?);
        }
        if names.is_empty() || TractogramFormat::of(&self.out)? != TractogramFormat::Tck {
            return Ok(!names.is_empty());
        }
        names.sort_unstable();
        names.dedup();
        tracing::warn!(
            "{}: .tck holds positions alone; dropped: {} (write .trx to keep everything)",
            self.out.display(),
            printable(&names.join(", "), 500)
        );
        Ok(false)
    }

    /// The streamlines that are kept, with their data.
    fn select_whole(&self, space: Space<'_>, selection: &mut Selection) -> Result<Tractogram> {
        let mut parts = Vec::new();
        for path in &self.tractograms {
            let tractogram = read_tractogram_in(path, space)?.tractogram;
            tractogram.check().map_err(|e| e.about(path.display()))?;
            let kept = selection.next(tractogram.as_batch())?;
            parts.push(if kept.len() == tractogram.len() { tractogram } else { tractogram.select(&kept) });
        }
        let (joined, left_out) = Tractogram::join(parts)?;
        if !left_out.is_empty() {
            tracing::warn!(
                "{}: not all inputs have the same: dropped: {}",
                self.out.display(),
                printable(&left_out.join(", "), 500)
            );
        }
        Ok(joined)
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
