//! A field of directions that nobody has thought of yet, followed with all that tracking has: circles about an axis.
//!
//! `cargo run -p arcuate-track --example new_field`

use arcuate_core::{Affine, Control, Grid, Mask, StreamlineLengths};
use arcuate_track::{
    Constraints, DirectionField, Draws, Region, Seeds, Termination, WalkOptions, WalkRule, track,
};

/// Circles about the z axis through the middle of a cube of voxels.
pub(crate) struct Circles(pub(crate) Grid);

impl DirectionField for Circles {
    fn grid(&self) -> &Grid {
        &self.0
    }

    fn holds(&self, place: [f32; 3]) -> bool {
        (0..3).all(|axis| place[axis] > -0.5 && place[axis] < self.0.shape()[axis] as f32 - 0.5)
    }

    fn direction(&self, [x, y, _]: [f32; 3], _: [f32; 3], _: &Draws) -> Result<[f32; 3], Termination> {
        let middle = (self.0.shape()[0] - 1) as f32 / 2.0;
        let (x, y) = (x - middle, y - middle);
        let radius = x.hypot(y);
        if radius < 1.0 { Err(Termination::Stuck) } else { Ok([-y / radius, x / radius, 0.0]) }
    }
}

/// Steps along quarters of a circle of 10 mm, more or less.
pub(crate) fn options() -> WalkOptions {
    WalkOptions { rule: WalkRule::RungeKutta4, step_mm: 0.5, max_steps: 100, ..WalkOptions::default() }
}

fn main() -> arcuate_core::Result<()> {
    let field = Circles(Grid::new([41; 3], Affine::identity())?);
    let seeds = Seeds::points(vec![[30.0, 20.0, 20.0]; 10]);
    let ahead = (0..41 * 41 * 41).map(|voxel| (voxel / 41) % 41 > 25).collect();
    let stop = vec![Region::of_mask("ahead", Mask::new(field.0, ahead)?, None)];
    let constraints = Constraints { stop, ..Constraints::default() };
    let mut lengths = StreamlineLengths::default();
    let summary = track(&field, &seeds, &constraints, &options(), &mut lengths, &Control::default())?;
    println!(
        "{} streamlines of {lengths}, {} ends in the region",
        summary.streamlines, summary.terminated.stop
    );
    Ok(())
}
