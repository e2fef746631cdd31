//! The options of regions, the same for all that follows streamlines.

use super::common::{region_name, table_of_counts};
use crate::record::Record;
use arcuate_core::{Error, Result};
use arcuate_pipeline::regions::RegionFile;
use arcuate_track::{Constraints, JudgedBy, Mapping, Region, TrackSummary, WaypointCondition};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// The heading of their options.
const REGIONS: &str =
    "Regions (masks, or labels as FILE:7 or FILE:1-35; several with commas, or the option again)";

/// Regions that streamlines must or may not pass, and end in.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = REGIONS)]
pub(super) struct ConstraintArgs {
    /// Keep streamlines that pass these
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(super) waypoints: Vec<RegionFile>,
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
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(super) avoid: Vec<RegionFile>,
    /// End streamlines at their first point in these
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(super) stop: Vec<RegionFile>,
    /// End streamlines where they leave these again; those that begin inside first leave freely
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    pub(super) stop_on_exit: Vec<RegionFile>,
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
    /// The files, as they are given.
    pub(super) fn files(&self) -> impl Iterator<Item = &RegionFile> {
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

    /// The constraints, of regions to which `mapping` leads. `default` says what is judged, unless options do: some are said of
    /// halves.
    pub(super) fn resolve(
        &self,
        mapping: Option<&Arc<Mapping>>,
        targets: &[RegionFile],
        default: JudgedBy,
    ) -> Result<Constraints> {
        let regions = |files: &[RegionFile]| -> Result<Vec<Region>> {
            let read: Result<Vec<Vec<Region>>> = files.iter().map(|file| file.read(mapping)).collect();
            Ok(read?.into_iter().flatten().collect())
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

/// Regions that are only noted.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = REGIONS)]
pub(super) struct TargetArgs {
    /// Count the streamlines that pass each of these. A folder of results has them for each seed, too, in seeds_to_NAME.nii.gz
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = region_files())]
    targets: Vec<RegionFile>,
}

impl TargetArgs {
    /// Whether there is none.
    pub(super) fn are_none(&self) -> bool {
        self.targets.is_empty()
    }

    /// The files, as they are given.
    pub(super) fn files(&self) -> &[RegionFile] {
        &self.targets
    }

    /// What each region is called.
    pub(super) fn names(&self) -> Vec<String> {
        self.targets.iter().flat_map(RegionFile::each).map(|region| name_of_region(&region)).collect()
    }

    /// Fails where two have one name.
    pub(super) fn check(&self) -> Result<()> {
        let mut names = self.names();
        names.sort();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some([name, _]) => {
                let problem = format!("two targets are called `{name}`");
                Err(Error::usage("--targets", problem, "give the files different names"))
            }
            _ => Ok(()),
        }
    }

    /// Notes how many of the accepted streamlines pass each.
    pub(super) fn note(&self, summary: &TrackSummary, record: &mut Record) {
        if self.targets.is_empty() {
            return;
        }
        let names = self.names();
        let counts: Vec<(&str, u64)> =
            names.iter().map(String::as_str).zip(summary.targets.iter().copied()).collect();
        let text = "Accepted streamlines that pass each target; the seed does not count.";
        record.tables.push(table_of_counts("Targets", text, &counts));
    }
}

/// Takes masks, and labels of images.
fn region_files() -> impl TypedValueParser<Value = RegionFile> {
    let of = |written: PathBuf| RegionFile::of(&written).map_err(|e| e.problem().to_owned());
    PathBufValueParser::new().try_map(of)
}

/// The name of a region: that of its file, and its label.
pub(super) fn name_of_region(region: &RegionFile) -> String {
    let name = region_name(region.path());
    region.label().map_or_else(|| name.clone(), |label| format!("{name}_{label}"))
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
