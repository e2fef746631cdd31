use arcuate_core::{Error, GradientTable, Orientations, Result};
use arcuate_numbers::vector3::norm;

/// Creates a gradient table with one shell. First come `b0_count` measurements without diffusion weighting,
/// and then `directions` measurements at the b-value `b_value` in s/mm². The directions are distributed by
/// electrostatic repulsion (Jones, Horsfield and Simmons 1999,
/// doi:10.1002/(SICI)1522-2594(199909)42:3<515::AID-MRM14>3.0.CO;2-Q). Each direction and its opposite repel
/// all other directions by the inverse squared distance.
///
/// The same arguments always give the same table. Returns an error if there are fewer than six directions
/// (which cannot determine a tensor) or no measurement at b = 0. Also returns an error if the b-value is so
/// small that it counts as b = 0, or if it exceeds [`GradientTable::LARGEST_B`].
pub fn default_gradients(directions: usize, b_value: f64, b0_count: usize) -> Result<GradientTable> {
    if !(6..=1024).contains(&directions) {
        let problem = format!("{directions} directions cannot be distributed over the sphere");
        return Err(Error::usage("gradient directions", problem, "give from 6 to 1024"));
    }
    if b0_count == 0 {
        let problem = "a series needs a measurement without weighting";
        return Err(Error::usage("b = 0 measurements", problem, "give 1 or more"));
    }
    let is_weighted = b_value > GradientTable::DEFAULT_B0_THRESHOLD;
    if !(is_weighted && b_value <= GradientTable::LARGEST_B) {
        let problem = format!("{b_value:e} s/mm² is not a possible b-value");
        let advice = format!(
            "give a number above {} and at most {:e}",
            GradientTable::DEFAULT_B0_THRESHOLD,
            GradientTable::LARGEST_B
        );
        return Err(Error::usage("‘b_value’", problem, advice));
    }
    let mut rows = vec![[0.0; 3]; b0_count];
    rows.extend(repelled(Orientations::half_sphere(directions).directions()));
    let mut b_values = vec![0.0; b0_count];
    b_values.resize(rows.len(), b_value);
    GradientTable::new(&rows, b_values, GradientTable::DEFAULT_B0_THRESHOLD)
}

/// Creates a gradient table with several shells. First come `b0_count` measurements without diffusion
/// weighting, and then the measurements of each shell. `shells` has the number of directions and the b-value
/// in s/mm² of each shell. The directions of a shell are distributed as in [`default_gradients`]. Returns an
/// error for the reasons that `default_gradients` states, or if there is no shell.
pub fn multi_shell_gradients(shells: &[(usize, f64)], b0_count: usize) -> Result<GradientTable> {
    if shells.is_empty() {
        return Err(Error::usage("shells", "there is none", "give one or more"));
    }
    let (mut rows, mut b_values) = (vec![[0.0; 3]; b0_count], vec![0.0; b0_count]);
    for &(directions, b_value) in shells {
        rows.extend(&default_gradients(directions, b_value, b0_count)?.directions()[b0_count..]);
        b_values.resize(rows.len(), b_value);
    }
    GradientTable::new(&rows, b_values, GradientTable::DEFAULT_B0_THRESHOLD)
}

/// Distributes charges on the sphere so that their electrostatic energy is minimal, by steepest descent. In
/// each step, the charge with the largest force moves by at most a fraction of the mean distance between
/// charges. This fraction decreases from step to step, so that the charges converge.
fn repelled(start: &[[f64; 3]]) -> Vec<[f64; 3]> {
    const STEPS: usize = 200;
    let mut charges = start.to_vec();
    let spacing = (std::f64::consts::TAU / start.len() as f64).sqrt();
    for step in 0..STEPS {
        let forces: Vec<[f64; 3]> = charges.iter().map(|&at| tangential(at, force(at, &charges))).collect();
        let strongest = forces.iter().map(|f| norm(*f)).fold(0.0, f64::max);
        if strongest == 0.0 {
            break;
        }
        let scale = 0.1 * spacing * (1.0 - step as f64 / STEPS as f64) / strongest;
        for (charge, force) in charges.iter_mut().zip(&forces) {
            let moved: [f64; 3] = std::array::from_fn(|n| charge[n] + scale * force[n]);
            *charge = moved.map(|c| c / norm(moved));
        }
    }
    charges
}

/// Returns the force on a charge at one point. It is exerted by all other charges and by the opposites of all
/// charges.
fn force(at: [f64; 3], charges: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for charge in charges {
        for sign in [1.0, -1.0] {
            let away: [f64; 3] = std::array::from_fn(|n| at[n] - sign * charge[n]);
            let distance = norm(away);
            // A charge at the distance 0 is the charge itself. The opposite of the charge exerts a radial
            // force, which does not move it on the sphere.
            if distance > 1e-9 {
                sum = std::array::from_fn(|n| sum[n] + away[n] / distance.powi(3));
            }
        }
    }
    sum
}

fn tangential(at: [f64; 3], force: [f64; 3]) -> [f64; 3] {
    let radial: f64 = (0..3).map(|n| at[n] * force[n]).sum();
    std::array::from_fn(|n| force[n] - radial * at[n])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the smallest angle in degrees between two directions, where opposite directions count as
    /// equal.
    fn smallest_angle(directions: &[[f64; 3]]) -> f64 {
        let mut smallest: f64 = 180.0;
        for (n, a) in directions.iter().enumerate() {
            for b in &directions[..n] {
                let cosine: f64 = (0..3).map(|i| a[i] * b[i]).sum();
                smallest = smallest.min(cosine.abs().min(1.0).acos().to_degrees());
            }
        }
        smallest
    }

    #[test]
    fn six_directions_are_the_axes_of_an_icosahedron() {
        let table = default_gradients(6, 1000.0, 1).unwrap();
        // The best distribution of six directions (without sign) is known: all angles are acos(1/√5) =
        // 63.43°. Steepest descent finds it within 1 %.
        assert!(
            smallest_angle(&table.directions()[1..]) > 62.8,
            "{}",
            smallest_angle(&table.directions()[1..])
        );
    }

    #[test]
    fn optimised_directions_are_more_uniform_than_the_spiral() {
        for count in [12, 32, 64] {
            let table = default_gradients(count, 1000.0, 4).unwrap();
            assert_eq!(table.b0_indices(), [0, 1, 2, 3]);
            assert_eq!(table.shells(), [(0.0, 4), (1000.0, count)]);
            let found = smallest_angle(&table.directions()[4..]);
            let start = smallest_angle(Orientations::half_sphere(count).directions());
            // If the 2n points on the sphere (n directions and their opposites) had a hexagonal packing,
            // neighbours would be √(2π/n · 2/√3) rad apart. No distribution has a larger smallest angle.
            let bound = (std::f64::consts::TAU / count as f64 * 2.0 / 3f64.sqrt()).sqrt().to_degrees();
            assert!(
                found > start && found > 0.85 * bound && found <= bound,
                "{count}: {start} {found} {bound}"
            );
        }
    }

    #[test]
    fn shells_are_consecutive() {
        let table = multi_shell_gradients(&[(12, 1000.0), (30, 2000.0)], 3).unwrap();
        assert_eq!(table.shells(), [(0.0, 3), (1000.0, 12), (2000.0, 30)]);
        let alone = default_gradients(30, 2000.0, 1).unwrap();
        for (a, b) in table.directions()[15..].iter().zip(&alone.directions()[1..]) {
            // The directions are scaled to length 1 twice, which causes a rounding error.
            assert!((0..3).all(|n| (a[n] - b[n]).abs() < 1e-15));
        }
        assert!(multi_shell_gradients(&[], 3).is_err());
        assert!(multi_shell_gradients(&[(12, 1000.0), (5, 2000.0)], 3).is_err());
    }

    #[test]
    fn impossible_tables_are_rejected() {
        assert!(default_gradients(5, 1000.0, 1).is_err());
        assert!(default_gradients(32, 1000.0, 0).is_err());
        assert!(default_gradients(32, 50.0, 1).is_err());
        assert!(default_gradients(32, f64::NAN, 1).is_err());
    }
}
