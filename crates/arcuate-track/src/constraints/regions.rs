//! Regions, and what streamlines must and may not do there.

use crate::space::Mapping;
use arcuate_core::{Error, Labels, Mask, Result};
use std::sync::Arc;

/// A set of voxels, and how points of the space of what is followed get there. Without a mapping both are one space (in RAS
/// mm; the lattices may differ). Whether a point lies in it is decided by the nearest voxel.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// What it is called in messages: its file.
    pub name: String,
    /// The voxels.
    pub mask: Mask,
    /// From the space of what is followed to that of the mask.
    pub mapping: Option<Arc<Mapping>>,
}

impl Region {
    /// Each region of a label image, in the order of their numbers, called by the name of the image and their own.
    pub fn of_labels(labels: &Labels, name: &str, mapping: Option<&Arc<Mapping>>) -> Result<Vec<Self>> {
        let mut numbers = labels.values().to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers = numbers.into_iter().filter(|&number| number > 0);
        numbers.map(|number| Self::of_label(labels, number, name, mapping)).collect()
    }

    /// One of them. Fails where no voxel has its number.
    pub fn of_label(
        labels: &Labels,
        number: u32,
        name: &str,
        mapping: Option<&Arc<Mapping>>,
    ) -> Result<Self> {
        let inside: Vec<bool> = labels.values().iter().map(|&value| value == number).collect();
        if !inside.contains(&true) {
            let problem = format!("no voxel has the label {number}");
            return Err(Error::invalid(name, problem, "choose among those that occur"));
        }
        let name = format!("{name}:{number}");
        Ok(Self { name, mask: Mask::new(*labels.grid(), inside)?, mapping: mapping.cloned() })
    }
}

/// How many of several waypoints a streamline must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaypointCondition {
    /// All of them.
    #[default]
    All,
    /// One or more.
    Any,
}

/// What of a streamline meets avoidance and waypoints, and is rejected by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgedBy {
    /// Each half by itself, from the seed on, as in probtrackx2: a half that is rejected is left out, and the other may stay.
    /// Of a first half that passes some of several waypoints the second may pass the others; one that passes none is left
    /// out.
    #[default]
    Half,
    /// The streamline as a whole, as in tckgen: it is kept or not.
    Whole,
}

/// What streamlines must and may not do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Constraints {
    /// Halves of streamlines, or whole ones, that enter one of these are rejected.
    pub avoid: Vec<Region>,
    /// Streamlines end at the first point in one of these (the seed does not count).
    pub stop: Vec<Region>,
    /// Streamlines that have entered one of these from outside end when they leave it; one that begins inside must first
    /// leave it.
    pub stop_on_exit: Vec<Region>,
    /// Streamlines that do not pass these are rejected (the seed does not count).
    pub waypoints: Vec<Region>,
    /// How many of the waypoints.
    pub condition: WaypointCondition,
    /// Whether waypoints must be passed in the order of the list, of each half by itself.
    pub in_order: bool,
    /// Whether one half of the streamline must meet the condition by itself, instead of both together.
    pub one_way: bool,
    /// Regions that are only noted: which of them an accepted streamline passes.
    pub targets: Vec<Region>,
    /// What is rejected.
    pub judged_by: JudgedBy,
}

impl Constraints {
    /// Whether there is no region at all.
    pub fn is_empty(&self) -> bool {
        let Self { avoid, stop, stop_on_exit, waypoints, targets, .. } = self;
        [avoid, stop, stop_on_exit, waypoints, targets].into_iter().all(Vec::is_empty)
    }

    /// Fails on conditions that do not go together.
    pub(super) fn check(&self) -> Result<()> {
        if self.judged_by == JudgedBy::Whole && (self.in_order || self.one_way) {
            let option = if self.in_order { "‘in_order’" } else { "‘one_way’" };
            let problem = "it is said of halves, and streamlines are judged as a whole";
            return Err(Error::usage(option, problem, "leave it out, or give ‘judged_by’ half"));
        }
        Ok(())
    }
}
