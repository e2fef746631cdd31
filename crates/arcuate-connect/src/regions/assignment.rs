use arcuate_core::scale::doubt_about_radius;
use arcuate_core::{Error, Grid, Labels, RegionSearch, Result};
use std::borrow::Cow;

/// The assignment of streamlines to regions. All methods except the last find one region for each end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assignment {
    /// The region of the voxel that contains the end point (`tck2connectome -assignment_end_voxels`).
    EndVoxel,
    /// The region of the labelled voxel centre or vertex nearest to the end point, if it is closer than
    /// [`search_radius_mm`](ConnectomeOptions::search_radius_mm) (`tck2connectome -assignment_radial_search`).
    #[default]
    RadialSearch,
    /// The last region before the end: that of the first point, from the end point inwards, in a labelled voxel. The
    /// search extends along the streamline up to [`search_radius_mm`](ConnectomeOptions::search_radius_mm), and at most
    /// to its midpoint (`tck2connectome -assignment_reverse_search`).
    ReverseSearch,
    /// The next region beyond the end: that of the nearest labelled voxel ahead of the end point, within 45° of the
    /// streamline's direction. Distances off the direction are weighted by up to a factor of two
    /// (`tck2connectome -assignment_forward_search`).
    ForwardSearch,
    /// All regions that contain a point of the streamline (`tck2connectome -assignment_all_voxels`).
    AllVoxels,
}

/// Options of connectomes.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectomeOptions {
    /// The assignment of streamlines to regions.
    pub assignment: Assignment,
    /// Maximum distance of the search from an end point in mm. If infinite, the reverse search extends to the midpoint
    /// of the streamline.
    pub search_radius_mm: f64,
    /// The regions that have rows, ascending, without 0, for example from a list of names. The matrices of several
    /// brains then have the same rows. `None`: the regions that occur. Ends in other regions are unassigned.
    pub regions: Option<Vec<u32>>,
    /// If sums for all pairs of regions need at most this number of bytes, they are dense; larger ones exist for
    /// connected pairs only. Applies to host memory and to each GPU.
    pub most_dense_bytes: u64,
}

impl Default for ConnectomeOptions {
    /// Radial search up to 4 mm, as in MRtrix's `tck2connectome`; dense sums up to 1 GiB.
    fn default() -> Self {
        let assignment = Assignment::RadialSearch;
        Self { assignment, search_radius_mm: 4.0, regions: None, most_dense_bytes: 1 << 30 }
    }
}

/// Creates a search up to `radius` mm around a point. Errors refer to the option.
pub(crate) fn search_around<'a>(labels: impl Into<Cow<'a, Labels>>, radius: f64) -> Result<RegionSearch<'a>> {
    let search = RegionSearch::new(labels, radius).map_err(|e| e.about("‘search_radius_mm’"))?;
    warn_of_radius(radius, search.labels().grid());
    Ok(search)
}

/// Warns if a search radius does not suit the voxels of a parcellation.
pub(crate) fn warn_of_radius(radius_mm: f64, grid: &Grid) {
    if let Some(doubt) = doubt_about_radius("‘search_radius_mm’", radius_mm, grid) {
        tracing::warn!("{doubt}");
    }
}

impl ConnectomeOptions {
    /// Returns the maximum distance of the search; 0 without a search. Returns an error if the distance is invalid.
    pub(crate) fn distance(&self) -> Result<f64> {
        let radius = self.search_radius_mm;
        let endless = self.assignment == Assignment::ReverseSearch;
        match self.assignment {
            Assignment::EndVoxel | Assignment::AllVoxels => Ok(0.0),
            _ if radius > 0.0 && (radius.is_finite() || endless) => Ok(radius),
            _ => Err(Error::usage(
                "‘search_radius_mm’",
                format!("{radius} mm is not a search radius"),
                "give a radius above 0 mm, or choose the end voxels",
            )),
        }
    }
}
