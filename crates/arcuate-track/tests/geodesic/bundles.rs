//! Known bundles, to be found through noise: a U (Figure 5.2 of the thesis that geodesics follow) and an arc with a crossing.
//!
//! The signal of a voxel is the mean of those of its fibres, S = exp(−b gᵀ D g), at b = 1000 s/mm² and with Rician noise at
//! an SNR of 15 without diffusion weighting. The tensor of a voxel is fitted to it. Voxels are of 1 mm.

use crate::common::{cubes, difference, image, wide};
use crate::processor::stick;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Control, Grid, Mask, Point, Tractogram, Volume};
use arcuate_track::{
    Curvature, Directions, GeodesicIntegrator, GeodesicOptions, Geodesics, Integrator, Method, Seeds,
    Selection, SharpenedSide, Sharpening, Targets, TrackOptions, track_tensor,
};

/// Options as `tckgen -algorithm Tensor_Det` has them.
fn as_tckgen() -> TrackOptions {
    TrackOptions {
        integrator: Integrator::Euler,
        curvature: Curvature::MaxAngleDegrees(60.0),
        fa_cutoff: 0.1,
        min_length_mm: None,
        max_length_mm: None,
        ..TrackOptions::default()
    }
}

const SHAPE: [usize; 3] = [21, 21, 5];
const B: f64 = 1000.0;
const NOISE: f64 = 1.0 / 15.0;
/// Tissue without fibres.
const ROUND: [f64; 6] = [7e-4, 7e-4, 7e-4, 0.0, 0.0, 0.0];
const DRAWS: u64 = 100;
/// Of phantoms with less than half of the bundle.
const CUT_DRAWS: u64 = 10;
/// Connectivity of a connection that is taken for a bundle. Along its fibres it is (1.7e-3 / 7.1e-4)^½ = 1.55 without noise, in
/// the tissue around it 1.
const STRONG: f64 = 1.4;

/// A bundle three voxels wide and high, by its centre line in the plane z = 2 mm.
#[derive(Clone, Copy)]
enum Bundle {
    /// Two stems along y, 14 mm apart, and a half circle that joins them.
    U,
    /// A quarter of a circle of 16 mm.
    Arc,
    /// Straight through the middle of the arc, at this angle to it.
    Across { degrees: f64 },
}

impl Bundle {
    /// How far a point is from the centre line within the plane, on one side or the other, and how the line runs there.
    fn beside(self, [x, y, _]: [f64; 3]) -> (f64, [f64; 3]) {
        let circle = |radius: f64, x: f64, y: f64| (x.hypot(y) - radius, [y, -x, 0.0]);
        match self {
            Self::U if y < 11.0 => ((x - 10.0).abs() - 7.0, [0.0, 1.0, 0.0]),
            Self::U => circle(7.0, x - 10.0, y - 11.0),
            Self::Arc => circle(16.0, x - 19.0, y - 1.0),
            Self::Across { degrees } => {
                let (sin, cos) = (45.0 + degrees).to_radians().sin_cos();
                let from_centre = 16.0 * 0.5f64.sqrt();
                let (x, y) = (x - (19.0 - from_centre), y - (1.0 + from_centre));
                (y * cos - x * sin, [cos, sin, 0.0])
            }
        }
    }

    /// How its fibres run at a point.
    fn direction(self, point: [f64; 3]) -> Option<[f64; 3]> {
        let (across, along) = self.beside(point);
        (across.abs() <= 1.5 && (point[2] - 2.0).abs() <= 1.5).then_some(along)
    }

    /// Whether a point is at most 2 mm from the centre line; an edge of the bundle is at 2.1 mm.
    fn has(self, point: [f64; 3]) -> bool {
        self.beside(point).0.hypot(point[2] - 2.0) <= 2.0
    }
}

/// The 15 axes of twofold symmetry of an icosahedron.
fn axes() -> Vec<[f64; 3]> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let (a, b, c) = (0.5 / golden, 0.5, 0.5 * golden);
    let some = [[1.0, 0.0, 0.0], [a, b, c], [-a, b, c], [a, -b, c], [a, b, -c]];
    some.into_iter().flat_map(|[x, y, z]| [[x, y, z], [y, z, x], [z, x, y]]).collect()
}

/// The tensor fitted to three measurements without weighting and two along each of the axes.
fn fitted(fibres: &[[f64; 6]], axes: &[[f64; 3]], mut random: Random) -> [f64; 6] {
    let mut noisy = |signal: f64| (signal + NOISE * random.normal()).hypot(NOISE * random.normal());
    let unweighted = (0..3).map(|_| noisy(1.0)).sum::<f64>() / 3.0;
    let mut moment = [0.0; 6];
    for &[x, y, z] in axes.iter().chain(axes) {
        let products = [x * x, y * y, z * z, x * y, x * z, y * z];
        let diffusivity =
            |d: &[f64; 6]| (0..6).map(|n| if n < 3 { 1.0 } else { 2.0 } * d[n] * products[n]).sum::<f64>();
        let signal =
            fibres.iter().map(|fibre| (-B * diffusivity(fibre)).exp()).sum::<f64>() / fibres.len() as f64;
        let measured = (unweighted / noisy(signal)).ln() / B;
        (0..6).for_each(|n| moment[n] += measured * products[n] / (2 * axes.len()) as f64);
    }
    // Over these axes, a spherical design, the mean of (gᵀ D g) g gᵀ is (2 D + tr(D) I) / 15, whose trace is tr(D) / 3. The D
    // whose mean is that of the measurements is the one of least squares.
    let trace = 3.0 * (moment[0] + moment[1] + moment[2]);
    std::array::from_fn(|n| 7.5 * moment[n] - if n < 3 { 0.5 * trace } else { 0.0 })
}

/// A draw of the tensors of a phantom.
fn tensors(grid: &Grid, draw: u64, directions: impl Fn([f64; 3]) -> Vec<[f64; 3]>) -> Volume<f32> {
    let axes = axes();
    image(grid, |at| {
        let mut fibres: Vec<[f64; 6]> = directions(at).into_iter().map(stick).collect();
        if fibres.is_empty() {
            fibres.push(ROUND);
        }
        fitted(&fibres, &axes, Random::new(draw, Purpose::Noise, grid.voxel_at(at).unwrap() as u64))
    })
}

/// What was found of a bundle.
#[derive(Debug, Default)]
struct Found {
    /// Draws in which the strongest geodesic is strong and keeps to the bundle.
    draws: u64,
    /// The least connectivity of those.
    minimum: f64,
    /// The largest one with less than half of the bundle.
    cut: f64,
    /// Draws in which a streamline keeps to the bundle: along principal directions, with tensor deflection.
    by_streamlines: [u64; 2],
    /// Streamlines that do, of nine a draw.
    streamlines: [usize; 2],
}

/// Looks in each draw for the first of its bundles, from nine seeds across its beginning to the 27 voxels about `end`.
fn search(end: [f64; 3], bundles: impl Fn(u64) -> Vec<Bundle>) -> Found {
    let grid = cubes(SHAPE, 1.0);
    let points: Vec<[f64; 3]> = (0..9).map(|n| [f64::from(2 + n % 3), 1.0, f64::from(1 + n / 3)]).collect();
    let about = |voxel: usize| difference(grid.centre(voxel), end).iter().all(|d| d.abs() <= 1.0);
    let target = Mask::new(grid, (0..grid.len()).map(about).collect()).unwrap();
    let seeds = Seeds::points(points.clone());
    let targets = Targets::from_masks(vec![("end".to_owned(), target.clone())]).unwrap();
    let arrives = |bundle: Bundle, line: &mut dyn Iterator<Item = &Point>| {
        let mut kept = line.map(|&point| wide(point)).take_while(|&point| bundle.has(point));
        kept.any(|point| grid.voxel_at(point).is_some_and(|voxel| target.contains(voxel)))
    };
    let geodesics = GeodesicOptions {
        directions: Directions::Cone { count: 100, degrees: 40.0 },
        integrator: GeodesicIntegrator::Heun,
        step_mm: Some(0.5),
        sharpening: Some(Sharpening { exponent: 2.0, side: SharpenedSide::Above, fa: 0.25 }),
        ..GeodesicOptions::default()
    };
    let connect = |tensor: &Volume<f32>| {
        let strongest = Selection { best: Some(1), ..Selection::default() };
        let geodesics = Geodesics::new(tensor, &geodesics, &Device::Cpu).unwrap();
        let connections = geodesics.connect(&seeds, &targets, &strongest, &Control::default()).unwrap();
        (connections.targets[0].strongest.unwrap_or(0.0), connections.tractogram)
    };
    let mut found = Found { minimum: f64::INFINITY, ..Found::default() };
    for draw in 0..DRAWS {
        let bundles = bundles(draw);
        let tensor =
            tensors(&grid, draw, |at| bundles.iter().filter_map(|bundle| bundle.direction(at)).collect());
        let (connectivity, connection) = connect(&tensor);
        if connectivity >= STRONG && arrives(bundles[0], &mut connection.streamline(0).iter()) {
            found.draws += 1;
            found.minimum = found.minimum.min(connectivity);
        }
        for (n, method) in
            [Method::Tensor, Method::TensorDeflection { f: 0.3, g: 0.5 }].into_iter().enumerate()
        {
            let options = TrackOptions { method, ..as_tckgen() };
            let mut lines = Tractogram::new();
            track_tensor(&tensor, &seeds, &options, &Device::Cpu, &mut lines, &Control::default()).unwrap();
            let kept = lines.iter().filter(|line| {
                let seed = line.iter().position(|&point| points.contains(&wide(point))).unwrap();
                let (back, forth) = (&line[..=seed], &line[seed..]);
                arrives(bundles[0], &mut forth.iter()) || arrives(bundles[0], &mut back.iter().rev())
            });
            let kept = kept.count();
            found.by_streamlines[n] += u64::from(kept > 0);
            found.streamlines[n] += kept;
        }
        if draw < CUT_DRAWS {
            let direction =
                |n: usize, at: [f64; 3]| bundles[n].direction(at).filter(|_| n > 0 || at[0] < 7.0);
            let tensor =
                tensors(&grid, draw, |at| (0..bundles.len()).filter_map(|n| direction(n, at)).collect());
            found.cut = found.cut.max(connect(&tensor).0);
        }
    }
    found
}

#[test]
fn a_u_shaped_bundle_is_found_with_noise() {
    let found = search([17.0, 1.0, 2.0], |_| vec![Bundle::U]);
    // 100 draws, of a connectivity of 1.57 or more; 1.24 where the bundle is cut. Streamlines: 100 and 100 draws, 825 and 747
    // of 900. With other noise, three times: 100 draws each, 1.55 or more; at most 1.23 where it is cut.
    assert!(found.draws >= 95 && found.cut < STRONG, "{found:?}");
    assert!(found.by_streamlines.iter().all(|&draws| draws >= 95), "{found:?}");
}

#[test]
fn an_arc_is_found_with_a_crossing_and_noise() {
    // At 60 degrees in the first draw, at 90 in the last.
    let bundles = |draw: u64| {
        let degrees = 60.0 + 30.0 * draw as f64 / (DRAWS - 1) as f64;
        vec![Bundle::Arc, Bundle::Across { degrees }]
    };
    let found = search([19.0, 17.0, 2.0], bundles);
    // 100 draws, of a connectivity of 1.48 or more; 1.15 where the bundle is cut. Streamlines: 57 and 54 draws, 89 and 88 of
    // 900. With other noise, three times: 99 or 100 draws, 1.47 or more; at most 1.24 where it is cut; streamlines 57 to 65.
    assert!(found.draws >= 95 && found.cut < STRONG, "{found:?}");
    assert!(found.by_streamlines.iter().all(|&draws| draws < 75), "{found:?}");
}
