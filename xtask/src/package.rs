//! Creates and checks the registry packages of the public crates. Does not upload them.

use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files that every package contains in addition to its sources.
const EVERYWHERE: [&str; 5] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"];

/// Packages every crate without `publish = false`. With `--verify`, the compiler checks the packages without any other
/// files: the compiler of this run, or another one that `rustup` has.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (verified, rust) = match arguments {
        [] => (false, None),
        [option] if option == "--verify" => (true, None),
        [option, rust, version] if option == "--verify" && rust == "--rust" => (true, Some(version.as_str())),
        _ => return Err("`package` takes nothing, --verify, or --verify --rust VERSION".to_owned()),
    };
    check()?;
    if verified { verify(rust) } else { Ok(()) }
}

/// Does everything except compilation, in about two seconds.
pub(crate) fn check() -> Outcome {
    check_citation()?;
    for name in crates()? {
        let listed = files(&name)?;
        for file in EVERYWHERE {
            if !listed.iter().any(|known| known == file) {
                return Err(format!("the package of {name} lacks {file}; see `include` in its Cargo.toml"));
            }
        }
    }
    let names = crates()?;
    forget(&names)?;
    let chosen: Vec<String> = names.iter().flat_map(|name| ["--package".to_owned(), name.clone()]).collect();
    // The option `--quiet` is used, because cargo warns about every test that a package does not contain.
    let mut package = process::in_root(process::cargo_program());
    package.args(["package", "--quiet", "--locked", "--allow-dirty", "--no-verify"]).args(&chosen);
    process::run(&mut package)?;
    forget(&names)
}

/// Checks that `CITATION.cff` states the version of the crates.
fn check_citation() -> Outcome {
    let path = process::root().join("CITATION.cff");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let expected = concat!("version: ", env!("CARGO_PKG_VERSION"));
    if text.lines().any(|line| line == expected) {
        return Ok(());
    }
    Err(format!("{}: it must have the line `{expected}`, as the crates have", path.display()))
}

/// Unpacks the packages next to each other and lets the compiler check them there. `cargo package` would compile them
/// one by one, each with its own dependency features, in three times the time.
fn verify(rust: Option<&str>) -> Outcome {
    let packages = process::target_folder().join("package");
    let folder = packages.join("unpacked");
    remove(&folder)?;
    let say = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    fs::create_dir_all(&folder).map_err(|e| say(&folder, e))?;
    let (mut members, mut patches) = (Vec::new(), Vec::new());
    for name in crates()? {
        let own = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let archive = packages.join(format!("{own}.crate"));
        // The extracted files get current modification times. With the constant times in the archive, the
        // compiler would use build products of other packages.
        process::run(Command::new("tar").arg("-xmzf").arg(&archive).arg("-C").arg(&folder))?;
        members.push(format!("  \"{own}\","));
        // The packages depend on each other, and are not yet in a registry. They are taken from this folder.
        patches.push(format!("{name} = {{ path = \"{own}\" }}"));
    }
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\n{}\n]\n\n[patch.crates-io]\n{}\n",
        members.join("\n"),
        patches.join("\n")
    );
    let path = folder.join("Cargo.toml");
    fs::write(&path, manifest).map_err(|e| say(&path, e))?;
    let lock = folder.join("Cargo.lock");
    fs::copy(process::root().join("Cargo.lock"), &lock).map_err(|e| say(&lock, e))?;
    let mut check = match rust {
        None => Command::new(process::cargo_program()),
        Some(version) => {
            let mut rustup = Command::new("rustup");
            rustup.args(["run", version, "cargo"]).env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
            rustup
        }
    };
    check
        .args(["check", "--quiet", "--workspace", "--manifest-path"])
        .arg(&path)
        .env("CARGO_TARGET_DIR", packages.join("checked"))
        .env("CARGO_INCREMENTAL", "0");
    process::run(&mut check)?;
    remove(&folder)
}

/// Removes cargo's copies of earlier packages. Cargo 1.90 overwrites longer packages without truncating them. It also
/// compiles a package with previously unpacked copies of the others, even if they have changed.
fn forget(names: &[String]) -> Outcome {
    remove(&process::target_folder().join("package/tmp-registry"))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let Some(home) = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))) else { return Ok(()) };
    for registry in fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten() {
        // The name of the folder of a local registry consists of a hash only, so it begins with `-`.
        if !registry.file_name().to_string_lossy().starts_with('-') {
            continue;
        }
        for name in names {
            remove(&registry.path().join(format!("{name}-{}", env!("CARGO_PKG_VERSION"))))?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Outcome {
    if !folder.is_dir() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Returns the public crates.
fn crates() -> Result<Vec<String>, String> {
    let folder = process::root().join("crates");
    let say = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(say)? {
        let entry = entry.map_err(say)?;
        let manifest = entry.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
        if text.lines().all(|line| line.trim() != "publish = false") {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the files that a crate's package would contain.
fn files(name: &str) -> Result<Vec<String>, String> {
    let output = process::in_root(process::cargo_program())
        .args(["package", "--list", "--quiet", "--allow-dirty", "--package", name])
        .output()
        .map_err(|e| format!("cargo cannot be run ({e})"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    // Windows lists paths with its own separator.
    Ok(String::from_utf8_lossy(&output.stdout).replace('\\', "/").lines().map(str::to_owned).collect())
}
