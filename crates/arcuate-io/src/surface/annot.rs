//! Reads and writes FreeSurfer's `.annot` files, which contain a parcellation of a surface. The file stores
//! for each vertex the colour of its region, and a table with the name and colour of each region.

use super::bytes::Bytes;
use super::file::SurfaceFile;
use super::output::SurfaceOutput;
use crate::write_file;
use crate::xml::damaged;
use arcuate_core::{
    Error, NamedLabel, Result, Structure, SurfaceLabels, checked, narrow, printable, saturating,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns a colour as the number that the file stores for a vertex: red in the lowest byte, then green and
/// blue.
fn packed([r, g, b]: [u8; 3]) -> i32 {
    i32::from_le_bytes([r, g, b, 0])
}

/// Reads a parcellation. The label number of a region is the index of the region in the table of colours. A
/// vertex whose colour is not in the table gets the label [`SurfaceLabels::NONE`].
pub(crate) fn read(path: &Path, bytes: &[u8], structure: Option<Structure>) -> Result<SurfaceFile> {
    let mut rest = Bytes::new(path, bytes);
    let count = rest.count("vertices", 8)?;
    let pairs = rest.words(2 * count, i32::from_be_bytes)?;
    if rest.rest().len() < 4 || rest.i32()? != 1 {
        let problem = "it has no table of its regions";
        return Err(Error::invalid(
            path.display(),
            problem,
            "create the annotation file again, with a colour table of the regions",
        ));
    }
    let entries = read_table(path, &mut rest)?;
    let mut numbers: BTreeMap<i32, i32> = BTreeMap::new();
    let mut file = SurfaceFile::new("FreeSurfer annotation", structure);
    for (number, (colour, label)) in &entries {
        if let Some(other) = numbers.insert(packed(*colour), *number) {
            file.warnings.push(format!(
                "`{}` and `{}` have the same colour, so their vertices cannot be distinguished",
                printable(&entries[&other].1.name, 60),
                printable(&label.name, 60)
            ));
        }
    }
    let mut values = vec![None; count];
    // For each colour that is not in the table, the number of vertices with this colour.
    let mut unnamed: BTreeMap<i32, usize> = BTreeMap::new();
    for pair in pairs.chunks_exact(2) {
        let place = usize::try_from(pair[0]).ok().and_then(|vertex| values.get_mut(vertex));
        let place = place.ok_or_else(|| damaged(path, format!("it names vertex {} of {count}", pair[0])))?;
        // In files of older programs, the highest byte of a vertex's colour is the transparency, which is
        // ignored.
        let colour = pair[1] & 0xff_ffff;
        let number = numbers.get(&colour).copied();
        // FreeSurfer writes the colour 0 for a vertex that belongs to no region.
        if number.is_none() && colour != 0 {
            *unnamed.entry(colour).or_default() += 1;
        }
        *place = Some(number.unwrap_or(SurfaceLabels::NONE));
    }
    file.warnings.extend(warning_of_unnamed(&unnamed));
    let values: Option<Vec<i32>> = values.into_iter().collect();
    let values =
        values.ok_or_else(|| damaged(path, "it names a vertex twice and another never".to_owned()))?;
    let table = entries.into_iter().map(|(number, (_, label))| (number, label)).collect();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    file.labels.push(SurfaceLabels { name, values, table });
    Ok(file)
}

/// Returns a warning about vertices whose colours are not in the table of regions.
fn warning_of_unnamed(unnamed: &BTreeMap<i32, usize>) -> Option<String> {
    const MAX_SHOWN: usize = 10;
    let vertices: usize = unnamed.values().sum();
    let shown: Vec<String> = unnamed
        .iter()
        .take(MAX_SHOWN)
        .map(|(colour, count)| {
            let [r, g, b, _] = colour.to_le_bytes();
            format!("{r} {g} {b} ({count} vertices)")
        })
        .collect();
    let more = if unnamed.len() > MAX_SHOWN { ", …" } else { "" };
    (vertices > 0).then(|| {
        format!(
            "{vertices} vertices have colours that its table of names lacks, and so no region: {}{more}",
            shown.join(", ")
        )
    })
}

type Entries = BTreeMap<i32, ([u8; 3], NamedLabel)>;

/// Reads the table with the names and colours of the regions. The older format of this table begins with the
/// number of regions. The newer format begins with a version number, and states a label number for each
/// region.
fn read_table(path: &Path, rest: &mut Bytes) -> Result<Entries> {
    let first = rest.i32()?;
    let is_numbered = first < 0;
    if is_numbered && first != -2 {
        let problem =
            format!("the table of regions in the file has the unknown version {}", -i64::from(first));
        return Err(Error::invalid(
            path.display(),
            problem,
            "write the file again with another version of FreeSurfer",
        ));
    }
    if is_numbered {
        let _largest = rest.i32()?;
    }
    let _made_from = rest.text()?;
    // Each region of the table takes at least the bytes of its name's length and of its four colour
    // components.
    let count =
        if is_numbered { rest.count("regions", 24)? } else { rest.there("regions", first.into(), 20)? };
    let mut entries = Entries::new();
    for n in 0..count {
        let number = if is_numbered { rest.i32()? } else { narrow::<i32>(n) };
        let name = rest.text()?;
        let colour = [rest.i32()?, rest.i32()?, rest.i32()?, rest.i32()?];
        let bytes = colour.map(|c| u8::try_from(c).ok());
        let [Some(r), Some(g), Some(b), Some(transparency)] = bytes else {
            let problem = format!("the colour of `{}` is {colour:?}", printable(&name, 60));
            return Err(damaged(path, problem));
        };
        let share = |byte: u8| f32::from(byte) / 255.0;
        let label = NamedLabel { name, colour: [share(r), share(g), share(b), 1.0 - share(transparency)] };
        if entries.insert(number, ([r, g, b], label)).is_some() {
            return Err(damaged(path, format!("its table has region {number} twice")));
        }
    }
    Ok(entries)
}

/// Writes the content of a surface file, if it is one parcellation.
pub(crate) fn write_output(output: &SurfaceOutput<'_>) -> Result<()> {
    match (&output.surface, output.file.maps.as_slice(), output.file.labels.as_slice()) {
        (None, [], [labels]) => write(output.path, labels),
        _ => Err(output.refuse("an annotation holds one parcellation and nothing else")),
    }
}

/// Writes a parcellation with its table of names and colours. Returns an error if a label of a vertex is not
/// in the table. Also returns an error if two labels in use have the same colour, because the format cannot
/// distinguish them.
fn write(path: &Path, labels: &SurfaceLabels) -> Result<()> {
    let refuse = |problem: String, advice: &str| Error::invalid(path.display(), problem, advice);
    let mut colours: BTreeMap<i32, i32> = BTreeMap::new();
    let mut used: BTreeMap<i32, &str> = BTreeMap::new();
    let mut table = Vec::new();
    let present: std::collections::BTreeSet<i32> = labels.values.iter().copied().collect();
    for (&number, label) in &labels.table {
        let bytes = label.colour.map(|share| saturating::<u8>((share.clamp(0.0, 1.0) * 255.0).round()));
        let [r, g, b, opacity] = bytes;
        if number < 0 {
            let problem = format!("label {number} (`{}`) has a negative number", printable(&label.name, 60));
            return Err(refuse(problem, "write GIFTI, or give it another number"));
        }
        if present.contains(&number)
            && let Some(other) = used.insert(packed([r, g, b]), &label.name)
        {
            let problem = format!(
                "`{}` and `{}` have the same colour, by which alone this format tells regions apart",
                printable(other, 60),
                printable(&label.name, 60)
            );
            return Err(refuse(problem, "write GIFTI, or give them other colours"));
        }
        colours.insert(number, packed([r, g, b]));
        let name = [label.name.as_bytes(), &[0]].concat();
        table.extend(number.to_be_bytes());
        table.extend(narrow::<i32>(name.len()).to_be_bytes());
        table.extend(name);
        for byte in [r, g, b, 255 - opacity] {
            table.extend(i32::from(byte).to_be_bytes());
        }
    }
    // Vertices without a region get a colour that belongs to no region. As in FreeSurfer, this colour is 0
    // unless a region has the colour 0.
    let no_region =
        (0..=0xff_ffff).find(|free| !colours.values().any(|colour| colour == free)).unwrap_or_default();
    let count = checked::<i32>(labels.values.len(), path.display(), "vertices")?;
    let mut bytes = count.to_be_bytes().to_vec();
    for (vertex, number) in labels.values.iter().enumerate() {
        let colour = match colours.get(number) {
            Some(colour) => *colour,
            None if *number == SurfaceLabels::NONE => no_region,
            None => {
                let problem =
                    format!("label {number} of vertex {vertex} is not in the table of names and colours");
                return Err(refuse(problem, "give it a name and a colour"));
            }
        };
        bytes.extend(narrow::<i32>(vertex).to_be_bytes());
        bytes.extend(colour.to_be_bytes());
    }
    let origin = b"arcuate\0";
    let largest = labels.table.keys().last().map_or(0, |number| number.saturating_add(1));
    for word in [1, -2, largest, narrow::<i32>(origin.len())] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(origin);
    bytes.extend(narrow::<i32>(labels.table.len()).to_be_bytes());
    bytes.extend(table);
    write_file(path, bytes)
}
