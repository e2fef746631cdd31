//! The number of spherical harmonics that the compartments of COMMIT need. The table is in
//! `docs/src/algorithms/commit.md`.

use arcuate_core::{Affine, GradientTable, Grid};
use arcuate_evaluate::commit::{Axes, AxialResponse, Harmonics, Responses, Segment, Segments};
use arcuate_model::compartments::{Compartment, Weighting};
use std::sync::Arc;

/// Returns the operator of compartments along one segment. The error of the responses is at most `tolerance`.
fn operator(compartments: &[Compartment], table: &GradientTable, tolerance: f64) -> Harmonics<f32> {
    let (shells, weightings) = Weighting::shells(table, 0.0).unwrap();
    let response = |compartment: &Compartment| -> AxialResponse {
        let signals: Vec<_> =
            weightings.iter().map(|weighting| compartment.attenuation(weighting).unwrap()).collect();
        Box::new(move |shell, cosine| signals[shell].at(cosine))
    };
    let intra = compartments.iter().map(response).collect();
    let responses =
        Responses::new(table.directions().to_vec(), shells, intra, vec![], vec![], false).unwrap();
    let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
    let segment = Segment { piece: [0.0, 0.0, 1.0], streamline: 0 };
    let segments = Segments::new(grid, 1, vec![0], vec![0, 1], vec![segment]).unwrap();
    Harmonics::new(Arc::new(segments), &Axes::none(1), &responses, None, tolerance).unwrap()
}

fn table(b_values: &[f64]) -> GradientTable {
    GradientTable::new(&vec![[0.0, 0.0, 1.0]; b_values.len()], b_values.to_vec(), 50.0).unwrap()
}

/// Returns the degree that harmonics need in each shell so that the error of a compartment is at most 1e-5.
fn orders(compartment: Compartment) -> Vec<usize> {
    // The pulses have δ = 20 ms and Δ = 40 ms.
    let table = table(&[1000.0, 2000.0, 3000.0, 5000.0, 10_000.0]).with_pulses(0.04, 0.02, 0.08).unwrap();
    let operator = operator(&[compartment], &table, 1e-5);
    assert!(operator.response_error() <= 1e-5);
    operator.orders().to_vec()
}

#[test]
fn orders_agree_with_the_documentation() {
    let d = 1.7e-9;
    let zeppelin = |perpendicular| Compartment::Zeppelin { parallel: d, perpendicular };
    let cylinder = |radius| Compartment::Cylinder { diffusivity: d, radius };
    for (name, compartment, expected) in [
        ("stick", Compartment::Stick { diffusivity: d }, [10, 14, 16, 20, 28]),
        ("zeppelin 0.17", zeppelin(0.17e-9), [10, 14, 16, 18, 24]),
        ("zeppelin 0.51", zeppelin(0.51e-9), [10, 12, 12, 14, 16]),
        ("zeppelin 1.19", zeppelin(1.19e-9), [6, 8, 8, 8, 0]),
        ("cylinder 1", cylinder(1e-6), [10, 14, 16, 20, 28]),
        ("cylinder 3", cylinder(3e-6), [10, 14, 16, 20, 28]),
        ("cylinder 5", cylinder(5e-6), [10, 14, 16, 20, 26]),
    ] {
        assert_eq!(orders(compartment), expected, "{name}");
    }
}

#[test]
fn nine_radii_are_represented_by_few_functions() {
    // The shells of the Human Connectome Project.
    let table = table(&[1000.0, 2000.0, 3000.0]).with_pulses(0.0431, 0.0106, 0.0895).unwrap();
    let radii = (0..9).map(|n| 1e-6 + 0.5e-6 * f64::from(n));
    let cylinders: Vec<_> =
        radii.map(|radius| Compartment::Cylinder { diffusivity: 1.7e-9, radius }).collect();
    let ranks = [1e-3, 1e-5, 1e-6].map(|tolerance| operator(&cylinders, &table, tolerance).ranks()[0]);
    assert_eq!(ranks, [2, 3, 4]);
}
