//! Figures of response functions.

use super::tables::before_tables;
use crate::responses;
use arcuate_core::Result;
use arcuate_report::{Figure, ResponseFigure, ResponseShell, Section, TableFigure, human};
use std::f64::consts::FRAC_PI_2;
use std::path::Path;

/// Heading of the section of response functions.
pub(super) const HEADING: &str = "Response functions";
/// Explanation of the curves.
const TEXT: &str = "The signal of each tissue by the angle between gradient and fibres, which are upright: the farther a curve is from its \
     middle, the larger the signal. The outer circle is the largest signal of the shell, written at its right.";
/// Number of steps into which the angle between gradient and fibre, from 0° to 90°, is divided for the
/// curves.
const STEPS: usize = 36;

/// Adds the response function of a tissue to a report section: curves of the signal, and a table of the
/// coefficients.
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
        title: as_title(tissue),
        caption: String::new(),
        shells: shells
            .map(|shell| ResponseShell { name: name(shell), amplitudes: amplitudes(shell) })
            .collect(),
    };
    if section.paragraphs.is_empty() {
        section.paragraphs.push(TEXT.to_owned());
    }
    before_tables(section, [Figure::Response(figure)]);
    if !section.figures.iter().any(|figure| matches!(figure, Figure::Table(_))) {
        section.figures.push(Figure::Table(TableFigure {
            title: "Coefficients".into(),
            caption:
                "Coefficients of orthonormal zonal spherical harmonics. The coefficient of degree 0 is √4π \
                 times the mean signal."
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

fn as_title(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_and_coefficients_agree_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let white = write("wm.txt", "# Shells: 0,1000\n2000 0 0\n1000 -400 50\n");
        let csf = write("csf.txt", "3000\n900\n");
        let mut section = Section::default();
        add(&mut section, "white matter", &white).unwrap();
        add(&mut section, "cerebrospinal fluid", &csf).unwrap();
        let [Figure::Response(first), Figure::Response(second), Figure::Table(table)] = &section.figures[..]
        else {
            panic!("{:?}", section.figures);
        };
        assert_eq!((first.title.as_str(), table.title.as_str()), ("White matter", "Coefficients"));
        let names: Vec<&str> = first.shells.iter().map(|shell| shell.name.as_str()).collect();
        assert_eq!(names, ["b 0 s/mm²", "b 1000 s/mm²"]);
        let y0 = 1.0 / (4.0 * std::f64::consts::PI).sqrt();
        assert_eq!(first.shells[0].amplitudes.len(), 1);
        assert!((first.shells[0].amplitudes[0] - 2000.0 * y0).abs() < 1e-9);
        // The Legendre polynomial P₂ is 1 along the fibres and −1/2 perpendicular to them, and P₄ is 1 and
        // 3/8. The spherical harmonic Y_l0 is √(2l + 1)·y0·P_l.
        let curve = &first.shells[1].amplitudes;
        let signal = |p2: f64, p4: f64| y0 * (1000.0 - 400.0 * 5f64.sqrt() * p2 + 50.0 * 3.0 * p4);
        assert!(curve.len() == STEPS + 1 && (curve[0] - signal(1.0, 1.0)).abs() < 1e-9);
        assert!((curve[STEPS] - signal(-0.5, 0.375)).abs() < 1e-9);
        assert_eq!((second.shells[1].name.as_str(), second.shells[1].amplitudes.len()), ("shell 2", 1));
        assert_eq!(table.columns, ["tissue", "shell", "l = 0", "l = 2", "l = 4"]);
        assert_eq!(table.rows[1], ["white matter", "b 1000 s/mm²", "1,000", "−400", "50"]);
        assert_eq!(table.rows[3], ["cerebrospinal fluid", "shell 2", "900"]);
    }
}
