use crate::text_table::read_text;
use crate::write_file;
use arcuate_core::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the names of a parcellation's regions from a lookup table in text form: a region per line, `#` begins a
/// comment.
///
/// - FreeSurfer colour table: `number name R G B A`;
/// - MRtrix `labelconvert` table: `number abbreviation name R G B A` (the name is taken);
/// - ITK-SNAP: `number R G B A visible mesh "name"`;
/// - plain: `number name`, also with a comma between.
///
/// Region 0, which means no region, is left out.
pub fn read_label_names(path: &Path) -> Result<BTreeMap<u32, String>> {
    let mut names = BTreeMap::new();
    for (number, line) in read_text(path)?.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (region, name) = parse(line).ok_or_else(|| {
            let problem = format!("line {} does not give a region number and a name", number + 1);
            Error::invalid(path.display(), problem, "give a FreeSurfer or MRtrix lookup table")
        })?;
        if region != 0 {
            names.insert(region, name);
        }
    }
    if names.is_empty() {
        return Err(Error::invalid(
            path.display(),
            "it names no region",
            "give a FreeSurfer or MRtrix lookup table",
        ));
    }
    Ok(names)
}

fn parse(line: &str) -> Option<(u32, String)> {
    let (number, rest) = line.split_once(|c: char| c.is_whitespace() || c == ',')?;
    let number = number.parse().ok()?;
    if let Some((_, quoted)) = rest.split_once('"') {
        return Some((number, quoted.split('"').next()?.to_owned()));
    }
    // A trailing comment is one only after a blank: FreeSurfer has no `#` inside names, other tables do.
    let rest = rest.split(" #").next()?.trim().trim_start_matches(',').trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_colour = |word: &&str| word.trim_end_matches(',').parse::<f64>().is_ok();
    let colours = words.iter().rev().take_while(|word| is_colour(word)).count();
    // With a colour there is one word per column; without, all is name ("Left Hippocampus", "Area 44").
    let name = match (colours, words.len() - colours.min(words.len())) {
        (3 | 4, 1 | 2) => words[words.len() - colours - 1].to_owned(),
        (3 | 4, 3..) => words[..words.len() - colours].join(" "),
        _ => words.join(" "),
    };
    (!name.is_empty()).then_some((number, name))
}

/// Writes names so that [`read_label_names`] and programs that take FreeSurfer's columns find them: `number name`, a
/// region a line, blanks in names as underscores.
pub fn write_label_names(path: &Path, names: &BTreeMap<u32, String>) -> Result<()> {
    let lines = names.iter().map(|(region, name)| {
        let name = name.split_whitespace().collect::<Vec<_>>().join("_");
        format!("{region} {name}\n")
    });
    write_file(path, format!("# region name\n{}", lines.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_names_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.txt");
        let names = BTreeMap::from([(1, "Left frontal".to_owned()), (30, "Crest-2".to_owned())]);
        write_label_names(&path, &names).unwrap();
        let expected = BTreeMap::from([(1, "Left_frontal".to_owned()), (30, "Crest-2".to_owned())]);
        assert_eq!(read_label_names(&path).unwrap(), expected);
    }

    fn read(text: &str) -> std::result::Result<BTreeMap<u32, String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lut.txt");
        std::fs::write(&path, text).unwrap();
        read_label_names(&path)
            .map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn known_tables_give_names() {
        let text = "#$Id: FreeSurferColorLUT.txt\n\n#No. Label Name:   R   G   B   A\n\n\
                    0   Unknown                 0   0   0   0\n\
                    17  Left-Hippocampus        220 216 20  0\n\
                    1    L.BSTS   ctx-lh-bankssts    25 100  40 255\n\
                    \x20  5   255  0  0  1  1  1  \"Third ventricle\"\n\
                    44 Area 44\n\
                    7,Precentral_L\n\
                    4000000000 Far away\n";
        let names = read(text).unwrap();
        let expected = [
            (1, "ctx-lh-bankssts"),
            (5, "Third ventricle"),
            (7, "Precentral_L"),
            (17, "Left-Hippocampus"),
            (44, "Area 44"),
            (4_000_000_000, "Far away"),
        ];
        assert_eq!(names, expected.map(|(n, name)| (n, name.to_owned())).into());
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(
            read("1 a\nnot a region\n").unwrap_err(),
            "lut.txt: line 2 does not give a region number and a name; give a FreeSurfer or MRtrix lookup table"
        );
        assert_eq!(
            read("# nothing\n").unwrap_err(),
            "lut.txt: it names no region; give a FreeSurfer or MRtrix lookup table"
        );
    }
}
