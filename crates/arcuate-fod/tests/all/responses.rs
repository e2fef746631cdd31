//! Tests the checks of responses. Responses that contradict their tissue are rejected, doubtful responses
//! give a warning, and good responses give none.

use crate::simulated::{CSF, GREY, WHITE, gradients, signals};
use arcuate_core::{Affine, Grid, Mask, Volume};
use arcuate_fod::{
    LabelledResponse, Response, TissueKind, check_responses, check_responses_of_series, check_voxels,
};

/// Responses that MRtrix estimated from a real multi-shell scan (b = 0, 700, 1200 and 2800 s/mm²).
const REAL: [&str; 3] = [
    "4128.5 0 0 0 0\n2533.16 -656.026 70.4758 0 0\n1978.87 -732.453 151.103 -25.3671 0\n1269.26 -602.593 252.278 -73.2239 13.4862",
    "7349.07\n3690.48\n2548.47\n995.55",
    "21958.8\n3443.98\n1316.77\n440.926",
];

fn response(text: &str) -> Response {
    Response::from_text(text).unwrap()
}

/// Returns the doubts about these responses, or the error.
fn checked(texts: &[&str]) -> Result<Vec<String>, String> {
    let responses: Vec<Response> = texts.iter().map(|text| response(text)).collect();
    let given: Vec<LabelledResponse<'_>> = TissueKind::ALL.into_iter().zip(&responses).collect();
    check_responses(&given).map_err(|error| error.to_string())
}

/// Returns a response with every row multiplied by a factor.
fn scaled(text: &str, factor: f64) -> String {
    let rows =
        response(text).rows().iter().map(|row| row.iter().map(|value| factor * value).collect()).collect();
    Response::new(rows).unwrap().to_text()
}

fn reversed(text: &str) -> String {
    text.lines().rev().collect::<Vec<_>>().join("\n")
}

#[test]
fn good_responses_give_no_warnings() {
    let noisy_csf = "9000 \n440\n60\n61.5\n60.2";
    for texts in [
        &REAL[..],
        &[REAL[0]],
        &[REAL[0], REAL[2]],
        &[WHITE, GREY, CSF],
        &[WHITE],
        // This response has a single shell, as MRtrix's `dwi2response tournier` writes it.
        &["1269.26 -602.593 252.278 -73.2239 13.4862"],
        // The signals at high b increase slightly, but are near the noise floor.
        &[
            "4000 0 0\n2500 -650 70\n1900 -700 150\n1500 -650 200\n1200 -600 250",
            "7000\n3700\n2500\n1800\n1300",
            noisy_csf,
        ],
    ] {
        assert_eq!(checked(texts), Ok(Vec::new()), "{texts:?}");
    }
}

#[test]
fn contradictory_responses_are_rejected() {
    let [wm, gm, csf] = REAL;
    let [wm_reversed, gm_twice] = [reversed(wm), scaled(gm, 2.0)];
    let swapped: Vec<&str> = wm.lines().collect();
    let swapped = [swapped[0], swapped[2], swapped[1], swapped[3]].join("\n");
    for (texts, subject, part) in [
        (
            vec![gm, wm, csf],
            "white matter",
            "the response of grey matter is not: the order of the tissues is wrong",
        ),
        (vec![csf, gm, wm], "white matter", "the response of CSF is not: the order of the tissues is wrong"),
        (vec![gm, gm, csf], "white matter", "isotropic, which no response of white matter is"),
        (vec!["4000 0 0\n2000 0 0"], "white matter", "isotropic"),
        (vec![wm, csf, csf], "CSF", "the same as the response of grey matter"),
        (vec![wm, wm, csf], "grey matter", "the same as the response of white matter"),
        (vec![wm, gm, &gm_twice], "CSF", "is a multiple of the response of grey matter"),
        (
            vec![&wm_reversed, gm, csf],
            "white matter",
            "the mean signal of the response rises by 56 % from row 1 to row 2",
        ),
        (
            vec![&swapped, gm, csf],
            "white matter",
            "the mean signal of the response rises by 28 % from row 2 to row 3",
        ),
        (vec![wm, "1000\n2500\n3600\n7300", csf], "grey matter", "rises by 150 %"),
        // The signal is larger along the fibres than across them.
        (vec!["1000 500 100"], "white matter", "row 1 has more signal along the fibres than across them"),
        (vec!["1000 -900 -800 -700"], "white matter", "and signal is not negative"),
    ] {
        let message = checked(&texts).unwrap_err();
        let start = format!("response of {subject}: ");
        assert!(message.starts_with(&start) && message.contains(part), "{texts:?}: {message}");
    }
}

#[test]
fn doubtful_responses_give_warnings() {
    let [wm, gm, csf] = REAL;
    for (texts, part) in [
        (vec![wm, csf, gm], "CSF falls more slowly with b than that of the response of grey matter"),
        (vec![wm, gm, "21958.8\n13443.98\n11316.77\n9440.926"], "CSF falls more slowly with b"),
        (
            vec![wm, "7349.07 0\n3690.48 -300\n2548.47 -300\n995.55 -200", csf],
            "grey matter depends on direction",
        ),
        (vec![wm, "7349.07\n3690.48\n3890.48\n995.55", csf], "rises by 5 % from row 2 to row 3"),
        // This response was estimated from two voxels and three directions. It has a dip around the fibres.
        (vec!["5000 -469 -185 -227 -114"], "the signs of row 1 do not alternate"),
        (vec!["1000 -850 300 -20"], "negative signal along the fibres"),
    ] {
        let doubts = checked(&texts).unwrap();
        assert!(doubts.len() == 1 && doubts[0].contains(part), "{texts:?}: {doubts:?}");
    }
}

/// Creates a slab in which voxels of white matter, grey matter and CSF alternate, and a dark background.
fn series() -> (Volume<f32>, Mask) {
    let grid = Grid::new([30, 10, 1], Affine::identity()).unwrap();
    let of_voxel = |voxel: usize| {
        if voxel >= 150 {
            return signals(&[], 0.001, 0.001, |_| 0.0);
        }
        match voxel % 3 {
            0 => signals(&[([0.0, 0.0, 1.0], 1.0)], 0.0, 0.0, |_| 0.0),
            1 => signals(&[], 1.0, 0.0, |_| 0.0),
            _ => signals(&[], 0.0, 1.0, |_| 0.0),
        }
    };
    (Volume::new(grid, 126, (0..300).flat_map(of_voxel).collect()).unwrap(), Mask::full(grid))
}

#[test]
fn responses_with_another_scale_than_the_series_are_detected() {
    let (dwi, mask) = series();
    let table = gradients();
    let checked = |texts: &[&str]| {
        let responses: Vec<Response> = texts.iter().map(|text| response(text)).collect();
        let given: Vec<LabelledResponse<'_>> = TissueKind::ALL.into_iter().zip(&responses).collect();
        check_responses_of_series(&given, &dwi, &table, &mask).map_err(|error| error.to_string())
    };
    // A response of a single tissue may have the row of its shell only, or all rows.
    let last = WHITE.lines().next_back().unwrap();
    let weighted = WHITE.lines().skip(1).collect::<Vec<_>>().join("\n");
    for texts in [&[WHITE, GREY, CSF][..], &[WHITE, CSF], &[WHITE], &[last], &[&weighted]] {
        assert_eq!(checked(texts), Ok(Vec::new()), "{texts:?}");
    }
    for (factor, is_refused) in [
        (1e-300, true),
        (1e-30, true),
        (1e-4, true),
        (0.02, false),
        (200.0, false),
        (1e4, true),
        (1e30, true),
    ] {
        let white = scaled(WHITE, factor);
        for texts in [&[&white, GREY, CSF][..], &[&white]] {
            match checked(texts) {
                Err(message) if is_refused => {
                    assert!(
                        message.starts_with("response of white matter: the signal of the response is "),
                        "{message}"
                    );
                    let word = if factor > 1.0 { "larger" } else { "smaller" };
                    assert!(
                        message.contains(&format!("times {word} than the signal of the series")),
                        "{message}"
                    );
                }
                Ok(doubts) if !is_refused => {
                    assert!(doubts.len() == 1 && doubts[0].contains("may be of another unit"), "{doubts:?}");
                }
                other => panic!("{factor}: {other:?}"),
            }
        }
    }
    for factor in [0.3, 3.0] {
        let each = [WHITE, GREY, CSF].map(|text| scaled(text, factor));
        assert_eq!(checked(&[&each[0], &each[1], &each[2]]), Ok(Vec::new()), "{factor}");
    }
    // The series is scaled, as if it had another unit.
    let huge = dwi.map(|signal| signal * 1e30);
    let white = response(WHITE);
    let given = [(TissueKind::WhiteMatter, &white)];
    assert!(check_responses_of_series(&given, &huge, &table, &mask).is_err());
    let four = format!("{WHITE}\n500 -300 100 -20 5");
    assert!(
        checked(&[&four]).unwrap_err().contains("the response has 4 rows, but the series has 3 b-values")
    );
    let other = format!("# Shells: 0,1000,3000\n{WHITE}");
    assert!(
        checked(&[&other]).unwrap_err().contains("the last row of the response is for b = 3000 s/mm²"),
        "{other}"
    );
}

#[test]
fn responses_from_few_voxels_or_one_corner_give_warnings() {
    let grid = Grid::new([40, 40, 20], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
    let ball = |centre: [f64; 3], radius: f64| {
        let inside = |voxel: usize| {
            let at = grid.coordinates(voxel).map(|c| c as f64);
            (0..3).map(|k| (at[k] - centre[k]).powi(2)).sum::<f64>() <= radius * radius
        };
        Mask::new(grid, (0..grid.len()).map(inside).collect()).unwrap()
    };
    let brain = ball([20.0, 20.0, 10.0], 18.0);
    let every = |n: usize| {
        let chosen = brain.indices().into_iter().step_by(n).collect::<Vec<_>>();
        Mask::new(grid, (0..grid.len()).map(|voxel| chosen.contains(&voxel)).collect()).unwrap()
    };
    let doubts = |voxels: &Mask| check_voxels(&[(TissueKind::Csf, voxels)], &brain);
    // The voxels are distributed over the whole brain, or are in its middle, as ventricles are.
    assert!(doubts(&every(50)).is_empty() && doubts(&ball([20.0, 20.0, 10.0], 4.0)).is_empty());
    assert!(doubts(&ball([20.0, 24.0, 12.0], 3.0)).is_empty());
    let corner = doubts(&ball([30.0, 30.0, 12.0], 4.0));
    assert!(corner.len() == 1 && corner[0].contains("are all in one corner of the mask"), "{corner:?}");
    let few = doubts(&every(brain.count() / 18));
    assert!(
        few.len() == 1 && few[0].contains("the response of CSF rests on 19 voxels, fewer than 20"),
        "{few:?}"
    );
    let (three, two) = (ball([20.0, 20.0, 10.0], 1.0), ball([20.0, 20.0, 10.0], 0.5));
    let both = check_voxels(&[(TissueKind::WhiteMatter, &three), (TissueKind::Csf, &two)], &brain);
    let expected = "the response of white matter rests on 7 voxels, the response of CSF on 1 voxel, fewer than 20, and may be wrong; ";
    assert!(both.len() == 1 && both[0].starts_with(expected), "{both:?}");
    let one = doubts(&ball([20.0, 20.0, 10.0], 0.5));
    assert!(one[0].contains("rests on 1 voxel, fewer than 20"), "{one:?}");
}
