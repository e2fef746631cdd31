//! Options of a reconstruction, the resulting image, and statistics of the reconstruction.

use crate::{Differences, Element};
use arcuate_core::{Error, Result};
use arcuate_solve::{ChoiceOutcome, CurvePoint, DISCREPANCY_SOLVES, Outcome, QuadraticPoint};

/// Number of trial values of λ on the L-curve. They decrease by factors of √10 from an estimate of the
/// largest eigenvalue of FᴴF.
pub(crate) const CURVE: usize = 13;

/// The method that chooses λ, the weight of the penalty.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Lambda {
    /// λ is this value times the scan's [gain](crate::Scan::gain). For a Cartesian scan that samples every
    /// wave number once, FᴴF is 1 if the squares of the coil sensitivities sum to 1. The gain is then also 1.
    Fixed(f64),
    /// λ is the value at the corner of the L-curve.
    LCurve,
    /// λ is the value at which the misfit to the data is as large as the noise (discrepancy principle).
    Discrepancy,
}

impl Lambda {
    /// Returns the maximum number of times that an equation is solved. Each trial value of λ needs one solve.
    pub fn solves(self) -> usize {
        match self {
            Self::Fixed(_) => 1,
            // After the corner of the L-curve is found, the equation is solved once more for the λ of the
            // corner.
            Self::LCurve => CURVE + 1,
            Self::Discrepancy => DISCREPANCY_SOLVES,
        }
    }
}

/// Options for the iterative solution of (FᴴF + λ WᴴW) ρ = Fᴴd.
#[derive(Debug, Clone)]
pub struct Iterative<T: Element> {
    /// The method that chooses λ, the weight of the penalty.
    pub lambda: Lambda,
    /// The operator W of the penalty, which computes differences between neighbouring voxels. `None` is the
    /// identity (Tikhonov).
    pub prior: Option<Differences<T>>,
    /// Standard deviation of the noise, in the real and in the imaginary part of each sample, if known. If it
    /// is known, iterations stop when the misfit is as large as the noise, and [`Lambda::Discrepancy`] is
    /// available.
    pub noise: Option<f64>,
    /// Relative tolerance of the solver. Iterations stop if the norm of the equation's residual is at most
    /// this fraction of the norm of Fᴴd.
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl<T: Element> Default for Iterative<T> {
    fn default() -> Self {
        Self { lambda: Lambda::Fixed(1e-3), prior: None, noise: None, tolerance: 1e-4, iterations: 30 }
    }
}

impl<T: Element> Iterative<T> {
    /// Returns an error if an option is outside its range, or if λ must be chosen from the noise and the
    /// noise is unknown.
    pub fn check(&self) -> Result<()> {
        let usage =
            |parameter: &str, problem: String, advice: &str| Err(Error::usage(parameter, problem, advice));
        if let Lambda::Fixed(lambda) = self.lambda
            && !(lambda >= 0.0 && lambda.is_finite())
        {
            return usage(
                "‘lambda’",
                format!("{lambda} is not a possible strength of the penalty"),
                "give \
                0 or more, or auto",
            );
        }
        if self.lambda == Lambda::Discrepancy && self.noise.is_none() {
            return usage(
                "‘lambda’",
                "the noise that it is chosen by is not known".to_owned(),
                "give ‘sigma’",
            );
        }
        if let Some(sigma) = self.noise.filter(|sigma| !(*sigma > 0.0 && sigma.is_finite())) {
            return usage("‘sigma’", format!("{sigma} is not a standard deviation"), "give a number above 0");
        }
        if !(0.0..1.0).contains(&self.tolerance) {
            let problem = format!("{} is not a fraction", self.tolerance);
            return usage("‘tolerance’", problem, "give a number of at least 0 and below 1");
        }
        Ok(())
    }
}

/// The state of the solver when it stopped, for one equation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// The reason why the solver stopped.
    pub outcome: Outcome,
    /// The norm of the equation's residual divided by the norm of Fᴴd.
    pub residual: f64,
    /// Number of iterations that the solver needed.
    pub iterations: usize,
}

/// A reconstructed image and the statistics of its reconstruction.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reconstruction<T> {
    /// The image: complex numbers as pairs of a real and an imaginary part, x fastest. If there are several
    /// channels without known coil sensitivities, the image is the root of the sum of squares over channels,
    /// and has no phase.
    pub image: Vec<T>,
    /// λ divided by the scan's [gain](crate::Scan::gain). `None` if the method has no λ. If the channels were
    /// solved separately, this is the λ of the first channel.
    pub lambda: Option<f64>,
    /// All trial values of λ, divided by the gain of the scan, with their results. Empty if λ was not chosen
    /// from the data.
    pub curve: Vec<CurvePoint>,
    /// The iteration history of the solver. If the channels were solved separately, this is the history of
    /// the first channel.
    pub trace: Vec<QuadraticPoint>,
    /// The state of the solver when it stopped, for each equation.
    pub endings: Vec<Ending>,
    /// The outcome of the choice of λ, for each equation whose λ was chosen from the data.
    pub choices: Vec<ChoiceOutcome>,
    /// The relative misfit ‖d − Fρ‖ / ‖d‖ between the data d and the data of the image ρ, over all channels.
    pub misfit: Option<f64>,
    /// The smallest relative misfit that rounding errors allow to measure. If the true misfit is smaller,
    /// `misfit` is only an upper bound.
    pub misfit_resolution: Option<f64>,
    /// The relative misfit that the noise of the data alone would cause. `None` if the noise is unknown.
    pub misfit_of_noise: Option<f64>,
    /// Problems that were found in the image.
    pub findings: Vec<Finding>,
    /// The device that computed the solver's products, as text for messages. If the channels were solved
    /// separately, this is the device of the first channel.
    pub computed_by: Option<&'static str>,
}

impl<T> Reconstruction<T> {
    /// Returns the final state of the solver for the equation with the largest residual.
    pub fn worst(&self) -> Option<&Ending> {
        // If a residual is NaN, it counts as the largest residual.
        self.endings.iter().max_by(|a, b| a.residual.abs().total_cmp(&b.residual.abs()))
    }
}

impl<T> Default for Reconstruction<T> {
    fn default() -> Self {
        Self {
            image: Vec::new(),
            lambda: None,
            curve: Vec::new(),
            trace: Vec::new(),
            endings: Vec::new(),
            choices: Vec::new(),
            misfit: None,
            misfit_resolution: None,
            misfit_of_noise: None,
            findings: Vec::new(),
            computed_by: None,
        }
    }
}

/// A problem that was found in a reconstructed image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The description of the problem.
    pub problem: String,
    /// Advice for the user about the problem.
    pub advice: String,
}
