//! Parameters of a tracking run in the layout that GPU kernels read: numbers, and tables of candidate
//! directions and arcs.

use super::candidates::{ArcTable, PLACES};
use super::fields::Arcs;
use super::image::FodImage;
use super::kernels::{Anatomy, Harmonics, RunParameters};
use crate::space::flat;
use crate::walk::Walk;
use arcuate_core::narrow;

/// Returns the parameters that all streamlines share.
pub(super) fn run_parameters(walk: &Walk<'_, Arcs<'_>>, seed: u64) -> RunParameters {
    let (arcs, starting_points, limits) = (walk.field, walk.starting_points, &walk.limits);
    let image = arcs.of.image;
    RunParameters {
        seed,
        step: walk.step,
        spread: starting_points.spread,
        to_mm: flat(image.grid().affine()),
        cutoff: arcs.of.cutoff,
        begin: arcs.of.begin,
        shape: image.grid().shape().map(narrow::<i32>),
        voxels: narrow::<u32>(image.voxels()),
        centres: narrow::<u32>(starting_points.centres.len()),
        each: starting_points.each,
        jitter: starting_points.jitter,
        points: limits.points,
        least_steps: limits.steps[0],
        max_steps: limits.steps[1],
    }
}

/// Returns the parameters of the tissues, if tracking is anatomically constrained.
pub(super) fn anatomy(walk: &Walk<'_, Arcs<'_>>) -> Option<Anatomy> {
    let tissues = walk.region_grids.anatomy.as_ref()?;
    Some(Anatomy {
        way: tissues.voxel_mapping.affine,
        shape: tissues.shape,
        back_track: tissues.back_track.into(),
        crop: tissues.crop_at_interface.into(),
        unit: walk.points_in_half_a_voxel.max(1),
    })
}

/// Returns the spherical harmonics of an image.
pub(super) fn harmonics(image: &FodImage) -> Harmonics {
    let (firsts, recurrences) = image.harmonics().numbers();
    Harmonics { firsts, recurrences }
}

/// Returns the maximum number of points of an accepted streamline.
pub(super) fn max_points(run_parameters: &RunParameters) -> usize {
    (2 * run_parameters.points as usize - 1).min(run_parameters.max_steps as usize + 1)
}

/// Returns the tables of directions in a half sphere. Each table contains the x components of all candidates,
/// then y, then z.
pub(super) fn everywhere(arcs: &Arcs<'_>) -> Vec<f32> {
    arcs.of.everywhere.iter().flat_map(|table| table.0.as_flattened()).copied().collect()
}

/// Returns the tables of arcs. For each table and point on an arc, there are the positions of all candidates,
/// then their directions, each ordered by component.
pub(super) fn of_arcs(arcs: &Arcs<'_>) -> Vec<f32> {
    let of_table = |table: &ArcTable| {
        let of_point =
            |k: usize| [table.places[k].0, table.directions[k].0].as_flattened().as_flattened().to_vec();
        (0..PLACES).flat_map(of_point).collect::<Vec<_>>()
    };
    arcs.tables.iter().flat_map(of_table).collect()
}
