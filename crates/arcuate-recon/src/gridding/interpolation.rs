use arcuate_numbers::special::bessel_i0;
use std::f64::consts::PI;

/// Number of grid points along an axis to which a Kaiser–Bessel window extends.
const WIDTH: usize = 4;

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

/// The grid points near a sample along one axis, and their interpolation weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Footprint {
    first: i64,
    length: usize,
    shares: [f64; WIDTH + 1],
    count: usize,
}

impl Footprint {
    /// Returns the grid point 0 with the weight 1, for an axis with a single grid point.
    pub(super) fn single() -> Self {
        Self { first: 0, length: 1, shares: [1.0; WIDTH + 1], count: 1 }
    }

    /// Returns the indices of the grid points and their weights. The axis is periodic: grid points beyond one
    /// end of the axis are those at the other end.
    pub(super) fn points(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let Self { first, length, shares, count } = *self;
        (0..count).map(move |n| ((first + n as i64).rem_euclid(length as i64) as usize, shares[n]))
    }
}

impl Interpolation {
    /// Returns the radius of the interpolation window, in grid points.
    fn reach(self) -> f64 {
        match self {
            Self::Trilinear => 1.0,
            Self::KaiserBessel => WIDTH as f64 / 2.0,
        }
    }

    /// Returns the grid points near a sample, and their interpolation weights. `place` is the position of the
    /// sample, in grid points, on an axis of `length` grid points.
    pub(super) fn footprint(self, place: f64, length: usize, oversampling: f64) -> Footprint {
        if length == 1 {
            return Footprint::single();
        }
        let reach = self.reach();
        let first = (place - reach).ceil();
        let mut shares = [0.0; WIDTH + 1];
        let mut count = 0;
        while count < shares.len() && first + count as f64 <= place + reach {
            shares[count] = self.share(first + count as f64 - place, oversampling);
            count += 1;
        }
        // If the axis has fewer grid points than the window, the periodic window overlaps itself. Each grid
        // point is then used once.
        Footprint { first: first as i64, length, shares, count: count.min(length) }
    }

    /// Returns the interpolation weight of a grid point at this distance from the sample. The integral of the
    /// weight over all distances is 1.
    fn share(self, distance: f64, oversampling: f64) -> f64 {
        match self {
            Self::Trilinear => (1.0 - distance.abs()).max(0.0),
            Self::KaiserBessel => {
                let inside = 1.0 - (distance / self.reach()).powi(2);
                let beta = beta(oversampling);
                // Divides by the integral of the window. The integral of I₀(β √(1 − u²)) from −1 to 1 is 2
                // sinh β / β.
                let integral = self.reach() * 2.0 * beta.sinh() / beta;
                if inside < 0.0 { 0.0 } else { bessel_i0(beta * inside.sqrt()) / integral }
            }
        }
    }

    /// Returns the Fourier transform of the interpolation weights at `frequency`, in cycles per grid point.
    /// Gridding multiplies the image by this function, whose value at the centre of the image is 1.
    pub(super) fn spectrum(self, frequency: f64, length: usize, oversampling: f64) -> f64 {
        if length == 1 {
            return 1.0;
        }
        match self {
            Self::Trilinear => {
                let x = PI * frequency;
                if x == 0.0 { 1.0 } else { (x.sin() / x).powi(2) }
            }
            Self::KaiserBessel => {
                let beta = beta(oversampling);
                let square = beta * beta - (2.0 * PI * self.reach() * frequency).powi(2);
                let (size, at_zero) = (square.abs().sqrt(), beta.sinh() / beta);
                let value = if square > 0.0 { size.sinh() / size } else { size.sin() / size };
                value / at_zero
            }
        }
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

    #[test]
    fn spectra_agree_with_the_interpolation_weights() {
        for kind in [Interpolation::Trilinear, Interpolation::KaiserBessel] {
            for oversampling in [1.25, 2.0] {
                for frequency in [0.0, 0.1, 0.25, 0.4] {
                    let steps = 40_000;
                    let step = 2.0 * kind.reach() / f64::from(steps);
                    let sum: f64 = (0..steps)
                        .map(|n| {
                            let u = (f64::from(n) + 0.5) * step - kind.reach();
                            kind.share(u, oversampling) * (2.0 * PI * frequency * u).cos() * step
                        })
                        .sum();
                    let spectrum = kind.spectrum(frequency, 8, oversampling);
                    assert!((sum - spectrum).abs() < 1e-7, "{kind:?} {frequency} {sum} {spectrum}");
                }
            }
        }
    }
}
