//! Checks options that take a list of files. A comma separates the files, so a file whose name contains a
//! comma is rejected.

use arcuate_core::Error;
use clap::{Arg, Command};
use std::ffi::OsString;
use std::path::Path;

/// Returns an error if a list of files on the command line contains a file whose name has a comma. `command`
/// is the definition of the command.
pub(crate) fn name_with_comma(words: &[OsString], command: &Command) -> Option<Error> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if word == "--" {
            return None;
        }
        let Some(option) = word.strip_prefix("--") else { continue };
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let Some(argument) = command.get_arguments().find(|argument| argument.get_long() == Some(name))
        else {
            continue;
        };
        if !is_list_of_files(argument) {
            continue;
        }
        let value = value.or_else(|| words.next()).unwrap_or_default();
        if let Some(file) = file_across_a_comma(value) {
            let problem = format!("the comma in the name `{file}` would separate two files");
            let advice = "rename the file, or use a link without a comma in its name";
            return Some(Error::usage(format!("--{name}"), problem, advice));
        }
    }
    None
}

fn is_list_of_files(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    argument.get_value_delimiter() == Some(',') && names.iter().any(|name| name.contains("FILE"))
}

/// Splits the list at its commas. If several successive pieces together are the name of a file, and one of
/// the pieces is not a file, returns this name.
fn file_across_a_comma(list: &str) -> Option<String> {
    let is_there = |name: &str| Path::new(name).symlink_metadata().is_ok();
    let pieces: Vec<&str> = list.split(',').collect();
    for first in 0..pieces.len() {
        for last in first + 1..pieces.len() {
            let joined = pieces[first..=last].join(",");
            if is_there(&joined) && !pieces[first..=last].iter().all(|piece| is_there(piece)) {
                return Some(joined);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;

    #[test]
    fn commas_in_file_names_are_not_separators() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        for name in ["left,right.nii", "a.nii", "b.nii", "a.nii,b.nii"] {
            std::fs::write(at(name), "").unwrap();
        }
        let definition = definition();
        let edit = definition.find_subcommand("edit").unwrap();
        let refused = |list: &str| {
            let words = ["arcuate", "edit", "t.tck", "--waypoints", list].map(Into::into);
            name_with_comma(&words, edit).map(|error| error.to_string())
        };
        for list in [at("left,right.nii"), format!("{},{}", at("a.nii"), at("left,right.nii"))] {
            assert!(refused(&list).is_some_and(|error| error.contains("left,right.nii")), "{list}");
        }
        // Both pieces are names of files, so the comma separates two files.
        assert_eq!(refused(&format!("{},{}", at("a.nii"), at("b.nii"))), None);
        assert_eq!(refused("missing.nii,none.nii"), None);
    }
}
