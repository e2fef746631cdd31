//! What is asked of a reconstruction, and the image with what is known of it.

use crate::{Differences, Element};
use arcuate_core::{Error, Result};
use arcuate_solve::{ChoiceOutcome, CurvePoint, DISCREPANCY_SOLVES, Outcome, QuadraticPoint};

/// Half decades from the size of FᴴF on that the L-curve has.
pub(crate) const CURVE: usize = 13;

/// How large λ is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lambda {
    /// This times the scan's [gain](crate::Scan::gain): where a Cartesian scan samples every wave number once, and the squares of its
    /// sensitivities add up to 1, FᴴF is 1.
    Fixed(f64),
    /// At the corner of the L-curve.
    LCurve,
    /// Such that the data are explained as well as their noise lets them.
    Discrepancy,
}

impl Lambda {
    /// How often an equation is solved at most: once for each λ that is tried.
    pub fn solves(self) -> usize {
        match self {
            Self::Fixed(_) => 1,
            // The corner is solved for once more.
            Self::LCurve => CURVE + 1,
            Self::Discrepancy => DISCREPANCY_SOLVES,
        }
    }
}

/// What (FᴴF + λ WᴴW) ρ = Fᴴd is solved with.
#[derive(Debug, Clone)]
pub struct Iterative<T: Element> {
    /// λ.
    pub lambda: Lambda,
    /// W; the identity where there is none (Tikhonov).
    pub prior: Option<Differences<T>>,
    /// Standard deviation of the noise in real and imaginary part of each sample, where it is known: with it iterations end
    /// when the data are explained as well, and [`Lambda::Discrepancy`] is a choice.
    pub noise: Option<f64>,
    /// Stop when the residual of the equation has fallen to this fraction of Fᴴd.
    pub tolerance: f64,
    /// Stop after this many iterations in any case.
    pub iterations: usize,
}

impl<T: Element> Default for Iterative<T> {
    fn default() -> Self {
        Self { lambda: Lambda::Fixed(1e-3), prior: None, noise: None, tolerance: 1e-4, iterations: 30 }
    }
}

impl<T: Element> Iterative<T> {
    /// Fails on numbers that cannot be what they stand for, and on a choice by noise that is not known.
    pub fn check(&self) -> Result<()> {
        let usage =
            |parameter: &str, problem: String, advice: &str| Err(Error::usage(parameter, problem, advice));
        if let Lambda::Fixed(lambda) = self.lambda
            && !(lambda >= 0.0 && lambda.is_finite())
        {
            return usage("‘lambda’", format!("{lambda} is no strength"), "give 0 or more, or auto");
        }
        if self.lambda == Lambda::Discrepancy && self.noise.is_none() {
            return usage(
                "‘lambda’",
                "the noise that it is chosen by is not known".to_owned(),
                "give ‘sigma’",
            );
        }
        if let Some(sigma) = self.noise.filter(|sigma| !(*sigma > 0.0 && sigma.is_finite())) {
            return usage("‘sigma’", format!("{sigma} is no standard deviation"), "give a number above 0");
        }
        if !(0.0..1.0).contains(&self.tolerance) {
            let problem = format!("{} is no fraction", self.tolerance);
            return usage("‘tolerance’", problem, "give a number from 0 to below 1");
        }
        Ok(())
    }
}

/// How the solver of an equation ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// Why.
    pub outcome: Outcome,
    /// The residual of the equation over Fᴴd.
    pub residual: f64,
    /// After how many iterations.
    pub iterations: usize,
}

/// An image and how it came to be.
#[derive(Debug, Clone)]
pub struct Reconstruction<T> {
    /// Complex numbers as interleaved reals, x fastest. Of several channels without sensitivities the root of the sum of their
    /// squares, without a phase.
    pub image: Vec<T>,
    /// λ over the scan's [gain](crate::Scan::gain), where there is one; of the first channel where each was solved by itself.
    pub lambda: Option<f64>,
    /// The λ that were tried, where one was chosen, over the gain too.
    pub curve: Vec<CurvePoint>,
    /// The course of the solver, of the first channel where each was solved by itself.
    pub trace: Vec<QuadraticPoint>,
    /// How it ended: of all channels' equations, where each was solved by itself.
    pub endings: Vec<Ending>,
    /// How the choice of λ ended, of each equation for which it was chosen.
    pub choices: Vec<ChoiceOutcome>,
    /// ‖d − Fρ‖ / ‖d‖ over all channels.
    pub misfit: Option<f64>,
    /// A misfit below this is rounding: it only says that it is not larger.
    pub misfit_resolution: Option<f64>,
    /// The misfit that the noise of the data leaves, if it is known.
    pub misfit_of_noise: Option<f64>,
    /// What is wrong with the image.
    pub findings: Vec<Finding>,
    /// What computed the solver's products, for people: of the first channel where each was solved by itself.
    pub computed_by: Option<&'static str>,
}

impl<T> Reconstruction<T> {
    /// The ending with the largest residual.
    pub fn worst(&self) -> Option<&Ending> {
        // What is no number is worse than any.
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

/// Something that is wrong with an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub advice: String,
}
