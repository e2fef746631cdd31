//! Connectivity blueprint: for each vertex of the cortex, the proportion of its streamlines that belongs to
//! each tract.

use super::folder::Protocol;
use super::tract::ProtocolContext;
use crate::matrix_elements::ElementList;
use crate::space::image_grid;
use crate::surface_files::SurfacePart;
use arcuate_connect::{PassedElements, RowCounter, SeedRows};
use arcuate_core::{Affine, Control, Error, Grid, Mask, MatrixRowSink, Result, Volume};
use arcuate_io::{CiftiAxis, CiftiWriter};
use arcuate_track::{Constraints, Jitter, SampleOutputs, Seeds};
use std::path::{Path, PathBuf};

/// Default number of streamlines of each vertex.
const SAMPLES: u32 = 1000;
/// Maximum edge length, in mm, of the coarse voxels in which streamlines of the cortex and tracts are
/// compared.
const EDGE_MM: f64 = 3.0;

/// The papers to cite.
pub(super) const REFERENCES: &[&str] = &[
    "Mars RB et al. (2018) Whole brain comparative anatomy using connectivity blueprints. doi:10.7554/eLife.35237",
];

/// Densities of all tracts on a grid of coarse voxels. Only voxels that contain a tract are kept.
struct Coarse {
    voxels: Mask,
    /// Mean normalised density of each tract in each kept voxel. The voxels have the order of `voxels`.
    shares: Vec<Vec<f32>>,
}

impl Coarse {
    /// Computes the mean density of each tract in coarse voxels. All tracts must be on the same grid.
    /// Densities below the threshold count as 0.
    fn new(tracts: &[Option<&Volume<f32>>], threshold: f32) -> Result<Self> {
        let Some(first) = tracts.iter().flatten().next() else {
            let problem = "there is no tract whose fractions could be written";
            return Err(Error::invalid(
                "‘blueprint’",
                problem,
                "leave out this option, or check the transforms",
            ));
        };
        let fine = *first.grid();
        if tracts.iter().flatten().any(|tract| !tract.grid().matches(&fine)) {
            return Err(several_grids());
        }
        let (grid, block) = coarse(&fine)?;
        let place = |voxel: usize| {
            let at = fine.coordinates(voxel);
            grid.index(std::array::from_fn(|axis| at[axis] / block[axis]))
        };
        let mut sums = vec![vec![0.0f32; tracts.len()]; grid.len()];
        for (n, tract) in tracts.iter().enumerate() {
            for (voxel, &share) in tract.iter().flat_map(|tract| tract.values()).enumerate() {
                if share > 0.0 && share >= threshold {
                    sums[place(voxel)][n] += share;
                }
            }
        }
        // A coarse voxel is a block of voxels. Blocks at the border of the image have the same size as other
        // blocks, and their voxels outside the image count as 0.
        let count = block.iter().product::<usize>() as f32;
        let is_any = sums.iter().map(|sums| sums.iter().any(|sum| *sum > 0.0)).collect();
        let voxels = Mask::new(grid, is_any)?;
        if voxels.is_empty() {
            let problem = "no tract has streamlines from which its voxels could be known";
            return Err(Error::invalid(
                "‘blueprint’",
                problem,
                "use more streamlines per seed, or remove this option",
            ));
        }
        let shares =
            voxels.indices().into_iter().map(|voxel| sums[voxel].iter().map(|s| s / count).collect());
        Ok(Self { shares: shares.collect(), voxels })
    }
}

/// Returns the grid of coarse voxels, and the number of voxels that a coarse voxel contains along each axis.
fn coarse(fine: &Grid) -> Result<(Grid, [usize; 3])> {
    let sizes = fine.voxel_sizes();
    let block: [usize; 3] = sizes.map(|size| ((EDGE_MM / size + 1e-6).floor() as usize).max(1));
    let shape = std::array::from_fn(|axis| fine.shape()[axis].div_ceil(block[axis]));
    let middle = fine.affine().apply(block.map(|n| 0.5 * (n as f64 - 1.0)));
    let rows = fine.affine().rows();
    let row = |n: usize| {
        let along: [f64; 3] = std::array::from_fn(|axis| rows[n][axis] * block[axis] as f64);
        [along[0], along[1], along[2], middle[n]]
    };
    Ok((Grid::new(shape, Affine::from_rows([row(0), row(1), row(2)])?)?, block))
}

/// Receives the rows of a matrix of vertices × voxels, and multiplies them by the matrix of voxels × tracts.
struct Products<'a> {
    shares: &'a [Vec<f32>],
    tracts: usize,
    /// Proportion of each tract at each vertex; one row for each vertex.
    rows: Vec<f32>,
}

impl MatrixRowSink for Products<'_> {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let mut sums = vec![0.0f64; self.tracts];
        for (&column, &streamlines) in columns.iter().zip(&values[0]) {
            for (sum, &share) in sums.iter_mut().zip(&self.shares[column as usize]) {
                *sum += streamlines * f64::from(share);
            }
        }
        let total: f64 = sums.iter().sum();
        if total > 0.0 {
            let of_vertex = &mut self.rows[row * self.tracts..][..self.tracts];
            of_vertex.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / total) as f32);
        }
        Ok(())
    }
}

/// Returns an error if a surface cannot be read, or if the seed masks of the tracts are on several voxel
/// grids. Without this check, the second error would appear only after all tracts were followed.
pub(super) fn check(surfaces: &[SurfacePart], protocols: &[Protocol]) -> Result<()> {
    ElementList::of_seeds("seeds", None, surfaces)?.brain_models()?;
    let mut grids = protocols.iter().map(|protocol| image_grid(&protocol.lattice));
    let Some(first) = grids.next().transpose()? else { return Ok(()) };
    for grid in grids {
        if !grid?.matches(&first) {
            return Err(several_grids());
        }
    }
    Ok(())
}

fn several_grids() -> Error {
    let problem = "tracts have seeds on several grids, and are compared in the voxels of one";
    Error::invalid("‘blueprint’", problem, "resample the seed masks to one grid")
}

/// Computes and writes the connectivity blueprint (Mars et al. 2018). Streamlines start at the vertices of
/// surfaces in the space of the scan. The matrix of vertices × voxels (number of streamlines) is multiplied
/// by the matrix of voxels × tracts (normalised tract density). Each row of the product is divided by its
/// sum. Returns the number of vertices from which streamlines reach a tract.
pub(super) fn write(
    context: &ProtocolContext<'_>,
    surfaces: &[SurfacePart],
    tracts: &[(&str, Option<&Volume<f32>>)],
    path: &Path,
    control: &Control,
) -> Result<usize> {
    let list = ElementList::of_seeds("seeds", None, surfaces)?;
    let models = CiftiAxis::BrainModels(list.brain_models()?);
    let of_tracts: Vec<Option<&Volume<f32>>> = tracts.iter().map(|(_, tract)| *tract).collect();
    let coarse = Coarse::new(&of_tracts, context.threshold as f32)?;
    let mut voxels = PassedElements::new(context.to_masks.clone());
    voxels.add_voxels(&coarse.voxels)?;
    let points = list.places(0.0);
    let (vertices, each) = (points.len(), context.per_seed.unwrap_or(SAMPLES));
    let rows = vec![0.0; vertices * tracts.len()];
    let mut products = Products { shares: &coarse.shares, tracts: tracts.len(), rows };
    let of_rows = SeedRows { each: u64::from(each), rows: None };
    let step_mm = context.options.step_mm;
    let mut counter = RowCounter::new(&voxels, of_rows, vertices, false, &[], step_mm, &mut products)?;
    let seeds = Seeds::Points { points, mapping: None, each, jitter: Jitter::None };
    let outputs = SampleOutputs { device_sink: Some(&mut counter), ..SampleOutputs::default() };
    let constraints = Constraints { waypoints: Vec::new(), ..context.of_all.clone() };
    context.tracker.track(&seeds, &constraints, &context.options, outputs, control)?;
    counter.finish()?;
    let names = tracts.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut writer = CiftiWriter::create(path, &models, &CiftiAxis::Scalars(names))?;
    let of_vertices = products.rows.chunks_exact(tracts.len());
    let reached = of_vertices.clone().filter(|row| row.iter().any(|share| *share > 0.0)).count();
    of_vertices.into_iter().try_for_each(|row| writer.write_row(row))?;
    writer.finish()?;
    Ok(reached)
}

/// Returns the files of the surfaces, each file once.
pub(super) fn files(surfaces: &[SurfacePart]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for surface in surfaces {
        if !files.iter().any(|known| known == surface.path()) {
            files.push(surface.path().to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voxels_are_merged_and_rows_are_products() {
        let fine = Grid::new([4, 3, 2], Affine::scaling([1.0, 1.5, 4.0], [10.0, 0.0, 0.0])).unwrap();
        let (grid, block) = coarse(&fine).unwrap();
        assert_eq!((grid.shape(), block), ([2, 2, 2], [3, 2, 1]));
        assert_eq!(grid.centre(0), [11.0, 0.75, 0.0]);
        assert_eq!(grid.voxel_sizes(), [3.0, 3.0, 4.0]);
        let tract = |voxels: &[(usize, f32)]| {
            let mut volume = Volume::filled(fine, 1, 0.0f32);
            for &(voxel, share) in voxels {
                volume.values_mut()[voxel] = share;
            }
            volume
        };
        // Voxels 0, 1 and 5 are in coarse voxel 0, and voxel 3 is in coarse voxel 1. The density 0.01 is
        // below the threshold and counts as 0.
        let (one, two) = (tract(&[(0, 0.6), (1, 0.6), (3, 0.3)]), tract(&[(5, 1.2), (3, 0.05), (23, 0.01)]));
        let coarse = Coarse::new(&[Some(&one), None, Some(&two)], 0.04).unwrap();
        assert_eq!(coarse.voxels.indices(), [0, 1]);
        let close = |a: &[f32], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
        assert!(close(&coarse.shares[0], [0.2, 0.0, 0.2]), "{:?}", coarse.shares);
        assert!(close(&coarse.shares[1], [0.05, 0.0, 0.05 / 6.0]), "{:?}", coarse.shares);
        let mut products = Products { shares: &coarse.shares, tracts: 3, rows: vec![0.0; 9] };
        products.take_row(1, &[0, 1], &[vec![3.0, 4.0]]).unwrap();
        // Before the division by the sum of the row, the first tract has the value 3 · 0.2 + 4 · 0.05 = 0.8.
        // The third tract has 3 · 0.2 + 4 · 0.05 / 6.
        let second = 0.6 + 0.2 / 6.0;
        let expected = [0.8 / (0.8 + second), 0.0, second / (0.8 + second)];
        assert!(close(&products.rows[3..6], expected), "{:?}", products.rows);
        assert_eq!([&products.rows[..3], &products.rows[6..]].concat(), [0.0; 6]);
        assert!(Coarse::new(&[None], 0.1).is_err() && Coarse::new(&[Some(&tract(&[]))], 0.1).is_err());
    }
}
