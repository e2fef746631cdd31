//! Creates the true and false streamlines of a layout.

use super::layouts::{LayoutBundle, Scene};
use super::{Connection, FibrePhantomOptions};
use crate::tube::Tube;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Error, Grid, Point, Result, Tractogram, narrow};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Distance between neighbouring points of a streamline in mm.
const STEP: f64 = 0.5;
/// Angle between consecutive streamlines in the cross-section of a bundle, as a fraction of a turn. With this
/// angle, the streamlines cover the cross-section evenly for any number of streamlines, like the seeds of a
/// sunflower (Vogel 1979, doi:10.1016/0025-5564(79)90080-4).
const GOLDEN_TURN: f64 = 0.381_966_011_250_105;

/// Returns the tractogram of a layout, and the list of its connections.
pub(super) fn streamlines(
    scene: &Scene,
    options: &FibrePhantomOptions,
) -> Result<(Tractogram, Vec<Connection>)> {
    if options.streamlines_per_bundle == 0 {
        return Err(Error::usage("streamlines per bundle", "a bundle needs one", "give 1 or more"));
    }
    let (mut tractogram, mut connections) = (Tractogram::new(), Vec::new());
    let mut finish = |tractogram: &mut Tractogram, name: &str, axons: f64, first: usize| {
        let streamlines = first..tractogram.len();
        if !streamlines.is_empty() {
            let members = streamlines.clone().map(narrow::<u32>).collect();
            tractogram.groups.members.insert(name.to_owned(), members);
            connections.push(Connection { name: name.to_owned(), is_true: axons > 0.0, axons, streamlines });
        }
    };
    for (number, course) in scene.courses.iter().enumerate() {
        let is_true = Scene::is_true(course);
        let count =
            if is_true { options.streamlines_per_bundle } else { options.streamlines_per_false_bundle };
        let mut random = Random::new(options.seed, Purpose::Phantom, number as u64);
        let first = tractogram.len();
        let turned = random.uniform();
        for n in 0..count {
            let radius = ((n as f64 + random.uniform()) / count as f64).sqrt();
            let (sin, cos) = (TAU * (turned + n as f64 * GOLDEN_TURN)).sin_cos();
            tractogram.push(&along(course, [radius * cos, radius * sin], &scene.grid));
        }
        finish(&mut tractogram, course.name, course.axons, first);
    }
    let first = tractogram.len();
    for n in 0..options.strays {
        let mut random = Random::new(options.seed, Purpose::Phantom, 1 << 32 | n as u64);
        // A random path that follows a true bundle by chance is rejected.
        let course = std::iter::repeat_with(|| stray(&mut random, &scene.grid))
            .find(|course| part_in_tissue(scene, course) < 0.6)
            .unwrap_or_default();
        tractogram.push(&course);
    }
    finish(&mut tractogram, "strays", 0.0, first);
    Ok((tractogram, connections))
}

/// Returns a streamline of a bundle from one end of the bundle to the other. Points outside the block of
/// tissue are removed.
fn along(course: &LayoutBundle, [u, v]: [f64; 2], grid: &Grid) -> Vec<Point> {
    let steps = (course.tube.end() / STEP).ceil() as usize;
    let at = |n: usize| course.tube.position(course.tube.end() * n as f64 / steps as f64, u, v);
    (0..=steps).map(|n| within(at(n).into(), grid)).collect()
}

/// Returns a smooth path between two random points of the block of tissue. The path passes through a third
/// random point.
fn stray(random: &mut Random, grid: &Grid) -> Vec<Point> {
    let size: [f64; 3] = std::array::from_fn(|axis| grid.voxel_sizes()[axis] * grid.shape()[axis] as f64);
    let mut place = |reach: f64| size.map(|edge| edge * (0.5 + reach * (random.uniform() - 0.5)));
    let (mut from, mut to) = (place(0.9), place(0.9));
    // The distance between the two ends must be at least a third of the edge of the block.
    while (0..3).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f64>().sqrt() < size[0] / 3.0 {
        (from, to) = (place(0.9), place(0.9));
    }
    let aside = place(1.0);
    let middle: [f64; 3] = std::array::from_fn(|axis| 0.4 * (from[axis] + to[axis]) + 0.2 * aside[axis]);
    let control = |[x, y, z]: [f64; 3]| [x, y, z, 1.0, 1.0];
    let direction = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    // The reference direction of the tube may be any direction perpendicular to the path, because only the
    // centre line of the tube is used.
    let reference = [-direction[1], direction[0], 0.01 * size[0]];
    let tube = Tube::new(&[control(from), control(middle), control(to)], reference);
    along(&LayoutBundle { name: "", tube, axons: 0.0 }, [0.0, 0.0], grid)
}

/// Returns the fraction of a streamline's points that are in true bundles.
fn part_in_tissue(scene: &Scene, points: &[Point]) -> f64 {
    let inside = points.iter().filter(|point| {
        let point = Vector3::from(point.map(f64::from));
        scene.courses.iter().filter(|course| Scene::is_true(course)).any(|course| {
            course.tube.is_near(point, 0.0) && course.tube.locate(point).is_some_and(|at| at.is_inside(0.0))
        })
    });
    inside.count() as f64 / points.len().max(1) as f64
}

/// Returns the position inside the block of tissue that is nearest to a point. Its distance from each face of
/// the block is at least a thousandth of the edge of the block.
fn within(point: [f64; 3], grid: &Grid) -> Point {
    let (size, shape) = (grid.voxel_sizes(), grid.shape());
    std::array::from_fn(|axis| {
        let edge = size[axis] * shape[axis] as f64;
        point[axis].clamp(1e-3 * edge, (1.0 - 1e-3) * edge) as f32
    })
}

#[cfg(test)]
mod tests {
    use super::super::FibreLayout;
    use super::super::layouts::scene;
    use super::*;

    #[test]
    fn true_streamlines_stay_in_their_bundles_and_false_ones_leave_them() {
        for layout in [FibreLayout::Planted, FibreLayout::FiberCup] {
            let scene = scene(layout).unwrap();
            let (tractogram, connections) = streamlines(&scene, &FibrePhantomOptions::default()).unwrap();
            tractogram.check().unwrap();
            // Returns the fraction of a streamline's points that are in the bundle `course`.
            let part_in = |course: &LayoutBundle, f: usize| {
                let points = tractogram.streamline(f);
                let inside = points.iter().filter(|p| {
                    let point = Vector3::from(p.map(f64::from));
                    course.tube.locate(point).is_some_and(|at| at.is_inside(0.02))
                });
                inside.count() as f64 / points.len() as f64
            };
            for connection in &connections {
                let name = &connection.name;
                for f in connection.streamlines.clone() {
                    if connection.is_true {
                        let own = scene.courses.iter().find(|course| course.name == name).unwrap();
                        // Some ribbon-shaped bundles are thicker than the block of tissue. The faces of the
                        // block cut these bundles and their streamlines.
                        assert!(part_in(own, f) > 0.95, "{name} {f}: {}", part_in(own, f));
                    } else {
                        let maximum = scene
                            .courses
                            .iter()
                            .filter(|course| Scene::is_true(course))
                            .map(|course| part_in(course, f))
                            .fold(0.0, f64::max);
                        // A false streamline that changes from one bundle to a touching bundle follows one of
                        // them for most of its length, but never for its whole length.
                        assert!(maximum < 0.9, "{name} {f}: {maximum}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_tube_is_wide_enough_for_its_curves() {
        for layout in [FibreLayout::Planted, FibreLayout::FiberCup] {
            for course in scene(layout).unwrap().courses {
                for n in 0..=500 {
                    let t = course.tube.end() * f64::from(n) / 500.0;
                    let tightness = course.tube.tightness(t);
                    assert!(tightness < 0.9, "{} at {t:.1} mm: {tightness:.2}", course.name);
                }
            }
        }
    }

    #[test]
    fn streamlines_depend_on_the_random_seed() {
        let scene = scene(FibreLayout::Planted).unwrap();
        let of = |seed| {
            let options = FibrePhantomOptions { seed, strays: 5, ..FibrePhantomOptions::default() };
            streamlines(&scene, &options).unwrap().0
        };
        assert_eq!(of(1).positions(), of(1).positions());
        assert_ne!(of(1).positions(), of(2).positions());
    }
}
