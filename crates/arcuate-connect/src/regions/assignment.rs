use arcuate_core::scale::doubt_about_radius;
use arcuate_core::{Error, Grid, Labels, RegionSearch, Result};
use std::borrow::Cow;

/// The method that assigns streamlines to regions. All methods except `AllVoxels` find one region for each
/// end of a streamline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assignment {
    /// The region of an end is the region of the voxel that contains the end point (`tck2connectome
    /// -assignment_end_voxels`).
    EndVoxel,
    /// The region of an end is that of the labelled voxel centre or vertex nearest to the end point, if its
    /// distance is less than [`search_radius_mm`](ConnectomeOptions::search_radius_mm) (`tck2connectome
    /// -assignment_radial_search`).
    #[default]
    RadialSearch,
    /// The region of an end is the last region that the streamline passes before this end. The search starts
    /// at the end point and follows the streamline inwards to the first point in a labelled voxel. The search
    /// covers at most [`search_radius_mm`](ConnectomeOptions::search_radius_mm), and at most the streamline
    /// up to its midpoint (`tck2connectome -assignment_reverse_search`).
    ReverseSearch,
    /// The region of an end is the next region in front of the streamline's end. It is the region of the
    /// nearest labelled voxel within 45° of the streamline's direction at the end point. Distances are
    /// multiplied by a factor that rises from 1 straight ahead to 2 at 45° (`tck2connectome
    /// -assignment_forward_search`).
    ForwardSearch,
    /// The streamline connects all regions that contain one of its points (`tck2connectome
    /// -assignment_all_voxels`).
    AllVoxels,
}

/// Options that determine which regions a streamline connects, and how much memory the sums of pairs of
/// regions may use.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectomeOptions {
    /// The method that assigns streamlines to regions.
    pub assignment: Assignment,
    /// Maximum distance in mm between an end point of a streamline and its region. If the distance is
    /// infinite, the reverse search extends to the midpoint of the streamline.
    pub search_radius_mm: f64,
    /// The regions that have a row in the matrix, in ascending order, without 0, for example from a list of
    /// names. With such a list, the matrices of several brains have the same rows. An end in another region
    /// is unassigned. If the value is `None`, the matrix has the regions that occur in the parcellation.
    pub regions: Option<Vec<u32>>,
    /// Maximum number of bytes of a table with the sums of all pairs of regions, on the host and on each GPU.
    /// If the table needs at most this number, every pair has a sum. If the table needs more, only connected
    /// pairs have sums.
    pub most_dense_bytes: u64,
}

impl Default for ConnectomeOptions {
    /// Returns the default options: a radial search up to 4 mm, as in MRtrix's `tck2connectome`, and at most
    /// 1 GiB for a table of all pairs of regions.
    fn default() -> Self {
        let assignment = Assignment::RadialSearch;
        Self { assignment, search_radius_mm: 4.0, regions: None, most_dense_bytes: 1 << 30 }
    }
}

/// Creates a search for the region nearest to a point, up to `radius` mm from the point. Error messages name
/// the option that sets the radius.
pub(crate) fn search_around<'a>(labels: impl Into<Cow<'a, Labels>>, radius: f64) -> Result<RegionSearch<'a>> {
    let search = RegionSearch::new(labels, radius).map_err(|e| e.about("‘search_radius_mm’"))?;
    warn_of_radius(radius, search.labels().grid());
    Ok(search)
}

/// Prints a warning if the search radius is too small or too large for the voxel size of a parcellation.
pub(crate) fn warn_of_radius(radius_mm: f64, grid: &Grid) {
    if let Some(doubt) = doubt_about_radius("‘search_radius_mm’", radius_mm, grid) {
        tracing::warn!("{doubt}");
    }
}

impl ConnectomeOptions {
    /// Returns the maximum search distance in mm. If the assignment does not search, returns 0. Returns an
    /// error if the distance is invalid.
    pub(crate) fn distance(&self) -> Result<f64> {
        let radius = self.search_radius_mm;
        let endless = self.assignment == Assignment::ReverseSearch;
        match self.assignment {
            Assignment::EndVoxel | Assignment::AllVoxels => Ok(0.0),
            _ if radius > 0.0 && (radius.is_finite() || endless) => Ok(radius),
            _ => Err(Error::usage(
                "‘search_radius_mm’",
                format!("{radius} mm is not a search radius"),
                "give a radius above 0 mm, or choose the assignment by end voxels",
            )),
        }
    }
}
