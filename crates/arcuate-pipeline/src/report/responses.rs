//! Response functions, as figures.

use crate::responses;
use arcuate_core::Result;
use arcuate_report::{Figure, ResponseFigure, ResponseShell, Section, TableFigure, human};
use std::f64::consts::FRAC_PI_2;
use std::path::Path;

/// The heading of all of them.
pub(super) const HEADING: &str = "Response functions";
/// What the curves are.
const TEXT: &str = "The signal of each tissue by the angle between gradient and fibres, which are upright: the farther a curve is from its \
     middle, the larger the signal. The outer circle is the largest signal of the shell, written at its right.";
/// Steps of the angle, from along fibres to across.
const STEPS: usize = 36;

/// Adds the curves of a tissue and its coefficients.
pub(super) fn add(section: &mut Section, tissue: &str, path: &Path) -> Result<()> {
    let response = responses::read(path)?;
    let name = |shell: usize| match response.b_values() {
        Some(b_values) => format!("b {:.0} s/mm²", b_values[shell]),
        None => format!("shell {}", shell + 1),
    };
    let amplitudes = |shell: usize| {
        if response.rows()[shell].iter().skip(1).all(|coefficient| *coefficient == 0.0) {
            return vec![response.amplitude(shell, 1.0)];
        }
        let angle = |step: usize| FRAC_PI_2 * step as f64 / STEPS as f64;
        (0..=STEPS).map(|step| response.amplitude(shell, angle(step).cos())).collect()
    };
    let shells = 0..response.rows().len();
    let figure = ResponseFigure {
        title: tissue.to_owned(),
        caption: String::new(),
        shells: shells
            .map(|shell| ResponseShell { name: name(shell), amplitudes: amplitudes(shell) })
            .collect(),
    };
    if section.paragraphs.is_empty() {
        section.paragraphs.push(TEXT.to_owned());
    }
    super::before_tables(section, [Figure::Response(figure)]);
    if !section.figures.iter().any(|figure| matches!(figure, Figure::Table(_))) {
        section.figures.push(Figure::Table(TableFigure {
            title: "Coefficients".into(),
            caption:
                "Of zonal spherical harmonics, orthonormal: those of degree 0 are √4π times the mean signal."
                    .into(),
            columns: vec!["tissue".into(), "shell".into()],
            rows: Vec::new(),
        }));
    }
    if let Some(Figure::Table(table)) = section.figures.last_mut() {
        for degree in (0..=response.order()).step_by(2).skip(table.columns.len() - 2) {
            table.columns.push(format!("l = {degree}"));
        }
        for (shell, row) in response.rows().iter().enumerate() {
            let numbers = row.iter().map(|coefficient| human::number(*coefficient, 5));
            table.rows.push([tissue.to_owned(), name(shell)].into_iter().chain(numbers).collect());
        }
    }
    Ok(())
}
