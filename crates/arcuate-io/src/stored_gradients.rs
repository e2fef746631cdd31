//! Interprets and checks the numbers in the files of gradient tables. These files state neither the unit of
//! their b-values nor what the lengths of their direction vectors mean.

use arcuate_core::{Error, GradientTable, PulseTiming, Result};
use std::fmt::Display;
use std::path::Path;

/// The unit of the b-values in the file of a gradient table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BUnit {
    /// The unit s/mm², in which FSL, MRtrix and DICOM store b-values.
    SecondsPerSquareMillimetre,
    /// The unit s/m², in which Camino, the Microstructure Diffusion Toolbox (MDT) and the schemes of AMICO
    /// store b-values.
    SecondsPerSquareMetre,
    /// The unit ms/µm².
    MillisecondsPerSquareMicrometre,
}

impl BUnit {
    const ALL: [Self; 3] = [
        Self::SecondsPerSquareMillimetre,
        Self::SecondsPerSquareMetre,
        Self::MillisecondsPerSquareMicrometre,
    ];

    /// The factor by which b-values in this unit are multiplied to get s/mm².
    fn factor(self) -> f64 {
        match self {
            Self::SecondsPerSquareMillimetre => 1.0,
            Self::SecondsPerSquareMetre => 1e-6,
            Self::MillisecondsPerSquareMicrometre => 1e3,
        }
    }

    /// The symbol of the unit in messages.
    fn symbol(self) -> &'static str {
        match self {
            Self::SecondsPerSquareMillimetre => "s/mm²",
            Self::SecondsPerSquareMetre => "s/m²",
            Self::MillisecondsPerSquareMicrometre => "ms/µm²",
        }
    }
}

/// How to interpret direction vectors in a gradient table whose length is not 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectionLengths {
    /// The b-value is the number in the table times the squared length of the direction vector, because the
    /// scanner applied a proportionally weaker gradient. MRtrix reads tables in this way.
    Scale,
    /// The length of the direction vector has no meaning: the b-value is the number in the table, as in FSL.
    Ignore,
}

/// Options of the user that specify how to interpret a gradient table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GradientReading {
    /// Largest b-value in s/mm² (at least 0) that counts as b = 0. Measurements with b-values up to this one
    /// need no direction. `None` means that the table is only shown or copied. In this case,
    /// diffusion-weighted measurements may lack a direction, too ([`GradientTable::as_stored`]).
    pub b0_threshold: Option<f64>,
    /// Unit of the b-values in the file. If it is `None`, the unit is that of the file format.
    pub b_unit: Option<BUnit>,
    /// Meaning of the lengths of the direction vectors. If it is `None`, the default of the file format is
    /// used.
    pub lengths: Option<DirectionLengths>,
}

impl GradientReading {
    /// Returns options with this b = 0 threshold in s/mm². All other options are the defaults of the file
    /// format.
    pub fn with_threshold(b0_threshold: f64) -> Self {
        Self { b0_threshold: Some(b0_threshold), ..Self::default() }
    }

    /// Returns an error if the b = 0 threshold is invalid.
    pub(crate) fn check(&self) -> Result<()> {
        self.b0_threshold.map_or(Ok(()), GradientTable::check_b0_threshold)
    }

    /// Returns the b = 0 threshold in s/mm² that is used to check the lengths and directions.
    fn threshold(&self) -> f64 {
        self.b0_threshold.unwrap_or(GradientTable::DEFAULT_B0_THRESHOLD)
    }
}

/// How a file format states b-values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BNumbers {
    In(BUnit),
    /// The largest b-value of the file determines the unit: s/m² if it is above 100,000, and s/mm² if not.
    /// Camino's scheme files with either unit exist.
    Either,
    /// The file has no b-values. They are computed from the amplitudes and times of the gradient pulses.
    OfPulses,
}

/// The gradient pulses of a measurement in SI units. The amplitude and the echo time are `None` if the file
/// does not specify them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StoredPulses {
    /// Amplitude of the gradient pulses. If it is `None`, the amplitude is computed from the b-value.
    pub(crate) amplitude: Option<f64>,
    pub(crate) separation: f64,
    pub(crate) duration: f64,
    pub(crate) echo_time: Option<f64>,
    /// Line number of the measurement in the file, for error messages.
    pub(crate) line: usize,
}

/// A gradient table with the numbers as the file stores them. [`table`](Self::table) converts them to
/// directions and b-values in s/mm².
#[derive(Debug, Clone, PartialEq)]
pub struct StoredGradients {
    /// The names of the file with the directions and of the file with the b-values, for messages.
    sources: [String; 2],
    /// Direction vectors in scanner axes, with the lengths that they have in the file. A vector of zeros
    /// means that the measurement has no direction.
    directions: Vec<[f64; 3]>,
    b_values: Vec<f64>,
    numbers: BNumbers,
    /// The gradient pulses of each measurement. Empty if the file does not describe pulses.
    pulses: Vec<StoredPulses>,
    /// How the file format interprets the lengths of direction vectors if the user does not specify this.
    habit: DirectionLengths,
}

/// Direction vectors shorter than this mean that a measurement has no direction.
const SHORTEST: f64 = 1e-6;
/// Valid range of the largest b-value of a scan, in s/mm². A smaller b-value has no visible effect on the
/// signal, and no scanner reaches a larger one.
const LARGEST_B: std::ops::RangeInclusive<f64> = 20.0..=GradientTable::LARGEST_B;
/// Limit of the relative differences between lengths of direction vectors. Larger differences do not result
/// from rounded decimals.
const NOTABLE: f64 = 0.05;
/// Limit of the difference between a squared length of a direction vector and 1. Differences up to this limit
/// result from rounded decimals.
const ROUNDED: f64 = 0.01;

/// The result of a check of a gradient table that the user must learn about.
enum Finding {
    /// A warning; the gradient table can be read nevertheless.
    Told(String),
    /// The gradient table cannot be read unless the user specifies the unit of the b-values or the meaning of
    /// lengths. The two texts are the problem and the advice.
    Doubted(String, &'static str),
}

const STATE_UNIT: &str = "give their unit with ‘b_unit’: s/m2, ms/um2, or s/mm2 to use the numbers as they \
                          are";
const STATE_LENGTHS: &str = "give their meaning with ‘bvec_lengths’: scale (b times the squared length, as \
                             MRtrix does) or ignore (b as it is written, as FSL does)";

impl StoredGradients {
    /// Creates a gradient table with the numbers of a file. The directions are in scanner axes. `source`
    /// names the file, or the part of a file, in messages.
    pub(crate) fn new(
        source: impl Display,
        directions: Vec<[f64; 3]>,
        b_values: Vec<f64>,
        numbers: BNumbers,
        habit: DirectionLengths,
    ) -> Self {
        let sources = [source.to_string(), source.to_string()];
        Self { sources, directions, b_values, numbers, pulses: Vec::new(), habit }
    }

    /// Sets another file as the source of the b-values, for messages.
    pub(crate) fn with_b_source(mut self, source: impl Display) -> Self {
        self.sources[1] = source.to_string();
        self
    }

    /// Adds the gradient pulses of each measurement to the table.
    pub(crate) fn with_pulses(self, pulses: Vec<StoredPulses>) -> Self {
        Self { pulses, ..self }
    }

    /// Number of measurements of the table.
    #[allow(clippy::len_without_is_empty)] // an empty table gives a separate error when it is created
    pub fn len(&self) -> usize {
        self.b_values.len()
    }

    /// Converts the numbers of the file to a gradient table as `reading` specifies. Prints a warning if the
    /// lengths of the direction vectors differ.
    ///
    /// Returns an error if the largest b-value is impossible in the unit of the file format and `reading`
    /// does not specify another unit. Returns an error if the lengths of the direction vectors may encode
    /// several shells and `reading` does not specify their meaning. Also returns the errors of
    /// [`GradientTable::new`] and [`GradientTable::with_timings`].
    pub fn table(&self, reading: &GradientReading) -> Result<GradientTable> {
        self.check(reading)?;
        if let Some(Finding::Told(warning)) = self.length_finding(reading) {
            tracing::warn!("{}: {warning}", self.sources[0]);
        }
        self.made(reading)
    }

    /// Returns an error if the numbers of the file are ambiguous and `reading` does not specify their
    /// meaning. [`table`](Self::table) returns the same errors.
    pub fn check(&self, reading: &GradientReading) -> Result<()> {
        reading.check()?;
        let [of_directions, of_b] = &self.sources;
        if reading.b_unit.is_some() && self.numbers == BNumbers::OfPulses {
            let problem = format!("the b-values of {of_b} are computed from its gradient pulses");
            return Err(Error::usage(
                "‘b_unit’",
                problem,
                "remove this option: the units of pulses are T/m and s",
            ));
        }
        for (source, finding) in
            [(of_b, self.unit_finding(reading)), (of_directions, self.length_finding(reading))]
        {
            if let Some(Finding::Doubted(problem, advice)) = finding {
                return Err(Error::usage(source, problem, advice));
            }
        }
        Ok(())
    }

    /// Converts the numbers of the file to a gradient table with the default options of the file format, in
    /// order to show the table. Also returns all warnings about the table.
    pub fn shown(&self) -> Result<(GradientTable, Vec<String>)> {
        let reading = GradientReading::default();
        let findings = [self.unit_finding(&reading), self.length_finding(&reading)];
        let warnings = findings.into_iter().flatten().map(|finding| match finding {
            Finding::Told(warning) => warning,
            Finding::Doubted(problem, advice) => format!("{problem}; {advice}"),
        });
        let table = self.made(&reading)?;
        let warnings = warnings.chain(without_direction(&table)).collect();
        Ok((table, warnings))
    }

    /// Converts the numbers of the file to a gradient table as `reading` specifies. Does not check whether
    /// unit and lengths are plausible.
    fn made(&self, reading: &GradientReading) -> Result<GradientTable> {
        let source = &self.sources[0];
        let about = |error: Error| error.about(source);
        let scales = self.scales(reading);
        // A measurement without a direction has no vector length by which its b-value could be multiplied.
        let square = |direction: &[f64; 3]| match squared(direction) {
            squared if scales && squared >= SHORTEST * SHORTEST => squared,
            _ => 1.0,
        };
        let squares: Vec<f64> = self.directions.iter().map(square).collect();
        let b_values: Vec<f64> =
            self.b_per_square_millimetre(reading).iter().zip(&squares).map(|(b, s)| b * s).collect();
        let mut timings = Vec::new();
        for ((pulses, &b), square) in self.pulses.iter().zip(&b_values).zip(&squares) {
            let here = |error: Error| error.about(format_args!("{source}, line {}", pulses.line));
            timings.push(pulses.timing(b, square.sqrt()).map_err(here)?);
        }
        let is_timed = !timings.is_empty() && self.pulses.iter().all(|pulses| pulses.echo_time.is_some());
        // Vectors of any length are accepted as directions if the user has specified the meaning of the
        // lengths.
        let is_odd = |length: f64| length >= SHORTEST && !GradientTable::LENGTHS.contains(&length);
        let unit = |direction: &[f64; 3]| match length(direction) {
            length if reading.lengths.is_some() && is_odd(length) => direction.map(|c| c / length),
            _ => *direction,
        };
        let directions: Vec<[f64; 3]> = self.directions.iter().map(unit).collect();
        let table = match reading.b0_threshold {
            Some(threshold) => GradientTable::new(&directions, b_values, threshold),
            None => GradientTable::as_stored(&directions, b_values),
        }
        .map_err(about)?;
        if is_timed { table.with_timings(timings).map_err(about) } else { Ok(table) }
    }

    /// Returns the unit of the b-values in the file, from `reading` or from the file format.
    fn unit(&self, reading: &GradientReading) -> BUnit {
        match (reading.b_unit, self.numbers) {
            (Some(unit), _) | (None, BNumbers::In(unit)) => unit,
            (None, BNumbers::Either) if self.largest() > *LARGEST_B.end() => BUnit::SecondsPerSquareMetre,
            (None, BNumbers::Either | BNumbers::OfPulses) => BUnit::SecondsPerSquareMillimetre,
        }
    }

    /// Returns the b-values of the file in s/mm², not multiplied by squared lengths of directions.
    fn b_per_square_millimetre(&self, reading: &GradientReading) -> Vec<f64> {
        let factor = self.unit(reading).factor();
        // B-values that are already in s/mm² stay exactly the same.
        self.b_values.iter().map(|b| if factor == 1.0 { *b } else { b * factor }).collect()
    }

    /// Returns the largest b-value in the file; NaN is ignored.
    fn largest(&self) -> f64 {
        self.b_values.iter().copied().filter(|b| b.is_finite()).fold(0.0, f64::max)
    }

    /// Returns true if b-values are multiplied by the squared lengths of the direction vectors.
    fn scales(&self, reading: &GradientReading) -> bool {
        match reading.lengths {
            Some(lengths) => lengths == DirectionLengths::Scale,
            // If the user does not specify the meaning of lengths, and all lengths are 1 up to rounded
            // decimals, the b-values stay unchanged.
            None => {
                self.habit == DirectionLengths::Scale
                    && self
                        .weighted(reading)
                        .iter()
                        .any(|(_, length)| (length * length - 1.0).abs() > ROUNDED)
            }
        }
    }

    /// Returns the b-value in s/mm² and the length of the direction vector of each diffusion-weighted
    /// measurement that has a direction.
    fn weighted(&self, reading: &GradientReading) -> Vec<(f64, f64)> {
        let lengths = self.directions.iter().map(length);
        self.b_per_square_millimetre(reading)
            .into_iter()
            .zip(lengths)
            .filter(|(b, length)| {
                b.is_finite() && *b > reading.threshold() && length.is_finite() && *length >= SHORTEST
            })
            .collect()
    }

    /// Checks whether the largest b-value is plausible in its unit.
    fn unit_finding(&self, reading: &GradientReading) -> Option<Finding> {
        let has_weighted =
            self.b_values.iter().zip(&self.directions).any(|(b, d)| *b > 0.0 && length(d) >= SHORTEST);
        let (unit, number) = (self.unit(reading), self.largest());
        let fits = |unit: BUnit| LARGEST_B.contains(&(number * unit.factor()));
        if !has_weighted || fits(unit) || reading.b_unit == Some(BUnit::SecondsPerSquareMillimetre) {
            return None;
        }
        let is_large = number * unit.factor() > *LARGEST_B.end();
        if self.numbers == BNumbers::OfPulses {
            let problem = format!("its pulses make b-values of up to {} s/mm²", b_value_text(number));
            let advice = "give |G| in T/m and Δ, δ and TE in s";
            return is_large.then_some(Finding::Doubted(problem, advice));
        }
        let other = BUnit::ALL.into_iter().find(|&other| other != unit && fits(other));
        // If the largest b-value is too small in every unit, the table may have only the small b-values that
        // scanners write for b = 0.
        if other.is_none() && !is_large {
            return None;
        }
        let size = if is_large { "large" } else { "small" };
        let guess = other.map_or(String::new(), |unit| format!(", and would do in {}", unit.symbol()));
        let problem = format!(
            "its largest b-value, {}, is too {size} for {}{guess}",
            b_value_text(number),
            unit.symbol()
        );
        Some(Finding::Doubted(problem, STATE_UNIT))
    }

    /// Checks whether the lengths of the direction vectors may encode several shells.
    fn length_finding(&self, reading: &GradientReading) -> Option<Finding> {
        if reading.lengths.is_some() {
            return None;
        }
        let weighted = self.weighted(reading);
        let lengths = weighted.iter().map(|(_, length)| *length);
        let (shortest, longest) = lengths.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), length| {
            (low.min(length), high.max(length))
        });
        if longest - shortest > NOTABLE * longest {
            let range =
                format!("the directions of its weighted measurements are {shortest:.3} to {longest:.3} long");
            if let Some(explanation) = shells_in_lengths(&weighted, longest) {
                return Some(Finding::Doubted(format!("{range}, {explanation}"), STATE_LENGTHS));
            }
            if let Some(problem) = not_directions(shortest, longest) {
                return Some(Finding::Doubted(problem, STATE_LENGTHS));
            }
            return Some(Finding::Told(match self.habit {
                DirectionLengths::Ignore => {
                    format!(
                        "{range}; they count as unit vectors (‘bvec_lengths’ scale: b times the squared length)"
                    )
                }
                DirectionLengths::Scale => format!(
                    "{range}; b-values are multiplied by the squared lengths, as MRtrix does (‘bvec_lengths’ ignore: b as \
                     it is written)"
                ),
            }));
        }
        if let Some(problem) = not_directions(shortest, longest).filter(|_| !weighted.is_empty()) {
            return Some(Finding::Doubted(problem, STATE_LENGTHS));
        }
        self.scales(reading).then(|| {
            Finding::Told(format!(
                "the directions of its weighted measurements are {longest:.3} long; b-values are multiplied by the square, as \
                 MRtrix does (‘bvec_lengths’ ignore: b as it is written)"
            ))
        })
    }
}

/// Returns a text that lists the diffusion-weighted measurements without a direction. Returns `None` if there
/// are none.
fn without_direction(table: &GradientTable) -> Option<String> {
    const MAX_SHOWN: usize = 12;
    let all = table.without_direction();
    let shown: Vec<String> = all.iter().take(MAX_SHOWN).map(usize::to_string).collect();
    let more = if all.len() > MAX_SHOWN { ", …" } else { "" };
    let count = if all.len() == 1 {
        "1 measurement has".to_owned()
    } else {
        format!("{} measurements have", all.len())
    };
    (!all.is_empty()).then(|| {
        format!(
            "{count} b above {} s/mm² and no direction (numbers {}{more}, from 0), like trace volumes and spherical b-tensors; \
             models refuse them",
            table.b0_threshold(),
            shown.join(", ")
        )
    })
}

/// Returns a text that states why vectors with these lengths cannot be directions. Returns `None` if they
/// can.
fn not_directions(shortest: f64, longest: f64) -> Option<String> {
    let are_directions =
        GradientTable::LENGTHS.contains(&shortest) && GradientTable::LENGTHS.contains(&longest);
    (!are_directions).then(|| {
        let [low, high] = [shortest, longest].map(|length| format!("{length:.3e}"));
        let range = if low == high { low } else { format!("{low} to {high}") };
        format!("the vectors of its weighted measurements are {range} long, which are no directions")
    })
}

impl StoredPulses {
    /// Returns the pulse timing of a measurement with this b-value (s/mm²). The real gradient amplitude is
    /// `stretch` times the amplitude that the file states.
    fn timing(&self, b: f64, stretch: f64) -> Result<PulseTiming> {
        let Self { separation, duration, .. } = *self;
        let echo_time = self.echo_time.unwrap_or_default();
        match self.amplitude {
            Some(amplitude) => {
                let timing = PulseTiming { amplitude: amplitude * stretch, separation, duration, echo_time };
                timing.check().map(|()| timing)
            }
            None => PulseTiming::with_b_value(b, separation, duration, echo_time),
        }
    }
}

fn squared(direction: &[f64; 3]) -> f64 {
    direction.iter().map(|c| c * c).sum()
}

fn length(direction: &[f64; 3]) -> f64 {
    squared(direction).sqrt()
}

/// Formats a b-value. Long numbers such as `1000000000` are shortened.
fn b_value_text(b: f64) -> String {
    if b >= 1e6 { format!("{b:e}") } else { b.to_string() }
}

/// Returns a text that states how the lengths of the direction vectors may encode several shells. Returns
/// `None` if they do not. There are two cases. In the first case, all measurements have the same b-value, the
/// longest vector has length 1, and a few distinct lengths occur. In the second case, the b-values differ,
/// and the lengths are proportional to the square roots of the b-values.
fn shells_in_lengths(weighted: &[(f64, f64)], longest: f64) -> Option<String> {
    /// Relative tolerance for rounded numbers, and for the deviations of a scanner from the nominal b-value.
    const NEAR: f64 = 0.02;
    let largest = weighted.iter().map(|(b, _)| *b).fold(0.0, f64::max);
    let smallest = weighted.iter().map(|(b, _)| *b).fold(f64::INFINITY, f64::min);
    let is_root = |(b, length): &(f64, f64)| (length / longest - (b / largest).sqrt()).abs() <= NEAR;
    if largest - smallest > NOTABLE * largest {
        return weighted.iter().all(is_root).then(|| "the square roots of b over its largest".to_owned());
    }
    if (longest - 1.0).abs() > NEAR {
        return None;
    }
    let mut lengths: Vec<f64> = weighted.iter().map(|(_, length)| *length).collect();
    lengths.sort_by(f64::total_cmp);
    let groups: Vec<&[f64]> = lengths.chunk_by(|a, b| b - a <= 0.5 * NEAR * b).collect();
    let are_tight = groups.iter().all(|group| group[group.len() - 1] - group[0] <= NEAR * group[0]);
    if !are_tight || 2 * groups.len() > lengths.len() {
        return None;
    }
    let mean = |group: &&[f64]| group.iter().sum::<f64>() / group.len() as f64;
    let shells: Vec<String> =
        groups.iter().map(|group| format!("{:.0}", largest * mean(group).powi(2))).collect();
    let named = if shells.len() <= 6 { format!(" of {}", shells.join(", ")) } else { String::new() };
    Some(format!("as if b = {largest} were {} shells{named} s/mm²", shells.len()))
}

/// Returns the directions from the rows of a file, along the axes that the file uses. A direction of NaN,
/// which programs write for b = 0, is replaced by zeros, which mean no direction. When the gradient table is
/// created later, a check makes sure that all diffusion-weighted measurements have a direction.
pub(crate) fn directions_of(rows: impl IntoIterator<Item = [f64; 3]>) -> Vec<[f64; 3]> {
    rows.into_iter().map(|row| if row.iter().any(|c| c.is_nan()) { [0.0; 3] } else { row }).collect()
}

/// Returns an error if the number of measurements in the table is not the number of volumes of the image. If
/// the number of volumes is unknown, there is no error.
pub(crate) fn require_measurements(
    path: &Path,
    stored: &StoredGradients,
    measurements: Option<usize>,
) -> Result<()> {
    match measurements {
        Some(expected) if expected != stored.len() => {
            let problem = format!(
                "the gradient table has {} measurements, but the image has {expected} volumes",
                stored.len()
            );
            Err(Error::invalid(path.display(), problem, "give the gradient table of this image"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MM: BNumbers = BNumbers::In(BUnit::SecondsPerSquareMillimetre);

    /// Creates a gradient table for tests, as from FSL's files. The directions are unit vectors along
    /// different axes, multiplied by `lengths`.
    fn fsl(b_values: &[f64], lengths: &[f64]) -> StoredGradients {
        of(b_values, lengths, MM, DirectionLengths::Ignore)
    }

    fn of(b_values: &[f64], lengths: &[f64], numbers: BNumbers, habit: DirectionLengths) -> StoredGradients {
        let directions = lengths.iter().enumerate().map(|(n, length)| {
            let turn = n as f64;
            [0.6 * turn.cos(), 0.6 * turn.sin(), 0.8].map(|c| c * length)
        });
        let stored = StoredGradients::new("a.bvec", directions.collect(), b_values.to_vec(), numbers, habit);
        stored.with_b_source("a.bval")
    }

    fn reading(b_unit: Option<BUnit>, lengths: Option<DirectionLengths>) -> GradientReading {
        GradientReading { b0_threshold: Some(50.0), b_unit, lengths }
    }

    fn refusal(stored: &StoredGradients, reading: &GradientReading) -> String {
        stored.table(reading).unwrap_err().to_string()
    }

    /// Returns the warnings about a gradient table, which must be readable.
    fn warnings_of(stored: &StoredGradients) -> Vec<String> {
        stored.table(&reading(None, None)).unwrap();
        stored.shown().unwrap().1
    }

    #[test]
    fn implausible_units_are_rejected() {
        let plain = reading(None, None);
        for (largest, size, guess) in [
            (1e9, "1e9, is too large for s/mm²", ", and would do in s/m²"),
            // A largest b-value of 1.5e6 is 1.5 s/mm² if its unit is s/m², and 1.5e9 s/mm² if its unit is
            // ms/µm². Neither is possible.
            (1.5e6, "1.5e6, is too large for s/mm²", ""),
            (1.0, "1, is too small for s/mm²", ", and would do in ms/µm²"),
            (0.02, "0.02, is too small for s/mm²", ", and would do in ms/µm²"),
        ] {
            let stored = fsl(&[0.0, largest, largest], &[1.0; 3]);
            let expected = format!("a.bval: its largest b-value, {size}{guess}; {STATE_UNIT}");
            assert_eq!(refusal(&stored, &plain), expected);
            // If the table is only shown, the b-values stay as the file stores them. The warning is then the
            // same text as the error.
            let (table, warnings) = stored.shown().unwrap();
            assert_eq!((table.b_values()[1], warnings.len()), (largest, 1));
            assert_eq!(format!("a.bval: {}", warnings[0]), expected);
        }
        let read = |b: f64, unit: BUnit| {
            fsl(&[0.0, b], &[1.0; 2]).table(&reading(Some(unit), None)).map(|table| table.b_values()[1])
        };
        assert_eq!(read(1e9, BUnit::SecondsPerSquareMetre).unwrap(), 1000.0);
        assert_eq!(read(1.5, BUnit::MillisecondsPerSquareMicrometre).unwrap(), 1500.0);
        // The unit s/mm² is always accepted if the user specifies it. Other units are rejected if the
        // b-values are implausible in them.
        assert_eq!(read(1e9, BUnit::SecondsPerSquareMillimetre).unwrap(), 1e9);
        let wrong = read(1000.0, BUnit::SecondsPerSquareMetre).unwrap_err().to_string();
        assert!(wrong.contains("1000, is too small for s/m², and would do in s/mm²"), "{wrong}");
    }

    #[test]
    fn small_b_values_of_unweighted_volumes_do_not_imply_a_unit() {
        // Philips scanners write 0.004 for b = 0: the first table has this value and b = 1000, and the second
        // has such values only. The third table has 5 for b = 0, as other scanners write it.
        for b_values in [&[0.004, 1000.0][..], &[0.004, 0.001], &[5.0, 2995.0], &[0.0, 20.0], &[0.0, 1e5]] {
            assert_eq!(warnings_of(&fsl(b_values, &[1.0; 2])), [""; 0], "{b_values:?}");
        }
        // Without directions, no measurement is diffusion-weighted, whatever its b-value.
        let stored =
            StoredGradients::new("a.b", vec![[0.0; 3]; 2], vec![0.0, 1.0], MM, DirectionLengths::Scale);
        assert_eq!(warnings_of(&stored), [""; 0]);
    }

    #[test]
    fn formats_have_default_units() {
        let largest = |numbers, b, unit| {
            let stored = of(&[0.0, b], &[1.0; 2], numbers, DirectionLengths::Ignore);
            stored.table(&reading(unit, None)).map(|t| t.b_values()[1]).map_err(|e| e.to_string())
        };
        let (mm, metre) = (BUnit::SecondsPerSquareMillimetre, BUnit::SecondsPerSquareMetre);
        assert_eq!(largest(BNumbers::Either, 1e9, None), Ok(1000.0));
        assert_eq!(largest(BNumbers::Either, 3000.0, None), Ok(3000.0));
        assert_eq!(largest(BNumbers::Either, 9e4, Some(metre)).unwrap_err().matches("too small").count(), 1);
        assert!(largest(BNumbers::Either, 1.0, None).unwrap_err().contains("would do in ms/µm²"));
        assert_eq!(largest(BNumbers::In(metre), 1e9, None), Ok(1000.0));
        let protocol = largest(BNumbers::In(metre), 1000.0, None).unwrap_err();
        assert!(protocol.contains("1000, is too small for s/m², and would do in s/mm²"), "{protocol}");
        assert_eq!(largest(BNumbers::In(metre), 1000.0, Some(mm)), Ok(1000.0));
        // If the b-values are computed from gradient pulses, the user cannot specify their unit. The pulses
        // must be in T/m and s.
        assert_eq!(largest(BNumbers::OfPulses, 1500.0, None), Ok(1500.0));
        let pulses = largest(BNumbers::OfPulses, 1.5e9, None).unwrap_err();
        assert_eq!(
            pulses,
            "a.bval: its pulses make b-values of up to 1.5e9 s/mm²; give |G| in T/m and Δ, δ and TE in s"
        );
        let stated = largest(BNumbers::OfPulses, 1500.0, Some(metre)).unwrap_err();
        assert!(
            stated.starts_with("‘b_unit’: the b-values of a.bval are computed from its gradient pulses; "),
            "{stated}"
        );
    }

    #[test]
    fn differing_vector_lengths_are_reported_with_their_range() {
        let b_values = [0.0, 1000.0, 1000.0, 1000.0, 1000.0];
        let range = "the directions of its weighted measurements are 0.500 to 1.190 long";
        let odd = [0.0, 0.86, 0.5, 1.19, 0.7];
        assert_eq!(
            warnings_of(&fsl(&b_values, &odd)),
            [format!(
                "{range}; they count as unit vectors (‘bvec_lengths’ scale: b times the squared length)"
            )]
        );
        let mrtrix = of(&b_values, &odd, MM, DirectionLengths::Scale);
        assert_eq!(
            warnings_of(&mrtrix),
            [format!(
                "{range}; b-values are multiplied by the squared lengths, as MRtrix does (‘bvec_lengths’ ignore: b as it is \
                 written)"
            )]
        );
        for (stored, habit) in [(fsl(&b_values, &odd), 1000.0), (mrtrix, 250.0)] {
            let b = |lengths| stored.table(&reading(None, lengths)).unwrap().b_values()[2];
            // The tolerance allows for the rounding errors of squared lengths of direction vectors.
            assert!((b(None) - habit).abs() < 1e-9);
            assert!((b(Some(DirectionLengths::Scale)) - 250.0).abs() < 1e-9);
            assert_eq!(b(Some(DirectionLengths::Ignore)), 1000.0);
        }
        // The lengths of direction vectors have no meaning if they differ from 1 only by rounded decimals.
        // The same holds if they belong to measurements with b = 0.
        for lengths in
            [[0.0, 1.0005, 0.9994, 1.0, 0.9989], [0.3, 1.0, 1.0, 1.0, 1.0], [0.0, 2.0, 2.0, 2.0, 2.0]]
        {
            assert_eq!(warnings_of(&fsl(&b_values, &lengths)), [""; 0], "{lengths:?}");
        }
        // MRtrix multiplies the b-value by the squared length of the direction vector even if all vectors
        // have the same length.
        let long = of(&b_values, &[0.0, 2.0, 2.0, 2.0, 2.0], MM, DirectionLengths::Scale);
        assert!(warnings_of(&long)[0].contains("2.000 long; b-values are multiplied by the square"));
    }

    #[test]
    fn shells_encoded_in_lengths_need_an_option() {
        let plain = reading(None, None);
        // All measurements state the same b-value, but the lengths of the direction vectors encode shells of
        // 1000, 2000 and 3000 s/mm², as in tables of Siemens scanners. The lengths are rounded to three
        // decimals.
        let lengths = [0.577, 0.577, 0.578, 0.816, 0.817, 0.816, 1.0, 1.0, 1.0];
        for habit in [DirectionLengths::Ignore, DirectionLengths::Scale] {
            let hidden = of(&[3000.0; 9], &lengths, MM, habit);
            let message = refusal(&hidden, &plain);
            assert_eq!(
                message,
                format!(
                    "a.bvec: the directions of its weighted measurements are 0.577 to 1.000 long, as if b = 3000 were 3 shells \
                     of 1000, 1999, 3000 s/mm²; {STATE_LENGTHS}"
                )
            );
            let b = |lengths| hidden.table(&reading(None, Some(lengths))).unwrap().shells();
            assert_eq!(b(DirectionLengths::Ignore), [(3000.0, 9)]);
            assert_eq!(b(DirectionLengths::Scale).iter().map(|(_, n)| *n).collect::<Vec<_>>(), [3, 3, 3]);
        }
        // Each measurement states its own b-value, and the length of its direction vector is proportional to
        // the square root of the b-value.
        let both = fsl(&[0.0, 1000.0, 1000.0, 2000.0], &[0.0, std::f64::consts::FRAC_1_SQRT_2, 0.707, 1.0]);
        assert!(
            refusal(&both, &plain).contains("0.707 to 1.000 long, the square roots of b over its largest")
        );
        let b = |lengths| both.table(&reading(None, Some(lengths))).unwrap().b_values()[1];
        assert_eq!(b(DirectionLengths::Ignore), 1000.0);
        assert!((b(DirectionLengths::Scale) - 500.0).abs() < 0.1);
        // Lengths of direction vectors that vary continuously do not encode shells. A single vector with
        // another length is no shell either.
        let scattered: Vec<f64> = (0..40).map(|n| 0.5 + 0.5 * (f64::from(n) * 0.618_034).fract()).collect();
        assert!(fsl(&[1000.0; 40], &scattered).table(&plain).is_ok());
        assert!(fsl(&[1000.0; 3], &[0.5, 0.7, 1.0]).table(&plain).is_ok());
    }

    #[test]
    fn measurements_without_direction_are_listed_for_display() {
        let directions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]];
        let stored =
            StoredGradients::new("a.b", directions, vec![0.0, 1000.0, 1000.0], MM, DirectionLengths::Scale);
        let (table, warnings) = stored.shown().unwrap();
        assert_eq!(table.describe_shells(), "1 × b 0, 2 × b 1000; 1 has no direction");
        let expected = "1 measurement has b above 50 s/mm² and no direction (numbers 2, from 0), like trace volumes and \
                        spherical b-tensors; models refuse them";
        assert_eq!(warnings, [expected]);
        assert_eq!(warnings_of(&fsl(&[0.0, 1000.0], &[0.0, 1.0])), [""; 0]);
    }

    #[test]
    fn implausible_vector_lengths_are_rejected_unless_interpreted() {
        let b_values = [0.0, 1000.0, 1000.0, 1000.0];
        for lengths in
            [[0.0, 40.0, 40.0, 40.0], [0.0, 0.04, 0.04, 0.04], [0.0, 1.0, 1e-4, 0.9], [0.0, 1.0, 0.7, 300.0]]
        {
            let stored = fsl(&b_values, &lengths);
            let message = refusal(&stored, &reading(None, None));
            assert!(message.contains("which are no directions; give their meaning"), "{message}");
            let table = stored.table(&reading(None, Some(DirectionLengths::Ignore))).unwrap();
            assert_eq!(table.shells(), [(0.0, 1), (1000.0, 3)], "{lengths:?}");
            // The warning is also returned for display.
            assert!(stored.shown().unwrap().1[0].contains("no directions"));
        }
    }

    #[test]
    fn nan_directions_count_as_missing() {
        for habit in [DirectionLengths::Ignore, DirectionLengths::Scale] {
            let rows = directions_of([[f64::NAN; 3], [0.0, f64::NAN, 0.0], [0.0, 0.0, 1.0]]);
            let stored = |b: [f64; 3]| StoredGradients::new("a.b", rows.clone(), b.to_vec(), MM, habit);
            let table = stored([0.0, 4.0, 1000.0]).table(&reading(None, None)).unwrap();
            assert_eq!(table.directions(), [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]]);
            let message = refusal(&stored([0.0, 1000.0, 1000.0]), &reading(None, None));
            assert!(
                message.starts_with(
                    "a.b: measurement 2 (counted from 1) has b = 1000 s/mm² but no \
                                     direction"
                ),
                "{message}"
            );
        }
    }

    #[test]
    fn scaled_gradients_have_weaker_pulses() {
        let pulses = |line| StoredPulses {
            amplitude: Some(0.04),
            separation: 0.04,
            duration: 0.02,
            echo_time: Some(0.08),
            line,
        };
        let b = PulseTiming { amplitude: 0.04, separation: 0.04, duration: 0.02, echo_time: 0.08 }.b_value();
        let lengths = [1.0, 1.0, 0.5, 0.5];
        let stored = of(&[b; 4], &lengths, BNumbers::OfPulses, DirectionLengths::Ignore)
            .with_pulses((1..=4).map(pulses).collect());
        assert!(refusal(&stored, &reading(None, None)).contains("2 shells"));
        let table = stored.table(&reading(None, Some(DirectionLengths::Scale))).unwrap();
        assert!((table.timings().unwrap()[2].amplitude - 0.02).abs() < 1e-12);
        assert!((table.b_values()[2] - 0.25 * b).abs() < 1e-9);
    }
}
