use crate::Element;
use arcuate_core::narrow;
use num_complex::Complex;
use rayon::prelude::*;
use std::f64::consts::PI;
use std::ops::AddAssign;

/// Number of grid points along an axis to which a Kaiser–Bessel window extends.
const WIDTH: usize = 4;

/// Number of terms of the series of I₀. With any oversampling, β is below 12.3, and the remaining terms are
/// below 3e-17 of the sum.
const TERMS: usize = 26;

/// The method that interpolates values between a sample and nearby grid points. It is the same along each
/// axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interpolation {
    /// Linear interpolation between the two nearest grid points along each axis (bi- or trilinear). A grid
    /// point at a distance of u grid points has the weight 1 − |u|.
    Trilinear,
    /// Interpolation with a Kaiser–Bessel window of four grid points. Its shape is optimal for the
    /// oversampling of the grid (Beatty, Nishimura and Pauly 2005, doi:10.1109/TMI.2005.848376).
    KaiserBessel,
}

impl Interpolation {
    /// Returns the interpolation window for this number of grid points per voxel.
    pub(super) fn window(self, oversampling: f64) -> Window {
        let reach = match self {
            Self::Trilinear => 1.0,
            Self::KaiserBessel => WIDTH as f64 / 2.0,
        };
        let beta = beta(oversampling);
        // The integral of I₀(β √(1 − u²)) from −1 to 1 is 2 sinh β / β.
        let integral = reach * 2.0 * beta.sinh() / beta;
        let mut coefficients = [1.0 / integral; TERMS];
        for k in 1..TERMS {
            coefficients[k] = coefficients[k - 1] * (0.25 * beta * beta) / (k * k) as f64;
        }
        Window { interpolation: self, reach, beta, coefficients }
    }
}

/// The interpolation window along one axis, with the constants that depend on the oversampling. A
/// Kaiser–Bessel window is divided by its integral.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    interpolation: Interpolation,
    /// The radius of the window, in grid points.
    reach: f64,
    /// The shape parameter of a Kaiser–Bessel window.
    beta: f64,
    /// The coefficients of a Kaiser–Bessel window, divided by its integral, as a polynomial in 1 − u². They
    /// are the terms (β²/4)ᵏ / k!² of the series of I₀(β √(1 − u²)).
    coefficients: [f64; TERMS],
}

impl Window {
    /// Returns the maximum number of grid points in the window. A sample on a grid point has one point more
    /// than the width of the window, because the points at both ends are in the window.
    fn points(&self) -> usize {
        2 * self.reach as usize + 1
    }

    /// Returns the first grid point in the window of a sample, and stores the interpolation weights from this
    /// point on. The remaining weights become 0. `place` is the position of the sample, in grid points.
    fn footprint(&self, place: f64, weights: &mut [f64]) -> i64 {
        let first = (place - self.reach).ceil();
        let mut distances = [0.0; WIDTH + 1];
        for (n, distance) in distances.iter_mut().enumerate() {
            *distance = first + n as f64 - place;
        }
        let values = self.weights(distances);
        for (n, weight) in weights.iter_mut().enumerate() {
            *weight = if first + n as f64 <= place + self.reach { values[n] } else { 0.0 };
        }
        first as i64
    }

    /// Returns the interpolation weights of grid points at these distances from the sample. The integral of
    /// the weight over all distances is 1.
    #[inline]
    pub(super) fn weights<const N: usize>(&self, distances: [f64; N]) -> [f64; N] {
        let mut weights = [0.0; N];
        match self.interpolation {
            Interpolation::Trilinear => {
                for (n, weight) in weights.iter_mut().enumerate() {
                    *weight = (1.0 - distances[n].abs()).max(0.0);
                }
            }
            Interpolation::KaiserBessel => {
                let mut inside = [0.0; N];
                for (n, inside) in inside.iter_mut().enumerate() {
                    *inside = 1.0 - (distances[n] / self.reach).powi(2);
                }
                // The grid points share each step of Horner's scheme, so that the compiler can use SIMD
                // instructions.
                for &coefficient in self.coefficients.iter().rev() {
                    for (n, weight) in weights.iter_mut().enumerate() {
                        *weight = *weight * inside[n] + coefficient;
                    }
                }
                for (n, weight) in weights.iter_mut().enumerate() {
                    *weight = if inside[n] < 0.0 { 0.0 } else { *weight };
                }
            }
        }
        weights
    }

    /// Returns the Fourier transform of the interpolation weights at `frequency`, in cycles per grid point.
    /// Gridding multiplies the image by this function, whose value at the centre of the image is 1.
    pub(super) fn spectrum(&self, frequency: f64) -> f64 {
        match self.interpolation {
            Interpolation::Trilinear => {
                let x = PI * frequency;
                if x == 0.0 { 1.0 } else { (x.sin() / x).powi(2) }
            }
            Interpolation::KaiserBessel => {
                let square = self.beta * self.beta - (2.0 * PI * self.reach * frequency).powi(2);
                let (size, at_zero) = (square.abs().sqrt(), self.beta.sinh() / self.beta);
                let value = if square > 0.0 { size.sinh() / size } else { size.sin() / size };
                value / at_zero
            }
        }
    }
}

/// The grid points near each sample along one axis, and their interpolation weights. They are computed once,
/// because each iteration of the density compensation and each coil use them. A sample takes 44 bytes with a
/// Kaiser–Bessel window.
#[derive(Debug, Clone)]
pub(super) struct Footprints {
    length: usize,
    /// The first grid point of each sample, from 0 to `length` − 1.
    firsts: Vec<u32>,
    /// The weights of the grid points from the first one on, for one sample after the other.
    weights: Vec<f64>,
    points: usize,
}

impl Footprints {
    /// Computes the grid points and weights of samples. `places` are the positions of the samples, in grid
    /// points, on a periodic axis of `length` grid points.
    pub(super) fn new(
        window: &Window,
        length: usize,
        places: impl IndexedParallelIterator<Item = f64>,
    ) -> Self {
        // If the axis has fewer grid points than the window, the periodic window overlaps itself. Each grid
        // point is then used once.
        let points = window.points().min(length);
        let mut firsts = vec![0; places.len()];
        let mut weights = vec![0.0; points * places.len()];
        let of_samples = firsts.par_iter_mut().zip(weights.par_chunks_exact_mut(points));
        places.zip(of_samples).for_each(|(place, (first, weights))| {
            *first = narrow::<u32>(window.footprint(place, weights).rem_euclid(length as i64));
        });
        Self { length, firsts, weights, points }
    }

    /// Returns the grid points near sample `n`.
    #[inline]
    fn of(&self, n: usize) -> Footprint<'_> {
        // The last weight is 0 unless the sample is on a grid point.
        let all = &self.weights[n * self.points..][..self.points];
        let weights = if let [weights @ .., 0.0] = all { weights } else { all };
        Footprint { first: self.firsts[n] as usize, length: self.length, weights }
    }
}

/// The grid points near a sample along one axis, and their interpolation weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Footprint<'a> {
    first: usize,
    length: usize,
    weights: &'a [f64],
}

impl<'a> Footprint<'a> {
    /// Returns the grid points near sample `n`. Without `footprints`, the axis has a single grid point.
    #[inline]
    pub(super) fn along(footprints: Option<&'a Footprints>, n: usize) -> Self {
        match footprints {
            Some(footprints) => footprints.of(n),
            None => Self::single(),
        }
    }

    /// Returns the grid point 0 with the weight 1, for an axis with a single grid point.
    #[inline]
    pub(super) fn single() -> Self {
        Self { first: 0, length: 1, weights: &[1.0] }
    }

    /// Returns the indices of the grid points and their weights. The axis is periodic: grid points beyond one
    /// end of the axis are those at the other end.
    #[inline]
    pub(super) fn points(&self) -> impl Iterator<Item = (usize, f64)> {
        self.weights.iter().enumerate().map(|(n, &weight)| {
            let point = self.first + n;
            (if point < self.length { point } else { point - self.length }, weight)
        })
    }

    /// Adds the value, times each weight, to the grid points of a row.
    #[inline]
    pub(super) fn add<V: Value>(&self, value: V, row: &mut [V]) {
        // Most samples have `WIDTH` grid points, none of them beyond the end of the axis.
        let near = row.get_mut(self.first..self.first + WIDTH);
        if let (&[a, b, c, d], Some([at_a, at_b, at_c, at_d])) = (self.weights, near) {
            *at_a += value.scaled(a);
            *at_b += value.scaled(b);
            *at_c += value.scaled(c);
            *at_d += value.scaled(d);
        } else {
            for (point, weight) in self.points() {
                row[point] += value.scaled(weight);
            }
        }
    }

    /// Returns the sum of `start` and the grid points of a row, times their weights and the factor.
    #[inline]
    pub(super) fn sum(&self, start: f64, factor: f64, row: &[f64]) -> f64 {
        let near = row.get(self.first..self.first + WIDTH);
        if let (&[a, b, c, d], Some(&[at_a, at_b, at_c, at_d])) = (self.weights, near) {
            return start + factor * a * at_a + factor * b * at_b + factor * c * at_c + factor * d * at_d;
        }
        let mut sum = start;
        for (point, weight) in self.points() {
            sum += factor * weight * row[point];
        }
        sum
    }
}

/// A number at a grid point: a complex number of the data, or a real density.
pub(super) trait Value: Copy + Send + Sync + AddAssign {
    fn zero() -> Self;

    /// Returns the number multiplied by a real weight.
    fn scaled(self, weight: f64) -> Self;
}

impl Value for f64 {
    fn zero() -> Self {
        0.0
    }

    #[inline]
    fn scaled(self, weight: f64) -> Self {
        self * weight
    }
}

impl<T: Element> Value for Complex<T> {
    fn zero() -> Self {
        Self::new(T::zero(), T::zero())
    }

    #[inline]
    fn scaled(self, weight: f64) -> Self {
        self.scale(T::of(weight))
    }
}

/// Returns the shape parameter β of the Kaiser–Bessel window (Beatty, Nishimura and Pauly 2005, equation 5).
fn beta(oversampling: f64) -> f64 {
    let width = WIDTH as f64;
    let inside = (width / oversampling).powi(2) * (oversampling - 0.5).powi(2) - 0.8;
    PI * inside.max(0.1).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_numbers::special::bessel_i0;

    /// All terms of the polynomial are positive, so that its relative error is a few units in the last place.
    /// The reference is the series of I₀ with a stopping rule.
    #[test]
    fn polynomials_agree_with_the_series_of_the_bessel_function() {
        for oversampling in [1.0, 1.25, 2.0, 4.0, 1e3] {
            let window = Interpolation::KaiserBessel.window(oversampling);
            let integral = window.reach * 2.0 * window.beta.sinh() / window.beta;
            for n in 0..=2000 {
                let distance = f64::from(n) / 1000.0;
                let inside = 1.0 - (distance / window.reach).powi(2);
                let expected = bessel_i0(window.beta * inside.sqrt()) / integral;
                let error = (window.weights([distance])[0] / expected - 1.0).abs();
                assert!(error < 4e-15, "{oversampling} {distance} {error:e}");
            }
        }
    }

    #[test]
    fn spectra_agree_with_the_interpolation_weights() {
        for kind in [Interpolation::Trilinear, Interpolation::KaiserBessel] {
            for oversampling in [1.25, 2.0] {
                let window = kind.window(oversampling);
                for frequency in [0.0, 0.1, 0.25, 0.4] {
                    let steps = 40_000;
                    let step = 2.0 * window.reach / f64::from(steps);
                    let sum: f64 = (0..steps)
                        .map(|n| {
                            let u = (f64::from(n) + 0.5) * step - window.reach;
                            window.weights([u])[0] * (2.0 * PI * frequency * u).cos() * step
                        })
                        .sum();
                    let spectrum = window.spectrum(frequency);
                    assert!((sum - spectrum).abs() < 1e-7, "{kind:?} {frequency} {sum} {spectrum}");
                }
            }
        }
    }
}
