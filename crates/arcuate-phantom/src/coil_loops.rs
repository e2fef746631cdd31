//! Simulated receive coils: circular wire loops around the field of view. Their sensitivities are computed by
//! the Biot–Savart law.

use nalgebra::{Complex, DMatrix};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Number of wire loops in a ring around the z axis. If there are more loops, they form further rings, one
/// after the other along z.
const IN_RING: usize = 8;
/// Distance between the centres of the wire loops and the z axis, as a fraction of the field of view.
const DISTANCE: f64 = 0.8;
/// Number of straight pieces by which the wire of a loop is approximated.
const PIECES: usize = 64;
/// Period of the series of waves that represents a sensitivity, as a multiple of the field of view. It
/// exceeds 1, so that the sensitivity may differ between opposite borders of the field of view.
const PERIOD: f64 = 1.5;
/// Highest harmonic of the series of waves along each axis. The first number is for coils in a plane, and the
/// second for coils in space.
const HARMONICS: [usize; 2] = [4, 3];
/// Number of positions along each axis at which the series of waves is fitted to the field of a loop.
const PLACES: usize = 33;
/// Weight of the regularisation of the fit, as a fraction of the largest singular value of the matrix of the
/// series.
const RIDGE: f64 = 1e-5;

/// The sensitivity S_c of each coil, as a series of waves: S_c(r) = Σ_l a_cl e^(2πi l·r / P) with the period
/// P. If an object is multiplied by the wave l, its Fourier transform is shifted by l / P in k-space. The
/// data of a coil are therefore known as exactly as the Fourier transform of the object (Guerquin-Kern et al.
/// 2012, doi:10.1109/TMI.2011.2174158). The series is fitted to the field B_x − iB_y of wire loops.
#[derive(Debug, Clone)]
pub struct CoilLoops {
    /// Highest harmonic of the series of waves along each axis.
    harmonics: [usize; 3],
    /// Coefficients of the series of waves for each coil. In the list of a coil, the harmonic along x varies
    /// fastest.
    coefficients: Vec<Vec<Complex<f64>>>,
}

impl CoilLoops {
    /// Creates `coils` wire loops on rings around the z axis. If `in_plane` is true, their sensitivities are
    /// computed only in the plane z = 0. The sum of the squared moduli of all sensitivities is 1 on average
    /// over the field of view.
    pub fn new(coils: usize, in_plane: bool) -> Self {
        let highest = HARMONICS[usize::from(!in_plane)];
        let harmonics = [highest, highest, if in_plane { 0 } else { highest }];
        let places = |harmonics: usize| if harmonics == 0 { 1 } else { PLACES };
        let at = |n: usize, count: usize| if count == 1 { 0.0 } else { n as f64 / (count - 1) as f64 - 0.5 };
        let [px, py, pz] = harmonics.map(places);
        let fits = harmonics.map(|harmonics| fit_of_axis(harmonics, places(harmonics)));
        let mut coefficients: Vec<Vec<Complex<f64>>> = (0..coils)
            .into_par_iter()
            .map(|coil| {
                let wire = wire(coil, coils);
                let mut values = Vec::with_capacity(px * py * pz);
                for z in 0..pz {
                    for y in 0..py {
                        for x in 0..px {
                            values.push(field(&wire, [at(x, px), at(y, py), at(z, pz)]));
                        }
                    }
                }
                let mut lengths = [px, py, pz];
                for axis in 0..3 {
                    values = along(&values, &mut lengths, axis, &fits[axis]);
                }
                values
            })
            .collect();
        let mut loops = Self { harmonics, coefficients: Vec::new() };
        std::mem::swap(&mut loops.coefficients, &mut coefficients);
        // Computes the mean of Σ_c |S_c|², the sum of the coils' squared sensitivities, on a grid with 17
        // positions along each axis.
        let grid = |harmonics: usize| if harmonics == 0 { 1 } else { 17 };
        let [gx, gy, gz] = harmonics.map(grid);
        let mut sum = 0.0;
        for n in 0..gx * gy * gz {
            let place = [at(n % gx, gx), at(n / gx % gy, gy), at(n / gx / gy, gz)];
            sum += (0..coils).map(|coil| loops.at(coil, place).norm_sqr()).sum::<f64>();
        }
        let scale = ((gx * gy * gz) as f64 / sum).sqrt();
        loops.coefficients.iter_mut().flatten().for_each(|value| *value *= scale);
        loops
    }

    /// Returns the number of coils.
    pub fn coils(&self) -> usize {
        self.coefficients.len()
    }

    /// Returns the wave numbers of the series, in cycles per field of view, in the order of the coefficients.
    pub(crate) fn waves(&self) -> Vec<[f64; 3]> {
        let range =
            |harmonics: usize| (0..=2 * harmonics).map(move |n| (n as f64 - harmonics as f64) / PERIOD);
        let [hx, hy, hz] = self.harmonics;
        range(hz).flat_map(|z| range(hy).flat_map(move |y| range(hx).map(move |x| [x, y, z]))).collect()
    }

    /// Returns the coefficients of a coil's series.
    pub(crate) fn coefficients(&self, coil: usize) -> &[Complex<f64>] {
        &self.coefficients[coil]
    }

    /// Returns the sensitivity of a coil at a position, which is given as a fraction of the field of view,
    /// relative to its centre.
    pub fn at(&self, coil: usize, place: [f64; 3]) -> Complex<f64> {
        let waves = self.waves().into_iter();
        let of_wave = |wave: [f64; 3]| {
            let turns: f64 = (0..3).map(|axis| wave[axis] * place[axis]).sum();
            Complex::from_polar(1.0, TAU * turns)
        };
        waves.map(of_wave).zip(&self.coefficients[coil]).map(|(wave, a)| a * wave).sum()
    }

    /// Returns the sensitivities of all coils on a grid, as pairs of a real and an imaginary part, coil by
    /// coil, with x fastest. Voxel `i` of `n` is at the position (i − ⌊n/2⌋) / n.
    pub fn maps(&self, shape: [usize; 3]) -> Vec<[f32; 2]> {
        let waves_at: [Vec<Complex<f64>>; 3] = [0, 1, 2].map(|axis| {
            let (n, harmonics) = (shape[axis], self.harmonics[axis]);
            let mut waves = Vec::with_capacity(n * (2 * harmonics + 1));
            for i in 0..n {
                let place = (i as f64 - (n / 2) as f64) / n as f64;
                for l in 0..=2 * harmonics {
                    waves
                        .push(Complex::from_polar(1.0, TAU * place * (l as f64 - harmonics as f64) / PERIOD));
                }
            }
            waves
        });
        let of_coil = |coefficients: &Vec<Complex<f64>>| {
            let mut values = coefficients.clone();
            let mut lengths = self.harmonics.map(|harmonics| 2 * harmonics + 1);
            for axis in (0..3).rev() {
                let matrix = DMatrix::from_row_slice(shape[axis], lengths[axis], &waves_at[axis]);
                values = along(&values, &mut lengths, axis, &matrix);
            }
            values
        };
        let all: Vec<Vec<Complex<f64>>> = self.coefficients.par_iter().map(of_coil).collect();
        all.into_iter().flatten().map(|value| [value.re as f32, value.im as f32]).collect()
    }
}

/// Returns the centre and the direction of each straight piece of a loop's wire.
fn wire(coil: usize, coils: usize) -> Vec<[[f64; 3]; 2]> {
    let rings = coils.div_ceil(IN_RING);
    let (ring, in_ring) = (coil / IN_RING, coil % IN_RING);
    let of_this = (coils - ring * IN_RING).min(IN_RING);
    // Every second ring of wire loops is rotated about z by half of the angle between its loops.
    let angle = TAU * (in_ring as f64 + 0.5 * (ring % 2) as f64) / of_this as f64;
    let (sin, cos) = angle.sin_cos();
    let height = if rings > 1 { (ring as f64 / (rings - 1) as f64 - 0.5) * 0.8 } else { 0.0 };
    // The radius of the loops is chosen so that neighbouring loops overlap slightly.
    let radius = (1.1 * PI * DISTANCE / of_this as f64).min(0.45);
    (0..PIECES)
        .map(|n| {
            let (s, c) = (TAU * (n as f64 + 0.5) / PIECES as f64).sin_cos();
            // Two unit vectors in the plane of the loop: one along the ring of loops, and one along z.
            let across = [-sin, cos, 0.0];
            let middle = [
                DISTANCE * cos + radius * c * across[0],
                DISTANCE * sin + radius * c * across[1],
                height + radius * s,
            ];
            [middle, [-s * across[0], -s * across[1], c]]
        })
        .collect()
}

/// Returns the field B_x − iB_y of a wire loop at a position, in arbitrary units.
fn field(wire: &[[[f64; 3]; 2]], place: [f64; 3]) -> Complex<f64> {
    let mut sum = Complex::new(0.0, 0.0);
    for [middle, along] in wire {
        let from: [f64; 3] = std::array::from_fn(|n| place[n] - middle[n]);
        let distance = from.iter().map(|c| c * c).sum::<f64>().sqrt();
        let cube = distance * distance * distance;
        sum += Complex::new(
            (along[1] * from[2] - along[2] * from[1]) / cube,
            -(along[2] * from[0] - along[0] * from[2]) / cube,
        );
    }
    sum
}

/// Returns the matrix of a regularised least squares fit along one axis. The matrix converts the values at
/// `places` positions to the coefficients of the series of waves.
fn fit_of_axis(harmonics: usize, places: usize) -> DMatrix<Complex<f64>> {
    let waves = DMatrix::from_fn(places, 2 * harmonics + 1, |n, l| {
        let place = if places == 1 { 0.0 } else { n as f64 / (places - 1) as f64 - 0.5 };
        Complex::from_polar(1.0, TAU * place * (l as f64 - harmonics as f64) / PERIOD)
    });
    let adjoint = waves.adjoint();
    let mut normal = &adjoint * &waves;
    let ridge = Complex::new(RIDGE * places as f64, 0.0);
    for n in 0..normal.nrows() {
        normal[(n, n)] += ridge;
    }
    #[expect(clippy::expect_used, reason = "with the ridge on its diagonal, the matrix is positive definite")]
    let factors = normal.cholesky().expect("a positive definite matrix");
    factors.solve(&adjoint)
}

/// Multiplies an array (with x fastest) by a matrix along one of its axes. In the result, the length of this
/// axis is the number of rows of the matrix.
fn along(
    values: &[Complex<f64>],
    lengths: &mut [usize; 3],
    axis: usize,
    matrix: &DMatrix<Complex<f64>>,
) -> Vec<Complex<f64>> {
    let step: usize = lengths[..axis].iter().product();
    let (before, after) = (lengths[axis], matrix.nrows());
    let mut out = vec![Complex::new(0.0, 0.0); values.len() / before * after];
    for (from, to) in values.chunks_exact(step * before).zip(out.chunks_exact_mut(step * after)) {
        for row in 0..after {
            for column in 0..before {
                let factor = matrix[(row, column)];
                for n in 0..step {
                    to[row * step + n] += factor * from[column * step + n];
                }
            }
        }
    }
    lengths[axis] = after;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_at_the_centre_of_a_loop_agrees_with_the_formula() {
        // At the centre of a loop with the radius R, the field is 2π R² / R³ = 2π / R along the axis of the
        // loop. For the first coil, this axis is x.
        let wire = wire(0, 8);
        let radius = 1.1 * PI * DISTANCE / 8.0;
        let pieces = PIECES as f64 / (TAU * radius);
        let found = field(&wire, [DISTANCE, 0.0, 0.0]);
        assert!((found.re.abs() / pieces - TAU / radius).abs() < 1e-9 && found.im.abs() < 1e-9, "{found}");
        // At the distance d from the centre on the axis of a loop with the radius R, the field is 2π R² / (R²
        // + d²)^(3/2).
        let found = field(&wire, [DISTANCE - 0.3, 0.0, 0.0]);
        let expected = TAU * radius * radius / (radius * radius + 0.09f64).powf(1.5);
        assert!((found.re.abs() / pieces - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn the_series_approximates_the_field_and_gives_the_maps() {
        for (in_plane, tolerance) in [(true, 0.03), (false, 0.08)] {
            let loops = CoilLoops::new(8, in_plane);
            assert_eq!(loops.coils(), 8);
            let wire = wire(2, 8);
            let places: Vec<[f64; 3]> = (0..300)
                .map(|n| {
                    let number = |step: f64| (f64::from(n) * step).fract() - 0.5;
                    [number(0.7549), number(0.5698), if in_plane { 0.0 } else { number(0.4386) }]
                })
                .collect();
            let of_wire: Vec<Complex<f64>> = places.iter().map(|&place| field(&wire, place)).collect();
            let of_series: Vec<Complex<f64>> = places.iter().map(|&place| loops.at(2, place)).collect();
            let dot: Complex<f64> = of_wire.iter().zip(&of_series).map(|(a, b)| a.conj() * b).sum();
            let squares = |values: &[Complex<f64>]| values.iter().map(Complex::norm_sqr).sum::<f64>();
            let missed = 1.0 - dot.norm_sqr() / (squares(&of_wire) * squares(&of_series));
            assert!(missed.max(0.0).sqrt() < tolerance, "{in_plane} {}", missed.sqrt());
        }
        let loops = CoilLoops::new(3, false);
        let (shape, maps) = ([6, 5, 4], loops.maps([6, 5, 4]));
        for (coil, x, y, z) in [(0, 0, 0, 0), (2, 5, 3, 1), (1, 3, 2, 3)] {
            let place = [x, y, z];
            let at =
                [0, 1, 2].map(|axis| (place[axis] as f64 - (shape[axis] / 2) as f64) / shape[axis] as f64);
            let expected = loops.at(coil, at);
            let found = maps[coil * 120 + (z * 5 + y) * 6 + x];
            assert!((f64::from(found[0]) - expected.re).abs() < 1e-6, "{found:?} {expected}");
            assert!((f64::from(found[1]) - expected.im).abs() < 1e-6, "{found:?} {expected}");
        }
        // Each coil is most sensitive to points close to it. The first of eight coils is in the direction +x.
        let loops = CoilLoops::new(8, true);
        assert!(loops.at(0, [0.4, 0.0, 0.0]).norm() > 4.0 * loops.at(0, [-0.4, 0.0, 0.0]).norm());
    }
}
