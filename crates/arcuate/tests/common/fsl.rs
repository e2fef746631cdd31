//! Helpers that the tests of FSL's programs share.

use super::Scratch;
use arcuate_core::Affine;

/// Returns directions that are spread over half the sphere, after two measurements at b = 0.
pub(crate) fn directions(count: u32) -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let spread = (0..count).map(|n| {
        let z = 1.0 - (f64::from(n) + 0.5) / f64::from(count);
        let (radius, turn) = ((1.0 - z * z).sqrt(), golden * f64::from(n));
        [radius * turn.cos(), radius * turn.sin(), z]
    });
    [[0.0; 3]; 2].into_iter().chain(spread).collect()
}

/// Writes `bvals` and `bvecs`, whose paths start with `prefix`. The first two measurements have b = 0, and all others
/// have b = 1000 s/mm².
pub(crate) fn write_gradients(scratch: &Scratch, prefix: &str, directions: &[[f64; 3]]) {
    let line = |values: Vec<String>| values.join(" ") + "\n";
    let b_values = (0..directions.len()).map(|n| if n < 2 { "0".into() } else { "1000".into() });
    scratch.write(&format!("{prefix}bvals"), line(b_values.collect()));
    let axis = |axis: usize| line(directions.iter().map(|d| d[axis].to_string()).collect());
    scratch.write(&format!("{prefix}bvecs"), [axis(0), axis(1), axis(2)].concat());
}

pub(crate) fn leftwards() -> Affine {
    Affine::scaling([-2.0, 2.0, 2.0], [10.0, -5.0, 0.0])
}

pub(crate) fn rightwards() -> Affine {
    Affine::scaling([2.0, 2.0, 2.0], [-10.0, -5.0, 0.0])
}

/// Returns a right-handed grid that is rotated by 30° about z, then by 20° about x.
pub(crate) fn oblique() -> Affine {
    let ((s, c), (t, d)) = (30f64.to_radians().sin_cos(), 20f64.to_radians().sin_cos());
    let rows = [[c, -s * d, s * t, 1.0], [s, c * d, -c * t, 2.0], [0.0, t, d, 3.0]];
    Affine::from_rows(rows.map(|[x, y, z, o]| [2.0 * x, 2.0 * y, 2.0 * z, o])).unwrap()
}

/// Runs a command that must succeed. It must write nothing to standard error, because callers would take that for a
/// failure.
pub(crate) fn succeed(scratch: &Scratch, arguments: &str) -> String {
    let result = scratch.run(arguments);
    let heard = (result.code, result.errors.as_str(), result.steps.len());
    assert_eq!(heard, (0, "", 0), "{arguments}\n{}", result.output);
    result.output
}
