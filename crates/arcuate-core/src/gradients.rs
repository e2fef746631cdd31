use crate::{Affine, Error, Result, SignedAxes};
use arcuate_numbers::vector3::{dot, norm as length};
use std::ops::RangeInclusive;

/// The diffusion weighting of each measurement of a series.
///
/// Directions are unit vectors in scanner (RAS) axes; b-values are in s/mm². Measurements at or below the b =
/// 0 threshold (50 s/mm² unless set otherwise) count as unweighted, even if their file gives a direction.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientTable {
    directions: Vec<[f64; 3]>,
    b_values: Vec<f64>,
    b0_threshold: f64,
    timings: Option<Vec<PulseTiming>>,
    averaged: Option<Vec<usize>>,
    is_known: bool,
}

/// Timing of the pulsed-gradient spin echo of one measurement, in SI units, for models that need more than
/// the b-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PulseTiming {
    /// Gradient amplitude |G| in T/m.
    pub amplitude: f64,
    /// The time Δ from the start of the first gradient pulse to the start of the second, in s.
    pub separation: f64,
    /// δ: length of each pulse, in s.
    pub duration: f64,
    /// TE: echo time, in s.
    pub echo_time: f64,
}

/// Gyromagnetic ratio γ of the proton, in rad/(s·T). Camino and the Microstructure Diffusion Toolbox use the
/// same value.
pub const PROTON_GYROMAGNETIC_RATIO: f64 = 2.6751525e8;

/// Upper limit of pulse and echo times, in s. No signal is left after this time.
const LONGEST_TIME: f64 = 3.0;

/// Upper limit of gradient amplitudes of imaging systems, in T/m.
const LARGEST_AMPLITUDE: f64 = 100.0;

/// A direction vector that is shorter than this length means that the measurement has no direction.
const SHORTEST: f64 = 1e-6;

impl PulseTiming {
    /// Returns an error if a time or the amplitude is negative or not finite. If the amplitude is positive,
    /// it is an error unless the duration δ and the separation Δ of the pulses fulfil 0 < δ ≤ Δ. Times or
    /// amplitudes that no scanner has also give an error, since they must be in another unit.
    pub fn check(&self) -> Result<()> {
        let numbers = [self.amplitude, self.separation, self.duration, self.echo_time];
        if numbers.iter().any(|n| !n.is_finite() || *n < 0.0) {
            let advice = "give |G| in T/m and Δ, δ and TE in s, each 0 or more";
            return Err(Error::invalid(
                "pulse timing",
                "a gradient amplitude or time is negative or not finite",
                advice,
            ));
        }
        let times = [("Δ", self.separation), ("δ", self.duration), ("TE", self.echo_time)];
        for (name, value, largest, unit, other) in times
            .map(|(name, time)| (name, time, LONGEST_TIME, "s", "ms"))
            .into_iter()
            .chain([("|G|", self.amplitude, LARGEST_AMPLITUDE, "T/m", "mT/m")])
        {
            if value > largest {
                let problem = format!(
                    "{name} = {value} {unit} exceeds what any scanner can do; the number may be in \
                             {other}"
                );
                return Err(Error::invalid("pulse timing", problem, "give |G| in T/m and Δ, δ and TE in s"));
            }
        }
        if self.amplitude > 0.0 { require_pulses(self.separation, self.duration) } else { Ok(()) }
    }

    /// The b-value of rectangular pulses in s/mm²: b = γ² |G|² δ² (Δ − δ/3), after Stejskal and Tanner, J.
    /// Chem. Phys. 42:288 (1965), doi:10.1063/1.1695690.
    pub fn b_value(&self) -> f64 {
        let per_amplitude = PROTON_GYROMAGNETIC_RATIO * self.duration;
        (per_amplitude * self.amplitude).powi(2) * (self.separation - self.duration / 3.0) * 1e-6
    }

    /// Creates the timing with Δ = `separation`, δ = `duration` and TE = `echo_time` (all in s) and the
    /// amplitude that gives `b` (s/mm²). This is the inverse of [`b_value`](Self::b_value). Returns an error
    /// if b > 0 and 0 < δ ≤ Δ does not hold. A number that is negative, not finite, or [impossible for a
    /// scanner](Self::check) also gives an error.
    pub fn with_b_value(b: f64, separation: f64, duration: f64, echo_time: f64) -> Result<Self> {
        let numbers = [b, separation, duration, echo_time];
        if numbers.iter().any(|n| !n.is_finite() || *n < 0.0) {
            let advice = "give a b-value of 0 or more, and times of 0 or more in s";
            return Err(Error::invalid("pulse timing", "a time is negative or not finite", advice));
        }
        let mut amplitude = 0.0;
        if b > 0.0 {
            require_pulses(separation, duration)?;
            let time = separation - duration / 3.0;
            amplitude = (b * 1e6 / time).sqrt() / (PROTON_GYROMAGNETIC_RATIO * duration);
        }
        let timing = Self { amplitude, separation, duration, echo_time };
        timing.check().map(|()| timing)
    }
}

/// Returns an error unless the duration δ and the separation Δ of the gradient pulses fulfil 0 < δ ≤ Δ.
fn require_pulses(separation: f64, duration: f64) -> Result<()> {
    if duration > 0.0 && duration <= separation {
        return Ok(());
    }
    let problem = format!(
        "the pulse duration δ = {duration} s is 0 or exceeds the pulse separation Δ = \
                           {separation} s"
    );
    Err(Error::invalid("pulse timing", problem, "give 0 < δ ≤ Δ, in s"))
}

impl GradientTable {
    /// Default b = 0 threshold in s/mm²: measurements with at most this b-value count as b = 0.
    pub const DEFAULT_B0_THRESHOLD: f64 = 50.0;

    /// Valid lengths of direction vectors. Some scanners and programs multiply unit vectors by the square
    /// root of a ratio of b-values, or do not normalise a vector such as (1, 1, 1). Vectors of any other
    /// length are not directions.
    pub const LENGTHS: RangeInclusive<f64> = 0.099..=2.01;

    /// Upper limit of b-values in s/mm². No scanner reaches this value.
    pub const LARGEST_B: f64 = 1e5;

    /// Creates a gradient table from `directions` in scanner axes, which are normalised. Returns an error if
    /// there are not as many directions as b-values, if b < 0, or if a value is not finite. It is also an
    /// error if the direction of a weighted measurement does not have a valid [length](Self::LENGTHS), or if
    /// the [threshold is invalid](Self::check_b0_threshold).
    pub fn new(directions: &[[f64; 3]], b_values: Vec<f64>, b0_threshold: f64) -> Result<Self> {
        let table = Self::keeping_all(directions, b_values, b0_threshold)?;
        let is_odd = |row: &usize| {
            (SHORTEST..).contains(&length(directions[*row]))
                && !Self::LENGTHS.contains(&length(directions[*row]))
        };
        if let Some(row) = table.weighted_indices().into_iter().find(is_odd) {
            let problem = format!(
                "the vector of measurement {} (counted from 1) has the length {:.3e} and is not a direction",
                row + 1,
                length(directions[row])
            );
            return Err(Error::invalid("gradient table", problem, "give unit vectors"));
        }
        if let Some(&row) = table.without_direction().first() {
            let problem = format!(
                "measurement {} (counted from 1) has b = {} s/mm² but no direction",
                row + 1,
                table.b_values[row]
            );
            let advice = "give its direction, or b = 0, or raise ‘b0_threshold’";
            return Err(Error::invalid("gradient table", problem, advice));
        }
        Ok(table)
    }

    /// Creates a gradient table from directions and b-values of another table. `directions` are unit vectors,
    /// or 0 for a measurement without direction, and are stored bit-identically.
    ///
    /// Returns an error if a value is not finite, if b < 0, or if the length of a direction is neither 0 nor
    /// 1. The numbers of directions and b-values must be equal.
    pub fn from_unit_directions(
        directions: Vec<[f64; 3]>,
        b_values: Vec<f64>,
        b0_threshold: f64,
    ) -> Result<Self> {
        let is_other = |direction: &[f64; 3]| {
            let length = length(*direction);
            length != 0.0 && (length - 1.0).abs() > 1e-12
        };
        let table = Self::keeping_all(&directions, b_values, b0_threshold)?;
        if let Some(row) = directions.iter().position(is_other) {
            let problem = format!(
                "the direction of measurement {} (counted from 1) does not have length \
                                   1",
                row + 1
            );
            return Err(Error::invalid("gradient table", problem, "give unit vectors"));
        }
        Ok(Self { directions, ..table })
    }

    /// Creates a gradient table like [`new`](Self::new), but accepts weighted measurements without a
    /// direction.
    fn keeping_all(directions: &[[f64; 3]], b_values: Vec<f64>, b0_threshold: f64) -> Result<Self> {
        Self::check_b0_threshold(b0_threshold)?;
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
                let problem = format!(
                    "measurement {} (counted from 1) has a negative b-value or values \
                                       that are not finite",
                    row + 1
                );
                return Err(Error::invalid(
                    "gradient table",
                    problem,
                    "give b-values of at least 0 and finite directions",
                ));
            }
            let length = length(*direction);
            unit.push(if length < SHORTEST { [0.0; 3] } else { direction.map(|c| c / length) });
        }
        Ok(Self { directions: unit, b_values, b0_threshold, timings: None, averaged: None, is_known: true })
    }

    /// Creates a gradient table for a series without diffusion weighting, such as echoes of different times.
    /// All measurements count as b = 0. Code that needs b-values or directions must check that [they are
    /// known](Self::is_known). Returns an error for 0 measurements.
    pub fn unknown(measurements: usize) -> Result<Self> {
        let directions = vec![[0.0; 3]; measurements];
        let table = Self::new(&directions, vec![0.0; measurements], Self::DEFAULT_B0_THRESHOLD)?;
        Ok(Self { is_known: false, ..table })
    }

    /// Returns whether the diffusion weighting is known.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Creates a gradient table for display or copying, like [`new`](Self::new) with the default threshold.
    /// Weighted measurements may lack a direction ([`without_direction`](Self::without_direction)). A model
    /// also needs the checks of [`with_b0_threshold`](Self::with_b0_threshold).
    pub fn as_stored(directions: &[[f64; 3]], b_values: Vec<f64>) -> Result<Self> {
        Self::keeping_all(directions, b_values, Self::DEFAULT_B0_THRESHOLD)
    }

    /// Returns an error for a b = 0 threshold that is negative or not finite.
    pub fn check_b0_threshold(b0_threshold: f64) -> Result<()> {
        if b0_threshold.is_finite() && b0_threshold >= 0.0 {
            return Ok(());
        }
        let problem = format!("{b0_threshold} is not a b-value");
        Err(Error::usage("‘b0_threshold’", problem, "give a b-value of 0 or more, in s/mm²"))
    }

    /// Adds the pulse timing of each measurement. Returns an error for [invalid timings](PulseTiming::check).
    /// An error is also returned if the table's b-value of a weighted measurement and the b-value of its
    /// pulses differ by more than a factor of 2. (Imaging gradients and gradient ramps contribute to only one
    /// of these two b-values.)
    pub fn with_timings(mut self, timings: Vec<PulseTiming>) -> Result<Self> {
        if timings.len() != self.len() {
            let problem = format!("{} timings for {} measurements", timings.len(), self.len());
            return Err(Error::invalid("gradient table", problem, "give one timing per measurement"));
        }
        timings.iter().try_for_each(PulseTiming::check)?;
        for measurement in self.weighted_indices() {
            let (b, pulses) = (self.b_values[measurement], timings[measurement].b_value());
            if !(0.5 * b..=2.0 * b).contains(&pulses) {
                let problem = format!(
                    "measurement {} (counted from 1) has b = {b:.0} s/mm², but its pulses give \
                     {pulses:.3e} s/mm²",
                    measurement + 1
                );
                let advice = "check the units: |G| in T/m, Δ, δ and TE in s";
                return Err(Error::invalid("gradient table", problem, advice));
            }
        }
        self.timings = Some(timings);
        Ok(self)
    }

    /// Adds the pulse timing Δ = `separation`, δ = `duration` and TE = `echo_time`, in s, to all
    /// measurements. The gradient amplitudes follow from b. Returns an error unless 0 < δ ≤ Δ, δ + Δ ≤ TE,
    /// and all times are finite.
    pub fn with_pulses(self, separation: f64, duration: f64, echo_time: f64) -> Result<Self> {
        // The echo cannot come before the second gradient pulse has ended.
        if separation + duration > echo_time {
            let problem =
                format!("Δ + δ = {} s exceeds the echo time of {echo_time} s", separation + duration);
            return Err(Error::invalid(
                "pulse timing",
                problem,
                "check the times Δ, δ and TE, which are in s",
            ));
        }
        let timing = |&b| PulseTiming::with_b_value(b, separation, duration, echo_time);
        // A timing with b = 1 is checked first, so that the times are also checked if all measurements of the
        // table have b = 0.
        timing(&1.0)?;
        let timings = self.b_values.iter().map(timing).collect::<Result<_>>()?;
        self.with_timings(timings)
    }

    /// Marks each measurement as the mean of a number of acquired measurements. Returns an error unless there
    /// is one number for each measurement and each number is at least 1.
    pub fn with_averaged(mut self, counts: Vec<usize>) -> Result<Self> {
        if counts.len() != self.len() || counts.contains(&0) {
            let problem =
                format!("there are {} numbers of averages for {} measurements", counts.len(), self.len());
            return Err(Error::invalid(
                "gradient table",
                problem,
                "give one number of averages, at least 1, per measurement",
            ));
        }
        self.averaged = Some(counts);
        Ok(self)
    }

    /// For each measurement of the table, the number of acquired measurements that were averaged. `None` if
    /// no measurement is a mean.
    pub fn averaged(&self) -> Option<&[usize]> {
        self.averaged.as_deref()
    }

    /// Changes the b = 0 threshold of the table, in s/mm².
    pub fn with_b0_threshold(self, b0_threshold: f64) -> Result<Self> {
        let (timings, averaged, is_known) = (self.timings, self.averaged, self.is_known);
        let table = Self::new(&self.directions, self.b_values, b0_threshold)?;
        Ok(Self { timings, averaged, is_known, ..table })
    }

    /// Reinterprets the directions of the table along permuted or reversed image axes. `affine` is the
    /// transform of the image.
    pub fn with_axes(self, axes: &SignedAxes, affine: &Affine) -> Result<Self> {
        if axes.is_as_it_seems() {
            return Ok(self);
        }
        let turned: Vec<[f64; 3]> =
            self.directions.iter().map(|d| axes.turn_in_scanner_axes(*d, affine)).collect();
        let (timings, averaged, is_known) = (self.timings, self.averaged, self.is_known);
        let table = Self::keeping_all(&turned, self.b_values, self.b0_threshold)?;
        Ok(Self { timings, averaged, is_known, ..table })
    }

    /// Number of measurements of the table; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.b_values.len()
    }

    /// Unit vectors in scanner axes, one for each measurement; (0, 0, 0) for a measurement without direction.
    /// Weighted measurements lack a direction only in a table that was created by
    /// [`as_stored`](Self::as_stored).
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// The b-value of each measurement in s/mm².
    pub fn b_values(&self) -> &[f64] {
        &self.b_values
    }

    /// Largest b-value that counts as b = 0, in s/mm².
    pub fn b0_threshold(&self) -> f64 {
        self.b0_threshold
    }

    /// Pulse timing of each measurement, if the file has timings.
    pub fn timings(&self) -> Option<&[PulseTiming]> {
        self.timings.as_deref()
    }

    /// Returns whether a measurement counts as unweighted (b = 0).
    pub fn is_b0(&self, measurement: usize) -> bool {
        self.b_values[measurement] <= self.b0_threshold
    }

    /// Indices of measurements that count as b = 0.
    pub fn b0_indices(&self) -> Vec<usize> {
        (0..self.len()).filter(|&m| self.is_b0(m)).collect()
    }

    /// Indices of weighted measurements.
    pub fn weighted_indices(&self) -> Vec<usize> {
        (0..self.len()).filter(|&m| !self.is_b0(m)).collect()
    }

    /// Indices of weighted measurements without a direction, such as trace volumes and spherical b-tensors.
    /// Measurements of this kind occur only in a table that was created by [`as_stored`](Self::as_stored).
    pub fn without_direction(&self) -> Vec<usize> {
        (0..self.len()).filter(|&m| !self.is_b0(m) && self.directions[m] == [0.0; 3]).collect()
    }

    /// The b-value of each shell and its number of measurements. Shells are in ascending order of b, with b =
    /// 0 first. See [`measurements_by_shell`](Self::measurements_by_shell) for the definition of a shell.
    pub fn shells(&self) -> Vec<(f64, usize)> {
        self.measurements_by_shell().into_iter().map(|(b, measurements)| (b, measurements.len())).collect()
    }

    /// The b-value of each shell and the indices of its measurements. Shells are in ascending order of b,
    /// with b = 0 first.
    ///
    /// A shell is a set of b-values. The sorted b-values of a shell differ by at most 40 s/mm² (or 2 %) from
    /// one to the next. Its largest and smallest b-value differ by at most 100 s/mm² (or 10 %). Scanners and
    /// nonlinear gradients produce such sets from one nominal b. The shell's b-value is the mean of the set.
    /// The range of a set is larger, for example, if many b-values increase evenly. The set is then cut at
    /// its widest gaps until no piece exceeds the maximum range. If all gaps are equal, each b-value becomes
    /// a shell.
    pub fn measurements_by_shell(&self) -> Vec<(f64, Vec<usize>)> {
        let mut weighted = self.weighted_indices();
        weighted.sort_by(|&m, &n| self.b_values[m].total_cmp(&self.b_values[n]));
        let mut shells = Vec::new();
        let zeros = self.b0_indices();
        if !zeros.is_empty() {
            shells.push((0.0, zeros));
        }
        let b = |m: &usize| self.b_values[*m];
        for chain in weighted.chunk_by(|m, n| b(n) - b(m) <= (0.02 * b(n)).max(40.0)) {
            self.cut_into_shells(chain, &mut shells);
        }
        shells
    }

    /// Indices, ascending, of all measurements in the shells with these b-values. A b-value selects the
    /// shells whose mean b-value differs by at most 50 s/mm² or 5 %, whichever is larger. The value 0 selects
    /// b = 0. Returns an error if a b-value selects no shell.
    pub fn measurements_of_shells(&self, b_values: &[f64]) -> Result<Vec<usize>> {
        let shells = self.measurements_by_shell();
        let near = |shell: f64, b: f64| {
            if b <= self.b0_threshold { shell == 0.0 } else { (shell - b).abs() <= (0.05 * b).max(50.0) }
        };
        for &b in b_values {
            if !shells.iter().any(|(shell, _)| near(*shell, b)) {
                let problem = format!("no measurement has b = {b} s/mm²");
                let advice = format!("the series has {}", self.describe_shells());
                return Err(Error::usage("‘shells’", problem, advice));
            }
        }
        let kept_shells = shells.into_iter().filter(|(shell, _)| b_values.iter().any(|&b| near(*shell, b)));
        let mut measurements: Vec<usize> = kept_shells.flat_map(|(_, measurements)| measurements).collect();
        measurements.sort_unstable();
        Ok(measurements)
    }

    /// Number of different gradient axes of the weighted measurements among `measurements`. An axis is a
    /// direction without its sign. Two axes are different if the angle between them exceeds half a degree.
    pub fn distinct_axes(&self, measurements: &[usize]) -> usize {
        let mut distinct: Vec<[f64; 3]> = Vec::new();
        for &m in measurements.iter().filter(|&&m| !self.is_b0(m) && self.directions[m] != [0.0; 3]) {
            let d = self.directions[m];
            let same = |e: &[f64; 3]| dot(d, *e).abs() > 0.99996;
            if !distinct.iter().any(same) {
                distinct.push(d);
            }
        }
        distinct.len()
    }

    /// Creates a gradient table of some measurements, in the given order.
    ///
    /// # Panics
    /// Panics if an index is out of range.
    pub fn of_measurements(&self, measurements: &[usize]) -> Self {
        Self {
            directions: measurements.iter().map(|&m| self.directions[m]).collect(),
            b_values: measurements.iter().map(|&m| self.b_values[m]).collect(),
            b0_threshold: self.b0_threshold,
            timings: self.timings.as_ref().map(|all| measurements.iter().map(|&m| all[m]).collect()),
            averaged: self.averaged.as_ref().map(|all| measurements.iter().map(|&m| all[m]).collect()),
            is_known: self.is_known,
        }
    }

    /// Adds the shells of a list of measurements. The measurements are sorted by b-value, without wide gaps
    /// between b-values. The list becomes one shell, or is cut into several shells.
    fn cut_into_shells(&self, chain: &[usize], shells: &mut Vec<(f64, Vec<usize>)>) {
        let b = |m: &usize| self.b_values[*m];
        let mut left = vec![chain];
        while let Some(part) = left.pop() {
            let (first, last) = (b(&part[0]), b(&part[part.len() - 1]));
            // The mean is computed as the first b-value plus the mean difference from the first b-value, so
            // that the mean of equal b-values is exact.
            let mean = first + part.iter().map(|m| b(m) - first).sum::<f64>() / part.len() as f64;
            if last - first <= (0.1 * mean).max(100.0) {
                let mut measurements = part.to_vec();
                measurements.sort_unstable();
                shells.push((mean, measurements));
                continue;
            }
            let widest = part.windows(2).map(|pair| b(&pair[1]) - b(&pair[0])).fold(0.0, f64::max);
            // If the differences between successive b-values are equal, they may still differ slightly,
            // because the b-values were rounded to decimals.
            let pieces: Vec<&[usize]> = part.chunk_by(|m, n| b(n) - b(m) < widest * (1.0 - 1e-6)).collect();
            left.extend(pieces.into_iter().rev());
        }
    }

    /// Describes the shells of the table, for example `4 × b 0, 12 × b 1000`. If there are more than twelve
    /// shells, only their number and range are given. If some weighted measurements have no direction, their
    /// number is added.
    pub fn describe_shells(&self) -> String {
        if !self.is_known {
            return format!("{} without a gradient table", self.len());
        }
        let shells = self.listed_shells();
        if self.averaged.is_some() {
            return format!("{shells}, averaged over directions");
        }
        match self.without_direction().len() {
            0 => shells,
            1 => format!("{shells}; 1 has no direction"),
            count => format!("{shells}; {count} have no direction"),
        }
    }

    /// The b-value of each shell and its number of acquired measurements. A measurement that is a mean of n
    /// acquired measurements counts as n.
    fn acquired_by_shell(&self) -> Vec<(f64, usize)> {
        let acquired = |m: &usize| self.averaged.as_ref().map_or(1, |counts| counts[*m]);
        let of_shell = |(b, shell): (f64, Vec<usize>)| (b, shell.iter().map(acquired).sum());
        self.measurements_by_shell().into_iter().map(of_shell).collect()
    }

    fn listed_shells(&self) -> String {
        let shells = self.acquired_by_shell();
        if shells.len() <= 12 {
            let words: Vec<String> = shells.iter().map(|(b, n)| format!("{n} × b {b:.0}")).collect();
            return words.join(", ");
        }
        let weighted: Vec<&(f64, usize)> = shells.iter().filter(|(b, _)| *b > 0.0).collect();
        let zeros =
            shells.iter().find(|(b, _)| *b == 0.0).map_or(String::new(), |(_, n)| format!("{n} × b 0, "));
        let count: usize = weighted.iter().map(|(_, n)| n).sum();
        let (first, last) = (weighted[0].0, weighted[weighted.len() - 1].0);
        format!("{zeros}{count} of {} different b from {first:.0} to {last:.0}", weighted.len())
    }
}

/// Converts directions from FSL's image axes to scanner axes. Directions of a `bvec` file are along the voxel
/// axes, with x negated if det(affine) > 0. The lengths of `directions` are kept.
pub fn image_axes_to_scanner(directions: &[[f64; 3]], affine: &Affine) -> Vec<[f64; 3]> {
    let axes = affine.axes();
    let sign = if affine.determinant() > 0.0 { -1.0 } else { 1.0 };
    directions
        .iter()
        .map(|d| std::array::from_fn(|r| sign * d[0] * axes[0][r] + d[1] * axes[1][r] + d[2] * axes[2][r]))
        .collect()
}

/// Converts directions from scanner axes to FSL's image axes. This is the inverse of
/// [`image_axes_to_scanner`]. Returns an error for a degenerate affine.
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

    #[test]
    fn subsets_of_tables_are_bit_identical() {
        let directions: Vec<[f64; 3]> =
            (0..200).map(|n| [0.0, 0.7, 1.9].map(|shift| (f64::from(n) + shift).sin())).collect();
        let table = GradientTable::new(&directions, vec![1000.0; 200], 50.0).unwrap();
        let parts =
            |directions| GradientTable::from_unit_directions(directions, table.b_values().to_vec(), 50.0);
        assert_eq!(parts(table.directions().to_vec()).unwrap(), table);
        let mut longer = table.directions().to_vec();
        longer[7] = longer[7].map(|c| 1.001 * c);
        let refused = parts(longer).unwrap_err().to_string();
        assert_eq!(
            refused,
            "gradient table: the direction of measurement 8 (counted from 1) does not have length 1; give \
             unit vectors"
        );
    }

    fn rotated(flip: f64) -> Affine {
        // An affine with voxels of 2 mm and a rotation of 30° about z. If `flip` is -1, voxels are stored
        // from right to left.
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
        // A negative determinant means that voxels are stored from right to left. The x axis of the voxels
        // already points left, like FSL's x axis, so it is not reversed.
        assert!(rotated(-1.0).determinant() < 0.0);
        let negative = image_axes_to_scanner(&along_x, &rotated(-1.0))[0];
        // If the determinant is positive, the x axis of the voxels points right, but FSL's x axis points
        // left.
        let positive = image_axes_to_scanner(&along_x, &rotated(1.0))[0];
        for (axis, expected) in [-c, -s, 0.0].into_iter().enumerate() {
            assert!((negative[axis] - expected).abs() < 1e-15);
            assert!((positive[axis] - expected).abs() < 1e-15);
        }
        // The y and z components of the direction keep their sign, whatever the sign of the determinant of
        // the affine.
        let along_y = [[0.0, 1.0, 0.0]];
        assert_eq!(
            image_axes_to_scanner(&along_y, &rotated(1.0)),
            image_axes_to_scanner(&along_y, &rotated(-1.0))
        );
    }

    #[test]
    fn directions_survive_conversion_to_image_axes() {
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
    fn pulse_amplitudes_follow_from_b_values() {
        // The gradient pulses have δ = 20 ms, Δ = 40 ms and an amplitude of 40 mT/m. Their b-value is
        // 2.6751525e8² · 0.04² · 0.02² · (0.04 − 0.02/3) = 1.5267074e9 s/m².
        let timing = PulseTiming { amplitude: 0.04, separation: 0.04, duration: 0.02, echo_time: 0.08 };
        assert!((timing.b_value() - 1526.7074).abs() < 1e-4);
        let table =
            GradientTable::new(&[[0.0; 3], [1.0, 0.0, 0.0]], vec![0.0, timing.b_value()], 50.0).unwrap();
        let timed = table.clone().with_pulses(0.04, 0.02, 0.08).unwrap();
        assert_eq!(timed.timings().unwrap()[0].amplitude, 0.0);
        // The amplitude is squared, and then computed again with a square root, which loses a few digits.
        assert!((timed.timings().unwrap()[1].amplitude - 0.04).abs() < 1e-16);

        let problem = |separation, duration, echo_time| {
            table.clone().with_pulses(separation, duration, echo_time).unwrap_err().to_string()
        };
        assert_eq!(
            problem(0.02, 0.03, 0.08),
            "pulse timing: the pulse duration δ = 0.03 s is 0 or exceeds the pulse separation Δ = 0.02 s; \
             give 0 < δ ≤ Δ, in s"
        );
        assert_eq!(
            problem(0.04, 0.02, 0.05),
            "pulse timing: Δ + δ = 0.06 s exceeds the echo time of 0.05 s; check the times Δ, δ and TE, \
             which are in s"
        );
        assert!(problem(0.04, 0.0, 0.05).contains("0 < δ ≤ Δ"));
        assert!(problem(0.04, f64::NAN, 0.05).contains("a time is negative or not finite"));
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

    #[test]
    fn volumes_without_direction_count_in_their_shell() {
        let mut directions = vec![[0.0; 3]; 2];
        directions.extend([[1.0, 0.0, 0.0]; 12]);
        directions.extend([[0.0; 3]; 6]);
        let b_values = [vec![0.0; 2], vec![1000.0; 18]].concat();
        let table = GradientTable::as_stored(&directions, b_values.clone()).unwrap();
        assert_eq!(table.shells(), [(0.0, 2), (1000.0, 18)]);
        assert_eq!(table.without_direction(), [14, 15, 16, 17, 18, 19]);
        assert_eq!(table.describe_shells(), "2 × b 0, 18 × b 1000; 6 have no direction");
        assert_eq!(
            table.of_measurements(&[0, 2, 19]).describe_shells(),
            "1 × b 0, 2 × b 1000; 1 has no direction"
        );
        assert_eq!(table.distinct_axes(&[2, 14, 15]), 1);
        // A model needs directions. If the b = 0 threshold exceeds the b-value of these measurements, they
        // count as b = 0 and need no direction.
        let message = table.clone().with_b0_threshold(50.0).unwrap_err().to_string();
        assert!(
            message.contains("measurement 15 (counted from 1) has b = 1000 s/mm² but no direction"),
            "{message}"
        );
        assert!(GradientTable::new(&directions, b_values, 50.0).is_err());
        assert_eq!(table.with_b0_threshold(1000.0).unwrap().describe_shells(), "20 × b 0");
    }

    #[test]
    fn tables_of_means_list_the_averaged_measurements() {
        let table = GradientTable::new(&[[0.0, 0.0, 1.0]; 3], vec![0.0, 0.0, 1000.0], 50.0).unwrap();
        assert_eq!(table.averaged(), None);
        let table = table.with_averaged(vec![1, 1, 30]).unwrap();
        assert_eq!(table.describe_shells(), "2 × b 0, 30 × b 1000, averaged over directions");
        assert_eq!(table.of_measurements(&[1, 2]).averaged(), Some(&[1, 30][..]));
        assert_eq!(table.clone().with_b0_threshold(10.0).unwrap().averaged(), Some(&[1, 1, 30][..]));
        assert!(table.clone().with_averaged(vec![1, 1]).is_err());
        assert!(table.with_averaged(vec![1, 0, 30]).is_err());
    }

    #[test]
    fn invalid_direction_vectors_are_rejected() {
        let table = |length: f64, b: f64| {
            GradientTable::new(&[[0.0; 3], [0.0, 0.6 * length, 0.8 * length]], vec![0.0, b], 50.0)
        };
        for length in [0.1, 0.5, 1.0, 3.0_f64.sqrt(), 2.0] {
            assert_eq!(
                table(length, 1000.0).unwrap().directions()[1],
                [0.0, 0.6, 0.8].map(|c| c * length / length)
            );
        }
        for length in [1e-5, 0.04, 2.5, 40.0, 1e6] {
            let message = table(length, 1000.0).unwrap_err().to_string();
            assert!(
                message.contains("the vector of measurement 2 ") && message.contains("is not a direction"),
                "{message}"
            );
            assert!(table(length, 5.0).is_ok(), "b = 0 needs no direction");
        }
    }

    fn shells_of(b_values: Vec<f64>) -> Vec<(f64, usize)> {
        let directions = vec![[1.0, 0.0, 0.0]; b_values.len()];
        GradientTable::new(&directions, b_values, 50.0).unwrap().shells()
    }

    /// Creates `count` b-values around each b-value of `nominal`, in a mixed order. The differences from the
    /// nominal b-value are evenly distributed from −`jitter` to `jitter`.
    fn jittered(nominal: &[f64], count: usize, jitter: f64) -> Vec<f64> {
        let place = |n: usize| (n * 7 % count) as f64 / (count - 1) as f64;
        (0..count).flat_map(|n| nominal.iter().map(move |b| b + jitter * (2.0 * place(n) - 1.0))).collect()
    }

    fn rounded(shells: &[(f64, usize)]) -> Vec<(i64, usize)> {
        shells.iter().map(|(b, n)| (b.round() as i64, *n)).collect()
    }

    #[test]
    fn shells_of_real_protocols_are_found() {
        // The Human Connectome Project has 18 measurements with b = 5 (counted as b = 0) and 90 in each
        // shell. The b-values that the scanner reports vary by 10. If the nonlinearity of the gradients is
        // taken into account, they vary by 50.
        for jitter in [10.0, 50.0] {
            let mut hcp = jittered(&[1000.0, 2000.0, 3000.0], 90, jitter);
            hcp.extend([5.0; 18]);
            assert_eq!(rounded(&shells_of(hcp)), [(0, 18), (1000, 90), (2000, 90), (3000, 90)]);
        }
        // In a shell with few measurements, the gaps between b-values are wide.
        let few = shells_of(vec![950.0, 985.0, 1000.0, 1020.0, 1050.0, 2950.0, 3005.0, 3050.0]);
        assert_eq!(rounded(&few), [(1001, 5), (3002, 3)]);
        // The b-values of a Siemens scanner vary by 5. Its b = 5 counts as b = 0.
        let siemens = shells_of(vec![5.0, 995.0, 1005.0, 1000.0, 1990.0, 2010.0]);
        assert_eq!(siemens, [(0.0, 1), (1000.0, 3), (2000.0, 2)]);
        // The nominal b-values are those of MRtrix's example, UK Biobank, and ABCD.
        let shells = |nominal: &[f64]| {
            let found = shells_of(nominal.iter().flat_map(|&b| [b; 6]).collect());
            assert_eq!(found, nominal.iter().map(|&b| (b, 6)).collect::<Vec<_>>());
        };
        shells(&[0.0, 700.0, 1200.0, 2800.0]);
        shells(&[0.0, 1000.0, 2000.0]);
        shells(&[0.0, 500.0, 1000.0, 2000.0, 3000.0]);
        // The b-values are 100 or 90 s/mm² apart, so each b-value is a shell.
        shells(&(1..=10).map(|n| 100.0 * n as f64).collect::<Vec<_>>());
        shells(&[700.0, 790.0]);
        // Philips writes b = 0 as 0.001. If the threshold is 0, such measurements count as weighted and form
        // one shell.
        assert_eq!(shells_of(vec![0.001, 0.004, 0.0, 1000.0]), [(0.0, 3), (1000.0, 1)]);
        let table = GradientTable::new(&[[1.0, 0.0, 0.0]; 3], vec![0.001, 0.003, 1000.0], 0.0).unwrap();
        assert_eq!(table.shells(), [(0.002, 2), (1000.0, 1)]);
        assert_eq!(table.describe_shells(), "2 × b 0, 1 × b 1000");
    }

    #[test]
    fn b_value_ramps_have_no_shells() {
        let ramp: Vec<f64> = (1..=100).map(|n| 30.3 * n as f64).collect();
        let shells = shells_of(ramp.clone());
        // The b-value 30.3 counts as b = 0; the other b-values are 99 different shells.
        assert_eq!(shells.len(), 100);
        assert!(shells.iter().all(|(_, n)| *n == 1));
        let table = GradientTable::new(&[[1.0, 0.0, 0.0]; 100], ramp, 50.0).unwrap();
        assert_eq!(table.describe_shells(), "1 × b 0, 99 of 99 different b from 61 to 3030");
        // Random b-values may be close together, but no shell exceeds the maximum range.
        let mut drawn: Vec<f64> = (0..150).map(|n| 60.0 + 2940.0 * (n as f64 * 0.618_034).fract()).collect();
        let shells = shells_of(drawn.clone());
        assert_eq!(shells.iter().map(|(_, n)| n).sum::<usize>(), 150);
        assert!(shells.len() > 14, "{shells:?}");
        assert!(shells.windows(2).all(|pair| pair[0].0 < pair[1].0));
        // Two shells stay separate, although the b-value of one measurement is between them and belongs to
        // neither shell.
        drawn = [[1000.0; 30], [1200.0; 30]].concat();
        drawn.push(1100.0);
        assert_eq!(shells_of(drawn), [(1000.0, 30), (1100.0, 1), (1200.0, 30)]);
    }

    #[test]
    fn invalid_b0_thresholds_are_rejected() {
        let table =
            |threshold| GradientTable::new(&[[0.0; 3], [1.0, 0.0, 0.0]], vec![60.0, 1000.0], threshold);
        assert_eq!(table(60.0).unwrap().b0_indices(), [0]);
        assert!(table(59.0).unwrap_err().to_string().contains(
            "measurement 1 (counted from 1) has b = 60 s/mm² \
                                                           but no direction"
        ));
        for (threshold, shown) in [(f64::NAN, "NaN"), (-1.0, "-1"), (f64::INFINITY, "inf")] {
            let expected =
                format!("‘b0_threshold’: {shown} is not a b-value; give a b-value of 0 or more, in s/mm²");
            assert_eq!(table(threshold).unwrap_err().to_string(), expected);
            assert_eq!(table(60.0).unwrap().with_b0_threshold(threshold).unwrap_err().to_string(), expected);
        }
        // A gradient table that was created by `as_stored` may have a weighted measurement without direction.
        // The checks for a model reject such a table.
        let stored = GradientTable::as_stored(&[[0.0; 3], [1.0, 0.0, 0.0]], vec![60.0, 1000.0]).unwrap();
        assert_eq!((stored.b0_threshold(), stored.without_direction()), (50.0, vec![0]));
        assert!(stored.clone().with_b0_threshold(50.0).is_err());
        assert_eq!(stored.with_b0_threshold(80.0).unwrap().b0_threshold(), 80.0);
    }

    #[test]
    fn impossible_timings_are_rejected() {
        let timing = |amplitude, separation, duration| {
            let timing = PulseTiming { amplitude, separation, duration, echo_time: 0.1 };
            timing.check().map_err(|e| e.to_string())
        };
        assert_eq!(timing(0.04, 0.04, 0.02), Ok(()));
        // A measurement without a gradient has no pulse whose times could be wrong.
        assert_eq!(timing(0.0, 0.0, 0.0), Ok(()));
        for (amplitude, separation, duration) in
            [(0.04, f64::NAN, 0.02), (0.04, 0.04, -0.02), (-0.04, 0.04, 0.02), (0.0, 0.04, f64::INFINITY)]
        {
            let message = timing(amplitude, separation, duration).unwrap_err();
            assert!(message.contains("amplitude or time is negative"), "{message}");
        }
        for duration in [0.05, 0.0] {
            assert!(timing(0.04, 0.04, duration).unwrap_err().contains("give 0 < δ ≤ Δ"));
        }
        let table = GradientTable::new(&[[1.0, 0.0, 0.0]], vec![1000.0], 50.0).unwrap();
        let wrong = PulseTiming { amplitude: 0.04, separation: 0.01, duration: 0.02, echo_time: 0.1 };
        assert!(table.clone().with_timings(vec![wrong]).is_err());
        // The first pulses give b = 1527 s/mm², but the table has b = 1000. Gradient ramps and imaging
        // gradients can explain this difference. The weaker pulses give only 0.4 times the b-value of the
        // table, which is an error.
        let pulses = PulseTiming { amplitude: 0.04, separation: 0.04, duration: 0.02, echo_time: 0.1 };
        assert!(table.clone().with_timings(vec![pulses]).is_ok());
        let weak = PulseTiming { amplitude: 0.02, ..pulses };
        let message = table.with_timings(vec![weak]).unwrap_err().to_string();
        assert_eq!(
            message,
            "gradient table: measurement 1 (counted from 1) has b = 1000 s/mm², but its pulses give \
             3.817e2 s/mm²; check the units: |G| in \
             T/m, Δ, δ and TE in s"
        );
    }

    #[test]
    fn times_in_milliseconds_are_rejected() {
        let good = PulseTiming { amplitude: 0.04, separation: 0.04, duration: 0.02, echo_time: 0.1 };
        for (timing, problem) in [
            (PulseTiming { separation: 40.0, duration: 20.0, echo_time: 80.0, ..good }, "Δ = 40 s"),
            (PulseTiming { echo_time: 80.0, ..good }, "TE = 80 s"),
            (PulseTiming { amplitude: 0.0, duration: 20.0, ..good }, "δ = 20 s"),
            (PulseTiming { amplitude: 400.0, ..good }, "|G| = 400 T/m"),
        ] {
            let message = timing.check().unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("pulse timing: {problem} exceeds what any scanner can do")),
                "{message}"
            );
        }
        // If gradient pulses last only a hundredth of a millisecond, the b-value requires gradients that no
        // scanner has.
        assert!(PulseTiming::with_b_value(1000.0, 4e-5, 2e-5, 1e-4).is_err());
        assert!(PulseTiming::with_b_value(1000.0, 40.0, 20.0, 80.0).is_err());
    }

    #[test]
    fn unknown_tables_have_no_shells() {
        let table = GradientTable::unknown(5).unwrap();
        assert!(!table.is_known() && !table.of_measurements(&[1, 3]).is_known());
        assert!(!table.clone().with_b0_threshold(10.0).unwrap().is_known());
        assert_eq!(table.b0_indices(), [0, 1, 2, 3, 4]);
        assert_eq!(table.describe_shells(), "5 without a gradient table");
        assert!(GradientTable::unknown(0).is_err());
        assert!(GradientTable::new(&[[0.0; 3]], vec![0.0], 50.0).unwrap().is_known());
    }
}
