//! Companions of an input: files next to it that are read together with it. Results must not overwrite these
//! files.

use crate::record;
use crate::series;
use arcuate_io::{
    companion_path, files_of_array, files_of_nifti_pair, fsl_gradients, is_image_name, matrix_companions,
};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Returns the existing companions of an input: files next to it that are read together with it. Examples are
/// the data file of an image header, the tables of a matrix, and the record of a result. The gradient table
/// and JSON sidecar of a diffusion series are also companions.
pub(crate) fn companions(input: &Path) -> Vec<PathBuf> {
    let mut files = vec![record::companion_path(input)];
    files.extend(matrix_companions(input));
    files.extend(files_of_array(input));
    files.extend(files_of_nifti_pair(input).into_iter().flatten());
    if is_image_name(input) {
        files.extend(series::gradient_pairs_next_to(input).into_iter().flatten());
        files.push(companion_path(input, "json"));
        files.extend(mif_data_file(input));
    }
    files.extend(fsl_gradients::pair(input).into_iter().flatten());
    files.retain(|file| file != input && file.symlink_metadata().is_ok());
    files
}

/// Returns the data file of a `.mih` or `.mif` header, if it is a separate file.
fn mif_data_file(header: &Path) -> Option<PathBuf> {
    const LONGEST: u64 = 1 << 20;
    let mut head = Vec::new();
    // Read errors are ignored here, because the reader of the image reports them.
    std::fs::File::open(header).ok()?.take(LONGEST).read_to_end(&mut head).ok()?;
    let head = head.strip_prefix(b"mrtrix image")?;
    let mut lines = head.split(|byte| *byte == b'\n').take_while(|line| *line != b"END");
    let line = lines.find_map(|line| line.strip_prefix(b"file:"))?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let name = line.rsplit_once(char::is_whitespace).map_or(line, |(name, _)| name.trim());
    (name != ".").then(|| header.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companion_files_of_inputs_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (input, companion_path) in [
            ("m_counts.npz", &["m_rows.tsv", "m_columns.tsv", "m_counts.npz.json"][..]),
            ("r.npz", &["r_regions.tsv"]),
            ("fdt.dot", &["coords_for_fdt", "tract_space_coords_for_fdt"]),
            ("x_1.mtx", &["x_2.mtx", "x_3.mtx", "coords_for_x"]),
            ("k.cfl", &["k.hdr"]),
            ("k.hdr", &["k.cfl"]),
            ("pair.img", &["pair.hdr"]),
            ("dwi.nii.gz", &["dwi.bval", "dwi.bvec", "dwi.json"]),
            ("s/data.nii.gz", &["s/bvals", "s/bvecs"]),
            ("only.bvec", &["only.bval"]),
        ] {
            std::fs::create_dir_all(at(input).parent().unwrap()).unwrap();
            for name in [input, "other.txt"].iter().chain(companion_path) {
                std::fs::write(at(name), "").unwrap();
            }
            let found = companions(&at(input));
            for name in companion_path {
                assert!(found.contains(&at(name)), "{name} of {input}: {found:?}");
            }
            assert!(!found.contains(&at("other.txt")) && !found.contains(&at(input)), "{found:?}");
        }
        std::fs::write(at("h.mih"), "mrtrix image\ndim: 1,1,1\nfile: h.dat 0\nEND\n").unwrap();
        std::fs::write(at("h.dat"), "x").unwrap();
        assert!(companions(&at("h.mih")).contains(&at("h.dat")));
    }
}
