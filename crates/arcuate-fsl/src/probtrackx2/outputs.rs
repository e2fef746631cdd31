//! FSL's names of the output files.

use super::inputs::Inputs;
use super::options::{Mode, Request};
use super::rois::{RoiFile, name_of};
use super::seeds::{SeedFiles, SeedPoint};
use crate::environment::ImageFormat;
use arcuate_io::split_ending;
use arcuate_pipeline::output_files::{Kind, Map, OutputFile};

/// Names of the output files of a run. The name of an image has no file name ending, unless its function
/// states otherwise.
pub(super) struct Names<'a> {
    request: &'a Request,
    format: ImageFormat,
}

impl<'a> Names<'a> {
    pub(super) fn new(request: &'a Request, format: ImageFormat) -> Self {
        Self { request, format }
    }

    /// Returns the file name of an image, including its ending.
    pub(super) fn image(&self, name: &str) -> String {
        format!("{name}{}", self.format.ending)
    }

    /// Returns the name of the visit map of a seed point. If `of` is `None`, returns the name of the visit
    /// map of all streamlines.
    pub(super) fn density(&self, of: Option<&SeedPoint>) -> String {
        match of {
            Some(point) => format!("{}_{}", self.request.out, point.words.join("_")),
            None => self.request.out.clone(),
        }
    }

    /// Returns the name of the result on region `n` of the option `--fopd` (counted from 0): the number of
    /// streamlines that pass each of its elements.
    pub(super) fn alternative(&self, files: &[RoiFile], n: usize) -> String {
        let number = if files.len() > 1 { format!("_{}", n + 1) } else { String::new() };
        format!("{}_alt{number}", self.request.out)
    }

    /// Returns the name of the file with mean path lengths that belongs to the result `name`.
    pub(super) fn lengths(name: &str) -> String {
        match split_ending(name, &[".dot"]) {
            Some((stem, _)) => format!("{stem}_lengths.dot"),
            None => format!("{name}_lengths"),
        }
    }

    /// Returns the name of a result on the seed region `n`: for each seed, the number of streamlines that
    /// pass the target `target`.
    pub(super) fn to_target(seeds: &[RoiFile], n: usize, target: &str) -> String {
        if seeds.len() > 1 { format!("seeds_{n}_to_{target}") } else { format!("seeds_to_{target}") }
    }

    /// Returns the file name of a result on a region. If the region is an image, the result is an image. If
    /// it is a surface, the file name is `name` with the ending `ending`.
    pub(super) fn on(&self, file: &RoiFile, name: &str, ending: &str) -> String {
        if file.is_image { self.image(name) } else { format!("{name}{ending}") }
    }
}

/// File name ending of a surface with a value for each seed vertex.
pub(super) const SEED_SURFACE: &str = ".asc";
/// File name ending of a surface with the number of streamlines at each vertex of a region of `--fopd`.
pub(super) const ALTERNATIVE_SURFACE: &str = ".gii";

/// Describes all output files except the log.
pub(super) fn output_files(request: &Request, inputs: &Inputs, format: ImageFormat) -> Vec<OutputFile> {
    let names = Names::new(request, format);
    let requested = &request.requested;
    let mut all: Vec<OutputFile> = Vec::new();
    let mut add = |name: String, title: &str| all.push(OutputFile::file(name, title.to_owned()));
    let means = requested.measures.means;
    let (seeds, points): (&[RoiFile], &[SeedPoint]) = match &inputs.seeds {
        SeedFiles::Regions(files) => (files, &[]),
        SeedFiles::Points(points) => (&[], points),
    };
    let whole = usize::from(request.mode != Mode::Simple);
    let densities = std::iter::repeat_n(None, whole).chain(points.iter().map(Some));
    let mut shown = Vec::new();
    for of in densities {
        let name = names.density(of);
        if requested.density {
            let map = Map { unit: "streamlines".into(), heat: true, overlay: true, ..Map::default() };
            let title = "Streamlines that pass each voxel";
            shown.push(OutputFile::shown(names.image(&name), title, Kind::Map(map)));
            if means {
                add(names.image(&Names::lengths(&name)), "Mean length of the ways from the seeds, mm");
            }
        }
        if requested.directions {
            add(names.image(&format!("{name}_localdir")), "Principal direction of the streamlines");
        }
    }
    for (n, file) in inputs.alternative.iter().enumerate() {
        let name = names.alternative(&inputs.alternative, n);
        add(names.on(file, &name, ALTERNATIVE_SURFACE), "Streamlines that pass a region");
        if means {
            let name = Names::lengths(&name);
            add(names.on(file, &name, ALTERNATIVE_SURFACE), "Mean length of the ways to a region, mm");
        }
    }
    if request.mode != Mode::Simple {
        add("waytotal".to_owned(), "Accepted streamlines");
    }
    if request.mode == Mode::Network {
        for name in with_lengths("fdt_network_matrix", means) {
            add(name, "Streamlines between regions");
        }
    }
    if requested.paths {
        add("saved_paths.txt".to_owned(), "Points of the streamlines");
    }
    if let Some(targets) = &requested.targets {
        let target_names: Vec<String> = inputs.targets.iter().map(|file| name_of(&file.path)).collect();
        for target in &target_names {
            for (n, seed) in seeds.iter().enumerate().filter(|_| targets.as_images) {
                let name = Names::to_target(seeds, n, target);
                for name in with_lengths(&name, means) {
                    add(names.on(seed, &name, SEED_SURFACE), "Streamlines of each seed that meet a target");
                }
            }
            if targets.paths {
                add(
                    names.image(&format!("target_paths_{target}")),
                    "Visit map of the streamlines to a \
                    target",
                );
                if requested.directions {
                    let name = format!("target_localdir_{target}");
                    add(names.image(&name), "Principal direction of streamlines to a target");
                }
            }
        }
        if targets.as_text || request.mode == Mode::Simple {
            for name in with_lengths("matrix_seeds_to_all_targets", means) {
                add(name, "Streamlines of seeds that meet targets");
            }
        }
    }
    if requested.matrix1.is_some() {
        dot("fdt_matrix1", means, &mut add);
    }
    if requested.matrix2.is_some() {
        dot("fdt_matrix2", means, &mut add);
        add("tract_space_coords_for_fdt_matrix2".to_owned(), "Coordinates of each column");
        add(names.image("lookup_tractspace_fdt_matrix2"), "Numbers of columns");
    }
    if let Some(matrix) = &requested.matrix3 {
        dot("fdt_matrix3", means, &mut add);
        if matrix.columns.is_some() {
            add("tract_space_coords_for_fdt_matrix3".to_owned(), "Coordinates of each column");
        }
    }
    if requested.matrix4.is_some() {
        for n in 1..=3 {
            add(format!("fdt_matrix4_{n}.mtx"), "Voxels by seeds, with fibres and lengths");
        }
        add("coords_for_fdt_matrix4".to_owned(), "Coordinates of each column");
        add("tract_space_coords_for_fdt_matrix4".to_owned(), "Coordinates of each row");
        add(names.image("lookup_tractspace_fdt_matrix4"), "Numbers of rows");
    }
    shown.extend(all);
    shown
}

/// Returns the name of a result. If `means` is true, also returns the name of the file with its mean path
/// lengths.
pub(super) fn with_lengths(name: &str, means: bool) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(means.then(|| Names::lengths(name))).collect()
}

fn dot(name: &str, means: bool, add: &mut impl FnMut(String, &str)) {
    for name in with_lengths(&format!("{name}.dot"), means) {
        add(name, "A sparse matrix of streamlines");
    }
    add(format!("coords_for_{name}"), "Coordinates of each row");
}
