//! The options of regions, the same for all that follows streamlines.

use arcuate_core::{Error, Result};
use arcuate_io::read_mask;
use arcuate_track::{Constraints, JudgedBy, Mapping, Region, TrackSummary, WaypointCondition};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// Regions that streamlines must or may not pass, and end in.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Regions (masks; several with commas, or the option again)")]
pub(super) struct ConstraintArgs {
    /// Keep streamlines that pass these
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(super) waypoints: Vec<PathBuf>,
    /// How many of the waypoints must be passed
    #[arg(long, value_enum, default_value_t = ConditionArg::All)]
    waypoint_condition: ConditionArg,
    /// Waypoints must be passed in the order given
    #[arg(long)]
    waypoints_in_order: bool,
    /// One half of the streamline must pass the waypoints by itself, not both together
    #[arg(long)]
    waypoints_one_way: bool,
    /// Reject what enters these: halves of streamlines, or whole ones (--judged-by)
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(super) avoid: Vec<PathBuf>,
    /// End streamlines at their first point in these
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(super) stop: Vec<PathBuf>,
    /// End streamlines where they leave these again; those that begin inside first leave freely
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(super) stop_on_exit: Vec<PathBuf>,
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

impl ConstraintArgs {
    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let Self { waypoints, avoid, stop, stop_on_exit, .. } = self;
        [waypoints, avoid, stop, stop_on_exit].into_iter().flatten()
    }

    /// Fails on options that would change nothing.
    pub(super) fn check(&self) -> Result<()> {
        let idle = [
            ("--waypoint-condition", self.waypoint_condition == ConditionArg::Any),
            ("--waypoints-in-order", self.waypoints_in_order),
            ("--waypoints-one-way", self.waypoints_one_way),
        ];
        if self.waypoints.is_empty()
            && let Some((option, _)) = idle.into_iter().find(|(_, given)| *given)
        {
            return Err(Error::usage(option, "there are no waypoints", "give --waypoints, or leave it out"));
        }
        if self.waypoint_condition == ConditionArg::Any && self.waypoints_in_order {
            let problem = "where any waypoint is enough, it changes nothing";
            return Err(Error::usage("--waypoints-in-order", problem, "leave it out, or have all passed"));
        }
        if self.judged_by.is_some() && self.waypoints.is_empty() && self.avoid.is_empty() {
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
        let regions = |paths: &[PathBuf]| {
            let region = |path: &PathBuf| {
                let (name, mask) = (path.display().to_string(), read_mask(path)?);
                Ok(Region { name, mask, mapping: mapping.cloned() })
            };
            paths.iter().map(region).collect::<Result<Vec<_>>>()
        };
        let of_halves = self.waypoints_in_order || self.waypoints_one_way;
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
            one_way: self.waypoints_one_way,
            targets: regions(targets)?,
            judged_by: match self.judged_by {
                Some(JudgedByArg::Half) => JudgedBy::Half,
                Some(JudgedByArg::Whole) => JudgedBy::Whole,
                None if of_halves => JudgedBy::Half,
                None => default,
            },
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
