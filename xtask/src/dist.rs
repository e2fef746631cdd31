//! The archive of a release: the program with its manual pages, completions, licences and module files. It works in any
//! folder.

use crate::process::{self, Outcome};
use crate::zig::{self, ZIG};
use crate::{elf, imports, old_systems, program_size, stamp};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "\
cargo xtask dist [OPTIONS]

Makes arcuate-VERSION-PROCESSOR-linux.tar.gz and its checksum. The archive works in any folder. It has bin/,
share/man, share/bash-completion, share/zsh, share/fish, share/doc with the licences, and modulefiles/ for
`module use`. The program needs glibc 2.28 or newer: it is built with Zig, which pip fetches. Prints the size of the
program. Fails if the program needs a newer glibc, or is too large. Needs Python 3 with pip and venv, GNU tar, gzip
and binutils.

  --program FILE   use this program, built by `dist` or for this system, instead of building one
  --any-glibc      do not fail if the program needs a newer glibc, for the systems that this machine can test
  --try            unpack the archive on an old system (packages of Debian, unpacked into a folder), and run the
                   demo there; ARCUATE_OLD_SYSTEM_REQUIRED=1 makes it an error if the packages cannot be fetched
  --check-imports  make nothing; check that the oldest glibc has every function that the program of --program uses
  --out FOLDER     the folder of the archive [default: target/dist]
";

/// The packages that build the program.
const TOOLS: [&str; 2] = ["cargo-zigbuild>=0.20,<0.25", ZIG];
/// The licences of the files that Zig links into the program, below its folder of libraries.
const ZIG_LICENCES: [(&str, &str, &str); 2] = [
    ("libunwind of LLVM", "Apache-2.0 WITH LLVM-exception", "lib/libunwind/LICENSE.TXT"),
    ("compiler_rt of Zig", "MIT", "LICENSE"),
];
/// For each shell, the path of its completion file in the archive.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/arcuate"),
    ("zsh", "share/zsh/site-functions/_arcuate"),
    ("fish", "share/fish/vendor_completions.d/arcuate.fish"),
];
/// Text files of the checkout that the archive contains.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// The folder of these text files in the archive.
const DOCUMENTS: &str = "share/doc/arcuate";
/// Beginnings of the names of licence files.
const LICENCES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

pub(crate) fn run(options: &[String]) -> Outcome {
    let (mut program, mut out) = (None, process::target_folder().join("dist"));
    let (mut is_tried, mut any_glibc, mut only_imports) = (false, false, false);
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().map(PathBuf::from).ok_or(format!("`{word}` lacks its value"));
        match word.as_str() {
            "--program" => program = Some(value()?),
            "--out" => out = value()?,
            "--try" => is_tried = true,
            "--any-glibc" => any_glibc = true,
            "--check-imports" => only_imports = true,
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            _ => return Err(format!("`{word}` is no option\n\n{HELP}")),
        }
    }
    if only_imports {
        let program = program.ok_or("`--check-imports` needs `--program`")?;
        return imports::check(&program, &read(&program)?);
    }
    let mut others = Vec::new();
    let program = if let Some(program) = program {
        program
    } else {
        let tools = zig::environment("dist-tools", &TOOLS)?;
        others = zig_licences(&tools)?;
        build(&tools)?
    };
    let bytes = read(&program)?;
    check_glibc(&program, &bytes, any_glibc)?;
    let archive = make(&program, &out, &third_parties(&others)?)?;
    program_size::check(&program, &bytes, archive.stripped)?;
    let size = fs::metadata(&archive.path).map_err(|e| file_error(&archive.path, &e))?.len();
    println!("{}: {:.1} MB", archive.path.display(), size as f64 / 1e6);
    if is_tried { old_systems::try_archive(&archive.path) } else { Ok(()) }
}

/// Builds the program for the oldest supported C library. The program has its symbols, so that the sizes of crates
/// can be printed.
fn build(tools: &Path) -> Result<PathBuf, String> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let versioned = format!("{target}.2.{}", zig::GLIBC);
    let mut cargo = process::in_root(tools.join("bin/cargo-zigbuild"));
    cargo
        .args(["zigbuild", "--release", "--locked", "--package", "arcuate", "--target", &versioned])
        .args(["--config", "profile.release.strip=\"none\""])
        .env("PATH", zig::path_with(tools));
    process::run(&mut cargo)?;
    Ok(process::target_folder().join(target).join("release/arcuate"))
}

/// Returns an error if a program needs a glibc that is too new.
fn check_glibc(program: &Path, bytes: &[u8], any_glibc: bool) -> Outcome {
    let Some(newest) = elf::newest_glibc(bytes) else {
        println!("the program needs no glibc");
        return Ok(());
    };
    println!("the program needs glibc 2.{newest} or newer");
    if newest > zig::GLIBC && !any_glibc {
        return Err(format!(
            "{}: the program needs glibc 2.{newest}, and an archive for users at most 2.{}; build it with `dist`",
            program.display(),
            zig::GLIBC
        ));
    }
    Ok(())
}

/// Returns the names, licences and licence texts of the files that Zig links into the program.
fn zig_licences(tools: &Path) -> Result<Vec<[String; 3]>, String> {
    let mut python = Command::new(tools.join("bin/python"));
    let folder = python.args(["-c", "import ziglang; print(ziglang.__path__[0])"]).output();
    let folder = PathBuf::from(String::from_utf8_lossy(&successful("python", folder)?).trim());
    let read = |&(name, licence, path): &(&str, &str, &str)| {
        let text = String::from_utf8_lossy(&read(&folder.join(path))?).trim().to_owned();
        Ok([name.to_owned(), licence.to_owned(), text])
    };
    ZIG_LICENCES.iter().map(read).collect()
}

/// An archive, and the size of its program in bytes.
#[derive(Debug)]
struct Archive {
    path: PathBuf,
    stripped: usize,
}

/// Creates the archive and its checksum.
fn make(program: &Path, out: &Path, third_parties: &str) -> Result<Archive, String> {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("arcuate-{version}-{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let staging = tempfile::tempdir().map_err(|e| e.to_string())?;
    let folder = staging.path().join(&name);
    let own = folder.join("bin/arcuate");
    make_folder_of(&own)?;
    fs::copy(program, &own).map_err(|e| file_error(program, &e))?;
    if read(&own)?.starts_with(b"\x7fELF") {
        process::run(Command::new("strip").arg(&own))?;
    }
    let stripped = read(&own)?.len();
    let printed = String::from_utf8_lossy(&ask(&own, &["--version"])?).trim().to_owned();
    if printed != format!("arcuate {version}") {
        return Err(format!("{} is `{printed}`, and the sources are {version}", program.display()));
    }
    let manual = folder.join("share/man/man1");
    make_folder_of(&manual)?;
    let command = [
        std::ffi::OsStr::new("setup"),
        "man".as_ref(),
        "--quiet".as_ref(),
        "--out".as_ref(),
        manual.as_os_str(),
    ];
    ask(&own, &command)?;
    remove_other_files(&manual, "1")?;
    for (shell, path) in COMPLETIONS {
        write(&folder.join(path), ask(&own, &["setup", "completions", shell])?)?;
    }
    for text in TEXTS {
        write(&folder.join(DOCUMENTS).join(text), read(&process::root().join(text))?)?;
    }
    write(&folder.join(DOCUMENTS).join("third_party_licences.txt"), third_parties)?;
    let modules = folder.join("modulefiles/arcuate");
    write(&modules.join(format!("{version}.lua")), lua_module())?;
    write(&modules.join(version), tcl_module())?;

    let archive = out.join(format!("{name}.tar.gz"));
    make_folder_of(&archive)?;
    // The archive is reproducible: it does not depend on the user or the time.
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rwX,go+rX,go-w"]);
    tar.arg(format!("--mtime=@{}", time_of_sources())).args(["--use-compress-program", "gzip -9n"]);
    process::run(tar.arg("-cf").arg(&archive).arg("-C").arg(staging.path()).arg(&name))?;
    let sum = stamp::hexadecimal(Sha256::new().chain_update(read(&archive)?));
    write(&out.join(format!("{name}.tar.gz.sha256")), format!("{sum}  {name}.tar.gz\n"))?;
    Ok(Archive { path: archive, stripped })
}

/// Returns the time of the last commit in seconds since 1970. Returns 0 if the sources have no git history.
fn time_of_sources() -> u64 {
    let command = process::in_root("git").args(["log", "-1", "--format=%ct"]).output();
    command.ok().and_then(|answer| String::from_utf8_lossy(&answer.stdout).trim().parse().ok()).unwrap_or(0)
}

/// Returns the module file for Lmod. It only changes PATH. `man` and newer versions of bash completion find
/// their files relative to the program. If MANPATH or XDG_DATA_DIRS is unset, setting it would hide the files
/// of the system.
fn lua_module() -> String {
    format!(
        "help([[Arcuate: `arcuate --help`, `man arcuate`]])
whatis(\"Arcuate {version}: from a diffusion MRI scan to an evaluated tractogram\")
conflict(\"arcuate\")
-- Where the archive was unpacked.
local root = myFileName():match(\"^(.*)/modulefiles/\")
prepend_path(\"PATH\", pathJoin(root, \"bin\"))
",
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// Returns the module file for Environment Modules, with the same content.
fn tcl_module() -> String {
    format!(
        "#%Module1.0
proc ModulesHelp {{}} {{ puts stderr {{Arcuate: `arcuate --help`, `man arcuate`}} }}
module-whatis {{Arcuate {version}: from a diffusion MRI scan to an evaluated tractogram}}
conflict arcuate
# Where the archive was unpacked.
set root [file dirname [file dirname [file dirname [file normalize $ModulesCurrentModulefile]]]]
prepend-path PATH $root/bin
",
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// Lists the third-party code in the program: names and licences, then every licence text once. `others` has names,
/// licences and texts of code that is no crate.
fn third_parties(others: &[[String; 3]]) -> Result<String, String> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let tree = process::in_root(process::cargo_program())
        .args(["tree", "--locked", "--package", "arcuate", "--edges", "normal", "--prefix", "none"])
        .args(["--format", "{p}|{l}", "--target", &target])
        .output();
    let mut linked = listed(&String::from_utf8_lossy(&successful("cargo tree", tree)?));
    let metadata = process::in_root(process::cargo_program())
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", &target])
        .output();
    let metadata = successful("cargo metadata", metadata)?;
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for manifest in manifests(&String::from_utf8_lossy(&metadata)) {
        let Some(name) = package_of(&String::from_utf8_lossy(&read(&manifest)?)) else { continue };
        if linked.contains_key(&name) {
            let folder = manifest.parent().unwrap_or(&manifest);
            for file in files(folder)?.into_iter().filter(|file| is_licence(file)) {
                let text = String::from_utf8_lossy(&read(&file)?).trim().to_owned();
                texts.entry(text).or_default().insert(name.clone());
            }
        }
    }
    // Reports contain a third-party viewer.
    for file in files(&process::root().join("viewer/licences"))? {
        let text = String::from_utf8_lossy(&read(&file)?).trim().to_owned();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().replace("__", "/");
        texts.entry(text).or_default().insert(stem);
    }
    for [name, licence, text] in others {
        linked.insert(name.clone(), licence.clone());
        texts.entry(text.clone()).or_default().insert(name.clone());
    }
    Ok(account(&linked, &texts))
}

/// Parses third-party crates and their licences from lines of `cargo tree`: `NAME vVERSION (…)|LICENCE`.
fn listed(tree: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let (package, licence) = line.trim_end_matches("(*)").trim_end().split_once('|')?;
        let mut words = package.split_whitespace();
        let (name, version) = (words.next()?, words.next()?.trim_start_matches('v'));
        // Crates of this workspace are recognised by their folder.
        let is_own = words.next().is_some_and(|place| place.starts_with("(/"));
        (!is_own).then(|| (format!("{name} {version}"), licence.to_owned()))
    };
    tree.lines().filter_map(line).collect()
}

/// Returns the manifest paths in the JSON of `cargo metadata`. Only one key is read, so that no JSON parser is needed.
fn manifests(json: &str) -> Vec<PathBuf> {
    let found = json.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    found.map(PathBuf::from).collect()
}

/// Returns the name and version in a manifest.
fn package_of(manifest: &str) -> Option<String> {
    let own = manifest.split("[package]").nth(1)?;
    let value = |key: &str| {
        let line =
            own.lines().take_while(|line| !line.starts_with('[')).find(|line| line.starts_with(key))?;
        line.split('"').nth(1)
    };
    Some(format!("{} {}", value("name = ")?, value("version = ")?))
}

fn is_licence(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_source = file.extension().is_some_and(|ending| ending == "rs");
    LICENCES.iter().any(|beginning| name.starts_with(beginning)) && !is_source
}

fn account(linked: &BTreeMap<String, String>, texts: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut account = "The program holds what others wrote, each part under its own licence:\n\n".to_owned();
    // Writing to a string cannot fail.
    for (name, licence) in linked {
        let _ = writeln!(account, "  {name}: {licence}");
    }
    account.push_str(
        "  the standard library of Rust: MIT OR Apache-2.0\n\nIf there is a choice, it is MIT. The texts:\n",
    );
    for (text, names) in texts {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let line = "-".repeat(100);
        let _ = write!(account, "\n{line}\n{}\n{line}\n\n{text}\n", names.join(", "));
    }
    account
}

/// Returns the output of a program.
fn ask<W: AsRef<std::ffi::OsStr>>(program: &Path, words: &[W]) -> Result<Vec<u8>, String> {
    successful(&program.display().to_string(), Command::new(program).args(words).output())
}

fn successful(name: &str, output: std::io::Result<std::process::Output>) -> Result<Vec<u8>, String> {
    let output = output.map_err(|e| format!("{name} cannot be run ({e})"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Removes all files without this extension. The program writes its record next to its results.
fn remove_other_files(folder: &Path, ending: &str) -> Outcome {
    for file in files(folder)? {
        if file.extension().is_none_or(|own| own != ending) {
            fs::remove_file(&file).map_err(|e| file_error(&file, &e))?;
        }
    }
    Ok(())
}

/// Returns the sorted files of a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| file_error(folder, &e))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| file_error(path, &e))
}

fn write(path: &Path, contents: impl AsRef<[u8]>) -> Outcome {
    make_folder_of(path)?;
    fs::write(path, contents).map_err(|e| file_error(path, &e))
}

fn make_folder_of(path: &Path) -> Outcome {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|e| file_error(folder, &e))
}

fn file_error(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Creates a program that imitates the output and files of Arcuate.
    fn stand_in(folder: &Path, version: &str) -> PathBuf {
        let path = folder.join("stand-in");
        let text = format!(
            "#!/bin/sh
case \"$1 $2\" in
    \"--version \") echo arcuate {version};;
    \"setup completions\") echo completions of $3;;
    \"setup man\") mkdir -p \"$5\" && echo page > \"$5/arcuate.1\" && echo record > \"$5/arcuate.json\";;
    *) exit 2;;
esac
"
        );
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path
    }

    #[test]
    fn archives_work_where_they_are_unpacked() {
        let folder = tempfile::tempdir().expect("a folder");
        let version = env!("CARGO_PKG_VERSION");
        let program = stand_in(folder.path(), version);
        let out = folder.path().join("dist");
        let Archive { path: archive, stripped } = make(&program, &out, "their licences").expect("an archive");
        assert_eq!(stripped, fs::read(&program).expect("a script").len());
        let first = fs::read(&archive).expect("an archive");
        let listing = ask(Path::new("tar"), &["-tzf".as_ref(), archive.as_os_str()]).expect("a listing");
        let listing = String::from_utf8(listing).expect("names");
        let name = format!("arcuate-{version}-{}-{}", std::env::consts::ARCH, std::env::consts::OS);
        let files: Vec<&str> = listing.lines().filter(|line| !line.ends_with('/')).collect();
        let expected_files = [
            "bin/arcuate",
            &format!("modulefiles/arcuate/{version}"),
            &format!("modulefiles/arcuate/{version}.lua"),
            "share/bash-completion/completions/arcuate",
            "share/doc/arcuate/CHANGELOG.md",
            "share/doc/arcuate/LICENSE-APACHE",
            "share/doc/arcuate/LICENSE-MIT",
            "share/doc/arcuate/README.md",
            "share/doc/arcuate/third_party_licences.txt",
            "share/fish/vendor_completions.d/arcuate.fish",
            "share/man/man1/arcuate.1",
            "share/zsh/site-functions/_arcuate",
        ];
        assert_eq!(files, expected_files.map(|file| format!("{name}/{file}")));

        process::run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder.path()))
            .expect("unpacked");
        let unpacked = folder.path().join(&name);
        let printed = ask(&unpacked.join("bin/arcuate"), &["--version"]).expect("a version");
        assert_eq!(String::from_utf8_lossy(&printed), format!("arcuate {version}\n"));
        let read = |file: &str| fs::read_to_string(unpacked.join(file)).expect("a file");
        assert_eq!(read("share/zsh/site-functions/_arcuate"), "completions of zsh\n");
        assert_eq!(read("share/doc/arcuate/third_party_licences.txt"), "their licences");
        assert!(read(&format!("modulefiles/arcuate/{version}")).starts_with("#%Module1.0\n"));

        let sum = fs::read_to_string(out.join(format!("{name}.tar.gz.sha256"))).expect("a checksum");
        assert_eq!(
            sum,
            format!("{}  {name}.tar.gz\n", stamp::hexadecimal(Sha256::new().chain_update(&first)))
        );
        let again = make(&program, &out, "their licences").expect("an archive").path;
        assert!(fs::read(again).expect("an archive") == first, "the same files make another archive");
    }

    #[test]
    fn programs_that_need_a_newer_glibc_are_rejected() {
        let path = Path::new("program");
        let error = check_glibc(path, b"..GLIBC_2.28\0GLIBC_2.29", false).expect_err("a newer glibc");
        assert!(error.contains("program: the program needs glibc 2.29"), "{error}");
        check_glibc(path, b"..GLIBC_2.29", true).expect("any glibc");
        check_glibc(path, b"..GLIBC_2.28", false).expect("an old glibc");
    }

    #[test]
    fn programs_of_another_version_are_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = make(&stand_in(folder.path(), "9.9.9"), folder.path(), "").expect_err("another version");
        assert!(error.contains("is `arcuate 9.9.9`, and the sources are"), "{error}");
    }

    #[test]
    fn third_party_crates_are_listed_with_licences() {
        let linked = listed(
            "arcuate v0.1.0 (/somewhere/crates/arcuate)|MIT OR Apache-2.0\nserde v1.0.1|MIT OR Apache-2.0 (*)\n\
             paste v1.0.15 (proc-macro)|MIT\n\n",
        );
        let names: Vec<(&str, &str)> =
            linked.iter().map(|(name, licence)| (name.as_str(), licence.as_str())).collect();
        assert_eq!(names, [("paste 1.0.15", "MIT"), ("serde 1.0.1", "MIT OR Apache-2.0")]);
        let json =
            r#"{"packages":[{"manifest_path":"/a/serde/Cargo.toml"},{"manifest_path":"/b/Cargo.toml"}]}"#;
        assert_eq!(manifests(json), [PathBuf::from("/a/serde/Cargo.toml"), "/b/Cargo.toml".into()]);
        let manifest = "# made\n[package]\nedition = \"2021\"\nname = \"serde\"\nversion = \"1.0.1\"\n\n[lib]\nname = \"x\"\n";
        assert_eq!(package_of(manifest).as_deref(), Some("serde 1.0.1"));
        let texts = BTreeMap::from([("THE TEXT".to_owned(), BTreeSet::from(["serde 1.0.1".to_owned()]))]);
        let account = account(&linked, &texts);
        assert!(account.contains("\n  paste 1.0.15: MIT\n"), "{account}");
        assert!(account.contains("\nserde 1.0.1\n---") && account.ends_with("\n\nTHE TEXT\n"), "{account}");
    }

    #[test]
    fn licence_files_are_recognised_by_name() {
        for (name, expected) in [
            ("LICENSE-MIT", true),
            ("COPYING", true),
            ("UNLICENSE", true),
            ("README.md", false),
            ("licence.rs", false),
        ] {
            assert_eq!(is_licence(Path::new(name)), expected, "{name}");
        }
    }
}
