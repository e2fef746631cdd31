//! Converts the points of streamlines to the segments of COMMIT. This module has the work of one task (one of
//! several that run in parallel).

use super::blur::{Copy, Frame};
use super::{Segment, SegmentOptions};
use arcuate_core::{Grid, Mask, Point, high_half, low_half, narrow};
use arcuate_numbers::vector3::{cross, dot};

/// When a task has found this number of segments, it sorts them into a chunk and begins the next chunk.
const CHUNK: usize = 1 << 22;

/// If the directions of two pieces of a streamline differ by less than this angle (rad), the pieces are
/// joined. Single-precision points with a distance of 1 mm do not resolve smaller angles.
const SAME_DIRECTION: f64 = 1e-6;

/// Segments of consecutive streamlines, sorted by voxel, then by streamline, then along the streamline.
pub(super) struct Chunk {
    /// The voxels with segments, ascending. Each entry has the voxel's grid index, and the index at which the
    /// segments of the voxel end.
    pub(super) voxels: Vec<(u32, u32)>,
    pub(super) segments: Vec<Segment>,
}

/// Numbers and total lengths of the streamlines that were converted to segments. Sums of these do not depend
/// on the distribution of streamlines among tasks.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) streamlines: usize,
    pub(super) wrong_length: usize,
    pub(super) not_finite: usize,
    pub(super) first_not_finite: Option<usize>,
    pub(super) outside: usize,
    /// Total length inside the mask, in millionths of a mm. The sum of these integers does not depend on the
    /// order of streamlines.
    pub(super) inside_length: u64,
    pub(super) outside_length: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Self) {
        self.streamlines += other.streamlines;
        self.wrong_length += other.wrong_length;
        self.not_finite += other.not_finite;
        self.first_not_finite = self.first_not_finite.or(other.first_not_finite);
        self.outside += other.outside;
        self.inside_length = self.inside_length.saturating_add(other.inside_length);
        self.outside_length = self.outside_length.saturating_add(other.outside_length);
    }
}

/// A task that converts streamlines to segments: its options, and the segments that it has found so far.
pub(super) struct Task<'a> {
    mask: &'a Mask,
    grid: Grid,
    options: &'a SegmentOptions,
    copies: &'a [Copy],
    found: Vec<(u32, Segment)>,
    /// The last piece of a streamline that was found, which the next piece may extend. The fields are the
    /// index of its voxel, and its vector in mm.
    open: Option<(u32, [f64; 3])>,
    /// The pieces of an edge, from all parallel copies of the streamline. Each entry has a voxel and the part
    /// of the edge's length in this voxel.
    parts: Vec<(u32, f64)>,
    chunks: Vec<Chunk>,
    tally: Tally,
}

impl<'a> Task<'a> {
    pub(super) fn new(mask: &'a Mask, options: &'a SegmentOptions, copies: &'a [Copy]) -> Self {
        Self {
            mask,
            grid: *mask.grid(),
            options,
            copies,
            found: Vec::new(),
            open: None,
            parts: Vec::new(),
            chunks: Vec::new(),
            tally: Tally::default(),
        }
    }

    pub(super) fn streamline(&mut self, points: &[Point], number: usize) {
        self.tally.streamlines += 1;
        if points.iter().flatten().any(|c| !c.is_finite()) {
            self.tally.not_finite += 1;
            self.tally.first_not_finite.get_or_insert(number);
            return;
        }
        let length = arcuate_core::length(points);
        if length < self.options.minimum_length || length > self.options.maximum_length {
            self.tally.wrong_length += 1;
            return;
        }
        let before = (self.chunks.len(), self.found.len());
        let inside = if self.copies.len() == 1 {
            self.pieces(points, narrow::<u32>(number))
        } else {
            self.blurred_pieces(points, narrow::<u32>(number))
        };
        self.tally.outside += usize::from(before == (self.chunks.len(), self.found.len()));
        // The conversion of lengths to integers saturates, so that invalid lengths do not wrap around.
        let millionths = |length: f64| (1e6 * length).round() as u64;
        self.tally.inside_length = self.tally.inside_length.saturating_add(millionths(inside));
        let outside = millionths((length - inside).max(0.0));
        self.tally.outside_length = self.tally.outside_length.saturating_add(outside);
    }

    /// Finds the pieces of a streamline in the voxels of the mask. Returns the length of the streamline
    /// inside the mask.
    fn pieces(&mut self, points: &[Point], number: u32) -> f64 {
        let mut inside = 0.0;
        self.for_each_edge(points, |task, ends, edge| {
            let (mask, grid) = (task.mask, task.grid);
            let mut part_inside = 0.0;
            grid.for_each_piece_between(ends[0], ends[1], |voxel, from, to| {
                if mask.contains(voxel) && to > from {
                    let part = to - from;
                    part_inside += part;
                    task.prolong(narrow::<u32>(voxel), edge.map(|c| part * c), number);
                }
            });
            if part_inside > 0.0 {
                inside += part_inside * dot(edge, edge).sqrt();
            }
            task.close_full_chunk();
        });
        self.close_piece(number);
        inside
    }

    /// Finds the pieces of all parallel copies of a streamline in the voxels of the mask. Returns the total
    /// length inside the mask, as a weighted sum over the copies.
    fn blurred_pieces(&mut self, points: &[Point], number: u32) -> f64 {
        let mut inside = 0.0;
        let mut frame: Option<Frame> = None;
        self.for_each_edge(points, |task, ends, edge| {
            let (mask, grid, inverse) = (task.mask, task.grid, *task.grid.inverse());
            let length = dot(edge, edge).sqrt();
            let direction = edge.map(|c| c / length);
            let frame = frame.get_or_insert_with(|| Frame::across(direction));
            frame.follow(direction);
            task.parts.clear();
            for copy in task.copies {
                let beside = inverse.apply_vector(frame.place(copy));
                let [from, to] = ends.map(|end| std::array::from_fn(|axis| end[axis] + beside[axis]));
                grid.for_each_piece_between(from, to, |voxel, from, to| {
                    if mask.contains(voxel) && to > from {
                        task.parts.push((narrow::<u32>(voxel), copy.weight * (to - from)));
                    }
                });
            }
            // The sort is stable. The order of summation in a voxel therefore depends on the streamline only.
            task.parts.sort_by_key(|&(voxel, _)| voxel);
            for same in task.parts.chunk_by(|a, b| a.0 == b.0) {
                let part = same.iter().map(|&(_, part)| part).sum::<f64>();
                inside += part * length;
                if part * length > task.options.minimum_segment {
                    let piece = edge.map(|c| (part * c) as f32);
                    task.found.push((same[0].0, Segment { piece, streamline: number }));
                }
            }
            task.close_full_chunk();
        });
        inside
    }

    /// Calls `visit` for each edge of a streamline with a positive length. The arguments are both ends of the
    /// edge in voxel coordinates and the vector of the edge in mm.
    fn for_each_edge(&mut self, points: &[Point], mut visit: impl FnMut(&mut Self, [[f64; 3]; 2], [f64; 3])) {
        let inverse = *self.grid.inverse();
        let Some((first, rest)) = points.split_first() else { return };
        let mut last = first.map(f64::from);
        let mut last_coordinates = inverse.apply(last);
        for point in rest {
            let point = point.map(f64::from);
            let coordinates = inverse.apply(point);
            let edge = std::array::from_fn(|axis| point[axis] - last[axis]);
            if edge != [0.0; 3] {
                visit(self, [last_coordinates, coordinates], edge);
            }
            (last, last_coordinates) = (point, coordinates);
        }
    }

    /// Adds a piece of a streamline. If the preceding piece is in the same voxel and collinear, it is
    /// extended by the new piece.
    #[inline]
    fn prolong(&mut self, voxel: u32, piece: [f64; 3], number: u32) {
        if let Some((open_voxel, open)) = &mut self.open
            && *open_voxel == voxel
            && dot(*open, piece) > 0.0
        {
            let (turn, limit) = (cross(*open, piece), SAME_DIRECTION * SAME_DIRECTION);
            if dot(turn, turn) <= limit * dot(*open, *open) * dot(piece, piece) {
                for (sum, c) in open.iter_mut().zip(piece) {
                    *sum += c;
                }
                return;
            }
        }
        self.close_piece(number);
        self.open = Some((voxel, piece));
    }

    #[inline]
    fn close_piece(&mut self, number: u32) {
        if let Some((voxel, piece)) = self.open.take()
            && dot(piece, piece) > self.options.minimum_segment.powi(2)
        {
            self.found.push((voxel, Segment { piece: piece.map(|c| c as f32), streamline: number }));
        }
    }

    fn close_full_chunk(&mut self) {
        if self.found.len() >= CHUNK {
            self.close_chunk();
        }
    }

    fn close_chunk(&mut self) {
        if self.found.is_empty() {
            return;
        }
        // Sorts integers instead of segments, because this is faster. The high bits of an integer are the
        // voxel. The low bits are the index of the segment, which keeps the order of segments within a voxel.
        let key = |(place, &(voxel, _)): (usize, &(u32, Segment))| u64::from(voxel) << 32 | place as u64;
        let mut order: Vec<u64> = self.found.iter().enumerate().map(key).collect();
        order.sort_unstable();
        let mut voxels: Vec<(u32, u32)> = Vec::new();
        for (end, key) in order.iter().enumerate() {
            let (voxel, end) = (high_half(*key), narrow::<u32>(end) + 1);
            match voxels.last_mut() {
                Some(last) if last.0 == voxel => last.1 = end,
                _ => voxels.push((voxel, end)),
            }
        }
        voxels.shrink_to_fit();
        let segments = order.iter().map(|&key| self.found[low_half(key) as usize].1).collect();
        self.chunks.push(Chunk { voxels, segments });
        self.found.clear();
    }

    pub(super) fn finish(mut self) -> (Vec<Chunk>, Tally) {
        self.close_chunk();
        (self.chunks, self.tally)
    }
}
