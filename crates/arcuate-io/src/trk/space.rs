//! Converts between scanner coordinates and the coordinates of `.trk` files. These are distances in mm from
//! the corner of the first voxel, along axes that the header states.
//!
//! The crate `trk-io` computes these coordinates too, but in single precision. For strongly oblique images,
//! it can assign the same world axis to two voxel axes, because it clears a column of a matrix instead of a
//! row. It also panics if the header has an unknown axis letter.

use arcuate_core::{Affine, Result};
use nalgebra::Matrix3;

/// For each voxel axis: the index of its world axis (0 R–L, 1 A–P, 2 S–I), and true if the voxel axis points
/// towards R, A or S.
pub(super) type Orientation = [(usize, bool); 3];

const LETTERS: [[u8; 2]; 3] = [*b"LR", *b"PA", *b"IS"];

/// Returns the assignment of voxel axes to world axes that is closest to an affine. The polar decomposition
/// of the affine gives its rotation. Each voxel axis then gets the world axis with which it makes the
/// smallest angle. The best aligned voxel axis is assigned first, and no world axis is used twice. The rules
/// are those of nibabel, so both programs give the same orientation for every image.
pub(super) fn closest_orientation(affine: &Affine) -> Orientation {
    let axes = affine.axes();
    let unit = Matrix3::from_fn(|row, column| axes[column][row]);
    let svd = unit.svd(true, true);
    let mut rotation = match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) => u * v_t,
        _ => unit,
    };
    let strength = |column: usize| (0..3).map(|row| rotation[(row, column)].powi(2)).fold(0.0, f64::max);
    let strengths: [f64; 3] = std::array::from_fn(strength);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
    let mut orientation = [(0, true); 3];
    let mut free = [true; 3];
    for column in order {
        let best = (0..3)
            .filter(|&row| free[row])
            .max_by(|&a, &b| {
                rotation[(a, column)].abs().total_cmp(&rotation[(b, column)].abs()).then(b.cmp(&a))
            })
            .unwrap_or(0);
        free[best] = false;
        orientation[column] = (best, rotation[(best, column)] >= 0.0);
        rotation.row_mut(best).fill(0.0);
    }
    orientation
}

/// Returns an orientation as three letters, such as `LAS`: the direction to which each voxel axis points.
pub(super) fn letters(orientation: &Orientation) -> [u8; 3] {
    orientation.map(|(axis, positive)| LETTERS[axis][usize::from(positive)])
}

/// Returns the orientation that three letters such as `LAS` state. Returns `None` if they do not name each
/// world axis once.
pub(super) fn parse_letters(letters: &[u8]) -> Option<Orientation> {
    let mut orientation = [(0, true); 3];
    let mut seen = [false; 3];
    if letters.len() != 3 {
        return None;
    }
    for (place, letter) in orientation.iter_mut().zip(letters) {
        let letter = letter.to_ascii_uppercase();
        let axis = LETTERS.iter().position(|pair| pair.contains(&letter))?;
        if std::mem::replace(&mut seen[axis], true) {
            return None;
        }
        *place = (axis, letter == LETTERS[axis][1]);
    }
    Some(orientation)
}

/// Returns the affine from the coordinates of a `.trk` file to RAS mm. The coordinates of the file are
/// distances in mm from the voxel corner, along the axes that the header field `voxel_order` states.
///
/// If the `voxel_order` of a header only reverses axes of the affine, it has only one interpretation. If it
/// also swaps axes, programs assign the voxel sizes to different axes. Arcuate does the same as nibabel, dipy
/// and `trk-io`.
pub(super) fn to_ras_mm(
    voxel_to_ras: &Affine,
    voxel_sizes: [f64; 3],
    shape: [usize; 3],
    order: &Orientation,
) -> Result<Affine> {
    let actual = closest_orientation(voxel_to_ras);
    let mut rows = [[0.0; 4]; 3];
    for (axis, &(world, positive)) in order.iter().enumerate() {
        let from = actual.iter().position(|&(other, _)| other == world).unwrap_or(axis);
        let (sign, shift) =
            if actual[from].1 == positive { (1.0, 0.0) } else { (-1.0, shape[axis] as f64 - 1.0) };
        // The voxel coordinate along the axis `from` is mm / size − ½, because the coordinates of `.trk`
        // files begin at the corner of a voxel.
        rows[axis][from] = sign / voxel_sizes[from];
        rows[axis][3] = shift - sign * 0.5;
    }
    Ok(voxel_to_ras.after(&Affine::from_rows(rows)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_name_the_axes() {
        let las =
            Affine::from_rows([[-2.0, 0.1, 0.0, 0.0], [0.1, 3.0, 0.2, 0.0], [0.0, -0.2, 2.5, 0.0]]).unwrap();
        assert_eq!(&letters(&closest_orientation(&las)), b"LAS");
        let sagittal =
            Affine::from_rows([[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]]).unwrap();
        assert_eq!(&letters(&closest_orientation(&sagittal)), b"PIR");
        for order in [b"LAS", b"PIR", b"RAS"] {
            assert_eq!(&letters(&parse_letters(order).unwrap()), order);
        }
        assert_eq!(parse_letters(b"RRS"), None);
        assert_eq!(parse_letters(b"R?S"), None);
        assert_eq!(parse_letters(b"RA"), None);
    }

    #[test]
    fn no_world_axis_is_named_twice_in_a_doubly_oblique_image() {
        // In this affine, the component of each voxel axis along the first world axis is about 0.7. If each
        // voxel axis simply got the nearest world axis, two of them would get the first one.
        let leaning =
            Affine::from_rows([[0.70, 0.69, 0.71, 0.0], [0.51, -0.72, 0.1, 0.0], [0.5, 0.1, -0.69, 0.0]])
                .unwrap();
        let mut axes = closest_orientation(&leaning).map(|(axis, _)| axis);
        axes.sort_unstable();
        assert_eq!(axes, [0, 1, 2]);
    }

    #[test]
    fn the_corner_of_the_first_voxel_is_the_origin() {
        let affine = Affine::scaling([2.0, 3.0, 4.0], [10.0, 20.0, 30.0]);
        let ras = closest_orientation(&affine);
        let to_ras = to_ras_mm(&affine, [2.0, 3.0, 4.0], [5, 6, 7], &ras).unwrap();
        assert_eq!(to_ras.apply([0.0; 3]), [9.0, 18.5, 28.0]);
        assert_eq!(to_ras.apply([1.0, 1.5, 2.0]), [10.0, 20.0, 30.0]);
        // The same point has another x coordinate, because x is counted from the other end of the image,
        // which is 5 × 2 mm wide.
        let las = parse_letters(b"LAS").unwrap();
        let flipped = to_ras_mm(&affine, [2.0, 3.0, 4.0], [5, 6, 7], &las).unwrap();
        assert_eq!(flipped.apply([10.0 - 1.0, 1.5, 2.0]), [10.0, 20.0, 30.0]);
    }
}
