//! The diffusion weighting of a measurement, as forward models take it.

use arcuate_core::{Error, GradientTable, PulseTiming, Result};

/// b-values, in s/mm², that this much apart are the same: of tables that round b and of imaging gradients.
const SAME_B: f64 = 10.0;

/// Relative difference up to which the b-value of a table and that of its pulses are the same. Scanners state b with
/// their imaging gradients in it, which rectangular pulses lack, and programs have γ to four digits.
const SAME_B_RELATIVE: f64 = 0.02;

/// The diffusion weighting of a measurement but for its direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighting {
    /// b in s/m²: a thousand s/mm² is 1e9.
    pub b: f64,
    /// |G|, Δ, δ and TE, where known; b should be γ²G²δ²(Δ − δ/3), see [`check`](Self::check).
    pub timing: Option<PulseTiming>,
}

impl Weighting {
    /// No weighting: b = 0.
    pub const NONE: Self = Self { b: 0.0, timing: None };

    /// Fails where b is negative or not finite, pulses overlap (Δ < δ), or the b-value of the pulses is another than
    /// b (by more than 2 % and 10 s/mm²). Without weighting the timing may be anything.
    pub fn check(&self) -> Result<()> {
        if !(self.b.is_finite() && self.b >= 0.0) {
            return Err(Error::invalid("weighting", "its b is no number of 0 or more", "give b in s/m²"));
        }
        let Some(timing) = self.timing.filter(|_| self.b > 0.0) else { return Ok(()) };
        let PulseTiming { amplitude, separation, duration, .. } = timing;
        let finite = amplitude.is_finite() && separation.is_finite();
        if !(finite && amplitude >= 0.0 && duration > 0.0 && separation >= duration) {
            let problem =
                format!("|G| = {amplitude} T/m, Δ = {separation} s, δ = {duration} s are no pulses");
            return Err(Error::invalid("gradient timings", problem, "give SI units with 0 < δ ≤ Δ"));
        }
        let (b, pulses) = (self.b * 1e-6, timing.b_value());
        if (b - pulses).abs() > SAME_B.max(SAME_B_RELATIVE * b) {
            let problem = format!(
                "b = {b:.1} s/mm², but |G| = {amplitude} T/m, Δ = {separation} s, δ = {duration} s make {pulses:.1}"
            );
            return Err(Error::invalid("gradient timings", problem, "correct b or the pulses"));
        }
        Ok(())
    }

    /// The different weightings of a table and which of them each measurement has: (shell of each measurement,
    /// weightings), ascending in b. Measurements that count as b = 0 are of b = 0 exactly.
    ///
    /// b is rounded to multiples of `b_step` (s/mm², 0 for none), with the amplitude of the pulses to match, so that
    /// b-values that scanners scatter by a few s/mm² become one shell. The step also is that of `fsl2scheme` of AMICO.
    ///
    /// Fails on a step that is negative or rounds a weighting to b = 0, and as [`check`](Self::check) does, naming
    /// the measurement.
    pub fn shells(table: &GradientTable, b_step: f64) -> Result<(Vec<usize>, Vec<Self>)> {
        if !(b_step.is_finite() && b_step >= 0.0) {
            let problem = format!("{b_step} s/mm² is no step of b-values");
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
                    let problem = format!("b = {b} s/mm² of measurement {} is rounded to 0 by it", m + 1);
                    return Err(Error::usage("‘b_step’", problem, "give a smaller one"));
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
