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
/// - plain: `number name`;
/// - any of them with commas, semicolons or tabs between the columns, with or without quotes, colours (numbers or
///   `#rrggbb`) and a line of headings, by which the columns of number and name are then found.
///
/// Region 0, which means no region, is left out.
pub fn read_label_names(path: &Path) -> Result<BTreeMap<u32, String>> {
    let advice = "give a FreeSurfer or MRtrix lookup table, or one of numbers and names";
    let mut names = BTreeMap::new();
    let mut headings: Option<Headings> = None;
    let mut is_first = true;
    for (number, line) in read_text(path)?.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if std::mem::take(&mut is_first) && is_heading(line) {
            headings = Headings::find(line);
            continue;
        }
        let (region, name) =
            headings.as_ref().map_or_else(|| parse(line), |h| h.parse(line)).ok_or_else(|| {
                let problem = format!("line {} does not give a region number and a name", number + 1);
                Error::invalid(path.display(), problem, advice)
            })?;
        if region != 0 {
            names.insert(region, name);
        }
    }
    if names.is_empty() {
        return Err(Error::invalid(path.display(), "it names no region", advice));
    }
    Ok(names)
}

/// In which columns a table with headings has number and name.
struct Headings {
    number: usize,
    name: usize,
}

impl Headings {
    /// The columns that separated headings name, where they do.
    fn find(line: &str) -> Option<Self> {
        let words: Vec<String> = cells(line)?.iter().map(|cell| cell.to_ascii_lowercase()).collect();
        let column =
            |known: &[&str]| known.iter().find_map(|name| words.iter().position(|word| word == name));
        let name = column(&[
            "name",
            "label name",
            "labelname",
            "label_name",
            "region name",
            "region_name",
            "region",
            "structure",
            "full name",
        ])
        .or_else(|| words.iter().position(|word| word.contains("name")))
        .or_else(|| column(&["label"]))?;
        let numbers =
            ["index", "id", "number", "no", "no.", "value", "label id", "label_id", "roi", "label", "region"];
        let number = numbers.iter().find_map(|name| words.iter().position(|word| word == name));
        let number = number.filter(|&column| column != name).unwrap_or(0);
        (number != name).then_some(Self { number, name })
    }

    fn parse(&self, line: &str) -> Option<(u32, String)> {
        let cells = cells(line)?;
        let name = cells.get(self.name).filter(|name| !name.is_empty())?;
        Some((cells.get(self.number)?.parse().ok()?, name.clone()))
    }
}

/// Whether a table's first line names its columns.
fn is_heading(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let begins_with_number = line.trim_start_matches('"').starts_with(|c: char| c.is_ascii_digit());
    !begins_with_number && ["name", "label", "region", "structure"].iter().any(|word| lower.contains(word))
}

/// The columns of a line that has commas, semicolons or tabs between them (outside of quotes), without their quotes.
fn cells(line: &str) -> Option<Vec<String>> {
    let separator = [',', ';', '\t'].into_iter().find(|&c| {
        let mut quoted = false;
        line.chars().any(|here| {
            quoted ^= here == '"';
            here == c && !quoted
        })
    })?;
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        if c == '"' {
            quoted = !quoted;
        } else if c == separator && !quoted {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// Whether a column holds a colour, or a part of one.
fn is_colour(cell: &str) -> bool {
    let hexadecimal =
        |digits: &str| matches!(digits.len(), 6 | 8) && digits.chars().all(|c| c.is_ascii_hexdigit());
    cell.parse::<f64>().is_ok() || cell.strip_prefix('#').is_some_and(hexadecimal)
}

fn parse(line: &str) -> Option<(u32, String)> {
    if let Some(cells) = cells(line).filter(|cells| cells[0].parse::<u32>().is_ok()) {
        let number = cells[0].parse().ok()?;
        let texts: Vec<&str> = cells[1..]
            .iter()
            .map(String::as_str)
            .filter(|cell| !cell.is_empty() && !is_colour(cell))
            .collect();
        let has_colour = cells.len() > texts.len() + 2;
        let name = match (has_colour, &texts[..]) {
            // A name may be a number.
            (_, []) => cells.get(1).filter(|_| cells.len() == 2)?.clone(),
            // As in `labelconvert` tables: abbreviation and name.
            (true, [_, name]) => (*name).to_owned(),
            (_, texts) => texts.join(", "),
        };
        return (!name.is_empty()).then_some((number, name));
    }
    let (number, rest) = line.split_once(|c: char| c.is_whitespace() || c == ',')?;
    let number = number.parse().ok()?;
    if let Some((_, quoted)) = rest.split_once('"') {
        return Some((number, quoted.split('"').next()?.to_owned()));
    }
    // A trailing comment is one only after a blank: FreeSurfer has no `#` inside names, other tables do.
    let rest = rest.split(" #").next()?.trim().trim_start_matches(',').trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let colours = words.iter().rev().take_while(|word| is_colour(word.trim_end_matches(','))).count();
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
            "lut.txt: line 2 does not give a region number and a name; give a FreeSurfer or MRtrix lookup table, or one of numbers and names"
        );
        assert_eq!(
            read("# nothing\n").unwrap_err(),
            "lut.txt: it names no region; give a FreeSurfer or MRtrix lookup table, or one of numbers and names"
        );
    }

    #[test]
    fn separated_columns_colours_and_headings_are_read() {
        let expected =
            |name: &str| BTreeMap::from([(17, name.to_owned()), (53, "Right-Hippocampus".to_owned())]);
        for text in [
            "17,Left-Hippocampus,220,216,20,0\n53,Right-Hippocampus,220,216,20,0\n",
            "17, Left-Hippocampus, 220, 216, 20\n53, Right-Hippocampus, 220, 216, 20\n",
            "17\tLeft-Hippocampus\t#dcd814\n53\tRight-Hippocampus\t#dcd814\n",
            "17;L.HIPP;Left-Hippocampus;220;216;20;255\n53;R.HIPP;Right-Hippocampus;220;216;20;255\n",
            "index,name,R,G,B\n17,Left-Hippocampus,220,216,20\n53,Right-Hippocampus,220,216,20\n",
            "\u{feff}Name;Abbreviation;Label ID\nLeft-Hippocampus;LH;17\nRight-Hippocampus;RH;53\n",
            "\"id\",\"region\"\r\n17,\"Left-Hippocampus\"\r\n53,\"Right-Hippocampus\"\r\n",
            "No. Label_Name: R G B A\n17 Left-Hippocampus 220 216 20 0\n53 Right-Hippocampus 220 216 20 0\n",
            "17 Left-Hippocampus 220, 216, 20, 0\n53 Right-Hippocampus 220, 216, 20, 0\n",
        ] {
            assert_eq!(read(text).as_ref(), Ok(&expected("Left-Hippocampus")), "{text}");
        }
        let quoted = "label,name\n17,\"Hippocampus, left\"\n53,Right-Hippocampus\n";
        assert_eq!(read(quoted), Ok(expected("Hippocampus, left")));
        assert!(read("index,name\n17,\n").unwrap_err().contains("line 2 does not give"));
        assert!(read("index,name\nx,a\n").unwrap_err().contains("line 2 does not give"));
    }
}
