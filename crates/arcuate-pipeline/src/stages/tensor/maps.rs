//! The maps of diffusion tensors, as output files.

use crate::caller::Caller;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::output_images::write_images;
use crate::run::{FRACTIONAL_ANISOTROPY, PRINCIPAL_DIRECTION};
use arcuate_core::Result;
use arcuate_model::TensorMaps;

/// The maps of a tensor image.
pub fn output_files() -> Vec<OutputFile> {
    let directions = Kind::Map(Map { directions: true, backdrop: true, ..Map::default() });
    // In the unit people speak: 1 µm²/ms is 1e-3 mm²/s.
    let diffusivity = Kind::Map(Map {
        unit: "µm²/ms".into(),
        factor: Some(1e3),
        window: Some([0.0, 3.0]),
        ..Map::default()
    });
    vec![
        OutputFile::fractional_anisotropy(FRACTIONAL_ANISOTROPY),
        OutputFile::shown("colour_fa.nii.gz", "Principal direction, weighted by FA", directions)
            .with_caption("Red: left to right. Green: front to back. Blue: up and down."),
        OutputFile::shown("md.nii.gz", "Mean diffusivity", diffusivity),
        OutputFile::file("ad.nii.gz", "Axial diffusivity λ₁, mm²/s"),
        OutputFile::file("rd.nii.gz", "Radial diffusivity (λ₂ + λ₃) / 2, mm²/s"),
        OutputFile::file("eigenvalues.nii.gz", "Eigenvalues λ₁ ≥ λ₂ ≥ λ₃, mm²/s"),
        OutputFile::file("eigenvectors.nii.gz", "Eigenvectors e₁ e₂ e₃, nine channels, scanner axes"),
        OutputFile::file(PRINCIPAL_DIRECTION, "Principal direction e₁, scanner axes"),
    ]
}

/// Writes the images of [`output_files`].
pub fn write(folder: &OutputFolder, maps: &TensorMaps, caller: &dyn Caller) -> Result<()> {
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
    write_images(folder, &images, caller)
}
