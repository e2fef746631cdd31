use crate::text_table::read_text;
use crate::write_file;
use arcuate_core::{Error, Result, printable};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Reads the names of a parcellation's regions from a text lookup table. Each line describes one region, and
/// `#` begins a comment. These formats of lines are supported:
///
/// - FreeSurfer colour table: `number name R G B A`, with a seventh column (the tissue) since FreeSurfer 8;
/// - MRtrix `labelconvert` table: `number abbreviation name R G B A` (the name is used);
/// - ITK-SNAP: `number R G B A visible mesh "name"`;
/// - plain: `number name`;
/// - any of these formats with commas, semicolons or tabs between the columns. Quotes, colours (numbers or
///   `#rrggbb`) and a line of headings are optional. The headings state which columns have the numbers and
///   names of regions.
///
/// A quote at the beginning of a column encloses the column; elsewhere a quote is a part of the name. The
/// region number 0 means no region, and its line is skipped. Returns an error if a line has none of these
/// formats, or if a region number has two names.
pub fn read_label_names(path: &Path) -> Result<BTreeMap<u32, String>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut headings: Option<Headings> = None;
    let mut is_first = true;
    for (number, line) in read_text(path)?.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if std::mem::take(&mut is_first) && is_heading(line) {
            headings = Headings::find(line);
            continue;
        }
        let read = headings.as_ref().map_or_else(|| parse(line), |headings| headings.parse(line));
        let (region, reading) =
            read.map_err(|problem| refused(path, format!("line {} {problem}", number + 1)))?;
        rows.push(Row { line: number + 1, region, reading });
    }
    names_of(path, rows)
}

fn refused(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(
        path.display(),
        problem,
        "give a FreeSurfer or MRtrix lookup table, or a table of numbers and names",
    )
}

/// A line of the lookup table that describes a region.
struct Row {
    line: usize,
    region: u32,
    reading: Reading,
}

/// The name of a region, as it was read from one line of the table.
struct Reading {
    name: String,
    /// The name of the region including the number that follows its last word. It is `Some` if this number
    /// may belong to the name instead of the colour (`Area 44 10 20 0 0`).
    with_number: Option<String>,
}

impl Reading {
    fn certain(name: impl Into<String>) -> Self {
        Self { name: name.into(), with_number: None }
    }
}

/// The result of parsing a line: the content of the line, or a text that describes its problem.
type Parsed<T> = std::result::Result<T, &'static str>;

const NO_NAME: &str = "does not give a region number and a name";
const OPEN_QUOTE: &str = "opens a quote that nothing closes";

/// Returns the name of each region.
fn names_of(path: &Path, rows: Vec<Row>) -> Result<BTreeMap<u32, String>> {
    // In some lines, a number after the name may be a part of the name or of the colour. If the names of
    // these regions are equal without the numbers, the numbers are parts of the names.
    let uncertain: Vec<&Reading> =
        rows.iter().map(|row| &row.reading).filter(|reading| reading.with_number.is_some()).collect();
    let different: BTreeSet<&str> = uncertain.iter().map(|reading| reading.name.as_str()).collect();
    let names_have_numbers = different.len() < uncertain.len();
    let mut names: BTreeMap<u32, (usize, String)> = BTreeMap::new();
    for Row { line, region, reading } in rows.into_iter().filter(|row| row.region != 0) {
        let name = reading.with_number.filter(|_| names_have_numbers).unwrap_or(reading.name);
        match names.get(&region) {
            Some((earlier, other)) if *other != name => {
                let (other, name) = (printable(other, 60), printable(&name, 60));
                let problem = format!(
                    "region number {region} has two names, `{other}` in line {earlier} and `{name}` in line \
                     {line}"
                );
                return Err(Error::invalid(path.display(), problem, "remove one of the two lines"));
            }
            _ => names.insert(region, (line, name)),
        };
    }
    if names.is_empty() {
        return Err(refused(path, "it names no region"));
    }
    Ok(names.into_iter().map(|(region, (_, name))| (region, name)).collect())
}

/// The indices of the columns with the region numbers and the region names, in a table with a line of
/// headings.
struct Headings {
    separator: char,
    number: usize,
    name: usize,
}

impl Headings {
    /// Finds the columns with the region numbers and the region names in a line of headings. Returns `None`
    /// if the line does not consist of headings.
    fn find(line: &str) -> Option<Self> {
        let split = |&separator: &char| Some((separator, cells(line, separator).ok()?));
        let (separator, words) = SEPARATORS.iter().filter_map(split).find(|(_, words)| words.len() > 1)?;
        let words: Vec<String> = words.iter().map(|cell| cell.to_ascii_lowercase()).collect();
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
        (number != name).then_some(Self { separator, number, name })
    }

    fn parse(&self, line: &str) -> Parsed<(u32, Reading)> {
        let cells = cells(line, self.separator)?;
        let name = cells.get(self.name).filter(|name| !name.is_empty()).ok_or(NO_NAME)?;
        let number = cells.get(self.number).and_then(|cell| cell.parse().ok()).ok_or(NO_NAME)?;
        Ok((number, Reading::certain(name)))
    }
}

/// Returns true if this first line of a table contains headings.
fn is_heading(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let begins_with_number = line.trim_start_matches('"').starts_with(|c: char| c.is_ascii_digit());
    !begins_with_number && ["name", "label", "region", "structure"].iter().any(|word| lower.contains(word))
}

/// Characters that separate columns, in addition to spaces.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// Splits a line into columns and removes the quotes around them. A quote has this meaning only at the
/// beginning of a column. Inside a quoted column, two successive quotes represent one.
fn cells(line: &str, separator: char) -> Parsed<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() && c != separator);
        let Some(quoted) = text.strip_prefix('"') else {
            let (cell, behind) = text.split_once(separator).map_or((text, None), |(a, b)| (a, Some(b)));
            cells.push(cell.trim().to_owned());
            rest = behind;
            continue;
        };
        let mut cell = String::new();
        let mut pieces = quoted.split('"');
        let mut at = 0;
        loop {
            let piece = pieces.next().unwrap_or_default();
            cell.push_str(piece);
            at += piece.len() + 1;
            let behind = quoted.get(at..).ok_or(OPEN_QUOTE)?;
            if behind.starts_with('"') {
                // Two successive quotes have an empty piece of text between them, which is skipped.
                pieces.next();
                cell.push('"');
                at += 1;
                continue;
            }
            // Text between the closing quote and the next separator is a part of the column, too.
            let (tail, next) = behind.split_once(separator).map_or((behind, None), |(a, b)| (a, Some(b)));
            cell.push_str(tail);
            cells.push(cell.trim().to_owned());
            rest = next;
            break;
        }
    }
    Ok(cells)
}

/// Returns true if the text of a column is a colour (such as `#ff0000`) or one component of a colour.
fn is_colour(cell: &str) -> bool {
    let hexadecimal =
        |digits: &str| matches!(digits.len(), 6 | 8) && digits.chars().all(|c| c.is_ascii_hexdigit());
    cell.parse().is_ok_and(f64::is_finite) || cell.strip_prefix('#').is_some_and(hexadecimal)
}

fn parse(line: &str) -> Parsed<(u32, Reading)> {
    for separator in SEPARATORS {
        let split = cells(line, separator);
        let is_table = |cells: &&Vec<String>| match cells.len() {
            // A single tab after the region number does not show that the other columns are separated by
            // tabs, too.
            0 | 1 => false,
            2 => separator != '\t' && cells[0].parse::<u32>().is_ok(),
            _ => cells[0].parse::<u32>().is_ok(),
        };
        if split.as_ref().is_ok_and(|cells| is_table(&cells)) {
            return parse_cells(&split?);
        }
        if line.split_once(separator).is_some_and(|(number, _)| number.trim().parse::<u32>().is_ok()) {
            split?;
        }
    }
    let (number, rest) = line.split_once(|c: char| c.is_whitespace() || c == ',').ok_or(NO_NAME)?;
    let number = number.parse().map_err(|_| NO_NAME)?;
    let reading = match quoted(rest)? {
        Some(name) => Reading::certain(name),
        None => name_and_colours(rest),
    };
    if reading.name.is_empty() { Err(NO_NAME) } else { Ok((number, reading)) }
}

/// Parses the columns of a line whose first column is the region number.
fn parse_cells(cells: &[String]) -> Parsed<(u32, Reading)> {
    let number = cells[0].parse().map_err(|_| NO_NAME)?;
    let texts: Vec<&str> =
        cells[1..].iter().map(String::as_str).filter(|cell| !cell.is_empty() && !is_colour(cell)).collect();
    let has_colour = cells.len() > texts.len() + 2;
    let name = match (has_colour, &texts[..]) {
        // The name of a region may itself be a number.
        (_, []) => cells.get(1).filter(|_| cells.len() == 2).ok_or(NO_NAME)?.clone(),
        // A `labelconvert` table has the abbreviation of a region before its name.
        (true, [_, name]) => (*name).to_owned(),
        (_, texts) => texts.join(", "),
    };
    if name.is_empty() { Err(NO_NAME) } else { Ok((number, Reading::certain(name))) }
}

/// Finds a quoted name in the rest of a line. The opening quote must begin a word, and only numbers may be
/// before and after the quoted name. Returns `None` if no word begins with a quote.
fn quoted(rest: &str) -> Parsed<Option<&str>> {
    let begins_word =
        |&(at, _): &(usize, &str)| rest[..at].chars().next_back().is_none_or(char::is_whitespace);
    let Some((open, _)) = rest.match_indices('"').find(begins_word) else { return Ok(None) };
    let are_numbers = |text: &str| text.split_whitespace().all(|word| is_colour(word.trim_end_matches(',')));
    if !are_numbers(&rest[..open]) {
        return Err("has a quote within its name");
    }
    let inside = &rest[open + 1..];
    let without_comment = |text: &str| text.split(" #").next().unwrap_or_default().len();
    let close = inside.match_indices('"').map(|(at, _)| at).find(|&at| {
        let behind = &inside[at + 1..];
        are_numbers(&behind[..without_comment(behind)])
    });
    close.map(|close| Some(&inside[..close])).ok_or(OPEN_QUOTE)
}

/// Divides the rest of a line into the region's name, which has no quotes, and the colour after it.
fn name_and_colours(rest: &str) -> Reading {
    // A comment at the end of a line must follow a space. FreeSurfer's tables have no `#` inside names, but
    // other tables do.
    let rest = rest.split(" #").next().unwrap_or_default().trim().trim_start_matches(',').trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let colours = words.iter().rev().take_while(|word| is_colour(word.trim_end_matches(','))).count();
    let (names, numbers) = words.split_at(words.len() - colours);
    let without = |count: usize| words[..words.len() - count].join(" ");
    // The transparency of a colour is either 0 or 255 in these tables.
    let is_transparency = |word: &str| matches!(word.trim_end_matches(','), "0" | "255");
    match (colours, names) {
        // If the line has a colour, the name is one word. If it has none, all words form the name ("Left
        // Hippocampus", "Area 44").
        (3 | 4, [name] | [_, name]) => Reading::certain(*name),
        (3 | 4, [_, _, _, ..]) => Reading::certain(without(colours)),
        (5, [name]) if is_transparency(numbers[3]) => {
            Reading { name: (*name).to_owned(), with_number: is_transparency(numbers[4]).then(|| without(4)) }
        }
        (5, [_, ..]) => Reading::certain(without(4)),
        _ => Reading::certain(words.join(" ")),
    }
}

/// Writes names of regions as a text table that [`read_label_names`] and the programs that read FreeSurfer's
/// tables can read. Each line is `number name`. Spaces in names are replaced by underscores.
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
    fn common_label_tables_are_read() {
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
    fn invalid_tables_are_rejected() {
        assert_eq!(
            read("1 a\nnot a region\n").unwrap_err(),
            "lut.txt: line 2 does not give a region number and a name; give a FreeSurfer or MRtrix lookup \
             table, or a table of numbers and names"
        );
        assert_eq!(
            read("# nothing\n").unwrap_err(),
            "lut.txt: it names no region; give a FreeSurfer or MRtrix lookup table, or a table of numbers \
             and names"
        );
    }

    #[test]
    fn a_seventh_column_is_not_part_of_the_name() {
        let lut = "#No. Label Name: R G B A\n1 Left-One 0 80 0 0\n5 Left-Five-noX 0 80 0 0 2\n9 Mid-Nine 60 58 210 0 3\n";
        let expected = |names: [(u32, &str); 3]| Ok(names.map(|(n, name)| (n, name.to_owned())).into());
        let named = expected([(1, "Left-One"), (5, "Left-Five-noX"), (9, "Mid-Nine")]);
        assert_eq!(read(lut), named);
        assert_eq!(read(&lut.replace(" 0 2\n", " 0 2 \n").replace(' ', "\t")), named);
        assert_eq!(read(&lut.replace("5 ", "5\t").replace("9 ", "9\t")), named);
        assert_eq!(read(&lut.replace("Left-Five-noX 0", "Left-Five-noX   0")), named);
        // A number after the name is a part of the name in two cases. In the first case, the line has five
        // numbers, of which the first is no colour and the last is a transparency. In the second case, two
        // names would be equal without the number.
        let areas = "4 Area 44 10 20 30 0\n5 Area 45 10 20 30 255\n6 Brodmann Area 6 1 2 3 0\n";
        assert_eq!(read(areas), expected([(4, "Area 44"), (5, "Area 45"), (6, "Brodmann Area 6")]));
        let alike = "4 Area 44 10 20 0 0\n5 Area 45 10 20 0 0\n6 Left-Six 1 2 3 0\n";
        assert_eq!(read(alike), expected([(4, "Area 44"), (5, "Area 45"), (6, "Left-Six")]));
    }

    #[test]
    fn quotes_inside_names_are_kept() {
        let one = |line: &str| read(line).map(|names| names[&2].clone());
        let named = |name: &str| Ok(name.to_owned());
        assert_eq!(one("2 Area\"17\"b 1 2 3 0\n"), named("Area\"17\"b"));
        assert_eq!(one("2 2\"thick 1 1 1 1\n"), named("2\"thick"));
        assert_eq!(one("2,2\"thick,1,1,1\n"), named("2\"thick"));
        assert_eq!(one("2,\"the \"\"thick\"\" one, left\",1,1,1\n"), named("the \"thick\" one, left"));
        assert_eq!(one("2 255 0 0 1 1 1 \"Third \"x\" ventricle\"\n"), named("Third \"x\" ventricle"));
        assert_eq!(one("2 \"Left Area\" 1 2 3 0\n"), named("Left Area"));
        assert_eq!(one("2\t\"Hippocampus, left\"\n"), named("Hippocampus, left"));
        assert_eq!(one("id\tname\n2\tHippocampus, left\n"), named("Hippocampus, left"));
        for open in [
            "2 \"Left Area 1 2 3 0\n",
            "2 255 0 0 1 1 1 \"Third\n",
            "2,\"Left,1,2,3\n",
            "id,name\n2,\"Left\n",
        ] {
            let message = read(open).unwrap_err();
            assert!(message.contains("opens a quote that nothing closes"), "{message}");
        }
        let within = read("2 Area \"17\" b 1 2 3 0\n").unwrap_err();
        assert!(within.contains("line 1 has a quote within its name"), "{within}");
    }

    #[test]
    fn duplicate_region_numbers_are_rejected() {
        assert_eq!(
            read("5 a\n7 b\n5 c\n").unwrap_err(),
            "lut.txt: region number 5 has two names, `a` in line 1 and `c` in line 3; remove one of the two \
             lines"
        );
        assert_eq!(read("5 a\n7 b\n5 a\n"), Ok(BTreeMap::from([(5, "a".to_owned()), (7, "b".to_owned())])));
        assert_eq!(read("0 a\n0 b\n5 a\n"), Ok(BTreeMap::from([(5, "a".to_owned())])));
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
