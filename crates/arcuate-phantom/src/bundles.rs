use crate::tube::Tube;
use arcuate_core::narrow;
use nalgebra::Vector3;

/// A white matter bundle of the simulated brain.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The name of the bundle, such as `arcuate_left`. The group of its true streamlines has the same name.
    pub name: String,
    /// The numbers of the two regions that the bundle connects.
    pub regions: (u32, u32),
    /// The names of the two regions that the bundle connects.
    pub region_names: (String, String),
    pub(crate) tube: Tube,
}

impl Bundle {
    /// Returns true if a point (RAS mm) is in the bundle's tube, with the radii of the tube increased by
    /// `margin_mm`. The tube includes the grey matter at both ends of the bundle.
    pub fn contains(&self, point: [f64; 3], margin_mm: f64) -> bool {
        let point = Vector3::from(point);
        self.tube.is_near(point, margin_mm)
            && self.tube.locate(point).is_some_and(|at| at.is_inside(margin_mm))
    }

    /// Returns the unit direction of the fibres at a point (RAS mm) of the tube, with arbitrary sign. Returns
    /// `None` if the point is outside the tube.
    pub fn direction_at(&self, point: [f64; 3]) -> Option<[f64; 3]> {
        let at = self.tube.locate(Vector3::from(point)).filter(|at| at.is_inside(0.0))?;
        Some(self.tube.direction(&at).into())
    }
}

/// The geometry of a bundle: a tube that is defined by control points. Each control point has the five
/// numbers x, y, z, r₁ and r₂ in mm, where r₁ and r₂ are radii of the tube. The radius r₁ is along the
/// direction `reference`. The first and the last control point are outside the brain, so that the bundle
/// reaches the cortex with its full width.
struct BundleGeometry {
    name: &'static str,
    ends: [&'static str; 2],
    reference: [f64; 3],
    controls: &'static [[f64; 5]],
}

/// Bundles that cross the midline.
const COMMISSURES: [BundleGeometry; 3] = [
    // A bundle in the shape of an arch between the hemispheres. It crosses the fans of the corona radiata at
    // a steep angle.
    BundleGeometry {
        name: "callosum_body",
        ends: ["frontal_lateral_left", "frontal_lateral_right"],
        reference: [0.0, 1.0, 0.0],
        controls: &[
            [-55.0, 0.0, 43.0, 13.0, 4.5],
            [-41.0, 0.0, 32.0, 13.0, 4.0],
            [-30.0, 0.0, 26.0, 12.0, 3.5],
            [-16.0, 0.0, 21.0, 12.0, 3.5],
            [0.0, 0.0, 19.0, 12.0, 3.5],
            [16.0, 0.0, 21.0, 12.0, 3.5],
            [30.0, 0.0, 26.0, 12.0, 3.5],
            [41.0, 0.0, 32.0, 13.0, 4.0],
            [55.0, 0.0, 43.0, 13.0, 4.5],
        ],
    },
    BundleGeometry {
        name: "forceps_minor",
        ends: ["frontal_pole_left", "frontal_pole_right"],
        reference: [0.0, 0.0, 1.0],
        controls: &[
            [-21.0, 78.0, 6.0, 7.0, 4.0],
            [-18.0, 58.0, 6.0, 6.5, 3.5],
            [-14.5, 44.0, 7.0, 6.0, 3.0],
            [-8.5, 32.5, 8.0, 5.5, 3.0],
            [0.0, 29.0, 9.0, 5.5, 3.0],
            [8.5, 32.5, 8.0, 5.5, 3.0],
            [14.5, 44.0, 7.0, 6.0, 3.0],
            [18.0, 58.0, 6.0, 6.5, 3.5],
            [21.0, 78.0, 6.0, 7.0, 4.0],
        ],
    },
    BundleGeometry {
        name: "forceps_major",
        ends: ["occipital_medial_left", "occipital_medial_right"],
        reference: [0.0, 0.0, 1.0],
        controls: &[
            [-17.0, -82.0, 6.0, 6.0, 3.5],
            [-15.5, -62.0, 7.0, 5.5, 3.5],
            [-13.5, -47.0, 9.0, 5.0, 3.0],
            [-8.0, -34.0, 11.0, 4.2, 3.0],
            [0.0, -30.0, 12.0, 4.2, 3.0],
            [8.0, -34.0, 11.0, 4.2, 3.0],
            [13.5, -47.0, 9.0, 5.0, 3.0],
            [15.5, -62.0, 7.0, 5.5, 3.5],
            [17.0, -82.0, 6.0, 6.0, 3.5],
        ],
    },
];

/// Bundles of the right hemisphere. The bundles of the left hemisphere are their mirror images.
const HEMISPHERE: [BundleGeometry; 6] = [
    // A long and curved bundle. It leads from the frontal lobe to the back, around the end of the lateral
    // fissure, and into the temporal lobe.
    BundleGeometry {
        name: "arcuate",
        ends: ["frontal_inferior", "temporal_middle"],
        reference: [1.0, 0.0, 0.0],
        controls: &[
            [60.0, 58.0, 8.0, 4.0, 4.5],
            [40.0, 43.0, 10.0, 3.5, 4.5],
            [33.5, 30.0, 13.0, 3.5, 4.0],
            [34.0, 18.0, 15.0, 3.5, 4.0],
            [34.0, 4.0, 16.0, 3.5, 4.0],
            [34.0, -14.0, 15.0, 3.5, 4.0],
            [35.0, -27.0, 8.0, 3.5, 4.0],
            [35.0, -31.5, -3.0, 3.5, 4.0],
            [34.0, -28.0, -13.0, 3.5, 4.0],
            [36.0, -20.0, -19.0, 3.5, 4.0],
            [42.0, -11.0, -24.0, 3.5, 4.5],
            [56.0, 4.0, -32.0, 4.0, 5.0],
        ],
    },
    // A bundle in the shape of a fan, like the corona radiata. It is narrow at the brain stem and wide below
    // the cortex.
    BundleGeometry {
        name: "corticospinal",
        ends: ["brain_stem", "precentral"],
        reference: [0.0, 1.0, 0.0],
        controls: &[
            [6.5, -14.0, -60.0, 3.5, 3.5],
            [7.5, -13.0, -42.0, 3.5, 3.5],
            [11.0, -11.0, -24.0, 3.5, 3.5],
            [17.5, -8.0, -4.0, 4.5, 3.5],
            [20.5, -7.0, 14.0, 9.0, 4.5],
            [22.0, -6.0, 30.0, 15.0, 5.5],
            [23.0, -6.0, 58.0, 23.0, 7.0],
        ],
    },
    // The next two bundles kiss: they come close to each other, run in parallel for about 20 mm, and separate
    // again.
    BundleGeometry {
        name: "inferior_longitudinal",
        ends: ["occipital_lateral", "temporal_pole"],
        reference: [1.0, 0.0, 0.0],
        controls: &[
            [21.0, -80.0, -13.0, 4.5, 4.5],
            [21.0, -60.0, -10.5, 4.0, 4.0],
            [23.5, -42.0, -11.0, 4.0, 4.0],
            [27.5, -25.0, -13.5, 4.0, 4.0],
            [29.5, -10.0, -16.0, 4.0, 4.0],
            [30.0, 5.0, -22.0, 4.0, 4.0],
            [30.0, 18.0, -31.0, 4.0, 4.0],
            [30.0, 30.0, -44.0, 4.5, 4.5],
        ],
    },
    BundleGeometry {
        name: "inferior_fronto_occipital",
        ends: ["parietal_inferior", "frontal_orbital"],
        reference: [1.0, 0.0, 0.0],
        controls: &[
            [34.0, -78.0, 12.0, 4.5, 4.5],
            [30.0, -56.0, 7.0, 4.0, 4.0],
            [28.0, -40.0, 0.0, 4.0, 4.0],
            [27.5, -25.0, -5.5, 4.0, 4.0],
            [27.0, -10.0, -7.5, 4.0, 4.0],
            [25.5, 8.0, -6.0, 4.0, 4.0],
            [25.0, 26.0, -5.0, 4.0, 4.0],
            [26.0, 44.0, -6.0, 4.5, 4.0],
            [28.0, 74.0, -9.0, 5.0, 4.5],
        ],
    },
    // A bundle along the midsagittal plane, above the arch-shaped bundle that joins the hemispheres.
    BundleGeometry {
        name: "cingulum",
        ends: ["cingulate_anterior", "cingulate_posterior"],
        reference: [1.0, 0.0, 0.0],
        controls: &[
            [11.0, 78.0, 26.0, 3.0, 3.0],
            [10.0, 54.0, 24.0, 2.5, 3.0],
            [9.5, 36.0, 25.5, 2.5, 3.0],
            [9.5, 16.0, 28.0, 2.5, 3.0],
            [9.5, -6.0, 28.5, 2.5, 3.0],
            [9.5, -26.0, 26.0, 2.5, 3.0],
            [10.0, -44.0, 22.0, 2.5, 3.0],
            [11.0, -74.0, 21.0, 3.0, 3.0],
        ],
    },
    // A short association bundle. It leads down from one gyrus and up into the neighbouring gyrus.
    BundleGeometry {
        name: "short_parietal",
        ends: ["postcentral", "parietal_superior"],
        reference: [1.0, 0.0, 0.0],
        controls: &[
            [25.0, -24.0, 60.0, 3.5, 3.5],
            [25.0, -27.0, 42.0, 3.5, 3.5],
            [25.0, -28.0, 28.0, 3.5, 3.0],
            [25.5, -33.0, 20.0, 3.5, 3.0],
            [26.0, -41.0, 18.5, 3.5, 3.0],
            [27.0, -49.0, 22.0, 3.5, 3.0],
            [28.0, -62.0, 33.0, 3.5, 3.5],
        ],
    },
];

/// Returns all bundles of the simulated brain. The regions that they connect are numbered from 1.
pub(crate) fn all() -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    let mut add = |name: String, ends: [String; 2], controls: &[[f64; 5]], reference: [f64; 3]| {
        let first = 2 * narrow::<u32>(bundles.len()) + 1;
        let [from, to] = ends;
        bundles.push(Bundle {
            name,
            regions: (first, first + 1),
            region_names: (from, to),
            tube: Tube::new(controls, reference),
        });
    };
    for course in &COMMISSURES {
        add(course.name.to_owned(), course.ends.map(str::to_owned), course.controls, course.reference);
    }
    for course in &HEMISPHERE {
        for (side, sign) in [("left", -1.0), ("right", 1.0)] {
            let controls: Vec<[f64; 5]> =
                course.controls.iter().map(|&[x, y, z, a, b]| [sign * x, y, z, a, b]).collect();
            let ends = course.ends.map(|end| format!("{end}_{side}"));
            add(format!("{}_{side}", course.name), ends, &controls, course.reference);
        }
    }
    bundles
}
