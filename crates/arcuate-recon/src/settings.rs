//! The settings of a reconstruction that are independent of the data.

use crate::{DensityCompensation, Differences, Element, GriddingOptions, Interpolation, Iterative, Lambda};
use crate::{Shape, TrajectoryUnit};
use arcuate_core::{Error, Result};

/// How an image is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Conjugate gradients solve for the image.
    Cg,
    /// Fᴴd alone.
    Adjoint,
    /// The samples are interpolated to a grid.
    Gridding,
}

impl Method {
    /// Its name for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cg => "cg",
            Self::Adjoint => "adjoint",
            Self::Gridding => "gridding",
        }
    }
}

/// What is penalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Penalty {
    /// The size of the image.
    Tikhonov,
    /// Differences of neighbours.
    Differences,
    /// Differences of neighbours without an edge between them in an image of the anatomy.
    Anatomy,
}

/// Density weights of gridding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DensityChoice {
    /// [`DensityCompensation::PipeMenon`].
    PipeMenon,
    /// [`DensityCompensation::Voronoi`].
    Voronoi,
    /// [`DensityCompensation::None`].
    None,
    /// [`DensityCompensation::Given`].
    Given,
}

/// The settings of a reconstruction that are independent of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How the image is computed.
    pub method: Method,
    /// What is penalised.
    pub penalty: Penalty,
    /// The strength of the penalty; none if it is chosen by the noise or the L-curve.
    pub lambda: Option<f64>,
    /// Standard deviation of the noise in the real and the imaginary part of a sample.
    pub noise: Option<f64>,
    /// Smallest difference of the anatomy that is an edge.
    pub edge: Option<f64>,
    /// Largest residual relative to the first.
    pub tolerance: f64,
    /// Largest number of iterations.
    pub iterations: usize,
    /// Density weights of gridding.
    pub density: DensityChoice,
    /// Interpolation of gridding.
    pub interpolation: Interpolation,
    /// Grid points of gridding per voxel along an axis.
    pub oversampling: f64,
    /// Unit of the trajectory.
    pub unit: Option<TrajectoryUnit>,
    /// True for double precision.
    pub is_double: bool,
}

impl Settings {
    /// Checks that the settings go together.
    ///
    /// # Errors
    /// Names a setting that has no effect, or a number out of its range.
    pub fn check(&self) -> Result<()> {
        let usage = |name: &str, problem: &str, advice: &str| Err(Error::usage(name, problem, advice));
        self.iterative::<f32>(None).check()?;
        if self.edge.is_some() && self.penalty != Penalty::Anatomy {
            let advice = "give an image of the anatomy as ‘regularise’, or leave it out";
            return usage("‘edge’", "it is of an anatomical prior", advice);
        }
        if self.method != Method::Gridding {
            let usual = GriddingOptions::default();
            let given = [
                ("‘density’", self.density != DensityChoice::PipeMenon),
                ("‘interpolation’", self.interpolation != usual.interpolation),
                ("‘oversampling’", self.oversampling.total_cmp(&usual.oversampling).is_ne()),
            ];
            if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
                return usage(name, "it is of ‘method’ gridding", "give this value, or remove the option");
            }
        }
        if self.method != Method::Cg {
            let given =
                [("‘sigma’", self.noise.is_some()), ("‘regularise’", self.penalty != Penalty::Tikhonov)];
            if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
                return usage(name, &self.no_use(), "remove one of the two");
            }
        }
        Ok(())
    }

    /// The problem of a setting that only conjugate gradients use.
    pub fn no_use(&self) -> String {
        format!("‘method’ {} has no use for it", self.method.name())
    }

    /// The prior of an image of this shape, with the anatomy if there is one.
    ///
    /// # Errors
    /// If the anatomy has no edges, or does not have this shape.
    pub fn prior<T: Element>(
        &self,
        shape: Shape,
        anatomy: Option<&[Option<f32>]>,
    ) -> Result<Option<Differences<T>>> {
        Ok(match (self.penalty, anatomy) {
            (Penalty::Anatomy, Some(anatomy)) => Some(Differences::along_anatomy(shape, anatomy, self.edge)?),
            (Penalty::Differences, _) => Some(Differences::new(shape)),
            _ => None,
        })
    }

    /// The settings of conjugate gradients.
    pub fn iterative<T: Element>(&self, prior: Option<Differences<T>>) -> Iterative<T> {
        let lambda = match (self.lambda, self.noise) {
            (Some(lambda), _) => Lambda::Fixed(lambda),
            (None, Some(_)) => Lambda::Discrepancy,
            (None, None) => Lambda::LCurve,
        };
        let (tolerance, iterations) = (self.tolerance, self.iterations);
        Iterative { lambda, prior, noise: self.noise, tolerance, iterations }
    }

    /// The settings of gridding, with the density weights that were given.
    pub fn gridding(&self, given: Vec<f64>) -> GriddingOptions {
        let density = match self.density {
            DensityChoice::PipeMenon => DensityCompensation::PipeMenon,
            DensityChoice::Voronoi => DensityCompensation::Voronoi,
            DensityChoice::None => DensityCompensation::None,
            DensityChoice::Given => DensityCompensation::Given(given),
        };
        GriddingOptions { interpolation: self.interpolation, oversampling: self.oversampling, density }
    }
}
