//! The geometry of the bundles in the simulated block of tissue.

use super::FibreLayout;
use crate::tube::Tube;
use arcuate_core::{Affine, Grid, Result};

/// A bundle of a layout. Fibres run along a true bundle, but not along a false one.
pub(super) struct LayoutBundle {
    pub(super) name: &'static str,
    pub(super) tube: Tube,
    /// Total cross-section of the bundle's axons in mm². It is 0 for a false bundle.
    pub(super) axons: f64,
}

/// A layout of bundles, and the voxel grid of the block of tissue that contains them.
pub(super) struct Scene {
    pub(super) grid: Grid,
    /// The bundles of the layout: first the true bundles, then the false ones.
    pub(super) courses: Vec<LayoutBundle>,
}

impl Scene {
    pub(super) fn is_true(course: &LayoutBundle) -> bool {
        course.axons > 0.0
    }
}

/// Definition of a bundle.
struct Plan {
    name: &'static str,
    /// Cross-section of the axons divided by the cross-section of the tube, at the first control point.
    filled: f64,
    /// Direction of r₁.
    reference: [f64; 3],
    /// Control points. Each has the five numbers x, y, z, r₁ and r₂ in mm, where r₁ and r₂ are the radii of
    /// the tube.
    controls: &'static [[f64; 5]],
}

impl Plan {
    const fn through(self, controls: &'static [[f64; 5]]) -> Self {
        Self { controls, ..self }
    }
}

const fn bundle(name: &'static str, filled: f64, reference: [f64; 3]) -> Plan {
    Plan { name, filled, reference, controls: &[] }
}

const UP: [f64; 3] = [0.0, 0.0, 1.0];
const ASIDE: [f64; 3] = [0.0, 1.0, 0.0];

/// Bundles of the layout `Planted`. The control points are coordinates in a block whose corners are at 0 mm
/// and at 48, 48 and 32 mm.
const PLANTED: &[Plan] = &[
    bundle("crossing_x", 0.4, UP).through(&[
        [2.0, 20.0, 10.0, 4.0, 4.0],
        [16.0, 20.5, 10.0, 4.0, 4.0],
        [32.0, 21.5, 10.0, 4.0, 4.0],
        [46.0, 22.0, 10.0, 4.0, 4.0],
    ]),
    bundle("crossing_y", 0.4, UP).through(&[
        [26.0, 2.0, 11.0, 4.0, 4.0],
        [25.0, 16.0, 10.5, 4.0, 4.0],
        [24.0, 32.0, 10.0, 4.0, 4.0],
        [24.0, 46.0, 10.0, 4.0, 4.0],
    ]),
    // The next two bundles come close to each other, touch in the middle, and separate again (kissing
    // bundles).
    bundle("kissing_left", 0.5, UP).through(&[
        [4.0, 44.0, 10.0, 3.0, 3.0],
        [7.0, 37.0, 12.0, 3.0, 3.0],
        [9.5, 30.0, 15.0, 3.0, 3.0],
        [10.0, 24.0, 17.5, 3.0, 3.0],
        [9.0, 16.0, 20.0, 3.0, 3.0],
        [5.0, 6.0, 23.0, 3.0, 3.0],
    ]),
    bundle("kissing_right", 0.5, UP).through(&[
        [20.0, 45.0, 19.0, 3.0, 3.0],
        [17.5, 37.0, 18.5, 3.0, 3.0],
        [16.0, 30.0, 18.0, 3.0, 3.0],
        [16.0, 24.0, 18.5, 3.0, 3.0],
        [17.5, 16.0, 19.5, 3.0, 3.0],
        [22.0, 6.0, 21.0, 3.0, 3.0],
    ]),
    // A bundle in the shape of an arch, which is narrow at its feet and wide at its top.
    bundle("arch", 0.6, ASIDE).through(&[
        [30.5, 34.0, 3.0, 2.6, 2.6],
        [30.5, 34.0, 11.0, 2.8, 2.7],
        [30.5, 33.8, 18.0, 3.0, 2.9],
        [32.4, 33.6, 22.6, 3.2, 3.0],
        [37.0, 33.0, 24.5, 3.3, 3.1],
        [41.6, 32.4, 22.6, 3.2, 3.0],
        [43.5, 32.2, 18.0, 3.0, 2.9],
        [43.5, 32.0, 11.0, 2.8, 2.7],
        [43.5, 32.0, 3.0, 2.6, 2.6],
    ]),
    // This false bundle follows one true bundle up to the crossing with another true bundle. From there, it
    // follows the other bundle.
    bundle("false_turn", 0.0, UP).through(&[
        [2.0, 20.0, 10.0, 3.0, 3.0],
        [12.0, 20.0, 10.0, 3.0, 3.0],
        [20.0, 22.0, 10.0, 3.0, 3.0],
        [24.0, 30.0, 10.0, 3.0, 3.0],
        [24.0, 46.0, 10.0, 3.0, 3.0],
    ]),
    // This false bundle leads from one of the two kissing bundles to the other.
    bundle("false_kiss", 0.0, UP).through(&[
        [4.0, 44.0, 10.0, 2.5, 2.5],
        [7.5, 37.0, 12.5, 2.5, 2.5],
        [12.0, 29.0, 16.0, 2.5, 2.5],
        [15.0, 22.0, 18.5, 2.5, 2.5],
        [17.5, 16.0, 19.5, 2.5, 2.5],
        [22.0, 6.0, 21.0, 2.5, 2.5],
    ]),
    // From end to end, this false bundle passes through tissue without fibres.
    bundle("false_bridge", 0.0, UP).through(&[
        [26.0, 2.0, 11.0, 3.0, 3.0],
        [32.0, 8.0, 12.0, 3.0, 3.0],
        [40.0, 16.0, 10.0, 3.0, 3.0],
        [44.0, 24.0, 6.0, 3.0, 3.0],
        [43.5, 32.0, 3.0, 3.0, 3.0],
    ]),
    bundle("false_leap", 0.0, ASIDE).through(&[
        [22.0, 6.0, 21.0, 2.5, 2.5],
        [30.0, 12.0, 24.0, 2.5, 2.5],
        [38.0, 16.0, 20.0, 2.5, 2.5],
        [44.0, 20.0, 14.0, 2.5, 2.5],
        [46.0, 22.0, 10.0, 2.5, 2.5],
    ]),
    // This false bundle crosses the arch-shaped bundle.
    bundle("false_across", 0.0, UP).through(&[
        [24.0, 44.0, 24.0, 2.5, 2.5],
        [32.0, 38.0, 22.0, 2.5, 2.5],
        [40.0, 30.0, 20.0, 2.5, 2.5],
        [46.0, 24.0, 18.0, 2.5, 2.5],
    ]),
];

/// Bundles of the layout `FiberCup`. The control points are coordinates in a block whose corners are at 0 mm
/// and at 144, 144 and 9 mm. The bundles are ribbons that are as thick as the block.
const FIBER_CUP: &[Plan] = &[
    // A bundle in the shape of a wide arc along the left side of the block, from top to bottom.
    bundle("left_arc", 0.3, UP).through(&[
        [40.0, 134.0, 4.5, 4.0, 6.0],
        [24.0, 112.0, 4.5, 4.0, 6.0],
        [17.0, 80.0, 4.5, 4.0, 6.0],
        [27.0, 46.0, 4.5, 4.0, 6.0],
        [19.0, 12.0, 4.5, 4.0, 6.0],
    ]),
    // A bundle across the middle of the block. Each of the next two bundles crosses it.
    bundle("horizontal", 0.3, UP).through(&[
        [8.0, 74.0, 4.5, 4.0, 6.0],
        [45.0, 76.0, 4.5, 4.0, 6.0],
        [90.0, 74.0, 4.5, 4.0, 6.0],
        [136.0, 72.0, 4.5, 4.0, 6.0],
    ]),
    bundle("diagonal", 0.3, UP).through(&[
        [54.0, 130.0, 4.5, 4.0, 6.0],
        [62.0, 100.0, 4.5, 4.0, 6.0],
        [70.0, 75.0, 4.5, 4.0, 6.0],
        [80.0, 45.0, 4.5, 4.0, 6.0],
        [84.0, 10.0, 4.5, 4.0, 6.0],
    ]),
    // A bundle that starts at the right edge as one trunk and forks into two branches. Both branches are
    // defined with the trunk. After the fork, each branch has half of the width of the trunk.
    bundle("fork_upper", 0.15, UP).through(&[
        [112.0, 8.0, 4.5, 4.0, 8.0],
        [112.0, 28.0, 4.5, 4.0, 8.0],
        [110.0, 46.0, 4.5, 4.0, 6.5],
        [104.0, 60.0, 4.5, 4.0, 4.5],
        [98.0, 84.0, 4.5, 4.0, 4.0],
        [90.0, 132.0, 4.5, 4.0, 4.0],
    ]),
    bundle("fork_lower", 0.15, UP).through(&[
        [112.0, 8.0, 4.5, 4.0, 8.0],
        [112.0, 28.0, 4.5, 4.0, 8.0],
        [114.0, 46.0, 4.5, 4.0, 6.5],
        [120.0, 60.0, 4.5, 4.0, 4.5],
        [125.0, 84.0, 4.5, 4.0, 4.0],
        [128.0, 132.0, 4.5, 4.0, 4.0],
    ]),
    // A bundle with a narrow turn at the top right. Another bundle with a turn, below it, touches it (kissing
    // bundles).
    bundle("turn", 0.3, UP).through(&[
        [100.0, 136.0, 4.5, 4.0, 5.0],
        [100.0, 122.0, 4.5, 4.0, 5.0],
        [102.9, 114.9, 4.5, 4.0, 5.0],
        [110.0, 112.0, 4.5, 4.0, 5.0],
        [117.1, 114.9, 4.5, 4.0, 5.0],
        [120.0, 122.0, 4.5, 4.0, 5.0],
        [120.0, 136.0, 4.5, 4.0, 5.0],
    ]),
    bundle("kissing", 0.3, UP).through(&[
        [44.0, 8.0, 4.5, 4.0, 5.0],
        [41.0, 28.0, 4.5, 4.0, 5.0],
        [38.5, 42.0, 4.5, 4.0, 5.0],
        [41.5, 52.0, 4.5, 4.0, 5.0],
        [49.0, 56.0, 4.5, 4.0, 5.0],
        [56.5, 52.0, 4.5, 4.0, 5.0],
        [59.5, 42.0, 4.5, 4.0, 5.0],
        [62.0, 8.0, 4.5, 4.0, 5.0],
    ]),
    // The next false bundles change from one true bundle to another, at crossings and at kissing bundles.
    bundle("false_corner", 0.0, UP).through(&[
        [8.0, 74.0, 4.5, 3.0, 4.0],
        [44.0, 76.0, 4.5, 3.0, 4.0],
        [62.0, 72.0, 4.5, 3.0, 4.0],
        [74.0, 58.0, 4.5, 3.0, 4.0],
        [84.0, 10.0, 4.5, 3.0, 4.0],
    ]),
    bundle("false_kiss", 0.0, UP).through(&[
        [40.0, 134.0, 4.5, 3.0, 3.0],
        [24.0, 112.0, 4.5, 3.0, 3.0],
        [18.0, 80.0, 4.5, 3.0, 3.0],
        [26.0, 54.0, 4.5, 3.0, 3.0],
        [35.5, 43.0, 4.5, 3.0, 3.0],
        [41.0, 28.0, 4.5, 3.0, 3.0],
        [44.0, 8.0, 4.5, 3.0, 3.0],
    ]),
    // This false bundle leads straight on from the fork of a bundle, between the two branches.
    bundle("false_between", 0.0, UP).through(&[
        [112.0, 8.0, 4.5, 3.0, 5.0],
        [112.0, 40.0, 4.5, 3.0, 5.0],
        [112.0, 75.0, 4.5, 3.0, 4.0],
        [112.0, 108.0, 4.5, 3.0, 4.0],
        [119.0, 122.0, 4.5, 3.0, 4.0],
        [120.0, 136.0, 4.5, 3.0, 4.0],
    ]),
    // This false bundle passes through tissue without fibres.
    bundle("false_chord", 0.0, UP).through(&[
        [40.0, 134.0, 4.5, 3.0, 4.0],
        [40.0, 105.0, 4.5, 3.0, 4.0],
        [44.0, 80.0, 4.5, 3.0, 4.0],
        [56.0, 50.0, 4.5, 3.0, 4.0],
        [62.0, 8.0, 4.5, 3.0, 4.0],
    ]),
    bundle("false_link", 0.0, UP).through(&[
        [54.0, 130.0, 4.5, 3.0, 4.0],
        [70.0, 116.0, 4.5, 3.0, 4.0],
        [84.0, 112.0, 4.5, 3.0, 4.0],
        [96.0, 120.0, 4.5, 3.0, 4.0],
        [100.0, 136.0, 4.5, 3.0, 4.0],
    ]),
];

/// Returns the bundles of a layout, and the voxel grid of its block of tissue.
pub(super) fn scene(layout: FibreLayout) -> Result<Scene> {
    let (shape, size, plans) = match layout {
        FibreLayout::Planted => ([24, 24, 16], 2.0, PLANTED),
        FibreLayout::FiberCup => ([48, 48, 3], 3.0, FIBER_CUP),
    };
    // The corner of the block of tissue is at 0 mm.
    let grid = Grid::new(shape, Affine::scaling([size; 3], [0.5 * size; 3]))?;
    let courses = plans
        .iter()
        .map(|&Plan { name, filled, reference, controls }| {
            let [.., r1, r2] = controls[0];
            LayoutBundle {
                name,
                tube: Tube::new(controls, reference),
                axons: filled * std::f64::consts::PI * r1 * r2,
            }
        })
        .collect();
    Ok(Scene { grid, courses })
}
