use super::*;
use crate::{Affine, Labels};
use std::collections::BTreeMap;

fn grid(shape: [usize; 3]) -> Grid {
    // The grid has 2 mm voxels and is rotated about z and shifted.
    let (sin, cos) = 0.3f64.sin_cos();
    let rows = [[2.0 * cos, -2.0 * sin, 0.0, -7.0], [2.0 * sin, 2.0 * cos, 0.0, 3.0], [0.0, 0.0, 2.0, 11.0]];
    Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap()
}

/// Creates an image whose five fractions are a function of the voxel coordinates.
fn image(shape: [usize; 3], of: impl Fn([usize; 3]) -> [f32; 5]) -> Volume<f32> {
    let grid = grid(shape);
    let values = (0..grid.len()).flat_map(|voxel| of(grid.coordinates(voxel))).collect();
    Volume::new(grid, 5, values).unwrap()
}

const GREY: [f32; 5] = [1.0, 0.0, 0.0, 0.0, 0.0];
const DEEP: [f32; 5] = [0.0, 1.0, 0.0, 0.0, 0.0];
const WHITE: [f32; 5] = [0.0, 0.0, 1.0, 0.0, 0.0];
const CSF: [f32; 5] = [0.0, 0.0, 0.0, 1.0, 0.0];

/// Creates an image of a ball of white matter in a shell of grey matter, surrounded by CSF. Each voxel has
/// one tissue.
fn ball(order: [[f32; 5]; 3]) -> Volume<f32> {
    image([15; 3], |at| {
        let radius = at.map(|n| (n as f64 - 7.0).powi(2)).iter().sum::<f64>().sqrt();
        match radius {
            r if r < 3.8 => order[2],
            r if r < 5.6 => order[1],
            r if r < 6.7 => order[0],
            _ => [0.0; 5],
        }
    })
}

#[test]
fn invalid_five_tissue_images_are_rejected() {
    let refused = |values: [f32; 5]| {
        let bad = image([2, 1, 1], |[x, ..]| if x == 0 { values } else { WHITE });
        FiveTissues::new(bad).unwrap_err().to_string()
    };
    assert!(
        refused([-0.01, 0.0, 1.01, 0.0, 0.0]).contains("a tissue fraction is outside 0 to 1 in 1 voxels")
    );
    assert!(
        refused([f32::NAN, 0.0, 0.0, 0.0, 0.0]).contains("a tissue fraction is outside 0 to 1 in 1 voxels")
    );
    assert!(refused([0.5, 0.0, 0.0, 0.0, 0.0]).contains("sum to neither"));
    assert!(refused([1.0, 0.0, 1.0, 0.0, 0.0]).contains("sum to neither"));
    let four = Volume::new(grid([1, 1, 1]), 4, vec![1.0, 0.0, 0.0, 0.0]).unwrap();
    assert!(FiveTissues::new(four).unwrap_err().to_string().contains("4 volumes"));
    assert!(FiveTissues::new(image([2, 1, 1], |_| [0.0; 5])).is_err());
    // Fractions outside [0, 1] by rounding errors are accepted.
    let rounded = image([2, 1, 1], |_| [-1e-4, 0.0, 0.999_6, 0.0, 0.0]);
    assert!(FiveTissues::new(rounded).is_ok());
}

#[test]
fn fractions_are_trilinear_in_scanner_space() {
    let tissues = FiveTissues::new(image([2, 1, 1], |[x, ..]| if x == 0 { DEEP } else { WHITE })).unwrap();
    let at = |x: f64| tissues.grid().affine().apply([x, 0.0, 0.0]);
    for (x, deep) in [(0.0, 1.0), (0.25, 0.75), (0.9, 0.1), (-0.4, 1.0)] {
        let fractions = tissues.fractions_at(at(x));
        assert!((fractions[1] - deep).abs() < 1e-12 && (fractions[2] - (1.0 - deep)).abs() < 1e-12, "{x}");
    }
    assert_eq!(tissues.fractions_at(at(-0.6)), [0.0; 5]);
    assert_eq!(tissues.dominant(1), Some(FiveTissue::White));
    assert!(tissues.has_sub_cortical());
    // A voxel has 8 mm³.
    assert!((tissues.volume_of(FiveTissue::White) - 8.0).abs() < 1e-12);
}

#[test]
fn tissue_orders_of_other_programs_are_detected() {
    let doubt = |order| FiveTissues::new(ball(order)).unwrap().order_doubt();
    assert_eq!(doubt([CSF, GREY, WHITE]), None);
    // FSL's FAST writes its volumes in the order CSF, grey matter, white matter.
    assert!(doubt([GREY, DEEP, WHITE]).unwrap().contains("sub-cortical"));
    // The volumes are in the order white matter, grey matter, CSF.
    assert!(doubt([WHITE, GREY, CSF]).unwrap().contains("outer face"));
}

#[test]
fn resampled_fractions_are_normalised() {
    let resampled = image([3, 1, 1], |[x, ..]| {
        [[-0.1, 0.0, 0.6, 0.2, 0.0], [0.0, 0.0, 0.3, 0.1, 0.0], [0.0, f32::NAN, 2.0, f32::INFINITY, 0.0]][x]
    });
    let tissues = FiveTissues::renormalised(resampled).unwrap();
    assert_eq!(tissues.fractions(0), [0.0, 0.0, 0.75, 0.25, 0.0]);
    assert_eq!(tissues.fractions(1), [0.0; 5]);
    assert_eq!(tissues.fractions(2), WHITE);
    assert_eq!(tissues.dominant(1), None);
}

/// Creates a map with one given value in each of four voxels.
fn map(values: [f32; 4]) -> Volume<f32> {
    Volume::new(grid([4, 1, 1]), 1, values.to_vec()).unwrap()
}

#[test]
fn tissue_maps_become_a_five_tissue_image() {
    let (grey, white) = (map([0.6, 0.3, 0.2, 0.1]), map([0.4, 0.7, 0.1, 0.0]));
    let (csf, deep, lesion) =
        (map([0.0, 0.0, 0.1, 0.1]), map([0.6, 1.0, 0.0, 0.0]), map([0.0, 0.0, 0.8, 0.0]));
    let alone = TissueMaps { grey: &grey, white: &white, csf: &csf, sub_cortical: None, pathological: None };
    let tissues = FiveTissues::from_maps(&alone).unwrap();
    assert!(!tissues.has_sub_cortical());
    assert_eq!(tissues.fractions(0), [0.6, 0.0, 0.4, 0.0, 0.0]);
    // If the fractions sum to 0.4, less than half, the voxel is outside the brain.
    assert_eq!(tissues.fractions(2), [0.0; 5]);
    let all = TissueMaps { sub_cortical: Some(&deep), pathological: Some(&lesion), ..alone };
    let tissues = FiveTissues::from_maps(&all).unwrap();
    let close = |voxel: usize, expected: [f32; 5]| {
        let found = tissues.fractions(voxel);
        // The tolerance allows a few rounding errors of single precision.
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{voxel}: {found:?}");
    };
    close(0, [0.0, 0.6, 0.4, 0.0, 0.0]);
    close(1, DEEP);
    // Cortical grey matter, white matter and CSF share the remaining fifth of the voxel.
    close(2, [0.1, 0.0, 0.05, 0.05, 0.8]);
}

#[test]
fn inconsistent_tissue_maps_are_rejected() {
    let good = map([1.0, 0.0, 0.5, 0.5]);
    let says = |white: &Volume<f32>| {
        let maps = TissueMaps { grey: &good, white, csf: &good, sub_cortical: None, pathological: None };
        FiveTissues::from_maps(&maps).unwrap_err().to_string()
    };
    assert!(says(&map([1.1, 0.0, 0.0, 0.0])).starts_with("‘white_matter’: the map has the value 1.1"));
    assert!(says(&map([f32::NAN, 0.0, 0.0, 0.0])).starts_with("‘white_matter’: the map has the value NaN"));
    assert!(says(&Volume::filled(grid([3, 1, 1]), 1, 0.0)).starts_with("‘white_matter’: the voxel grid"));
    assert!(
        says(&Volume::filled(grid([4, 1, 1]), 2, 0.0))
            .starts_with("‘white_matter’: the tissue map has 2 volumes, not one")
    );
    let nothing = map([0.0; 4]);
    let empty =
        TissueMaps { grey: &nothing, white: &nothing, csf: &nothing, sub_cortical: None, pathological: None };
    assert!(
        FiveTissues::from_maps(&empty)
            .unwrap_err()
            .to_string()
            .starts_with("tissue maps: all tissue fractions are 0")
    );
}

#[test]
fn freesurfer_segmentations_become_tissues() {
    let numbers = [0, 2, 1001, 10, 4, 77, 1_000_000, 27];
    let labels = Labels::new(grid([8, 1, 1]), numbers.to_vec(), BTreeMap::new()).unwrap();
    let (tissues, unknown) = FiveTissues::from_free_surfer(&labels).unwrap();
    assert_eq!(unknown, [27, 1_000_000]);
    let found: Vec<_> = (0..8).map(|voxel| tissues.dominant(voxel)).collect();
    let [grey, deep, white, csf, lesion] = FiveTissue::ALL.map(Some);
    assert_eq!(found, [None, white, grey, deep, csf, lesion, None, None]);
    let other = Labels::new(grid([2, 1, 1]), vec![0, 99], BTreeMap::new()).unwrap();
    assert!(FiveTissues::from_free_surfer(&other).unwrap_err().to_string().contains("aparc+aseg"));
}

#[test]
fn the_interface_is_between_grey_and_white_matter() {
    // The tissues along x: CSF, grey matter, half grey and half white matter, white matter twice, CSF, grey
    // matter.
    let mixed = [0.5, 0.0, 0.5, 0.0, 0.0];
    let row = [CSF, GREY, mixed, WHITE, WHITE, CSF, GREY];
    let tissues = FiveTissues::new(image([7, 1, 1], |[x, ..]| row[x])).unwrap();
    // Next to the fifth voxel, white matter ends but no grey matter begins. The sixth voxel is between white
    // and grey matter but contains CSF.
    let found = tissues.interface();
    let expected = [0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.0];
    for (x, (found, expected)) in found.values().iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-6, "{x}: {found} {expected}");
    }
}

#[test]
fn points_move_onto_the_interface() {
    let tissues = FiveTissues::new(ball([CSF, GREY, WHITE])).unwrap();
    let centre = tissues.grid().affine().apply([7.0; 3]);
    let mut found = 0;
    for n in 0..40 {
        let (angle, z) = (f64::from(n) * 2.4, f64::from(n) / 20.0 - 0.975);
        let around = (1.0 - z * z).sqrt();
        // The start is 7.6 mm from the centre of a ball of white matter with a radius of 7.6 mm, to within a
        // voxel.
        let start =
            [0, 1, 2].map(|axis| centre[axis] + 7.6 * [around * angle.cos(), around * angle.sin(), z][axis]);
        if let Some(point) = tissues.on_interface(start) {
            let [cortical, sub_cortical, white, ..] = tissues.fractions_at(point);
            assert!((cortical + sub_cortical - white).abs() < 1e-4);
            let moved = (0..3).map(|axis| (point[axis] - start[axis]).powi(2)).sum::<f64>().sqrt();
            assert!(moved < 3.0, "{moved}");
            found += 1;
        }
    }
    // At a few kinks of the trilinear function, Newton's method oscillates and finds no point.
    assert!(found >= 36, "{found}");
    // At the centre of the ball the fractions do not change; outside the image there is no tissue. Both give
    // no point.
    assert_eq!(tissues.on_interface(centre), None);
    assert_eq!(tissues.on_interface([1000.0, 0.0, 0.0]), None);
}
