//! Settings of a reconstruction that do not depend on the data.

use crate::{DensityCompensation, Differences, Element, GriddingOptions, Interpolation, Iterative, Lambda};
use crate::{Shape, TrajectoryUnit};
use arcuate_core::{Error, Result};

/// The method that computes the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Method of a reconstruction: the image is the solution of a linear equation, computed by conjugate
    /// gradients.
    Cg,
    /// Method of a reconstruction: the image is Fᴴd, the adjoint of the Fourier operator applied to the data.
    Adjoint,
    /// Method of a reconstruction: the image is computed by gridding. Samples are interpolated to a Cartesian
    /// grid in k-space.
    Gridding,
}

impl Method {
    /// Returns the name of the method that users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cg => "cg",
            Self::Adjoint => "adjoint",
            Self::Gridding => "gridding",
        }
    }
}

/// The quantity that the penalty of a reconstruction keeps small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Penalty {
    /// The size of the image values (Tikhonov).
    Tikhonov,
    /// The differences between neighbouring voxels.
    Differences,
    /// The differences between neighbouring voxels, with small weights across the edges of an anatomical
    /// reference image.
    Anatomy,
}

/// The method that determines the density compensation weights of gridding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DensityChoice {
    /// Weights by the method of Pipe and Menon ([`DensityCompensation::PipeMenon`]).
    PipeMenon,
    /// Weights from the Voronoi cells of the samples ([`DensityCompensation::Voronoi`]).
    Voronoi,
    /// Equal weights ([`DensityCompensation::None`]).
    None,
    /// Weights that the user gives ([`DensityCompensation::Given`]).
    Given,
}

/// Settings of a reconstruction that do not depend on the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The method that computes the image.
    pub method: Method,
    /// The quantity that the penalty keeps small.
    pub penalty: Penalty,
    /// λ, the weight of the penalty. If it is `None`, λ is chosen by the discrepancy principle if the noise
    /// is known, or else by the L-curve.
    pub lambda: Option<f64>,
    /// Standard deviation of the noise in the real and in the imaginary part of each sample, if known.
    pub noise: Option<f64>,
    /// Smallest difference between neighbouring voxels of the anatomical reference image that counts as an
    /// edge.
    pub edge: Option<f64>,
    /// Tolerance of the solver: maximum norm of the equation's residual, divided by the norm of the
    /// right-hand side.
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
    /// The density compensation weights of gridding.
    pub density: DensityChoice,
    /// The interpolation of gridding.
    pub interpolation: Interpolation,
    /// Number of grid points per image voxel along each axis in gridding (oversampling).
    pub oversampling: f64,
    /// Unit of the wave numbers in the trajectory file.
    pub unit: Option<TrajectoryUnit>,
    /// True if the reconstruction uses double precision.
    pub is_double: bool,
}

impl Settings {
    /// Checks that the settings are consistent with each other.
    ///
    /// # Errors
    /// Returns an error that names a setting that has no effect, or a number outside its range.
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

    /// Returns the text of an error: the method does not use a setting, which only conjugate gradients use.
    #[doc(hidden)]
    pub fn no_use(&self) -> String {
        format!("‘method’ {} has no use for it", self.method.name())
    }

    /// Creates the operator of the penalty (differences between neighbouring voxels) for an image of this
    /// size. If there is an anatomical reference image, its edges determine the weights.
    ///
    /// # Errors
    /// Returns an error if the reference image has no edges, or does not have this size.
    #[doc(hidden)]
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

    /// Returns the options of conjugate gradients.
    #[doc(hidden)]
    pub fn iterative<T: Element>(&self, prior: Option<Differences<T>>) -> Iterative<T> {
        let lambda = match (self.lambda, self.noise) {
            (Some(lambda), _) => Lambda::Fixed(lambda),
            (None, Some(_)) => Lambda::Discrepancy,
            (None, None) => Lambda::LCurve,
        };
        let (tolerance, iterations) = (self.tolerance, self.iterations);
        Iterative { lambda, prior, noise: self.noise, tolerance, iterations }
    }

    /// Returns the options of gridding. `given` contains the density compensation weights that the user gave.
    /// It is empty if there are none.
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
