//! For each seed, the number of its streamlines that pass a target region. If seeds are voxels, the result is
//! an image. If they are vertices, it is a file of values at vertices. It is a CIFTI-2 file for seeds from
//! such a file, and a table for points.

use super::outlines::outlines;
use crate::job::Job;
use crate::matrix_elements::{ElementList, ElementsOfPart};
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, Outline, OutputFile};
use crate::stages::tracking::options::Tracking;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::receiver::ReceiverResult;
use crate::stages::tracking::seeds::{SampleSeedNumber, SampleSeeds};
use crate::stages::tracking::{read_points, region_name};
use crate::surface_files::{SurfacePart, file_of_maps};
use arcuate_core::{Error, Mask, Result, SurfaceMap, Volume};
use arcuate_io::{
    CiftiAxis, CiftiWriter, SurfaceReading, WriteOptions, write_file, write_image, write_surface_file,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Counts of all targets.
pub(super) struct TargetCounts<'a> {
    pub(super) tracking: &'a Tracking,
}

impl Product for TargetCounts<'_> {
    fn files(&self) -> Vec<OutputFile> {
        let (seeds, outlines) = (&self.tracking.seeds, outlines(self.tracking));
        self.tracking
            .target_names()
            .iter()
            .flat_map(|target| output_files(seeds, target, &outlines))
            .collect()
    }

    fn check(&self, _: &Job) -> Result<()> {
        if self.tracking.constraints.targets.is_empty() {
            let problem = "target-counts need regions that streamlines may pass";
            return Err(Error::usage("‘products’", problem, "give ‘targets’"));
        }
        self.tracking.seeds.check_counts()?;
        check(&self.tracking.seeds)
    }

    fn open<'a>(&'a self, _: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        Ok(Box::new(OpenCounts { tracking: self.tracking }))
    }
}

struct OpenCounts<'a> {
    tracking: &'a Tracking,
}

impl Open for OpenCounts<'_> {
    fn finish(self: Box<Self>, _: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let Opening { run_inputs, folder, job, .. } = *report.opening;
        let Some(folder) = folder else { return Ok(()) };
        let (seeds, options) = (&self.tracking.seeds, job.image_options());
        for (name, counts) in self.tracking.target_names().iter().zip(&report.tracks.target_hits) {
            let counts = of_voxels(seeds, counts);
            let (listed, mask) = (run_inputs.elements.as_ref(), run_inputs.seed_voxels());
            write(folder, seeds, listed, mask, (name, &counts), &options)?;
        }
        Ok(())
    }
}

/// Returns the number of streamlines that pass a target for each seed voxel. If a voxel contains a grid of
/// seeds, the numbers of these seeds are added.
fn of_voxels(seeds: &SampleSeeds, counts: &[u32]) -> Vec<u32> {
    match seeds.number {
        SampleSeedNumber::Grid(per_axis) => {
            counts.chunks(per_axis.pow(3).max(1)).map(|of_voxel| of_voxel.iter().sum()).collect()
        }
        _ => counts.to_vec(),
    }
}

/// Returns the image of a target.
fn image(target: &str) -> String {
    format!("seeds_to_{target}.nii.gz")
}

fn cifti(target: &str) -> String {
    format!("seeds_to_{target}.dscalar.nii")
}

/// Returns the file name of the table of a target region, for seeds that are points.
fn table(target: &str) -> String {
    format!("seeds_to_{target}.tsv")
}

fn at_vertices(target: &str, surface: &SurfacePart) -> String {
    format!("seeds_to_{target}_{}.shape.gii", name_of(surface))
}

/// Returns the name of the seeds on a surface: the name of the surface, followed by its selected part or
/// label.
fn name_of(surface: &SurfacePart) -> String {
    let name = region_name(surface.path());
    match surface.suffix() {
        Some(suffix) => format!("{name}_{}", region_name(Path::new(&suffix))),
        None => name,
    }
}

/// Returns an error if two surfaces of seeds have the same name. Also returns an error if the vertices have
/// different numbers of streamlines, because their counts could not be compared.
fn check(seeds: &SampleSeeds) -> Result<()> {
    if seeds.are_by_area() {
        let problem =
            "counts of seeds are compared with each other, and vertices have streamlines by their areas";
        return Err(Error::usage(
            "‘seed_number’",
            problem,
            "give ‘per_seed’ instead of ‘seed_number’, or leave out ‘targets’",
        ));
    }
    let mut names = BTreeSet::new();
    match seeds.surfaces.iter().map(name_of).find(|name| !names.insert(name.clone())) {
        Some(name) => {
            let problem = format!(
                "two surfaces have the name `{name}`, so the files of their counts would have the same name"
            );
            Err(Error::usage("‘seed_surfaces’", problem, "give the files different names"))
        }
        None => Ok(()),
    }
}

/// Checks whether there are seeds in voxels: the voxels of a seed mask, or the voxels in which streamlines
/// start if the user selects no seeds.
fn has_image(seeds: &SampleSeeds) -> bool {
    seeds.cifti.is_none() && seeds.points.is_none() && (seeds.mask.is_some() || seeds.surfaces.is_empty())
}

/// Returns the files of a target.
fn output_files(seeds: &SampleSeeds, target: &str, outlines: &[Outline]) -> Vec<OutputFile> {
    let title = format!("Streamlines of each seed that pass {target}");
    let mut files = Vec::new();
    if has_image(seeds) {
        let outlines = outlines.to_vec();
        let map = Map { unit: "streamlines".into(), heat: true, outlines, ..Map::default() };
        files.push(OutputFile::shown(image(target), title.clone(), Kind::Map(map)));
    }
    if seeds.points.is_some() {
        files.push(OutputFile::file(table(target), title.clone()));
    }
    let on = |name: String, surfaces: Vec<&Path>| {
        let surfaces = surfaces.into_iter().map(|path| path.display().to_string().into()).collect();
        let kind = Kind::Vertices { surfaces, quantity: "streamlines".into(), places: Vec::new() };
        OutputFile::shown(name, title.clone(), kind)
    };
    let surfaces = seeds.surfaces.iter();
    files.extend(surfaces.map(|surface| on(at_vertices(target, surface), vec![surface.path()])));
    if let Some(seeds) = &seeds.cifti {
        files.push(on(cifti(target), seeds.surfaces.iter().map(PathBuf::as_path).collect()));
    }
    files
}

/// Writes, for each seed, the number of its streamlines that pass a target region. If `listed` is given, the
/// seeds are these vertices and voxels. If not, they are points or the voxels of `mask`.
fn write(
    folder: &OutputFolder,
    seeds: &SampleSeeds,
    listed: Option<&ElementList>,
    mask: &Mask,
    (target, counts): (&str, &[u32]),
    options: &WriteOptions,
) -> Result<()> {
    if let Some(points) = &seeds.points {
        let rows = read_points(points)?.into_iter().zip(counts);
        let rows = rows.map(|([x, y, z], count)| format!("{x}\t{y}\t{z}\t{count}\n"));
        let text: String = std::iter::once("x\ty\tz\tstreamlines\n".to_owned()).chain(rows).collect();
        return write_file(&folder.file(&table(target)), text);
    }
    let Some(listed) = listed else {
        let volume = volume(mask, &mask.indices(), counts);
        return write_image(&folder.file(&image(target)), &volume, options);
    };
    if seeds.cifti.is_some() {
        let models = CiftiAxis::BrainModels(listed.brain_models()?);
        let maps = CiftiAxis::Scalars(vec![format!("streamlines that pass {target}")]);
        let mut writer = CiftiWriter::create(&folder.file(&cifti(target)), &models, &maps)?;
        counts.iter().try_for_each(|&count| writer.write_row(&[count as f32]))?;
        return writer.finish();
    }
    let mut surfaces = seeds.surfaces.iter();
    let mut rest = counts;
    for part in listed.parts() {
        let (counts, others) = rest.split_at(part.len());
        rest = others;
        match part {
            ElementsOfPart::Voxels { numbers } => {
                write_image(&folder.file(&image(target)), &volume(mask, numbers, counts), options)?;
            }
            ElementsOfPart::Vertices { surface, vertices, .. } => {
                let Some(of) = surfaces.next() else { continue };
                let mut values = vec![0.0; surface.vertices().len()];
                for (&vertex, &count) in vertices.iter().zip(counts) {
                    values[vertex as usize] = count as f32;
                }
                let map = SurfaceMap { name: format!("streamlines that pass {target}"), values };
                let file = file_of_maps(surface.structure(), vec![map]);
                let path = folder.file(&at_vertices(target, of));
                write_surface_file(&path, of.path(), &file, SurfaceReading::default())?;
            }
        }
    }
    Ok(())
}

fn volume(mask: &Mask, voxels: &[usize], counts: &[u32]) -> Volume<f32> {
    let mut volume = Volume::filled(*mask.grid(), 1, 0.0);
    for (&voxel, &count) in voxels.iter().zip(counts) {
        volume.values_mut()[voxel] = count as f32;
    }
    volume
}
