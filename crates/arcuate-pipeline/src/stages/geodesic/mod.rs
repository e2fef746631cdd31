//! Geodesic tracking: follows shortest paths through diffusion tensors.

mod output;

use super::seeds::{Beginnings, SeedNumber, SeedSource};
use super::tracking::{grid_of, mask_on, region_name, region_on, white_matter};
use super::work::Work;
use crate::constraint_files::ConstraintFiles;
use crate::job::Job;
use crate::mask_space::{self, MaskSpace};
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use crate::run::RAYS;
use crate::tensor_order::{check_tensors, read_tensor};
use arcuate_core::{Error, Grid, Mask, Result, Volume};
use arcuate_io::write_image;
use arcuate_model::{TensorOrder, tensor_maps};
use arcuate_track::{
    Connections, Drift, GeodesicOptions, Geodesics, Jitter, ConstraintUnit, Mapping, Repairs, Seeds, Selection,
    TargetSummary, Targets, TrackSummary,
};
use output::{Measures, RayWriter};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// Minimum FA at a seed if the user does not select seeds.
const LEAST_SEED_FA: f64 = 0.2;

/// Criteria for the rays that are kept.
#[derive(Debug, Clone, PartialEq)]
pub enum KeptRays {
    /// All rays are kept.
    All,
    /// Only rays that reach a region are kept, and they are cut at the region.
    Connections {
        /// Masks of the regions, which must not overlap. Each region has the name of its file.
        targets: Vec<PathBuf>,
        /// Criteria for the rays that are kept among those that reach a region.
        selection: Selection,
    },
}

/// Follows shortest paths through diffusion tensors and writes them to a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackGeodesic {
    /// Image of the tensors, in mm²/s.
    pub tensor: PathBuf,
    /// Order and axes of the six volumes of the tensor image.
    pub order: Option<TensorOrder>,
    /// Mask of the voxels to use, which replaces the mask of `options`. Rays stop outside.
    pub mask: Option<PathBuf>,
    /// Seeds of the rays. They cannot be drawn in proportion to an image.
    pub seeds: SeedSource,
    /// Number of seeds, which cannot be set for points. Default: the centres of voxels.
    pub seed_number: SeedNumber,
    /// Criteria for the rays that are kept.
    pub kept: KeptRays,
    /// Waypoints, exclusion regions and stop regions of rays. Targets to reach are not part of them.
    pub constraints: ConstraintFiles,
    /// Transform between the space of masks and regions and the space of the tensors.
    pub space: MaskSpace,
    /// Options of the tracking algorithm. The regions come from `constraints`, and the random seed from the caller.
    pub options: GeodesicOptions,
    /// Folder of the results.
    pub out: PathBuf,
}

impl TrackGeodesic {
    /// Default maximum length of a ray, in mm.
    pub const MAX_LENGTH_MM: f64 = 250.0;

    /// Creates tracking of all rays from the white matter of a tensor image along principal directions, with default
    /// options.
    pub fn new(tensor: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            tensor: tensor.into(),
            order: None,
            mask: None,
            seeds: SeedSource::default(),
            seed_number: SeedNumber::default(),
            kept: KeptRays::All,
            constraints: ConstraintFiles { judged_by: ConstraintUnit::Whole, ..ConstraintFiles::default() },
            space: MaskSpace::default(),
            options: GeodesicOptions {
                max_length_mm: Some(Self::MAX_LENGTH_MM),
                ..GeodesicOptions::default()
            },
            out: out.into(),
        }
    }

    /// Returns the masks of the regions to reach.
    fn targets(&self) -> &[PathBuf] {
        match &self.kept {
            KeptRays::All => &[],
            KeptRays::Connections { targets, .. } => targets,
        }
    }

    /// Returns the files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let files = self.seeds.file().into_iter().chain(self.mask.as_deref());
        let others = self.targets().iter().chain(self.space.files()).map(PathBuf::as_path);
        let files = files.chain(others).chain(self.constraints.paths());
        std::iter::once(self.tensor.as_path()).chain(files).map(Path::to_owned).collect()
    }

    fn output_files(&self) -> Vec<OutputFile> {
        output::output_files(self.kept == KeptRays::All)
    }

    /// Returns an error if options contradict each other.
    fn check_together(&self) -> Result<()> {
        self.seeds.check(self.seed_number)?;
        if let SeedSource::Weights(image) = &self.seeds {
            let problem = "rays do not begin in proportion to an image";
            return Err(Error::usage(image.display(), problem, "give a mask or points"));
        }
        self.space.check()
    }

    /// Returns the options of the algorithm for tensors on `grid`, checked, without those that come from files.
    fn options(&self, grid: &Grid, job: &Job) -> Result<GeodesicOptions> {
        let options = GeodesicOptions { seed: job.random_seed(), ..self.options.clone() };
        options.check(grid)?;
        Ok(options)
    }

    /// Returns the seeds. By default they are the voxels of white matter. `mapping` maps the space of masks and points
    /// to the space of the tensors.
    fn resolve_seeds(
        &self,
        fa: &Volume<f32>,
        mask: Option<&Mask>,
        mapping: Option<Arc<Mapping>>,
    ) -> Result<Seeds> {
        seeds_of_rays(self.seeds.read()?, self.seed_number, fa, mask, mapping)
    }

    /// Registers the file of each input, so that errors of the algorithm can name it.
    fn tell_sources(&self, job: &Job) {
        job.came_from("tensor image", &self.tensor.display());
        self.seeds.tell_source(job);
    }

    /// Follows the rays and writes the results.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<TrackSummary> {
        self.check_together()?;
        let inputs = self.inputs();
        let folder = OutputFolder::create(&self.out, &self.output_files(), &inputs, job)?;
        let tensor = job.step("read the tensors", || read_tensor(&self.tensor, self.order))?;
        self.tell_sources(job);
        let grid = *tensor.grid();
        let mut options = self.options(&grid, job)?;
        if self.mask.is_some() {
            options.mask = mask_on(self.mask.as_deref(), &grid)?;
        }
        let elsewhere = self.constraints.elsewhere(self.seeds.image());
        let transforms = self.space.transforms_of(&elsewhere, &grid, Some(&self.tensor))?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
        options.constraints = self.constraints.resolve(to_masks.as_ref())?;
        // The treatment of NaN tensors is reported with the other repairs.
        check_tensors(&self.tensor.display(), &tensor, options.mask.as_ref(), None)?;
        let fa = tensor_maps(&tensor)?.fa;
        let seeds = self.resolve_seeds(&fa, options.mask.as_ref(), to_field)?;
        let goal = match &self.kept {
            KeptRays::All => None,
            KeptRays::Connections { targets, selection } => Some((selection, targets_on(targets, &grid)?)),
        };
        let geodesics =
            job.step("prepare the metric", || Geodesics::new(&tensor, &options, job.device()?))?;
        let tensors = self.tensor.display();
        warn_of_repairs(&tensors, geodesics.repairs());

        let mut record = Record::new("Geodesic tracking", self.output_files(), job);
        let (summary, drift, said) = if let Some((selection, targets)) = goal {
            let found = job
                .step("follow the rays", || geodesics.connect(&seeds, &targets, selection, &job.control()))?;
            output::write_connections(&folder, &found, &grid, job)?;
            output::note_targets(&found, &mut record);
            warn_of_targets(&found);
            (found.summary.clone(), found.drift, describe(&found))
        } else {
            let writer = RayWriter::create(&folder.file(RAYS), &grid, job)?;
            let (summary, drift, measures) = follow_all(&geodesics, &seeds, writer, job)?;
            measures.note(&summary.lengths, &mut record);
            let said = format!(
                "{} streamlines of {} from {} seeds",
                summary.streamlines, summary.lengths, summary.seeds
            );
            (summary, drift, vec![said])
        };
        // Default seeds may be below the anisotropy cutoff, so they cause no warning.
        let are_chosen = self.seeds != SeedSource::WhiteMatter;
        let not_followed = warn_of_rays(&tensors, &summary, &options, are_chosen);
        write_image(&folder.file(output::FA), &fa, &job.image_options())?;
        record.add_inputs(&inputs, job)?;
        record.choice("step", format!("{} mm", options.step_on(&grid)?));
        record.choice("rays followed by", geodesics.followed_by());
        output::note(&summary, not_followed, &drift, geodesics.repairs(), &mut record);
        let all = "Shortest paths through diffusion tensors were followed from every seed in many directions, and all were kept.";
        let connections = "Shortest paths through diffusion tensors were followed from every seed in many directions, and those \
                           kept that reach a target.";
        record.done(if self.kept == KeptRays::All { all } else { connections });
        record.cite(REFERENCES);
        record.write(folder.path(), job)?;
        for line in said {
            job.say(&line);
        }
        Ok(summary)
    }
}

impl Work for TrackGeodesic {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.check_together()?;
        self.options(&grid_of(&self.tensor, job)?, job).map(|_| ())
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// Follows and writes every ray. Returns the summary, the drift and the measures of the rays.
fn follow_all(
    geodesics: &Geodesics<'_>,
    seeds: &Seeds,
    mut writer: RayWriter,
    job: &Job,
) -> Result<(TrackSummary, Drift, Measures)> {
    let (summary, drift) =
        job.step("follow the rays", || geodesics.all(seeds, &mut writer, &job.control()))?;
    Ok((summary, drift, writer.finish()?))
}

/// Reads the regions to reach, with the names of their files.
fn targets_on(files: &[PathBuf], grid: &Grid) -> Result<Targets> {
    let mut masks = Vec::new();
    for path in files {
        let name = region_name(path);
        if masks.iter().any(|(known, _)| *known == name) {
            let problem = format!("two targets are called `{name}`");
            return Err(Error::usage("‘targets’", problem, "give the files different names"));
        }
        masks.push((name, region_on(path, grid)?));
    }
    Targets::from_masks(masks)
}

/// Returns the seeds of rays. By default they are the voxels of white matter, found with `fa` and `mask`. `mapping`
/// maps the space of masks and points to the space of the tensors.
///
/// # Errors
/// Returns an error if there is no white matter, or if rays cannot have these seeds.
pub fn seeds_of_rays(
    beginnings: Beginnings,
    number: SeedNumber,
    fa: &Volume<f32>,
    mask: Option<&Mask>,
    mapping: Option<Arc<Mapping>>,
) -> Result<Seeds> {
    let is_anywhere = beginnings == Beginnings::Everywhere;
    let (mask, mapping) = match beginnings {
        Beginnings::Points(points) => {
            return Ok(Seeds::Points { points, mapping, each: 1, jitter: Jitter::None });
        }
        Beginnings::Weights(_) => {
            let problem = "rays do not begin in proportion to an image";
            return Err(Error::usage("‘seed_weights’", problem, "give a mask or points"));
        }
        Beginnings::Interface => {
            let problem = "shortest paths heed no tissues, whose interface it would be";
            return Err(Error::usage("‘seed_interface’", problem, "choose other seeds"));
        }
        Beginnings::Mask(mask) => (mask, mapping),
        Beginnings::Everywhere => (white_matter(fa, mask, LEAST_SEED_FA)?, None),
    };
    if is_anywhere && mask.count() == 0 {
        let problem = format!("no voxel has an FA of {LEAST_SEED_FA} to 1, where rays would begin");
        return Err(Error::invalid("tensor image", problem, "give ‘seed_mask’, or check ‘mask’"));
    }
    Ok(match number {
        SeedNumber::Random(count) => Seeds::Random { mask, mapping, count },
        SeedNumber::Grid(per_axis) => Seeds::Grid { mask, mapping, per_axis },
        SeedNumber::AsNeeded => Seeds::Grid { mask, mapping, per_axis: 1 },
    })
}

/// Warns if tensors were replaced. `tensors` is the name of the tensor image.
pub fn warn_of_repairs(tensors: &dyn Display, repairs: &Repairs) {
    if repairs.not_a_number > 0 {
        tracing::warn!(
            "{tensors}: {} of {} tensors hold values that are not numbers; rays pass them as if diffusion were the same in all \
             directions",
            repairs.not_a_number,
            repairs.voxels
        );
    }
    if 2 * repairs.indefinite > repairs.voxels {
        tracing::warn!(
            "{tensors}: {} of {} tensors have an eigenvalue below 0.01 of the mean diffusivity {:.3e} and were replaced; check \
             ‘tensor_order’, and give a ‘mask’ without voxels that spoil the mean",
            repairs.indefinite,
            repairs.voxels,
            repairs.mean_diffusivity
        );
    }
}

/// Returns the number of rays that were not followed. Warns of such rays if the user selected their seeds, and of rays
/// that got stuck.
pub fn warn_of_rays(
    tensors: &dyn Display,
    summary: &TrackSummary,
    options: &GeodesicOptions,
    are_seeds_chosen: bool,
) -> u64 {
    let rays = summary.seeds * options.rays_per_seed() as u64;
    let (stuck, followed) = (summary.terminated.stuck, summary.terminated.total());
    let not_followed = rays - followed;
    if are_seeds_chosen && not_followed > 0 {
        tracing::warn!(
            "{not_followed} of {rays} rays have their seed outside the image, ‘mask’ or ‘fa_cutoff’ and were not followed"
        );
    }
    if 2 * stuck > followed {
        tracing::warn!(
            "{tensors}: {stuck} of {followed} rays got stuck where no step leads on; check the tensors, or sharpen them less"
        );
    }
    not_followed
}

/// Warns of each target that no ray reaches, with the distance of the nearest ray.
pub fn warn_of_targets(found: &Connections) {
    for target in found.targets.iter().filter(|target| target.reached == 0) {
        let near =
            target.nearest_mm.map_or_else(String::new, |mm| format!(", the nearest comes within {mm:.1} mm"));
        tracing::warn!(
            "{}: no ray reaches it{near}; try more ‘directions’ or seeds, or a longer ‘max_length_mm’",
            target.name
        );
    }
}

/// Returns a message for each target that was reached.
fn describe(found: &Connections) -> Vec<String> {
    let line = |target: &TargetSummary| {
        let strongest = target.strongest?;
        let TargetSummary { name, reached, kept, .. } = target;
        Some(format!(
            "{name}: {reached} rays reach it, {kept} kept, connectivity measure up to {strongest:.3}"
        ))
    };
    found.targets.iter().filter_map(line).collect()
}
