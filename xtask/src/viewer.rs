//! Builds the scripts of the report: the 3-D viewer and the interactive figures. They are a small npm
//! project. It is bundled into two scripts, which the report crate embeds. The bundles are committed, so that
//! neither building nor installing Arcuate requires Node.

use crate::packed;
use crate::process::{self, Outcome};
use crate::stamp::of_parts;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest supported version of Node.
const NODE: u32 = 20;
/// The folder of the bundles relative to the root of the checkout, and the file names of the bundles. They
/// have the same names in `viewer/dist/`, but are not compressed there.
const FOLDER: &str = "crates/arcuate-report/template";
const BUNDLES: [&str; 2] = ["viewer.js.br", "figures.js"];
/// The sources of the bundles, relative to `viewer/`: files and folders. The lock file contains the hashes of all
/// packages.
const SOURCES: [&str; 5] = ["build.mjs", "licences", "package-lock.json", "package.json", "src"];
const STAMP: &str = "// Generated from viewer/ by `cargo xtask viewer`. Change viewer/, not this file.\n";

/// Creates the bundles, or compares them with the committed ones.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [option] if option == "--check" => true,
        _ => return Err("`viewer` takes nothing, or --check".to_owned()),
    };
    if !check && !packed::can_write() {
        return process::with_feature("compressor", "viewer", arguments);
    }
    need_node()?;
    // The folder `node_modules` may contain other versions. It is created again from the lock file.
    npm(&["ci", "--no-audit", "--no-fund"])?;
    npm(&["run", "--silent", "build"])?;
    let root = process::root();
    for name in BUNDLES {
        let script = name.strip_suffix(".br").unwrap_or(name);
        let made = stamped(&root, &packed::read(&root.join("viewer/dist").join(script))?)?;
        let bundle = root.join(FOLDER).join(name);
        if !check {
            packed::write(&bundle, &made)?;
        } else if packed::read(&bundle).ok() != Some(made) {
            return Err(format!("not what viewer/ makes: {FOLDER}/{name}; run `cargo xtask viewer`"));
        }
    }
    Ok(())
}

/// Installs the viewer's tools if they differ from the lock file.
pub(crate) fn install() -> Outcome {
    need_node()?;
    let viewer = process::root().join("viewer");
    let changed = |name: &str| viewer.join(name).metadata().and_then(|m| m.modified()).ok();
    // npm writes this file last, so its time is that of the installation.
    let installed = changed("node_modules/.package-lock.json");
    if installed.is_some() && installed >= changed("package-lock.json") {
        return Ok(());
    }
    npm(&["ci", "--no-audit", "--no-fund"])
}

fn npm(arguments: &[&str]) -> Outcome {
    process::run(process::in_root("npm").args(["--prefix", "viewer"]).args(arguments))
}

fn need_node() -> Outcome {
    let output = Command::new("node").arg("--version").output().ok();
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    match text.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok()) {
        Some(version) if version >= NODE => Ok(()),
        Some(version) => Err(format!("the viewer's tools need Node {NODE} or newer, this is {version}")),
        None => Err(format!("the viewer's tools need Node {NODE} or newer")),
    }
}

/// Returns the bundle below header lines that identify its sources.
fn stamped(root: &Path, bundle: &[u8]) -> Result<Vec<u8>, String> {
    let sources = hash_of_sources(&root.join("viewer"))?;
    let product = of_parts([bundle]);
    Ok([format!("{STAMP}// sources: {sources}\n// product: {product}\n").as_bytes(), bundle].concat())
}

/// Returns the hash of all sources of the bundle: names and bytes.
fn hash_of_sources(viewer: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    for name in SOURCES {
        find(&viewer.join(name), &mut files)?;
    }
    let mut parts = Vec::new();
    for file in files {
        let names: Vec<_> = file.strip_prefix(viewer).unwrap_or(&file).iter().collect();
        parts
            .push(names.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/").into_bytes());
        parts.push(packed::read(&file)?);
    }
    Ok(of_parts(parts.iter().map(Vec::as_slice)))
}

/// Finds the file, or the files in the folder and its subfolders, sorted within each folder.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let say = |e: std::io::Error| format!("{}: {e}", path.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(say)?.collect();
    let mut entries: Vec<PathBuf> = entries.map_err(say)?.iter().map(fs::DirEntry::path).collect();
    entries.sort();
    entries.iter().try_for_each(|entry| find(entry, files))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If a bundle does not belong to its sources, returns an error text. Node is not needed for this check.
    fn fault(root: &Path) -> Option<String> {
        BUNDLES.into_iter().find_map(|name| {
            let bundle = packed::read(&root.join(FOLDER).join(name)).expect("the bundle");
            let body = bundle.splitn(4, |&byte| byte == b'\n').nth(3).unwrap_or_default();
            (bundle != stamped(root, body).expect("the sources"))
                .then(|| format!("{FOLDER}/{name} is not of viewer/; run `cargo xtask viewer`"))
        })
    }

    #[test]
    fn committed_bundles_match_their_sources() {
        assert_eq!(fault(&process::root()), None);
    }

    #[test]
    fn stamps_cover_sources_and_products() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path();
        for folder in [FOLDER, "viewer/src/parts", "viewer/test"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        let made_of =
            ["build.mjs", "licences", "package-lock.json", "package.json", "src/main.js", "src/parts/one.js"];
        for name in made_of.iter().chain(&["test/some.mjs"]) {
            fs::write(root.join("viewer").join(name), name).expect("a file");
        }
        let bundles = BUNDLES.map(|name| root.join(FOLDER).join(name));
        for bundle in &bundles {
            let made = stamped(root, b"/*! notices */\n(()=>{})();\n").expect("the sources");
            packed::write(bundle, &made).expect("a file");
        }
        assert_eq!(fault(root), None);

        let change = |file: &Path| {
            let before = packed::read(file).expect("a file");
            packed::write(file, &[before.as_slice(), b"\n"].concat()).expect("a file");
            let fault = fault(root);
            packed::write(file, &before).expect("a file");
            fault
        };
        for name in made_of {
            assert!(change(&root.join("viewer").join(name)).is_some(), "{name}");
        }
        for bundle in &bundles {
            assert!(change(bundle).is_some(), "{}", bundle.display());
        }
        assert_eq!(change(&root.join("viewer/test/some.mjs")), None);
        fs::rename(root.join("viewer/src/main.js"), root.join("viewer/src/other.js")).expect("another name");
        assert!(fault(root).is_some(), "names count");
    }
}
