//! How vertices come to a level of a function, and are spread evenly over it.

use super::tetrahedra::Mesh;
use crate::anatomy::slope;
use arcuate_core::narrow;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Steps of Newton's method towards a level at most, and the longest of them in mm: furrows are a few mm wide.
const STEPS: usize = 24;
const LONGEST_STEP: f64 = 0.5;
/// A vertex is on a level where the function differs from it by less than this.
const TOLERANCE: f64 = 1e-6;
/// The distance in mm over which differences are taken.
const DIFFERENCE: f64 = 1e-6;
/// How far a vertex moves at once at most, in mm.
const FARTHEST: f64 = 2.0;
/// A vertex moves towards the middle of its neighbours by this part of the way.
const RELAXATION: f64 = 0.5;
/// Triangles are not made worse than this for the sake of others, 1 for equilateral ones.
const GOOD: f64 = 0.3;
/// No vertex moves where a triangle would become worse than this, unless it was.
const POOR: f64 = 0.02;

/// Where vertices belong: where a function of space is 0, in a part of space.
pub(super) struct Level<'a> {
    /// The function.
    pub(super) value: &'a (dyn Fn(Vector3<f64>) -> f64 + Sync),
    /// The nearest place in that part of space, of which the function knows no other.
    pub(super) within: &'a (dyn Fn(Vector3<f64>) -> Vector3<f64> + Sync),
    /// Which vertices belong there. The others stay.
    pub(super) vertices: &'a [bool],
}

impl Level<'_> {
    fn has(&self, p: Vector3<f64>) -> bool {
        (self.value)(p).abs() < TOLERANCE
    }

    /// The place near another, along its slope.
    fn nearest(&self, start: Vector3<f64>) -> Option<Vector3<f64>> {
        self.along(start, |p| slope(self.value, p))
    }

    /// The place that is reached from another along a direction of each place; nothing where it is not found nearby.
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
            // The function bends within a fraction of a millimetre.
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

/// A mesh whose vertices move.
pub(super) struct MovingMesh {
    mesh: Mesh,
    /// Triangles of each vertex, one vertex after the other, and where those of each begin.
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

    /// Moves vertices to a level, along a direction of each place, all at once; those stay whose triangles would turn over or become
    /// worse than is allowed.
    pub(super) fn move_to(&mut self, level: &Level, direction: impl Fn(Vector3<f64>) -> Vector3<f64> + Sync) {
        let old = self.mesh.vertices.clone();
        let before: Vec<Side> = self.mesh.triangles.iter().map(|t| Side::of(&old, t)).collect();
        self.mesh.vertices.par_iter_mut().zip(level.vertices).for_each(|(place, &moves)| {
            if let Some(reached) = moves.then(|| level.along(*place, &direction)).flatten() {
                *place = reached;
            }
        });
        // Who goes back may be in the way of others.
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

    /// Moves vertices towards the middle of their neighbours, along the level they are on. Those that are on none come to it
    /// from there, or at least nearer to their neighbours. Where they go is computed for all of them at once, then they go one
    /// after the other, where no triangle turns over or becomes worse than it was and than [`GOOD`].
    pub(super) fn relax(&mut self, level: &Level) {
        let place = |mesh: &Self, vertex: usize| {
            let p = mesh.mesh.vertices[vertex];
            // Each neighbour is in two triangles of a closed mesh.
            let sum: Vector3<f64> = mesh
                .triangles_of(vertex)
                .iter()
                .flat_map(|&t| mesh.mesh.triangles[t as usize])
                .filter(|&other| other as usize != vertex)
                .map(|other| mesh.mesh.vertices[other as usize])
                .sum();
            let way = sum / (2 * mesh.triangles_of(vertex).len()) as f64 - p;
            if !level.has(p) {
                let between = p + way * RELAXATION;
                return level.nearest(between).or(Some((level.within)(between)));
            }
            let slope = slope(level.value, p);
            let along = way - slope * (way.dot(&slope) / slope.norm_squared().max(1e-3));
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
            // A spike is flattened, which turns its triangles.
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

/// How a triangle lies.
#[derive(Clone, Copy)]
struct Side {
    normal: Vector3<f64>,
    /// How near it is to equilateral, 0 to 1.
    quality: f64,
}

impl Side {
    fn of(vertices: &[Vector3<f64>], triangle: &[u32; 3]) -> Self {
        let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
        let normal = (b - a).cross(&(c - a));
        let edges = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
        Self { normal, quality: 2.0 * 3f64.sqrt() * normal.norm() / edges.max(f64::MIN_POSITIVE) }
    }

    /// Whether the other side is seen later. What has next to no area has none that could be.
    fn is_turned_in(&self, later: &Self) -> bool {
        self.quality > 0.01 && self.normal.dot(&later.normal) <= 0.0
    }
}
