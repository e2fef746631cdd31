//! The deep nuclei of the simulated brain, as surfaces and as labelled voxels.

use crate::anatomy::{Anatomy, NUCLEI, in_ellipsoid};
use crate::bundles::all;
use arcuate_core::{Error, Grid, Labels, Point, Result, Structure, Surface, icosphere};
use nalgebra::Vector3;
use rayon::prelude::*;

/// The structure names of the nuclei in CIFTI-2, and their names and numbers in FreeSurfer. The two nuclei of
/// the left side come first, then those of the right side, each in the order of [`NUCLEI`].
const NAMES: [[(&str, &str, u32); 2]; 2] = [
    [("THALAMUS_LEFT", "Left-Thalamus", 10), ("PUTAMEN_LEFT", "Left-Putamen", 12)],
    [("THALAMUS_RIGHT", "Right-Thalamus", 49), ("PUTAMEN_RIGHT", "Right-Putamen", 51)],
];
/// Number of subdivisions of an icosahedron with 20 triangles. Each subdivision divides every triangle into
/// four. The result has 642 vertices.
const DIVISIONS: usize = 3;

/// A nucleus of deep grey matter of the simulated brain.
#[derive(Debug, Clone)]
pub struct Nucleus {
    /// The CIFTI-2 structure of the nucleus.
    pub structure: Structure,
    /// FreeSurfer's name of the nucleus, such as `Left-Thalamus`.
    pub name: &'static str,
    /// Number of the nucleus in FreeSurfer's segmentations.
    pub label: u32,
    /// The surface of the nucleus in scanner mm (RAS). The surface is closed. Its triangles are
    /// counter-clockwise if seen from outside.
    pub surface: Surface,
}

/// Returns the thalamus and the putamen of the left side, then those of the right side.
pub fn nuclei() -> Result<Vec<Nucleus>> {
    let (directions, triangles) = icosphere(DIVISIONS);
    let mut nuclei = Vec::new();
    for (side, names) in [-1.0, 1.0].into_iter().zip(NAMES) {
        for ((centre, axes), (structure, name, label)) in NUCLEI.into_iter().zip(names) {
            let structure = Structure::of_name(structure).ok_or_else(|| {
                Error::invalid(
                    "nuclei",
                    format!("{structure} is not a brain structure of CIFTI-2"),
                    "give the name of a brain structure of CIFTI-2",
                )
            })?;
            let centre = Vector3::new(side * centre[0], centre[1], centre[2]);
            let place = |d: &[f64; 3]| -> Point {
                (centre + Vector3::from(*d).component_mul(&Vector3::from(axes))).map(|x| x as f32).into()
            };
            let vertices = directions.iter().map(place).collect();
            let surface = Surface::new(vertices, triangles.clone(), Some(structure))?;
            nuclei.push(Nucleus { structure, name, label, surface });
        }
    }
    Ok(nuclei)
}

/// Returns, for each voxel, the FreeSurfer number of the nucleus that fills at least half of the voxel. If no
/// nucleus does, returns 0. The volume is computed from `samples_per_edge`³ points per voxel, as in
/// [`simulate`](crate::simulate).
pub fn nuclei_in_voxels(grid: &Grid, samples_per_edge: usize) -> Result<Labels> {
    let bundles = all();
    let anatomy = Anatomy::new(bundles.iter().map(|bundle| &bundle.tube));
    let offset = |n: usize| (n as f64 + 0.5) / samples_per_edge as f64 - 0.5;
    let samples = samples_per_edge.pow(3);
    let label_of = |voxel: usize| {
        let centre = Vector3::from(grid.centre(voxel));
        let mut counts = [[0; 2]; 2];
        for sample in 0..samples {
            let place = [
                sample % samples_per_edge,
                sample / samples_per_edge % samples_per_edge,
                sample / samples_per_edge.pow(2),
            ];
            let p = centre + Vector3::from(grid.affine().apply_vector(place.map(offset)));
            let mirrored = Vector3::new(p.x.abs(), p.y, p.z);
            if let Some(nucleus) = NUCLEI.iter().position(|&nucleus| in_ellipsoid(mirrored, nucleus))
                && !anatomy.in_ventricle(p)
            {
                counts[usize::from(p.x > 0.0)][nucleus] += 1;
            }
        }
        let filled = |(count, name): (&usize, &(&str, &str, u32))| (2 * count >= samples).then_some(name.2);
        counts.as_flattened().iter().zip(NAMES.as_flattened()).find_map(filled).unwrap_or(0)
    };
    let values = (0..grid.len()).into_par_iter().map(label_of).collect();
    let names = NAMES.as_flattened().iter().map(|&(_, name, label)| (label, name.to_owned())).collect();
    Labels::new(*grid, values, names)
}
