//! Reconstruction of images from k-space.

use crate::call::{Call, Work};
use crate::errors::raise;
use crate::operators::places;
use arcuate::commands_of_programs::options_of;
use arcuate_core::{self as core, Error};
use arcuate_recon::{
    self as recon, CoilMaps, DensityChoice, Method, Penalty, Reconstruct, Reconstruction, Scan, Settings,
    Shape, Weights,
};
use arcuate_solve::ChoiceOutcome;
use bytemuck::cast_slice;
use numpy::{Complex64, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The measured k-space data and related arrays, as the caller passed them.
struct Measured {
    shape: Shape,
    samples: Vec<[f64; 3]>,
    data: Vec<f64>,
    sensitivities: Option<Vec<f64>>,
    weights: Option<Vec<[f64; 2]>>,
    anatomy: Option<Vec<f32>>,
    density: Option<Vec<f64>>,
    /// Field of view along each axis.
    fov: Option<[f64; 3]>,
}

/// A reconstructed image (x fastest), numbers with their names, and how each search for λ ended.
type Image<'py> = (Bound<'py, PyArray1<Complex64>>, BTreeMap<&'static str, f64>, Vec<&'static str>);

/// A reconstructed image as real numbers (real and imaginary parts alternate), numbers with their names, and
/// how each search for λ ended.
type Made = (Vec<f64>, BTreeMap<&'static str, f64>, Vec<&'static str>);

fn made<T: Reconstruct>(measured: Measured, settings: &Settings, work: &Work<'_>) -> core::Result<Made> {
    let Measured { shape, mut samples, data, sensitivities, weights, anatomy, density, fov } = measured;
    recon::place(&mut samples, settings.unit, shape, fov, &"trajectory", &work.control)?;
    let of = |values: Vec<f64>| values.into_iter().map(T::of).collect::<Vec<T>>();
    let mut scan = Scan::new(shape, samples, of(data))?;
    if let Some(maps) = sensitivities {
        scan = scan.with_coils(CoilMaps::new(shape, of(maps))?)?;
    }
    if let Some(weights) = weights {
        scan = scan.with_weights(Weights::new(weights)?)?;
    }
    let done: Reconstruction<T> = match settings.method {
        Method::Cg => {
            let known = anatomy.map(|values| values.into_iter().map(Some).collect::<Vec<_>>());
            let options = settings.iterative(settings.prior(shape, known.as_deref())?);
            let toeplitz = recon::toeplitz(&scan, None, &work.device()?)?;
            recon::iterate(&scan, &toeplitz, &options, &work.control, |_| {})?
        }
        Method::Adjoint => recon::adjoint(&scan, &work.device()?, &work.control)?,
        Method::Gridding => {
            recon::grid(&scan, &settings.gridding(density.unwrap_or_default()), &work.control)?
        }
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

/// Reconstructs an image from k-space data. `data` has the shape (channels, samples). The sensitivity maps
/// are stored one after the other, each with x fastest.
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
    fov: Option<[f64; 3]>,
    words: Vec<OsString>,
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
        fov,
    };
    let (image, figures, choices) = call.perform(py, |work| {
        let settings: Settings = options_of(words)?;
        settings.check()?;
        // The parser takes an unknown word for the name of a file. There are no files here, so this is an
        // error.
        if settings.density == DensityChoice::Given && measured.density.is_none() {
            let advice = "give pipe-menon, voronoi, none, or a number for each sample";
            return Err(Error::usage(
                "‘density’",
                "this value is not one of the possible values of the keyword",
                advice,
            ));
        }
        if settings.penalty == Penalty::Anatomy && measured.anatomy.is_none() {
            let advice = "give tikhonov, differences, or an array of the anatomy";
            return Err(Error::usage(
                "‘regularise’",
                "this value is not one of the possible values of the keyword",
                advice,
            ));
        }
        if settings.is_double {
            made::<f64>(measured, &settings, work)
        } else {
            made::<f32>(measured, &settings, work)
        }
    })?;
    let image: Vec<Complex64> =
        image.chunks_exact(2).map(|value| Complex64::new(value[0], value[1])).collect();
    Ok((image.into_pyarray(py), figures, choices))
}
