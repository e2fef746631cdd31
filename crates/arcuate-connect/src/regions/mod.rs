//! Parcellations in scanner space, and the search for the regions that streamlines connect.

mod assignment;
mod vertices;
mod voxels;

pub(crate) use assignment::search_around;
use assignment::warn_of_radius;
pub use assignment::{Assignment, ConnectomeOptions};
pub use vertices::LabelledVertices;

use arcuate_core::{Axis, ElementKind, Error, Labels, Point, RegionSearch, Result, narrow};
use std::borrow::Cow;
use std::collections::BTreeMap;
use vertices::VertexSearch;
use voxels::End;

/// A set of regions in scanner space. The regions consist of labelled voxels of an image, labelled vertices
/// of surfaces, or both, as in CIFTI-2. A single region may have voxels and vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Parcellation {
    voxels: Option<Labels>,
    vertices: LabelledVertices,
    names: BTreeMap<u32, String>,
}

impl From<Labels> for Parcellation {
    fn from(labels: Labels) -> Self {
        let names = labels.names().clone();
        Self { voxels: Some(labels), vertices: LabelledVertices::default(), names }
    }
}

impl Parcellation {
    /// Creates a parcellation from labelled vertices of surfaces and, optionally, labelled voxels. `names`
    /// has the names of all regions, or of some of them.
    pub fn new(vertices: LabelledVertices, voxels: Option<Labels>, names: BTreeMap<u32, String>) -> Self {
        Self { voxels, vertices, names }
    }

    /// Returns the labelled voxels, if there are any.
    pub fn voxels(&self) -> Option<&Labels> {
        self.voxels.as_ref()
    }

    /// Returns the labelled vertices.
    pub fn vertices(&self) -> &LabelledVertices {
        &self.vertices
    }

    /// Returns the names of regions, if known.
    pub fn names(&self) -> &BTreeMap<u32, String> {
        &self.names
    }

    /// Returns the numbers of the regions that occur in voxels or vertices, ascending, without 0.
    pub fn regions(&self) -> Vec<u32> {
        let mut regions = self.voxels.as_ref().map(Labels::regions).unwrap_or_default();
        regions.extend(self.vertices.regions());
        regions.sort_unstable();
        regions.dedup();
        regions
    }
}

/// The regions that a search has found for a streamline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The streamline connects no regions.
    Nothing,
    /// The regions of the streamline's two ends, smaller region number first. The numbers are equal if both
    /// ends are in one region.
    Two(u32, u32),
    /// The numbers of the regions that the streamline passes, in ascending order. There are at least two
    /// regions.
    Many(Vec<u32>),
}

/// Finds the regions of streamlines.
#[derive(Debug, Clone)]
pub(crate) struct RegionFinder<'a> {
    search: Search<'a>,
    distance: f64,
}

#[derive(Debug, Clone)]
enum Search<'a> {
    Nearest(RegionSearch<'a>),
    Reverse(Cow<'a, Labels>),
    Forward(Cow<'a, Labels>),
    Passed(Cow<'a, Labels>),
    /// Searches labelled vertices and voxels. The region of a point is that of the nearest vertex. If a
    /// labelled voxel centre is nearer, it is the region of this voxel.
    Elements(VertexSearch, Option<RegionSearch<'a>>),
}

impl<'a> RegionFinder<'a> {
    /// Creates a search in an image of labels. Also returns the regions that have a row in the matrix. If the
    /// options list regions, the matrix has these regions. If not, it has all regions that occur in the
    /// image.
    pub(crate) fn of_labels(labels: &'a Labels, options: &ConnectomeOptions) -> Result<(Self, Axis)> {
        let distance = options.distance()?;
        let (labels, axis) = chosen(labels, options)?;
        let search = match options.assignment {
            Assignment::EndVoxel | Assignment::RadialSearch => {
                Search::Nearest(search_around(labels, distance)?)
            }
            Assignment::ReverseSearch => {
                warn_of_radius(distance, labels.grid());
                Search::Reverse(labels)
            }
            Assignment::ForwardSearch => {
                warn_of_radius(distance, labels.grid());
                Search::Forward(labels)
            }
            Assignment::AllVoxels => Search::Passed(labels),
        };
        Ok((Self { search, distance }, axis))
    }

    /// Creates a search in a parcellation with vertices and voxels. Only the radial search can find vertices.
    pub(crate) fn new(parcellation: &'a Parcellation, options: &ConnectomeOptions) -> Result<(Self, Axis)> {
        let Parcellation { voxels, vertices, names } = parcellation;
        if vertices.is_empty()
            && let Some(labels) = voxels
        {
            return Self::of_labels(labels, options);
        }
        if options.assignment != Assignment::RadialSearch {
            let problem = "vertices of surfaces fill no voxels";
            let advice = "leave it out: the ends of streamlines find the nearest labelled vertex";
            return Err(Error::usage("‘assignment’", problem, advice));
        }
        let distance = options.distance()?;
        let occurring = parcellation.regions();
        let axis = axis(&occurring, names, options)?;
        let rows = rows_of(&axis);
        let search = |labels| search_around(restricted(labels, &occurring, &rows), distance);
        let voxels = voxels.as_ref().map(search).transpose()?;
        let vertices = VertexSearch::new(vertices.restricted_to(&rows), distance);
        Ok((Self { search: Search::Elements(vertices, voxels), distance }, axis))
    }

    /// Returns the regions that a streamline connects. If the streamline has fewer than two points, it
    /// connects no regions.
    pub(crate) fn find(&self, streamline: &[Point]) -> Found {
        let [first, .., last] = streamline else { return Found::Nothing };
        let [a, b] = match &self.search {
            Search::Nearest(search) => [first, last].map(|&end| search.region_at(end)),
            Search::Elements(vertices, voxels) => {
                [first, last].map(|&end| nearest(vertices, voxels.as_ref(), end))
            }
            Search::Reverse(labels) => {
                End::BOTH.map(|end| voxels::reverse(labels, streamline, end, self.distance))
            }
            Search::Forward(labels) => {
                End::BOTH.map(|end| voxels::forward(labels, streamline, end, self.distance))
            }
            Search::Passed(labels) => {
                let regions = voxels::passed(labels, streamline);
                return if regions.len() > 1 { Found::Many(regions) } else { Found::Nothing };
            }
        };
        match (a, b) {
            (Some(a), Some(b)) => Found::Two(a.min(b), a.max(b)),
            _ => Found::Nothing,
        }
    }

    /// Returns true if the search finds all regions that a streamline passes, not only the regions of its
    /// ends.
    pub(crate) fn finds_all(&self) -> bool {
        matches!(self.search, Search::Passed(_))
    }

    /// Returns the bounding box (minimum and maximum coordinates, in scanner mm) of the points at which the
    /// search can find a region.
    pub(crate) fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let mut bounds = Bounds::default();
        let mut add_voxels = |labels: &Labels| {
            // Computes the corners of the bounding box of all labelled voxels.
            let mut of_voxels = Bounds::default();
            for voxel in (0..labels.values().len()).filter(|&voxel| labels.values()[voxel] != 0) {
                of_voxels.add(labels.grid().coordinates(voxel).map(|c| c as f64));
            }
            let Some([low, high]) = of_voxels.0 else { return };
            for corner in 0..8 {
                let at = std::array::from_fn(|axis| {
                    if corner >> axis & 1 == 0 { low[axis] - 0.5 } else { high[axis] + 0.5 }
                });
                bounds.add(labels.grid().affine().apply(at));
            }
        };
        match &self.search {
            Search::Nearest(search) | Search::Elements(_, Some(search)) => add_voxels(search.labels()),
            Search::Reverse(labels) | Search::Forward(labels) | Search::Passed(labels) => add_voxels(labels),
            Search::Elements(_, None) => {}
        }
        if let Search::Elements(vertices, _) = &self.search {
            vertices.vertices().points().iter().for_each(|point| bounds.add(point.map(f64::from)));
        }
        // In a reverse search, the end points of streamlines may be anywhere, so that there is no bounding
        // box.
        let beyond = self.distance;
        bounds.0.map(|[minimum, largest]| [minimum.map(|x| x - beyond), largest.map(|x| x + beyond)])
    }
}

/// Bounding box of points: minimum and maximum coordinates. `None` without points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bounds(pub(crate) Option<[[f64; 3]; 2]>);

impl Bounds {
    /// Adds a point. Points with a NaN coordinate are ignored.
    pub(crate) fn add(&mut self, point: [f64; 3]) {
        if point.iter().any(|x| !x.is_finite()) {
            return;
        }
        let [minimum, largest] = self.0.get_or_insert([point; 2]);
        for axis in 0..3 {
            minimum[axis] = minimum[axis].min(point[axis]);
            largest[axis] = largest[axis].max(point[axis]);
        }
    }
}

fn nearest(vertices: &VertexSearch, voxels: Option<&RegionSearch<'_>>, end: Point) -> Option<u32> {
    let vertex = vertices.nearest(end);
    let voxel = voxels.and_then(|search| search.nearest(end));
    match (vertex, voxel) {
        (Some((of_vertex, region)), Some((of_voxel, _))) if of_vertex <= of_voxel => Some(region),
        (_, Some((_, region))) | (Some((_, region)), None) => Some(region),
        (None, None) => None,
    }
}

/// Returns the image of labels without the regions that have no row in the matrix, and the axis of the
/// regions that have one.
pub(crate) fn chosen<'a>(labels: &'a Labels, options: &ConnectomeOptions) -> Result<(Cow<'a, Labels>, Axis)> {
    let occurring = labels.regions();
    let axis = axis(&occurring, labels.names(), options)?;
    Ok((restricted(labels, &occurring, &rows_of(&axis)), axis))
}

/// Returns the number of the region of each matrix row.
fn rows_of(axis: &Axis) -> Vec<u32> {
    axis.numbers().iter().map(|&number| narrow::<u32>(number)).collect()
}

/// Removes all regions without a matrix row from the image of labels. `occurring` lists at least the regions
/// that occur in the image.
fn restricted<'a>(labels: &'a Labels, occurring: &[u32], rows: &[u32]) -> Cow<'a, Labels> {
    if occurring.iter().all(|region| rows.binary_search(region).is_ok()) {
        Cow::Borrowed(labels)
    } else {
        Cow::Owned(labels.clone().restricted_to(rows))
    }
}

/// Returns the axis of the matrix, which lists the regions that have a row. If the options list regions, they
/// are these regions. If not, they are all regions that occur.
fn axis(occurring: &[u32], names: &BTreeMap<u32, String>, options: &ConnectomeOptions) -> Result<Axis> {
    if occurring.is_empty() {
        return Err(Error::invalid("labels", "no voxel has a region", "give an image of region numbers"));
    }
    let regions = options.regions.as_deref().unwrap_or(occurring);
    let ascend = regions.first().is_none_or(|&first| first > 0) && regions.is_sorted_by(|a, b| a < b);
    if regions.is_empty() || !ascend {
        let problem = "they are not ascending numbers above 0";
        return Err(Error::invalid("regions of the connectome", problem, "give each region once"));
    }
    let names = regions.iter().map(|region| names.get(region).cloned().unwrap_or_default()).collect();
    Axis::new(ElementKind::Region, regions.iter().copied().map(u64::from).collect(), names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Surface};

    #[test]
    fn the_nearer_of_vertices_and_voxels_is_found() {
        let grid = Grid::new([3, 1, 1], Affine::scaling([10.0, 1.0, 1.0], [0.0; 3])).unwrap();
        let labels = Labels::new(grid, vec![0, 0, 8], BTreeMap::new()).unwrap();
        let surface =
            Surface::new(vec![[0.0; 3], [17.0, 0.0, 0.0], [5.0, 0.0, 0.0]], Vec::new(), None).unwrap();
        let mut vertices = LabelledVertices::default();
        vertices.add(&surface, &[4, 8, 0]).unwrap();
        let both = Parcellation::new(vertices, Some(labels), BTreeMap::from([(4, "a".to_owned())]));
        assert_eq!(both.regions(), [4, 8]);
        let (finder, axis) = RegionFinder::new(&both, &ConnectomeOptions::default()).unwrap();
        assert_eq!((axis.numbers(), axis.name(0), axis.name(1)), (&[4, 8][..], Some("a"), None));
        let find = |from: f32, to: f32| finder.find(&[[from, 0.0, 0.0], [to, 0.0, 0.0]]);
        assert_eq!(find(3.9, 21.0), Found::Two(4, 8));
        assert_eq!(find(4.0, 21.0), Found::Nothing);
        assert_eq!(find(13.5, 22.0), Found::Two(8, 8));
        assert_eq!(finder.bounds(), Some([[-4.0, -4.5, -4.5], [29.0, 4.5, 4.5]]));
        let options = ConnectomeOptions { regions: Some(vec![8]), ..ConnectomeOptions::default() };
        let (finder, _) = RegionFinder::new(&both, &options).unwrap();
        assert_eq!(finder.find(&[[0.0; 3], [20.0, 0.0, 0.0]]), Found::Nothing);
        for assignment in [
            Assignment::EndVoxel,
            Assignment::ReverseSearch,
            Assignment::ForwardSearch,
            Assignment::AllVoxels,
        ] {
            let options = ConnectomeOptions { assignment, ..ConnectomeOptions::default() };
            let error = RegionFinder::new(&both, &options).unwrap_err().to_string();
            assert!(error.starts_with("‘assignment’: vertices of surfaces fill no voxels; "), "{error}");
        }
    }
}
