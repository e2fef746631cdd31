//! Tests of model files and of the names of maps.

use super::{DIRECTIONS, changed, figure, fit, map, sticks};
use arcuate_model::models::model_text;

#[test]
fn invalid_model_files_give_one_line_with_line_and_column() {
    let scratch = sticks(&DIRECTIONS);
    let stage = "[[stages]]\nmethod = \"grid\"\nparameters = [\"d\", \"f\"]\n\n";
    for (changes, expected) in [
        (
            &[("dot(g, n)", "dto(g, n)")][..],
            "line 11, column 26: `dto` is not a function; did you mean `dot`?",
        ),
        (
            &[("unit = \"mm²/s\"\n", "")],
            "line 10, column 19: `exp` takes a pure number, and this is ms/µm²; check the units of its terms",
        ),
        (
            &[("b * d)", "b / d)")],
            "line 10, column 19: the divisor can be 0: it goes from 0 to 5 µm²/ms; bound the parameters in it away from 0, or \
             write max(x, 1e-6), atan2(1, x) or powder_stick(x); a `where` around it does not help",
        ),
        (
            &[("(1 - f) * ball + f * stick", "ball + 0 * stick")],
            "line 27, column 13: `f` is not used in the signal; use it there, or remove it",
        ),
        (
            &[("signal = \"\"\"", "constraints = [\"f >= 0.95\"]\nsignal = \"\"\"")],
            "line 9, column 16: no start value meets the constraints; change start or grid of its parameters",
        ),
        (
            &[("signal = \"\"\"", "sgnal = \"\"\"")],
            "line 9, column 1: `sgnal` is nothing that a model file has; did you mean `signal`?",
        ),
        (
            &[("let ball =", "let b =")],
            "line 10, column 5: `let` would hide `b`, which has a meaning already; choose another name",
        ),
        (
            &[
                ("parameters.f]", "parameters.d_error]"),
                ("- f)", "- d_error)"),
                ("+ f *", "+ d_error *"),
                (stage, ""),
            ],
            "line 27, column 13: the map of the uncertainty of `d` has the name `d_error`; choose another",
        ),
        (
            &[("start = \"tensor.v1\"", "start = \"noddi-watson.kappa\"")],
            "line 32, column 13: `n` starts from `kappa` of noddi-watson: an orientation from a number; name a parameter of the same kind",
        ),
        (
            &[("grid = [0.8e-3, 1.2e-3, 1.8e-3, 3e-3]", "start = \"noddi-watson.fwf\""), ("[\"d\", ", "[")],
            "line 21, column 13: `d` starts from `fwf` of noddi-watson, and their units do not fit: µm²/ms and a pure number; \
             name a parameter of the same unit",
        ),
        (
            &[("start = \"tensor.v1\"", "start = \"nobody.n\"")],
            "line 32, column 13: `n` starts from the model nobody, which is not there; name one that `arcuate fit --list` lists, or \
             give both models, separated by a comma",
        ),
    ] {
        scratch.write("mine.toml", changed(changes));
        let expected = format!("error: ./mine.toml, {expected}");
        scratch.fail("fit --list ./mine.toml", 1, &expected);
        let result = scratch.run(&fit("./mine.toml --out out"));
        assert_eq!((result.code, result.errors.trim_end()), (1, &expected[..]));
        assert!(!scratch.path("out").exists());
    }
}

#[test]
fn circular_start_dependencies_are_rejected() {
    let scratch = sticks(&DIRECTIONS);
    scratch.write("mine.toml", changed(&[("start = \"tensor.v1\"", "start = \"ball-2-sticks.n1\"")]));
    scratch.fail(
        "fit --list ./mine.toml",
        1,
        "error: ball-2-sticks, line 24, column 13: `d` starts from ball-1-stick, which starts from ball-2-sticks: a circle; \
         let one of them start from numbers or the tensor",
    );
}

#[test]
fn unknown_model_names_are_rejected() {
    let scratch = sticks(&DIRECTIONS);
    scratch.write("mine.toml", model_text("ball-1-stick").unwrap());
    for (models, expected) in [
        (
            "ball-1-stick,",
            "MODEL: the list `ball-1-stick,` has a comma without a model before or after the comma; remove \
             the comma, or add a model",
        ),
        ("ball-1-stik", "ball-1-stik: no model has this name; did you mean `ball-1-stick`?"),
        (
            "ball-1-stick,./mine.toml",
            "MODEL: the models ball-1-stick and ./mine.toml have the same name ball-1-stick; give each model once; of two files change `name` in one",
        ),
    ] {
        scratch.fail(&fit(&format!("{models} --out out")), 2, &format!("error: {expected}"));
    }
    let result = scratch.run("fit ball-1-stick --out out");
    assert_eq!(result.code, 2);
    assert!(
        result.errors.contains("<DWI>") && !result.errors.contains("provided:\n  <MODEL>"),
        "{}",
        result.errors
    );
}

#[test]
fn printed_models_fit_like_built_in_models() {
    let scratch = sticks(&DIRECTIONS);
    let text = scratch.succeed("fit --list ball-2-sticks");
    scratch.write("mine.toml", text);
    scratch.succeed(&fit("ball-2-sticks --out own"));
    scratch.succeed(&fit("./mine.toml --out file"));
    let names: Vec<String> =
        scratch.listing("own").into_iter().filter(|name| name.ends_with(".nii.gz")).collect();
    assert!(names.len() > 6, "{names:?}");
    for name in names {
        let bits = |folder: &str| -> Vec<u32> {
            map(&scratch, &format!("{folder}/{name}")).into_iter().map(f32::to_bits).collect()
        };
        assert_eq!(bits("own"), bits("file"), "{name}");
    }
}

#[test]
fn maps_have_the_names_of_other_programs() {
    let scratch = sticks(&DIRECTIONS);
    for (whose, wanted) in [
        (
            "mdt",
            [
                "ficvf.nii.gz",
                "fiso.nii.gz",
                "odi.nii.gz",
                "fibredirs.nii.gz",
                "kappa.nii.gz",
                "ndi_tissue.nii.gz",
            ],
        ),
        (
            "amico",
            [
                "fit_NDI.nii.gz",
                "fit_FWF.nii.gz",
                "fit_ODI.nii.gz",
                "fit_dir.nii.gz",
                "kappa.nii.gz",
                "fit_NDI_modulated.nii.gz",
            ],
        ),
        (
            "bids",
            [
                "model-noddi_param-icvf_dwimap.nii.gz",
                "model-noddi_param-isovf_dwimap.nii.gz",
                "model-noddi_param-od_dwimap.nii.gz",
                "model-noddi_param-direction_dwimap.nii.gz",
                "model-noddi_param-kappa_dwimap.nii.gz",
                "model-noddi_param-nditissue_dwimap.nii.gz",
            ],
        ),
    ] {
        let result = scratch.run(&fit(&format!("noddi-watson --out {whose} --names {whose}")));
        assert_eq!(result.code, 0, "{}", result.errors);
        let listing = scratch.listing(whose);
        for name in wanted {
            assert!(listing.contains(&name.to_owned()), "{name}: {listing:?}");
        }
    }
    // The names of two parameters differ only by an underscore.
    scratch.write(
        "mine.toml",
        changed(&[
            ("parameters.f]", "parameters.d_]"),
            ("- f)", "- d_)"),
            ("+ f *", "+ d_ *"),
            ("\"f\"]", "\"d_\"]"),
        ]),
    );
    scratch.succeed(&fit("./mine.toml --out plain"));
    scratch.fail(
        &fit("./mine.toml --out out --names bids"),
        2,
        "error: --names: two maps would have the name model-ball1stick_param-d_dwimap.nii.gz; give them \
         different names under `names` in the model file",
    );
}

#[test]
fn grid_search_fits_count_as_converged() {
    let scratch = sticks(&DIRECTIONS);
    let search = [
        ("\n[[stages]]\nmethod = \"levenberg-marquardt\"\n", ""),
        ("name = \"ball-1-stick\"", "name = \"search\""),
    ];
    scratch.write("search.toml", changed(&search));
    scratch.succeed(&fit("./search.toml,ball-1-stick --out out --compare bic --standard-errors"));
    assert_eq!(map(&scratch, "out/search/status.nii.gz"), [1.0, 1.0]);
    let record: serde_json::Value = serde_json::from_slice(&scratch.read("out/arcuate.json")).unwrap();
    let unknowns: Vec<i64> =
        record["tables"][0]["rows"].as_array().unwrap().iter().map(|row| row[2].as_i64().unwrap()).collect();
    assert_eq!(unknowns, [2, 5]);
    // Only the parameters of the search have maps of errors.
    let errors: Vec<String> =
        scratch.listing("out/search").into_iter().filter(|name| name.ends_with("_error.nii.gz")).collect();
    assert_eq!(errors, ["d_error.nii.gz", "f_error.nii.gz"]);
    assert!(map(&scratch, "out/search/f_error.nii.gz").iter().all(|error| *error > 0.0 && *error <= 1.0));
}

#[test]
fn fits_that_stop_early_are_reported() {
    let scratch = sticks(&DIRECTIONS);
    let message = "error: --evaluations 0: it must be 1 or more; see `arcuate fit --help`";
    scratch.fail(&fit("ball-1-stick --out no --evaluations 0"), 2, message);
    let warning = "ball-1-stick: in 2 of 2 voxels the fit used all evaluations before it converged (status 3); these voxels have the last \
                   values; more --evaluations may help";
    let result =
        scratch.succeed_with(&fit("ball-1-stick --out out --evaluations 1"), &format!("warning: {warning}"));
    assert!(result.contains("2 of 2 voxels fitted, 2 of them stopped before the end (status 3)"), "{result}");
    let record: serde_json::Value = serde_json::from_slice(&scratch.read("out/arcuate.json")).unwrap();
    assert_eq!(record["warnings"], serde_json::json!([warning]));
}

#[test]
fn parameters_at_their_bounds_are_counted_and_reported() {
    let scratch = sticks(&[[0.6, 0.0, 0.8], [0.0, 0.8, 0.6], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    // The true fraction of 0.6 is above the upper bound in all voxels.
    scratch.write(
        "model.toml",
        changed(&[
            ("name = \"ball-1-stick\"", "name = \"low\""),
            ("bounds = [0, 1]", "bounds = [0, 0.5]"),
            ("0.5, 0.7, 0.9]", "0.5]"),
        ]),
    );
    let result = scratch.succeed(&fit("./model.toml --out out"));
    assert!(result.contains("f is at its upper bound (0.5) in 100.0 % of the voxels"), "{result}");
    assert!(!result.contains("lower bound"), "{result}");
    let share = |name: &str| figure(&scratch, "out/arcuate.json", name);
    assert_eq!(share("voxels with f at its upper bound").as_f64(), Some(100.0));
    assert!(share("voxels with f at its lower bound").is_null());
}
