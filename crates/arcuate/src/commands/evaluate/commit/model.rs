//! The signal model: options, and the responses they make.

use crate::diffusivities;
use arcuate_core::{Error, GradientTable, Result};
use arcuate_evaluate::commit::{AxialResponse, Responses, Samples};
use arcuate_model::compartments::{Compartment, GammaRadii, Model, ModelKind, ModelOptions, Weighting};
use clap::Args;

/// Options of the model. Diffusivities are in µm²/ms, of which 1 is 1e-3 mm²/s, radii in µm.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Model")]
pub(super) struct ModelArgs {
    /// Compartments: stick-zeppelin-ball, cylinder-zeppelin-ball, gdr-cylinders (gamma-distributed radii),
    /// ball-and-stick, volume-fractions, scalar-map (a map in place of a series)
    #[arg(long, value_name = "MODEL", default_value = "stick-zeppelin-ball", value_parser = parse_kind)]
    model: ModelKind,
    /// Diffusivity along streamlines (µm²/ms), and along peaks unless said otherwise; 1.7 for sticks, 0.6 for cylinders
    /// by default
    #[arg(long, value_name = "D", value_parser = parse_diffusivity)]
    axial_diffusivity: Option<f64>,
    /// Diffusivity across streamlines (µm²/ms); 0, a stick, by default
    #[arg(long, value_name = "D", value_parser = parse_diffusivity)]
    radial_diffusivity: Option<f64>,
    /// Diffusivity along peaks (µm²/ms); that along streamlines by default
    #[arg(long, value_name = "D", value_parser = parse_diffusivity)]
    zeppelin_axial_diffusivity: Option<f64>,
    /// Diffusivities across peaks (µm²/ms), one zeppelin each; 1.19,0.85,0.51,0.17 by default
    #[arg(long, value_name = "D,D,…", value_delimiter = ',', value_parser = parse_diffusivity)]
    radial_diffusivities: Option<Vec<f64>>,
    /// Instead, by tortuosity: a zeppelin with d⊥ = d∥ (1 − f) for each of these intra-axonal fractions
    #[arg(long, value_name = "F,F,…", value_delimiter = ',', conflicts_with = "radial_diffusivities")]
    intra_fractions: Option<Vec<f64>>,
    /// Diffusivities of the balls (µm²/ms); 3 by default (1.7,3 for ball-and-stick, 2 for cylinders)
    #[arg(long, value_name = "D,D,…", value_delimiter = ',', value_parser = parse_diffusivity)]
    isotropic_diffusivities: Option<Vec<f64>>,
    /// Radii of the cylinders (µm); 0.01 and 20 from 0.5 to 8 by default
    #[arg(long, value_name = "R,R,…", value_delimiter = ',')]
    radii: Option<Vec<f64>>,
    /// Gamma distributions of radii: shape and scale (µm) of each
    #[arg(long, value_name = "K:THETA,…", value_delimiter = ',', value_parser = parse_gamma)]
    gamma_radii: Option<Vec<GammaRadii>>,
    /// Δ, from the start of one gradient pulse to that of the other (ms), where the gradient table has no timings
    #[arg(long, value_name = "MS", requires_all = ["small_delta", "echo_time"])]
    big_delta: Option<f64>,
    /// δ, the length of a gradient pulse (ms)
    #[arg(long, value_name = "MS", requires_all = ["big_delta", "echo_time"])]
    small_delta: Option<f64>,
    /// TE, the echo time (ms)
    #[arg(long, value_name = "MS", requires_all = ["big_delta", "small_delta"])]
    echo_time: Option<f64>,
    /// Round b-values to multiples of this (s/mm²), so that those which scanners scatter become one shell
    #[arg(long, value_name = "B", default_value_t = 0.0)]
    b_step: f64,
}

fn parse_kind(name: &str) -> std::result::Result<ModelKind, String> {
    name.parse().map_err(|_| {
        let names = ModelKind::ALL.map(ModelKind::option_name).join(", ");
        format!("expected one of {names}")
    })
}

/// In µm²/ms. The smallest of tissue are above 0.01: what is below that, and not 0, was meant in mm²/s.
fn parse_diffusivity(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{}` is no number", text.trim()))?;
    if value != 0.0 && value.abs() < 0.01 {
        return Err(format!("{value} is too small: give µm²/ms, 1.7 for 1.7e-3 mm²/s"));
    }
    Ok(value)
}

fn parse_gamma(text: &str) -> std::result::Result<GammaRadii, String> {
    let (shape, scale) = text.split_once(':').ok_or("expected shape and scale (µm), such as 4:0.5")?;
    let number =
        |word: &str| word.trim().parse::<f64>().map_err(|_| format!("`{}` is no number", word.trim()));
    Ok(GammaRadii { shape: number(shape)?, scale: 1e-6 * number(scale)? })
}

impl ModelArgs {
    /// Warns of diffusivities that cannot be.
    pub(super) fn warn_of_diffusivities(&self) {
        let lists = [&self.radial_diffusivities, &self.isotropic_diffusivities].map(|list| list.as_deref());
        let [radial, isotropic] = lists.map(Option::unwrap_or_default);
        for (option, values) in [
            ("--axial-diffusivity", self.axial_diffusivity.as_slice()),
            ("--radial-diffusivity", self.radial_diffusivity.as_slice()),
            ("--zeppelin-axial-diffusivity", self.zeppelin_axial_diffusivity.as_slice()),
            ("--radial-diffusivities", radial),
            ("--isotropic-diffusivities", isotropic),
        ] {
            for value in values {
                diffusivities::warn_of_option(option, *value);
            }
        }
    }

    pub(super) fn model(&self) -> Result<Model> {
        // 1 µm²/ms is 1e-9 m²/s.
        let diffusivity = |d: f64| 1e-9 * d;
        let list = |values: &Option<Vec<f64>>, unit: f64| {
            values.as_ref().map(|values| values.iter().map(|v| unit * v).collect())
        };
        Model::new(
            self.model,
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
            ("--zeppelin-axial-diffusivity", self.zeppelin_axial_diffusivity.is_some()),
            ("--radial-diffusivities", self.radial_diffusivities.is_some()),
            ("--intra-fractions", self.intra_fractions.is_some()),
        ]
    }

    pub(super) fn has_timings(&self) -> bool {
        self.big_delta.is_some()
    }

    /// The table with the timings of the options, where they are given.
    pub(super) fn with_timings(&self, table: GradientTable) -> Result<GradientTable> {
        let (Some(separation), Some(duration), Some(echo)) =
            (self.big_delta, self.small_delta, self.echo_time)
        else {
            return Ok(table);
        };
        table.with_pulses(1e-3 * separation, 1e-3 * duration, 1e-3 * echo).map_err(|e| {
            let options = "--big-delta, --small-delta, --echo-time";
            Error::invalid(options, e.problem().to_owned(), "check the three times, which are in ms")
        })
    }

    /// The shell of each measurement, and the weighting of each shell.
    pub(super) fn shells(&self, table: &GradientTable) -> Result<(Vec<usize>, Vec<Weighting>)> {
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
pub(super) fn responses(
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
    .map_err(|e| Error::invalid("--model", e.problem().to_owned(), "check the model and the gradient table"))
}
