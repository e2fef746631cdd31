//! Images from k-space.

use crate::call::{Call, Work};
use crate::errors::raise;
use crate::evaluate::is_single;
use crate::operators::places;
use arcuate::core::{self, Control, Error};
use arcuate::recon::{
    self, CoilMaps, DensityCompensation, Differences, Element, GriddingOptions, Interpolation, Iterative,
    Lambda, Reconstruct, Reconstruction, Scan, Shape, TrajectoryUnit, Weights,
};
use arcuate::solve::ChoiceOutcome;
use bytemuck::cast_slice;
use numpy::{Complex64, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// What the reconstruction is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReconKeywords {
    method: String,
    regularise: String,
    /// Nothing for the choice by noise or L-curve.
    lambda_: Option<f64>,
    sigma: Option<f64>,
    edge: Option<f64>,
    tolerance: Option<f64>,
    iterations: Option<usize>,
    density: String,
    interpolation: String,
    oversampling: Option<f64>,
    fov: Option<[f64; 3]>,
    trajectory_unit: Option<String>,
    precision: String,
}

/// What was measured, as it came.
struct Measured {
    shape: Shape,
    samples: Vec<[f64; 3]>,
    data: Vec<f64>,
    sensitivities: Option<Vec<f64>>,
    weights: Option<Vec<[f64; 2]>>,
    anatomy: Option<Vec<f32>>,
    density: Option<Vec<f64>>,
}

/// An image, x fastest, and figures by name.
type Image<'py> = (Bound<'py, PyArray1<Complex64>>, BTreeMap<&'static str, f64>, Vec<&'static str>);

/// Complex numbers as interleaved reals, figures by name, and how choices of λ ended.
type Made = (Vec<f64>, BTreeMap<&'static str, f64>, Vec<&'static str>);

fn wrong<T>(subject: &str, problem: String, advice: &str) -> core::Result<T> {
    Err(Error::usage(subject, problem, advice))
}

impl ReconKeywords {
    /// Fails where a keyword would change nothing.
    fn check(&self) -> core::Result<()> {
        let of_gridding = [
            ("‘density’", self.density != "pipe-menon"),
            ("‘interpolation’", self.interpolation != "kaiser-bessel"),
            ("‘oversampling’", self.oversampling.is_some()),
        ];
        let of_cg = [
            ("‘sigma’", self.sigma.is_some()),
            ("‘regularise’", self.regularise != "tikhonov"),
            ("‘tolerance’", self.tolerance.is_some()),
            ("‘iterations’", self.iterations.is_some()),
        ];
        let useless = if self.method == "gridding" { Vec::new() } else { of_gridding.to_vec() };
        let useless = if self.method == "cg" { useless } else { [useless, of_cg.to_vec()].concat() };
        if let Some((name, _)) = useless.into_iter().find(|(_, given)| *given) {
            let problem = format!("‘method’ {} has no use for it", self.method);
            return wrong(name, problem, "leave one of the two out");
        }
        if self.edge.is_some() && self.regularise != "anatomy" {
            return wrong(
                "‘edge’",
                "it is of an anatomical prior".into(),
                "give an image as ‘regularise’, or leave it out",
            );
        }
        Ok(())
    }

    /// Brings the trajectory to cycles per field of view.
    fn place(&self, samples: &mut [[f64; 3]], shape: Shape, control: &Control) -> core::Result<()> {
        let unit = match self.trajectory_unit.as_deref() {
            None => None,
            Some("fov") => Some(TrajectoryUnit::FieldOfView),
            Some("voxel") => Some(TrajectoryUnit::Voxel),
            Some("radian") => Some(TrajectoryUnit::Radian),
            Some("per-metre") => Some(TrajectoryUnit::PerMetre),
            Some(other) => {
                let problem = format!("`{other}` is no unit of trajectories");
                return wrong("‘trajectory_unit’", problem, "give fov, voxel, radian or per-metre");
            }
        };
        recon::place(samples, unit, shape, self.fov, &"trajectory", control)
    }

    fn gridding(&self, density: Option<Vec<f64>>) -> core::Result<GriddingOptions> {
        let density = match (self.density.as_str(), density) {
            (_, Some(given)) => DensityCompensation::Given(given),
            ("pipe-menon", None) => DensityCompensation::PipeMenon,
            ("voronoi", None) => DensityCompensation::Voronoi,
            ("none", None) => DensityCompensation::None,
            (other, None) => {
                let problem = format!("`{other}` says nothing of density");
                return wrong(
                    "‘density’",
                    problem,
                    "give pipe-menon, voronoi, none, or a number for each sample",
                );
            }
        };
        let interpolation = match self.interpolation.as_str() {
            "kaiser-bessel" => Interpolation::KaiserBessel,
            "trilinear" => Interpolation::Trilinear,
            other => {
                let problem = format!("`{other}` is neither kaiser-bessel nor trilinear");
                return wrong("‘interpolation’", problem, "give one of them");
            }
        };
        let usual = GriddingOptions::default();
        Ok(GriddingOptions {
            interpolation,
            oversampling: self.oversampling.unwrap_or(usual.oversampling),
            density,
        })
    }

    fn iterative<T: Element>(&self, shape: Shape, anatomy: Option<&[f32]>) -> core::Result<Iterative<T>> {
        let usual = Iterative::<T>::default();
        let tolerance = self.tolerance.unwrap_or(usual.tolerance);
        let prior = match (self.regularise.as_str(), anatomy) {
            ("anatomy", Some(anatomy)) => {
                let known: Vec<Option<f32>> = anatomy.iter().map(|&value| Some(value)).collect();
                Some(Differences::along_anatomy(shape, &known, self.edge)?)
            }
            ("differences", _) => Some(Differences::new(shape)),
            ("tikhonov", _) => None,
            (other, _) => {
                let problem = format!("`{other}` is no penalty");
                return wrong(
                    "‘regularise’",
                    problem,
                    "give tikhonov, differences, or an array of the anatomy",
                );
            }
        };
        let lambda = match (self.lambda_, self.sigma) {
            (Some(lambda), _) => Lambda::Fixed(lambda),
            (None, Some(_)) => Lambda::Discrepancy,
            (None, None) => Lambda::LCurve,
        };
        let iterations = self.iterations.unwrap_or(usual.iterations);
        Ok(Iterative { lambda, prior, noise: self.sigma, tolerance, iterations })
    }
}

fn made<T: Reconstruct>(measured: Measured, told: &ReconKeywords, work: &Work<'_>) -> core::Result<Made> {
    let Measured { shape, mut samples, data, sensitivities, weights, anatomy, density } = measured;
    told.check()?;
    told.place(&mut samples, shape, &work.control)?;
    let of = |values: Vec<f64>| values.into_iter().map(T::of).collect::<Vec<T>>();
    let mut scan = Scan::new(shape, samples, of(data))?;
    if let Some(maps) = sensitivities {
        scan = scan.with_coils(CoilMaps::new(shape, of(maps))?)?;
    }
    if let Some(weights) = weights {
        scan = scan.with_weights(Weights::new(weights)?)?;
    }
    let done: Reconstruction<T> = match told.method.as_str() {
        "cg" => {
            let options = told.iterative(shape, anatomy.as_deref())?;
            let toeplitz = recon::toeplitz(&scan, None, &work.device()?)?;
            recon::iterate(&scan, &toeplitz, &options, &work.control, |_| {})?
        }
        "adjoint" => recon::adjoint(&scan, &work.device()?, &work.control)?,
        "gridding" => recon::grid(&scan, &told.gridding(density)?, &work.control)?,
        other => return wrong("‘method’", format!("`{other}` is none"), "give cg, adjoint or gridding"),
    };
    let mut figures = BTreeMap::new();
    let of_end =
        done.worst().map(|worst| [("iterations", worst.iterations as f64), ("residual", worst.residual)]);
    figures.extend(of_end.into_iter().flatten());
    figures.extend(done.lambda.map(|lambda| ("lambda", lambda)));
    figures.extend(done.misfit.map(|misfit| ("misfit", misfit)));
    figures.extend(done.misfit_resolution.map(|resolution| ("misfit_resolution", resolution)));
    figures.extend(done.misfit_of_noise.map(|noise| ("misfit_of_noise", noise)));
    let choices = done.choices.iter().map(|choice| match choice {
        ChoiceOutcome::Found => "found",
        ChoiceOutcome::AtLowerEdge => "at lower edge",
        ChoiceOutcome::AtUpperEdge => "at upper edge",
        ChoiceOutcome::NotDetermined => "not determined",
    });
    Ok((done.image.iter().map(|value| value.double()).collect(), figures, choices.collect()))
}

fn interleaved(values: Vec<Complex64>) -> Vec<f64> {
    cast_slice(&values).to_vec()
}

/// Reconstructs an image; data are (channels, samples), sensitivities one map after the other, x fastest.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arrays of Python come one by one")]
pub(crate) fn reconstruct<'py>(
    py: Python<'py>,
    call: &Call,
    data: PyReadonlyArray2<'py, Complex64>,
    samples: PyReadonlyArray2<'py, f64>,
    shape: [usize; 3],
    sensitivities: Option<PyReadonlyArray1<'py, Complex64>>,
    sample_weights: Option<PyReadonlyArray1<'py, Complex64>>,
    anatomy: Option<PyReadonlyArray1<'py, f32>>,
    density: Option<PyReadonlyArray1<'py, f64>>,
    keywords: ReconKeywords,
) -> PyResult<Image<'py>> {
    let complex = |array: &PyReadonlyArray1<'_, Complex64>| array.as_array().to_vec();
    let measured = Measured {
        shape: Shape::new(shape).map_err(raise)?,
        samples: places(&samples)?,
        data: interleaved(data.as_array().iter().copied().collect()),
        sensitivities: sensitivities.as_ref().map(|maps| interleaved(complex(maps))),
        weights: sample_weights
            .as_ref()
            .map(|weights| complex(weights).iter().map(|w| [w.re, w.im]).collect()),
        anatomy: anatomy.map(|anatomy| anatomy.as_array().to_vec()),
        density: density.map(|density| density.as_array().to_vec()),
    };
    let (image, figures, choices) = call.perform(py, |work| {
        if is_single(&keywords.precision)? {
            made::<f32>(measured, &keywords, work)
        } else {
            made::<f64>(measured, &keywords, work)
        }
    })?;
    let image: Vec<Complex64> =
        image.chunks_exact(2).map(|value| Complex64::new(value[0], value[1])).collect();
    Ok((image.into_pyarray(py), figures, choices))
}
