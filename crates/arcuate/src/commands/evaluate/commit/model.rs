//! Options of the COMMIT signal model.

use arcuate_model::compartments::{GammaRadii, ModelKind};
use arcuate_pipeline::stages::commit::CommitModel;
use clap::Args;

/// Options of the model. Diffusivities are in µm²/ms, of which 1 is 1e-3 mm²/s, radii in µm.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Model")]
pub(super) struct ModelArgs {
    /// Signal model: the compartments of streamlines, peaks and voxels
    ///
    /// `gdr-cylinders` has cylinders whose radii have gamma distributions. `scalar-map` explains the values
    /// of --scalar-map instead of a diffusion series.
    #[arg(long, value_name = "MODEL", default_value = "stick-zeppelin-ball", value_parser = parse_kind)]
    model: ModelKind,
    /// Diffusivity along streamlines (intra-axonal compartment), in µm²/ms
    ///
    /// [default: 1.7 for sticks, 0.6 for cylinders]
    #[arg(long, value_name = "D", value_parser = parse_diffusivity)]
    axial_diffusivity: Option<f64>,
    /// Diffusivity across streamlines (intra-axonal compartment), in µm²/ms
    ///
    /// [default: 0, which is a stick]
    #[arg(long, value_name = "D", value_parser = parse_diffusivity)]
    radial_diffusivity: Option<f64>,
    /// Diffusivity along peaks (extra-axonal compartments), in µm²/ms
    ///
    /// [default: the value of --axial-diffusivity]
    #[arg(long, value_name = "D", value_parser = parse_diffusivity)]
    zeppelin_axial_diffusivity: Option<f64>,
    /// Diffusivities across peaks (extra-axonal compartments), in µm²/ms
    ///
    /// Each value gives one zeppelin (compartment with an axially symmetric tensor) per peak. [default: 0.51;
    /// 1.19,0.85,0.51,0.17 for models with cylinders]
    #[arg(long, value_name = "D,D,…", value_delimiter = ',', value_parser = parse_diffusivity)]
    radial_diffusivities: Option<Vec<f64>>,
    /// Intra-axonal fractions f of the extra-axonal compartments (zeppelins)
    ///
    /// Each fraction f gives one zeppelin per peak. Its diffusivity across the peak is d⊥ = d∥ (1 − f), where
    /// d∥ is the diffusivity along the peak. Use this option instead of --radial-diffusivities.
    #[arg(long, value_name = "F,F,…", value_delimiter = ',', conflicts_with = "radial_diffusivities")]
    intra_fractions: Option<Vec<f64>>,
    /// Diffusivities of the balls (isotropic compartments), in µm²/ms
    ///
    /// [default: 0.8,3; 1.7,3 for ball-and-stick; 2 for models with cylinders]
    #[arg(long, value_name = "D,D,…", value_delimiter = ',', value_parser = parse_diffusivity)]
    isotropic_diffusivities: Option<Vec<f64>>,
    /// Radii of the cylinders (intra-axonal compartments), in µm
    ///
    /// [default: 0.01, and 20 radii from 0.5 to 8]
    #[arg(long, value_name = "R,R,…", value_delimiter = ',')]
    radii: Option<Vec<f64>>,
    /// Gamma distributions of the cylinder radii, for --model gdr-cylinders
    ///
    /// K is the shape of a distribution, and THETA its scale in µm. Each distribution gives one intra-axonal
    /// compartment.
    #[arg(long, value_name = "K:THETA,…", value_delimiter = ',', value_parser = parse_gamma)]
    gamma_radii: Option<Vec<GammaRadii>>,
    /// Time Δ between the starts of the two gradient pulses, in ms
    ///
    /// Models with cylinders need this time if the gradient table does not state Δ, the pulse duration δ and
    /// the echo time TE.
    #[arg(long, value_name = "MS", requires_all = ["small_delta", "echo_time"])]
    big_delta: Option<f64>,
    /// Duration δ of each of the two gradient pulses, in ms
    #[arg(long, value_name = "MS", requires_all = ["big_delta", "echo_time"])]
    small_delta: Option<f64>,
    /// Echo time TE of the measurements, in ms
    #[arg(long, value_name = "MS", requires_all = ["big_delta", "small_delta"])]
    echo_time: Option<f64>,
    /// Step to which b-values are rounded, in s/mm²
    ///
    /// Rounding to multiples of this step merges measurements of one shell whose b-values differ slightly.
    /// With the value 0, b-values are not rounded.
    #[arg(long, value_name = "B", default_value_t = 0.0)]
    b_step: f64,
}

fn parse_kind(name: &str) -> std::result::Result<ModelKind, String> {
    name.parse().map_err(|_| {
        let names = ModelKind::ALL.map(ModelKind::option_name).join(", ");
        format!("expected one of {names}")
    })
}

/// Parses a diffusivity in µm²/ms. Diffusivities of tissue are above 0.01, so a smaller value other than 0
/// was probably meant in mm²/s.
fn parse_diffusivity(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{}` is not a number", text.trim()))?;
    if value != 0.0 && value.abs() < 0.01 {
        return Err(format!("{value} is too small: give µm²/ms, 1.7 for 1.7e-3 mm²/s"));
    }
    Ok(value)
}

fn parse_gamma(text: &str) -> std::result::Result<GammaRadii, String> {
    let (shape, scale) = text.split_once(':').ok_or("expected shape and scale (µm), such as 4:0.5")?;
    let number =
        |word: &str| word.trim().parse::<f64>().map_err(|_| format!("`{}` is not a number", word.trim()));
    Ok(GammaRadii { shape: number(shape)?, scale: 1e-6 * number(scale)? })
}

impl ModelArgs {
    /// Converts the options to the type of the library.
    pub(super) fn model(&self) -> CommitModel {
        let pulses = self.big_delta.zip(self.small_delta).zip(self.echo_time);
        CommitModel {
            kind: self.model,
            axial_diffusivity: self.axial_diffusivity,
            radial_diffusivity: self.radial_diffusivity,
            zeppelin_axial_diffusivity: self.zeppelin_axial_diffusivity,
            radial_diffusivities: self.radial_diffusivities.clone(),
            intra_fractions: self.intra_fractions.clone(),
            isotropic_diffusivities: self.isotropic_diffusivities.clone(),
            radii: self.radii.clone(),
            gamma_radii: self.gamma_radii.clone(),
            pulses: pulses.map(|((separation, duration), echo)| [separation, duration, echo]),
            b_step: self.b_step,
        }
    }
}
