//! Moves the vertices of a mesh to a level set of a function (the points at which it has a given value), and
//! distributes them evenly there.

use super::tetrahedra::Mesh;
use crate::anatomy::slope;
use arcuate_core::narrow;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Maximum number of Newton steps towards a level set, and maximum length of a step in mm. The steps are
/// short because sulci are only a few mm wide.
const STEPS: usize = 24;
const LONGEST_STEP: f64 = 0.5;
/// Maximum difference between the value of the function at a vertex and the value of the level set, if the
/// vertex counts as on the level set.
const TOLERANCE: f64 = 1e-6;
/// Step in mm of the finite differences that give the gradient of the function.
const DIFFERENCE: f64 = 1e-6;
/// Maximum distance in mm that a vertex moves in one smoothing.
const FARTHEST: f64 = 2.0;
/// In each smoothing, a vertex moves by this fraction of the distance to the centre of its neighbours.
const RELAXATION: f64 = 0.5;
/// Limit of the quality of triangles. A triangle whose quality is below this limit must not become worse,
/// even if other triangles improve. An equilateral triangle has the quality 1.
const GOOD: f64 = 0.3;
/// Minimum quality of triangles. A vertex does not move if this would reduce the quality of one of its
/// triangles to less than this value. If the quality of the triangle was already below this value, the vertex
/// may move.
const POOR: f64 = 0.02;

/// The level set to which vertices move: the zeros of a function in a part of space.
pub(super) struct Level<'a> {
    /// The function whose zeros are the level set.
    pub(super) value: &'a (dyn Fn(Vector3<f64>) -> f64 + Sync),
    /// A function that limits positions to the part of space in which `value` is valid: it returns the
    /// nearest position in this part.
    pub(super) within: &'a (dyn Fn(Vector3<f64>) -> Vector3<f64> + Sync),
    /// For each vertex, true if it must be on the level set. The other vertices do not move.
    pub(super) vertices: &'a [bool],
}

impl Level<'_> {
    fn has(&self, p: Vector3<f64>) -> bool {
        (self.value)(p).abs() < TOLERANCE
    }

    /// Finds a position on the level set near the position `start`, by steps along the gradient of the
    /// function.
    fn nearest(&self, start: Vector3<f64>) -> Option<Vector3<f64>> {
        self.along(start, |p| slope(self.value, p))
    }

    /// Finds a position on the level set, by steps along a direction field. Returns `None` if there is no
    /// such position nearby.
    fn along(
        &self,
        start: Vector3<f64>,
        direction: impl Fn(Vector3<f64>) -> Vector3<f64>,
    ) -> Option<Vector3<f64>> {
        let (mut p, mut value) = (start, (self.value)(start));
        for _ in 0..STEPS {
            if value.abs() < TOLERANCE {
                return Some((self.within)(p));
            }
            let direction = direction(p).normalize();
            let rise = ((self.value)(p + direction * DIFFERENCE) - value) / DIFFERENCE;
            if rise.abs() < 0.02 {
                return None;
            }
            let length = (-value / rise).clamp(-LONGEST_STEP, LONGEST_STEP);
            // The slope of the function along the direction may change within a fraction of a millimetre.
            (p, value) = (0..6)
                .map(|halvings| p + direction * (length / f64::from(1 << halvings)))
                .map(|q| (q, (self.value)(q)))
                .find(|(_, new)| new.abs() < value.abs())?;
            if (p - start).norm() > FARTHEST {
                return None;
            }
        }
        None
    }
}

/// A mesh whose vertices can move.
pub(super) struct MovingMesh {
    mesh: Mesh,
    /// The indices of the triangles that contain each vertex, vertex by vertex. For each vertex, the second
    /// list has the position in the first list at which the triangles of the vertex begin.
    triangles: Vec<u32>,
    first: Vec<usize>,
}

impl MovingMesh {
    pub(super) fn new(mesh: Mesh) -> Self {
        let mut first = vec![0; mesh.vertices.len() + 1];
        for &vertex in mesh.triangles.iter().flatten() {
            first[vertex as usize + 1] += 1;
        }
        for vertex in 0..mesh.vertices.len() {
            first[vertex + 1] += first[vertex];
        }
        let (mut triangles, mut next) = (vec![0; 3 * mesh.triangles.len()], first.clone());
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            for &vertex in triangle {
                triangles[next[vertex as usize]] = narrow::<u32>(number);
                next[vertex as usize] += 1;
            }
        }
        Self { mesh, triangles, first }
    }

    pub(super) fn vertices(&self) -> &[Vector3<f64>] {
        &self.mesh.vertices
    }

    pub(super) fn into_mesh(self) -> Mesh {
        self.mesh
    }

    fn triangles_of(&self, vertex: usize) -> &[u32] {
        &self.triangles[self.first[vertex]..self.first[vertex + 1]]
    }

    /// Moves all vertices to a level set along a direction field, all at the same time. A vertex stays at its
    /// place if the move would flip one of its triangles, or make its quality too low.
    pub(super) fn move_to(&mut self, level: &Level, direction: impl Fn(Vector3<f64>) -> Vector3<f64> + Sync) {
        let old = self.mesh.vertices.clone();
        let before: Vec<Side> = self.mesh.triangles.iter().map(|t| Side::of(&old, t)).collect();
        self.mesh.vertices.par_iter_mut().zip(level.vertices).for_each(|(place, &moves)| {
            if let Some(reached) = moves.then(|| level.along(*place, &direction)).flatten() {
                *place = reached;
            }
        });
        // A vertex that is moved back may be in the way of other vertices, so that the check is repeated.
        loop {
            let is_wrong = |(triangle, before): &(&[u32; 3], &Side)| {
                let after = Side::of(&self.mesh.vertices, triangle);
                before.is_turned_in(&after) || after.quality < before.quality.min(POOR)
            };
            let wrong: Vec<u32> = self
                .mesh
                .triangles
                .iter()
                .zip(&before)
                .filter(is_wrong)
                .flat_map(|(triangle, _)| *triangle)
                .collect();
            if wrong.is_empty() {
                break;
            }
            for vertex in wrong {
                self.mesh.vertices[vertex as usize] = old[vertex as usize];
            }
        }
    }

    /// Smooths the mesh: moves each vertex towards the centre of its neighbours, along the level set. A
    /// vertex that is not on the level set moves to it, or at least nearer to its neighbours. The new
    /// positions of all vertices are computed first. The vertices then move one after the other. A vertex
    /// stays at its place if the move would flip one of its triangles. It also stays if the move would make a
    /// triangle worse than before, and worse than [`GOOD`].
    pub(super) fn relax(&mut self, level: &Level) {
        let place = |mesh: &Self, vertex: usize| {
            let p = mesh.mesh.vertices[vertex];
            // In a closed mesh, each neighbour of a vertex is in two triangles of the vertex. It is therefore
            // counted twice.
            let sum: Vector3<f64> = mesh
                .triangles_of(vertex)
                .iter()
                .flat_map(|&t| mesh.mesh.triangles[t as usize])
                .filter(|&other| other as usize != vertex)
                .map(|other| mesh.mesh.vertices[other as usize])
                .sum();
            let shift = sum / (2 * mesh.triangles_of(vertex).len()) as f64 - p;
            if !level.has(p) {
                let between = p + shift * RELAXATION;
                return level.nearest(between).or(Some((level.within)(between)));
            }
            let slope = slope(level.value, p);
            let along = shift - slope * (shift.dot(&slope) / slope.norm_squared().max(1e-3));
            level.nearest(p + along * RELAXATION)
        };
        let places: Vec<Option<Vector3<f64>>> = (0..self.mesh.vertices.len())
            .into_par_iter()
            .map(|vertex| level.vertices[vertex].then(|| place(self, vertex)).flatten())
            .collect();
        for (vertex, place) in places.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let old = self.mesh.vertices[vertex];
            let before = self.sides_of(vertex);
            self.mesh.vertices[vertex] = place;
            let after = self.sides_of(vertex);
            let worst = |sides: &[Side]| sides.iter().map(|side| side.quality).fold(1.0, f64::min);
            let turns = before.iter().zip(&after).any(|(before, after)| before.is_turned_in(after));
            // If a vertex moves to the level set, the mesh may lose a spike. The triangles of the vertex may
            // flip in this case.
            let comes = !level.has(old) && level.has(place) && worst(&after) > POOR;
            if !comes && (turns || worst(&after) < worst(&before).min(GOOD)) {
                self.mesh.vertices[vertex] = old;
            }
        }
    }

    fn sides_of(&self, vertex: usize) -> Vec<Side> {
        let triangles = self.triangles_of(vertex).iter();
        triangles.map(|&t| Side::of(&self.mesh.vertices, &self.mesh.triangles[t as usize])).collect()
    }
}

/// Normal and quality of a triangle of the mesh.
#[derive(Clone, Copy)]
struct Side {
    normal: Vector3<f64>,
    /// Quality of the triangle. It is 1 for an equilateral triangle and 0 for a degenerate one.
    quality: f64,
}

impl Side {
    fn of(vertices: &[Vector3<f64>], triangle: &[u32; 3]) -> Self {
        let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
        let normal = (b - a).cross(&(c - a));
        let edges = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
        Self { normal, quality: 2.0 * 3f64.sqrt() * normal.norm() / edges.max(f64::MIN_POSITIVE) }
    }

    /// Returns true if the triangle `later` is this triangle after a flip. A triangle with almost no area
    /// cannot flip.
    fn is_turned_in(&self, later: &Self) -> bool {
        self.quality > 0.01 && self.normal.dot(&later.normal) <= 0.0
    }
}
