use super::queries::SurfaceGeometry;
use super::{FixedTriangle, fixed_point};
use crate::{Affine, Grid, Surface};
use proptest::prelude::*;

/// A generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    /// Draws a number between −1 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Creates a closed mesh of rings of `around` vertices between two poles. `place` returns the position of a
/// vertex for a polar angle and an azimuth.
fn globe(rings: usize, around: usize, place: impl Fn(f64, f64) -> [f32; 3]) -> Surface {
    let polar = |ring: usize| std::f64::consts::PI * ring as f64 / (rings + 1) as f64;
    let azimuth = |n: usize| 2.0 * std::f64::consts::PI * n as f64 / around as f64;
    let mut vertices = vec![place(0.0, 0.0)];
    for ring in 1..=rings {
        vertices.extend((0..around).map(|n| place(polar(ring), azimuth(n))));
    }
    vertices.push(place(std::f64::consts::PI, 0.0));
    let at = |ring: usize, n: usize| (1 + (ring - 1) * around + n % around) as u32;
    let last = vertices.len() as u32 - 1;
    let mut triangles = Vec::new();
    for n in 0..around {
        triangles.push([0, at(1, n), at(1, n + 1)]);
        triangles.push([last, at(rings, n + 1), at(rings, n)]);
        for ring in 1..rings {
            triangles.push([at(ring, n), at(ring + 1, n), at(ring + 1, n + 1)]);
            triangles.push([at(ring, n), at(ring + 1, n + 1), at(ring, n + 1)]);
        }
    }
    let surface = Surface::new(vertices, triangles, None).unwrap();
    surface.require_closed("globe").unwrap();
    surface
}

fn on_sphere(radius: f64, polar: f64, azimuth: f64) -> [f64; 3] {
    [polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos()].map(|x| x * radius)
}

fn sphere() -> Surface {
    globe(20, 32, |polar, azimuth| on_sphere(10.0, polar, azimuth).map(|x| x as f32))
}

/// Creates a sheet with deep folds and vertices at whole millimetres. Segments between such points often meet
/// edges, vertices and planes, and some triangles have no area.
fn folded() -> Surface {
    folded_of(20, 32)
}

fn folded_of(rings: usize, around: usize) -> Surface {
    globe(rings, around, |polar, azimuth| {
        let radius = 8.0 + 4.0 * (8.0 * azimuth).sin() * polar.sin() + 2.0 * (7.0 * polar).sin();
        on_sphere(radius, polar, azimuth).map(|x| x.round() as f32)
    })
}

/// Draws a point that is anywhere, at a vertex, on an edge, in a triangle, or at whole millimetres.
fn point(random: &mut Random, surface: &Surface) -> [f64; 3] {
    let vertices = surface.vertices();
    let of = |vertex: u32| vertices[vertex as usize].map(f64::from);
    let [a, b, c] = surface.triangles()[random.below(surface.triangles().len())].map(of);
    match random.below(5) {
        0 => [13.0 * random.unit(), 13.0 * random.unit(), 13.0 * random.unit()],
        1 => a,
        2 => std::array::from_fn(|n| 0.5 * (a[n] + b[n])),
        3 => std::array::from_fn(|n| 0.25 * (a[n] + b[n]) + 0.5 * c[n]),
        _ => [(); 3].map(|()| (13.0 * random.unit()).round()),
    }
}

#[test]
fn no_segment_passes_between_triangles() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut crossings = Vec::new();
    for surface in [sphere(), folded()] {
        let geometry = SurfaceGeometry::new(&surface).unwrap();
        let mut changes = 0;
        // For paths of 100 points, the results for segments must agree with the results for their ends.
        for _ in 0..1_000 {
            let mut here = point(&mut random, &surface);
            let mut is_inside = geometry.is_inside(here);
            for _ in 0..100 {
                let next = point(&mut random, &surface);
                let is_next_inside = geometry.is_inside(next);
                let has_changed = geometry.changes_side(here, next);
                assert_eq!(has_changed, is_inside != is_next_inside, "{here:?} {next:?}");
                changes += usize::from(has_changed);
                // A segment whose ends are on different sides has a contact, unless it begins on the mesh.
                if has_changed && geometry.touches(here).is_none() {
                    assert!(geometry.first_contact(here, next).is_some(), "{here:?} {next:?}");
                }
                (here, is_inside) = (next, is_next_inside);
            }
        }
        assert!(changes > 10_000, "{changes}");
        // Inward and outward crossings alternate along the segment.
        for _ in 0..1_000 {
            let (p, q) = (point(&mut random, &surface), point(&mut random, &surface));
            geometry.crossings(p, q, &mut crossings);
            assert!(crossings.is_sorted_by(|a, b| a.along <= b.along));
            assert_eq!(crossings.len() % 2 == 1, geometry.changes_side(p, q));
            let outward = crossings.iter().filter(|crossing| crossing.is_outward).count();
            assert!((2 * outward).abs_diff(crossings.len()) <= 1);
        }
    }
}

/// The bounding-box tree finds the same crossings and contacts as a test of every triangle.
#[test]
fn the_tree_agrees_with_testing_every_triangle() {
    let surface = folded();
    let geometry = SurfaceGeometry::new(&surface).unwrap();
    let mut random = Random(77);
    let mut alone: Vec<SurfaceGeometry> = Vec::new();
    for triangle in surface.triangles() {
        let one = Surface::new(surface.vertices().to_vec(), vec![*triangle], None).unwrap();
        alone.push(SurfaceGeometry::new(&one).unwrap());
    }
    for _ in 0..200 {
        let (p, q) = (point(&mut random, &surface), point(&mut random, &surface));
        let (mut all, mut one) = (Vec::new(), Vec::new());
        geometry.crossings(p, q, &mut all);
        let mut numbers: Vec<u32> = all.iter().map(|crossing| crossing.triangle).collect();
        numbers.sort_unstable();
        let expected = alone.iter().enumerate().filter(|(_, alone)| {
            alone.crossings(p, q, &mut one);
            !one.is_empty()
        });
        assert_eq!(numbers, expected.map(|(n, _)| n as u32).collect::<Vec<_>>());
        let contacts = alone.iter().filter_map(|alone| alone.first_contact(p, q));
        let first = contacts.map(|contact| contact.along).min_by(f64::total_cmp);
        assert_eq!(geometry.first_contact(p, q).map(|contact| contact.along), first);
    }
}

/// Tests of single triangles give the same results as tests of a mesh. Many segments begin, end or run on the
/// mesh.
#[test]
fn single_triangles_agree_with_the_mesh() {
    let surface = folded();
    let mut random = Random(1234);
    let mut counts = [0; 3];
    for n in 0..40_000 {
        let triangle = surface.triangles()[random.below(surface.triangles().len())];
        let corners = triangle.map(|vertex| surface.vertices()[vertex as usize]);
        let alone = Surface::new(corners.to_vec(), vec![[0, 1, 2]], None).unwrap();
        let geometry = SurfaceGeometry::new(&alone).unwrap();
        // Half of the segments are in the triangle's plane, since random segments rarely are.
        let (p, q) = if n % 2 == 0 {
            let flat = |random: &mut Random| {
                let [s, t] = [random.below(9) as f64 - 4.0, random.below(9) as f64 - 4.0].map(|x| 0.25 * x);
                let [a, b, c] = corners.map(|corner| corner.map(f64::from));
                std::array::from_fn(|axis| a[axis] + s * (b[axis] - a[axis]) + t * (c[axis] - a[axis]))
            };
            (flat(&mut random), flat(&mut random))
        } else {
            (point(&mut random, &alone), point(&mut random, &alone))
        };
        let one = FixedTriangle(corners.map(|corner| fixed_point(corner.map(f64::from))));
        let ends = [p, q].map(fixed_point);
        assert_eq!(
            one.is_met(ends[0], ends[1]),
            geometry.first_contact(p, q).is_some(),
            "{corners:?} {p:?} {q:?}"
        );
        assert_eq!(one.is_crossed(ends[0], ends[1]), geometry.changes_side(p, q), "{corners:?} {p:?} {q:?}");
        assert_eq!(one.holds(ends[0]), geometry.touches(p).is_some(), "{corners:?} {p:?}");
        counts[0] += usize::from(one.is_met(ends[0], ends[1]));
        counts[1] += usize::from(one.is_crossed(ends[0], ends[1]));
        counts[2] += usize::from(one.holds(ends[0]));
    }
    assert!(counts.iter().all(|count| *count > 2_000), "{counts:?}");
}

/// The expected positions are exact fractions, computed by `oracles/surfaces_nibabel.py`.
#[test]
fn contacts_agree_with_exact_fractions() {
    let geometry = SurfaceGeometry::new(&folded_of(10, 12)).unwrap();
    let expected = [
        Some(0.184782608696),
        Some(0.130434782609),
        Some(0.078787878788),
        Some(0.051612903226),
        Some(0.064516129032),
        Some(0.017857142857),
        None,
        None,
        Some(0.187500000000),
        Some(0.255813953488),
        Some(0.290000000000),
    ];
    for (n, expected) in expected.into_iter().enumerate() {
        let n = n as f64;
        let (p, q) = ([13.0 - n, n - 7.0, 2.0 * n - 9.0], [n - 9.0, 5.0 - n, 11.0 - 2.0 * n]);
        let found = geometry.first_contact(p, q).map(|contact| contact.along);
        // The expected positions have twelve digits.
        let agrees = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-12,
            (found, expected) => found == expected,
        };
        assert!(agrees, "{n}: {found:?} {expected:?}");
    }
}

#[test]
fn inside_tests_agree_with_the_shape() {
    let geometry = SurfaceGeometry::new(&sphere()).unwrap();
    let mut random = Random(5);
    let mut inside = 0;
    for _ in 0..20_000 {
        let point = [12.0 * random.unit(), 12.0 * random.unit(), 12.0 * random.unit()];
        let radius = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        // The mesh is at most 0.3 mm inside a sphere of 10 mm radius. Points near the mesh are skipped.
        if !(9.7..=10.0).contains(&radius) {
            assert_eq!(geometry.is_inside(point), radius < 9.9);
            inside += usize::from(radius < 9.9);
        }
    }
    assert!(inside > 5_000);
    assert!(!geometry.is_inside([f64::NAN; 3]) && !geometry.is_inside([1e9, 0.0, 0.0]));
}

/// Tests a triangle with integer corners against results that were derived by hand.
#[test]
fn segments_are_half_open() {
    let vertices = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let surface = Surface::new(vertices, vec![[0, 1, 2]], None).unwrap();
    let geometry = SurfaceGeometry::new(&surface).unwrap();
    let along = |p: [f64; 3], q: [f64; 3]| geometry.first_contact(p, q).map(|contact| contact.along);
    // The segments pass through the interior, an edge and a vertex, and past the triangle.
    assert_eq!(along([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]), Some(0.25));
    assert_eq!(along([2.0, 2.0, 1.0], [2.0, 2.0, -1.0]), Some(0.5));
    assert_eq!(along([3.0, 0.0, 1.0], [5.0, 0.0, -1.0]), Some(0.5));
    assert_eq!(along([2.0, 2.0 + 1e-6, 1.0], [2.0, 2.0 + 1e-6, -1.0]), None);
    // The end point belongs to a segment, but the beginning does not.
    assert_eq!(along([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]), Some(1.0));
    assert_eq!(along([1.0, 1.0, 0.0], [1.0, 1.0, -1.0]), None);
    // These segments are in the triangle's plane. They run from outside into the triangle, from inside
    // onwards, away from an edge, through a corner, and without contact.
    assert_eq!(along([-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]), Some(0.5));
    assert_eq!(along([1.0, 1.0, 0.0], [9.0, 1.0, 0.0]), Some(0.0));
    assert_eq!(along([0.0, 1.0, 0.0], [-1.0, 1.0, 0.0]), None);
    assert_eq!(along([3.0, -1.0, 0.0], [5.0, 1.0, 0.0]), Some(0.5));
    assert_eq!(along([-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]), None);
    assert_eq!(along([1.0; 3], [1.0; 3]), None);
    assert_eq!(geometry.touches([0.0, 4.0, 0.0]), Some(0));
    assert_eq!(geometry.touches([2.0, 2.0, 0.0]), Some(0));
    assert_eq!(geometry.touches([2.0, 2.1, 0.0]), None);
    // A passage through the common point of two segments is one crossing of one of them.
    let [above, on, below] = [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, -1.0]];
    assert!(geometry.changes_side(above, on) != geometry.changes_side(on, below));
    let mut crossings = Vec::new();
    geometry.crossings(above, below, &mut crossings);
    assert_eq!((crossings.len(), crossings[0].along, crossings[0].is_outward), (1, 0.5, false));
}

#[test]
fn closed_meshes_become_masks() {
    let (outer, inner) = (sphere(), sphere().transformed(&Affine::scaling([0.5; 3], [0.0; 3])));
    let [outer, inner] = [outer, inner].map(|surface| SurfaceGeometry::new(&surface).unwrap());
    let rows = [[0.8, 0.1, 0.0, -12.0], [-0.1, 0.8, 0.0, -10.0], [0.0, 0.0, 0.8, -12.0]];
    let grid = Grid::new([30, 30, 30], Affine::from_rows(rows).unwrap()).unwrap();
    let [outside, inside] = [&outer, &inner].map(|surface| surface.voxels_inside(&grid));
    let mut count = 0;
    for voxel in 0..grid.len() {
        let centre = grid.centre(voxel);
        let expected = [outer.is_inside(centre), inner.is_inside(centre)];
        assert_eq!([outside[voxel], inside[voxel]], expected, "{centre:?}");
        count += usize::from(outside[voxel] && !inside[voxel]);
    }
    // The cortical ribbon has 7/8 of the volume of the outer sphere, since the inner sphere has half the
    // radius.
    let expected = 7.0 / 8.0 * 4.0 / 3.0 * std::f64::consts::PI * 1000.0 / (0.8 * (0.64 + 0.01));
    assert!((count as f64 / expected - 1.0).abs() < 0.03, "{count} {expected}");
}

#[test]
fn surfaces_in_other_units_are_rejected() {
    let far = Surface::new(vec![[0.0, 5000.0, 0.0]; 3], vec![[0, 1, 2]], None).unwrap();
    let error = SurfaceGeometry::new(&far).unwrap_err();
    assert_eq!(error.problem(), "vertex 0 is at [0.0, 5000.0, 0.0] mm, beyond ±2047 mm");
    let empty = SurfaceGeometry::new(&Surface::new(vec![], vec![], None).unwrap()).unwrap();
    assert!(!empty.is_inside([0.0; 3]) && empty.first_contact([0.0; 3], [1.0; 3]).is_none());
}

proptest! {
    /// A segment crosses a closed mesh an odd number of times exactly if one of its ends is inside. Its crossings go outwards
    /// and inwards in turn, and the reverse segment has the same crossings.
    #[test]
    fn crossings_of_a_closed_mesh_agree_with_its_inside(
        p in proptest::array::uniform3(-12.0..12.0_f64),
        q in proptest::array::uniform3(-12.0..12.0_f64),
    ) {
        let mesh = SurfaceGeometry::new(&sphere()).unwrap();
        let [inside_p, inside_q] = [p, q].map(|point| mesh.is_inside(point));
        prop_assert_eq!(mesh.changes_side(p, q), inside_p != inside_q);
        let (mut crossings, mut reverse) = (Vec::new(), Vec::new());
        mesh.crossings(p, q, &mut crossings);
        mesh.crossings(q, p, &mut reverse);
        prop_assert_eq!(crossings.len() % 2 == 1, inside_p != inside_q);
        let mut is_inside = inside_p;
        for crossing in &crossings {
            prop_assert_eq!(crossing.is_outward, is_inside);
            is_inside = !is_inside;
        }
        let sorted = |found: &[super::queries::Crossing]| {
            let mut triangles: Vec<u32> = found.iter().map(|crossing| crossing.triangle).collect();
            triangles.sort_unstable();
            triangles
        };
        prop_assert_eq!(sorted(&crossings), sorted(&reverse));
        // The mesh has its vertices on a sphere with a radius of 10 mm. Its faces are up to 0.2 mm closer to the centre.
        let radius = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assert!(if radius < 9.8 { inside_p } else { radius < 10.0 || !inside_p }, "{} mm", radius);
    }
}
