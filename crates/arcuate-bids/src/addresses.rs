//! Converts paths of files and folders to URIs, and URIs to paths. In a URI, characters other than letters,
//! digits and a few marks are percent-encoded, as in `%20`.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// The prefix of an absolute file URI.
const FILE: &str = "file://";
/// The maximum number of `..` components in a relative path. If a path needs more, the absolute address is
/// used.
const STEPS_UP: usize = 2;

/// Percent-encodes the characters that a URI may not contain.
pub(crate) fn encoded(text: &str) -> String {
    let mut address = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~+".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// Decodes a percent-encoded text. Invalid escapes are kept unchanged.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let [first, others @ ..] = rest {
        let number = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let number = number.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(number.unwrap_or(*first));
        rest = if number.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a path with `/` as separator.
pub(crate) fn slashed(path: &Path) -> String {
    let parts = path.components().filter(|part| !matches!(part, Component::RootDir));
    let joined = parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    if path.has_root() { format!("/{joined}") } else { joined }
}

/// Returns the URI of an absolute path.
pub(crate) fn of_file(path: &Path) -> String {
    format!("{FILE}{}", encoded(&slashed(path)))
}

/// Compares the path `there` of a file or folder with the folder `from`; both paths are absolute. Returns the
/// number of components that both paths have in common, and the number of `..` components from `from` up to
/// the common folder. The third result is the rest of `there` below the common folder.
fn relative_path(there: &Path, from: &Path) -> (usize, usize, PathBuf) {
    let is_same = |(one, other): &(Component<'_>, Component<'_>)| one == other;
    let common = there.components().zip(from.components()).take_while(is_same).count();
    (common, from.components().skip(common).count(), there.components().skip(common).collect())
}

/// Returns the address of `folder`, to which a dataset in the folder `from` refers. The address is a short
/// relative path if possible, so that both folders can be moved together. `folder` and `from` are absolute
/// paths.
pub(crate) fn of_folder(folder: &Path, from: &Path) -> String {
    let (common, up, down) = relative_path(folder, from);
    let is_near = common > 1 && up <= STEPS_UP && folder != from;
    if !is_near {
        return of_file(folder);
    }
    let down = encoded(&slashed(&down));
    let steps = vec![".."; up].into_iter().chain((!down.is_empty()).then_some(down.as_str()));
    steps.collect::<Vec<_>>().join("/")
}

/// Returns the address of a file relative to the folder of an HTML page, for a link. Returns `None` if no
/// relative path to the file exists, or if the path is not valid UTF-8.
pub(crate) fn from_page(file: &Path, folder: &Path) -> Option<String> {
    let [file, folder] = [file, folder].map(|path| std::path::absolute(path).ok());
    let (_, up, down) = relative_path(&file?, &folder?);
    // No relative path leads to a file on another drive. A path that is not valid UTF-8 cannot be written to
    // a page.
    if down.has_root() || down.to_str().is_none() {
        return None;
    }
    Some(format!("./{}{}", "../".repeat(up), encoded(&slashed(&down))))
}

/// Returns the folder to which an address in the dataset in the folder `from` refers. Returns `None` if the
/// address is not on this machine.
pub(crate) fn folder_of(address: &str, from: &Path) -> Option<PathBuf> {
    if let Some(path) = address.strip_prefix(FILE) {
        return Some(decoded(path).into());
    }
    (!address.contains(':')).then(|| from.join(decoded(address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearby_folders_have_relative_paths() {
        for (folder, from, address) in [
            ("/data/derivatives/qsiprep", "/data/derivatives/arcuate", "../qsiprep"),
            ("/data", "/data/derivatives/arcuate", "../.."),
            ("/data/one two", "/data/arcuate", "../one%20two"),
            ("/data", "/out", "file:///data"),
            ("/data/qsiprep", "/data/a/b/c", "file:///data/qsiprep"),
            ("/data/qsiprep/below", "/data/qsiprep", "below"),
        ] {
            assert_eq!(of_folder(Path::new(folder), Path::new(from)), address);
            let found = folder_of(address, Path::new(from)).unwrap();
            let mut plain = PathBuf::new();
            for part in found.components() {
                if part == Component::ParentDir {
                    plain.pop();
                } else {
                    plain.push(part);
                }
            }
            assert_eq!(plain, Path::new(folder), "{address}");
        }
        assert_eq!(folder_of("doi:10.18112/openneuro.ds000001", Path::new("/")), None);
    }

    #[test]
    fn addresses_use_a_restricted_character_set() {
        for text in ["/a b/ü%.nii.gz", "plain", "50%", "%zz"] {
            assert!(encoded(text).is_ascii() && !encoded(text).contains(' '));
            assert_eq!(decoded(&encoded(text)), text);
        }
        assert_eq!((decoded("50%"), decoded("%é")), ("50%".to_owned(), "%é".to_owned()));
    }
}
