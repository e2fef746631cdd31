//! Regions, and the constraints that use them.

use crate::anatomy::Anatomy;
use crate::space::Mapping;
use arcuate_core::{Error, Labels, Mask, Result, Surface, narrow};
use std::sync::Arc;

/// A region: a part of space, with the mapping from the space of the tracked image. If there is no mapping,
/// the region and the tracked image are in the same space (RAS mm). Their grids can differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Name of the region in messages, usually the name of its file.
    pub name: String,
    /// Voxels or surfaces of the region.
    pub shape: RegionShape,
    /// Mapping from the space of the tracked image to the space of the region; `None` if both are in the same
    /// space.
    pub mapping: Option<Arc<Mapping>>,
}

/// Geometry of a region.
#[derive(Debug, Clone, PartialEq)]
pub enum RegionShape {
    /// Voxels of a mask. A point is in the region if the voxel nearest to the point is in the mask.
    Voxels(Arc<Mask>),
    /// Triangles of a surface. A point of a streamline is in the region if the segment that ends at this
    /// point meets one of the triangles, including their edges and vertices. The start of the segment does
    /// not count. The test is exact for coordinates in units of 2⁻²⁰ mm
    /// ([`SurfaceGeometry`](arcuate_core::SurfaceGeometry)).
    Triangles {
        /// Surface, with vertices in mm.
        surface: Arc<Surface>,
        /// Indices of the triangles.
        triangles: Vec<u32>,
    },
    /// Inside of closed surfaces, with vertices in mm. If there are several surfaces, a point is in the
    /// region if an odd number of them contain the point. For example, a white and a pial surface enclose the
    /// cortical ribbon.
    Inside(Vec<Arc<Surface>>),
}

impl Region {
    /// Creates a region from the voxels of a mask.
    pub fn of_mask(name: &str, mask: Mask, mapping: Option<&Arc<Mapping>>) -> Self {
        Self { name: name.to_owned(), shape: RegionShape::Voxels(Arc::new(mask)), mapping: mapping.cloned() }
    }

    /// Creates a region from all triangles of a surface.
    pub fn of_surface(name: &str, surface: Arc<Surface>, mapping: Option<&Arc<Mapping>>) -> Self {
        let triangles = (0..narrow::<u32>(surface.triangles().len())).collect();
        let shape = RegionShape::Triangles { surface, triangles };
        Self { name: name.to_owned(), shape, mapping: mapping.cloned() }
    }

    /// Creates a region from all triangles of a surface that have at least one of the given vertices. Returns
    /// an error if there is no such triangle.
    pub fn of_vertices(
        name: &str,
        surface: Arc<Surface>,
        vertices: &[u32],
        mapping: Option<&Arc<Mapping>>,
    ) -> Result<Self> {
        let triangles: Vec<u32> =
            surface.triangles_of(vertices, true).into_iter().map(narrow::<u32>).collect();
        if triangles.is_empty() {
            return Err(Error::invalid(
                name,
                "no triangle of the surface contains one of the region's vertices",
                "choose other vertices",
            ));
        }
        let shape = RegionShape::Triangles { surface, triangles };
        Ok(Self { name: name.to_owned(), shape, mapping: mapping.cloned() })
    }

    /// Creates a region from the inside of the closed surface `surface`. If `without` is given, the inside of
    /// this smaller closed surface is not part of the region. Returns an error if a surface is not closed.
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

    /// Returns the mask of the region if it consists of voxels, or `None` if it consists of surfaces.
    pub fn mask(&self) -> Option<&Mask> {
        match &self.shape {
            RegionShape::Voxels(mask) => Some(mask),
            RegionShape::Triangles { .. } | RegionShape::Inside(_) => None,
        }
    }

    /// Creates one region for each label of a label image, in ascending order of the label numbers. Each
    /// region is named after the image and its label.
    pub fn of_labels(labels: &Labels, name: &str, mapping: Option<&Arc<Mapping>>) -> Result<Vec<Self>> {
        let mut numbers = labels.values().to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers = numbers.into_iter().filter(|&number| number > 0);
        numbers.map(|number| Self::of_label(labels, number, name, mapping)).collect()
    }

    /// Creates a region from one label of a label image. Returns an error if no voxel has this label.
    pub fn of_label(
        labels: &Labels,
        number: u32,
        name: &str,
        mapping: Option<&Arc<Mapping>>,
    ) -> Result<Self> {
        let inside: Vec<bool> = labels.values().iter().map(|&value| value == number).collect();
        if !inside.contains(&true) {
            let problem = format!("no voxel of the image has the label {number}");
            return Err(Error::invalid(name, problem, "choose a label that occurs in the image"));
        }
        let name = format!("{name}:{number}");
        Ok(Self::of_mask(&name, Mask::new(*labels.grid(), inside)?, mapping))
    }
}

/// Number of waypoints that a streamline must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WaypointCondition {
    /// All waypoints.
    #[default]
    All,
    /// At least one waypoint.
    Any,
}

/// Part of a streamline to which regions to avoid and waypoints apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ConstraintUnit {
    /// The constraints apply to each half of a streamline, starting at the seed, as in FSL probtrackx2. A
    /// rejected half is removed, and the other half can be kept. If the first half passes some of the
    /// waypoints, the second half can pass the remaining ones. A half that passes no waypoint is removed.
    #[default]
    Half,
    /// The constraints apply to the whole streamline, as in MRtrix tckgen.
    Whole,
}

/// Constraints of streamlines: regions that the streamlines must pass, avoid or stop in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Constraints {
    /// Regions to avoid. A streamline that enters one of these regions is rejected, or only the half that
    /// enters it.
    pub avoid: Vec<Region>,
    /// Regions to stop in. A streamline stops at its first point in one of these regions; the seed does not
    /// count. If the region is a surface, the streamline stops at the first point on the surface or beyond
    /// it.
    pub stop: Vec<Region>,
    /// Regions to stop at when leaving. A streamline stops when it leaves one of these regions after entering
    /// it. A streamline that starts inside such a region must first leave it; it stops when it leaves the
    /// region after entering it again. If the region is a surface, a streamline stops before it meets the
    /// surface for the second time. If the seed is on the surface, this counts as the first time for both
    /// halves of the streamline.
    pub stop_on_exit: Vec<Region>,
    /// Waypoints. A streamline that does not pass the required number of these regions is rejected. The seed
    /// does not count as passing a waypoint.
    pub waypoints: Vec<Region>,
    /// Number of waypoints that a streamline must pass: all or at least one.
    pub condition: WaypointCondition,
    /// True if each half of a streamline must pass the waypoints in the order of the list.
    pub in_order: bool,
    /// True if one half of a streamline must pass all required waypoints alone. False if the two halves
    /// together can pass them.
    pub one_way: bool,
    /// Targets: regions without effect on the streamlines. The targets that an accepted streamline passes are
    /// recorded.
    pub targets: Vec<Region>,
    /// Part of a streamline to which regions to avoid and waypoints apply: each half, or the whole
    /// streamline.
    pub judged_by: ConstraintUnit,
    /// Tissues for anatomically constrained tractography. They apply during tracking, not to existing
    /// streamlines.
    pub anatomy: Option<Anatomy>,
}

impl Constraints {
    /// Returns true if the constraints contain no regions and no tissues.
    pub fn is_empty(&self) -> bool {
        let Self { avoid, stop, stop_on_exit, waypoints, targets, anatomy, .. } = self;
        anatomy.is_none() && [avoid, stop, stop_on_exit, waypoints, targets].into_iter().all(Vec::is_empty)
    }

    /// Returns an error if conditions of these constraints contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        if self.judged_by == ConstraintUnit::Whole && (self.in_order || self.one_way) {
            let option = if self.in_order { "‘in_order’" } else { "‘one_way’" };
            let problem = "it applies to halves of streamlines, but whole streamlines are tested";
            return Err(Error::usage(option, problem, "remove this option, or give ‘judged_by’ half"));
        }
        Ok(())
    }
}
