//! Output files of diffusion tensor maps.

use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::output_images::write_images;
use crate::run::{FRACTIONAL_ANISOTROPY, PRINCIPAL_DIRECTION};
use arcuate_core::Result;
use arcuate_model::TensorMaps;

/// Returns the maps of a tensor image.
pub fn output_files() -> Vec<OutputFile> {
    let directions = Kind::Map(Map { directions: true, backdrop: true, ..Map::default() });
    vec![
        OutputFile::fractional_anisotropy(FRACTIONAL_ANISOTROPY),
        OutputFile::shown("colour_fa.nii.gz", "Principal direction, weighted by FA", directions)
            .with_caption("Red: left to right. Green: front to back. Blue: up and down.")
            .with_content("|e₁| · FA as red, green and blue"),
        mean_diffusivity("md.nii.gz"),
        OutputFile::file("ad.nii.gz", "Axial diffusivity λ₁, mm²/s"),
        OutputFile::file("rd.nii.gz", "Radial diffusivity (λ₂ + λ₃) / 2, mm²/s"),
        OutputFile::file("eigenvalues.nii.gz", "Eigenvalues λ₁ ≥ λ₂ ≥ λ₃, mm²/s"),
        OutputFile::file("eigenvectors.nii.gz", "Eigenvectors e₁ e₂ e₃, nine channels, scanner axes")
            .with_content("Eigenvectors e₁, e₂, e₃ in nine volumes, scanner axes"),
        OutputFile::file(PRINCIPAL_DIRECTION, "Principal direction e₁, scanner axes").with_content(
            "Principal direction e₁, three volumes, scanner axes, for programs that read peaks",
        ),
    ]
}

/// Describes the map of the mean diffusivity. The report shows it in µm²/ms (1 µm²/ms = 1e-3 mm²/s).
pub(super) fn mean_diffusivity(name: &'static str) -> OutputFile {
    let (unit, window) = ("µm²/ms".into(), Some([0.0, 3.0]));
    let map = Map { unit, factor: Some(1e3), window, ..Map::default() };
    OutputFile::shown(name, "Mean diffusivity", Kind::Map(map)).with_content("Mean diffusivity, mm²/s")
}

/// Writes the images of [`output_files`].
pub fn write(folder: &OutputFolder, maps: &TensorMaps, job: &Job) -> Result<()> {
    let images = [
        ("fa", &maps.fa),
        ("md", &maps.md),
        ("ad", &maps.ad),
        ("rd", &maps.rd),
        ("eigenvalues", &maps.eigenvalues),
        ("eigenvectors", &maps.eigenvectors),
        ("principal_direction", &maps.eigenvectors.channels_at(&[0, 1, 2])),
        ("colour_fa", &maps.colour_fa),
    ];
    write_images(folder, &images, job)
}
