use arcuate_core::scale::doubt_about_radius;
use arcuate_core::{Error, Grid, Labels, RegionSearch, Result};
use std::borrow::Cow;

/// How a streamline finds its regions. All but the last find one for each of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assignment {
    /// The region of the voxel that contains the end point (`tck2connectome -assignment_end_voxels`).
    EndVoxel,
    /// The region of the labelled voxel whose centre is nearest to the end point, or of the labelled vertex that is, nearer
    /// than [`search_radius_mm`](ConnectomeOptions::search_radius_mm) (`tck2connectome -assignment_radial_search`).
    #[default]
    RadialSearch,
    /// The region that the streamline was in last: of the first of its points, from the end point inwards, that lies in a
    /// labelled voxel; as far along the streamline as
    /// [`search_radius_mm`](ConnectomeOptions::search_radius_mm) says, and to its middle at most
    /// (`tck2connectome -assignment_reverse_search`).
    ReverseSearch,
    /// The region that the streamline would have come to: of the labelled voxel ahead of the end point, within 45° of its
    /// course, that is nearest where distance counts up to twice beside the course
    /// (`tck2connectome -assignment_forward_search`).
    ForwardSearch,
    /// All regions that a point of the streamline lies in (`tck2connectome -assignment_all_voxels`).
    AllVoxels,
}

/// How a connectome is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectomeOptions {
    /// How a streamline finds its regions.
    pub assignment: Assignment,
    /// How far from an end point the search looks, in mm. Infinite, the reverse search goes to the middle of the streamline.
    pub search_radius_mm: f64,
    /// The regions that the matrices have rows for, ascending, without 0: those of a list of names, say, so that matrices
    /// of several brains fit together. Nothing: those that occur. Ends in other regions are in none.
    pub regions: Option<Vec<u32>>,
    /// Sums of up to so many bytes have a place for every two regions, larger ones only for those that are joined: in the
    /// memory of the host, and in that of each GPU.
    pub most_dense_bytes: u64,
}

impl Default for ConnectomeOptions {
    /// Radial search up to 4 mm, as MRtrix's `tck2connectome`; dense sums up to 1 GiB.
    fn default() -> Self {
        let assignment = Assignment::RadialSearch;
        Self { assignment, search_radius_mm: 4.0, regions: None, most_dense_bytes: 1 << 30 }
    }
}

/// A search up to `radius` mm around a point, whose errors are said of what options say of that.
pub(crate) fn search_around<'a>(labels: impl Into<Cow<'a, Labels>>, radius: f64) -> Result<RegionSearch<'a>> {
    let search = RegionSearch::new(labels, radius).map_err(|e| e.about("‘search_radius_mm’"))?;
    warn_of_radius(radius, search.labels().grid());
    Ok(search)
}

/// Warns of a search that does not suit the voxels of a parcellation.
pub(crate) fn warn_of_radius(radius_mm: f64, grid: &Grid) {
    if let Some(doubt) = doubt_about_radius("‘search_radius_mm’", radius_mm, grid) {
        tracing::warn!("{doubt}");
    }
}

impl ConnectomeOptions {
    /// How far a search looks; 0 where nothing is searched. Fails on what is no distance.
    pub(crate) fn distance(&self) -> Result<f64> {
        let radius = self.search_radius_mm;
        let endless = self.assignment == Assignment::ReverseSearch;
        match self.assignment {
            Assignment::EndVoxel | Assignment::AllVoxels => Ok(0.0),
            _ if radius > 0.0 && (radius.is_finite() || endless) => Ok(radius),
            _ => Err(Error::usage(
                "‘search_radius_mm’",
                format!("{radius} mm is no distance to search in"),
                "give more than 0 mm, or look only at the voxels of the end points",
            )),
        }
    }
}
