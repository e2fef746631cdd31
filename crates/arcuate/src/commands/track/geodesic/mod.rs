//! `arcuate track geodesic`.

mod args;
mod output;

use super::constraints::ConstraintArgs;
use super::spaces::SpaceArgs;
use crate::context::Context;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::progress;
use crate::record::{self, Record};
use crate::references;
use crate::stage_command::StageCommand;
use crate::tensor_order::{TensorOrderArg, check_tensors, read_tensor};
use arcuate_core::{Error, Grid, Result};
use arcuate_model::tensor_maps;
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::mask_space;
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::run::RAYS;
use arcuate_pipeline::stages::tracking::{grid_of, region_name, region_on};
use arcuate_track::{
    Connections, Drift, GeodesicOptions, Geodesics, JudgedBy, Repairs, Seeds, TargetSummary, Targets,
    TrackSummary,
};
use args::{ConnectionArgs, EndArgs, RayArgs, SeedArgs};
use clap::Args;
use output::{Measures, RayWriter};
use std::path::{Path, PathBuf};

const REFERENCES: &[&str] = &[
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

/// Shortest paths through diffusion tensors: the connections between regions, or every ray
///
/// Where tensors are long, ways are short: rays are geodesics of the metric D⁻¹. With --targets writes connections.trx (those
/// that reach a target, cut there, strongest first, a group for each target) and connections.tsv (rank, target, connectivity
/// measure, length, drift of each); with --all rays.trx. Streamlines have dpv/cm and dps/cm (the connectivity measure,
/// length over geodesic length: up to each point, and of the whole), dps/length (mm) and dps/drift (how far the ray's
/// energy strays, relative). fa.nii.gz is what the report shows them before. The same seeds give the same rays at any
/// number of threads, and on GPUs.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct TrackGeodesic {
    /// Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    tensor: PathBuf,
    /// Order and axes of the tensor image's six volumes
    #[arg(long, value_enum, default_value_t = TensorOrderArg::Arcuate)]
    tensor_order: TensorOrderArg,
    /// Where the result goes; a folder
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    connections: ConnectionArgs,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    rays: RayArgs,
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
}

impl TrackGeodesic {
    /// Whether anything is drawn at random.
    pub(super) fn draws(&self) -> bool {
        self.seeds.are_random()
    }

    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let regions = self
            .seeds
            .files()
            .chain(&self.ends.mask)
            .chain(&self.connections.targets)
            .chain(self.spaces.files())
            .map(PathBuf::as_path)
            .chain(self.constraints.files().map(RegionFile::path));
        std::iter::once(self.tensor.as_path()).chain(regions).map(Path::to_owned).collect()
    }

    fn output_files(&self) -> Vec<OutputFile> {
        output::output_files(self.connections.all)
    }

    /// The options of the library for tensors on `grid`, checked, without the mask.
    fn options(&self, grid: &Grid, context: &Context) -> Result<GeodesicOptions> {
        let options = args::options(&self.rays, &self.ends, !self.connections.all, context)?;
        options.check(grid)?;
        Ok(options)
    }

    /// The regions to reach, by the names of their files.
    fn targets(&self, grid: &Grid) -> Result<Targets> {
        let mut masks = Vec::new();
        for path in &self.connections.targets {
            let name = region_name(path);
            if masks.iter().any(|(known, _)| *known == name) {
                let problem = format!("two targets are called `{name}`");
                return Err(Error::usage("--targets", problem, "give the files different names"));
            }
            masks.push((name, region_on(path, grid)?));
        }
        Targets::from_masks(masks)
    }

    /// Tells where the data came from, for the errors of the library.
    fn tell_sources(&self, context: &Context) {
        context.came_from("tensor image", &self.tensor.display());
        if let Some(seeds) = self.seeds.files().next() {
            context.came_from("seed mask", &seeds.display());
            context.came_from("seed points", &seeds.display());
        }
    }

    /// Writes every ray; what is known of them is left.
    fn follow_all(
        &self,
        geodesics: &Geodesics<'_>,
        seeds: &Seeds,
        mut writer: RayWriter,
        context: &Context,
    ) -> Result<(TrackSummary, Drift, Measures)> {
        let (summary, drift) =
            context.step("follow the rays", |_| geodesics.all(seeds, &mut writer, &progress::control()))?;
        Ok((summary, drift, writer.finish()?))
    }
}

impl StageCommand for TrackGeodesic {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, context: &Context) -> Result<()> {
        self.connections.selection(&self.seeds)?;
        self.constraints.check()?;
        self.spaces.space().check()?;
        self.options(&grid_of(&self.tensor, context)?, context).map(|_| ())
    }

    fn run(&self, context: &Context) -> Result<()> {
        let selection = self.connections.selection(&self.seeds)?;
        self.constraints.check()?;
        let inputs = self.inputs();
        let folder = OutputFolder::create(&self.out, &self.output_files(), &inputs, context)?;
        let tensor = context.step("read the tensors", |_| read_tensor(&self.tensor, self.tensor_order))?;
        self.tell_sources(context);
        let grid = *tensor.grid();
        let mut options = self.options(&grid, context)?;
        options.mask = self.ends.mask_on(&grid)?;
        let regions = self.constraints.files().map(RegionFile::path);
        let elsewhere: Vec<&Path> = self.seeds.mask().into_iter().chain(regions).collect();
        let transforms = self.spaces.space().transforms_of(&elsewhere, &grid, Some(&self.tensor))?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
        options.constraints = self.constraints.resolve(to_masks.as_ref(), &[], JudgedBy::Whole)?;
        // What becomes of tensors that are no numbers is said with the other repairs.
        check_tensors(&self.tensor, &tensor, options.mask.as_ref(), None)?;
        let fa = tensor_maps(&tensor)?.fa;
        let seeds = self.seeds.resolve(&fa, options.mask.as_ref(), to_field)?;
        let goal = match selection {
            Some(selection) => Some((selection, self.targets(&grid)?)),
            None => None,
        };
        let geodesics =
            context.step("prepare the metric", |_| Geodesics::new(&tensor, &options, context.device()?))?;
        self.warn_of_repairs(geodesics.repairs());

        let mut record = Record::new("Geodesic tracking", self.output_files(), context);
        let (summary, drift, said) = if let Some((selection, targets)) = goal {
            let found = context.step("follow the rays", |_| {
                geodesics.connect(&seeds, &targets, &selection, &progress::control())
            })?;
            output::write_connections(&folder, &found, &grid, context)?;
            output::note_targets(&found, &mut record);
            warn_of_targets(&found);
            (found.summary.clone(), found.drift, describe(&found))
        } else {
            let writer = RayWriter::create(&folder.file(RAYS), &grid, context)?;
            let (summary, drift, measures) = self.follow_all(&geodesics, &seeds, writer, context)?;
            measures.note(&summary.lengths, &mut record);
            let said = format!(
                "{} streamlines of {} from {} seeds",
                summary.streamlines, summary.lengths, summary.seeds
            );
            (summary, drift, vec![said])
        };
        let rays = summary.seeds * options.rays_per_seed() as u64;
        let not_followed = rays - summary.terminated.total();
        self.warn_of_seeds(not_followed, rays);
        self.warn_of_stuck(&summary);
        arcuate_io::write_image(&folder.file(output::FA), &fa, &context.image_options())?;
        record.add_inputs(&inputs, context)?;
        record.choice("step", format!("{} mm", options.step_on(&grid)?));
        record.choice("rays followed by", geodesics.followed_by());
        output::note(&summary, not_followed, &drift, geodesics.repairs(), &mut record);
        let all = "Shortest paths through diffusion tensors were followed from every seed in many directions, and all were kept.";
        let connections = "Shortest paths through diffusion tensors were followed from every seed in many directions, and those \
                           kept that reach a target.";
        record.done(if self.connections.all { all } else { connections });
        record.cite(REFERENCES);
        record.write(folder.path(), context)?;
        for line in said {
            context.say(line);
        }
        Ok(())
    }
}

impl TrackGeodesic {
    fn warn_of_repairs(&self, repairs: &Repairs) {
        if repairs.not_a_number > 0 {
            tracing::warn!(
                "{}: {} of {} tensors hold values that are not numbers; rays pass them as if diffusion were the same in all \
                 directions",
                self.tensor.display(),
                repairs.not_a_number,
                repairs.voxels
            );
        }
        if 2 * repairs.indefinite > repairs.voxels {
            tracing::warn!(
                "{}: {} of {} tensors have an eigenvalue below 0.01 of the mean diffusivity {:.3e} and were replaced; check \
                 --tensor-order, and give a --mask without voxels that spoil the mean",
                self.tensor.display(),
                repairs.indefinite,
                repairs.voxels,
                repairs.mean_diffusivity
            );
        }
    }

    fn warn_of_stuck(&self, summary: &TrackSummary) {
        let (stuck, followed) = (summary.terminated.stuck, summary.terminated.total());
        if 2 * stuck > followed {
            tracing::warn!(
                "{}: {stuck} of {followed} rays got stuck where no step leads on; check the tensors, or sharpen them less",
                self.tensor.display()
            );
        }
    }

    fn warn_of_seeds(&self, not_followed: u64, rays: u64) {
        // Those of voxels that tracking has chosen by itself may well lie below --cutoff.
        if self.seeds.are_chosen() && not_followed > 0 {
            tracing::warn!(
                "{not_followed} of {rays} rays have their seed outside the image, --mask or --cutoff and were not followed"
            );
        }
    }
}

/// Says of each target that no ray reaches how near they came.
fn warn_of_targets(found: &Connections) {
    for target in found.targets.iter().filter(|target| target.reached == 0) {
        let near =
            target.nearest_mm.map_or_else(String::new, |mm| format!(", the nearest comes within {mm:.1} mm"));
        tracing::warn!(
            "{}: no ray reaches it{near}; try more --per-seed or seeds, or a longer --max-length",
            target.name
        );
    }
}

/// A line for each target that was reached.
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
