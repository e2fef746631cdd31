//! Runs the tests of the Python package: `pytest` on the files in this folder and on the examples of the
//! documentation, with the library and program of this build.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that the tests need in addition to `arcuate`.
const NEEDED: &[&str] = &[
    "numpy>=1.24",
    "scipy",
    "nibabel",
    "pytest",
    "mypy==1.18.2",
    "basedpyright==1.40.2",
    "tqdm",
    "matplotlib",
    "nbclient",
    "ipykernel",
];

/// Returns the folder with the products of this build.
fn built() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a file");
    own.parent().and_then(Path::parent).expect("it lies in deps").to_owned()
}

/// Creates a virtual environment with the needed packages once. Returns `None` if this is not possible.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let python = folder.join("bin/python");
    let mark = folder.join("complete");
    if std::fs::read_to_string(&mark).is_ok_and(|text| text == NEEDED.concat()) {
        return Some(python);
    }
    let done = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let system = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let version = "import sys; sys.exit(sys.version_info < (3, 10))";
    let made = done(Command::new(&system).args(["-c", version]))
        && done(Command::new(&system).args(["-m", "venv", "--clear"]).arg(&folder))
        && done(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(NEEDED),
        );
    if made {
        std::fs::write(&mark, NEEDED.concat()).expect("the folder is there");
    }
    made.then_some(python)
}

/// Creates the package with the extension module in a folder.
fn package(folder: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/arcuate");
    let package = folder.join("arcuate");
    std::fs::create_dir(&package).expect("a folder for the package");
    for entry in sources.read_dir().expect("the package's sources").map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), package.join(entry.file_name())).expect("a file of the package");
        }
    }
    std::fs::copy(built().join("deps/lib_arcuate.so"), package.join("_arcuate.abi3.so"))
        .expect("the library is built");
}

#[test]
fn the_python_tests_pass() {
    let Some(python) = python() else {
        let is_required = std::env::var("ARCUATE_PYTHON_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!is_required, "there is no Python 3.10 with {NEEDED:?}");
        eprintln!("skipped: there is no Python 3.10 with {NEEDED:?}");
        return;
    };
    let program = built().join("arcuate");
    assert!(program.exists(), "{} is not built; test the whole workspace", program.display());
    let scratch = tempfile::tempdir().expect("a folder for the package");
    package(scratch.path());
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let ran = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command
            .env("PYTHONPATH", scratch.path())
            .env("ARCUATE_PROGRAM", &program)
            .current_dir(scratch.path());
        // Do not inherit the settings of the GPU emulation of other tests.
        command.env_remove("ARCUATE_NO_FALLBACK").arg("-m").args(arguments);
        command.status().expect("Python starts").success()
    };
    let files = tests.to_str().expect("a path in UTF-8");
    assert!(ran(&["pytest", "-q", "-x", "-p", "no:cacheprovider", files]), "see above");
    assert!(
        ran(&["pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "arcuate"]),
        "examples of the documentation"
    );
    // Some packages of other projects have no type annotations.
    let typed = [
        "mypy",
        "--strict",
        "--no-incremental",
        "--ignore-missing-imports",
        "--allow-untyped-calls",
        "arcuate",
    ];
    assert!(ran(&typed), "types");
    // Editors use a different type checker. It cannot check the extension module, which is not written in
    // Python.
    let settings = r#"{"typeCheckingMode": "standard", "reportMissingModuleSource": false, "include": ["arcuate"], "pythonVersion": "3.10"}"#;
    std::fs::write(scratch.path().join("pyrightconfig.json"), settings).expect("a file beside the package");
    let found = python.to_str().expect("a path in UTF-8");
    assert!(ran(&["basedpyright", "--level", "error", "--pythonpath", found]), "types for editors");
}
