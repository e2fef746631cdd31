//! Writes the simulated tracts as files for other programs. The files are orientation samples of bedpostX,
//! masks in a standard space, and the warps between the diffusion space and this standard space.

use super::brain::{Brain, SAMPLES};
use super::standard::Standard;
use crate::outcome::Outcome;
use arcuate_core::{Affine, Grid, Mask, Volume};
use arcuate_io::{WriteOptions, write_file, write_image};
use arcuate_track::{Mapping, OrientationSource};
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;

/// Writes the folder `x.bedpostX` with its subfolder `xfms`, the folder `protocols`, and the image
/// `seeds.nii.gz` with 91 seed voxels.
pub(super) fn write(brain: &Brain, standard: &Standard, folder: &Path) -> Outcome {
    let options = WriteOptions::default();
    let samples = folder.join("x.bedpostX");
    std::fs::create_dir_all(samples.join("xfms"))?;
    let grid = *brain.mask.grid();
    write_image(&samples.join("nodif_brain_mask.nii.gz"), &brain.mask.to_volume(), &options)?;
    let voxels = brain.mask.indices();
    for number in 0..brain.fibres() {
        let fibres = brain.fibre(number)?;
        let mut volumes = ["th", "ph", "f"].map(|name| (name, Volume::filled(grid, SAMPLES, 0.0f32)));
        for (fibres, &voxel) in fibres.chunks_exact(SAMPLES).zip(&voxels) {
            for (n, fibre) in fibres.iter().enumerate() {
                // The voxel axes of the image are right-handed. FSL then counts x from the right, so the x
                // components of the directions are negated.
                let [x, y, z] = fibre.direction();
                let values = [z.acos(), y.atan2(-x), fibre.fraction()];
                volumes.iter_mut().zip(values).for_each(|((_, volume), v)| volume.voxel_mut(voxel)[n] = v);
            }
        }
        for (name, volume) in volumes {
            let name = format!("merged_{name}{}samples.nii.gz", number + 1);
            write_image(&samples.join(name), &volume, &options)?;
        }
    }
    // A displacement field is stored on the grid of the space from which it maps. The grid of the standard
    // space has voxels of 2 mm here, and the same corner as the grid of the masks.
    let coarse = Grid::new([91, 109, 91], Affine::scaling([2.0; 3], [-89.0, -110.0, -90.0]))?;
    let there = field(&grid, &standard.there, &standard.grid);
    write_image(&samples.join("xfms/standard2diff.nii.gz"), &there?, &options)?;
    let back = field(&coarse, &standard.back, &grid);
    write_image(&samples.join("xfms/diff2standard.nii.gz"), &back?, &options)?;
    let mut list = String::new();
    for bundle in &brain.bundles {
        let tract = folder.join("protocols").join(&bundle.name);
        std::fs::create_dir_all(&tract)?;
        let regions = standard.regions(bundle)?;
        let mask = |name: &str, masks: &[&Mask]| -> Outcome {
            let is_in = |voxel: usize| u8::from(masks.iter().any(|mask| mask.contains(voxel)));
            let volume = Volume::new(standard.grid, 1, (0..standard.grid.len()).map(is_in).collect())?;
            write_image(&tract.join(format!("{name}.nii.gz")), &volume, &options)?;
            Ok(())
        };
        let masks = |regions: &'_ [arcuate_track::Region]| -> Vec<Mask> {
            regions.iter().filter_map(|region| region.mask().cloned()).collect()
        };
        mask("seed", &[&standard.seeds(bundle)?])?;
        for (name, regions) in
            [("target", &regions.waypoints), ("stop", &regions.stop), ("exclude", &regions.avoid)]
        {
            mask(name, &masks(regions).iter().collect::<Vec<_>>())?;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(list, "{} {}", bundle.name, f64::from(bundle.tract.samples) / 1000.0);
    }
    write_file(&folder.join("protocols/structureList"), list)?;
    let middle = voxels[voxels.len() / 2..].iter().take(91);
    let mut seeds = Volume::filled(grid, 1, 0u8);
    middle.for_each(|&voxel| seeds.values_mut()[voxel] = 1);
    write_image(&folder.join("seeds.nii.gz"), &seeds, &options)?;
    Ok(())
}

/// Returns a displacement field in FNIRT's convention on the grid `lattice`. For each voxel of this grid, the
/// displacement leads to the position that the mapping `mapping` gives on the grid `to`. Positions are in mm from
/// the first voxel of each image.
fn field(lattice: &Grid, mapping: &Mapping, to: &Grid) -> Outcome<Volume<f32>> {
    let millimetres = |grid: &Grid, point: [f64; 3]| -> [f64; 3] {
        let (at, sizes) = (grid.inverse().apply(point), grid.voxel_sizes());
        // FSL counts x from the right here, because the voxel axes of the image are right-handed.
        let at = [(grid.shape()[0] - 1) as f64 - at[0], at[1], at[2]];
        std::array::from_fn(|axis| at[axis] * sizes[axis])
    };
    let displacement = |voxel: usize| {
        let point = lattice.centre(voxel);
        let (from, to) = (millimetres(lattice, point), millimetres(to, mapping.apply(point)));
        std::array::from_fn::<f32, 3, _>(|axis| (to[axis] - from[axis]) as f32)
    };
    let values: Vec<f32> = (0..lattice.len()).into_par_iter().flat_map_iter(displacement).collect();
    Ok(Volume::new(*lattice, 3, values)?)
}
