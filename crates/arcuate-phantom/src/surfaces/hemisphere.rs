//! Creates the white and the pial surface of each hemisphere.

use super::level::{Level, MovingMesh};
use super::tetrahedra::{Lattice, Mesh};
use crate::anatomy::{Anatomy, BRAIN, CORTEX, MIDDLE};
use crate::bundles::all;
use crate::truth::{self, Ends};
use arcuate_core::{Point, Result, Structure, Surface};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Distance in mm between neighbouring planes of the cubic lattice on which surfaces are created. Points of
/// the same kind (even or odd) are twice as far apart.
const SPACING: f64 = 1.0;
/// Number of times that a surface is smoothed.
const ROUNDS: usize = 12;
/// Number of steps in which the vertices of the white surface move to the pial surface. After each step, the
/// surface is smoothed once. If vertices crossed a sulcus in one step, the surface would fold.
const STEPS: usize = 18;

/// The white and the pial surface of a hemisphere, in scanner mm (RAS). Both surfaces have the same
/// triangles. Vertices with the same number are the two ends of a path through the cortex.
#[derive(Debug, Clone)]
pub struct Hemisphere {
    /// The boundary of white matter, including the cut surface between the hemispheres. The surface is
    /// closed. Its triangles are counter-clockwise if seen from outside. Ventricles and nuclei are inside the
    /// surface.
    pub white: Surface,
    /// The boundary between cortex and CSF, including the cut surface between the hemispheres.
    pub pial: Surface,
    /// For each vertex, true if it is in the cortex. The other vertices form the medial wall, where the
    /// hemispheres are joined. On the medial wall, the two surfaces coincide.
    pub is_cortex: Vec<bool>,
    /// The region of each vertex: the region at the midpoint between the white and the pial surface. It is a
    /// number of [`Phantom::labels`](crate::Phantom::labels). If the midpoint is in no region, it is 0.
    pub regions: Vec<u32>,
}

/// Returns the surfaces of the left and the right hemisphere. They do not depend on the image grid or on the
/// number of threads.
pub fn hemispheres() -> Result<[Hemisphere; 2]> {
    let bundles = all();
    let anatomy = Anatomy::new(bundles.iter().map(|bundle| &bundle.tube));
    let ends: Vec<Ends> = bundles.iter().map(|bundle| truth::ends(bundle, &anatomy)).collect();
    let region_at = |p: Vector3<f64>| {
        let near = (0..bundles.len()).filter(|&n| bundles[n].tube.is_near(p, Ends::MARGIN));
        truth::region_at(p, &bundles, &ends, near).unwrap_or(0)
    };
    let make = |side: f64, structure: Structure| -> Result<Hemisphere> {
        let (white, pial, is_cortex) = meshes(&anatomy, side, SPACING);
        let regions = (0..is_cortex.len())
            .into_par_iter()
            .map(|n| if is_cortex[n] { region_at((white.vertices[n] + pial.vertices[n]) / 2.0) } else { 0 })
            .collect();
        let surface = |mesh: Mesh| {
            let vertices = mesh.vertices.into_iter().map(|p| -> Point { p.map(|x| x as f32).into() });
            Surface::new(vertices.collect(), mesh.triangles, Some(structure))
        };
        Ok(Hemisphere { white: surface(white)?, pial: surface(pial)?, is_cortex, regions })
    };
    Ok([make(-1.0, Structure::CORTEX_LEFT)?, make(1.0, Structure::CORTEX_RIGHT)?])
}

/// Returns the white and the pial surface on one side of the brain. `side` is −1 for the left and 1 for the
/// right side. Also returns, for each vertex, whether it is in the cortex. Neighbouring planes of the cubic
/// lattice are `spacing` mm apart.
pub(super) fn meshes(anatomy: &Anatomy, side: f64, spacing: f64) -> (Mesh, Mesh, Vec<bool>) {
    let under_cortex = |p: Vector3<f64>| anatomy.depth(p) - CORTEX;
    let from_cut = |p: Vector3<f64>| side * p.x - MIDDLE;
    let white = |p: Vector3<f64>| under_cortex(p).min(from_cut(p));

    // The cut surface between the hemispheres is midway between two planes of the cubic lattice. The
    // outermost lattice points are outside the brain.
    let [right, front, up] = BRAIN;
    let shape = [right, 2.0 * front, 2.0 * up].map(|extent| (extent / spacing).ceil() as usize + 4);
    let lattice = Lattice {
        origin: Vector3::new(side * (MIDDLE - 1.5 * spacing), -front - 1.37 * spacing, -up - 1.61 * spacing),
        step: Vector3::new(side * spacing, spacing, spacing),
        shape,
    };
    let mesh = lattice.surface(white);
    let everywhere = |p: Vector3<f64>| p;
    let all = vec![true; mesh.vertices.len()];
    let mut mesh = MovingMesh::new(mesh);
    for _ in 0..ROUNDS {
        mesh.relax(&Level { value: &white, within: &everywhere, vertices: &all });
    }
    let is_cortex: Vec<bool> = mesh.vertices().iter().map(|&p| under_cortex(p) <= from_cut(p)).collect();
    let white_mesh = mesh.into_mesh();

    let mut mesh = MovingMesh::new(white_mesh.clone());
    // A point on the other side of the cut surface between the hemispheres is moved onto the cut surface.
    let within = |p: Vector3<f64>| Vector3::new(side * (side * p.x).max(MIDDLE), p.y, p.z);
    for step in 1..=STEPS {
        let depth = CORTEX * (1.0 - step as f64 / STEPS as f64);
        let value = |p: Vector3<f64>| anatomy.depth(within(p)) - depth;
        let level = Level { value: &value, within: &within, vertices: &is_cortex };
        let rounds = if step == STEPS { ROUNDS } else { 1 };
        for _ in 0..rounds {
            mesh.move_to(&level, |p| anatomy.outwards(within(p)));
            mesh.relax(&level);
        }
    }
    (white_mesh, mesh.into_mesh(), is_cortex)
}
