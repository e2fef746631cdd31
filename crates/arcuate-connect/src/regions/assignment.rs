use arcuate_core::scale::doubt_about_radius;
use arcuate_core::{Error, Grid, Labels, RegionSearch, Result};
use std::borrow::Cow;

/// The method that assigns streamlines to regions. All methods except the last one find one region for each
/// end of a streamline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assignment {
    /// The region is that of the voxel that contains the end point (`tck2connectome -assignment_end_voxels`).
    EndVoxel,
    /// The region is that of the labelled voxel centre or vertex nearest to the end point, if it is closer
    /// than [`search_radius_mm`](ConnectomeOptions::search_radius_mm) (`tck2connectome
    /// -assignment_radial_search`).
    #[default]
    RadialSearch,
    /// The region is the last one that the streamline passes before its end. The search starts at the end
    /// point and follows the streamline inwards to the first point in a labelled voxel. It extends up to
    /// [`search_radius_mm`](ConnectomeOptions::search_radius_mm), and at most to the midpoint of the
    /// streamline (`tck2connectome -assignment_reverse_search`).
    ReverseSearch,
    /// The region is the next one beyond the end. It is that of the nearest labelled voxel ahead of the end
    /// point, within 45° of the streamline's direction. Distances off the direction are weighted by up to a
    /// factor of two (`tck2connectome -assignment_forward_search`).
    ForwardSearch,
    /// The streamline connects all regions that contain one of its points (`tck2connectome
    /// -assignment_all_voxels`).
    AllVoxels,
}

/// Options that determine which regions a streamline connects, and the memory of the sums.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectomeOptions {
    /// The method that assigns streamlines to regions.
    pub assignment: Assignment,
    /// Maximum distance in mm between an end point and its region. If it is infinite, the reverse search
    /// extends to the midpoint of the streamline.
    pub search_radius_mm: f64,
    /// The regions that have matrix rows, ascending, without 0, for example from a list of names. The
    /// matrices of several brains then have the same rows. Ends in other regions are unassigned. `None`
    /// selects the regions that occur in the parcellation.
    pub regions: Option<Vec<u32>>,
    /// Maximum number of bytes of dense sums, on the host and on each GPU. If sums for all pairs of regions
    /// need at most this number, every pair has a sum. If not, only connected pairs have sums.
    pub most_dense_bytes: u64,
}

impl Default for ConnectomeOptions {
    /// Returns the default options: a radial search up to 4 mm, as in MRtrix's `tck2connectome`, and dense
    /// sums up to 1 GiB.
    fn default() -> Self {
        let assignment = Assignment::RadialSearch;
        Self { assignment, search_radius_mm: 4.0, regions: None, most_dense_bytes: 1 << 30 }
    }
}

/// Creates a search for regions up to `radius` mm around a point. Errors name the option of the radius.
pub(crate) fn search_around<'a>(labels: impl Into<Cow<'a, Labels>>, radius: f64) -> Result<RegionSearch<'a>> {
    let search = RegionSearch::new(labels, radius).map_err(|e| e.about("‘search_radius_mm’"))?;
    warn_of_radius(radius, search.labels().grid());
    Ok(search)
}

/// Warns if a search radius is too small or too large for the voxels of a parcellation.
pub(crate) fn warn_of_radius(radius_mm: f64, grid: &Grid) {
    if let Some(doubt) = doubt_about_radius("‘search_radius_mm’", radius_mm, grid) {
        tracing::warn!("{doubt}");
    }
}

impl ConnectomeOptions {
    /// Returns the maximum search distance in mm, or 0 without a search. Returns an error if the distance is
    /// invalid.
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
