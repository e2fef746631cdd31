//! An acquisition and the responses to it.

use crate::Outcome;
use arcuate_evaluate::commit::{AxialResponse, Responses};
use arcuate_phantom::default_gradients;

/// b-values of the shells, in s/mm².
const SHELLS: [f64; 3] = [1000.0, 2000.0, 3000.0];
/// Δ, δ and TE of the pulses, in s, as in the Human Connectome Project (Sotiropoulos et al. 2013,
/// doi:10.1016/j.neuroimage.2013.05.057).
const SEPARATION: f64 = 43.1e-3;
const DURATION: f64 = 10.6e-3;
/// d∥ in m²/s, and d⊥ of the zeppelins.
const PARALLEL: f64 = 1.7e-9;
const PERPENDICULAR: [f64; 4] = [1.19e-9, 0.85e-9, 0.51e-9, 0.17e-9];
/// Diffusivities of the balls in m²/s.
const ISOTROPIC: [f64; 2] = [1.7e-9, 3.0e-9];

/// Radii of the cylinders in m: nine from 1 to 5 µm.
fn radii() -> impl Iterator<Item = f64> {
    (0..9).map(|n| 1e-6 + 0.5e-6 * f64::from(n))
}

/// Responses to `samples` samples: a tenth without weighting, the rest spread over three shells.
pub(super) fn responses(samples: usize) -> Outcome<Responses> {
    if samples < 30 {
        return Err("three shells need 30 samples or more".into());
    }
    let weighted = samples - samples / 10;
    let mut directions = vec![[0.0; 3]; samples - weighted];
    let mut shells = vec![0; directions.len()];
    let b_values: Vec<f64> = std::iter::once(0.0).chain(SHELLS).map(|b| b * 1e6).collect();
    for (n, &b) in SHELLS.iter().enumerate() {
        let count = weighted * (n + 1) / SHELLS.len() - weighted * n / SHELLS.len();
        directions.extend(&default_gradients(count, b, 1)?.directions()[1..]);
        shells.resize(directions.len(), n + 1);
    }
    let axial = |perpendicular: f64| -> AxialResponse {
        let b_values = b_values.clone();
        Box::new(move |shell, cosine| {
            (-b_values[shell] * (perpendicular + (PARALLEL - perpendicular) * cosine * cosine)).exp()
        })
    };
    // What pulses much longer than R²/d leave of the diffusion across a cylinder (Neuman 1974, doi:10.1063/1.1680931; as
    // b d⊥ in Veraart et al. 2019, doi:10.1002/mrm.27606).
    let across =
        |radius: f64| 7.0 / 48.0 * radius.powi(4) / (PARALLEL * DURATION * (SEPARATION - DURATION / 3.0));
    let intra = radii().map(|radius| axial(across(radius))).collect();
    let extra = PERPENDICULAR.into_iter().map(axial).collect();
    let isotropic = ISOTROPIC.map(|d| b_values.iter().map(|b| (-b * d).exp()).collect()).to_vec();
    Ok(Responses::new(directions, shells, intra, extra, isotropic, false)?)
}
