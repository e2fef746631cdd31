//! Checks whether lengths in mm, such as a search radius, are plausible for the voxels of an image. Default
//! lengths are for a human brain. If the image is of a small animal, or if its header has another unit, other
//! lengths are needed.

use crate::Grid;

/// A search radius is too wide if it exceeds this number of voxels and also exceeds [`MAX_DIAGONAL_FRACTION`]
/// times the image's diagonal.
const MAX_VOXELS: f64 = 10.0;
const MAX_DIAGONAL_FRACTION: f64 = 0.05;
/// A search radius below this fraction of a voxel edge finds only the voxel that contains the point.
const MIN_VOXELS: f64 = 0.25;

const CHECK: &str = "give a length that suits these voxels, or check the voxel size in the header";

/// The edge length, in mm, of a cube with the volume of a voxel.
fn voxel_of(grid: &Grid) -> f64 {
    grid.affine().determinant().abs().cbrt()
}

/// Finds streamline lengths that do not suit an image on `grid`: a minimum length above the diagonal of the
/// image, or a maximum length below the voxel edge. The messages call the two lengths ‘min_length_mm’ and
/// ‘max_length_mm’.
pub fn doubts_about_lengths(min_length_mm: f64, max_length_mm: Option<f64>, grid: &Grid) -> Vec<String> {
    let (voxel, diagonal) = (voxel_of(grid), grid.diagonal());
    let mut doubts = Vec::new();
    if min_length_mm > diagonal {
        doubts.push(format!(
            "‘min_length_mm’: {min_length_mm} mm is longer than the diagonal of the image, {diagonal:.4} mm, so nearly all streamlines are too short; {CHECK}"
        ));
    }
    if let Some(longest) = max_length_mm.filter(|longest| *longest < voxel) {
        doubts.push(format!(
            "‘max_length_mm’: {longest} mm is shorter than a voxel of {voxel:.4} mm, so no streamline leaves its voxel; {CHECK}"
        ));
    }
    doubts
}

/// Warns if the search radius `radius_mm` is implausible for an image on `grid`. The radius is implausible if
/// the search covers a large part of the image or does not reach the next voxel. `parameter` is the name of
/// the radius in the warning.
pub fn doubt_about_radius(parameter: &str, radius_mm: f64, grid: &Grid) -> Option<String> {
    let (voxel, diagonal) = (voxel_of(grid), grid.diagonal());
    let voxels = radius_mm / voxel;
    let is_wide = voxels > MAX_VOXELS && radius_mm > MAX_DIAGONAL_FRACTION * diagonal;
    let is_narrow = radius_mm > 0.0 && voxels < MIN_VOXELS;
    let what =
        if is_wide { "reaches across a large part of the image" } else { "does not reach the next voxel" };
    (radius_mm.is_finite() && (is_wide || is_narrow)).then(|| {
        format!(
            "{parameter}: a search within {radius_mm} mm, {voxels:.3} voxels of {voxel:.4} mm, {what}; {CHECK}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Affine;

    fn grid(shape: [usize; 3], voxel_mm: f64) -> Grid {
        Grid::new(shape, Affine::scaling([voxel_mm; 3], [0.0; 3])).unwrap()
    }

    #[test]
    fn human_brain_defaults_give_warnings_only_at_other_scales() {
        let radius = |grid: &Grid| doubt_about_radius("‘search_radius_mm’", 4.0, grid);
        let lengths = |grid: &Grid| doubts_about_lengths(20.0, Some(250.0), grid);
        // Four plausible grids: a usual brain image, a part of an image, a brain at 0.2 mm, and a marmoset
        // brain.
        for (shape, voxel) in [
            ([96, 96, 60], 2.0),
            ([182, 218, 182], 1.0),
            ([12, 12, 12], 2.5),
            ([700, 900, 700], 0.2),
            ([200, 250, 180], 0.35),
        ] {
            let grid = grid(shape, voxel);
            assert_eq!(radius(&grid), None, "{voxel} mm");
            assert_eq!(lengths(&grid), [""; 0], "{voxel} mm");
        }
        // Three implausible grids: a mouse brain, and human images whose headers are in m and in µm.
        let mouse = grid([100, 120, 80], 0.1);
        assert!(radius(&mouse).unwrap().contains("40.000 voxels of 0.1000 mm, reaches across"));
        let doubts = lengths(&mouse);
        assert!(
            doubts.len() == 1 && doubts[0].starts_with("‘min_length_mm’: 20 mm is longer than the diagonal")
        );
        let in_metres = grid([96, 96, 60], 0.002);
        assert!(radius(&in_metres).is_some() && lengths(&in_metres).len() == 1);
        let in_micrometres = grid([96, 96, 60], 2000.0);
        assert!(radius(&in_micrometres).unwrap().contains("does not reach the next voxel"));
        assert!(lengths(&in_micrometres)[0].starts_with("‘max_length_mm’: 250 mm is shorter than a voxel"));
        assert_eq!(doubt_about_radius("‘search_radius_mm’", 0.0, &mouse), None, "nothing is searched");
        assert_eq!(doubt_about_radius("‘search_radius_mm’", f64::INFINITY, &mouse), None);
    }
}
