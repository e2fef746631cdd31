use crate::{Affine, Error, Result};

/// The diffusion weighting of each measurement of a series.
///
/// Directions are unit vectors in scanner (RAS) axes; b-values are in s/mm². Measurements at or below the b = 0
/// threshold (50 s/mm² unless set otherwise) count as not weighted, whatever direction their file gives.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientTable {
    directions: Vec<[f64; 3]>,
    b_values: Vec<f64>,
    b0_threshold: f64,
    timings: Option<Vec<PulseTiming>>,
}

/// Timing of the pulsed-gradient spin echo of one measurement, in SI units, for models that need more than b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PulseTiming {
    /// Gradient amplitude |G| in T/m.
    pub amplitude: f64,
    /// Δ: from the start of the first pulse to the start of the second, in s.
    pub separation: f64,
    /// δ: length of each pulse, in s.
    pub duration: f64,
    /// TE: echo time, in s.
    pub echo_time: f64,
}

/// Gyromagnetic ratio of the proton, γ, in rad/(s·T), as Camino and the Microstructure Diffusion Toolbox have it.
pub const PROTON_GYROMAGNETIC_RATIO: f64 = 2.6751525e8;

impl PulseTiming {
    /// b in s/mm² of rectangular pulses: γ² |G|² δ² (Δ − δ/3), after Stejskal and Tanner, J. Chem. Phys. 42:288 (1965),
    /// doi:10.1063/1.1695690.
    pub fn b_value(&self) -> f64 {
        let per_amplitude = PROTON_GYROMAGNETIC_RATIO * self.duration;
        (per_amplitude * self.amplitude).powi(2) * (self.separation - self.duration / 3.0) * 1e-6
    }

    /// The timing with Δ = `separation`, δ = `duration` and TE = `echo_time` (all in s) and the amplitude that gives
    /// `b` (s/mm²): the inverse of [`b_value`](Self::b_value). Fails where b > 0 and not 0 < δ ≤ Δ, or a number is
    /// negative or not finite.
    pub fn with_b_value(b: f64, separation: f64, duration: f64, echo_time: f64) -> Result<Self> {
        let numbers = [b, separation, duration, echo_time];
        if numbers.iter().any(|n| !n.is_finite() || *n < 0.0) {
            let advice = "give numbers of 0 or more, times in s";
            return Err(Error::invalid("pulse timing", "it holds values that are no times", advice));
        }
        let mut amplitude = 0.0;
        if b > 0.0 {
            if !(duration > 0.0 && duration <= separation) {
                let problem = format!("pulses of δ = {duration} s cannot begin Δ = {separation} s apart");
                return Err(Error::invalid("pulse timing", problem, "give 0 < δ ≤ Δ, in s"));
            }
            let time = separation - duration / 3.0;
            amplitude = (b * 1e6 / time).sqrt() / (PROTON_GYROMAGNETIC_RATIO * duration);
        }
        Ok(Self { amplitude, separation, duration, echo_time })
    }
}

impl GradientTable {
    /// b-values up to this many s/mm² count as b = 0 unless an option says otherwise.
    pub const DEFAULT_B0_THRESHOLD: f64 = 50.0;

    /// `directions` in scanner axes, of any length above 0 where `b_values` is above the threshold: they are
    /// normalised. Fails on unequal numbers, b < 0, values that are not finite, and weighted measurements without
    /// a direction.
    pub fn new(directions: &[[f64; 3]], b_values: Vec<f64>, b0_threshold: f64) -> Result<Self> {
        if directions.len() != b_values.len() {
            let problem = format!("{} directions for {} b-values", directions.len(), b_values.len());
            return Err(Error::invalid("gradient table", problem, "give one direction per b-value"));
        }
        if directions.is_empty() {
            return Err(Error::invalid("gradient table", "it is empty", "give one row per measurement"));
        }
        let mut unit = Vec::with_capacity(directions.len());
        for (row, (direction, &b)) in directions.iter().zip(&b_values).enumerate() {
            if !(b.is_finite() && b >= 0.0) || direction.iter().any(|c| !c.is_finite()) {
                let problem = format!("measurement {} holds values that are no weighting", row + 1);
                return Err(Error::invalid(
                    "gradient table",
                    problem,
                    "b must be 0 or more, all numbers finite",
                ));
            }
            let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
            if length < 1e-6 && b > b0_threshold {
                let problem = format!("measurement {} has b = {b} s/mm² but no direction", row + 1);
                return Err(Error::invalid("gradient table", problem, "give its direction, or b = 0"));
            }
            unit.push(if length < 1e-6 { [0.0; 3] } else { direction.map(|c| c / length) });
        }
        Ok(Self { directions: unit, b_values, b0_threshold, timings: None })
    }

    /// The same table with the timing of each measurement.
    pub fn with_timings(mut self, timings: Vec<PulseTiming>) -> Result<Self> {
        if timings.len() != self.len() {
            let problem = format!("{} timings for {} measurements", timings.len(), self.len());
            return Err(Error::invalid("gradient table", problem, "give one timing per measurement"));
        }
        self.timings = Some(timings);
        Ok(self)
    }

    /// The same table with pulses of one Δ = `separation`, δ = `duration` and TE = `echo_time`, in s, for all
    /// measurements; their amplitudes follow from b. Fails unless 0 < δ ≤ Δ, δ + Δ ≤ TE, and all are finite.
    pub fn with_pulses(self, separation: f64, duration: f64, echo_time: f64) -> Result<Self> {
        // The echo cannot come before the second pulse has ended.
        if separation + duration > echo_time {
            let problem =
                format!("Δ + δ = {} s is longer than the echo time, {echo_time} s", separation + duration);
            return Err(Error::invalid("pulse timing", problem, "check the three times, which are in s"));
        }
        let timing = |&b| PulseTiming::with_b_value(b, separation, duration, echo_time);
        // A first one with b > 0, so that a table of b = 0 alone is checked too.
        timing(&1.0)?;
        let timings = self.b_values.iter().map(timing).collect::<Result<_>>()?;
        self.with_timings(timings)
    }

    /// The same table with another b = 0 threshold, in s/mm².
    pub fn with_b0_threshold(self, b0_threshold: f64) -> Result<Self> {
        let timings = self.timings;
        let table = Self::new(&self.directions, self.b_values, b0_threshold)?;
        Ok(Self { timings, ..table })
    }

    /// Number of measurements; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.b_values.len()
    }

    /// Unit vectors in scanner axes; (0, 0, 0) where a b = 0 measurement has no direction.
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// b-values in s/mm².
    pub fn b_values(&self) -> &[f64] {
        &self.b_values
    }

    /// Largest b that counts as b = 0, in s/mm².
    pub fn b0_threshold(&self) -> f64 {
        self.b0_threshold
    }

    /// Timing of each measurement, where the file gave it.
    pub fn timings(&self) -> Option<&[PulseTiming]> {
        self.timings.as_deref()
    }

    /// Whether a measurement counts as not weighted.
    pub fn is_b0(&self, measurement: usize) -> bool {
        self.b_values[measurement] <= self.b0_threshold
    }

    /// Measurements that count as b = 0.
    pub fn b0_indices(&self) -> Vec<usize> {
        (0..self.len()).filter(|&m| self.is_b0(m)).collect()
    }

    /// Measurements that are weighted.
    pub fn weighted_indices(&self) -> Vec<usize> {
        (0..self.len()).filter(|&m| !self.is_b0(m)).collect()
    }

    /// The b-value of each shell with its number of measurements, ascending: b-values within 100 s/mm² (or 5 %) of
    /// their neighbour are one shell, named by its mean.
    pub fn shells(&self) -> Vec<(f64, usize)> {
        let mut sorted: Vec<f64> =
            (0..self.len()).filter(|&m| !self.is_b0(m)).map(|m| self.b_values[m]).collect();
        sorted.sort_by(f64::total_cmp);
        let mut shells: Vec<(f64, usize)> = Vec::new();
        let zeros = self.len() - sorted.len();
        if zeros > 0 {
            shells.push((0.0, zeros));
        }
        let mut previous = f64::NEG_INFINITY;
        for b in sorted {
            match shells.last_mut() {
                Some((mean, count)) if b - previous <= (0.05 * b).max(100.0) && previous > 0.0 => {
                    *mean += (b - *mean) / (*count + 1) as f64;
                    *count += 1;
                }
                _ => shells.push((b, 1)),
            }
            previous = b;
        }
        shells
    }
}

/// FSL's image axes to scanner axes: the directions of a `bvec` file are along the voxel axes, with x negated when
/// det(affine) > 0. `directions` keep their lengths.
pub fn image_axes_to_scanner(directions: &[[f64; 3]], affine: &Affine) -> Vec<[f64; 3]> {
    let axes = affine.axes();
    let sign = if affine.determinant() > 0.0 { -1.0 } else { 1.0 };
    directions
        .iter()
        .map(|d| std::array::from_fn(|r| sign * d[0] * axes[0][r] + d[1] * axes[1][r] + d[2] * axes[2][r]))
        .collect()
}

/// Scanner axes to FSL's image axes: the inverse of [`image_axes_to_scanner`]. Fails on a degenerate affine.
pub fn scanner_to_image_axes(directions: &[[f64; 3]], affine: &Affine) -> Result<Vec<[f64; 3]>> {
    let [x, y, z] = affine.axes();
    let rows = std::array::from_fn(|r| [x[r], y[r], z[r], 0.0]);
    let inverse = Affine::from_rows(rows)?.inverse()?;
    let sign = if affine.determinant() > 0.0 { -1.0 } else { 1.0 };
    Ok(directions
        .iter()
        .map(|d| {
            let [i, j, k] = inverse.apply_vector(*d);
            [sign * i, j, k]
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotated(flip: f64) -> Affine {
        // A turn of 30° about z, 2 mm voxels, x stored right to left when `flip` is -1.
        let (s, c) = 30f64.to_radians().sin_cos();
        Affine::from_rows([
            [flip * 2.0 * c, -2.0 * s, 0.0, 10.0],
            [flip * 2.0 * s, 2.0 * c, 0.0, -5.0],
            [0.0, 0.0, 2.0, 3.0],
        ])
        .unwrap()
    }

    #[test]
    fn bvec_x_is_negated_only_for_a_positive_determinant() {
        let (s, c) = 30f64.to_radians().sin_cos();
        let along_x = [[1.0, 0.0, 0.0]];
        // det < 0: stored leftwards; the voxel axis itself already points left, and is used as it is.
        assert!(rotated(-1.0).determinant() < 0.0);
        let negative = image_axes_to_scanner(&along_x, &rotated(-1.0))[0];
        // det > 0: the voxel axis points right, FSL's x points left.
        let positive = image_axes_to_scanner(&along_x, &rotated(1.0))[0];
        for (axis, expected) in [-c, -s, 0.0].into_iter().enumerate() {
            assert!((negative[axis] - expected).abs() < 1e-15);
            assert!((positive[axis] - expected).abs() < 1e-15);
        }
        // y and z keep their sign in both.
        let along_y = [[0.0, 1.0, 0.0]];
        assert_eq!(
            image_axes_to_scanner(&along_y, &rotated(1.0)),
            image_axes_to_scanner(&along_y, &rotated(-1.0))
        );
    }

    #[test]
    fn image_axes_and_back_is_the_same_direction() {
        let sheared =
            Affine::from_rows([[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]])
                .unwrap();
        let d = [[0.6, -0.64, 0.48], [0.0, 0.0, 1.0]];
        for affine in [sheared, rotated(1.0), rotated(-1.0)] {
            let back = scanner_to_image_axes(&image_axes_to_scanner(&d, &affine), &affine).unwrap();
            for (a, b) in back.iter().flatten().zip(d.iter().flatten()) {
                assert!((a - b).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn pulses_follow_from_b() {
        // δ = 20 ms, Δ = 40 ms, 40 mT/m: 2.6751525e8² · 0.04² · 0.02² · (0.04 − 0.02/3) = 1.5267074e9 s/m².
        let timing = PulseTiming { amplitude: 0.04, separation: 0.04, duration: 0.02, echo_time: 0.08 };
        assert!((timing.b_value() - 1526.7074).abs() < 1e-4);
        let table =
            GradientTable::new(&[[0.0; 3], [1.0, 0.0, 0.0]], vec![0.0, timing.b_value()], 50.0).unwrap();
        let timed = table.clone().with_pulses(0.04, 0.02, 0.08).unwrap();
        assert_eq!(timed.timings().unwrap()[0].amplitude, 0.0);
        // A square and a root: a few last digits.
        assert!((timed.timings().unwrap()[1].amplitude - 0.04).abs() < 1e-16);

        let problem = |separation, duration, echo_time| {
            table.clone().with_pulses(separation, duration, echo_time).unwrap_err().to_string()
        };
        assert_eq!(
            problem(0.02, 0.03, 0.08),
            "pulse timing: pulses of δ = 0.03 s cannot begin Δ = 0.02 s apart; give 0 < δ ≤ Δ, in s"
        );
        assert_eq!(
            problem(0.04, 0.02, 0.05),
            "pulse timing: Δ + δ = 0.06 s is longer than the echo time, 0.05 s; check the three times, which are in s"
        );
        assert!(problem(0.04, 0.0, 0.05).contains("0 < δ ≤ Δ"));
        assert!(problem(0.04, f64::NAN, 0.05).contains("are no times"));
    }

    #[test]
    fn small_b_counts_as_zero_and_needs_no_direction() {
        let table = GradientTable::new(
            &[[0.0; 3], [0.3, 0.0, 0.0], [0.0, 2.0, 0.0]],
            vec![0.0, 0.004, 1000.0],
            GradientTable::DEFAULT_B0_THRESHOLD,
        )
        .unwrap();
        assert_eq!(table.b0_indices(), [0, 1]);
        assert_eq!(table.weighted_indices(), [2]);
        assert_eq!(table.directions()[2], [0.0, 1.0, 0.0]);
        assert_eq!(table.shells(), [(0.0, 2), (1000.0, 1)]);
        assert!(GradientTable::new(&[[0.0; 3]], vec![1000.0], 50.0).is_err());
        assert!(GradientTable::new(&[[1.0, 0.0, 0.0]], vec![f64::NAN], 50.0).is_err());
    }
}
