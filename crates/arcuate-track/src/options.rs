//! What a run may be told, the defaults, and what is refused.

use crate::constraints::Constraints;
use arcuate_core::scale::doubts_about_lengths;
use arcuate_core::{Control, Error, Grid, Mask, Result};

/// How a streamline finds its direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Fibre assignment by continuous tracking (Mori et al. 1999, doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3):
    /// straight through each voxel along its principal eigenvector, from face to face, without interpolation.
    Fact,
    /// The principal eigenvector of the trilinearly interpolated tensor (Basser et al. 2000,
    /// doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O).
    Tensor,
    /// Tensor deflection, TEND (Lazar et al. 2003, doi:10.1002/hbm.10102), in the interpolated tensor D. With the
    /// incoming direction v and the principal eigenvector e₁, turned to v's side, the outgoing direction is
    ///
    /// f·e₁ + (1 − f)·\[(1 − g)·v + g·Dv/‖Dv‖\], brought to unit length.
    TensorDeflection {
        /// Weight of the principal eigenvector, 0 to 1.
        f: f64,
        /// Weight of the deflected direction within the rest, 0 to 1. `f: 0.0, g: 1.0` is pure deflection.
        g: f64,
    },
}

/// How a streamline moves along the directions it finds; not for [`Method::Fact`], which always goes straight to the
/// next voxel face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integrator {
    /// One direction a step. The error of a circle's radius falls with the step.
    #[default]
    Euler,
    /// The classical Runge–Kutta scheme of fourth order, four directions a step.
    RungeKutta4,
}

/// How sharply a streamline may bend before it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curvature {
    /// Largest angle between the directions at the two ends of a step, in degrees: above 0, at most 90 (a direction is
    /// always turned to the side it is reached from).
    MaxAngleDegrees(f64),
    /// Smallest radius of curvature in mm: the angle that a chord of one step spans on that circle,
    /// 2·asin(step / (2·radius)). Not for [`Method::Fact`], whose segments have no common length.
    MinRadiusMm(f64),
}

/// What happens to a streamline that reaches its maximum length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtMaxLength {
    /// It stops there and is kept. Both halves together have the maximum length: the second half gets what the first has left.
    #[default]
    Stop,
    /// It is rejected.
    Discard,
}

/// Everything but the tensors and the seeds.
///
/// "Voxel" as a length means the cube root of a voxel's volume.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackOptions {
    /// How a streamline finds its direction (`--method`).
    pub method: Method,
    /// How it moves along (`--integrator`). FACT integrates nothing and takes [`Integrator::Euler`].
    pub integrator: Integrator,
    /// Length of a step in mm (`--step`), at most two voxels. `None`: 0.1 voxel for Euler, half a voxel for Runge–Kutta, which is
    /// of fourth order. FACT takes none.
    pub step_mm: Option<f64>,
    /// How sharply it may bend (`--angle` or `--curvature-radius`).
    pub curvature: Curvature,
    /// A streamline ends before it reaches a point of lower fractional anisotropy (`--cutoff`), 0 to 1.
    pub fa_cutoff: f64,
    /// Fractional anisotropy that a seed needs (`--seed-cutoff`), 0 to 1. `None`: that of `fa_cutoff`.
    pub seed_fa: Option<f64>,
    /// Shorter streamlines are rejected (`--min-length`), in mm along their points. `None`: 5 voxels.
    pub min_length_mm: Option<f64>,
    /// The length of the longest streamline in mm (`--max-length`). `None`: 100 voxels.
    pub max_length_mm: Option<f64>,
    /// What happens to a streamline that reaches it (`--at-max-length`).
    pub at_max_length: AtMaxLength,
    /// Whether to follow both directions from the seed, or one drawn at random (`--one-way`).
    pub both_directions: bool,
    /// Where streamlines may go (`--mask`): a point outside its voxels ends a streamline. On the grid of the tensors.
    pub mask: Option<Mask>,
    /// Regions that streamlines must and may not pass, and end in. Of FACT, whose points lie on faces, the middles of its
    /// segments meet them.
    pub constraints: Constraints,
    /// Stop at this many accepted streamlines (`--select`). `None`: try every seed.
    pub select: Option<u64>,
    /// Number that all random choices derive from (`--random-seed`).
    pub seed: u64,
}

impl TrackOptions {
    /// Largest angle between the directions at the two ends of a step by default, in degrees.
    pub const MAX_ANGLE_DEGREES: f64 = 45.0;
    /// Least fractional anisotropy by default.
    pub const FA_CUTOFF: f64 = 0.2;
    /// Length of the shortest streamline that is kept by default, in mm.
    pub const MIN_LENGTH_MM: f64 = 20.0;
    /// Length at which a streamline ends by default, in mm.
    pub const MAX_LENGTH_MM: f64 = 250.0;
}

/// Those of the command line too, which reads them here.
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

/// Steps a streamline or ray may have: a closed loop in the field would otherwise fill the memory.
pub(crate) const MOST_STEPS: f64 = 1e7;

/// The options as propagation needs them: checked, in mm, cosines and squares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) method: Method,
    pub(crate) integrator: Integrator,
    /// In mm; for FACT the shortest voxel edge, which only bounds the number of points.
    pub(crate) step: f64,
    pub(crate) min_cosine: f64,
    pub(crate) fa_cutoff: f64,
    pub(crate) seed_fa: f64,
    pub(crate) min_length: f64,
    pub(crate) max_length: f64,
    /// Whether a streamline that reaches it is rejected.
    pub(crate) discards: bool,
    pub(crate) both_directions: bool,
}

impl TrackOptions {
    /// Fails where [`track_tensor`](crate::track_tensor) would refuse these options for tensors on `grid`, so that a
    /// wrong one is known before hours of work. Each refusal names its option.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        self.settings(grid).map(|_| ())
    }

    /// Length of a step in mm on `grid`: [`step_mm`](Self::step_mm), or what it stands for. Fails like
    /// [`check`](Self::check).
    pub fn step_on(&self, grid: &Grid) -> Result<f64> {
        Ok(self.settings(grid)?.step)
    }

    /// The options checked against the image they are for; each refusal names its option.
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
                "FACT goes straight from face to face and integrates nothing",
                "leave the option out, or choose another ‘method’",
            ));
        }
        let step = match self.step_mm {
            Some(_) if fact => {
                return Err(Error::usage(
                    "‘step_mm’",
                    "FACT goes from face to face and has no step",
                    "leave the option out, or choose another ‘method’",
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
                format!("{max_length} mm is below the minimum length of {min_length} mm"),
                "raise ‘max_length_mm’ or lower ‘min_length_mm’",
            ));
        }
        if step > max_length {
            return Err(Error::usage(
                "‘step_mm’",
                format!("{step} mm is longer than the maximum length of {max_length} mm"),
                "take a shorter step",
            ));
        }
        check_points("streamline", max_length, step)?;
        let fa_cutoff = fraction("‘fa_cutoff’", self.fa_cutoff)?;
        let seed_fa = fraction("‘seed_fa’", self.seed_fa.unwrap_or(fa_cutoff))?;
        if self.select == Some(0) {
            return Err(Error::usage("‘select’", "0 streamlines are wanted", "ask for one or more"));
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
                "the segments of FACT have no common length to turn a radius into an angle",
                "use ‘max_angle_degrees’",
            )),
            Curvature::MinRadiusMm(radius) => {
                let radius = positive("‘min_radius_mm’", radius, "mm")?;
                if step >= 2.0 * radius {
                    return Err(Error::usage(
                        "‘min_radius_mm’",
                        format!("a step of {step} mm does not fit into a circle of radius {radius} mm"),
                        "take a shorter ‘step_mm’ or a larger ‘min_radius_mm’",
                    ));
                }
                // At an angle of θ = 2·asin(step / 2R), cos θ = 1 − step² / 2R²; beyond 90° nothing is refused.
                Ok((1.0 - 0.5 * (step / radius).powi(2)).max(0.0))
            }
        }
    }
}

/// Fails where a mask is of another grid than the tensors, or empty.
pub(crate) fn check_mask(mask: Option<&Mask>, grid: &Grid) -> Result<()> {
    let Some(mask) = mask else { return Ok(()) };
    grid.require_match(mask.grid(), "‘mask’", "the tensor image")?;
    if mask.count() == 0 {
        return Err(Error::invalid("‘mask’", "no voxel is inside", "give a mask with voxels above 0.5"));
    }
    Ok(())
}

/// Fails where steps so short make a line so long have too many points.
pub(crate) fn check_points(what: &str, length: f64, step: f64) -> Result<()> {
    if length / step > MOST_STEPS {
        let problem = format!("a {what} of {length} mm in steps of {step} mm has too many points");
        return Err(Error::usage("‘max_length_mm’", problem, "shorten it, or take longer steps"));
    }
    Ok(())
}

/// The cube root of a voxel's volume, in mm.
pub(crate) fn voxel_of(grid: &Grid) -> f64 {
    grid.affine().determinant().abs().cbrt()
}

/// How many voxels a step is long, without the rounding of affines.
fn in_voxels(step_mm: f64, grid: &Grid) -> f64 {
    (1e6 * step_mm / voxel_of(grid)).round() / 1e6
}

/// A step in mm for a field on `grid`. Fails on what is no length, and beyond two voxels: between two points lies a voxel
/// then that the streamline has never looked at.
pub(crate) fn checked_step(step_mm: f64, grid: &Grid) -> Result<f64> {
    let step = positive("‘step_mm’", step_mm, "mm")?;
    let voxels = in_voxels(step, grid);
    if voxels > 2.0 {
        let problem = format!("{step} mm are {voxels:.1} voxels of {:.3} mm", voxel_of(grid));
        return Err(Error::usage(
            "‘step_mm’",
            problem,
            "take half a voxel or less; more than two are refused",
        ));
    }
    Ok(step)
}

/// Warns of lengths that do not suit the voxels of `grid`: a step longer than a voxel, a shortest streamline longer than the
/// image, a longest one shorter than a voxel. Lengths in mm; a step that the voxels decide is `None`.
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

pub(crate) fn refused(option: &str, value: f64, wanted: &str) -> Error {
    Error::usage(option, format!("{value} is not {wanted}"), format!("give {wanted}"))
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
    fn defaults_are_those_of_the_command() {
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
    fn a_radius_is_the_angle_of_a_chord() {
        let options = TrackOptions {
            step_mm: Some(1.0),
            curvature: Curvature::MinRadiusMm(1.0),
            ..TrackOptions::default()
        };
        // A chord as long as the radius spans 60 degrees.
        assert!((options.settings(&grid()).unwrap().min_cosine - 0.5).abs() < 1e-12);
    }

    #[test]
    fn each_wrong_option_is_named_in_one_line() {
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
