//! Candidate directions and arcs for the next step of a streamline. Tables contain candidates around the z
//! axis, one for each of 32 equal parts of the cone of allowed directions. The candidates are rotated to the
//! current direction of the streamline.

use super::constants;
use arcuate_compute::{Purpose, Random};
use arcuate_numbers::elementary::single::sin_cos_turns;

/// Number of candidates in a table.
pub(super) const CANDIDATES: usize = constants::CANDIDATES as usize;
/// Number of rings into which the cone of directions is divided.
const RINGS: usize = 4;
/// Number of candidates in a ring of the cone.
const PARTS: usize = CANDIDATES / RINGS;
/// Number of tables. A streamline draws one table per step.
pub(super) const TABLES: usize = constants::TABLES as usize;
/// Number of directions of [`hemisphere`].
pub(super) const HEMISPHERE: usize = 256;
/// Number of points on an arc at which amplitudes are evaluated, equally spaced along the arc.
pub(super) const PLACES: usize = constants::PLACES as usize;

/// One vector of each candidate of a table: the x components of all candidates, then y, then z. GPU kernels
/// read the same layout.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy)]
pub(super) struct Vectors(pub(super) [[f32; CANDIDATES]; 3]);

impl Vectors {
    fn new(vectors: impl Fn(usize) -> [f64; 3]) -> Self {
        Self(std::array::from_fn(|axis| std::array::from_fn(|n| vectors(n)[axis] as f32)))
    }

    /// Returns the vector of one candidate.
    #[inline(always)]
    pub(super) fn of(&self, candidate: usize) -> [f32; 3] {
        [self.0[0][candidate], self.0[1][candidate], self.0[2][candidate]]
    }
}

/// A table of arcs that start along the z axis. It has the positions of the points on the arcs, in units of the
/// length of the arcs. It also has the directions of the arcs at these points, as unit vectors.
#[derive(Debug, Clone)]
pub(super) struct ArcTable {
    pub(super) places: [Vectors; PLACES],
    pub(super) directions: [Vectors; PLACES],
}

/// Position and direction at one point on an arc.
type PointOnArc = [[f64; 3]; 2];

/// Returns tables of directions in a cone around the z axis. Each table has one random direction in each of
/// 32 parts of equal solid angle. `cosine` is the cosine of the half angle of the cone.
pub(super) fn cone(cosine: f64) -> Vec<Vectors> {
    directions(cosine).iter().map(|table| Vectors::new(|n| table[n])).collect()
}

/// Returns the directions of the tables of [`cone`] in double precision.
fn directions(cosine: f64) -> Vec<[[f64; 3]; CANDIDATES]> {
    let mut random = Random::new(0, Purpose::Propagation, 1);
    let table = |_| {
        std::array::from_fn(|n| {
            let (ring, part) = (n / PARTS, n % PARTS);
            let height = (ring as f64 + random.uniform()) / RINGS as f64;
            let turn = (part as f64 + random.uniform()) / PARTS as f64 * std::f64::consts::TAU;
            let z = 1.0 - height * (1.0 - cosine);
            let across = (1.0 - z * z).max(0.0).sqrt();
            [across * turn.cos(), across * turn.sin(), z]
        })
    };
    (0..TABLES).map(table).collect()
}

/// Returns tables of arcs of constant curvature. The directions at the ends of the arcs are uniformly
/// distributed in a cone around the z axis.
pub(super) fn arcs(cosine: f64) -> Vec<ArcTable> {
    let table = |ends: &[[f64; 3]; CANDIDATES]| {
        let arcs = ends.map(arc);
        let vectors = |which: usize| std::array::from_fn(|k| Vectors::new(|n| arcs[n][k][which]));
        ArcTable { places: vectors(0), directions: vectors(1) }
    };
    directions(cosine).iter().map(table).collect()
}

/// Returns the points of the arc of length 1 that starts at the origin along the z axis and has the given
/// direction at its end.
fn arc([x, y, z]: [f64; 3]) -> [PointOnArc; PLACES] {
    let across = x.hypot(y);
    let angle = across.atan2(z);
    let (to_x, to_y) = if across > 0.0 { (x / across, y / across) } else { (1.0, 0.0) };
    std::array::from_fn(|n| {
        // The arc is part of a circle through the origin, or a straight line if the angle is 0.
        let part = (n + 1) as f64 / PLACES as f64;
        let turned = part * angle;
        let (sideways, along) =
            if angle > 1e-9 { ((1.0 - turned.cos()) / angle, turned.sin() / angle) } else { (0.0, part) };
        let place = [sideways * to_x, sideways * to_y, along];
        [place, [turned.sin() * to_x, turned.sin() * to_y, turned.cos()]]
    })
}

/// Returns directions in a half sphere, evenly spaced on a spiral.
pub(super) fn hemisphere() -> Vec<[f32; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let direction = |n: usize| {
        let z = (n as f64 + 0.5) / HEMISPHERE as f64;
        let (across, turn) = ((1.0 - z * z).sqrt(), golden * n as f64);
        [across * turn.cos(), across * turn.sin(), z].map(|c| c as f32)
    };
    (0..HEMISPHERE).map(direction).collect()
}

/// Orthonormal frame whose third axis is a given direction. The other two axes are rotated around this
/// direction by a given angle. All numbers are in single precision, with a fixed order of operations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame([[f32; 3]; 3]);

impl Frame {
    #[inline(always)]
    pub(super) fn about([x, y, z]: [f32; 3], turns: f32) -> Self {
        // This formula gives two orthogonal axes and has no singularity near the poles (Duff et al. 2017,
        // Building an orthonormal basis, revisited).
        let sign = if z >= 0.0 { 1.0f32 } else { -1.0 };
        let a = -1.0 / (sign + z);
        let b = x * y * a;
        let first = [1.0 + sign * x * x * a, sign * b, -sign * x];
        let second = [b, sign + y * y * a, -y];
        let (sine, cosine) = sin_cos_turns(turns);
        let u = std::array::from_fn(|n| cosine * first[n] + sine * second[n]);
        let v = std::array::from_fn(|n| cosine * second[n] - sine * first[n]);
        Self([u, v, [x, y, z]])
    }

    /// Rotates a vector of a table of candidates to scanner axes.
    #[inline(always)]
    pub(super) fn turn(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let Self([u, v, w]) = self;
        std::array::from_fn(|n| u[n] * x + v[n] * y + w[n] * z)
    }

    /// Rotates one vector of each candidate to scanner axes. Each vector rounds as in [`turn`](Self::turn).
    #[inline(always)]
    pub(super) fn turn_all(&self, Vectors([x, y, z]): &Vectors) -> Vectors {
        let Self([u, v, w]) = self;
        let mut turned = Vectors([[0.0; CANDIDATES]; 3]);
        for axis in 0..3 {
            for n in 0..CANDIDATES {
                turned.0[axis][n] = u[axis] * x[n] + v[axis] * y[n] + w[axis] * z[n];
            }
        }
        turned
    }
}

/// Chooses a candidate with a probability proportional to its weight. `number` is uniform in [0, 1). Returns
/// `None` if fewer than `least` candidates have a weight above 0. There are at most 32 candidates.
#[inline(always)]
pub(super) fn choose<const N: usize>(weights: &[f32; N], number: f32, least: u32) -> Option<usize> {
    let mut sums = [0.0f32; N];
    let mut total = 0.0f32;
    for n in 0..N {
        total += weights[n];
        sums[n] = total;
    }
    let target = number * total;
    let (mut open, mut beyond) = (0u32, 0u32);
    for n in 0..N {
        open |= u32::from(weights[n] > 0.0) << n;
        beyond |= u32::from(target < sums[n]) << n;
    }
    if open.count_ones() < least.max(1) {
        return None;
    }
    // Rounding can lead to no candidate. The last candidate with a weight is then chosen.
    let chosen = open & beyond;
    Some(if chosen == 0 { open.ilog2() } else { chosen.trailing_zeros() } as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_numbers::vector3::norm as length;

    #[test]
    fn arcs_have_their_length_and_end_in_the_cone() {
        let cosine = 45f64.to_radians().cos();
        let tables = arcs(cosine);
        assert_eq!(tables.len(), TABLES);
        let arcs_of = |table: &ArcTable| {
            let of = |vectors: [Vectors; PLACES], n| vectors.map(|vectors| vectors.of(n));
            std::array::from_fn::<_, CANDIDATES, _>(|n| (of(table.places, n), of(table.directions, n)))
        };
        let all: Vec<_> = tables.iter().flat_map(arcs_of).collect();
        for &(places, directions) in &all {
            for direction in directions {
                assert!((length(direction) - 1.0).abs() < 1e-6 && f64::from(direction[2]) > cosine - 1e-6);
            }
            // The four points divide the arc into quarters. The chord of a quarter is shorter than the
            // quarter by the fraction θ²/24, where θ is the angle of the quarter.
            let ends = [[0.0; 3]].into_iter().chain(places);
            let chords: Vec<f32> = ends
                .clone()
                .zip(ends.skip(1))
                .map(|(a, b)| length(std::array::from_fn(|n| b[n] - a[n])))
                .collect();
            assert!(chords.iter().all(|chord| (0.249..=0.25001).contains(chord)), "{chords:?}");
            // The chord of the last quarter is parallel to the mean of the directions at the ends of this
            // quarter.
            let chord: [f32; 3] = std::array::from_fn(|n| (places[3][n] - places[2][n]) / chords[3]);
            let middle: [f32; 3] = std::array::from_fn(|n| directions[3][n] + directions[2][n]);
            let cosine: f32 = (0..3).map(|n| chord[n] * middle[n]).sum::<f32>() / length(middle);
            assert!(cosine > 1.0 - 1e-5, "{cosine}");
        }
        // The directions at the ends of the arcs fill the cone evenly. Therefore one quarter of them is in
        // the inner part of the cone that has a quarter of the solid angle.
        let inner = 1.0 - 0.25 * (1.0 - cosine);
        let within = all.iter().filter(|(_, directions)| f64::from(directions[3][2]) > inner).count();
        assert_eq!(within, TABLES * PARTS);
    }

    #[test]
    fn frames_are_rotated_about_their_direction() {
        for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.6, 0.0, -0.8], [0.36, -0.48, 0.8f32]] {
            for turns in [0.0, 0.3, 0.99] {
                let frame = Frame::about(direction, turns);
                let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| frame.turn(axis));
                assert_eq!(axes[2], direction);
                for a in 0..3 {
                    for b in 0..3 {
                        let inner: f32 = (0..3).map(|n| axes[a][n] * axes[b][n]).sum();
                        assert!((inner - f32::from(u8::from(a == b))).abs() < 1e-6, "{direction:?} {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn candidates_are_chosen_by_their_weights() {
        let weights = [0.0, 1.0, 0.0, 3.0, 0.0];
        let chosen: Vec<usize> = (0..8).filter_map(|n| choose(&weights, n as f32 / 8.0, 2)).collect();
        assert_eq!(chosen, [1, 1, 3, 3, 3, 3, 3, 3]);
        assert_eq!(choose(&weights, 1.0, 2), Some(3), "rounding leads to no candidate without weight");
        assert_eq!(choose(&[0.0; 4], 0.5, 0), None);
        assert_eq!(choose(&weights, 0.5, 3), None, "only two candidates have a weight");
    }
}
