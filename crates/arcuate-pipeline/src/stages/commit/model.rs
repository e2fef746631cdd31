//! The signal model, and the responses that it makes.

use crate::diffusivities;
use arcuate_core::{Error, GradientTable, Result};
use arcuate_evaluate::commit::{AxialResponse, Responses, Samples};
use arcuate_model::compartments::{Compartment, GammaRadii, Model, ModelKind, ModelOptions, Weighting};

/// The signal model. Diffusivities are in µm²/ms, of which 1 is 1e-3 mm²/s; what is not said is as [`Model::new`] has it.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitModel {
    /// The compartments.
    pub kind: ModelKind,
    /// Diffusivity along streamlines, and along peaks unless said otherwise.
    pub axial_diffusivity: Option<f64>,
    /// Diffusivity across streamlines.
    pub radial_diffusivity: Option<f64>,
    /// Diffusivity along peaks.
    pub zeppelin_axial_diffusivity: Option<f64>,
    /// Diffusivities across peaks, one zeppelin each.
    pub radial_diffusivities: Option<Vec<f64>>,
    /// Instead, by tortuosity: a zeppelin with d⊥ = d∥ (1 − f) for each of these intra-axonal fractions.
    pub intra_fractions: Option<Vec<f64>>,
    /// Diffusivities of the balls.
    pub isotropic_diffusivities: Option<Vec<f64>>,
    /// Radii of the cylinders, in µm.
    pub radii: Option<Vec<f64>>,
    /// Gamma distributions of radii, in m.
    pub gamma_radii: Option<Vec<GammaRadii>>,
    /// Δ, δ and TE in ms, where the gradient table has no timings.
    pub pulses: Option<[f64; 3]>,
    /// Round b-values to multiples of this (s/mm²), so that those which scanners scatter become one shell.
    pub b_step: f64,
}

impl Default for CommitModel {
    /// Sticks, zeppelins and a ball.
    fn default() -> Self {
        Self {
            kind: ModelKind::StickZeppelinBall,
            axial_diffusivity: None,
            radial_diffusivity: None,
            zeppelin_axial_diffusivity: None,
            radial_diffusivities: None,
            intra_fractions: None,
            isotropic_diffusivities: None,
            radii: None,
            gamma_radii: None,
            pulses: None,
            b_step: 0.0,
        }
    }
}

impl CommitModel {
    /// Warns of diffusivities that cannot be.
    pub fn warn_of_diffusivities(&self) {
        let lists = [&self.radial_diffusivities, &self.isotropic_diffusivities].map(|list| list.as_deref());
        let [radial, isotropic] = lists.map(Option::unwrap_or_default);
        for (option, values) in [
            ("‘d_par’", self.axial_diffusivity.as_slice()),
            ("‘d_perp’", self.radial_diffusivity.as_slice()),
            ("‘d_par_zep’", self.zeppelin_axial_diffusivity.as_slice()),
            ("‘d_perps_zep’", radial),
            ("‘d_isos’", isotropic),
        ] {
            for value in values {
                diffusivities::warn_of_option(option, *value);
            }
        }
    }

    /// The compartments.
    ///
    /// # Errors
    /// Where something is said that the kind does not have.
    pub fn model(&self) -> Result<Model> {
        // 1 µm²/ms is 1e-9 m²/s.
        let diffusivity = |d: f64| 1e-9 * d;
        let list = |values: &Option<Vec<f64>>, unit: f64| {
            values.as_ref().map(|values| values.iter().map(|v| unit * v).collect())
        };
        Model::new(
            self.kind,
            &ModelOptions {
                d_par: self.axial_diffusivity.map(diffusivity),
                d_perp: self.radial_diffusivity.map(diffusivity),
                d_par_zep: self.zeppelin_axial_diffusivity.map(diffusivity),
                d_perps_zep: list(&self.radial_diffusivities, 1e-9),
                intra_fractions: self.intra_fractions.clone(),
                d_isos: list(&self.isotropic_diffusivities, 1e-9),
                radii: list(&self.radii, 1e-6),
                gamma_radii: self.gamma_radii.clone(),
            },
        )
    }

    /// The options of compartments along peaks, and whether they were given.
    pub(super) fn given_along_peaks(&self) -> [(&'static str, bool); 3] {
        [
            ("‘d_par_zep’", self.zeppelin_axial_diffusivity.is_some()),
            ("‘d_perps_zep’", self.radial_diffusivities.is_some()),
            ("‘intra_fractions’", self.intra_fractions.is_some()),
        ]
    }

    pub(super) fn has_timings(&self) -> bool {
        self.pulses.is_some()
    }

    /// The table with the timings, where they are given.
    ///
    /// # Errors
    /// Where they cannot be.
    pub fn with_timings(&self, table: GradientTable) -> Result<GradientTable> {
        let Some([separation, duration, echo]) = self.pulses else { return Ok(table) };
        table.with_pulses(1e-3 * separation, 1e-3 * duration, 1e-3 * echo).map_err(|e| {
            let options = "‘big_delta’, ‘small_delta’, ‘echo_time’";
            Error::invalid(options, e.problem().to_owned(), "check the three times, which are in ms")
        })
    }

    /// The shell of each measurement, and the weighting of each shell.
    ///
    /// # Errors
    /// Where b-values have no shells.
    pub fn shells(&self, table: &GradientTable) -> Result<(Vec<usize>, Vec<Weighting>)> {
        Weighting::shells(table, self.b_step)
    }
}

/// A compartment with its numbers, for people.
pub(super) fn described(compartment: &Compartment) -> String {
    // µm²/ms and µm, without the last digits of the change of units.
    let in_unit = |value: f64, unit: f64| (1e6 * value / unit).round() / 1e6;
    let (d, radius) = (|value: f64| in_unit(value, 1e-9), |value: f64| in_unit(value, 1e-6));
    let name = compartment.name();
    match *compartment {
        Compartment::Stick { diffusivity }
        | Compartment::Ball { diffusivity }
        | Compartment::Astrosticks { diffusivity } => format!("{name}, d {} µm²/ms", d(diffusivity)),
        Compartment::Cylinder { diffusivity, radius: r } => {
            format!("{name}, d {} µm²/ms, radius {} µm", d(diffusivity), radius(r))
        }
        Compartment::GammaCylinders { diffusivity, radii } => format!(
            "{name}, d {} µm²/ms, radii of shape {} and scale {} µm",
            d(diffusivity),
            radii.shape,
            radius(radii.scale)
        ),
        Compartment::Zeppelin { parallel, perpendicular } => {
            format!("{name}, d∥ {} and d⊥ {} µm²/ms", d(parallel), d(perpendicular))
        }
        Compartment::Dot => name.to_owned(),
    }
}

/// The responses of a model in an acquisition; those along peaks only with `with_extra`.
///
/// # Errors
/// Where a compartment has no signal in this acquisition.
pub fn responses(
    model: &Model,
    samples: &Samples,
    shells: &[Weighting],
    with_extra: bool,
    demean: bool,
) -> Result<Responses> {
    let axial = |compartments: &[Compartment]| -> Result<Vec<AxialResponse>> {
        let response = |compartment: &Compartment| -> Result<AxialResponse> {
            let shells =
                shells.iter().map(|shell| compartment.attenuation(shell)).collect::<Result<Vec<_>>>()?;
            Ok(Box::new(move |shell, cosine| shells[shell].at(cosine)))
        };
        compartments.iter().map(response).collect()
    };
    let compartments = model.compartments();
    let isotropic = |compartment: &Compartment| -> Result<Vec<f64>> {
        shells.iter().map(|shell| compartment.signal(shell, 1.0)).collect()
    };
    Responses::new(
        samples.directions().to_vec(),
        samples.shells().to_vec(),
        axial(&compartments.intra)?,
        if with_extra { axial(&compartments.extra)? } else { Vec::new() },
        compartments.isotropic.iter().map(isotropic).collect::<Result<_>>()?,
        demean,
    )
    .map_err(|e| Error::invalid("‘model’", e.problem().to_owned(), "check the model and the gradient table"))
}
