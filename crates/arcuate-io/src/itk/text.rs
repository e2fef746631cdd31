//! Reads ITK's transforms from text files (`.txt`, `.tfm`).

use super::transform::{ItkTransform, kind_of};
use crate::text_table;
use arcuate_core::{Error, Result};
use std::path::Path;

/// The first bytes of ITK's text files of transforms.
pub(super) const BEGINNING: &[u8] = b"#Insight Transform File";

/// Reads all transforms of the file, in the order in which the file stores them.
pub(super) fn read(path: &Path) -> Result<Vec<ItkTransform>> {
    let mut transforms: Vec<ItkTransform> = Vec::new();
    for (index, line) in text_table::read_text(path)?.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let unknown = |problem: &str| {
            let problem = format!("line {} {problem}", index + 1);
            Error::invalid(path.display(), problem, "write the transform again")
        };
        let (key, rest) = line.split_once(':').ok_or_else(|| unknown("has no colon"))?;
        let numbers = || text_table::row(path, index + 1, rest);
        match (key.trim(), transforms.last_mut()) {
            ("Transform", _) => {
                let kind = kind_of(path, rest.trim())?;
                transforms.push(ItkTransform { kind, parameters: Vec::new(), fixed: Vec::new() });
            }
            ("Parameters", Some(last)) => last.parameters = numbers()?,
            ("FixedParameters", Some(last)) => last.fixed = numbers()?,
            _ => return Err(unknown("is none of a transform")),
        }
    }
    Ok(transforms)
}
