//! Reads and writes tables that describe the elements (regions, voxels or vertices) of the rows or columns of
//! a connectivity matrix.

use crate::text_file::read_text_file;
use crate::{AtomicFile, write_file};
use arcuate_core::{Axis, ElementKind, Error, Result, cell, from_cell};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Writes a table with one line for each row of a connectivity matrix. The table describes the element
/// (region, voxel or vertex) that the row represents. The headings are `row,region,name`; the second heading
/// is the kind of the elements. Each line has the index of the row (counted from 0), the number of the
/// element, and its name, which may be empty. Names are written as [`cell`]s: a name that spreadsheets would
/// run as a formula (`=`, `+`, `-` or `@` in front) gets an apostrophe in front.
pub fn write_axis_csv(path: &Path, axis: &Axis) -> Result<()> {
    write_file(path, to_text(axis, "row", ',', quoted))
}

/// Writes the same table as [`write_axis_csv`], but with tabs as separators and `place` as the first heading.
/// The caller renames the file to its final name.
pub(super) fn axis_tsv(path: &Path, axis: &Axis) -> Result<AtomicFile> {
    let mut file = AtomicFile::create(path)?;
    // The text of a cell contains neither tabs nor line ends, so no cell must be quoted.
    let text = to_text(axis, "place", '\t', str::to_owned);
    file.write_all(text.as_bytes()).map_err(|e| Error::write(path, e))?;
    Ok(file)
}

fn to_text(axis: &Axis, place: &str, separator: char, field: impl Fn(&str) -> String) -> String {
    let mut text = format!("{place}{separator}{}{separator}name\n", axis.kind().word());
    for (place, number) in axis.numbers().iter().enumerate() {
        let name = field(&cell(axis.name(place).unwrap_or_default()));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{place}{separator}{number}{separator}{name}");
    }
    text
}

/// Reads a table that [`write_axis_csv`] has written. Returns an error for other tables.
pub fn read_axis_csv(path: &Path) -> Result<Axis> {
    of_records(path, "row", records(&text(path)?))
}

/// Reads the table that describes the rows or columns of a matrix in SciPy's format
/// ([`write_matrix_npz`](crate::write_matrix_npz)). Returns an error for other tables.
pub fn read_axis_tsv(path: &Path) -> Result<Axis> {
    let text = text(path)?;
    let records = text.lines().map(|line| line.split('\t').map(str::to_owned).collect());
    of_records(path, "place", records.collect())
}

/// Maximum size in bytes of a table with one line for each row (or column) of a matrix.
const LARGEST_TABLE: u64 = 1 << 31;

fn text(path: &Path) -> Result<String> {
    read_text_file(path, LARGEST_TABLE)
}

fn damaged(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(path.display(), problem, "make the matrix again")
}

fn of_records(path: &Path, place: &str, records: Vec<Vec<String>>) -> Result<Axis> {
    let mut records = records.into_iter();
    let header = records.next().unwrap_or_default();
    let kind = match &header[..] {
        [first, kind, name] if first == place && name == "name" => ElementKind::of_word(kind),
        _ => None,
    };
    let kind = kind.ok_or_else(|| damaged(path, "it is not a table of the rows or columns of a matrix"))?;
    let (mut numbers, mut names) = (Vec::new(), Vec::new());
    for (place, record) in records.enumerate() {
        let wrong =
            || damaged(path, format!("its row {place} is not place, number and name of a {}", kind.word()));
        let [first, number, name] = <[String; 3]>::try_from(record).map_err(|_| wrong())?;
        if first != place.to_string() {
            return Err(wrong());
        }
        numbers.push(number.parse().map_err(|_| wrong())?);
        names.push(from_cell(&name).to_owned());
    }
    Axis::new(kind, numbers, names).map_err(|e| e.about(path.display()).advise("make the matrix again"))
}

/// Divides the text of a table into lines and cells, as RFC 4180 defines them. A quoted cell may contain
/// separators, line ends and doubled quotes.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut field = String::new();
    let mut inside_quotes = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if inside_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => inside_quotes = !inside_quotes,
            _ if inside_quotes => field.push(character),
            ',' => record.push(std::mem::take(&mut field)),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            _ => field.push(character),
        }
    }
    if !record.is_empty() || !field.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

/// Quotes a field as RFC 4180 requires.
fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_survive_a_round_trip() {
        let names = [
            "plain",
            "gyrus, \"left\"",
            "\"",
            ",",
            "=HYPERLINK(1)",
            "'-x",
            "",
            " blanks ",
            "ünïcode",
            "@a,\"b\"",
        ];
        let numbers = (0..names.len() as u64).map(|n| 3 * n + 2).collect();
        let axis = Axis::new(ElementKind::Region, numbers, names.map(str::to_owned).to_vec()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_axis_csv(&path, &axis).unwrap();
        assert_eq!(read_axis_csv(&path).unwrap(), axis);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("row,region,name\n0,2,plain\n1,5,\"gyrus, \"\"left\"\"\"\n"), "{text}");
        assert!(text.contains("\n4,14,'=HYPERLINK(1)\n"), "{text}");
        axis_tsv(&path, &axis).unwrap().finish().unwrap();
        assert_eq!(read_axis_tsv(&path).unwrap(), axis);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("place\tregion\tname\n0\t2\tplain\n1\t5\tgyrus, \"left\"\n"), "{text}");
        // Spreadsheet programs save the table in this form.
        std::fs::write(&path, "row,file,name\r\n0,5,\"a\"\r\n").unwrap();
        let expected = Axis::new(ElementKind::File, vec![5], vec!["a".to_owned()]).unwrap();
        assert_eq!(read_axis_csv(&path).unwrap(), expected);
    }

    #[test]
    fn damaged_tables_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for text in [
            "",
            "0,2,a\n",
            "row,area,name\n",
            "row,region,name\n0,x,a\n",
            "row,region,name\n0,2\n",
            "row,region,name\n1,2,a\n",
            "row,region,name\n0,2,a\n1,2,b\n",
            "row,region,name\n0,-2,a\n",
            "row,region,name\n0,99999999999999999999,a\n",
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read_axis_csv(&path).unwrap_err().to_string();
            assert!(error.ends_with("; make the matrix again"), "{text:?}: {error}");
            std::fs::write(&path, text.replace("row,", "place,").replace(',', "\t")).unwrap();
            assert!(read_axis_tsv(&path).is_err(), "{text:?}");
        }
        std::fs::write(&path, b"row,region,name\n0,1,\xff\n").unwrap();
        assert_eq!(
            read_axis_csv(&path).unwrap_err().problem(),
            "it is not UTF-8 text: line 2 has the byte 0xFF"
        );
    }
}
