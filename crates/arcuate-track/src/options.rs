//! Options of tensor tracking, with their defaults and checks.

use crate::constraints::Constraints;
use arcuate_core::scale::doubts_about_lengths;
use arcuate_core::{Control, Error, Grid, Mask, Result};

/// Method that derives the direction of a streamline from the tensors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Fibre assignment by continuous tracking, FACT (Mori et al. 1999,
    /// doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3). The streamline crosses each voxel in a
    /// straight line along the voxel's principal eigenvector, from face to face. There is no interpolation.
    Fact,
    /// Principal eigenvector of the trilinearly interpolated tensor (Basser et al. 2000,
    /// doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O).
    Tensor,
    /// Tensor deflection, TEND (Lazar et al. 2003, doi:10.1002/hbm.10102), in the interpolated tensor D. Let
    /// v be the incoming direction and e₁ the principal eigenvector with the sign that gives e₁·v ≥ 0. The
    /// outgoing direction is
    ///
    /// f·e₁ + (1 − f)·\[(1 − g)·v + g·Dv/‖Dv‖\], normalised to unit length.
    TensorDeflection {
        /// Weight of the principal eigenvector, from 0 to 1.
        f: f64,
        /// Weight of the deflected direction within the remaining weight 1 − f, from 0 to 1. `f: 0.0, g: 1.0`
        /// is pure deflection.
        g: f64,
    },
}

/// Integration scheme for one step. [`Method::Fact`] has no integrator because it always goes straight to the
/// next voxel face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Integrator {
    /// First order, with one direction per step. The error of the radius of a circular path decreases
    /// linearly with the step length.
    #[default]
    Euler,
    /// Classical fourth-order Runge–Kutta scheme, with four directions per step.
    RungeKutta4,
}

/// Maximum curvature of a streamline. A streamline stops if it would bend more sharply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curvature {
    /// Maximum angle between the directions at the two ends of a step, in degrees: above 0, at most 90.
    /// Directions have no sign, so an angle never exceeds 90°.
    MaxAngleDegrees(f64),
    /// Minimum radius of curvature in mm. The maximum angle is the angle of a chord of one step on a circle
    /// of this radius, 2·asin(step / (2·radius)). Not available for [`Method::Fact`], whose segments differ
    /// in length.
    MinRadiusMm(f64),
}

/// Action for a streamline that reaches its maximum length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AtMaxLength {
    /// The streamline stops there and is kept. The maximum length applies to both halves together: the second
    /// half gets the length that the first half has left.
    #[default]
    Stop,
    /// The streamline is rejected.
    Discard,
}

/// Options of tensor tracking.
///
/// If a length is given in voxels, one voxel is the cube root of the voxel volume.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackOptions {
    /// Method that derives directions from the tensors (`--method`).
    pub method: Method,
    /// Integration scheme (`--integrator`). [`Method::Fact`] requires [`Integrator::Euler`].
    pub integrator: Integrator,
    /// Step length in mm (`--step`), at most two voxels. `None`: 0.1 voxel for Euler, 0.5 voxel for
    /// Runge–Kutta. [`Method::Fact`] requires `None`.
    pub step_mm: Option<f64>,
    /// Maximum curvature (`--angle` or `--curvature-radius`).
    pub curvature: Curvature,
    /// Minimum fractional anisotropy along a streamline (`--cutoff`), from 0 to 1. A streamline stops before
    /// a point with a lower value.
    pub fa_cutoff: f64,
    /// Minimum fractional anisotropy at a seed (`--seed-cutoff`), from 0 to 1. `None`: the value of
    /// `fa_cutoff`.
    pub seed_fa: Option<f64>,
    /// Minimum length of a streamline in mm, measured along its points (`--min-length`). Shorter streamlines
    /// are rejected. `None`: 5 voxels.
    pub min_length_mm: Option<f64>,
    /// Maximum length of a streamline in mm (`--max-length`). `None`: 100 voxels.
    pub max_length_mm: Option<f64>,
    /// Action for a streamline that reaches the maximum length (`--at-max-length`).
    pub at_max_length: AtMaxLength,
    /// True to track in both directions from the seed; false to track in one direction, drawn at random
    /// (`--one-way`).
    pub both_directions: bool,
    /// Tracking mask on the grid of the tensors (`--mask`). A streamline stops at the first point outside the
    /// mask.
    pub mask: Option<Mask>,
    /// Regions that streamlines must pass, avoid or stop in. With [`Method::Fact`], whose points are on voxel
    /// faces, the midpoints of the segments are tested.
    pub constraints: Constraints,
    /// Number of accepted streamlines at which tracking stops (`--select`). `None`: use all seeds.
    pub select: Option<u64>,
    /// Random seed (`--random-seed`).
    pub seed: u64,
}

impl TrackOptions {
    /// Default maximum angle between the directions at the two ends of a step, in degrees.
    pub const MAX_ANGLE_DEGREES: f64 = 45.0;
    /// Default minimum fractional anisotropy.
    pub const FA_CUTOFF: f64 = 0.2;
    /// Default minimum length of a streamline, in mm.
    pub const MIN_LENGTH_MM: f64 = 20.0;
    /// Default maximum length of a streamline, in mm.
    pub const MAX_LENGTH_MM: f64 = 250.0;
}

/// The command line reads its defaults from here.
impl Default for TrackOptions {
    fn default() -> Self {
        Self {
            method: Method::Tensor,
            integrator: Integrator::RungeKutta4,
            step_mm: None,
            curvature: Curvature::MaxAngleDegrees(Self::MAX_ANGLE_DEGREES),
            fa_cutoff: Self::FA_CUTOFF,
            seed_fa: None,
            min_length_mm: Some(Self::MIN_LENGTH_MM),
            max_length_mm: Some(Self::MAX_LENGTH_MM),
            at_max_length: AtMaxLength::default(),
            both_directions: true,
            mask: None,
            constraints: Constraints::default(),
            select: None,
            seed: 0,
        }
    }
}

/// Maximum number of steps of a streamline or geodesic ray. Without this limit, a closed loop in the field
/// would fill the memory.
pub(crate) const MAX_STEPS: f64 = 1e7;

/// Checked [`TrackOptions`]: lengths in mm, angles as cosines, defaults filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) method: Method,
    pub(crate) integrator: Integrator,
    /// Step length in mm. For FACT, the shortest voxel edge, which only limits the number of points.
    pub(crate) step: f64,
    pub(crate) min_cosine: f64,
    pub(crate) fa_cutoff: f64,
    pub(crate) seed_fa: f64,
    pub(crate) min_length: f64,
    pub(crate) max_length: f64,
    /// True if a streamline that reaches the maximum length is rejected.
    pub(crate) discards: bool,
    pub(crate) both_directions: bool,
}

impl TrackOptions {
    /// Returns an error if the options are invalid for tensors on `grid`.
    /// [`track_tensor`](crate::track_tensor) returns the same error. Call this function early to find a wrong
    /// option before hours of work. The error names the option.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        self.settings(grid).map(|_| ())
    }

    /// Returns the step length in mm on `grid`: [`step_mm`](Self::step_mm), or its default if that is `None`.
    /// Returns the same errors as [`check`](Self::check).
    pub fn step_on(&self, grid: &Grid) -> Result<f64> {
        Ok(self.settings(grid)?.step)
    }

    /// Checks the options for tensors on `grid` and fills in the defaults. The error names the option.
    pub(crate) fn settings(&self, grid: &Grid) -> Result<Settings> {
        let sizes = grid.voxel_sizes();
        let voxel = voxel_of(grid);
        let fact = self.method == Method::Fact;
        if let Method::TensorDeflection { f, g } = self.method {
            fraction("‘f’", f)?;
            fraction("‘g’", g)?;
        }
        if fact && self.integrator == Integrator::RungeKutta4 {
            return Err(Error::usage(
                "‘integrator’",
                "FACT moves straight from voxel face to voxel face and does not integrate",
                "remove the option, or choose another ‘method’",
            ));
        }
        let step = match self.step_mm {
            Some(_) if fact => {
                return Err(Error::usage(
                    "‘step_mm’",
                    "FACT moves from voxel face to voxel face and has no step length",
                    "remove the option, or choose another ‘method’",
                ));
            }
            Some(step) => checked_step(step, grid)?,
            None if fact => sizes.into_iter().fold(f64::INFINITY, f64::min),
            None if self.integrator == Integrator::RungeKutta4 => 0.5 * voxel,
            None => 0.1 * voxel,
        };
        let min_length = match self.min_length_mm {
            Some(length) if length >= 0.0 && length.is_finite() => length,
            Some(length) => return Err(refused("‘min_length_mm’", length, "a length of 0 mm or more")),
            None => 5.0 * voxel,
        };
        let max_length = match self.max_length_mm {
            Some(length) => positive("‘max_length_mm’", length, "mm")?,
            None => 100.0 * voxel,
        };
        if max_length < min_length {
            return Err(Error::usage(
                "‘max_length_mm’",
                format!(
                    "the maximum length of {max_length} mm is smaller than the minimum length of \
                     {min_length} mm"
                ),
                "raise ‘max_length_mm’ or lower ‘min_length_mm’",
            ));
        }
        if step > max_length {
            return Err(Error::usage(
                "‘step_mm’",
                format!("the step of {step} mm is longer than the maximum length of {max_length} mm"),
                "take a shorter step",
            ));
        }
        check_points("streamline", max_length, step)?;
        let fa_cutoff = fraction("‘fa_cutoff’", self.fa_cutoff)?;
        let seed_fa = fraction("‘seed_fa’", self.seed_fa.unwrap_or(fa_cutoff))?;
        if self.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are wanted", "give 1 or more"));
        }
        check_mask(self.mask.as_ref(), grid)?;
        Ok(Settings {
            method: self.method,
            integrator: self.integrator,
            step,
            min_cosine: self.min_cosine(step)?,
            fa_cutoff,
            seed_fa,
            min_length,
            max_length,
            discards: self.at_max_length == AtMaxLength::Discard,
            both_directions: self.both_directions,
        })
    }

    fn min_cosine(&self, step: f64) -> Result<f64> {
        match self.curvature {
            Curvature::MaxAngleDegrees(angle) if angle > 0.0 && angle <= 90.0 => Ok(angle.to_radians().cos()),
            Curvature::MaxAngleDegrees(angle) => {
                Err(refused("‘max_angle_degrees’", angle, "an angle above 0 and up to 90 degrees"))
            }
            Curvature::MinRadiusMm(_) if self.method == Method::Fact => Err(Error::usage(
                "‘min_radius_mm’",
                "the segments of FACT differ in length, so a radius does not give an angle",
                "use ‘max_angle_degrees’",
            )),
            Curvature::MinRadiusMm(radius) => {
                let radius = positive("‘min_radius_mm’", radius, "mm")?;
                if step >= 2.0 * radius {
                    return Err(Error::usage(
                        "‘min_radius_mm’",
                        format!("a step of {step} mm does not fit into a circle of radius {radius} mm"),
                        "use a shorter ‘step_mm’ or a larger ‘min_radius_mm’",
                    ));
                }
                // A step is a chord of a circle with the radius of curvature R. It spans the angle θ =
                // 2·asin(step / 2R), so cos θ = 1 − step² / 2R². Beyond 90° every angle is allowed.
                Ok((1.0 - 0.5 * (step / radius).powi(2)).max(0.0))
            }
        }
    }
}

/// Returns an error if the mask is empty or is not on the grid of the tensors.
pub(crate) fn check_mask(mask: Option<&Mask>, grid: &Grid) -> Result<()> {
    let Some(mask) = mask else { return Ok(()) };
    grid.require_match(mask.grid(), "‘mask’", "the tensor image")?;
    if mask.count() == 0 {
        return Err(Error::invalid("‘mask’", "no voxel is inside", "give a mask with voxels above 0.5"));
    }
    Ok(())
}

/// Returns an error if a line of this length has too many points at this step length (both in mm).
pub(crate) fn check_points(what: &str, length: f64, step: f64) -> Result<()> {
    if length / step > MAX_STEPS {
        let problem = format!("a {what} of {length} mm in steps of {step} mm gives too many points");
        return Err(Error::usage("‘max_length_mm’", problem, "use a shorter length, or longer steps"));
    }
    Ok(())
}

/// Returns the cube root of the voxel volume, in mm.
pub(crate) fn voxel_of(grid: &Grid) -> f64 {
    grid.affine().determinant().abs().cbrt()
}

/// Converts a step length to voxels. Rounds to 1e-6 to remove rounding errors of the affine.
fn in_voxels(step_mm: f64, grid: &Grid) -> f64 {
    (1e6 * step_mm / voxel_of(grid)).round() / 1e6
}

/// Checks a step length in mm for a field on `grid`. Returns an error if the step is not positive or is
/// longer than two voxels. A longer step would skip voxels between two points.
pub(crate) fn checked_step(step_mm: f64, grid: &Grid) -> Result<f64> {
    let step = positive("‘step_mm’", step_mm, "mm")?;
    let voxels = in_voxels(step, grid);
    if voxels > 2.0 {
        let problem = format!("the step of {step} mm is {voxels:.1} voxels of {:.3} mm", voxel_of(grid));
        return Err(Error::usage(
            "‘step_mm’",
            problem,
            "use half a voxel or less; the maximum is two voxels",
        ));
    }
    Ok(step)
}

/// Warns about lengths (in mm) that do not suit the voxels of `grid`. These are a step longer than a voxel, a
/// minimum length longer than the image, and a maximum length shorter than a voxel. `step_mm` is `None` if
/// the step length depends on the voxel size.
pub(crate) fn warn_of_lengths(
    step_mm: Option<f64>,
    min_length_mm: f64,
    max_length_mm: Option<f64>,
    grid: &Grid,
    control: &Control,
) {
    for doubt in doubts_about_lengths(min_length_mm, max_length_mm, grid) {
        control.warn(&doubt);
    }
    let Some(step_mm) = step_mm else { return };
    let voxels = in_voxels(step_mm, grid);
    if voxels > 1.0 {
        control.warn(&format!(
            "‘step_mm’: {step_mm} mm are {voxels:.1} voxels of {:.3} mm: streamlines pass voxels without looking at them and cut \
             corners; take half a voxel or less",
            voxel_of(grid)
        ));
    }
}

pub(crate) fn refused(option: &str, value: f64, expected: &str) -> Error {
    Error::usage(option, format!("{value} is not {expected}"), format!("give {expected}"))
}

pub(crate) fn positive(option: &str, value: f64, unit: &str) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(refused(option, value, &format!("a length above 0 {unit}")))
}

pub(crate) fn fraction(option: &str, value: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(refused(option, value, "a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    fn grid() -> Grid {
        Grid::new([4; 3], Affine::scaling([1.0, 2.0, 4.0], [0.0; 3])).unwrap()
    }

    #[test]
    fn defaults_agree_with_the_command() {
        let settings = TrackOptions::default().settings(&grid()).unwrap();
        assert!((settings.step - 1.0).abs() < 1e-12);
        assert!((settings.min_cosine - 0.5f64.sqrt()).abs() < 1e-12);
        assert_eq!((settings.min_length, settings.max_length), (20.0, 250.0));
        assert_eq!((settings.fa_cutoff, settings.seed_fa), (0.2, 0.2));
        let options = TrackOptions {
            integrator: Integrator::Euler,
            min_length_mm: None,
            max_length_mm: None,
            ..TrackOptions::default()
        };
        let euler = options.settings(&grid()).unwrap();
        assert!((euler.step - 0.2).abs() < 1e-12);
        assert!((euler.min_length - 10.0).abs() < 1e-12 && (euler.max_length - 200.0).abs() < 1e-10);
    }

    #[test]
    fn the_curvature_radius_determines_the_step_angle() {
        let options = TrackOptions {
            step_mm: Some(1.0),
            curvature: Curvature::MinRadiusMm(1.0),
            ..TrackOptions::default()
        };
        // A chord that is as long as the radius of the circle spans 60°.
        assert!((options.settings(&grid()).unwrap().min_cosine - 0.5).abs() < 1e-12);
    }

    #[test]
    fn invalid_options_give_one_line_errors() {
        let plain = || TrackOptions { integrator: Integrator::Euler, ..TrackOptions::default() };
        let empty = Mask::new(grid(), vec![false; 64]).unwrap();
        let elsewhere = Mask::full(Grid::new([4, 4, 5], Affine::identity()).unwrap());
        let deflection = |f, g| Method::TensorDeflection { f, g };
        let cases = [
            ("‘step_mm’", TrackOptions { step_mm: Some(0.0), ..plain() }),
            ("‘step_mm’", TrackOptions { step_mm: Some(-1.0), ..plain() }),
            ("‘step_mm’", TrackOptions { step_mm: Some(f64::NAN), ..plain() }),
            ("‘step_mm’", TrackOptions { step_mm: Some(500.0), ..plain() }),
            ("‘step_mm’", TrackOptions { step_mm: Some(1.0), method: Method::Fact, ..plain() }),
            (
                "‘integrator’",
                TrackOptions { integrator: Integrator::RungeKutta4, method: Method::Fact, ..plain() },
            ),
            ("‘max_angle_degrees’", TrackOptions { curvature: Curvature::MaxAngleDegrees(0.0), ..plain() }),
            ("‘max_angle_degrees’", TrackOptions { curvature: Curvature::MaxAngleDegrees(91.0), ..plain() }),
            ("‘min_radius_mm’", TrackOptions { curvature: Curvature::MinRadiusMm(0.1), ..plain() }),
            ("‘min_radius_mm’", TrackOptions { curvature: Curvature::MinRadiusMm(f64::INFINITY), ..plain() }),
            (
                "‘min_radius_mm’",
                TrackOptions { curvature: Curvature::MinRadiusMm(1.0), method: Method::Fact, ..plain() },
            ),
            ("‘fa_cutoff’", TrackOptions { fa_cutoff: 1.5, ..plain() }),
            ("‘seed_fa’", TrackOptions { seed_fa: Some(-0.1), ..plain() }),
            ("‘min_length_mm’", TrackOptions { min_length_mm: Some(-1.0), ..plain() }),
            ("‘max_length_mm’", TrackOptions { max_length_mm: Some(0.0), ..plain() }),
            ("‘max_length_mm’", TrackOptions { max_length_mm: Some(5.0), ..plain() }),
            ("‘max_length_mm’", TrackOptions { max_length_mm: Some(1e12), ..plain() }),
            ("‘select’", TrackOptions { select: Some(0), ..plain() }),
            ("‘mask’", TrackOptions { mask: Some(empty), ..plain() }),
            ("‘mask’", TrackOptions { mask: Some(elsewhere), ..plain() }),
            ("‘f’", TrackOptions { method: deflection(1.1, 0.5), ..plain() }),
            ("‘g’", TrackOptions { method: deflection(0.5, f64::NAN), ..plain() }),
        ];
        for (option, options) in cases {
            let message = options.check(&grid()).unwrap_err().to_string();
            assert!(message.starts_with(&format!("{option}: ")), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
