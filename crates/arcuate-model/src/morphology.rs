//! Morphology of sets of voxels: connected components, holes and gaps. A set has one `bool` per voxel, and
//! the index of x changes fastest.

/// Returns the indices of the voxels that share a face with a voxel. Inside the image, these are six voxels,
/// and at its border fewer.
fn neighbours(index: usize, [nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = usize> {
    let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny));
    [
        (x > 0, index.wrapping_sub(1)),
        (x + 1 < nx, index + 1),
        (y > 0, index.wrapping_sub(nx)),
        (y + 1 < ny, index + nx),
        (z > 0, index.wrapping_sub(nx * ny)),
        (z + 1 < nz, index + nx * ny),
    ]
    .into_iter()
    .filter_map(|(inside, neighbour)| inside.then_some(neighbour))
}

/// Returns the largest connected component of a set of voxels. Voxels are connected if they share a face. If
/// several components have the largest size, the first one is returned. For an empty set, returns an empty
/// set.
pub(crate) fn largest_component(set: &[bool], shape: [usize; 3]) -> Vec<bool> {
    let mut left = set.to_vec();
    let mut largest = Vec::new();
    for start in 0..set.len() {
        if left[start] {
            let component = take_component(&mut left, start, shape);
            if component.len() > largest.len() {
                largest = component;
            }
        }
    }
    let mut out = vec![false; set.len()];
    for index in largest {
        out[index] = true;
    }
    out
}

/// Removes the connected component that contains the voxel `start` from the set of voxels. Returns the voxels
/// of this component.
fn take_component(set: &mut [bool], start: usize, shape: [usize; 3]) -> Vec<usize> {
    set[start] = false;
    let mut component = vec![start];
    let mut next = 0;
    while let Some(&index) = component.get(next) {
        for neighbour in neighbours(index, shape) {
            if set[neighbour] {
                set[neighbour] = false;
                component.push(neighbour);
            }
        }
        next += 1;
    }
    component
}

/// Fills the holes of a set of voxels. A hole consists of voxels outside the set. No path from face neighbour
/// to face neighbour outside the set connects a hole to the image's border along x or y.
///
/// Connections of a hole to the border of the image along z do not count, because a slab of slices cuts the
/// ventricles open there.
pub(crate) fn fill_holes(set: &[bool], shape: [usize; 3]) -> Vec<bool> {
    let [nx, ny, _] = shape;
    let mut outside: Vec<bool> = set.iter().map(|inside| !inside).collect();
    let mut filled = vec![true; set.len()];
    for start in 0..set.len() {
        let (x, y) = (start % nx, start / nx % ny);
        let border = x == 0 || x + 1 == nx || y == 0 || y + 1 == ny;
        if border && outside[start] {
            for index in take_component(&mut outside, start, shape) {
                filled[index] = false;
            }
        }
    }
    filled
}

/// Closes a set of voxels with a ball of `radius` voxels (dilation, then erosion). Gaps that the ball cannot
/// enter become part of the set. Voxels beyond the image count as outside the set.
pub(crate) fn close(set: &[bool], shape: [usize; 3], radius: usize) -> Vec<bool> {
    if radius == 0 {
        return set.to_vec();
    }
    let [nx, ny, nz] = shape;
    let [px, py, pz] = shape.map(|n| n + 2 * radius);
    let width = 2 * radius + 1;
    // The offsets of the ball's voxels are relative to the corner of the box around the ball, so that no
    // offset is negative.
    let ball: Vec<usize> = (0..width.pow(3))
        .map(|n| [n % width, n / width % width, n / (width * width)])
        .filter(|offset| offset.iter().map(|&o| o.abs_diff(radius).pow(2)).sum::<usize>() <= radius * radius)
        .map(|[x, y, z]| x + px * (y + py * z))
        .collect();
    // The image is extended by `radius` voxels on every side. In the extended image, the corner of the box
    // around a voxel has the coordinates that the voxel has in the original image.
    let corner = |index: usize| index % nx + px * (index / nx % ny + py * (index / (nx * ny)));
    let mut dilated = vec![false; px * py * pz];
    for (index, _) in set.iter().enumerate().filter(|(_, inside)| **inside) {
        for offset in &ball {
            dilated[corner(index) + offset] = true;
        }
    }
    (0..nx * ny * nz).map(|index| ball.iter().all(|offset| dilated[corner(index) + offset])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Parses a set of voxels from one string per slice (z). In a string, the rows of voxels are separated by
    /// spaces, and `#` marks the voxels of the set.
    fn set(planes: &[&str]) -> (Vec<bool>, [usize; 3]) {
        let rows: Vec<&str> = planes[0].split(' ').collect();
        let shape = [rows[0].len(), rows.len(), planes.len()];
        let flags = planes.iter().flat_map(|plane| plane.chars().filter(|&c| c != ' ').map(|c| c == '#'));
        (flags.collect(), shape)
    }

    #[test]
    fn the_largest_component_is_joined_by_faces() {
        // The largest component of the set has four voxels in both slices. The set also has three voxels that
        // touch this component by an edge only, and an isolated voxel.
        let (flags, shape) = set(&["##..# #.#.. ..##.", "#.... ..... ....."]);
        let (expected, _) = set(&["##... #.... .....", "#.... ..... ....."]);
        assert_eq!(largest_component(&flags, shape), expected);
        assert_eq!(largest_component(&[false; 6], [3, 2, 1]), [false; 6]);
    }

    #[test]
    fn holes_cut_open_by_a_slab_are_filled() {
        // The notch in the last row of the first slice is open along y, and therefore no hole. The cavity is
        // open along z only, and therefore a hole.
        let (flags, shape) = set(&["..... .###. .#.#. .###. .#.#.", ".###. ##.## #...# ##.## .###."]);
        let (expected, _) = set(&["..... .###. .###. .###. .#.#.", ".###. ##### ##### ##### .###."]);
        assert_eq!(fill_holes(&flags, shape), expected);
    }

    #[test]
    fn closing_bridges_a_gap_and_rounds_no_corner() {
        let (flags, shape) = set(&["##.## ##.## ##.##"; 3]);
        assert_eq!(close(&flags, shape, 0), flags);
        let closed = close(&flags, shape, 1);
        // The middle of the gap between the two parts of the set is filled. The ends of the gap are open to
        // the outside and remain open.
        let (expected, _) = set(&["##.## ##.## ##.##", "##.## ##### ##.##", "##.## ##.## ##.##"]);
        assert_eq!(closed, expected);
    }

    proptest! {
        /// Tests that closing a set only adds voxels, and that closing twice has the same result as closing
        /// once.
        #[test]
        fn closing_is_extensive_and_idempotent(
            flags in proptest::collection::vec(any::<bool>(), 6 * 5 * 4),
            radius in 0usize..3,
        ) {
            let shape = [6, 5, 4];
            let once = close(&flags, shape, radius);
            prop_assert!(flags.iter().zip(&once).all(|(before, after)| *after || !before));
            prop_assert_eq!(&close(&once, shape, radius), &once);
        }
    }
}
