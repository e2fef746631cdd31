use crate::nearest_point::NearestPoint;
use crate::tube::Tube;
use nalgebra::Vector3;

/// The tissue at a point of the simulated brain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tissue {
    /// No tissue: the point is outside the head and has no signal.
    Nothing,
    /// Cerebrospinal fluid: around the brain, in sulci or in the ventricles.
    Csf,
    /// Grey matter: the cortex or a deep nucleus.
    Grey,
    /// White matter: the rest of the brain, inside or outside bundles.
    White,
}

/// The simulated head without its bundles. It is defined by analytical functions of the position in RAS mm.
/// The origin is the centre of the brain.
#[derive(Debug)]
pub(crate) struct Anatomy {
    ventricles: Vec<Tube>,
    /// The points at the tops of gyri. The brain surface has no sulci near these points.
    crowns: NearestPoint,
}

/// Thickness of the cortex in mm.
pub(crate) const CORTEX: f64 = 4.5;
/// Thickness of the CSF around the brain in mm.
const RIM: f64 = 3.5;
/// Depth of the sulci in mm.
const FURROW: f64 = 7.0;
/// Semi-axes of the brain ellipsoid in mm: to the right, to the front, and upwards. The next constant is the
/// semi-axis downwards in mm.
pub(crate) const BRAIN: [f64; 3] = [54.0, 66.0, 47.0];
const BRAIN_BELOW: f64 = 43.0;
/// Ellipsoids of deep grey matter on the right side. Each has a centre and three semi-axes in mm. The
/// ellipsoids of the left side are their mirror images. The first ellipsoid is similar to a thalamus, and the
/// second to a putamen.
pub(crate) const NUCLEI: [([f64; 3], [f64; 3]); 2] =
    [([8.0, -10.0, 1.0], [5.0, 9.0, 5.0]), ([28.0, 6.0, 5.0], [3.5, 11.0, 5.5])];
/// Ellipsoid of the CSF between the thalami (third ventricle): its centre and its semi-axes in mm.
const THIRD_VENTRICLE: ([f64; 3], [f64; 3]) = ([0.0, -9.0, 0.0], [1.4, 9.0, 6.0]);

impl Anatomy {
    /// Creates a head whose bundles end in gyri. Sulci become shallower near the places at which one of the
    /// given tubes (the bundles) reaches the brain surface.
    pub(crate) fn new<'a>(bundles: impl Iterator<Item = &'a Tube>) -> Self {
        let crowns = NearestPoint::new(bundles.flat_map(crowns).collect());
        // Each lateral ventricle is a tube from the frontal horn to the trigone.
        let ventricle = |side: f64| {
            let course = [
                [5.0, 22.0, 5.0, 2.0, 3.0],
                [6.5, 15.0, 7.0, 3.5, 5.0],
                [8.0, 4.0, 9.5, 3.5, 4.5],
                [10.0, -10.0, 10.0, 3.5, 4.0],
                [13.0, -22.0, 7.0, 4.0, 4.5],
                [16.0, -30.0, 2.0, 4.0, 5.0],
                [17.5, -35.0, -1.0, 2.0, 2.0],
            ];
            Tube::new(&course.map(|[x, y, z, a, b]| [side * x, y, z, a, b]), [1.0, 0.0, 0.0])
        };
        Self { ventricles: vec![ventricle(-1.0), ventricle(1.0)], crowns }
    }

    /// Returns the tissue at a point.
    pub(crate) fn tissue(&self, p: Vector3<f64>) -> Tissue {
        if ellipsoid_depth(p) < -RIM {
            return Tissue::Nothing;
        }
        let depth = self.depth(p);
        if depth < 0.0 || self.in_ventricle(p) {
            Tissue::Csf
        } else if depth < CORTEX || in_nucleus(p) {
            Tissue::Grey
        } else {
            Tissue::White
        }
    }

    /// Returns the approximate depth in mm of a point below the surface of the cortex. The depth is 0 at the
    /// border to the CSF, and [`CORTEX`] at the border to white matter. It is negative in the CSF around the
    /// brain and in sulci.
    pub(crate) fn depth(&self, p: Vector3<f64>) -> f64 {
        let outer = ellipsoid_depth(p);
        if outer < -RIM {
            return outer;
        }
        let fissures = fissure_depth(p).min(lateral_depth(p));
        // Sulci do not reach this depth. The exact depth of white matter below the cortex is not needed.
        if outer > CORTEX + FURROW {
            outer.min(fissures)
        } else if outer - FURROW > fissures {
            fissures
        } else {
            (outer - self.furrow(p)).min(fissures)
        }
    }

    /// Returns the approximate direction through the cortex at a point, from white matter to CSF. Paths along
    /// this direction never meet. Next to a sulcus, the direction follows from the walls of the sulcus, whose
    /// position does not depend on depth. Next to a fissure, the direction is the motion of the points of a
    /// cortex that shrinks around the fissure.
    pub(crate) fn outwards(&self, p: Vector3<f64>) -> Vector3<f64> {
        /// Limit for the squared slope of the sulcus depth. Below this limit, a sulcus has almost no walls.
        const FADED: f64 = 0.1;
        /// Weight of the direction of the shortest path to the CSF. This direction matters only if the
        /// direction that follows from the walls of a sulcus is nearly 0.
        const SHORTEST: f64 = 0.03;
        let (fissure, lateral) = (fissure_depth(p), lateral_depth(p));
        if ellipsoid_depth(p) - self.furrow(p) > fissure.min(lateral) {
            return if fissure < lateral {
                shrinking(p, fissure, (beside_fissure, FISSURE - MIDDLE), below_fissure)
            } else {
                shrinking(p, lateral, (beside_lateral_fissure, LATERAL_FISSURE), within_lateral_fissure)
            };
        }
        let (smooth, furrow) = (slope(ellipsoid_depth, p), slope(|p| self.furrow(p), p));
        let along_walls = furrow * (smooth.dot(&furrow) / (furrow.norm_squared() + FADED)) - smooth;
        // If a sulcus runs along the brain surface just below it, the direction that follows from its walls
        // is nearly 0. The direction of the shortest path to the CSF is then used.
        along_walls + SHORTEST * (furrow - smooth).normalize()
    }

    /// Returns by how many mm a sulcus lowers the surface of the cortex at this point. Sulci are narrow
    /// valleys along the zero lines of smooth waves. Neighbouring sulci are about 20 mm apart. They become
    /// shallower towards the tops of gyri.
    fn furrow(&self, p: Vector3<f64>) -> f64 {
        // The waves of the left side are those of the right side, shifted by a phase. The two sides are
        // therefore similar but not equal, as in a real brain.
        let shift = if p.x < 0.0 { 0.9 } else { 0.0 };
        let waves = [
            (0.115 * p.y + 0.050 * p.z + 0.7 * (0.07 * p.z + shift).sin()).sin(),
            (0.125 * p.z - 0.060 * p.y + 0.8 * (0.06 * p.x.abs() + 0.05 * p.y + shift).sin()).sin(),
            (0.120 * p.x.abs() + 0.5 * (0.09 * p.y + shift).sin()).cos(),
        ];
        let depth = waves.iter().map(|wave| FURROW * (-(wave / 0.17).powi(2)).exp()).fold(0.0, f64::max);
        let nearest = self.crowns.squared_distance(p);
        depth * (1.0 - (-nearest / (2.0 * 7.0 * 7.0)).exp())
    }

    pub(crate) fn in_ventricle(&self, p: Vector3<f64>) -> bool {
        in_ellipsoid(p, THIRD_VENTRICLE)
            || (p.y.abs() < 40.0
                && self
                    .ventricles
                    .iter()
                    .any(|v| v.is_near(p, 0.0) && v.locate(p).is_some_and(|at| at.is_inside(0.0))))
    }
}

/// Returns the unit normal of the brain ellipsoid through a point, directed inwards. The direction changes
/// smoothly everywhere except at the centre. White matter outside all bundles is slightly anisotropic along
/// this direction.
pub(crate) fn inwards(p: Vector3<f64>) -> Vector3<f64> {
    let below = if p.z < 0.0 { BRAIN_BELOW } else { BRAIN[2] };
    let normal = Vector3::new(p.x / BRAIN[0].powi(2), p.y / BRAIN[1].powi(2), p.z / below.powi(2));
    let length = normal.norm();
    if length > 1e-9 { -normal / length } else { Vector3::z() }
}

/// Returns the distance in mm between a point and the brain surface without sulci. The distance is positive
/// inside the brain. At the surface, it is exact to first order.
fn ellipsoid_depth(p: Vector3<f64>) -> f64 {
    let axes = Vector3::new(BRAIN[0], BRAIN[1], if p.z < 0.0 { BRAIN_BELOW } else { BRAIN[2] });
    let scaled = p.component_div(&axes);
    let (length, gradient) = (scaled.norm(), scaled.component_div(&axes).norm());
    // At the centre of the brain, the distance to the surface is the shortest semi-axis.
    if gradient < 1e-9 { axes.min() } else { length * (1.0 - length) / gradient }
}

/// Returns the gradient of a function of position. It is computed from differences over a millionth of a
/// millimetre.
pub(crate) fn slope(function: impl Fn(Vector3<f64>) -> f64, p: Vector3<f64>) -> Vector3<f64> {
    const DIFFERENCE: f64 = 1e-6;
    let value = function(p);
    Vector3::from_fn(|axis, _| {
        let mut near = p;
        near[axis] += DIFFERENCE;
        (function(near) - value) / DIFFERENCE
    })
}

/// Returns the points along the centre line of a tube at which the tube is close to the cortex.
fn crowns(tube: &Tube) -> Vec<Vector3<f64>> {
    /// Distance between neighbouring points in mm.
    const APART: f64 = 4.0;
    let fibres: &[f64] = if tube.is_wide() { &[-0.75, 0.0, 0.75] } else { &[0.0] };
    let steps = (tube.end() / APART).ceil() as usize;
    let along =
        |u: f64| (0..=steps).map(move |n| tube.position(tube.end() * n as f64 / steps as f64, u, 0.0));
    let close = |p: &Vector3<f64>| (0.0..CORTEX + 2.0 * FURROW).contains(&ellipsoid_depth(*p));
    fibres.iter().flat_map(|&u| along(u)).filter(close).collect()
}

/// Distance between the midsagittal plane and the cut surface of each hemisphere, in mm.
pub(crate) const MIDDLE: f64 = 0.2;
/// Half of the thickness of the CSF between the hemispheres and in the lateral fissures, in mm.
const FISSURE: f64 = 1.0;
const LATERAL_FISSURE: f64 = 0.9;

/// Returns the distance in mm between a point and the CSF between the hemispheres. This CSF is a sheet in the
/// midsagittal plane. In the core of the brain, there is no sheet, because the hemispheres are joined there.
fn fissure_depth(p: Vector3<f64>) -> f64 {
    beside_fissure(p).max(below_fissure(p))
}

/// Returns the distance in mm between a point and the sheet of CSF between the hemispheres, as if the sheet
/// had no edge.
fn beside_fissure(p: Vector3<f64>) -> f64 {
    p.x.abs() - FISSURE
}

/// Returns the distance in mm between a point and the edge of the sheet of CSF between the hemispheres. The
/// distance is positive on the side where the hemispheres are joined.
fn below_fissure(p: Vector3<f64>) -> f64 {
    let (y, z) = (p.y / 46.0, (p.z - 6.0) / 24.0);
    let length = y.hypot(z);
    let gradient = (y / 46.0).hypot(z / 24.0);
    let core = if gradient < 1e-9 { 24.0 } else { length * (1.0 - length) / gradient };
    // Below the core in which the hemispheres are joined, the brain stem also joins them.
    let stem = -8.0 - p.z;
    core.max(stem.min(26.0 - p.y.abs()))
}

/// Returns the distance between a point and the lateral fissure, the deep sulcus above each temporal lobe.
fn lateral_depth(p: Vector3<f64>) -> f64 {
    beside_lateral_fissure(p).max(within_lateral_fissure(p))
}

/// Returns the distance in mm between a point and the sheet of CSF in the lateral fissure, as if the sheet
/// had no edge.
fn beside_lateral_fissure(p: Vector3<f64>) -> f64 {
    let floor = -9.0 + 0.22 * (p.y - 8.0);
    0.97 * (p.z - floor).abs() - LATERAL_FISSURE
}

/// Returns the distance in mm between a point and the edge of the sheet of CSF in the lateral fissure. The
/// distance is positive if the point is deeper in the brain than the edge.
fn within_lateral_fissure(p: Vector3<f64>) -> f64 {
    (40.0 - p.x.abs()).max(-22.0 - p.y).max(p.y - 48.0)
}

/// Returns the velocity of the points around a sheet of CSF, if their distance `depth` in mm from the sheet
/// shrinks. The points move towards the centre of the sheet, and their distance from it decreases
/// proportionally. Near the edge, they also move over the edge, so that points around the edge keep their
/// order. `beside` is the distance from the sheet plus half of the thickness of the sheet. `edge` is the
/// distance from the edge of the sheet.
fn shrinking(
    p: Vector3<f64>,
    depth: f64,
    (beside, half_thickness): (fn(Vector3<f64>) -> f64, f64),
    edge: fn(Vector3<f64>) -> f64,
) -> Vector3<f64> {
    /// Maximum distance in mm from the edge of the sheet of CSF up to which points move over the edge when
    /// the sheet shrinks.
    const FAR: f64 = 10.0;
    let (across, along) = (slope(beside, p), slope(edge, p));
    let part = (beside(p) + half_thickness) / (depth + half_thickness);
    let drawn = ((edge(p) - depth) / FAR).exp().min(1.0);
    -across * (part / across.norm_squared()) - along * (drawn / along.norm_squared())
}

pub(crate) fn in_nucleus(p: Vector3<f64>) -> bool {
    let mirrored = Vector3::new(p.x.abs(), p.y, p.z);
    NUCLEI.iter().any(|&nucleus| in_ellipsoid(mirrored, nucleus))
}

pub(crate) fn in_ellipsoid(p: Vector3<f64>, (centre, axes): ([f64; 3], [f64; 3])) -> bool {
    (p - Vector3::from(centre)).component_div(&Vector3::from(axes)).norm_squared() <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landmarks_have_the_expected_tissues() {
        let anatomy = Anatomy::new(std::iter::empty());
        let at = |x: f64, y: f64, z: f64| anatomy.tissue(Vector3::new(x, y, z));
        assert_eq!(at(0.0, 80.0, 0.0), Tissue::Nothing);
        assert_eq!(at(0.0, 68.0, 0.0), Tissue::Csf, "rim");
        assert_eq!(at(0.0, 20.0, 38.0), Tissue::Csf, "between the hemispheres");
        assert_eq!(at(3.5, 20.0, 38.0), Tissue::Grey, "beside the fissure");
        assert_eq!(at(8.0, 4.0, 9.5), Tissue::Csf, "lateral ventricle");
        assert_eq!(at(-8.0, 4.0, 9.5), Tissue::Csf, "lateral ventricle");
        assert_eq!(at(0.0, -9.0, 0.0), Tissue::Csf, "third ventricle");
        assert_eq!(at(8.0, -10.0, 1.0), Tissue::Grey, "thalamus");
        assert_eq!(at(0.0, 0.0, 20.0), Tissue::White, "corpus callosum");
        assert_eq!(at(25.0, 10.0, 20.0), Tissue::White, "centrum semiovale");
    }

    #[test]
    fn the_surface_agrees_with_the_formula() {
        // The depth is exact to first order: for a point 1 mm below the smooth brain surface along its
        // normal, it is 1 mm within 10 %.
        for direction in [[1.0, 0.2, 0.1], [0.1, -1.0, 0.3], [0.3, 0.3, 1.0], [-0.5, 0.4, -0.8]] {
            let d = Vector3::from(direction);
            let axes = Vector3::new(BRAIN[0], BRAIN[1], if d.z < 0.0 { BRAIN_BELOW } else { BRAIN[2] });
            let surface = d / d.component_div(&axes).norm();
            assert!(ellipsoid_depth(surface).abs() < 1e-9);
            assert!((ellipsoid_depth(surface + inwards(surface)) - 1.0).abs() < 0.1);
        }
    }
}
