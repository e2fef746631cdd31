//! Options for regions such as waypoints. They are the same in all commands that track or edit streamlines.

use arcuate_core::{Error, Result};
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::regions::RegionFile;
use arcuate_track::{ConstraintUnit, Constraints, Mapping, WaypointCondition};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// Heading of the region options in the help.
const REGIONS: &str = "Regions (masks; labels as FILE:7 or FILE:1-35; surfaces as FILE, FILE:inside, FILE:around:FILE or \
                       FILE:LABELS:NAME; several with commas, or the option again)";

/// Regions that streamlines must or may not pass, and end in.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = REGIONS)]
pub(crate) struct RegionArgs {
    /// Keep only streamlines that pass these regions (waypoints)
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) waypoints: Vec<RegionFile>,
    /// Number of waypoints that a streamline must pass
    #[arg(long, value_enum, default_value_t = ConditionArg::All)]
    waypoint_condition: ConditionArg,
    /// Require that a streamline passes the waypoints in the order of --waypoints
    #[arg(long)]
    waypoints_in_order: bool,
    /// Reject streamlines that enter these regions
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) avoid: Vec<RegionFile>,
    /// Terminate each streamline at its first point inside these regions
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) stop: Vec<RegionFile>,
    /// Terminate each streamline where it leaves these regions
    ///
    /// If a streamline begins inside such a region, it may leave this region once without terminating.
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(crate) stop_on_exit: Vec<RegionFile>,
}

/// The same of streamlines that are followed, whose halves are known.
#[derive(Debug, Clone, Args)]
pub(super) struct ConstraintArgs {
    #[command(flatten)]
    pub(super) regions: RegionArgs,
    /// Require that one half of a streamline passes all waypoints
    ///
    /// A half is the path from the seed to one end. Without this option, the two halves of a streamline can
    /// pass different waypoints.
    #[arg(long)]
    waypoints_one_way: bool,
    /// Part of a streamline that --avoid and --waypoints test and reject
    ///
    /// `half` tests each half (from the seed to one end) separately, as FSL's probtrackx2 does. `whole` tests
    /// the whole streamline, as MRtrix's tckgen does. [default: half for samples, peaks and bootstrap, and
    /// with --waypoints-in-order or --waypoints-one-way; if not, whole]
    #[arg(long, value_enum)]
    judged_by: Option<ConstraintUnitArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ConditionArg {
    /// A streamline must pass every waypoint
    All,
    /// A streamline must pass at least one waypoint
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ConstraintUnitArg {
    /// Test and reject each half of the streamline (from the seed to one end) separately
    Half,
    /// Test and reject the whole streamline
    Whole,
}

impl RegionArgs {
    /// Returns the region files as given.
    pub(crate) fn files(&self) -> impl Iterator<Item = &RegionFile> {
        let Self { waypoints, avoid, stop, stop_on_exit, .. } = self;
        [waypoints, avoid, stop, stop_on_exit].into_iter().flatten()
    }

    /// Returns an error if an option has no effect.
    pub(crate) fn check(&self) -> Result<()> {
        let any = self.waypoint_condition == ConditionArg::Any;
        self.require_waypoints("--waypoint-condition", any)?;
        self.require_waypoints("--waypoints-in-order", self.waypoints_in_order)?;
        if any && self.waypoints_in_order {
            let problem = "it has no effect if any waypoint is enough";
            return Err(Error::usage(
                "--waypoints-in-order",
                problem,
                "remove --waypoints-in-order, or require that streamlines pass all waypoints",
            ));
        }
        Ok(())
    }

    fn require_waypoints(&self, option: &str, given: bool) -> Result<()> {
        if given && self.waypoints.is_empty() {
            return Err(Error::usage(option, "there are no waypoints", "give --waypoints, or remove it"));
        }
        Ok(())
    }

    /// Reads the constraints. `mapping` maps from the tracking space to the space of the regions.
    pub(crate) fn resolve(
        &self,
        mapping: Option<&Arc<Mapping>>,
        targets: &[RegionFile],
    ) -> Result<Constraints> {
        self.files_with(targets).resolve(mapping)
    }

    /// Returns the constraints as files, for the library.
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
    /// Returns an error if an option has no effect.
    pub(super) fn check(&self) -> Result<()> {
        self.regions.check()?;
        self.regions.require_waypoints("--waypoints-one-way", self.waypoints_one_way)?;
        if self.judged_by.is_some() && self.regions.waypoints.is_empty() && self.regions.avoid.is_empty() {
            let problem = "no region rejects streamlines";
            return Err(Error::usage(
                "--judged-by",
                problem,
                "give --waypoints or --avoid, or remove --judged-by",
            ));
        }
        Ok(())
    }

    /// Returns the constraints for the library. `default` is the unit that regions accept or reject; some
    /// options require halves.
    pub(super) fn files_with(&self, targets: &[RegionFile], default: ConstraintUnit) -> ConstraintFiles {
        let of_halves = self.regions.waypoints_in_order || self.waypoints_one_way;
        ConstraintFiles {
            one_way: self.waypoints_one_way,
            judged_by: match self.judged_by {
                Some(ConstraintUnitArg::Half) => ConstraintUnit::Half,
                Some(ConstraintUnitArg::Whole) => ConstraintUnit::Whole,
                None if of_halves => ConstraintUnit::Half,
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
    /// Target regions, in which passing streamlines are counted
    ///
    /// Counts the streamlines that pass each target region. If --out is a folder, also writes a map for each
    /// target NAME: the number of streamlines from each seed that pass this target. The map is
    /// seeds_to_NAME.nii.gz (.shape.gii for seeds on surfaces, .dscalar.nii for --seed-cifti, .tsv for
    /// --seed-points).
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    targets: Vec<RegionFile>,
}

impl TargetArgs {
    /// Returns the target files as given.
    pub(super) fn files(&self) -> &[RegionFile] {
        &self.targets
    }
}

/// Parses masks and labels of images.
pub(crate) fn region_files() -> impl TypedValueParser<Value = RegionFile> {
    let of = |written: PathBuf| RegionFile::of(&written).map_err(|e| e.problem().to_owned());
    PathBufValueParser::new().try_map(of)
}
