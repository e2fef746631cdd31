//! Images of gradient deviations next to a diffusion series. Their nine volumes describe how the diffusion
//! gradients in each voxel differ from the gradient table. The file names are those of FSL and of the Human
//! Connectome Project.

use arcuate_io::{content_name, is_image_name};
use std::path::{Path, PathBuf};

/// Names of the image, without the ending.
const NAMES: [&str; 2] = ["grad_dev", "graddev"];

/// Returns the image of gradient deviations in the folder of a diffusion series, if it exists. Its name is
/// `grad_dev`, or `grad_dev_0003` for a series `data_0003`, or the beginning of the name of the series
/// followed by `_grad_dev` or `_graddev`.
pub fn companion_path(series: &Path) -> Option<PathBuf> {
    let of_series = stem(&series.file_name()?.to_string_lossy())?;
    let folder = series.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| stem(name).is_some_and(|stem| belongs(&stem, &of_series)))
        .collect();
    found.sort_unstable();
    found.into_iter().next().map(|name| series.with_file_name(name))
}

/// Returns the name of an image without its file name ending, in lower case.
fn stem(name: &str) -> Option<String> {
    is_image_name(Path::new(name)).then(|| content_name(Path::new(name)).to_ascii_lowercase())
}

/// Checks whether `image` is a name for the gradient deviations of the diffusion series `series`. Both names
/// are without file name ending.
fn belongs(image: &str, series: &str) -> bool {
    let is_part = |name: &str| {
        let part = image.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
        part.is_some_and(|part| series.strip_prefix("data_") == Some(part))
    };
    let is_prefixed = |name: &str| {
        let prefix = image.strip_suffix(name).and_then(|rest| rest.strip_suffix(['_', '-', '.']));
        prefix.is_some_and(|prefix| !prefix.is_empty() && series.starts_with(prefix))
    };
    image != series && NAMES.into_iter().any(|name| image == name || is_part(name) || is_prefixed(name))
}

/// Warns if an image of gradient deviations is next to a diffusion series but is not used. `advice` is
/// appended to the warning.
pub fn warn_unused(series: &Path, advice: Option<&str>) {
    let Some(image) = companion_path(series) else { return };
    let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
    tracing::warn!(
        "{}: these gradient deviations are not used, so all voxels have the b-values and directions of the \
         gradient table{advice}",
        image.display()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_deviations_next_to_the_series_are_found() {
        for (image, series, expected) in [
            ("grad_dev.nii.gz", "data.nii.gz", true),
            ("grad_dev.nii", "dwi.nii.gz", true),
            ("Grad_Dev.NII.GZ", "dwi.mif", true),
            ("grad_dev_0003.nii.gz", "data_0003.nii.gz", true),
            ("grad_dev_0003.nii.gz", "data_0004.nii.gz", false),
            ("sub-01_run-1_graddev.nii.gz", "sub-01_run-1_dwi.nii.gz", true),
            ("sub-01_run-2_graddev.nii.gz", "sub-01_run-1_dwi.nii.gz", false),
            ("grad_dev.json", "data.nii.gz", false),
            ("my_grad_devices.nii.gz", "data.nii.gz", false),
            // The diffusion series is itself the image of gradient deviations.
            ("grad_dev.nii.gz", "grad_dev.nii.gz", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(image), "").unwrap();
            let found = companion_path(&folder.path().join(series));
            assert_eq!(found, expected.then(|| folder.path().join(image)), "{image} beside {series}");
        }
        assert_eq!(companion_path(Path::new("no-such-folder/data.nii.gz")), None);
    }
}
