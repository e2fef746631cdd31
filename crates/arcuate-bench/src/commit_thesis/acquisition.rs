//! The simulated acquisition of the COMMIT benchmark, and the response functions of the tissue compartments.

use crate::outcome::Outcome;
use arcuate_core::PulseTiming;
use arcuate_evaluate::commit::{AxialResponse, Responses};
use arcuate_model::compartments::{Attenuation, Compartment, Weighting};
use arcuate_phantom::default_gradients;

/// b-values of the shells, in s/mm².
const SHELLS: [f64; 3] = [1000.0, 2000.0, 3000.0];
/// Timing of the diffusion gradients in s: separation Δ, duration δ, and echo time TE. The values are those
/// of the Human Connectome Project (Sotiropoulos et al. 2013, doi:10.1016/j.neuroimage.2013.05.057).
const SEPARATION: f64 = 43.1e-3;
const DURATION: f64 = 10.6e-3;
const ECHO_TIME: f64 = 89.5e-3;
/// `PARALLEL` is the diffusivity d∥ along the fibre, in m²/s. `FILLED` is the intra-cellular volume fraction
/// that each zeppelin assumes. This fraction determines the diffusivity d⊥ of the zeppelin across the fibre.
const PARALLEL: f64 = 1.7e-9;
const FILLED: [f64; 4] = [0.4, 0.5, 0.6, 0.7];
/// Published diffusivities of the two isotropic compartments (balls), in m²/s.
const ISOTROPIC: [f64; 2] = [3.0e-9, 7.0e-9];

/// Returns the radii of the nine cylinders in m, from 1 to 5 µm.
fn radii() -> impl Iterator<Item = f64> {
    (0..9).map(|n| 1e-6 + 0.5e-6 * f64::from(n))
}

/// Returns the response functions of all compartments for an acquisition with `samples` measurements. A tenth
/// of the measurements are at b = 0. The others are divided among three shells.
pub(super) fn responses(samples: usize) -> Outcome<Responses> {
    if samples < 30 {
        return Err("three shells need 30 samples or more".into());
    }
    let weighted = samples - samples / 10;
    let mut directions = vec![[0.0; 3]; samples - weighted];
    let mut shells = vec![0; directions.len()];
    let mut weightings = vec![Weighting::NONE];
    for (n, &b) in SHELLS.iter().enumerate() {
        let count = weighted * (n + 1) / SHELLS.len() - weighted * n / SHELLS.len();
        directions.extend(&default_gradients(count, b, 1)?.directions()[1..]);
        shells.resize(directions.len(), n + 1);
        let timing = PulseTiming::with_b_value(b, SEPARATION, DURATION, ECHO_TIME)?;
        weightings.push(Weighting { b: b * 1e6, timing: Some(timing) });
    }
    let attenuations = |compartment: Compartment| -> Outcome<Vec<Attenuation>> {
        Ok(weightings.iter().map(|weighting| compartment.attenuation(weighting)).collect::<Result<_, _>>()?)
    };
    let axial = |compartment: Compartment| -> Outcome<AxialResponse> {
        let shells = attenuations(compartment)?;
        Ok(Box::new(move |shell, cosine| shells[shell].at(cosine)))
    };
    let intra = radii()
        .map(|radius| axial(Compartment::Cylinder { diffusivity: PARALLEL, radius }))
        .collect::<Outcome<_>>()?;
    let extra = FILLED
        .iter()
        .map(|&filled| axial(Compartment::tortuous_zeppelin(PARALLEL, filled)?))
        .collect::<Outcome<_>>()?;
    let isotropic = ISOTROPIC
        .map(|diffusivity| -> Outcome<Vec<f64>> {
            Ok(attenuations(Compartment::Ball { diffusivity })?.iter().map(|shell| shell.at(0.0)).collect())
        })
        .into_iter()
        .collect::<Outcome<_>>()?;
    Ok(Responses::new(directions, shells, intra, extra, isotropic, false)?)
}
