use arcuate_core::{Error, Result, saturating};
use arcuate_numbers::vector3::{cross, dot, unit};

/// Options that blur a streamline to a tube. COMMIT replaces the streamline by weighted parallel copies,
/// which form a Cartesian grid perpendicular to the streamline. Lengths are in mm.
///
/// The weight of a parallel copy depends on its distance ρ from the streamline. The weight is 1 for distances
/// up to `core_extent`. For distances from `core_extent` to the sum of both extents, the weight is exp(−(ρ −
/// core)² / 2σ²). The value of σ is chosen so that the weight at the outer edge is `gauss_min`. The options
/// and weights are those of `dmri-commit` (`blur_core_extent`, `blur_gauss_extent`, `blur_gauss_min`,
/// `blur_spacing`). Unlike in `dmri-commit`, the weights of all copies of a streamline are normalised to a
/// sum of 1, so that the streamline's length does not change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blur {
    /// Distance from the streamline, in mm, up to which all its parallel copies have the same weight.
    pub core_extent: f64,
    /// Width in mm of the border around the tube's core. In this border, the weights of the streamline's
    /// parallel copies decrease with the distance from the streamline.
    pub gauss_extent: f64,
    /// Weight of a parallel copy at the outer edge of the tube, divided by the weight in the tube's core. It
    /// is between 0 and 1.
    pub gauss_min: f64,
    /// Distance between neighbouring copies in mm.
    pub spacing: f64,
}

impl Default for Blur {
    /// Returns options without blur: the streamline itself is its only copy.
    fn default() -> Self {
        Self { core_extent: 0.0, gauss_extent: 0.0, gauss_min: 0.1, spacing: 0.25 }
    }
}

/// A parallel copy of a streamline. It has an offset perpendicular to the streamline, in mm along the two
/// axes of a [`Frame`], and a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Copy {
    pub(super) offset: [f64; 2],
    pub(super) weight: f64,
}

/// Maximum number of parallel copies of a streamline. If the options require more copies, their extents or
/// their spacing probably have a wrong unit.
const MAX_COPIES: f64 = 10_000.0;

impl Blur {
    /// Returns all parallel copies of a streamline, row by row of the grid that the copies form. The weights
    /// of all copies sum to 1.
    ///
    /// Returns an error if an extent is negative, if the spacing of the copies is not positive, or if
    /// `gauss_min` is not between 0 and 1. Also returns an error if a streamline would have more than 10,000
    /// copies.
    pub(super) fn copies(&self) -> Result<Vec<Copy>> {
        let fail = |option: &str, value: f64, advice: &str| {
            Err(Error::usage(option, format!("{value} is not possible"), advice))
        };
        for (option, extent) in [("‘core_extent’", self.core_extent), ("‘gauss_extent’", self.gauss_extent)]
        {
            if !(extent >= 0.0 && extent.is_finite()) {
                return fail(option, extent, "give a length in mm, 0 for none");
            }
        }
        if !(self.spacing > 0.0 && self.spacing.is_finite()) {
            return fail("‘spacing’", self.spacing, "give a length in mm above 0");
        }
        if !(self.gauss_min > 0.0 && self.gauss_min < 1.0) {
            return fail("‘gauss_min’", self.gauss_min, "give a number between 0 and 1");
        }
        let reach = self.core_extent + self.gauss_extent;
        // The comparison of distances has a small tolerance, so that copies exactly at the outer edge of the
        // tube are included in spite of rounding.
        let slack = 1e-9 * reach;
        let around = ((reach + slack) / self.spacing).floor();
        if (2.0 * around + 1.0).powi(2) > MAX_COPIES {
            let problem = format!(
                "a spacing of {} mm between copies of a streamline is too fine for a blur of {reach} mm",
                self.spacing
            );
            return Err(Error::usage(
                "‘spacing’",
                problem,
                "give a larger spacing or smaller extents of the blur",
            ));
        }
        // σ is the width of the Gaussian weights of copies, and follows from exp(−extent² / 2σ²) = gauss_min.
        // This line computes 2σ².
        let double_variance = self.gauss_extent.powi(2) / -self.gauss_min.ln();
        let around = saturating::<i32>(around);
        let mut copies = Vec::new();
        for row in -around..=around {
            for column in -around..=around {
                let offset = [f64::from(column) * self.spacing, f64::from(row) * self.spacing];
                let beyond = (offset[0].hypot(offset[1]) - self.core_extent).max(0.0);
                if beyond <= self.gauss_extent + slack {
                    let weight = if beyond > 0.0 { (-beyond.powi(2) / double_variance).exp() } else { 1.0 };
                    copies.push(Copy { offset, weight });
                }
            }
        }
        let total: f64 = copies.iter().map(|copy| copy.weight).sum();
        for copy in &mut copies {
            copy.weight /= total;
        }
        Ok(copies)
    }
}

/// Two axes perpendicular to a streamline. From each edge of the streamline to the next, both axes are turned
/// by the smallest rotation that maps one edge direction to the other. The two axes therefore do not twist
/// around the streamline (rotation-minimising or Bishop frame of a polyline).
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    direction: [f64; 3],
    pub(super) axes: [[f64; 3]; 2],
}

impl Frame {
    /// Creates two axes perpendicular to a unit vector (the direction of an edge of the streamline). The axes
    /// depend on this vector only.
    pub(super) fn across(direction: [f64; 3]) -> Self {
        let smallest = (0..3).fold(0, |a, b| if direction[b].abs() < direction[a].abs() { b } else { a });
        let mut helper = [0.0; 3];
        helper[smallest] = 1.0;
        let first = unit(cross(direction, helper));
        Self { direction, axes: [first, cross(direction, first)] }
    }

    /// Turns the two axes to the direction of the streamline's next edge (a unit vector). If the streamline
    /// reverses its direction, creates new axes.
    pub(super) fn follow(&mut self, direction: [f64; 3]) {
        let cosine = dot(self.direction, direction);
        if cosine < -1.0 + 1e-12 {
            *self = Self::across(direction);
            return;
        }
        // Rodrigues' formula for the rotation about the axis a × b that maps the vector a to the vector b.
        let axis = cross(self.direction, direction);
        for v in &mut self.axes {
            let (along, turned) = (dot(axis, *v) / (1.0 + cosine), cross(axis, *v));
            *v = std::array::from_fn(|c| cosine * v[c] + turned[c] + along * axis[c]);
        }
        // Makes the two axes orthonormal again. Otherwise, rounding errors would accumulate over thousands of
        // edges of a streamline.
        let [first, _] = self.axes;
        let lean = dot(first, direction);
        let first = unit(std::array::from_fn(|c| first[c] - lean * direction[c]));
        *self = Self { direction, axes: [first, cross(direction, first)] };
    }

    /// Returns the offset of a parallel copy from the streamline, as a vector in scanner axes (mm).
    pub(super) fn place(&self, copy: &Copy) -> [f64; 3] {
        std::array::from_fn(|c| copy.offset[0] * self.axes[0][c] + copy.offset[1] * self.axes[1][c])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_agree_with_dmri_commit_and_sum_to_one() {
        let blur = Blur { core_extent: 0.3, gauss_extent: 0.6, ..Blur::default() };
        let copies = blur.copies().unwrap();
        assert!((copies.iter().map(|copy| copy.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        // With these blur options, dmri-commit 2.4.2 counts a length of 21.43047 mm for each mm of a straight
        // streamline. This factor is the sum of the copies' weights divided by the weight in the core, in
        // single precision.
        let core = copies.iter().map(|copy| copy.weight).fold(0.0, f64::max);
        assert!((1.0 / core - 75.00665 / 3.5).abs() < 1e-5);
        let alone = Blur::default().copies().unwrap();
        assert_eq!(alone, [Copy { offset: [0.0; 2], weight: 1.0 }]);
    }

    #[test]
    fn impossible_options_are_rejected() {
        let good = Blur { core_extent: 0.3, gauss_extent: 0.6, ..Blur::default() };
        for wrong in [
            Blur { core_extent: -1.0, ..good },
            Blur { gauss_extent: f64::NAN, ..good },
            Blur { spacing: 0.0, ..good },
            Blur { spacing: 1e-9, ..good },
            Blur { gauss_min: 1.0, ..good },
            Blur { gauss_min: 0.0, ..good },
            Blur { core_extent: 1e300, ..good },
        ] {
            assert!(wrong.copies().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn frames_minimise_rotation() {
        // If a streamline stays in a plane, one axis of its rotation-minimising frame stays normal to the
        // plane. The other axis stays in the plane.
        let at = |angle: f64| [angle.cos(), angle.sin(), 0.0];
        let mut frame = Frame::across(at(0.0));
        let tilt = frame.axes[0][2];
        for n in 1..=10_000 {
            let direction = at(0.37 * f64::from(n));
            frame.follow(direction);
            for axis in frame.axes {
                assert!(dot(axis, direction).abs() < 1e-12 && (dot(axis, axis) - 1.0).abs() < 1e-12);
            }
            assert!((frame.axes[0][2] - tilt).abs() < 1e-9, "10,000 rotations round by 1e-16 each");
        }
        frame.follow(frame.direction.map(|c| -c));
        assert!(dot(frame.axes[0], frame.axes[0]).is_finite());
    }
}
