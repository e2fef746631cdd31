//! The diffusion weighting of a measurement, as input of forward models.

use arcuate_core::{Error, GradientTable, PulseTiming, Result};

/// Maximum difference of two b-values that count as equal, in s/mm². It allows for rounded gradient tables
/// and for imaging gradients.
const SAME_B: f64 = 10.0;

/// Maximum relative difference between the b-value of a gradient table and the b-value computed from the
/// gradient pulses. Scanners include the imaging gradients in b, but the formula for rectangular pulses omits
/// them. Some programs also round γ to four digits.
const SAME_B_RELATIVE: f64 = 0.02;

/// The diffusion weighting of a measurement (b-value and pulse timing), without the gradient direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighting {
    /// The b-value in s/m². For example, 1000 s/mm² is 1e9 s/m².
    pub b: f64,
    /// The gradient pulses, if known: amplitude |G|, separation Δ, duration δ and echo time TE. The b-value
    /// should then be γ²G²δ²(Δ − δ/3), see [`check`](Self::check).
    pub timing: Option<PulseTiming>,
}

impl Weighting {
    /// The weighting of a measurement at b = 0, which has no gradient pulses.
    pub const NONE: Self = Self { b: 0.0, timing: None };

    /// Returns an error if b is negative or not finite, or if the gradient pulses overlap (Δ < δ). Also
    /// returns an error if the b-value computed from the pulses differs from b by more than 2 % and by more
    /// than 10 s/mm². At b = 0, every timing is valid.
    pub fn check(&self) -> Result<()> {
        if !(self.b.is_finite() && self.b >= 0.0) {
            return Err(Error::invalid(
                "weighting",
                "the b-value of the measurement is not a number of at least 0",
                "give b in \
                s/m²",
            ));
        }
        let Some(timing) = self.timing.filter(|_| self.b > 0.0) else { return Ok(()) };
        let PulseTiming { amplitude, separation, duration, .. } = timing;
        let finite = amplitude.is_finite() && separation.is_finite();
        if !(finite && amplitude >= 0.0 && duration > 0.0 && separation >= duration) {
            let problem = format!(
                "|G| = {amplitude} T/m, Δ = {separation} s, δ = {duration} s are not possible \
                         pulses"
            );
            return Err(Error::invalid("gradient timings", problem, "give SI units with 0 < δ ≤ Δ"));
        }
        let (b, pulses) = (self.b * 1e-6, timing.b_value());
        if (b - pulses).abs() > SAME_B.max(SAME_B_RELATIVE * b) {
            let problem = format!(
                "the b-value is {b:.1} s/mm², but |G| = {amplitude} T/m, Δ = {separation} s and δ = \
                 {duration} s give {pulses:.1} s/mm²"
            );
            return Err(Error::invalid("gradient timings", problem, "correct b or the pulses"));
        }
        Ok(())
    }

    /// Returns two lists: the shell of each measurement as an index, and the distinct weightings (one per
    /// shell) in ascending order of b. Measurements that count as b = 0 get b = 0 exactly.
    ///
    /// Each b is rounded to a multiple of `b_step` (s/mm²; 0 for no rounding), and the amplitude of the
    /// gradient pulses is adjusted to the rounded b. Measurements whose b-values differ by a few s/mm² then
    /// form one shell. AMICO's `fsl2scheme` rounds b-values in the same way.
    ///
    /// Returns an error if `b_step` is negative, or if rounding changes a weighting to b = 0. Also returns
    /// the errors of [`check`](Self::check), with the index of the measurement.
    pub fn shells(table: &GradientTable, b_step: f64) -> Result<(Vec<usize>, Vec<Self>)> {
        if !(b_step.is_finite() && b_step >= 0.0) {
            let problem = format!("{b_step} s/mm² is not a possible step of b-values");
            return Err(Error::usage("‘b_step’", problem, "give 0 or more"));
        }
        let of_measurement = |m: usize| {
            if table.is_b0(m) {
                return Ok(Self::NONE);
            }
            let mut weighting = Self { b: table.b_values()[m] * 1e6, timing: table.timings().map(|t| t[m]) };
            weighting.check().map_err(|error| error.about(format!("measurement {}", m + 1)))?;
            if b_step > 0.0 {
                let b = table.b_values()[m];
                let rounded = (b / b_step).round() * b_step;
                if rounded == 0.0 {
                    let problem = format!("this step rounds b = {b} s/mm² of measurement {} to 0", m + 1);
                    return Err(Error::usage("‘b_step’", problem, "give a smaller step"));
                }
                weighting.b = rounded * 1e6;
                if let Some(timing) = &mut weighting.timing {
                    let PulseTiming { separation, duration, echo_time, .. } = *timing;
                    *timing = PulseTiming::with_b_value(rounded, separation, duration, echo_time)?;
                }
            }
            Ok(weighting)
        };
        let measurements = (0..table.len()).map(of_measurement).collect::<Result<Vec<_>>>()?;
        let mut weightings: Vec<Self> = Vec::new();
        for weighting in &measurements {
            if !weightings.contains(weighting) {
                weightings.push(*weighting);
            }
        }
        weightings.sort_by(|a, b| a.b.total_cmp(&b.b));
        let shells = measurements
            .iter()
            .map(|weighting| weightings.iter().position(|w| w == weighting).unwrap_or_default())
            .collect();
        Ok((shells, weightings))
    }
}
