//! One step of a geodesic ray, with each integration scheme. `steps.cuh` performs the same operations on
//! GPUs. Always change both files together.

use super::metric::{Cells, Evaluated, Metrics, Place};
use super::options::GeodesicIntegrator;
use arcuate_numbers::elementary::single;
use arcuate_numbers::{Lanes, Operations, Real, Vector, dot};
use pulp::Simd;

/// State of a ray after a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<T, const W: usize> {
    pub(super) place: Place<T, W>,
    pub(super) velocity: Vector<T, W>,
    /// Displacement of the ray in this step, in voxels.
    pub(super) displacement: Vector<T, W>,
    /// Square of error / tolerance of the step in the adaptive scheme; 0 in other schemes.
    pub(super) error: Lanes<T, W>,
}

/// State of a ray at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a, T, const W: usize> {
    pub(super) place: &'a Place<T, W>,
    pub(super) v: Vector<T, W>,
    /// Acceleration and energy of the rays at the start of the step.
    pub(super) here: &'a Evaluated<T, W>,
    /// Duration of the step, in units of the parameter τ of the ray.
    pub(super) time: Lanes<T, W>,
}

/// Coefficients of the stages of the Dormand–Prince scheme.
const A: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Weight of each stage of the Dormand–Prince scheme in the fifth-order solution, minus its weight in the
/// fourth-order solution.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Computes a step with an integration scheme.
#[inline(always)]
pub(super) fn step<T: Real, S: Simd, const W: usize>(
    simd: S,
    metrics: &Metrics<T>,
    cells: &mut Cells<T, W>,
    integrator: GeodesicIntegrator,
    moment: &Moment<T, W>,
) -> Step<T, W> {
    let Moment { place, v, here, time } = *moment;
    match integrator {
        GeodesicIntegrator::Euler => {
            let displacement = scaled(time, v);
            let velocity = ahead(time, here.acceleration, v);
            arrived(place, velocity, displacement)
        }
        GeodesicIntegrator::Heun => {
            let second = ahead(time, here.acceleration, v);
            let there = metrics.evaluate(simd, cells, &place.moved(scaled(time, v)), second);
            let half = time * Lanes::all(0.5);
            let displacement = scaled(half, sum(v, second));
            let velocity = ahead(half, sum(here.acceleration, there.acceleration), v);
            arrived(place, velocity, displacement)
        }
        GeodesicIntegrator::RungeKutta4 => {
            let half = time * Lanes::all(0.5);
            let v2 = ahead(half, here.acceleration, v);
            let a2 = metrics.evaluate(simd, cells, &place.moved(scaled(half, v)), v2).acceleration;
            let v3 = ahead(half, a2, v);
            let a3 = metrics.evaluate(simd, cells, &place.moved(scaled(half, v2)), v3).acceleration;
            let v4 = ahead(time, a3, v);
            let a4 = metrics.evaluate(simd, cells, &place.moved(scaled(time, v3)), v4).acceleration;
            let sixth = time * Lanes::all(1.0 / 6.0);
            let two = Lanes::all(2.0);
            let displacement = scaled(sixth, ahead(two, sum(v2, v3), sum(v, v4)));
            let change = ahead(two, sum(a2, a3), sum(here.acceleration, a4));
            arrived(place, ahead(sixth, change, v), displacement)
        }
        GeodesicIntegrator::Adaptive { tolerance } => {
            let zero = [Lanes::all(0.0); 3];
            let (mut velocities, mut accelerations) = ([zero; 7], [zero; 7]);
            velocities[0] = v;
            accelerations[0] = here.acceleration;
            let mut displacement = zero;
            let mut velocity = v;
            for stage in 0..6 {
                let (mut along, mut change) = (zero, zero);
                for n in 0..=stage {
                    if A[stage][n] != 0.0 {
                        let weight = Lanes::all(A[stage][n]);
                        along = ahead(weight, velocities[n], along);
                        change = ahead(weight, accelerations[n], change);
                    }
                }
                displacement = scaled(time, along);
                velocity = ahead(time, change, v);
                velocities[stage + 1] = velocity;
                accelerations[stage + 1] =
                    metrics.evaluate(simd, cells, &place.moved(displacement), velocity).acceleration;
            }
            let (mut along, mut change) = (zero, zero);
            for n in 0..7 {
                if E[n] != 0.0 {
                    let weight = Lanes::all(E[n]);
                    along = ahead(weight, velocities[n], along);
                    change = ahead(weight, accelerations[n], change);
                }
            }
            // Error of the position in voxels, and relative error of the velocity. The latter equals the
            // position error that it causes one voxel further on.
            let scale = time * Lanes::all(1.0 / tolerance);
            let (along, change) = (scaled(scale, along), scaled(scale / dot(v, v).root(), change));
            let (of_place, of_velocity) = (dot(along, along), dot(change, change));
            let error = of_place.if_above(of_velocity, of_place, of_velocity);
            Step { error, ..arrived(place, velocity, displacement) }
        }
    }
}

#[inline(always)]
fn arrived<T: Real, const W: usize>(
    place: &Place<T, W>,
    velocity: Vector<T, W>,
    displacement: Vector<T, W>,
) -> Step<T, W> {
    Step { place: place.moved(displacement), velocity, displacement, error: Lanes::all(0.0) }
}

#[inline(always)]
fn scaled<T: Real, const W: usize>(by: Lanes<T, W>, v: Vector<T, W>) -> Vector<T, W> {
    [by * v[0], by * v[1], by * v[2]]
}

#[inline(always)]
fn sum<T: Real, const W: usize>(a: Vector<T, W>, b: Vector<T, W>) -> Vector<T, W> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Returns the vector v + by · a, computed in each lane.
#[inline(always)]
fn ahead<T: Real, const W: usize>(by: Lanes<T, W>, a: Vector<T, W>, v: Vector<T, W>) -> Vector<T, W> {
    [by.fma(a[0], v[0]), by.fma(a[1], v[1]), by.fma(a[2], v[2])]
}

/// Returns the factor by which the step length changes. `error` is the square of error / tolerance of the
/// last step.
pub(super) fn change_of_stride(error: f32) -> f32 {
    let factor = 0.9 * single::exp(-0.1 * single::ln(error));
    // The comparison is written so that an error that is NaN shortens the step.
    let above = if factor > 0.2 { factor } else { 0.2 };
    if above < 5.0 { above } else { 5.0 }
}
