//! Creates errors about raw scanner data in formats that are not supported. The error names the format and
//! the program that converts it.

use crate::endings::split_ending;
use crate::plain_file::PlainFile;
use arcuate_core::Error;
use std::path::Path;

/// The first bytes of every HDF5 file.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// The unsupported formats of raw scanner data. Each format has the endings or whole names of its files in
/// lower case, its name, and a text about converting it to arrays of BART or NumPy.
const FORMATS: [(&[&str], &str, &str); 6] = [
    (
        &[".h5", ".mrd", ".hdf5"],
        "an HDF5 file, such as ISMRMRD",
        "read it with Python's ismrmrd package and save the arrays with numpy.save",
    ),
    (&[".dat"], "Siemens raw data (twix)", "convert it with BART's twixread"),
    (
        &[".raw", ".lab", ".sin", ".list"],
        "Philips raw data",
        "convert it to ISMRMRD, then save the arrays with numpy.save",
    ),
    (&[".7"], "a GE P-file", "convert it to ISMRMRD, then save the arrays with numpy.save"),
    (
        &["fid", "ser", "rawdata.job0"],
        "Bruker or Varian raw data",
        "read it with Python's nmrglue package and save the arrays with numpy.save",
    ),
    (&[".mat", ".npz", ".ra"], "a container of arrays", "save each array as a .npy file of its own"),
];

/// Returns the error about a file of raw scanner data whose format is not supported. Returns `None` for other
/// files.
pub(crate) fn refused_format(path: &Path) -> Option<Error> {
    let name = path.file_name()?.to_string_lossy();
    let is_called = |ending: &&str| match split_ending(&name, &[ending]) {
        Some((stem, _)) => stem.is_empty() || ending.starts_with('.'),
        None => false,
    };
    let named = FORMATS.iter().find(|(endings, ..)| endings.iter().any(&is_called));
    let begins = |bytes: &[u8]| {
        PlainFile::open(path).and_then(|file| file.bytes(0, bytes.len())).is_ok_and(|found| found == bytes)
    };
    let (_, format, advice) = named.or_else(|| begins(HDF5).then_some(&FORMATS[0]))?;
    // If the file does not exist, the caller reports this instead.
    path.is_file().then(|| {
        Error::invalid(path.display(), format!("the file is {format}, which Arcuate does not read"), *advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::read_complex_array;

    #[test]
    fn raw_scanner_data_are_reported_with_their_converter() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content, expected) in [
            (
                "scan.h5",
                &b"\x89HDF\r\n\x1a\n"[..],
                "an HDF5 file, such as ISMRMRD, which Arcuate does not read; read it with Python's ismrmrd",
            ),
            (
                "meas.DAT",
                b"x",
                "Siemens raw data (twix), which Arcuate does not read; convert it with BART's twixread",
            ),
            ("scan.raw", b"x", "Philips raw data"),
            ("P12345.7", b"x", "a GE P-file"),
            ("fid", b"x", "Bruker or Varian raw data"),
            ("k.mat", b"x", "a container of arrays"),
            ("k", b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            let error = read_complex_array(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
        let missing = read_complex_array(&folder.path().join("none.h5")).unwrap_err().to_string();
        assert!(missing.contains("no such file"), "{missing}");
    }
}
