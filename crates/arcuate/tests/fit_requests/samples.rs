//! `--method mcmc`: what is asked of samples.

use crate::common::Scratch;
use crate::{DIRECTIONS, figure, fit, map, predicted, series, sticks, table};

const SHORT: &str = "--method mcmc --burn-in 100 --jumps 200 --interval 5";

/// Voxels with noise, so that no posterior is without width.
fn noisy() -> Scratch {
    let table = table(&[1000.0, 2000.0], 20);
    let voxel = |n: &[f64; 3]| {
        let clean = predicted("ball-1-stick", &table, &[1000.0, 1.2e-3, 0.6, n[0], n[1], n[2]]);
        // Of some ±20, the same everywhere.
        let noise = (0..clean.len()).map(|m| 20.0 * (1.7 * m as f32 * (1.0 + m as f32)).sin());
        clean.iter().zip(noise).map(|(signal, noise)| signal + noise).collect::<Vec<f32>>()
    };
    series(&table, &DIRECTIONS.iter().map(voxel).collect::<Vec<_>>())
}

#[test]
fn models_are_compared_by_their_samples() {
    let scratch = noisy();
    for criterion in ["dic", "waic"] {
        let command = format!("ball-1-stick,ball-2-sticks --compare {criterion} --out {criterion} {SHORT}");
        scratch.succeed(&fit(&command));
        let best = map(&scratch, &format!("{criterion}/best_model.nii.gz"));
        let [one, two] = ["ball-1-stick", "ball-2-sticks"]
            .map(|model| map(&scratch, &format!("{criterion}/{model}/{criterion}.nii.gz")));
        for voxel in 0..2 {
            let lower = if one[voxel] <= two[voxel] { 1.0 } else { 2.0 };
            assert_eq!(best[voxel], lower);
            // −2 ln of normal densities of 43 measurements whose σ is about 14.
            assert!((330.0..380.0).contains(&one[voxel]), "{criterion}: {one:?}");
        }
        let text = scratch.text(&format!("{criterion}/arcuate.json"));
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let tables = record["tables"].as_array().unwrap();
        let supports = tables.iter().find(|t| t["title"] == "Which model the signal supports").unwrap();
        assert_eq!(supports["columns"][3], "effective parameters (median)");
        let effective = supports["rows"][0][3].as_f64().unwrap();
        assert!((2.0..10.0).contains(&effective), "{effective}");
        let cited = record["references"].to_string();
        assert!(cited.contains("Spiegelhalter") && !cited.contains("Akaike"), "{cited}");
    }
    // Criteria of a best fit are there, too.
    scratch.succeed(&fit(&format!("ball-1-stick,ball-2-sticks --compare bic --out bic {SHORT}")));
    assert!(map(&scratch, "bic/ball-1-stick/bic.nii.gz").iter().all(|value| *value > 0.0));
    assert_eq!(figure(&scratch, "bic/arcuate.json", "voxels in the brain mask"), 2);
}

#[test]
fn a_fit_has_no_criterion_of_samples() {
    let scratch = sticks(&DIRECTIONS);
    for criterion in ["dic", "waic"] {
        scratch.fail(
            &fit(&format!("ball-1-stick,ball-2-sticks --out x --compare {criterion}")),
            2,
            &format!(
                "error: --compare {criterion}: a fit has no samples of a posterior; add --method mcmc, or compare by aic, aicc or bic"
            ),
        );
    }
}
