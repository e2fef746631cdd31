//! The options of regions, the same for all that follows streamlines or edits them.

use arcuate_core::{Error, Result};
use arcuate_io::read_mask;
use arcuate_track::{Constraints, JudgedBy, Mapping, Region, TrackSummary, WaypointCondition};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// Regions that streamlines must or may not pass, and end in.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Regions (masks; several with commas, or the option again)")]
pub(crate) struct RegionArgs {
    /// Keep streamlines that pass these
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(crate) waypoints: Vec<PathBuf>,
    /// How many of the waypoints must be passed
    #[arg(long, value_enum, default_value_t = ConditionArg::All)]
    waypoint_condition: ConditionArg,
    /// Waypoints must be passed in the order given
    #[arg(long)]
    waypoints_in_order: bool,
    /// Reject streamlines that enter these
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(crate) avoid: Vec<PathBuf>,
    /// End streamlines at their first point in these
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(crate) stop: Vec<PathBuf>,
    /// End streamlines where they leave these again; those that begin inside first leave freely
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(crate) stop_on_exit: Vec<PathBuf>,
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
    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
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

    /// The constraints, of masks to which `mapping` leads.
    pub(crate) fn resolve(&self, mapping: Option<&Arc<Mapping>>, targets: &[PathBuf]) -> Result<Constraints> {
        let regions = |paths: &[PathBuf]| {
            let region = |path: &PathBuf| {
                let (name, mask) = (path.display().to_string(), read_mask(path)?);
                Ok(Region { name, mask, mapping: mapping.cloned() })
            };
            paths.iter().map(region).collect::<Result<Vec<_>>>()
        };
        Ok(Constraints {
            avoid: regions(&self.avoid)?,
            stop: regions(&self.stop)?,
            stop_on_exit: regions(&self.stop_on_exit)?,
            waypoints: regions(&self.waypoints)?,
            condition: match self.waypoint_condition {
                ConditionArg::All => WaypointCondition::All,
                ConditionArg::Any => WaypointCondition::Any,
            },
            in_order: self.waypoints_in_order,
            targets: regions(targets)?,
            ..Constraints::default()
        })
    }
}

impl ConstraintArgs {
    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.regions.files()
    }

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

    /// The constraints, of masks to which `mapping` leads. `default` says what is judged, unless options do: some are said of
    /// halves.
    pub(super) fn resolve(
        &self,
        mapping: Option<&Arc<Mapping>>,
        targets: &[PathBuf],
        default: JudgedBy,
    ) -> Result<Constraints> {
        let of_halves = self.regions.waypoints_in_order || self.waypoints_one_way;
        Ok(Constraints {
            one_way: self.waypoints_one_way,
            judged_by: match self.judged_by {
                Some(JudgedByArg::Half) => JudgedBy::Half,
                Some(JudgedByArg::Whole) => JudgedBy::Whole,
                None if of_halves => JudgedBy::Half,
                None => default,
            },
            ..self.regions.resolve(mapping, targets)?
        })
    }
}

/// What regions made of seeds and ends, as far as they did.
pub(super) fn among_regions(summary: &TrackSummary) -> impl Iterator<Item = (&'static str, u64)> + use<> {
    let TrackSummary { rejected, terminated, .. } = summary;
    let counts = [
        ("rejected: entered a region to avoid", rejected.avoided),
        ("rejected: did not pass the waypoints", rejected.waypoints),
        ("ends in a region to stop in", terminated.stop),
        ("ends on leaving a region", terminated.exit),
        ("ends in a region to avoid", terminated.avoid),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0)
}
