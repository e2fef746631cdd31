//! Tests the pages that a reader's browser receives.

#![cfg(test)]

use arcuate_core::{Affine, Grid, Tractogram, Volume};
use arcuate_report::{
    CircleFigure, CurveFigure, ExampleFigure, ExamplePanel, Figure, GradientFigure, GradientShell,
    HistogramFigure, InputFile, Judgement, MapFigure, MatrixFigure, Report, Section, SignalFigure,
    SignalPoint, SignalShell, StreamlineQuantity, TableFigure, TraceFigure, TracePlot, Verdict, ViewerScene,
    render,
};

const EVIL: &str =
    "</title></script><script src=\"http://example.org/x.js\">alert('1')</script><img src=x onerror=y>";

fn volume(shape: [usize; 3], channels: usize, value: impl Fn(usize) -> f32) -> Volume<f32> {
    let grid = Grid::new(shape, Affine::scaling([2.0, 2.0, 3.0], [-5.0; 3])).unwrap();
    Volume::new(grid, channels, (0..grid.len() * channels).map(value).collect()).unwrap()
}

fn tractogram() -> Tractogram {
    let mut tractogram = Tractogram::new();
    tractogram.push(&[[0.0; 3], [1.0; 3], [2.0, 1.0, 3.0]]);
    tractogram.push(&[[1.0; 3], [4.0; 3]]);
    tractogram
}

/// Creates a report with every kind of figure. All its texts are `text`.
fn full(text: &str) -> Report {
    let row = || vec![text.to_owned(), text.to_owned()];
    let table = TableFigure { title: text.into(), caption: text.into(), columns: row(), rows: vec![row()] };
    let map = MapFigure::scalar(text, volume([4, 5, 2], 1, |n| n as f32), text).with_caption(text);
    let mut histogram = HistogramFigure::of_weights(vec![0.0, 1.0, 3.0]);
    let mut curve = CurveFigure::convergence(vec![0.0, 1.0], vec![9.0, 1.0], vec![1.0, 0.1]);
    for place in
        [&mut histogram.title, &mut histogram.caption, &mut histogram.quantity, &mut histogram.counted]
    {
        text.clone_into(place);
    }
    for place in [&mut curve.title, &mut curve.caption, &mut curve.step, &mut curve.curves[0].name] {
        text.clone_into(place);
    }
    let matrix = MatrixFigure {
        title: text.into(),
        caption: text.into(),
        quantity: text.into(),
        names: row(),
        values: vec![0.0, 1.0, 1.0, 5.0],
    };
    let signals = SignalFigure {
        title: text.into(),
        caption: text.into(),
        place: text.into(),
        signal: text.into(),
        shells: vec![SignalShell {
            name: text.into(),
            measurements: vec![SignalPoint { place: Some(0.5), measured: 2.0, predicted: 1.0 }],
        }],
    };
    let traces = TraceFigure {
        title: text.into(),
        caption: text.into(),
        plots: vec![TracePlot {
            name: text.into(),
            note: text.into(),
            chains: vec![vec![1.0, 2.0, 1.5], vec![2.0, 1.0, 1.5]],
        }],
    };
    let example = ExampleFigure {
        title: text.into(),
        caption: text.into(),
        voxel: text.into(),
        located: map.locate(&[[1, 2, 0]]).unwrap().remove(0),
        place: text.into(),
        apart: text.into(),
        signal: text.into(),
        panels: vec![ExamplePanel { name: text.into(), note: text.into(), shells: signals.shells.clone() }],
    };
    let shell = GradientShell { name: text.into(), directions: vec![[0.0, 0.0, 1.0]] };
    let gradients = GradientFigure { title: text.into(), caption: text.into(), shells: vec![shell] };
    let pairs = || vec![(text.to_owned(), text.to_owned())];
    let scene =
        ViewerScene::new().with_background(text, &volume([3, 3, 3], 1, |n| n as f32), None, text).unwrap();
    Report {
        title: text.into(),
        subtitle: text.into(),
        created: text.into(),
        judgements: vec![Judgement {
            sentence: text.into(),
            verdict: Verdict::Doubtful,
            criterion: text.into(),
        }],
        done: text.into(),
        summary: pairs(),
        details: pairs(),
        warnings: vec![text.into()],
        viewer: Some(
            scene
                .with_streamlines(&tractogram(), Some(&StreamlineQuantity::weights(vec![0.0, 2.0])))
                .unwrap(),
        ),
        lead: Some(Section {
            title: text.into(),
            paragraphs: vec![text.into()],
            figures: vec![Figure::Table(table.clone())],
        }),
        other_maps: vec![map.clone()],
        maps: vec![map.clone(), MapFigure::directions(text, volume([4, 5, 2], 3, |_| 0.5))],
        weights: Some(histogram.clone()),
        convergence: Some(curve.clone()),
        lesions: vec![table.clone()],
        scan: Some(Section {
            title: "The scan".into(),
            paragraphs: vec![text.into()],
            figures: vec![Figure::Gradients(gradients)],
        }),
        connectome: vec![Figure::Matrix(matrix.clone())],
        sections: vec![Section {
            title: text.into(),
            paragraphs: vec![text.into()],
            figures: vec![
                Figure::Map(Box::new(map)),
                Figure::Histogram(histogram),
                Figure::Curve(curve),
                Figure::Signals(signals),
                Figure::Example(example),
                Figure::Traces(traces),
                Figure::Matrix(matrix.clone()),
                Figure::Circle(CircleFigure { matrix, maximum: 1 }),
                Figure::Table(table),
            ],
        }],
        inputs: vec![InputFile { path: text.into(), bytes: 12_345, sha256: text.into() }],
        options: pairs(),
        versions: pairs(),
        timings: vec![(text.to_owned(), 1.5)],
        references: vec![text.into(), "A paper. doi:10.1000/182".into()],
    }
}

/// Returns a page without its scripts. The scripts are at the end, and contain addresses that they never
/// request.
fn without_scripts(page: &str) -> &str {
    match page.find("<script>") {
        Some(start) => &page[..start],
        None => page,
    }
}

#[test]
fn the_page_loads_no_external_resources() {
    let page = render(&full("plain")).unwrap();
    let page = without_scripts(&page);
    assert!(page.contains("default-src 'none'"));
    for attribute in
        ["srcset=", "action=", "poster=", "@import", "url(", "<iframe", "<object", "<embed", "<base"]
    {
        assert!(!page.contains(attribute), "{attribute}");
    }
    for rest in page.split("src=").skip(1) {
        assert!(rest.starts_with("\"data:image/png;base64,"), "{}", &rest[..40]);
    }
    for rest in page.split("href=\"").skip(1) {
        let address = rest.split('"').next().unwrap();
        let link = rest.split('>').next().unwrap().contains("rel=\"noreferrer\"");
        assert!(link || address.starts_with('#') || address.starts_with("data:"), "{address}");
    }
    assert_eq!(page.matches("'sha256-").count(), 2, "no script may run but those of figures and viewer");
    let mut report = full("plain");
    report.viewer = None;
    assert_eq!(render(&report).unwrap().matches("'sha256-").count(), 1);
    let nothing = render(&Report::default()).unwrap();
    assert!(nothing.contains("script-src 'none'"), "no script may run where there is none");
}

#[test]
fn text_is_escaped_in_the_page() {
    let page = render(&full(EVIL)).unwrap();
    let page = without_scripts(&page);
    assert!(page.contains("&lt;script"), "the text is there, harmless");
    // The only scripts in this part of the page are data.
    assert_eq!(page.matches("<script").count(), page.matches("<script type=\"").count());
    assert!(!page.contains("<img src=x") && !page.contains("example.org/x.js\">"));
}

#[test]
fn the_result_comes_first_and_less_important_maps_are_folded() {
    let page = render(&full("plain")).unwrap();
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part}"));
    let verdict = at(r#"<b class="verdict doubtful">doubtful</b>"#);
    assert!(
        at("<main>") < verdict
            && verdict < at(r#"class="warnings""#)
            && verdict < at(r#"<dl class="summary">"#),
        "order"
    );
    assert!(at("Criterion: plain.") > verdict);
    let lead = at(r#"<section id="lead">"#);
    assert!(lead < at(r#"<section id="scan">"#) && lead < at(r#"<section id="maps">"#));
    let folded = at(r#"<section id="other-maps" class="folded">"#);
    assert!(folded > at(r#"<section id="section-1">"#));
    assert!(page[folded..].trim_start().contains("<details>"));
    // If a report has no judgements, the page has no empty part for them.
    let nothing = render(&Report { title: "plain".into(), ..Report::default() }).unwrap();
    assert!(!nothing.contains(r#"class="result""#) && !nothing.contains("other-maps"));
}

#[test]
fn a_thin_region_shows_each_slice_once() {
    // The map has a line of voxels along x in a thick stack. All coronal slices of this region are therefore
    // the same slice.
    let line = |n: usize| if (n / 20) % 20 == 7 && n / 400 == 9 { 1.0 } else { 0.0 };
    let map = MapFigure::scalar("tract", volume([20, 20, 30], 1, line), "streamlines");
    let page = render(&Report { maps: vec![map], ..Report::default() }).unwrap();
    let coronal = page.matches(r#"data-plane="coronal""#).count();
    let sagittal = page.matches(r#"data-plane="sagittal""#).count();
    assert!(coronal <= 1 && sagittal <= 2, "{coronal} coronal, {sagittal} sagittal");
}

#[test]
fn invalid_numbers_are_omitted() {
    let mut report = full("plain");
    let nonsense = |n: usize| [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0][n % 4];
    report.maps = vec![
        MapFigure::scalar("one slice", volume([7, 6, 1], 1, nonsense), "mm"),
        MapFigure::scalar("nothing", volume([7, 6, 1], 1, |_| f32::NAN), "mm").with_window(f32::NAN, 0.0),
        MapFigure::scalar("one voxel", volume([1, 1, 1], 1, |_| 0.0), "mm"),
        MapFigure::directions("colours", volume([7, 6, 12], 3, nonsense)),
    ];
    report.weights = Some(HistogramFigure::of_weights(vec![f64::NAN, f64::NEG_INFINITY]));
    report.convergence = Some(CurveFigure::convergence(vec![f64::NAN], vec![1.0, 2.0], vec![]));
    report.connectome = vec![Figure::Matrix(MatrixFigure {
        title: "empty".into(),
        caption: String::new(),
        quantity: "streamlines".into(),
        names: vec![],
        values: vec![],
    })];
    report.timings = vec![("never".into(), f64::NAN), ("backwards".into(), -1.0)];
    let scene =
        ViewerScene::new().with_background("nonsense", &volume([3, 3, 3], 3, nonsense), None, "").unwrap();
    report.viewer =
        Some(scene.with_streamlines(&Tractogram::new(), Some(&StreamlineQuantity::weights(vec![]))).unwrap());
    let page = render(&report).unwrap();
    let page = without_scripts(&page);
    assert!(!page.contains("NaN") && !page.contains("inf\"") && !page.contains(">inf"));
    assert_eq!(page.matches("There is nothing to draw").count(), 3);
}

#[test]
fn empty_reports_give_a_valid_page() {
    let page = render(&Report::default()).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"), "{}", &page[..40]);
    assert!(!page.contains("<figure") && !page.contains("<dl") && !page.contains("id=\"viewer\""));
}

#[test]
fn the_page_contains_the_viewer_and_its_data() {
    let page = render(&full("plain")).unwrap();
    assert!(page.contains("id=\"viewer-streamlines\"") && page.contains("id=\"viewer-image-0\""));
    assert!(page.contains("\"logarithmic\":true"));
    // The page contains the complete bundled script, which begins with its stamp.
    let script = &page[page.rfind("<script>").unwrap()..];
    assert!(script.starts_with("<script>// Made of viewer/ by `cargo xtask viewer`"), "{}", &script[..60]);
    assert!(script.contains("--- @niivue/niivue ") && script.len() > 500_000, "{} bytes", script.len());
}

/// The snapshot has the parts of a page that a reader sees. Scripts, pictures, data and styles are removed,
/// because they change with every version of their encoders.
#[test]
fn a_small_report() {
    let mut report = full("plain");
    report.title = "Subject 1".into();
    report.viewer = None;
    report.sections.clear();
    report.maps.truncate(1);
    let page = render(&report).unwrap();
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = without_scripts(rest).split_once("</style>").unwrap();
    let mut shown = format!("{head}<style>[styles]</style>{rest}");
    while let Some(start) = shown.find("base64,") {
        let end = start + shown[start..].find('"').unwrap();
        shown.replace_range(start..end, "[picture]");
    }
    let (before, hash) = shown.split_once("'sha256-").unwrap();
    shown = format!("{before}'[hash]'{}", hash.split_once('\'').unwrap().1);
    for data in shown.clone().split("<script type=\"text/plain\" id=\"").skip(1) {
        let (_, packed) = data.split_once('>').unwrap();
        shown = shown.replace(packed.split('<').next().unwrap(), "[data]");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn details_are_folded_after_the_pictures() {
    let page = render(&full("plain")).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    let order = [
        "class=\"done\"",
        "class=\"summary\"",
        "id=\"scan\"",
        "id=\"maps\"",
        "id=\"figures\"",
        "id=\"provenance\"",
    ];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])));
    let empty = render(&Report::default()).unwrap();
    assert!(!empty.contains("<details>") && !empty.contains("class=\"done\""));
}
