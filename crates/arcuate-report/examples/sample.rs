//! Writes a report of invented data, to inspect the page: `cargo run -p arcuate-report --example sample --
//! out.html`

#![allow(clippy::expect_used, reason = "a tool for developers")]

use arcuate_core::{Affine, Grid, Mask, Result, Tractogram, Volume};
use arcuate_report::{
    CircleFigure, ColourScale, CurveFigure, ExampleFigure, ExamplePanel, Figure, GradientFigure,
    GradientShell, HistogramFigure, InputFile, Judgement, MapFigure, MatrixFigure, Report, Section,
    SignalFigure, SignalPoint, SignalShell, StreamlineQuantity, TableFigure, TraceFigure, TracePlot, Verdict,
    ViewerScene, render,
};
use std::f64::consts::PI;
use std::path::Path;

/// A reproducible generator of pseudorandom numbers between 0 and 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Returns a grid that is stored from right to left and slightly tilted, as grids of scanners are.
fn grid() -> Grid {
    let rows = [[-2.0, 0.05, 0.0, 80.0], [0.05, 2.0, 0.12, -104.0], [0.0, -0.12, 2.5, -42.0]];
    Grid::new([80, 96, 44], Affine::from_rows(rows).expect("the affine is finite")).expect("the axes differ")
}

/// Creates callosal arcs, ascending bundles on both sides, and long bundles from front to back.
fn streamlines(dice: &mut Dice) -> Tractogram {
    let mut tractogram = Tractogram::new();
    for n in 0..24_000 {
        let spread = |dice: &mut Dice, width: f64| (dice.roll() + dice.roll() - 1.0) * width;
        let side = if n % 2 == 0 { 1.0 } else { -1.0 };
        let (a, b, c) = (spread(dice, 1.0), spread(dice, 1.0), spread(dice, 1.0));
        let points: Vec<[f32; 3]> = (0..=60)
            .map(|step| {
                let t = f64::from(step) / 60.0;
                let point = match n % 3 {
                    0 => {
                        let angle = PI * (0.06 + 0.88 * t);
                        [
                            (46.0 + 5.0 * b) * angle.cos(),
                            42.0 * a - 12.0 + 5.0 * c * (2.0 * t - 1.0),
                            6.0 + 30.0 * angle.sin() + 4.0 * c,
                        ]
                    }
                    1 => [
                        side * (17.0 + 16.0 * t * t + 5.0 * a),
                        -14.0 + 10.0 * b * (0.4 + t),
                        -36.0 + 78.0 * t + 3.0 * c,
                    ],
                    _ => [
                        side * (34.0 + 6.0 * a - 8.0 * (PI * t).sin()),
                        -62.0 + 100.0 * t + 4.0 * b,
                        6.0 + 12.0 * (PI * t).sin() + 6.0 * c,
                    ],
                };
                point.map(|c| c as f32)
            })
            .collect();
        tractogram.push(&points);
        let group = ["callosal arcs", "ascending bundles", "front to back"][n % 3];
        tractogram.groups.members.entry(group.into()).or_default().push(n as u32);
    }
    tractogram
}

fn main() -> Result<()> {
    let out = std::env::args().nth(1).unwrap_or_else(|| "report.html".to_owned());
    let mut dice = Dice(7);
    let (grid, tractogram) = (grid(), streamlines(&mut dice));

    // There is white matter in each voxel that streamlines pass. Its direction is the mean direction of the
    // streamlines.
    let mut passing = vec![[0f64; 3]; grid.len()];
    for streamline in tractogram.iter() {
        for pair in streamline.windows(2) {
            if let Some(voxel) = grid.voxel_at(pair[0].map(f64::from)) {
                for axis in 0..3 {
                    passing[voxel][axis] += f64::from(pair[1][axis] - pair[0][axis]).abs();
                }
            }
        }
    }
    let (mut fa, mut md, mut colour) = (Vec::new(), Vec::new(), Vec::new());
    for voxel in 0..grid.len() {
        let [x, y, z] = grid.centre(voxel);
        let radius = ((x / 68.0).powi(2) + ((y + 8.0) / 84.0).powi(2) + ((z - 4.0) / 60.0).powi(2)).sqrt();
        let inside = radius < 1.0;
        let ventricle =
            ((x.abs() - 9.0) / 6.0).powi(2) + ((y + 5.0) / 28.0).powi(2) + ((z - 12.0) / 9.0).powi(2) < 1.0;
        let amount: f64 = passing[voxel].iter().sum();
        let noise = dice.roll() * 0.05;
        let anisotropy = match (inside, ventricle) {
            (false, _) => 0.0,
            (true, true) => 0.04 + noise,
            (true, false) => (0.08 + noise + 0.75 * (1.0 - (-amount / 60.0).exp())).min(1.0),
        };
        let folds = 0.15 * (x / 7.0).sin() * (y / 6.0).cos() * (z / 8.0).sin();
        fa.push(anisotropy as f32);
        md.push(if !inside {
            0.0
        } else if ventricle || radius > 0.96 {
            2.8e-3
        } else {
            (0.75 + folds + noise) as f32 * 1e-3
        });
        let length = passing[voxel].iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-9);
        colour.extend(passing[voxel].map(|c| (c / length * anisotropy) as f32));
    }
    let volume = |channels, values| Volume::new(grid, channels, values);
    let (fa, md, colour) = (volume(1, fa)?, volume(1, md)?, volume(3, colour)?);
    let mask = Mask::new(grid, fa.values().iter().map(|value| *value > 0.0).collect())?;
    let near = |middle: [f64; 3], radius: f64| {
        let inside = |voxel: usize| {
            let centre = grid.centre(voxel);
            (0..3).map(|axis| (centre[axis] - middle[axis]).powi(2)).sum::<f64>() < radius * radius
        };
        Mask::new(grid, (0..grid.len()).map(inside).collect())
    };
    let (seed, target) = (near([-22.0, -14.0, -20.0], 9.0)?, near([-30.0, -12.0, 36.0], 11.0)?);
    // The map of visits contains the left ascending bundle only, as after tracking from a seed.
    let visits: Vec<f32> = (0..grid.len())
        .map(|voxel| {
            let [x, _, _] = grid.centre(voxel);
            let [_, _, up] = passing[voxel];
            if x < -8.0 && up > passing[voxel][0] + passing[voxel][1] { (up * 190.0) as f32 } else { 0.0 }
        })
        .collect();
    let visits = Volume::new(grid, 1, visits)?;
    let winners = fa.map(|value| {
        if value > 0.45 {
            1.0
        } else if value > 0.2 {
            2.0
        } else {
            0.0
        }
    });
    let before = md.map(|value| if value > 0.0 { value * 30.0 + 0.01 } else { 0.0 });

    let weights: Vec<f64> = (0..tractogram.len())
        .map(|_| {
            if dice.roll() < 0.62 {
                0.0
            } else {
                10f64.powf(-2.2 + 0.8 * (dice.roll() + dice.roll() + dice.roll() - 1.5))
            }
        })
        .collect();
    let iterations: Vec<f64> = (0..=160).map(f64::from).collect();
    let objective =
        iterations.iter().map(|n| 812.0 + 5.2e4 * (-n / 9.0).exp() + 900.0 * (-n / 40.0).exp()).collect();
    let gradient =
        iterations.iter().map(|n| 3e2 * (-n / 12.0).exp() * (1.3 + (n * 1.7).sin()) + 1e-5).collect();
    let regions: Vec<String> = [
        "precentral",
        "parietal_inferior_angular",
        "postcentral",
        "superior frontal",
        "superior temporal",
        "insula",
        "lingual",
        "thalamus",
        "putamen",
    ]
    .iter()
    .flat_map(|name| ["left", "right"].map(|side| format!("{side} {name}")))
    .collect();
    let mut matrix = vec![0.0; regions.len() * regions.len()];
    for row in 0..regions.len() {
        for column in 0..=row {
            let value = if dice.roll() < 0.45 { 0.0 } else { 10f64.powf(dice.roll() * 3.4).floor() };
            matrix[row * regions.len() + column] = value;
            matrix[column * regions.len() + row] = value;
        }
    }
    let matrix = MatrixFigure {
        title: "Connectome".into(),
        caption: "Streamlines that join two regions.".into(),
        quantity: "streamlines".into(),
        names: regions,
        values: matrix,
    };
    let signals = |b: f64| SignalShell {
        name: format!("b {b}"),
        measurements: (0..40)
            .map(|n| {
                let place = f64::from(n) / 39.0;
                let predicted = 1200.0 * (-b * (0.2e-3 + 1.5e-3 * place * place)).exp();
                SignalPoint {
                    place: (b > 0.0).then_some(place),
                    measured: predicted + 60.0 * (dice.roll() - 0.5),
                    predicted,
                }
            })
            .collect(),
    };
    // The points are distributed evenly over the sphere. Each point is rotated by the golden angle relative
    // to the one above.
    let spread = |count: usize, turn: f64| {
        let point = |n: usize| {
            let up = 1.0 - (2.0 * n as f64 + 1.0) / count as f64;
            let (sin, cos) = (turn + n as f64 * PI * (3.0 - 5f64.sqrt())).sin_cos();
            let beside = (1.0 - up * up).sqrt();
            [beside * cos, beside * sin, up]
        };
        (0..count).map(point).collect()
    };
    let directions = GradientFigure {
        title: "Directions".into(),
        caption: String::new(),
        shells: vec![
            GradientShell { name: "b 1000 s/mm²".into(), directions: spread(32, 0.0) },
            GradientShell { name: "b 3000 s/mm²".into(), directions: spread(64, 1.0) },
        ],
    };
    let shells = [0.0, 1000.0, 3000.0].map(signals).to_vec();
    let voxel = [19, 27, 24];
    let winners =
        MapFigure::classes("Best model", winners, vec!["ball and two sticks".into(), "NODDI-Watson".into()])
            .with_anatomy(fa.clone());
    let panel = |(name, note): (&str, &str)| ExamplePanel {
        name: name.into(),
        note: note.into(),
        shells: shells.clone(),
    };
    let example = ExampleFigure {
        title: "ball-2-sticks: typical".into(),
        caption: "Voxel 19, 27, 24, counted from 0. The BIC of the runner-up is 12.3 above: the median of the group.".into(),
        voxel: "voxel 19, 27, 24".into(),
        located: winners.locate(&[voxel])?.remove(0),
        place: "|cos| of the angle between gradient and n1 of ball-2-sticks".into(),
        apart: "b = 0".into(),
        signal: "signal in parts of its mean at b = 0".into(),
        panels: [
            ("ball-2-sticks", "lowest BIC; residual 2.1 % of b = 0"),
            ("noddi-watson", "ΔBIC 12.3; residual 2.4 % of b = 0"),
            ("noddi-2-binghams", "ΔBIC 1234.5; residual 12.4 % of b = 0"),
            ("a_model_of_my_own_with_a_name_that_is_long", "not fitted"),
        ]
        .map(panel)
        .to_vec(),
    };
    let mut chain =
        || (0..2000).map(|_| 1.7e-3 + 1e-4 * (dice.roll() + dice.roll() - 1.0)).collect::<Vec<_>>();
    let chains = vec![chain(), chain(), chain(), chain()];
    let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let pairs = |rows: &[(&str, &str)]| {
        rows.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>()
    };

    let report = Report {
        title: "Invented brain, 64 directions".into(),
        subtitle: "arcuate run dwi.nii.gz --bval dwi.bval --bvec dwi.bvec --out out/".into(),
        created: "This page shows invented data.".into(),
        judgements: [Verdict::Good, Verdict::Doubtful, Verdict::Bad]
            .map(|verdict| Judgement {
                sentence: format!("This invented result is {}.", verdict.name()),
                verdict,
                criterion: "invented number: 7; good from 9, bad below 5".into(),
            })
            .to_vec(),
        done: "24,000 streamlines were invented, and weights that explain an invented signal.".into(),
        summary: pairs(&[
            ("Streamlines", "24,000"),
            ("With weight above 0", "9,120 (38 %)"),
            ("Median RMSE before → after", "0.0431 → 0.0317"),
            ("Connections found", "67 of 120"),
        ]),
        details: pairs(&[("White-matter voxels", "38,214"), ("Duration", "1 min 12 s")]),
        warnings: vec!["111 voxels of the mask have FA above 1 (noise at the edge); they are shown as 1.".into()],
        viewer: Some(
            ViewerScene::new()
                .with_background("Fractional anisotropy", &fa, Some([0.0, 0.9]), "")?
                .with_background("Directions (colour FA)", &colour, None, "")?
                .with_background("Mean diffusivity", &md, Some([0.0, 3e-3]), "mm²/s")?
                .with_streamlines(&tractogram, Some(&StreamlineQuantity::weights(weights.clone())))?,
        ),
        lead: None,
        other_maps: Vec::new(),
        scan: Some(Section {
            title: "The scan".into(),
            paragraphs: Vec::new(),
            figures: vec![Figure::Gradients(directions)],
        }),
        maps: vec![
            MapFigure::directions("Directions (colour FA)", colour)
                .with_caption("Principal diffusion direction, weighted by fractional anisotropy."),
            MapFigure::scalar("Fractional anisotropy", fa.clone(), "").with_window(0.0, 0.9),
            MapFigure::scalar("Mean diffusivity", md, "mm²/s").with_window(0.0, 3e-3),
            MapFigure::scalar("RMSE of the fit", before, "signal / S₀")
                .with_colours(ColourScale::Inferno)
                .with_caption("Root mean squared error of the predicted diffusion signal in each voxel."),
            MapFigure::scalar("Mean b = 0", fa.map(|value| 900.0 * (1.0 - value)), "")
                .with_outline(&mask, "brain mask"),
            MapFigure::scalar("Visits", visits, "streamlines")
                .with_colours(ColourScale::Inferno)
                .with_anatomy(fa.clone())
                .with_outline(&seed, "seed")
                .with_outline(&target, "waypoint precentral_gyrus_left"),
            winners,
        ],
        weights: Some(HistogramFigure::of_weights(weights)),
        convergence: Some(CurveFigure::convergence(iterations, objective, gradient)),
        lesions: vec![TableFigure {
            title: "Virtual lesions".into(),
            caption: "Error along each bundle’s voxels with and without it.".into(),
            columns: row(&["Bundle", "Streamlines", "RMSE with", "RMSE without", "Strength of evidence", "Earth mover’s distance"]),
            rows: vec![
                row(&["corpus callosum", "8,000", "0.0312", "0.0511", "41.2", "0.0187"]),
                row(&["left corticospinal", "4,000", "0.0298", "0.0402", "22.8", "0.0101"]),
                row(&["right arcuate", "4,000", "0.0331", "0.0339", "1.4", "0.0009"]),
            ],
        }],
        connectome: vec![Figure::Matrix(matrix.clone())],
        sections: vec![Section {
            title: "Other figures".into(),
            paragraphs: Vec::new(),
            figures: vec![
                Figure::Circle(CircleFigure { matrix, maximum: 40 }),
                Figure::Signals(SignalFigure {
                    title: "Ball and stick".into(),
                    caption: String::new(),
                    place: "cosine of the angle between gradient and the first orientation".into(),
                    signal: "signal".into(),
                    shells,
                }),
                Figure::Example(example),
                Figure::Traces(TraceFigure {
                    title: "Samples".into(),
                    caption: String::new(),
                    plots: vec![TracePlot { name: "d, mm²/s".into(), note: "R̂ 1.01, 1,204 independent samples".into(), chains }],
                }),
            ],
        }, Section {
            title: "Comparison with the truth".into(),
            paragraphs: vec!["The phantom’s bundles are known, so the tractogram can be marked.".into()],
            figures: vec![Figure::Table(TableFigure {
                title: "Bundles".into(),
                columns: row(&["Bundle", "Found", "Overlap (Dice)"]),
                rows: vec![row(&["crossing", "yes", "0.81"]), row(&["kissing", "yes", "0.77"]), row(&["fanning", "no", "–"])],
                ..TableFigure::default()
            })],
        }],
        inputs: vec![
            InputFile { path: "sub-01/dwi/sub-01_dwi.nii.gz".into(), bytes: 68_214_991, sha256: "3b1f".repeat(16) },
            InputFile { path: "sub-01/dwi/sub-01_dwi.bval".into(), bytes: 312, sha256: "0c7e".repeat(16) },
        ],
        options: pairs(&[("--random-seed", "1"), ("--select", "24000"), ("--step", "1 mm"), ("--angle", "45°"), ("--cutoff", "0.15"), ("--device", "cpu")]),
        versions: pairs(&[("arcuate", env!("CARGO_PKG_VERSION")), ("rustc", "1.90"), ("viewer", "NiiVue 0.69.0")]),
        timings: [("read", 1.31), ("mask", 0.42), ("tensor fit", 0.97), ("tracking", 8.4), ("LiFE encode", 3.6), ("LiFE fit", 41.2), ("report", 0.8)]
            .map(|(name, seconds)| (name.to_owned(), seconds))
            .to_vec(),
        references: vec![
            "Pestilli F, Yeatman JD, Rokem A, Kay KN, Wandell BA. Evaluation and statistical inference for human connectomes. Nature Methods 11, 2014. doi:10.1038/nmeth.3098".into(),
            "Basser PJ, Mattiello J, LeBihan D. MR diffusion tensor spectroscopy and imaging. Biophysical Journal 66, 1994. doi:10.1016/S0006-3495(94)80775-1".into(),
        ],
    };
    arcuate_io::write_file(Path::new(&out), render(&report)?)
}
