//! A tree of bounding boxes, with which the triangles of a mesh near a segment are found.
//!
//! The bounding-box tree is built from integers, so it is identical on every machine. Nodes are in
//! depth-first order. Each node stores the index of the node that is visited next if a segment does not touch
//! the bounding box of this node. So a traversal needs no stack, also on a GPU.

use super::exact::Fixed;
use crate::narrow;

/// Maximum number of triangles in a leaf of the tree.
const LEAF: usize = 4;

/// A node of the tree: a bounding box and, if the node is a leaf, the range of its triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    minimum: Fixed,
    largest: Fixed,
    /// Index of the node that is visited next if the segment does not touch the bounding box of this node.
    next: u32,
    /// Index in the list of triangles at which the triangles of a leaf start. `count` is the number of
    /// triangles of the leaf; 0 for inner nodes.
    first: u32,
    count: u32,
}

/// The bounding-box tree over all triangles of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoundingBoxes {
    nodes: Vec<Node>,
    /// Triangle indices. The triangles of a leaf are consecutive and in ascending order.
    triangles: Vec<u32>,
}

/// Computes the minimum and maximum coordinates of a triangle.
fn bounds(corners: [Fixed; 3]) -> [Fixed; 2] {
    let over = |choose: fn(i32, i32) -> i32| {
        std::array::from_fn(|axis| choose(choose(corners[0][axis], corners[1][axis]), corners[2][axis]))
    };
    [over(i32::min), over(i32::max)]
}

impl BoundingBoxes {
    /// Builds the tree over `count` triangles; `corners` returns the corners of a triangle.
    pub(super) fn new(corners: impl Fn(usize) -> [Fixed; 3], count: usize) -> Self {
        let boxes: Vec<[Fixed; 2]> = (0..count).map(|n| bounds(corners(n))).collect();
        let mut tree = Self { nodes: Vec::new(), triangles: (0..narrow::<u32>(count)).collect() };
        // Ranges of triangles for which no node of the tree has been built yet. The last range of the list is
        // handled next.
        let mut waiting = Vec::new();
        if count > 0 {
            waiting.push((0, count));
        }
        // Nodes whose subtree is not complete, so that the index of the node after the subtree is not yet
        // known. Each of these nodes is stored with the end of its range of triangles.
        let mut open: Vec<(usize, usize)> = Vec::new();
        while let Some((start, end)) = waiting.pop() {
            while let Some((node, _)) = open.pop_if(|(_, last)| *last <= start) {
                tree.nodes[node].next = narrow::<u32>(tree.nodes.len());
            }
            let part = &mut tree.triangles[start..end];
            let (mut minimum, mut largest) = ([i32::MAX; 3], [i32::MIN; 3]);
            for &triangle in &*part {
                let [low, high] = boxes[triangle as usize];
                for axis in 0..3 {
                    minimum[axis] = minimum[axis].min(low[axis]);
                    largest[axis] = largest[axis].max(high[axis]);
                }
            }
            open.push((tree.nodes.len(), end));
            let is_leaf = end - start <= LEAF;
            let count = if is_leaf { narrow::<u32>(end - start) } else { 0 };
            tree.nodes.push(Node { minimum, largest, next: 0, first: narrow::<u32>(start), count });
            if is_leaf {
                part.sort_unstable();
                continue;
            }
            let extent = |axis: usize| i64::from(largest[axis]) - i64::from(minimum[axis]);
            let axis = (0..3).max_by_key(|&axis| (extent(axis), axis)).unwrap_or(0);
            let middle = part.len() / 2;
            // The sort keys are unique because they include the index of the triangle. So the division of the
            // triangles into two halves does not depend on the selection algorithm.
            part.select_nth_unstable_by_key(middle, |&triangle| {
                let [low, high] = boxes[triangle as usize];
                (i64::from(low[axis]) + i64::from(high[axis]), triangle)
            });
            waiting.push((start + middle, end));
            waiting.push((start, start + middle));
        }
        let all = narrow::<u32>(tree.nodes.len());
        for (node, _) in open {
            tree.nodes[node].next = all;
        }
        tree
    }

    /// Calls `found` for each triangle that the segment from p to q may touch.
    #[inline]
    pub(super) fn near(&self, p: Fixed, q: Fixed, mut found: impl FnMut(u32)) {
        let low: Fixed = std::array::from_fn(|axis| p[axis].min(q[axis]));
        let high: Fixed = std::array::from_fn(|axis| p[axis].max(q[axis]));
        let line = Line::new(p, q);
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let apart = (0..3).any(|axis| high[axis] < node.minimum[axis] || low[axis] > node.largest[axis]);
            if apart || line.misses(node) {
                at = node.next as usize;
                continue;
            }
            for place in node.first..node.first + node.count {
                found(self.triangles[place as usize]);
            }
            at += 1;
        }
    }

    /// Minimum and maximum coordinates of all triangles; `None` if there are no triangles.
    pub(super) fn bounds(&self) -> Option<[Fixed; 2]> {
        self.nodes.first().map(|node| [node.minimum, node.largest])
    }
}

/// A line for which it is tested, with the separating-axis theorem, whether it passes a box. The tested axes
/// are the cross products of the line's direction with the coordinate axes. The test excludes boxes that are
/// near a long segment but are not touched. It uses `f64` with a margin for rounding errors, since additional
/// triangles do not change the result.
struct Line {
    middle: [f64; 3],
    direction: [f64; 3],
}

impl Line {
    fn new(p: Fixed, q: Fixed) -> Self {
        let direction = std::array::from_fn(|axis| f64::from(q[axis]) - f64::from(p[axis]));
        Self { middle: std::array::from_fn(|axis| f64::from(p[axis]) + 0.5 * direction[axis]), direction }
    }

    fn misses(&self, node: &Node) -> bool {
        let half: [f64; 3] = std::array::from_fn(|axis| {
            0.5 * (f64::from(node.largest[axis]) - f64::from(node.minimum[axis])) + 1.0
        });
        let away: [f64; 3] = std::array::from_fn(|axis| {
            self.middle[axis] - 0.5 * (f64::from(node.largest[axis]) + f64::from(node.minimum[axis]))
        });
        let d = self.direction;
        (0..3).any(|axis| {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let apart = (d[u] * away[v] - d[v] * away[u]).abs();
            let reach = d[u].abs() * half[v] + d[v].abs() * half[u];
            // The products have about 64 bits, but `f64` keeps 53. Boxes are enlarged by one unit, which
            // exceeds this rounding error if the line's direction is longer than one unit. A small fraction
            // of all products is added as well.
            apart > reach + 1e-12 * (d[u].abs() * away[v].abs() + d[v].abs() * away[u].abs())
        })
    }
}
