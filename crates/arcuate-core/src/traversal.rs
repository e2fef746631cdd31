use crate::{Grid, Point};

impl Grid {
    /// Calls `visit` with every voxel that the straight segment from `from` to `to` (RAS mm) passes through,
    /// in order.
    ///
    /// If a coordinate of the segment is not finite, `visit` is not called. See
    /// [`for_each_piece_between`](Self::for_each_piece_between) for details.
    pub fn for_each_voxel_between(&self, from: Point, to: Point, mut visit: impl FnMut(usize)) {
        let voxel_coordinates = |point: Point| self.inverse().apply(point.map(f64::from));
        self.for_each_piece_between(voxel_coordinates(from), voxel_coordinates(to), |voxel, _, _| {
            visit(voxel);
        });
    }

    /// Calls `visit(voxel, t₀, t₁)` with every voxel that the straight segment `from + t · (to − from)`, 0 ≤
    /// t ≤ 1, passes through, in order. The piece t₀ ≤ t ≤ t₁ of the segment is in that voxel, and t₁ is the
    /// t₀ of the next voxel. `from` and `to` are voxel coordinates, as given by [`inverse`](Self::inverse).
    /// Voxel (i, j, k) has its centre at (i, j, k) and extends half an edge around it.
    ///
    /// This is the exact traversal of Amanatides and Woo ("A fast voxel traversal algorithm for ray tracing",
    /// Eurographics 1987). The traversal goes from one voxel face to the next and misses no voxel, however
    /// short the piece. At an edge or corner of a voxel, the segment changes to the next voxel along one axis
    /// at a time (x before y before z). Therefore, some voxels get a piece of length 0. Parts of a segment
    /// outside the image are skipped. A segment with a coordinate that is not finite is skipped, too.
    #[inline]
    pub fn for_each_piece_between(
        &self,
        from: [f64; 3],
        to: [f64; 3],
        mut visit: impl FnMut(usize, f64, f64),
    ) {
        // In these coordinates, voxel (i, j, k) covers [i, i + 1) × [j, j + 1) × [k, k + 1).
        let (start, end) = (from.map(|c| c + 0.5), to.map(|c| c + 0.5));
        let step: [f64; 3] = std::array::from_fn(|axis| end[axis] - start[axis]);
        if step.iter().chain(&start).any(|c| !c.is_finite()) {
            return;
        }
        let Some((enter, leave)) = self.part_inside(start, step) else { return };

        let shape = self.shape();
        let voxel_at = |t: f64| -> [usize; 3] {
            std::array::from_fn(|axis| {
                // The clamp corrects the voxel if rounding places the start on the wrong side of an image
                // face.
                let cell = (start[axis] + t * step[axis]).floor();
                cell.clamp(0.0, (shape[axis] - 1) as f64) as usize
            })
        };
        let (mut voxel, last) = (voxel_at(enter), voxel_at(leave));
        // The number of voxel faces that remain along each axis is counted, so that the traversal ends in the
        // last voxel despite rounding errors. `next` is, for each axis, the position along the segment of the
        // next voxel face.
        let mut remaining: [usize; 3] = std::array::from_fn(|axis| voxel[axis].abs_diff(last[axis]));
        let next_face = |axis: usize, cell: usize| {
            let face = if step[axis] > 0.0 { cell + 1 } else { cell };
            (face as f64 - start[axis]) / step[axis]
        };
        let mut next: [f64; 3] = std::array::from_fn(|axis| {
            if remaining[axis] > 0 { next_face(axis, voxel[axis]) } else { f64::INFINITY }
        });
        let mut here = enter;
        while remaining != [0; 3] {
            let axis = (0..3)
                .filter(|&axis| remaining[axis] > 0)
                .reduce(|a, b| if next[b] < next[a] { b } else { a })
                .unwrap_or(0);
            // The position is clamped so that, despite rounding, no piece of the segment ends before it
            // begins.
            let face = next[axis].clamp(here, leave);
            visit(self.index(voxel), here, face);
            here = face;
            voxel[axis] = if step[axis] > 0.0 { voxel[axis] + 1 } else { voxel[axis] - 1 };
            remaining[axis] -= 1;
            next[axis] = if remaining[axis] > 0 { next_face(axis, voxel[axis]) } else { f64::INFINITY };
        }
        visit(self.index(voxel), here, leave);
    }

    /// Writes the voxels that a streamline (RAS mm) passes through to `voxels`, each once, ascending. A
    /// single point gives the voxel that contains it.
    pub fn voxels_along(&self, streamline: &[Point], voxels: &mut Vec<usize>) {
        voxels.clear();
        if let [point] = streamline {
            voxels.extend(self.voxel_at(point.map(f64::from)));
        }
        for pair in streamline.windows(2) {
            self.for_each_voxel_between(pair[0], pair[1], |voxel| {
                if voxels.last() != Some(&voxel) {
                    voxels.push(voxel);
                }
            });
        }
        voxels.sort_unstable();
        voxels.dedup();
    }

    /// The part of the segment `start + t · step`, 0 ≤ t ≤ 1, that is inside the image, as a range of t. In
    /// these voxel coordinates, voxel (i, j, k) begins at the corner (i, j, k).
    fn part_inside(&self, start: [f64; 3], step: [f64; 3]) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        let size = self.shape().map(|n| n as f64);
        let is_inside = |c: f64, axis: usize| c >= 0.0 && c < size[axis];
        if (0..3).all(|axis| is_inside(start[axis], axis) && is_inside(start[axis] + step[axis], axis)) {
            // Usually both ends are inside the image. This early return saves six divisions.
            return Some((enter, leave));
        }
        for axis in 0..3 {
            let size = size[axis];
            if step[axis] == 0.0 {
                if !(start[axis] >= 0.0 && start[axis] < size) {
                    return None;
                }
                continue;
            }
            let (a, b) = (-start[axis] / step[axis], (size - start[axis]) / step[axis]);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        // A segment that only touches the image's far face is in no voxel, since voxels do not include their
        // upper faces.
        let touches_far_face = enter >= leave
            && (0..3).any(|axis| start[axis] + enter * step[axis] >= self.shape()[axis] as f64);
        (enter <= leave && !touches_far_face).then_some((enter, leave))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Affine;
    use proptest::prelude::*;

    fn oblique() -> Grid {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -6.0], [0.15, 0.45, 2.4, -8.0]]);
        Grid::new([7, 6, 5], affine.unwrap()).unwrap()
    }

    fn walk(grid: &Grid, from: Point, to: Point) -> Vec<usize> {
        let mut seen = Vec::new();
        grid.for_each_voxel_between(from, to, |voxel| seen.push(voxel));
        seen
    }

    /// Generates points within two voxels around the image, from a small linear congruential generator.
    fn points(count: usize) -> Vec<Point> {
        let mut state = 12345u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        let grid = oblique();
        (0..count)
            .map(|_| {
                let voxel = grid.shape().map(|n| uniform() * (n as f64 + 4.0) - 2.5);
                grid.affine().apply(voxel).map(|c| c as f32)
            })
            .collect()
    }

    #[test]
    fn the_traversal_finds_all_voxels_of_dense_sampling_in_neighbour_steps() {
        let grid = oblique();
        for pair in points(2001).windows(2) {
            let seen = walk(&grid, pair[0], pair[1]);
            for two in seen.windows(2) {
                let (a, b) = (grid.coordinates(two[0]), grid.coordinates(two[1]));
                let moved: usize = (0..3).map(|axis| a[axis].abs_diff(b[axis])).sum();
                assert_eq!(moved, 1, "consecutive voxels share a face");
            }
            let mut sorted = seen.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), seen.len(), "a straight line enters a voxel once");
            for n in 0..=400 {
                let t = f64::from(n) / 400.0;
                let at: [f64; 3] = std::array::from_fn(|axis| {
                    f64::from(pair[0][axis]) * (1.0 - t) + f64::from(pair[1][axis]) * t
                });
                let inside = grid.inverse().apply(at);
                // Sample points within 1e-9 of a voxel face may be rounded to either side of the face.
                let on_face = inside.iter().any(|c| ((c + 0.5) - (c + 0.5).round()).abs() < 1e-9);
                if let Some(voxel) = grid.voxel_at(at)
                    && !on_face
                {
                    assert!(seen.contains(&voxel), "{pair:?} misses {voxel}");
                }
            }
        }
    }

    #[test]
    fn reversed_segments_pass_the_same_voxels() {
        let grid = oblique();
        for pair in points(500).windows(2) {
            let mut there = walk(&grid, pair[0], pair[1]);
            let mut back = walk(&grid, pair[1], pair[0]);
            there.sort_unstable();
            back.sort_unstable();
            assert_eq!(there, back);
        }
    }

    #[test]
    fn pieces_are_consecutive_and_inside_their_voxels() {
        let grid = oblique();
        for pair in points(2001).windows(2) {
            let ends = [pair[0], pair[1]].map(|point| grid.inverse().apply(point.map(f64::from)));
            let at = |t: f64| -> [f64; 3] {
                std::array::from_fn(|axis| ends[0][axis] + t * (ends[1][axis] - ends[0][axis]))
            };
            let (mut voxels, mut here) = (Vec::new(), None);
            grid.for_each_piece_between(ends[0], ends[1], |voxel, from, to| {
                assert!(here.is_none_or(|end| end == from) && from <= to);
                here = Some(to);
                let centre = grid.coordinates(voxel).map(|c| c as f64);
                for point in [at(from), at(to)] {
                    // The tolerance allows for rounding errors of coordinates up to 10 voxels, which are
                    // about 1e-15 voxels. If the segment meets a voxel face at a small angle, a division
                    // increases this rounding error.
                    let beyond = (0..3).map(|axis| (point[axis] - centre[axis]).abs() - 0.5);
                    assert!(beyond.fold(0.0, f64::max) < 1e-12);
                }
                voxels.push(voxel);
            });
            assert_eq!(voxels, walk(&grid, pair[0], pair[1]));
        }
    }

    #[test]
    fn segments_along_faces_outside_the_grid_and_of_zero_length() {
        let grid = Grid::new([4, 4, 4], Affine::identity()).unwrap();
        // The segment runs along a face, which belongs to the upper voxel.
        assert_eq!(walk(&grid, [0.0, 0.5, 0.0], [3.0, 0.5, 0.0]), [4, 5, 6, 7]);
        assert_eq!(walk(&grid, [1.0; 3], [1.0; 3]), [21]);
        assert!(walk(&grid, [-5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]).is_empty());
        assert!(walk(&grid, [3.5, 0.0, 0.0], [9.0, 0.0, 0.0]).is_empty());
        assert_eq!(walk(&grid, [-0.5, 0.0, 0.0], [-9.0, 0.0, 0.0]), [0]);
        assert_eq!(walk(&grid, [-1e7, 0.0, 0.0], [1e7, 0.0, 0.0]), [0, 1, 2, 3]);
        // In a segment of this length, positions of different voxels are equal in double precision, but the
        // traversal still terminates.
        assert!(walk(&grid, [-1e30, 0.0, 0.0], [1e30, 0.0, 0.0]).len() <= 4);
        assert!(walk(&grid, [f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]).is_empty());
    }

    #[test]
    fn a_streamline_counts_a_voxel_once() {
        let grid = Grid::new([4, 4, 4], Affine::identity()).unwrap();
        let mut voxels = vec![99];
        grid.voxels_along(&[[0.0; 3], [3.0, 0.0, 0.0], [0.0; 3]], &mut voxels);
        assert_eq!(voxels, [0, 1, 2, 3]);
        grid.voxels_along(&[[1.2, 0.0, 0.0]], &mut voxels);
        assert_eq!(voxels, [1]);
        grid.voxels_along(&[], &mut voxels);
        assert!(voxels.is_empty());
    }

    proptest! {
        /// The pieces of a segment follow each other without gaps. Neighbouring pieces are in voxels that share a face, and
        /// the middle of each piece is in the voxel of that piece.
        #[test]
        fn pieces_of_segments_are_in_their_voxels(from in anywhere(), to in anywhere()) {
            let grid = oblique();
            let mut pieces: Vec<(usize, f64, f64)> = Vec::new();
            grid.for_each_piece_between(from, to, |voxel, start, end| pieces.push((voxel, start, end)));
            let along = |t: f64| -> [f64; 3] { std::array::from_fn(|n| from[n] + t * (to[n] - from[n])) };
            for &(voxel, start, end) in &pieces {
                prop_assert!(0.0 <= start && start <= end && end <= 1.0);
                // Shorter pieces may be on the other side of a face because of rounding.
                if end - start > 1e-9 {
                    prop_assert_eq!(grid.voxel_containing(along(0.5 * (start + end))), Some(voxel));
                }
            }
            for pair in pieces.windows(2) {
                prop_assert_eq!(pair[0].2, pair[1].1);
                let [a, b] = [pair[0].0, pair[1].0].map(|voxel| grid.coordinates(voxel));
                let steps: usize = (0..3).map(|axis| a[axis].abs_diff(b[axis])).sum();
                prop_assert_eq!(steps, 1);
            }
            // Everything outside the pieces is outside the image.
            let covered = pieces.first().zip(pieces.last()).map(|(first, last)| (first.1, last.2));
            for n in 0..=100 {
                let t = f64::from(n) / 100.0;
                let is_covered = covered.is_some_and(|(start, end)| start - 1e-9 <= t && t <= end + 1e-9);
                prop_assert!(is_covered || grid.voxel_containing(along(t)).is_none());
            }
        }
    }

    /// Voxel coordinates in the image of 7 × 6 × 5 voxels, and up to two voxels outside. Half of the points are on faces, edges
    /// and corners.
    fn anywhere() -> impl Strategy<Value = [f64; 3]> {
        let coordinate = |count: i32| {
            let end = f64::from(count) + 1.5;
            prop_oneof![-2.5..end, (-2..=count).prop_map(|n| f64::from(n) - 0.5)]
        };
        [coordinate(7).boxed(), coordinate(6).boxed(), coordinate(5).boxed()]
    }
}
