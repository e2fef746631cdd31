//! Options of propagation, which limit how streamlines continue and when they stop. Tracking shares these
//! options for all sources of directions, such as tensors and FODs.

mod table;

pub use table::{AT_MAX_LENGTH, ROWS, Row, SourceKind, Value, markdown};

use arcuate_core::{Error, Result};
use arcuate_track::{AtMaxLength, Curvature, FodOptions, TrackOptions};

/// Options that limit how streamlines continue and when they stop. [`ROWS`] contains the meaning and the
/// default of each option.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Propagation {
    /// Step length in mm.
    pub step_mm: Option<f64>,
    /// Maximum turn between two steps, in degrees.
    pub max_angle_degrees: Option<f64>,
    /// Minimum FA, FOD amplitude or fibre fraction. Streamlines stop where the value is smaller.
    pub cutoff: Option<f64>,
    /// Minimum FA, FOD amplitude or fibre fraction at a seed. Streamlines do not start where the value is
    /// smaller.
    pub seed_cutoff: Option<f64>,
    /// Minimum length of a streamline, in mm.
    pub min_length_mm: Option<f64>,
    /// Maximum length of a streamline, in mm.
    pub max_length_mm: Option<f64>,
    /// Specifies whether a streamline that reaches the maximum length is kept or rejected.
    pub at_max_length: AtMaxLength,
}

impl Propagation {
    /// Sets the value of the option with this name on the command line.
    ///
    /// # Errors
    /// Returns an error if no option has this name.
    #[doc(hidden)]
    pub fn set(&mut self, name: &str, value: f64) -> Result<()> {
        let option = match name {
            "step" => &mut self.step_mm,
            "angle" => &mut self.max_angle_degrees,
            "cutoff" => &mut self.cutoff,
            "seed-cutoff" => &mut self.seed_cutoff,
            "min-length" => &mut self.min_length_mm,
            "max-length" => &mut self.max_length_mm,
            _ => {
                return Err(Error::usage(
                    name,
                    "propagation has no option of this name",
                    "use step, angle, cutoff, seed-cutoff, min-length or max-length",
                ));
            }
        };
        *option = Some(value);
        Ok(())
    }

    /// Returns the options of tensor tracking. They are the options of propagation that are set here, and all
    /// other options from `others`.
    #[doc(hidden)]
    pub fn of_tensors(&self, others: TrackOptions) -> TrackOptions {
        TrackOptions {
            step_mm: self.step_mm.or(others.step_mm),
            curvature: self.max_angle_degrees.map_or(others.curvature, Curvature::MaxAngleDegrees),
            fa_cutoff: self.cutoff.unwrap_or(others.fa_cutoff),
            seed_fa: self.seed_cutoff.or(others.seed_fa),
            min_length_mm: self.min_length_mm.or(others.min_length_mm),
            max_length_mm: self.max_length_mm.or(others.max_length_mm),
            at_max_length: self.at_max_length,
            ..others
        }
    }

    /// Returns the options of FOD tracking. They are the options of propagation that are set here, and all
    /// other options from `others`.
    #[doc(hidden)]
    pub fn of_fods(&self, others: &FodOptions) -> FodOptions {
        FodOptions {
            step_mm: self.step_mm.or(others.step_mm),
            max_angle_degrees: self.max_angle_degrees.or(others.max_angle_degrees),
            min_amplitude: self.cutoff.unwrap_or(others.min_amplitude),
            seed_amplitude: self.seed_cutoff.or(others.seed_amplitude),
            min_length_mm: self.min_length_mm.unwrap_or(others.min_length_mm),
            max_length_mm: self.max_length_mm.unwrap_or(others.max_length_mm),
            at_max_length: self.at_max_length,
            ..others.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_table_has_an_option() {
        for row in ROWS {
            let mut propagation = Propagation::default();
            let is_number = matches!(row.value, Value::Number(_));
            assert_eq!(propagation.set(row.name, 1.5).is_ok(), is_number, "{}", row.name);
            assert_eq!(propagation != Propagation::default(), is_number, "{}", row.name);
        }
    }

    #[test]
    fn defaults_of_the_table_agree_with_the_algorithms() {
        let default = |name: &str, source: SourceKind| {
            let row = ROWS.iter().find(|row| row.name == name).unwrap();
            let text = row.default(source).unwrap();
            text.split([',', ' ']).next().unwrap().parse::<f64>().unwrap()
        };
        let tensors = Propagation::default().of_tensors(TrackOptions::default());
        assert_eq!(tensors, TrackOptions::default());
        assert_eq!(tensors.curvature, Curvature::MaxAngleDegrees(default("angle", SourceKind::Tensor)));
        assert_eq!(tensors.fa_cutoff, default("cutoff", SourceKind::Tensor));
        assert_eq!(tensors.min_length_mm, Some(default("min-length", SourceKind::Tensor)));
        assert_eq!(tensors.max_length_mm, Some(default("max-length", SourceKind::Tensor)));
        let fods = Propagation::default().of_fods(&FodOptions::default());
        assert_eq!(fods, FodOptions::default());
        assert_eq!(fods.max_angle(), default("angle", SourceKind::Fod));
        assert_eq!(fods.min_amplitude, default("cutoff", SourceKind::Fod));
        assert_eq!(fods.min_length_mm, default("min-length", SourceKind::Fod));
        assert_eq!(fods.max_length_mm, default("max-length", SourceKind::Fod));
        let grid =
            arcuate_core::Grid::new([4; 3], arcuate_core::Affine::scaling([2.5; 3], [0.0; 3])).unwrap();
        let samples = arcuate_track::SampleOptions::on(&grid);
        assert!(
            (samples.min_cosine.acos().to_degrees() - default("angle", SourceKind::Samples)).abs() < 1e-9
        );
        assert_eq!(samples.min_fraction, default("cutoff", SourceKind::Samples));
        assert_eq!(samples.min_length_mm, default("min-length", SourceKind::Samples));
        assert_eq!(samples.max_length_mm, Some(default("max-length", SourceKind::Samples)));
    }
}
