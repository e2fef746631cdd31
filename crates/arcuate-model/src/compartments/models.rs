//! Combinations of tissue compartments for COMMIT, with the names and parameters of `dmri-commit`.

use super::{Compartment, GammaRadii};
use arcuate_core::{Error, GradientTable, Result};
use std::str::FromStr;

/// The name of a combination of compartments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelKind {
    /// StickZeppelinBall: sticks or thin zeppelins along streamlines, zeppelins along the peaks (fibre
    /// directions) of a voxel, and balls.
    StickZeppelinBall,
    /// CylinderZeppelinBall: cylinders of several radii along streamlines, zeppelins along the peaks (fibre
    /// directions) of a voxel, and balls.
    CylinderZeppelinBall,
    /// GDRCylinders: cylinders with gamma-distributed radii along streamlines, zeppelins along the peaks
    /// (fibre directions) of a voxel, and balls.
    GdrCylinders,
    /// BallAndStick: sticks along streamlines, and balls.
    BallAndStick,
    /// VolumeFractions: each compartment contributes its volume to every measurement of a voxel, by the same
    /// amount.
    VolumeFractions,
    /// ScalarMap: the data are a scalar map instead of a diffusion signal. Each streamline contributes its
    /// length in a voxel.
    ScalarMap,
}

impl ModelKind {
    /// All combinations of compartments.
    pub const ALL: [Self; 6] = [
        Self::StickZeppelinBall,
        Self::CylinderZeppelinBall,
        Self::GdrCylinders,
        Self::BallAndStick,
        Self::VolumeFractions,
        Self::ScalarMap,
    ];

    /// Returns the name that `dmri-commit` and the COMMIT thesis use for this combination of compartments.
    pub fn name(self) -> &'static str {
        match self {
            Self::StickZeppelinBall => "StickZeppelinBall",
            Self::CylinderZeppelinBall => "CylinderZeppelinBall",
            Self::GdrCylinders => "GDRCylinders",
            Self::BallAndStick => "BallAndStick",
            Self::VolumeFractions => "VolumeFractions",
            Self::ScalarMap => "ScalarMap",
        }
    }

    /// Returns the name that the option `--model` uses for this combination of compartments.
    #[doc(hidden)]
    pub fn option_name(self) -> &'static str {
        match self {
            Self::StickZeppelinBall => "stick-zeppelin-ball",
            Self::CylinderZeppelinBall => "cylinder-zeppelin-ball",
            Self::GdrCylinders => "gdr-cylinders",
            Self::BallAndStick => "ball-and-stick",
            Self::VolumeFractions => "volume-fractions",
            Self::ScalarMap => "scalar-map",
        }
    }
}

impl FromStr for ModelKind {
    type Err = Error;

    /// Parses the name of a combination of compartments, as in `dmri-commit` or as in `--model`. Upper and
    /// lower case are equal.
    fn from_str(name: &str) -> Result<Self> {
        let same = |kind: &Self| {
            kind.name().eq_ignore_ascii_case(name) || kind.option_name().eq_ignore_ascii_case(name)
        };
        Self::ALL.into_iter().find(same).ok_or_else(|| {
            let names = Self::ALL.map(Self::option_name).join(", ");
            Error::usage("‘model’", format!("there is no model `{name}`"), format!("give one of {names}"))
        })
    }
}

/// Parameters of a combination of compartments that the user chooses. [`Model::new`] documents the defaults.
/// Diffusivities are in m²/s, radii in m.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelOptions {
    /// The parallel diffusivity d∥ of sticks and cylinders, in m²/s. If `d_par_zep` is not set, zeppelins
    /// have the same d∥.
    pub d_par: Option<f64>,
    /// The diffusivity d⊥ of sticks.
    pub d_perp: Option<f64>,
    /// The diffusivity d∥ of zeppelins.
    pub d_par_zep: Option<f64>,
    /// The diffusivity d⊥ of each zeppelin. An empty list omits the extra-axonal compartment.
    pub d_perps_zep: Option<Vec<f64>>,
    /// Intra-axonal volume fractions f, as an alternative to `d_perps_zep`. Each fraction adds a zeppelin
    /// with the perpendicular diffusivity d⊥ = d∥(1 − f), by the tortuosity model.
    pub intra_fractions: Option<Vec<f64>>,
    /// The diffusivity d of each ball. An empty list omits the isotropic compartment.
    pub d_isos: Option<Vec<f64>>,
    /// The radius of each cylinder.
    pub radii: Option<Vec<f64>>,
    /// The gamma distribution of the cylinder radii of each intra-axonal compartment.
    pub gamma_radii: Option<Vec<GammaRadii>>,
}

impl ModelOptions {
    /// Returns the name of each option on the command line, and whether the user set the option.
    fn given(&self) -> [(&'static str, bool); 8] {
        [
            ("‘d_par’", self.d_par.is_some()),
            ("‘d_perp’", self.d_perp.is_some()),
            ("‘d_par_zep’", self.d_par_zep.is_some()),
            ("‘d_perps_zep’", self.d_perps_zep.is_some()),
            ("‘intra_fractions’", self.intra_fractions.is_some()),
            ("‘d_isos’", self.d_isos.is_some()),
            ("‘radii’", self.radii.is_some()),
            ("‘gamma_radii’", self.gamma_radii.is_some()),
        ]
    }
}

/// The compartments of a model. `intra` compartments contribute a signal per mm of streamline, `extra`
/// compartments a signal per peak (fibre direction) of a voxel, and `isotropic` compartments a signal per
/// voxel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compartments {
    /// Compartments along streamlines. The list is never empty.
    pub intra: Vec<Compartment>,
    /// Compartments along the peaks of a voxel.
    pub extra: Vec<Compartment>,
    /// Isotropic compartments, each present once per voxel. [`Compartment::is_isotropic`] is true for all of
    /// them.
    pub isotropic: Vec<Compartment>,
}

/// A combination of compartments with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    kind: ModelKind,
    compartments: Compartments,
}

impl Model {
    /// Creates the model from the user's parameters. The following table has the values of parameters that
    /// the user did not set, with diffusivities in mm²/s and radii in µm:
    ///
    /// | | d∥ | d⊥ of zeppelins | d of balls | |
    /// |---|---|---|---|---|
    /// | StickZeppelinBall | 1.7e-3 | 0.51e-3 | 0.8e-3, 3.0e-3 | d⊥ of sticks 0 |
    /// | CylinderZeppelinBall | 0.6e-3 | 1.19e-3, 0.85e-3, 0.51e-3, 0.17e-3 | 2.0e-3 | radii 0.01 and 20 from 0.5 to 8 |
    /// | GDRCylinders | 0.6e-3 | the same | 2.0e-3 | distributions must be given |
    /// | BallAndStick | 1.7e-3 | | 1.7e-3, 3.0e-3 | |
    ///
    /// The zeppelin of StickZeppelinBall has the diffusivities of the examples in the COMMIT papers. The
    /// balls of StickZeppelinBall represent grey matter and CSF. `dmri-commit` 2.4 uses zeppelins with d⊥
    /// down to 0.17e-3 mm²/s by default. The narrowest of these zeppelins explains signal of streamlines, and
    /// the solver then needs three times as many iterations. The defaults of CylinderZeppelinBall are those
    /// of `dmri-commit` (`help(commit.models)`), for fixed tissue. `dmri-commit` does not have GDRCylinders
    /// and BallAndStick. GDRCylinders uses the defaults of CylinderZeppelinBall, and BallAndStick uses the
    /// diffusivities of the examples in the COMMIT papers.
    ///
    /// Returns an error if an option does not apply to the model, or if [`Compartment::check`] rejects a
    /// parameter. Also returns an error if the model has no intra-axonal compartment.
    pub fn new(kind: ModelKind, options: &ModelOptions) -> Result<Self> {
        let usable: &[&str] = match kind {
            ModelKind::StickZeppelinBall => {
                &["‘d_par’", "‘d_perp’", "‘d_par_zep’", "‘d_perps_zep’", "‘intra_fractions’", "‘d_isos’"]
            }
            ModelKind::CylinderZeppelinBall => {
                &["‘d_par’", "‘d_perps_zep’", "‘intra_fractions’", "‘d_isos’", "‘radii’"]
            }
            ModelKind::GdrCylinders => {
                &["‘d_par’", "‘d_perps_zep’", "‘intra_fractions’", "‘d_isos’", "‘gamma_radii’"]
            }
            ModelKind::BallAndStick => &["‘d_par’", "‘d_isos’"],
            ModelKind::VolumeFractions | ModelKind::ScalarMap => &[],
        };
        for (option, given) in options.given() {
            if given && !usable.contains(&option) {
                let problem = format!("the model {} does not have this parameter", kind.option_name());
                return Err(Error::usage(
                    option,
                    problem,
                    "leave out this option, or choose another ‘model’",
                ));
            }
        }
        let dot = || vec![Compartment::Dot];
        let d_par = |default| options.d_par.unwrap_or(default);
        let balls = |default: &[f64]| -> Vec<Compartment> {
            let diffusivities = options.d_isos.as_deref().unwrap_or(default);
            diffusivities.iter().map(|&diffusivity| Compartment::Ball { diffusivity }).collect()
        };
        let compartments = match kind {
            ModelKind::StickZeppelinBall => {
                let parallel = d_par(1.7e-9);
                let stick = match options.d_perp.unwrap_or(0.0) {
                    0.0 => Compartment::Stick { diffusivity: parallel },
                    perpendicular => Compartment::Zeppelin { parallel, perpendicular },
                };
                let extra = zeppelins(options, options.d_par_zep.unwrap_or(parallel), &[0.51e-9])?;
                Compartments { intra: vec![stick], extra, isotropic: balls(&[0.8e-9, 3.0e-9]) }
            }
            ModelKind::CylinderZeppelinBall => {
                let diffusivity = d_par(0.6e-9);
                let radii = options.radii.clone().unwrap_or_else(|| {
                    let wide = (0..20).map(|n| 0.5e-6 + 7.5e-6 * f64::from(n) / 19.0);
                    std::iter::once(1e-8).chain(wide).collect()
                });
                let intra =
                    radii.into_iter().map(|radius| Compartment::Cylinder { diffusivity, radius }).collect();
                let extra = zeppelins(options, diffusivity, &FIXED_TISSUE)?;
                Compartments { intra, extra, isotropic: balls(&[2.0e-9]) }
            }
            ModelKind::GdrCylinders => {
                let diffusivity = d_par(0.6e-9);
                let radii = options.gamma_radii.as_deref().ok_or_else(|| {
                    let problem = "the model gdr-cylinders needs the distribution of its radii";
                    Error::usage(
                        "‘gamma_radii’",
                        problem,
                        "give the shape and the scale (µm) of the gamma distribution",
                    )
                })?;
                let intra =
                    radii.iter().map(|&radii| Compartment::GammaCylinders { diffusivity, radii }).collect();
                let extra = zeppelins(options, diffusivity, &FIXED_TISSUE)?;
                Compartments { intra, extra, isotropic: balls(&[2.0e-9]) }
            }
            ModelKind::BallAndStick => Compartments {
                intra: vec![Compartment::Stick { diffusivity: d_par(1.7e-9) }],
                extra: Vec::new(),
                isotropic: balls(&[1.7e-9, 3.0e-9]),
            },
            ModelKind::VolumeFractions => Compartments { intra: dot(), extra: dot(), isotropic: dot() },
            ModelKind::ScalarMap => Compartments { intra: dot(), ..Compartments::default() },
        };
        let Compartments { intra, extra, isotropic } = &compartments;
        if intra.is_empty() {
            let option = if kind == ModelKind::GdrCylinders { "‘gamma_radii’" } else { "‘radii’" };
            return Err(Error::usage(option, "the list is empty", "give one at least"));
        }
        for compartment in intra.iter().chain(extra).chain(isotropic) {
            compartment.check()?;
        }
        Ok(Self { kind, compartments })
    }

    /// Returns which combination of compartments the model is.
    pub fn kind(&self) -> ModelKind {
        self.kind
    }

    /// Returns the compartments of the model.
    pub fn compartments(&self) -> &Compartments {
        &self.compartments
    }

    /// Returns whether the model fits one scalar per voxel instead of a diffusion signal. A model that fits
    /// one scalar uses a single measurement with b = 0, whatever the gradient table is.
    pub fn is_scalar(&self) -> bool {
        self.kind == ModelKind::ScalarMap
    }

    /// Returns whether the signal of a compartment depends on the pulses' amplitude |G|, separation Δ and
    /// duration δ, and not only on the b-value.
    pub fn needs_timing(&self) -> bool {
        let Compartments { intra, extra, isotropic } = &self.compartments;
        intra.iter().chain(extra).chain(isotropic).any(Compartment::needs_timing)
    }

    /// Returns an error if the model needs the timing of the gradient pulses, and the gradient table has no
    /// timing.
    pub fn require_timing(&self, table: &GradientTable) -> Result<()> {
        if table.timings().is_some() || !self.needs_timing() {
            return Ok(());
        }
        let problem =
            "the radii of its cylinders show only with |G|, Δ, δ and TE, which the gradient table lacks";
        let advice = "give a Camino scheme of version STEJSKALTANNER, a .prtcl with G (or b), Delta, delta and TE, or \
                      ‘big_delta’, ‘small_delta’ and ‘echo_time’";
        Err(Error::invalid(self.kind.name(), problem, advice))
    }
}

/// Default perpendicular diffusivities d⊥ of the zeppelins in models with cylinders, in m²/s.
const FIXED_TISSUE: [f64; 4] = [1.19e-9, 0.85e-9, 0.51e-9, 0.17e-9];

fn zeppelins(options: &ModelOptions, parallel: f64, default: &[f64]) -> Result<Vec<Compartment>> {
    match (&options.d_perps_zep, &options.intra_fractions) {
        (Some(_), Some(_)) => {
            let problem = "‘d_perps_zep’ says the same in another way";
            Err(Error::usage("‘intra_fractions’", problem, "give one of the two"))
        }
        (None, Some(fractions)) => {
            fractions.iter().map(|&f| Compartment::tortuous_zeppelin(parallel, f)).collect()
        }
        (perpendicular, None) => {
            let perpendicular = perpendicular.as_deref().unwrap_or(default);
            let zeppelin = |&perpendicular: &f64| Compartment::Zeppelin { parallel, perpendicular };
            Ok(perpendicular.iter().map(zeppelin).collect())
        }
    }
}
