//! The signal model of COMMIT and its response functions.

use crate::diffusivities;
use arcuate_core::{Error, GradientTable, Result};
use arcuate_evaluate::commit::{AxialResponse, Responses, Samples};
use arcuate_model::compartments::{Compartment, GammaRadii, Model, ModelKind, ModelOptions, Weighting};

/// The signal model of COMMIT. Diffusivities are in µm²/ms (1 µm²/ms = 1e-3 mm²/s). If a value is `None`, the
/// default of [`Model::new`] is used.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitModel {
    /// Kind of model, which defines the compartments.
    pub kind: ModelKind,
    /// Axial diffusivity along streamlines. It is also the default of `zeppelin_axial_diffusivity`.
    pub axial_diffusivity: Option<f64>,
    /// Radial diffusivity, perpendicular to streamlines.
    pub radial_diffusivity: Option<f64>,
    /// Axial diffusivity along peaks.
    pub zeppelin_axial_diffusivity: Option<f64>,
    /// Radial diffusivities, perpendicular to peaks. The model has one zeppelin (axially symmetric tensor)
    /// for each value.
    pub radial_diffusivities: Option<Vec<f64>>,
    /// Intra-axonal volume fractions f, as an alternative to `radial_diffusivities`. The model has one
    /// zeppelin for each fraction, with the radial diffusivity d⊥ = d∥ (1 − f) (tortuosity model).
    pub intra_fractions: Option<Vec<f64>>,
    /// Diffusivities of the isotropic compartments (balls).
    pub isotropic_diffusivities: Option<Vec<f64>>,
    /// Cylinder radii, in µm.
    pub radii: Option<Vec<f64>>,
    /// Gamma distributions of cylinder radii, in m.
    pub gamma_radii: Option<Vec<GammaRadii>>,
    /// Pulse separation Δ, pulse duration δ and echo time TE, in ms. They are needed if the gradient table
    /// does not state these times.
    pub pulses: Option<[f64; 3]>,
    /// Step in s/mm². B-values are rounded to multiples of it, so that slightly different b-values form one
    /// shell.
    pub b_step: f64,
}

impl Default for CommitModel {
    /// Creates the stick-zeppelin-ball model.
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
    /// Warns of implausible diffusivities.
    #[doc(hidden)]
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

    /// Returns the compartments of the model.
    ///
    /// # Errors
    /// Returns an error if a value is set that the model of this `kind` does not use.
    #[doc(hidden)]
    pub fn model(&self) -> Result<Model> {
        // Converts µm²/ms to m²/s: 1 µm²/ms is 1e-9 m²/s.
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

    /// Returns the name of each option of the extra-axonal compartments (which are along peaks), and whether
    /// it was set.
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

    /// Adds the pulse timings to the gradient table, if they are set.
    ///
    /// # Errors
    /// Returns an error if the pulse timings are impossible.
    #[doc(hidden)]
    pub fn with_timings(&self, table: GradientTable) -> Result<GradientTable> {
        let Some([separation, duration, echo]) = self.pulses else { return Ok(table) };
        table.with_pulses(1e-3 * separation, 1e-3 * duration, 1e-3 * echo).map_err(|e| {
            let options = "‘big_delta’, ‘small_delta’, ‘echo_time’";
            Error::invalid(options, e.problem().to_owned(), "check the times Δ, δ and TE, which are in ms")
        })
    }

    /// Returns the shell number of each measurement, and the diffusion weighting of each shell.
    ///
    /// # Errors
    /// Returns an error if the b-values do not form shells.
    #[doc(hidden)]
    pub fn shells(&self, table: &GradientTable) -> Result<(Vec<usize>, Vec<Weighting>)> {
        Weighting::shells(table, self.b_step)
    }
}

/// Describes a compartment and its parameters.
pub(super) fn described(compartment: &Compartment) -> String {
    // Diffusivities are shown in µm²/ms, and radii in µm. Rounding removes the numerical error of the unit
    // conversion.
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

/// Computes the response (the signal in each shell) of each compartment of a model. If `with_extra` is false,
/// the compartments along peaks are omitted.
///
/// # Errors
/// Returns an error if a compartment has no signal with this gradient table.
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
