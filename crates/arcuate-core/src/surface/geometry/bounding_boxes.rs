//! Boxes around boxes around triangles: a tree that finds the triangles near a segment.
//!
//! It is built once, of whole numbers, so that it is the same wherever it is built. Nodes lie in the order in which a
//! walk meets them, each with the number of the node that follows where its box is missed: a walk needs no stack, on a GPU
//! neither.

use super::exact::Fixed;
use crate::narrow;

/// Triangles that one box holds at most.
const LEAF: usize = 4;

/// A box, and what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    least: Fixed,
    largest: Fixed,
    /// The node that follows where nothing in this one is near.
    next: u32,
    /// Triangles of a leaf: their places in the list. None in other nodes.
    first: u32,
    count: u32,
}

/// The tree over all triangles of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoundingBoxes {
    nodes: Vec<Node>,
    /// Numbers of triangles, those of a leaf together and ascending.
    triangles: Vec<u32>,
}

/// Least and largest coordinates of a triangle.
fn bounds(corners: [Fixed; 3]) -> [Fixed; 2] {
    let over = |choose: fn(i32, i32) -> i32| {
        std::array::from_fn(|axis| choose(choose(corners[0][axis], corners[1][axis]), corners[2][axis]))
    };
    [over(i32::min), over(i32::max)]
}

impl BoundingBoxes {
    /// The tree of triangles, by the corners of each.
    pub(super) fn new(corners: impl Fn(usize) -> [Fixed; 3], count: usize) -> Self {
        let boxes: Vec<[Fixed; 2]> = (0..count).map(|n| bounds(corners(n))).collect();
        let mut tree = Self { nodes: Vec::new(), triangles: (0..narrow::<u32>(count)).collect() };
        // Ranges that wait for their node, the next one last.
        let mut waiting = Vec::new();
        if count > 0 {
            waiting.push((0, count));
        }
        // A node and its number of triangles, until all of them have passed: then what follows is known.
        let mut open: Vec<(usize, usize)> = Vec::new();
        while let Some((start, end)) = waiting.pop() {
            while open.last().is_some_and(|(_, last)| *last <= start) {
                let (node, _) = open.pop().expect("there is a last one");
                tree.nodes[node].next = narrow::<u32>(tree.nodes.len());
            }
            let part = &mut tree.triangles[start..end];
            let (mut least, mut largest) = ([i32::MAX; 3], [i32::MIN; 3]);
            for &triangle in &*part {
                let [low, high] = boxes[triangle as usize];
                for axis in 0..3 {
                    least[axis] = least[axis].min(low[axis]);
                    largest[axis] = largest[axis].max(high[axis]);
                }
            }
            open.push((tree.nodes.len(), end));
            let is_leaf = end - start <= LEAF;
            let count = if is_leaf { narrow::<u32>(end - start) } else { 0 };
            tree.nodes.push(Node { least, largest, next: 0, first: narrow::<u32>(start), count });
            if is_leaf {
                part.sort_unstable();
                continue;
            }
            let extent = |axis: usize| i64::from(largest[axis]) - i64::from(least[axis]);
            let axis = (0..3).max_by_key(|&axis| (extent(axis), axis)).unwrap_or(0);
            let middle = part.len() / 2;
            // Numbers make keys differ, so that the halves are the same however they are found.
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

    /// Calls for each triangle that may meet the segment from p to q.
    #[inline]
    pub(super) fn near(&self, p: Fixed, q: Fixed, mut found: impl FnMut(u32)) {
        let low: Fixed = std::array::from_fn(|axis| p[axis].min(q[axis]));
        let high: Fixed = std::array::from_fn(|axis| p[axis].max(q[axis]));
        let line = Line::new(p, q);
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let apart = (0..3).any(|axis| high[axis] < node.least[axis] || low[axis] > node.largest[axis]);
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

    /// Least and largest coordinates of all triangles; nothing where there is none.
    pub(super) fn bounds(&self) -> Option<[Fixed; 2]> {
        self.nodes.first().map(|node| [node.least, node.largest])
    }
}

/// A line that is compared with boxes: along the cross products of its direction with the axes. That saves boxes that long
/// segments pass by, and is left to `f64` with room for its errors: which triangles are tried does not change what is found.
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
            0.5 * (f64::from(node.largest[axis]) - f64::from(node.least[axis])) + 1.0
        });
        let away: [f64; 3] = std::array::from_fn(|axis| {
            self.middle[axis] - 0.5 * (f64::from(node.largest[axis]) + f64::from(node.least[axis]))
        });
        let d = self.direction;
        (0..3).any(|axis| {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let apart = (d[u] * away[v] - d[v] * away[u]).abs();
            let reach = d[u].abs() * half[v] + d[v].abs() * half[u];
            // Products have 64 bits or so, of which 53 are kept; the unit that boxes were made larger by is more for
            // any direction longer than one unit, and a share of all of it is added.
            apart > reach + 1e-12 * (d[u].abs() * away[v].abs() + d[v].abs() * away[u].abs())
        })
    }
}
