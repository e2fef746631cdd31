//! Tests of a cohort with synthetic records, from its folders to its page.

use super::member::{Entry, Results};
use super::{Cohort, Member, MemberState, gather};
use arcuate_core::{Axis, ElementKind};
use arcuate_io::{write_axis_csv, write_npy};
use arcuate_pipeline::figures::Figure;
use arcuate_pipeline::output_files::OutputFile;
use arcuate_pipeline::record::Record;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Hostile text, which would be active on a page, in a terminal or in a spreadsheet if it were not escaped.
const HOSTILE: &str = "</style><script>alert(1)</script>\"'\u{1b}[31m\t\n\u{202e}<section id=\"section-1\">";

/// Returns the record of a run with realistic figures.
fn record(n: usize) -> Record {
    let mut record = Record::default();
    record.form = 1;
    record.created = format!("2026-11-{:02}T10:00:00Z", n + 1);
    record.figure("shells", "6 × b 0, 30 × b 1000 s/mm²");
    record.measure("median MD", 7e-4 + 1e-6 * n as f64, "mm²/s").key();
    record.measure("median FA where FA > 0.2", 0.4 + 0.002 * n as f64, "").key();
    record.figure("streamlines", 500 + n);
    record.versions.set("arcuate", "0.1.0".to_owned());
    record.seconds.set("track fod: track", 10.0 + n as f64);
    record
}

/// Writes a record, and a connectome whose regions have these names.
fn write(folder: &Path, mut record: Record, names: &[&str]) {
    let inner = folder.join("connectome");
    fs::create_dir_all(&inner).unwrap();
    let side = names.len();
    let scale = record.figures.0.last().and_then(|(_, figure)| figure.value.as_f64()).unwrap_or(1.0);
    let value = |place: usize| {
        if place % side == place / side { 0.0 } else { (place % side + place / side) as f64 * scale }
    };
    let values: Vec<f64> = (0..side * side).map(value).collect();
    for word in ["counts", "weights", "lengths"] {
        write_npy(&inner.join(format!("connectome_{word}.npy")), &[side, side], &values).unwrap();
        record.files.push(OutputFile::file(format!("connectome/connectome_{word}.npy"), "an array"));
    }
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let axis = Axis::new(ElementKind::Region, (1..=side as u64).collect(), names).unwrap();
    write_axis_csv(&inner.join("connectome_regions.csv"), &axis).unwrap();
    record.files.push(OutputFile::file("connectome/connectome_regions.csv", "regions"));
    fs::write(folder.join("arcuate.json"), serde_json::to_string(&record).unwrap()).unwrap();
    fs::write(folder.join("report.html"), "a report").unwrap();
}

fn member(out: &Path, n: usize, state: MemberState) -> Member {
    let id = format!("sub-{n:02}_ses-a_run-{}_space-ACPC", n % 2 + 1);
    let results = out.join(".arcuate").join(&id);
    let report = Some(results.join("report.html"));
    let scanner = if n == 2 { HOSTILE } else { "Siemens" };
    let description = serde_json::json!({"EchoTime": 0.08, "MagneticFieldStrength": 3, "Manufacturer": scanner, "Other": 7});
    let sidecar = if n == 12 { serde_json::Map::new() } else { description.as_object().unwrap().clone() };
    Member {
        id,
        participant: format!("{n:02}"),
        session: Some("ses-a".to_owned()),
        results,
        report,
        state,
        sidecar,
    }
}

/// Creates twelve members with results. The fourth has an unusual FA, the sixth has hostile text in its
/// record, and the eighth and ninth have other regions. Three more members follow: one has failed, one has
/// not started, and one has an invalid record.
fn cohort(out: &Path) -> Vec<Member> {
    let mut members: Vec<Member> = (0..12).map(|n| member(out, n, MemberState::Done)).collect();
    for (n, member) in members.iter().enumerate() {
        let mut record = record(n);
        match n {
            3 => record.measure("median FA where FA > 0.2", 0.11, "").key(),
            5 => {
                record.warnings.push(HOSTILE.to_owned());
                record.choices.set(HOSTILE, HOSTILE.to_owned());
                record.figures.set(HOSTILE, Figure::new(1.5, HOSTILE)).key();
                record.figure("shells", HOSTILE);
            }
            9 => record.figures.0.retain(|(name, _)| name != "streamlines"),
            _ => {}
        }
        let names: &[&str] = match n {
            7 => &["left a", "left b", "right a"],
            8 => &["left a", "left b", "right a", HOSTILE],
            _ => &["left a", "left b", "right a", "right b"],
        };
        write(&member.results, record, names);
    }
    members.push(member(out, 12, MemberState::Failed(format!("fit: it went wrong {HOSTILE}"))));
    members.push(member(out, 13, MemberState::Missing));
    members.push(member(out, 14, MemberState::Done));
    fs::create_dir_all(&members[14].results).unwrap();
    fs::write(members[14].results.join("arcuate.json"), "{\"form\": 1, \"figures\": 7}").unwrap();
    members
}

fn written(out: &Path) -> (Cohort, Vec<PathBuf>) {
    let cohort = gather(&cohort(out)).unwrap();
    let participants = out.join("raw.tsv");
    fs::write(&participants, "participant_id\tage\tstate\nsub-00\t31\t-5\nsub-99\t80\t=1+1\n").unwrap();
    let files = cohort.write(out, Some(&participants)).unwrap();
    (cohort, files)
}

/// Returns the cells of the table column with this name.
fn column<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    let mut lines = table.lines();
    let place = lines.next().unwrap().split('\t').position(|known| known == name).unwrap();
    lines.map(|line| line.split('\t').nth(place).unwrap()).collect()
}

#[test]
fn the_table_has_a_row_for_each_scan() {
    let folder = tempfile::tempdir().unwrap();
    let (cohort, files) = written(folder.path());
    let names: Vec<_> =
        files.iter().map(|file| file.strip_prefix(folder.path()).unwrap().to_str().unwrap()).collect();
    assert_eq!(
        names,
        ["phenotype/arcuate.tsv", "phenotype/arcuate.json", "group/connectomes.npz", "group.html"]
    );
    let table = fs::read_to_string(&files[0]).unwrap();
    let widths: Vec<usize> = table.lines().map(|line| line.split('\t').count()).collect();
    assert_eq!(widths, vec![widths[0]; 16]);
    assert!(table.starts_with("participant_id\tsession_id\trun\tspace\tstate\t"));
    assert!(!table.contains(|letter: char| letter.is_control() && letter != '\t' && letter != '\n'));
    assert_eq!(column(&table, "participant_id")[12], "sub-12");
    assert_eq!(column(&table, "state")[11..], ["done", "failed", "missing", "failed"]);
    assert_eq!(column(&table, "median_fa_where_fa_above_0_2")[3], "0.11");
    assert_eq!(column(&table, "median_fa_where_fa_above_0_2")[12], "n/a");
    assert_eq!(column(&table, "streamlines")[8..10], ["508", "n/a"]);
    assert_eq!(column(&table, "seconds")[2], "12");
    assert_eq!((column(&table, "age")[0], column(&table, "age")[1]), ("31", "n/a"));
    assert_eq!(column(&table, "echo_time")[11..13], ["0.08", "n/a"]);
    assert_eq!(
        (column(&table, "magnetic_field_strength")[0], column(&table, "manufacturer")[1]),
        ("3", "Siemens")
    );
    // A parameter that no sidecar has does not become a column.
    assert!(!table.contains("repetition_time") && !table.contains("other"));
    assert_eq!(column(&table, "state_2")[0], "-5");
    let description: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&files[1]).unwrap()).unwrap();
    for name in table.lines().next().unwrap().split('\t') {
        assert!(description[name]["Description"].is_string(), "{name}");
    }
    assert_eq!(description["median_md"]["Units"], "mm²/s");
    assert_eq!(description["median_md"]["LongName"], "median MD");
    assert_eq!(
        (&description["echo_time"]["Units"], &description["manufacturer"]["Units"]),
        (&"s".into(), &serde_json::Value::Null)
    );
    let failed = cohort.members().filter(|member| matches!(member.state, MemberState::Failed(_)));
    assert_eq!(failed.count(), 2);
}

#[test]
fn connectomes_with_the_same_regions_are_one_array() {
    let folder = tempfile::tempdir().unwrap();
    let (_, files) = written(folder.path());
    let arrays = read(&files[2]);
    let mut names: Vec<&str> = arrays.keys().map(String::as_str).collect();
    names.sort_unstable();
    let expected = [
        "counts.npy",
        "lengths.npy",
        "participants.npy",
        "region_names.npy",
        "regions.npy",
        "scans.npy",
        "sessions.npy",
        "weights.npy",
    ];
    assert_eq!(names, expected);
    let (header, counts) = &arrays["counts.npy"];
    assert!(header.contains("'shape': (10, 4, 4,)"), "{header}");
    // The counts of the first member are multiplied by its number of streamlines.
    assert_eq!(floats(counts)[..4], [0.0, 500.0, 1000.0, 1500.0]);
    let page = fs::read_to_string(&files[3]).unwrap();
    assert!(page.contains("it has 3 regions, most have 4"));
    assert!(page.contains("its region 4 is called &lt;/style&gt;"));
}

#[test]
fn the_page_lists_outliers_and_escapes_names() {
    let folder = tempfile::tempdir().unwrap();
    let (_, files) = written(folder.path());
    let page = fs::read_to_string(&files[3]).unwrap();
    assert!(page.contains("12 of 15 scans have results."));
    assert!(page.contains("fit: it went wrong"));
    let fa = page
        .split("<strong>median FA where FA &gt; 0.2</strong>")
        .nth(1)
        .unwrap()
        .split("</figure>")
        .next()
        .unwrap();
    assert_eq!(fa.matches("class=\"outlier\"").count(), 1);
    let link = "<a href=\"./.arcuate/sub-03_ses-a_run-2_space-ACPC/report.html\">sub-03_ses-a_run-2_space-ACPC</a>: 0.11 (far, z −";
    assert!(fa.contains(link), "{fa}");
    // The page shows diffusivities in the unit of reports, not in that of records.
    assert!(page.contains("Median 0.7055 µm²/ms"));
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    assert_eq!(page.matches("<section id=\"section-1\">").count(), 1);
    assert_eq!(page.matches("</style>").count(), 1);
    assert!(page.contains("Settings that differ between scans") && page.contains("Warnings of the runs"));
    // All scans have the same field strength, which is therefore not listed. One scan has another
    // manufacturer.
    assert!(page.contains("Manufacturer of the scanner") && !page.contains("Magnetic field strength"));
    assert!(page.contains("Number of participants in participants.tsv without a scan here: 1."));
    for section in ["Without results", "Key figures", "What stands out", "Connectomes", "Times", "Scans"] {
        assert!(page.contains(&format!("<h2>{section}</h2>")), "{section}");
    }
}

#[test]
fn cohorts_without_results_have_a_page() {
    let folder = tempfile::tempdir().unwrap();
    assert!(gather(&[]).is_err());
    let members =
        [member(folder.path(), 1, MemberState::Running), member(folder.path(), 2, MemberState::Missing)];
    let page = folder.path().join("group.html");
    let lock = arcuate_io::FileLock::take(&page).unwrap().unwrap();
    let refused = gather(&members).unwrap().write(folder.path(), None).unwrap_err();
    assert!(refused.to_string().contains("group.html: another arcuate is writing it"), "{refused}");
    assert!(!page.exists());
    drop(lock);
    let files = gather(&members).unwrap().write(folder.path(), None).unwrap();
    assert_eq!(files.len(), 3);
    let page = fs::read_to_string(&files[2]).unwrap();
    assert!(page.contains("0 of 2 scans have results.") && page.contains("No scan has key figures yet."));
}

#[test]
fn damaged_and_external_connectomes_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let members: Vec<Member> = (0..3).map(|n| member(folder.path(), n, MemberState::Done)).collect();
    for (n, member) in members.iter().enumerate() {
        write(&member.results, record(n), &["a", "b"]);
    }
    fs::write(members[0].results.join("connectome/connectome_counts.npy"), "none").unwrap();
    // This record refers to files outside its result folder.
    let path = members[1].results.join("arcuate.json");
    let text = fs::read_to_string(&path).unwrap().replace("connectome/connectome", "../connectome");
    fs::write(&path, text).unwrap();
    let files = gather(&members).unwrap().write(folder.path(), None).unwrap();
    assert!(read(&files[2])["counts.npy"].0.contains("(1, 2, 2,)"));
    let page = fs::read_to_string(&files[3]).unwrap();
    assert!(
        page.contains("it is not an array of NumPy")
            && page.contains("it is not a file name in the folder of the record")
    );
}

#[test]
fn pages_of_large_cohorts_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("a report with a long name".repeat(5));
    fs::write(&report, "").unwrap();
    let entry = |n: usize| {
        let mut member = member(folder.path(), n, MemberState::Done);
        member.report = Some(report.clone());
        let mut record = record(n % 100);
        for figure in 0..40 {
            record.figure(&format!("figure {figure}"), (n * 7 % 1000) as f64).key();
        }
        record.warnings.push(format!("warning {n}"));
        let failed = n.is_multiple_of(10);
        if failed {
            member.state = MemberState::Failed("x".repeat(1000));
        }
        Entry { member, results: (!failed).then(|| Results::new(record)) }
    };
    let files = Cohort { entries: (0..10_000).map(entry).collect() }.write(folder.path(), None).unwrap();
    let size = fs::metadata(files.last().unwrap()).unwrap().len();
    assert!(size < 20_000_000, "{size} bytes");
}

/// A minimal reader of npz files. It returns the data and the header of each array, which it finds through
/// the zip directory.
fn read(path: &Path) -> HashMap<String, (String, Vec<u8>)> {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0usize, |all, byte| all << 8 | usize::from(*byte))
    };
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let (count, mut at) = (number(end + 10, 2), number(end + 16, 4));
    let mut arrays = HashMap::new();
    for _ in 0..count {
        let (size, length, further, place) =
            (number(at + 24, 4), number(at + 28, 2), number(at + 30, 2), number(at + 42, 4));
        let name = String::from_utf8(bytes[at + 46..at + 46 + length].to_vec()).unwrap();
        assert_eq!(number(place + 14, 4), number(at + 16, 4), "checksums of {name}");
        let begin = place + 30 + number(place + 26, 2) + number(place + 28, 2);
        let array = &bytes[begin..begin + size];
        let header = 10 + usize::from(u16::from_le_bytes([array[8], array[9]]));
        let text = String::from_utf8(array[10..header].to_vec()).unwrap();
        arrays.insert(name, (text, array[header..].to_vec()));
        at += 46 + length + further;
    }
    assert_eq!(at, end);
    arrays
}

/// Converts bytes to single-precision numbers.
fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}
