//! Regions, and what streamlines must and may not do there.

use crate::anatomy::Anatomy;
use crate::space::Mapping;
use arcuate_core::{Error, Labels, Mask, Result, Surface, narrow};
use std::sync::Arc;

/// A part of space, and how points of the space of what is followed get there. Without a mapping both are one space (in RAS
/// mm; lattices may differ).
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// What it is called in messages: its file.
    pub name: String,
    /// What is in it.
    pub shape: RegionShape,
    /// From the space of what is followed to that of the region.
    pub mapping: Option<Arc<Mapping>>,
}

/// What is in a region.
#[derive(Debug, Clone, PartialEq)]
pub enum RegionShape {
    /// Voxels: a point lies in the region where the voxel nearest to it does.
    Voxels(Arc<Mask>),
    /// Triangles of a surface: a streamline is in the region at each of its points to which it comes by a segment that lies on
    /// one of them anywhere, edges and vertices included, but for the beginning of the segment. Exactly, for coordinates in
    /// units of 2⁻²⁰ mm ([`SurfaceGeometry`](arcuate_core::SurfaceGeometry)).
    Triangles {
        /// The surface, in mm.
        surface: Arc<Surface>,
        /// Numbers of its triangles.
        triangles: Vec<u32>,
    },
    /// What is inside of a closed surface, in mm; of several, what is inside of an odd number of them: of a pial and a white
    /// surface, the ribbon between.
    Inside(Vec<Arc<Surface>>),
}

impl Region {
    /// The voxels of a mask.
    pub fn of_mask(name: &str, mask: Mask, mapping: Option<&Arc<Mapping>>) -> Self {
        Self { name: name.to_owned(), shape: RegionShape::Voxels(Arc::new(mask)), mapping: mapping.cloned() }
    }

    /// All triangles of a surface.
    pub fn of_surface(name: &str, surface: Arc<Surface>, mapping: Option<&Arc<Mapping>>) -> Self {
        let triangles = (0..narrow::<u32>(surface.triangles().len())).collect();
        let shape = RegionShape::Triangles { surface, triangles };
        Self { name: name.to_owned(), shape, mapping: mapping.cloned() }
    }

    /// The triangles with a vertex among these. Fails where no triangle has.
    pub fn of_vertices(
        name: &str,
        surface: Arc<Surface>,
        vertices: &[u32],
        mapping: Option<&Arc<Mapping>>,
    ) -> Result<Self> {
        let triangles: Vec<u32> =
            surface.triangles_of(vertices, true).into_iter().map(narrow::<u32>).collect();
        if triangles.is_empty() {
            return Err(Error::invalid(name, "no triangle has one of its vertices", "choose others"));
        }
        let shape = RegionShape::Triangles { surface, triangles };
        Ok(Self { name: name.to_owned(), shape, mapping: mapping.cloned() })
    }

    /// What is inside of a closed surface and, where there is one, not inside of `without`, which lies within it. Fails unless
    /// they are closed.
    pub fn inside_of(
        name: &str,
        surface: Arc<Surface>,
        without: Option<Arc<Surface>>,
        mapping: Option<&Arc<Mapping>>,
    ) -> Result<Self> {
        let meshes: Vec<Arc<Surface>> = std::iter::once(surface).chain(without).collect();
        meshes.iter().try_for_each(|mesh| mesh.require_closed(name))?;
        Ok(Self { name: name.to_owned(), shape: RegionShape::Inside(meshes), mapping: mapping.cloned() })
    }

    /// Its voxels, where it has some.
    pub fn mask(&self) -> Option<&Mask> {
        match &self.shape {
            RegionShape::Voxels(mask) => Some(mask),
            RegionShape::Triangles { .. } | RegionShape::Inside(_) => None,
        }
    }

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
        Ok(Self::of_mask(&name, Mask::new(*labels.grid(), inside)?, mapping))
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
    /// Streamlines end at the first point in one of these (the seed does not count): of a surface, behind it or on it.
    pub stop: Vec<Region>,
    /// Streamlines that have entered one of these from outside end when they leave it; one that begins inside must first
    /// leave it. At a surface they end where they meet it for the second time, before they do; a seed that lies on it has met
    /// it, for both halves.
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
    /// Tissues that streamlines heed while they are followed; lines that are there already do not.
    pub anatomy: Option<Anatomy>,
}

impl Constraints {
    /// Whether there is no region at all, nor any tissue.
    pub fn is_empty(&self) -> bool {
        let Self { avoid, stop, stop_on_exit, waypoints, targets, anatomy, .. } = self;
        anatomy.is_none() && [avoid, stop, stop_on_exit, waypoints, targets].into_iter().all(Vec::is_empty)
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
