//! The options of regions, the same for all that follows streamlines or edits them.

use arcuate_core::{Error, Result};
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::regions::RegionFile;
use arcuate_track::{Constraints, JudgedBy, Mapping, WaypointCondition};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// The heading of their options.
const REGIONS: &str = "Regions (masks; labels as FILE:7 or FILE:1-35; surfaces as FILE, FILE:inside, FILE:around:FILE or \
                       FILE:LABELS:NAME; several with commas, or the option again)";

/// Regions that streamlines must or may not pass, and end in.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = REGIONS)]
pub(crate) struct RegionArgs {
    /// Keep streamlines that pass these
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) waypoints: Vec<RegionFile>,
    /// How many of the waypoints must be passed
    #[arg(long, value_enum, default_value_t = ConditionArg::All)]
    waypoint_condition: ConditionArg,
    /// Waypoints must be passed in the order given
    #[arg(long)]
    waypoints_in_order: bool,
    /// Reject streamlines that enter these
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) avoid: Vec<RegionFile>,
    /// End streamlines at their first point in these
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) stop: Vec<RegionFile>,
    /// End streamlines where they leave these again; those that begin inside first leave freely
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) stop_on_exit: Vec<RegionFile>,
}

/// The same of streamlines that are followed, whose halves are known.
#[derive(Debug, Clone, Args)]
pub(super) struct ConstraintArgs {
    #[command(flatten)]
    pub(super) regions: RegionArgs,
    /// One half of the streamline must pass the waypoints by itself, not both together
    #[arg(long)]
    waypoints_one_way: bool,
    /// What --avoid and --waypoints reject: halves of streamlines from the seed on, each by itself (probtrackx2), or whole ones
    /// (tckgen). Half by default for samples, peaks and bootstrap, whole for tensor and geodesic
    #[arg(long, value_enum)]
    judged_by: Option<JudgedByArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ConditionArg {
    All,
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum JudgedByArg {
    Half,
    Whole,
}

impl RegionArgs {
    /// The files, as they are given.
    pub(crate) fn files(&self) -> impl Iterator<Item = &RegionFile> {
        let Self { waypoints, avoid, stop, stop_on_exit, .. } = self;
        [waypoints, avoid, stop, stop_on_exit].into_iter().flatten()
    }

    /// Fails on options that would change nothing.
    pub(crate) fn check(&self) -> Result<()> {
        let any = self.waypoint_condition == ConditionArg::Any;
        self.require_waypoints("--waypoint-condition", any)?;
        self.require_waypoints("--waypoints-in-order", self.waypoints_in_order)?;
        if any && self.waypoints_in_order {
            let problem = "where any waypoint is enough, it changes nothing";
            return Err(Error::usage("--waypoints-in-order", problem, "leave it out, or have all passed"));
        }
        Ok(())
    }

    fn require_waypoints(&self, option: &str, given: bool) -> Result<()> {
        if given && self.waypoints.is_empty() {
            return Err(Error::usage(option, "there are no waypoints", "give --waypoints, or leave it out"));
        }
        Ok(())
    }

    /// The constraints, of regions to which `mapping` leads.
    pub(crate) fn resolve(
        &self,
        mapping: Option<&Arc<Mapping>>,
        targets: &[RegionFile],
    ) -> Result<Constraints> {
        self.files_with(targets).resolve(mapping)
    }

    /// The same in their files, for the library.
    fn files_with(&self, targets: &[RegionFile]) -> ConstraintFiles {
        ConstraintFiles {
            avoid: self.avoid.clone(),
            stop: self.stop.clone(),
            stop_on_exit: self.stop_on_exit.clone(),
            waypoints: self.waypoints.clone(),
            condition: match self.waypoint_condition {
                ConditionArg::All => WaypointCondition::All,
                ConditionArg::Any => WaypointCondition::Any,
            },
            in_order: self.waypoints_in_order,
            targets: targets.to_vec(),
            ..ConstraintFiles::default()
        }
    }
}

impl ConstraintArgs {
    /// Fails on options that would change nothing.
    pub(super) fn check(&self) -> Result<()> {
        self.regions.check()?;
        self.regions.require_waypoints("--waypoints-one-way", self.waypoints_one_way)?;
        if self.judged_by.is_some() && self.regions.waypoints.is_empty() && self.regions.avoid.is_empty() {
            let problem = "nothing is rejected by regions";
            return Err(Error::usage("--judged-by", problem, "give --waypoints or --avoid, or leave it out"));
        }
        Ok(())
    }

    /// The constraints for the library. `default` says what is judged, unless options do: some are said of halves.
    pub(super) fn files_with(&self, targets: &[RegionFile], default: JudgedBy) -> ConstraintFiles {
        let of_halves = self.regions.waypoints_in_order || self.waypoints_one_way;
        ConstraintFiles {
            one_way: self.waypoints_one_way,
            judged_by: match self.judged_by {
                Some(JudgedByArg::Half) => JudgedBy::Half,
                Some(JudgedByArg::Whole) => JudgedBy::Whole,
                None if of_halves => JudgedBy::Half,
                None => default,
            },
            ..self.regions.files_with(targets)
        }
    }
}

/// Regions that are only noted.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = REGIONS)]
pub(super) struct TargetArgs {
    /// Target regions; how many streamlines pass each, in a folder of results also of each seed
    /// (seeds_to_NAME.nii.gz; at vertices .shape.gii, of --seed-cifti .dscalar.nii, of --seed-points .tsv)
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    targets: Vec<RegionFile>,
}

impl TargetArgs {
    /// The files, as they are given.
    pub(super) fn files(&self) -> &[RegionFile] {
        &self.targets
    }
}

/// Takes masks, and labels of images.
pub(crate) fn region_files() -> impl TypedValueParser<Value = RegionFile> {
    let of = |written: PathBuf| RegionFile::of(&written).map_err(|e| e.problem().to_owned());
    PathBufValueParser::new().try_map(of)
}
