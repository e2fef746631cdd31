//! The options of probabilistic tracking.

use crate::map_format::MapOptions;
use crate::numbers::positive;
use arcuate_core::{Error, Result};
use arcuate_pipeline::cifti_seeds::CiftiSeeds;
use arcuate_pipeline::stages::sampled::{
    Preset, ProductName, Products, SampleMaps, SampleRules, SampleSeedNumber, SampleSeeds,
};
use arcuate_pipeline::surface_files::SurfacePart;
use arcuate_track::{InitialFibre, Jitter, SampleIntegrator};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedArgs {
    /// Mask in whose voxels streamlines begin; [default: all voxels of white matter by --seed-fraction, of peaks all with a peak]
    #[arg(long, value_name = "FILE", conflicts_with = "seed_points")]
    seed_mask: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    seed_points: Option<PathBuf>,
    /// Surfaces at whose vertices streamlines begin, after those of --seed-mask if that is given, too: all vertices, or those of a
    /// label as FILE:LABELS:NAME, or those with a value as FILE:MAP; several with commas, or the option again
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        value_parser = surface_files(),
        conflicts_with_all = ["seed_points", "seed_anywhere"],
        group = "seeds_at_vertices"
    )]
    seed_surfaces: Vec<SurfacePart>,
    /// Begin at the vertices and in the voxels of a CIFTI-2 file, whatever its values, in its order, which --matrix seeds has then;
    /// its vertices lie on the surfaces of --white
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_anywhere"],
        group = "seeds_at_vertices"
    )]
    seed_cifti: Option<PathBuf>,
    /// The surfaces of --seed-cifti's vertices, those of white matter as a rule: one of each hemisphere, with commas or the option
    /// again
    #[arg(long, value_name = "FILES", value_delimiter = ',', requires = "seed_cifti")]
    white: Vec<PathBuf>,
    /// Begin so far below the surfaces, in mm along the inward normals of their vertices
    #[arg(long, value_name = "MM", requires = "seeds_at_vertices", value_parser = positive)]
    seed_depth: Option<f64>,
    /// Streamlines of each seed; [default: 1 of each point, vertex and element, --preset probtrackx: 5000 of each seed]
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    per_seed: Option<u32>,
    /// Number of random seeds; anywhere in the mask, a streamline from each; of surfaces so many at their vertices, by the areas of these
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; [default: 50000 if seeds are drawn and their number is not given]
    #[arg(long, value_name = "N")]
    select: Option<u64>,
    /// Begin anywhere in the seed's voxel instead of at its centre
    #[arg(long, conflicts_with_all = ["seed_radius", "seeds"])]
    seed_anywhere: bool,
    /// Begin anywhere in a ball of this radius about the seed, in mm; 1 by default by protocols
    #[arg(long, value_name = "MM", conflicts_with = "seeds", value_parser = positive)]
    seed_radius: Option<f64>,
}

/// How much of a fibre there must be where streamlines begin, where nothing else says where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
pub(super) struct SeedFraction {
    /// Least fraction of all fibres together (FA of refits) in voxels where streamlines begin without another option of seeds; [default:
    /// 0.2, --preset probtrackx: 0]
    #[arg(long, value_name = "0..1", conflicts_with_all = ["seed_mask", "seed_points", "seed_surfaces", "seed_cifti", "seed_list"])]
    pub(super) seed_fraction: Option<f64>,
}

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
pub(super) struct TrackingArgs {
    /// How a streamline moves along
    #[arg(long, value_enum, default_value_t = IntegratorArg::Euler)]
    integrator: IntegratorArg,
    /// Fibre that streamlines begin along: a number from 1 on, random (of those that count), in-proportion (to their
    /// fractions) or random-of-all; 1 by default, random by protocols
    #[arg(long, value_name = "WHICH", value_parser = initial_fibre)]
    initial_fibre: Option<InitialFibre>,
    /// Go on from each point with the sampled fibre's fraction as the probability
    #[arg(long)]
    fraction_stops: bool,
    /// End streamlines that come back to a place (of five voxels) against their direction there; by protocols always
    #[arg(long)]
    loop_check: bool,
    /// Use the nearest voxel, without interpolation; else one of the voxels around is drawn
    #[arg(long)]
    nearest: bool,
    /// Most steps of a streamline; half of them to each side
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_steps: u32,
    /// Shortest half of a streamline kept, in mm of its steps
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    min_half_length: f64,
    /// Take all numbers of another program that no other option gives
    #[arg(long, value_enum)]
    preset: Option<PresetArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum PresetArg {
    /// FSL's probtrackx2: steps of 0.5 mm, turns up to 78.463°, no minimum length, 5000 streamlines of each seed, --products visits
    Probtrackx,
}

/// What is written.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
pub(super) struct MapArgs {
    /// What is written; [default: streamlines, --preset probtrackx: visits, nothing else with --labels or --matrix]
    #[arg(long, value_name = "PRODUCT,…", value_delimiter = ',', value_enum)]
    products: Vec<ProductArg>,
    /// Add lengths to --products
    #[arg(long, hide = true)]
    lengths: bool,
    /// Lowest share of all accepted streamlines in visits_normalised.nii.gz; [default: 0.005, of a tract by --protocols: 0.001]
    #[arg(long, value_name = "0..1")]
    threshold: Option<f64>,
    /// Add streamlines to --products
    #[arg(long, hide = true)]
    streamlines: bool,
    #[command(flatten)]
    format: MapOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ProductArg {
    /// The accepted streamlines: streamlines.trx
    Streamlines,
    /// How many streamlines pass each voxel: visits.nii.gz, and as a share of all visits_normalised.nii.gz
    Visits,
    /// Mean length of the path from the seed: lengths.nii.gz, and times the visits visits_by_length.nii.gz
    Lengths,
    /// How many streamlines of each seed pass each of --targets: seeds_to_NAME
    TargetCounts,
}

impl ProductArg {
    fn name(self) -> ProductName {
        match self {
            Self::Streamlines => ProductName::Streamlines,
            Self::Visits => ProductName::Visits,
            Self::Lengths => ProductName::Lengths,
            Self::TargetCounts => ProductName::TargetCounts,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    /// One orientation a step
    Euler,
    /// The mean of two, at both ends of a step
    ModifiedEuler,
}

/// Takes surfaces and parts of them.
pub(super) fn surface_files() -> impl TypedValueParser<Value = SurfacePart> {
    let of = |written: PathBuf| match SurfacePart::of(&written) {
        Ok(Some(part)) => Ok(part),
        Ok(None) => Err("it is no surface by its name".to_owned()),
        Err(error) => Err(error.problem().to_owned()),
    };
    PathBufValueParser::new().try_map(of)
}

fn initial_fibre(word: &str) -> std::result::Result<InitialFibre, String> {
    match word {
        "random" => Ok(InitialFibre::Random),
        "in-proportion" => Ok(InitialFibre::InProportion),
        "random-of-all" => Ok(InitialFibre::RandomOfAll),
        _ => match word.parse::<usize>() {
            Ok(number) if number > 0 => Ok(InitialFibre::Number(number - 1)),
            _ => Err("give a number from 1 on, random, in-proportion or random-of-all".into()),
        },
    }
}

impl SeedArgs {
    /// Streamlines of each seed, where that was said.
    pub(super) fn each(&self) -> Option<u32> {
        self.per_seed
    }

    /// How far from the seed streamlines begin, where that was said.
    pub(super) fn jitter(&self) -> Option<Jitter> {
        match self.seed_radius {
            Some(radius) => Some(Jitter::BallMm(radius)),
            None => self.seed_anywhere.then_some(Jitter::Voxel),
        }
    }

    /// The same for the library.
    pub(super) fn seeds(&self) -> SampleSeeds {
        SampleSeeds {
            mask: self.seed_mask.clone(),
            points: self.seed_points.clone(),
            surfaces: self.seed_surfaces.clone(),
            cifti: self.seed_cifti.clone().map(|path| CiftiSeeds { path, surfaces: self.white.clone() }),
            depth_mm: self.seed_depth.unwrap_or(0.0),
            interface: false,
            least_fraction: None,
            number: match (self.per_seed, self.seeds) {
                (Some(each), _) => SampleSeedNumber::Each(each),
                (None, Some(count)) => SampleSeedNumber::Random(count),
                (None, None) => SampleSeedNumber::AsNeeded,
            },
            select: self.select,
            jitter: self.jitter().unwrap_or_default(),
        }
    }
}

impl TrackingArgs {
    /// The same for the library.
    pub(super) fn rules(&self) -> SampleRules {
        self.rules_from(&SampleRules::default())
    }

    /// The same with other defaults.
    pub(super) fn rules_from(&self, defaults: &SampleRules) -> SampleRules {
        SampleRules {
            preset: self.preset.map(|PresetArg::Probtrackx| Preset::Probtrackx).or(defaults.preset),
            integrator: match self.integrator {
                IntegratorArg::Euler => SampleIntegrator::Euler,
                IntegratorArg::ModifiedEuler => SampleIntegrator::ModifiedEuler,
            },
            initial: self.initial_fibre.unwrap_or(defaults.initial),
            fraction_stops: self.fraction_stops,
            loop_check: self.loop_check || defaults.loop_check,
            nearest: self.nearest,
            max_steps: self.max_steps,
            min_half_length_mm: self.min_half_length,
        }
    }
}

impl MapArgs {
    /// The products that were asked for.
    pub(super) fn products(&self) -> Products {
        let listed: BTreeSet<ProductName> = self.products.iter().map(|product| product.name()).collect();
        let added = [(self.lengths, ProductName::Lengths), (self.streamlines, ProductName::Streamlines)];
        Products {
            listed: (!listed.is_empty()).then_some(listed),
            added: added.into_iter().filter(|(is_given, _)| *is_given).map(|(_, product)| product).collect(),
        }
    }

    /// What protocols use: whether lengths are asked for, and the threshold. Fails on products that tracts by protocols do not have.
    pub(super) fn of_protocols(&self) -> Result<(bool, Option<f64>)> {
        let products = self.products();
        let all: BTreeSet<ProductName> =
            products.listed.into_iter().flatten().chain(products.added).collect();
        let others = all.iter().find(|p| !matches!(p, ProductName::Visits | ProductName::Lengths));
        if let Some(other) = others {
            let problem = format!("tracts by --protocols have no {other} of their own");
            return Err(Error::usage("--products", problem, "give visits, or visits,lengths"));
        }
        Ok((all.contains(&ProductName::Lengths), self.threshold))
    }

    /// How maps are written.
    pub(super) fn maps(&self) -> SampleMaps {
        SampleMaps { threshold: self.threshold, format: self.format.given() }
    }
}
