//! BIDS datasets, and the work folder of `arcuate bids` for one of them.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The BIDS datasets: one with all files that a scan may have, one in QSIPrep's layout, and one that
/// `arcuate bids` processes.
const PREPARED: &str = "prepared";
const DATA_SETS: [(&str, &str); 3] = [("study", "prep"), (PREPARED, "qsiprep"), ("cohort/data", "prep")];

/// A command that processes the last of these datasets, and a run. Only the state file of the run is kept.
pub(super) const COHORT_COMMANDS: [&str; 2] = [
    "bids cohort/data cohort/out participant --tracking tensor --evaluate none --select 5",
    // The paths in this command line are the same as in a case, so that a case continues the same run.
    "run ../seeds/dwi.nii --gradients ../seeds/dwi.b --mask ../seeds/mask.nii --tracking tensor --evaluate none --select 5 \
     --out kept",
];

/// A file of a dataset, copied from a seed.
type Copied = (&'static str, &'static str);

const SERIES: &str = "sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi";
const WITH_TABLES: [Copied; 5] = [
    ("dwi.nii", "sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi.nii"),
    ("dwi.bval", "sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi.bval"),
    ("dwi.bvec", "sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi.bvec"),
    ("mask.nii", "sub-1/dwi/sub-1_space-ACPC_desc-brain_mask.nii"),
    ("labels.nii", "sub-1/dwi/sub-1_space-ACPC_seg-regions_dseg.nii"),
];
const OF_QSIPREP: [Copied; 2] = [
    ("dwi.nii", "sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi.nii"),
    ("dwi.b", "sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi.b"),
];

/// Writes the datasets next to the seeds from which their files are copied.
pub(super) fn write_data_sets(folder: &Path) -> Result<(), String> {
    for (place, tool) in DATA_SETS {
        let root = folder.join(place);
        let write = |name: &str, text: &str| write(&root.join(name), text.as_bytes());
        let description = format!(
            "{{\"Name\": \"study\", \"BIDSVersion\": \"1.9.0\", \"DatasetType\": \"derivative\", \"License\": \"CC0\",\n \
             \"GeneratedBy\": [{{\"Name\": \"{tool}\", \"Version\": \"1.2\"}}]}}\n"
        );
        write("dataset_description.json", &description)?;
        write("participants.tsv", "participant_id\tage\tsex\nsub-1\t31\tF\nsub-2\tn/a\tM\n")?;
        write("participants.json", "{\"age\": {\"Description\": \"age\", \"Units\": \"year\"}}\n")?;
        let sidecar = "{\"EchoTime\": 0.08, \"RepetitionTime\": 3.2, \"MagneticFieldStrength\": 3, \"Manufacturer\": \"Maker\",\n \
                       \"PhaseEncodingDirection\": \"j-\", \"Space\": \"ACPC\", \"SkullStripped\": false}\n";
        write(&format!("{SERIES}.json"), sidecar)?;
        write("sub-1/dwi/sub-1_space-ACPC_seg-regions_dseg.tsv", "index\tname\n1\tone\n2\ttwo\n")?;
        if place != PREPARED {
            self::write(
                &root.join("sub-1/anat/sub-1_space-ACPC_desc-aseg_dseg.nii"),
                &segmentation(folder)?,
            )?;
        }
        let files: &[Copied] = if place == PREPARED { &OF_QSIPREP } else { &WITH_TABLES };
        for (from, to) in files {
            let bytes = fs::read(folder.join(from)).map_err(|e| format!("{from}: {e}"))?;
            self::write(&root.join(to), &bytes)?;
        }
    }
    Ok(())
}

/// Creates a segmentation with FreeSurfer's labels: cortex in the regions, white matter elsewhere in the brain.
fn segmentation(folder: &Path) -> Result<Vec<u8>, String> {
    let read = |name: &str| fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    // The writer stores masks as bytes and regions as four-byte integers.
    let (mut image, regions) = (read("mask.nii")?, read("labels.nii")?);
    for (label, region) in image[HEADER..].iter_mut().zip(regions[HEADER..].chunks(4)) {
        let is_region = region.iter().any(|byte| *byte != 0);
        *label = if is_region { 3 } else { 2 * u8::from(*label != 0) };
    }
    Ok(image)
}

/// The offset of the values in a NIfTI-1 image, in bytes.
const HEADER: usize = 352;

/// Keeps only the files of processed data that later commands read. Damaging other files would have no effect.
pub(super) fn keep_what_is_read(folder: &Path) -> Result<(), String> {
    // Derivatives are only written by commands, never read, so they are removed.
    remove_all_but(&folder.join("cohort/out"), &|path| {
        path.ends_with("dataset_description.json") || is_of_work(path)
    })?;
    // The files of the run's stages are removed. If they are older than the run's state, the run treats them
    // as files of the user.
    let kept = folder.join("kept");
    remove_all_but(&kept, &|path| [RUN, RECORD].iter().any(|name| path == kept.join(name)))
}

/// The state file with which an interrupted run continues, and the record of the run.
const RUN: &str = ".arcuate-run.json";
const RECORD: &str = "arcuate.json";

/// Returns whether a file belongs to the work folder of a cohort and is read when work resumes or is merged.
fn is_of_work(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".json", "_counts.npy", "_lengths.npy", "_regions.csv"];
    path.iter().any(|part| part == ".arcuate") && endings.iter().any(|ending| name.ends_with(ending))
}

fn remove_all_but(folder: &Path, is_kept: &dyn Fn(&Path) -> bool) -> Result<(), String> {
    let say = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(say)? {
        let path = entry.map_err(say)?.path();
        if path.is_dir() {
            remove_all_but(&path, is_kept)?;
        } else if !is_kept(&path) {
            fs::remove_file(&path).map_err(say)?;
        }
    }
    Ok(())
}

/// The text that precedes the digits of the checksum.
const BEFORE: &[u8] = b"{\n  \"sha256\": \"";

/// Returns a state file with constant times and a correct checksum, so that a case is reproducible.
pub(super) fn without_times(name: &str, text: &str) -> Option<String> {
    let line: fn(&str) -> String = if name.ends_with(RUN) {
        // The second of the two numbers in a line is the modification time. It has more digits than any file
        // size.
        |line| {
            let (indent, number) = line.split_at(line.len() - line.trim_start().len());
            let is_time = number.len() > 15 && number.bytes().all(|byte| byte.is_ascii_digit());
            if is_time { format!("{indent}1\n") } else { format!("{line}\n") }
        }
    } else if name.ends_with("state.json") {
        |line| match line.split_once("\"since\": ") {
            Some((before, _)) => format!("{before}\"since\": \"2020-01-01T00:00:00Z\",\n"),
            None => format!("{line}\n"),
        }
    } else {
        return None;
    };
    let text: String = text.lines().map(line).collect();
    String::from_utf8(with_checksum(text.as_bytes())).ok()
}

/// Returns whether a file is a text state file with a checksum.
pub(super) fn has_checksum(bytes: &[u8]) -> bool {
    bytes.starts_with(BEFORE)
}

/// Updates the checksum of a modified state file. Texts in another format are not changed.
pub(super) fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: usize = 64;
    let rest = bytes.strip_prefix(BEFORE).and_then(|rest| rest.split_at_checked(DIGITS));
    let Some((_, rest)) = rest else { return bytes.to_vec() };
    let mut digits = String::new();
    for byte in Sha256::new().chain_update(BEFORE).chain_update(rest).finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    [BEFORE, digits.as_bytes(), rest].concat()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, bytes)).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{has_checksum, with_checksum, without_times};

    #[test]
    fn times_are_replaced_by_constants() {
        let run = "{\n  \"identity\": \"a\",\n  \"stages\": [\n    12,\n    1764370000000000000\n  ]\n}\n";
        let steady = run.replace("1764370000000000000", "1");
        assert_eq!(without_times("kept/.arcuate-run.json", run), Some(steady));
        let state = "{\n  \"since\": \"2026-01-01T10:00:00Z\",\n  \"version\": \"1\"\n}\n";
        let replaced = without_times("a/state.json", state).unwrap();
        assert_eq!(replaced, state.replace("2026-01-01T10", "2020-01-01T00"));
        assert_eq!(without_times("a/arcuate.json", run), None);
    }

    #[test]
    fn states_get_a_new_checksum() {
        let state = |digits: &str, count: u64| {
            format!("{{\n  \"sha256\": \"{digits}\",\n  \"counted\": {count}\n}}\n")
        };
        let zeros = "0".repeat(64);
        let [one, two] = [1, 2].map(|count| with_checksum(state(&zeros, count).as_bytes()));
        assert_ne!(one[..80], two[..80]);
        assert_eq!(with_checksum(&one), one);
        assert!(has_checksum(&one) && !has_checksum(b"{}"));
        assert_eq!(with_checksum(b"{}"), b"{}");
    }
}
