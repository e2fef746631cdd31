//! Reads and writes complex arrays of the reconstruction program BART, which consist of two files. `NAME.cfl`
//! has complex numbers of two little-endian f32 each, with the first dimension fastest. `NAME.hdr` is a text
//! with the lengths of up to 16 dimensions.

use crate::endings::{has_ending, with_ending};
use crate::image_errors::{ends_early, too_large};
use crate::plain_file::PlainFile;
use crate::{AtomicFile, array_shape, finish_together};
use arcuate_core::{ComplexArray, Error, Result, is_present};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Number of dimensions whose lengths BART writes to a header.
const DIMENSIONS: usize = 16;
/// Maximum size of a header in bytes.
const MAX_HEADER: u64 = 1 << 20;
const BYTES: usize = size_of::<[f32; 2]>();

/// Returns the paths of the header file and the data file of a BART array. `path` is one of these two, or
/// their common part without an ending.
fn names(path: &Path) -> (PathBuf, PathBuf) {
    if has_ending(path, &[".cfl", ".hdr"]) {
        return (path.with_extension("hdr"), path.with_extension("cfl"));
    }
    (with_ending(path, ".hdr"), with_ending(path, ".cfl"))
}

/// Returns the files of the array with the path `path`. A BART array has a header file and a data file;
/// arrays in other formats have one file.
pub fn files_of_array(path: &Path) -> Vec<PathBuf> {
    let is_cfl = has_ending(path, &[".cfl", ".hdr"]);
    // BART also names arrays without an ending.
    if is_cfl || (!is_present(path) && is_present(&names(path).1)) {
        let (header, data) = names(path);
        vec![data, header]
    } else {
        vec![path.to_owned()]
    }
}

/// Reads a BART array. `path` may end in `.cfl` or `.hdr`, or may have neither ending, as in the names that
/// BART uses.
///
/// Returns an error if the header does not state the dimensions, or if the data file is shorter or longer
/// than the header states.
pub fn read_cfl(path: &Path) -> Result<ComplexArray> {
    let (header, data) = names(path);
    let shape = read_header(&header)?;
    let invalid = |problem: String| Error::invalid(header.display(), problem, "repair the header");
    let bytes = array_shape::bytes(&shape, BYTES, invalid)?;
    let file = PlainFile::open(&data)?;
    if file.size() < bytes {
        return Err(ends_early(&data, file.size(), bytes));
    }
    if file.size() > bytes {
        let problem = format!(
            "the file has {} bytes, but the header {} states {bytes}, for an array of shape {shape:?}",
            file.size(),
            header.file_name().unwrap_or_default().display()
        );
        return Err(Error::invalid(data.display(), problem, "give the header that belongs to this file"));
    }
    let mut values = bytemuck::allocation::try_zeroed_vec::<[f32; 2]>(bytes as usize / BYTES)
        .map_err(|()| too_large(&data, bytes as usize))?;
    file.read(0, bytemuck::cast_slice_mut(&mut values))?;
    if cfg!(target_endian = "big") {
        for part in values.as_flattened_mut() {
            *part = f32::from_bits(part.to_bits().swap_bytes());
        }
    }
    ComplexArray::new(shape, values).map_err(|e| e.about(data.display()))
}

/// Reads the lengths of the array's dimensions from the line after `# Dimensions` in the header file.
fn read_header(path: &Path) -> Result<Vec<usize>> {
    let file = PlainFile::open(path)?;
    let invalid = |problem: String| {
        Error::invalid(
            path.display(),
            problem,
            "give a header of BART: a line `# Dimensions`, then a line \
                                                 of numbers",
        )
    };
    if file.size() > MAX_HEADER {
        return Err(invalid(format!("it has {} bytes, too many for a header", file.size())));
    }
    let bytes = file.start(MAX_HEADER)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    lines
        .find(|line| line.trim_end() == "# Dimensions")
        .ok_or_else(|| invalid("it has no line `# Dimensions`".to_owned()))?;
    let line = lines.next().unwrap_or_default();
    let shape = array_shape::lengths(line.split_ascii_whitespace(), invalid)?;
    if shape.is_empty() {
        return Err(invalid("no numbers follow `# Dimensions`".to_owned()));
    }
    Ok(shape)
}

/// Writes a BART array. `path` may end in `.cfl` or `.hdr`, or may have neither ending. The header gets 16
/// dimensions; those that the array does not have get the length 1.
///
/// The data file and the header file appear together, when both are complete; if one fails, neither appears.
pub fn write_cfl(path: &Path, array: &ComplexArray) -> Result<()> {
    finish_together(begin_cfl(path, array)?.into())
}

/// Writes the data file and the header file of a BART array under temporary names. The caller renames them,
/// together with other files if needed ([`finish_together`]).
pub fn begin_cfl(path: &Path, array: &ComplexArray) -> Result<[AtomicFile; 2]> {
    let (header, data) = names(path);
    let mut file = AtomicFile::create(&data)?;
    let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(|e| Error::write(&data, e));
    if cfg!(target_endian = "little") {
        write(bytemuck::cast_slice(array.values()))?;
    } else {
        for value in array.values().as_flattened() {
            write(&value.to_le_bytes())?;
        }
    }
    let lengths: Vec<String> = (0..array.shape().len().max(DIMENSIONS))
        .map(|dimension| array.length(dimension).to_string())
        .collect();
    let mut text = AtomicFile::create(&header)?;
    writeln!(text, "# Dimensions\n{}", lengths.join(" ")).map_err(|e| Error::write(&header, e))?;
    Ok([file, text])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_test_support::real_data;

    fn array() -> ComplexArray {
        let values = (0..12).map(|n| [n as f32, -0.5 * n as f32]).collect();
        ComplexArray::new(vec![3, 1, 4], values).unwrap()
    }

    #[test]
    fn arrays_are_read_by_each_file_name() {
        let folder = tempfile::tempdir().unwrap();
        for (written, others) in
            [("a.cfl", ["a", "a.hdr"]), ("b", ["b.cfl", "b.hdr"]), ("c.d", ["c.d.cfl", "c.d.hdr"])]
        {
            write_cfl(&folder.path().join(written), &array()).unwrap();
            for name in others.into_iter().chain([written]) {
                let back = read_cfl(&folder.path().join(name)).unwrap();
                assert_eq!(back.values(), array().values(), "{name}");
                assert_eq!(back.significant_shape(), [3, 1, 4], "{name}");
            }
        }
        let header = std::fs::read_to_string(folder.path().join("a.hdr")).unwrap();
        assert_eq!(header, "# Dimensions\n3 1 4 1 1 1 1 1 1 1 1 1 1 1 1 1\n");
        assert_eq!(std::fs::metadata(folder.path().join("a.cfl")).unwrap().len(), 96);
    }

    #[test]
    fn data_files_do_not_appear_without_their_header() {
        let folder = tempfile::tempdir().unwrap();
        // A folder already has the name of the header file. A file cannot replace a folder.
        std::fs::create_dir(folder.path().join("a.hdr")).unwrap();
        write_cfl(&folder.path().join("a.cfl"), &array()).unwrap_err();
        assert_eq!(folder.path().read_dir().unwrap().count(), 1, "the folder alone");
    }

    #[test]
    fn invalid_arrays_give_one_line_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cfl");
        let message = |header: &str, bytes: usize| {
            std::fs::write(folder.path().join("a.hdr"), header).unwrap();
            std::fs::write(&path, vec![0u8; bytes]).unwrap();
            let message = read_cfl(&path).unwrap_err().to_string();
            assert!(!message.contains('\n'), "{message}");
            message.replace(&format!("{}/", folder.path().display()), "")
        };
        let good = "# Dimensions\n3 4\n# Creator\nBART\n";
        assert!(message(good, 95).starts_with("a.cfl: "), "{}", message(good, 95));
        assert_eq!(
            message(good, 97),
            "a.cfl: the file has 97 bytes, but the header a.hdr states 96, for an array of shape [3, 4]; \
             give the header that belongs to this file"
        );
        for (header, problem) in [
            ("", "it has no line `# Dimensions`"),
            ("# Dimensions\n", "no numbers follow `# Dimensions`"),
            ("# Dimensions\n3 x\n", "`x` is not a length of a dimension"),
            ("# Dimensions\n3 0\n", "`0` is not a length of a dimension"),
            ("# Dimensions\n3 -4\n", "`-4` is not a length of a dimension"),
            ("# Dimensions\n9999999999 9999999999\n", "no memory holds an array of [9999999999, 9999999999]"),
        ] {
            let message = message(header, 96);
            assert!(message.starts_with(&format!("a.hdr: {problem}; ")), "{message}");
        }
        // Memory is allocated only for data that have been read, not for the size that a damaged header
        // claims.
        assert!(message("# Dimensions\n1000000 1000000\n", 96).starts_with("a.cfl: "));
        std::fs::remove_file(&path).unwrap();
        assert!(read_cfl(&path).unwrap_err().to_string().contains("a.cfl"));
    }

    #[test]
    fn arrays_of_bart_are_read() {
        let Some(path) = real_data("noncart/traj_radial.cfl") else { return };
        let trajectory = read_cfl(&path).unwrap();
        assert_eq!(trajectory.significant_shape(), [3, 512, 96]);
        assert_eq!(trajectory.first_not_finite(), None);
        assert!(trajectory.values().iter().all(|value| value[1] == 0.0 && value[0].abs() <= 128.0));
    }
}
