//! Geodesic tracking: follows shortest paths through diffusion tensors.

mod field;
mod targets;

use super::propagation::Propagation;
use super::tracking::field::{Field, Source};
use super::tracking::{SampleSeedNumber, Tracking, grid_of, mask_on, require_no_preset};
use super::work::Work;
use crate::job::Job;
use crate::tensor_order::{check_tensors, read_tensor};
use arcuate_core::{Error, Result};
use arcuate_model::TensorOrder;
use arcuate_track::{AtMaxLength, ConstraintUnit, GeodesicOptions, SampleTracks};
use field::Rays;
use std::path::PathBuf;
use targets::targets_of;

pub use field::{seed_voxels, warn_of_rays, warn_of_repairs, warn_of_targets};

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "O'Donnell L, Haker S, Westin CF (2002) New approaches to estimation of white matter connectivity in diffusion tensor \
     MRI: elliptic PDEs and geodesics in a tensor-warped space. doi:10.1007/3-540-45786-0_57",
    "van Aart E, Sepasian N, Jalba A, Vilanova A (2011) CUDA-accelerated geodesic ray-tracing for fiber tracking. \
     doi:10.1155/2011/698908",
    "Sepasian N et al. (2009) Multi-valued geodesic based fiber tracking for diffusion tensor imaging. MICCAI Workshop on \
     Computational Diffusion MRI, 148–158",
    "Astola L, Florack L, ter Haar Romeny B (2007) Measures for pathway analysis in brain white matter using diffusion \
     tensor images (the connectivity measure). doi:10.1007/978-3-540-73273-0_53",
    "Lenglet C et al. (2009) Brain connectivity mapping using Riemannian geometry, control theory, and PDEs. \
     doi:10.1137/070710986",
    "Dormand JR, Prince PJ (1980) A family of embedded Runge-Kutta formulae (--integrator adaptive). \
     doi:10.1016/0771-050X(80)90013-3",
    "Fuster A et al. (2016) Adjugate diffusion tensors for geodesic tractography in white matter (--metric adjugate). \
     doi:10.1007/s10851-015-0586-8",
    "Hao X, Whitaker RT, Fletcher PT (2011) Adaptive Riemannian metrics for improved geodesic tracking of white matter \
     (--metric conformal). doi:10.1007/978-3-642-22092-0_2",
];

/// Geodesic tracking through diffusion tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackGeodesic {
    /// Image of the tensors, in mm²/s.
    pub tensor: PathBuf,
    /// Order and axes of the six volumes of the tensor image.
    pub order: Option<TensorOrder>,
    /// Mask of the voxels to use. Rays stop outside.
    pub mask: Option<PathBuf>,
    /// Options that only geodesic tracking has. The number of streamlines, the regions and the random seed in
    /// this value are ignored, because `tracking` and the job have them.
    pub options: GeodesicOptions,
    /// Options that all tracking methods share. At each seed, one streamline starts for each initial
    /// direction in `options`.
    pub tracking: Tracking,
}

impl Propagation {
    /// Returns the options of geodesic tracking. They are the options of propagation that are set here, and
    /// all other options from `others`.
    #[doc(hidden)]
    pub fn of_rays(&self, others: GeodesicOptions) -> GeodesicOptions {
        GeodesicOptions {
            step_mm: self.step_mm.or(others.step_mm),
            max_angle_degrees: self.max_angle_degrees.or(others.max_angle_degrees),
            fa_cutoff: self.cutoff.or(others.fa_cutoff),
            min_length_mm: self.min_length_mm.or(others.min_length_mm),
            max_length_mm: self.max_length_mm.or(others.max_length_mm),
            at_max_length: self.at_max_length,
            ..others
        }
    }
}

impl TrackGeodesic {
    /// Default maximum length of a streamline, in mm.
    pub const MAX_LENGTH_MM: f64 = 250.0;

    /// Creates geodesic tracking with default options. Streamlines start in all voxels of white matter, along
    /// the principal direction of the tensor.
    pub fn new(tensor: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        let mut tracking = Tracking::new(out, ConstraintUnit::Whole);
        // The seed and the initial direction determine the whole path, so each voxel has only one seed, in
        // its centre.
        tracking.seeds.number = SampleSeedNumber::Each(1);
        Self {
            tensor: tensor.into(),
            order: None,
            mask: None,
            options: GeodesicOptions {
                max_length_mm: Some(Self::MAX_LENGTH_MM),
                ..GeodesicOptions::default()
            },
            tracking,
        }
    }

    /// Returns the options of the tracking algorithm, without the mask.
    fn options(&self, job: &Job) -> GeodesicOptions {
        let options = self.tracking.propagation.of_rays(self.options.clone());
        GeodesicOptions { select: self.tracking.select(), seed: job.random_seed(), ..options }
    }

    /// Returns an error if options contradict each other or have no effect.
    fn check_together(&self) -> Result<()> {
        require_no_preset(self.tracking.preset)?;
        let Tracking { seeds, constraints, connections, propagation, .. } = &self.tracking;
        if constraints.anatomy.is_some() || seeds.interface {
            let problem = "shortest paths do not use tissues";
            return Err(Error::usage(
                "‘five_tissues’",
                problem,
                "leave out this option, or use another kind of tracking than geodesic tracking",
            ));
        }
        if matches!(seeds.number, SampleSeedNumber::Each(each) if each != 1) {
            let problem = "rays from the same place in the same direction are equal";
            return Err(Error::usage("‘per_seed’", problem, "give more ‘directions’"));
        }
        if let Some(minimum) = propagation.seed_cutoff.filter(|minimum| !(0.0..=1.0).contains(minimum)) {
            let problem = format!("the smallest FA of a seed, {minimum}, is not from 0 to 1");
            return Err(Error::usage("‘seed_cutoff’", problem, "give an FA from 0 to 1, such as 0.2"));
        }
        if propagation.seed_cutoff.is_some() && self.tracking.are_seeds_chosen() {
            let problem = "seeds are chosen by another option, which are used in any voxel";
            return Err(Error::usage(
                "‘seed_cutoff’",
                problem,
                "remove ‘seed_cutoff’, or remove the option that gives the seeds",
            ));
        }
        if connections.is_some() && propagation.at_max_length == AtMaxLength::Discard {
            let problem = "a connection ends at its target, before ‘max_length_mm’";
            return Err(Error::usage(
                "‘at_max_length’",
                problem,
                "leave out this option, or keep every ray instead of the connections to targets",
            ));
        }
        Ok(())
    }

    fn read(&self, job: &Job) -> Result<Box<dyn Field>> {
        let tensor = job.step("read the tensors", || read_tensor(&self.tensor, self.order))?;
        let mask = mask_on(self.mask.as_deref(), tensor.grid())?.or_else(|| self.options.mask.clone());
        let options = GeodesicOptions { mask, ..self.options(job) };
        // Tensors that contain NaN are reported later, with the other tensors that are replaced.
        check_tensors(&self.tensor.display(), &tensor, options.mask.as_ref(), None)?;
        let name = self.tensor.display().to_string();
        let least_fa = self.tracking.propagation.seed_cutoff;
        let connections = match &self.tracking.connections {
            Some(requested) => Some((targets_of(requested, tensor.grid())?, requested.selection)),
            None => None,
        };
        Ok(Box::new(Rays::new(name, tensor, options, least_fa, connections)?))
    }

    /// Follows the rays and writes the products.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`]. Also returns an error if every seed is outside the image or the
    /// mask, or has an FA that is too low.
    pub fn run(&self, job: &Job) -> Result<SampleTracks> {
        Work::check(self, job)?;
        let followed = if self.tracking.connections.is_some() {
            " along shortest paths through diffusion tensors, and the strongest connections to each target were kept"
        } else {
            " along shortest paths through diffusion tensors"
        };
        let source = Source {
            title: "Geodesic tracking",
            path: &self.tensor,
            files: std::iter::once(&self.tensor).chain(&self.mask).cloned().collect(),
            references: REFERENCES,
            backdrop: "Fractional anisotropy",
            followed,
            data: &["tensor image"],
            choices: format!("{:?}", Self { tracking: self.tracking.result_options(), ..self.clone() }),
        };
        self.tracking.run(&source, || self.read(job), job)
    }
}

impl Work for TrackGeodesic {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.check_together()?;
        self.tracking.check(job)?;
        self.options(job).check(&grid_of(&self.tensor, job)?)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
