//! The comparisons with other programs, whose scripts are in `oracles/`. Runs these scripts, and checks that
//! the tests contain the numbers that the scripts print.

use crate::process::{self, Outcome};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const HELP: &str = "\
cargo xtask oracles [OPTIONS] [SCRIPT...]

Runs the comparisons with other programs that oracles/runs.txt lists, with packages from PyPI in environments below
target/, and writes oracles/last_run.md. Comparisons whose program or scan is missing are listed and skipped. Run this
before each release; all comparisons together take an hour or more.

  --list    print the comparisons that would run and those that would be skipped
  --built   use the program and the examples that are already built
";

/// The file with the results of the last run.
const LAST_RUN: &str = "oracles/last_run.md";

/// A comparison.
#[derive(Debug, Default, PartialEq)]
struct Comparison {
    script: String,
    arguments: Vec<String>,
    /// The reason why the script cannot be run here automatically.
    by_hand: Option<String>,
    packages: Vec<String>,
    programs: Vec<String>,
    data: Option<String>,
    example: Option<String>,
    figures: Vec<String>,
    /// The tests that are run after the script.
    then: Option<Then>,
}

/// Tests of a module, and the environment variable with which they are run.
#[derive(Debug, PartialEq)]
struct Then {
    variable: String,
    value: String,
    package: String,
    program: String,
    module: String,
}

/// The result of a comparison.
enum Ending {
    Passed(String),
    Failed(String),
    LeftOut(String),
}

pub(crate) fn run(options: &[String]) -> Outcome {
    let (mut list, mut built, mut names) = (false, false, Vec::new());
    for option in options {
        match option.as_str() {
            "--built" => built = true,
            "--list" => list = true,
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            name if name.starts_with('-') => return Err(format!("`{name}` is no option\n\n{HELP}")),
            name => names.push(name.to_owned()),
        }
    }
    let is_wanted = |one: &Comparison| {
        names.is_empty()
            || names.iter().any(|name| one.script == *name || one.script.split('.').next() == Some(name))
    };
    let all: Vec<Comparison> = comparisons()?.into_iter().filter(is_wanted).collect();
    if all.is_empty() {
        return Err("no script of oracles/runs.txt has this name".to_owned());
    }
    if !list && !built {
        process::cargo(&["build", "--release", "--workspace", "--bins", "--examples"], &[])?;
    }
    let (mut rows, mut counts, mut failures) = (Vec::new(), [0; 3], Vec::new());
    for one in &all {
        let started = Instant::now();
        let ending = match one.missing() {
            Some(why) => Ending::LeftOut(why),
            None if list => Ending::Passed("would be run".to_owned()),
            None => one.run().unwrap_or_else(Ending::Failed),
        };
        let (place, word, note) = match ending {
            Ending::Passed(note) => (0, "passed", note),
            Ending::Failed(note) => (1, "failed", note),
            Ending::LeftOut(note) => (2, "left out", note),
        };
        counts[place] += 1;
        println!("{}: {word}: {note} ({:.0} s)", one.script, started.elapsed().as_secs_f64());
        let first = note.lines().next().unwrap_or_default().replace('|', "\\|");
        rows.push(format!("| `{}` | {word} | {first} |", one.script));
        if place == 1 {
            failures.push(format!("{}: {note}", one.script));
        }
    }
    if list {
        return Ok(());
    }
    if names.is_empty() {
        let [passed, failed, left_out] = counts;
        let text = format!(
            "Comparisons with other programs, last run on {} at commit {}: {passed} passed, {failed} failed, {left_out} \
             omitted.\n\n`cargo xtask oracles` writes this file.\n\n| script | | |\n|---|---|---|\n{}\n",
            printed("date", &["+%Y-%m-%d"]),
            printed("git", &["rev-parse", "--short", "HEAD"]),
            rows.join("\n")
        );
        fs::write(process::root().join(LAST_RUN), text).map_err(|e| format!("{LAST_RUN}: {e}"))?;
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n\n")) }
}

/// Returns the output of a program as one line.
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = process::in_root(program).args(arguments).output();
    output.map_or_else(|_| "?".to_owned(), |o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
}

fn comparisons() -> Result<Vec<Comparison>, String> {
    let file = process::root().join("oracles/runs.txt");
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(n, line)| {
            parse(line).map_err(|problem| format!("oracles/runs.txt, line {}: {problem}", n + 1))
        })
        .collect()
}

fn parse(line: &str) -> Result<Comparison, String> {
    let mut parts = line.split('|').map(str::trim);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut call = words(parts.next().unwrap_or_default()).into_iter();
    let mut one = Comparison {
        script: call.next().unwrap_or_default(),
        arguments: call.collect(),
        ..Comparison::default()
    };
    for part in parts {
        let (word, rest) = part.split_once(' ').ok_or(format!("`{part}` lacks its words"))?;
        match word {
            "pip" => one.packages = words(rest),
            "programs" => one.programs = words(rest),
            "data" => one.data = Some(rest.to_owned()),
            "example" => one.example = Some(rest.to_owned()),
            "figures" => one.figures = words(rest),
            "by" => one.by_hand = Some(rest.trim_start_matches("hand ").to_owned()),
            "then" => {
                let [setting, package, program, module] = <[String; 4]>::try_from(words(rest))
                    .map_err(|_| "`then` is not VARIABLE=VALUE PACKAGE PROGRAM MODULE")?;
                let (variable, value) = setting.split_once('=').ok_or("`then` lacks its value")?;
                let (variable, value) = (variable.to_owned(), value.to_owned());
                one.then = Some(Then { variable, value, package, program, module });
            }
            other => return Err(format!("`{other}` is not known")),
        }
    }
    Ok(one)
}

/// Returns the folder of all scans.
fn scans() -> PathBuf {
    std::env::var_os("ARCUATE_DATA").map_or_else(|| process::root().join("../shared/data"), PathBuf::from)
}

impl Comparison {
    /// Returns the reason why the script cannot be run here. Returns `None` if it can.
    fn missing(&self) -> Option<String> {
        if let Some(why) = &self.by_hand {
            return Some(format!("by hand: {why}"));
        }
        if let Some(data) = self.data.as_ref().filter(|data| !scans().join(data).is_dir()) {
            return Some(format!("no scan {data} in ARCUATE_DATA"));
        }
        let has = |program: &&String| {
            let found = Command::new("sh").args(["-c", "command -v \"$1\"", "sh", program]).output();
            !found.is_ok_and(|output| output.status.success())
        };
        self.programs.iter().find(has).map(|program| format!("no program `{program}`"))
    }

    fn run(&self) -> Result<Ending, String> {
        let python = self.python()?;
        let out = process::target_folder().join("oracles").join(&self.script);
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        }
        fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let release = process::target_folder().join("release");
        let arcuate = release.join("arcuate");
        let example = self.example.as_ref().map(|name| {
            let built =
                [&release, &process::target_folder().join("debug")].map(|f| f.join("examples").join(name));
            built.iter().find(|path| path.exists()).unwrap_or(&built[0]).clone()
        });
        let filled = |text: &String| {
            let example = example.as_deref().unwrap_or(Path::new(""));
            text.replace("{out}", &out.to_string_lossy())
                .replace("{data}", &scans().to_string_lossy())
                .replace("{arcuate}", &arcuate.to_string_lossy())
                .replace("{example}", &example.to_string_lossy())
        };
        let script = process::root().join("oracles").join(&self.script);
        let is_python = script.extension().is_some_and(|ending| ending == "py");
        let mut command = if is_python { process::in_root(&python) } else { process::in_root("sh") };
        let output = command
            .arg(&script)
            .args(self.arguments.iter().map(filled))
            .env("ARCUATE", &arcuate)
            .env("ARCUATE_DATA", scans())
            .env("PYTHON", &python)
            .output()
            .map_err(|e| format!("it cannot be run ({e})"))?;
        let stdout_text = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        fs::write(out.join("said.txt"), format!("{stdout_text}\n{complaints}"))
            .map_err(|e| format!("{}: {e}", out.display()))?;
        if !output.status.success() {
            let last: Vec<&str> = complaints.lines().chain(stdout_text.lines()).rev().take(12).collect();
            return Ok(Ending::Failed(last.into_iter().rev().collect::<Vec<_>>().join("\n")));
        }
        let mut notes = Vec::new();
        if !self.figures.is_empty() {
            let (all, missing) = self.compare(&stdout_text)?;
            if let Some(first) = missing.first() {
                let problem = format!(
                    "{} of {all} printed figures are not in {}, the first {first}",
                    missing.len(),
                    self.figures.join(", ")
                );
                return Ok(Ending::Failed(problem));
            }
            notes.push(format!("{all} figures are those in the tests"));
        }
        if let Some(then) = &self.then {
            let output = process::in_root(process::cargo_program())
                .args(["test", "--quiet", "--package", &then.package, "--test", &then.program])
                .args(crate::test_programs::features())
                .args(["--", &format!("{}::", then.module)])
                .env(&then.variable, filled(&then.value))
                .output()
                .map_err(|e| format!("cargo cannot be run ({e})"))?;
            let printed = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() {
                return Ok(Ending::Failed(format!("{printed}{}", String::from_utf8_lossy(&output.stderr))));
            }
            let passed = passed_tests(&printed);
            if passed == 0 {
                return Ok(Ending::Failed(format!(
                    "{} {} has no tests {}",
                    then.package, then.program, then.module
                )));
            }
            notes.push(format!("its {passed} tests {} pass", then.module));
        }
        if notes.is_empty() {
            notes.push("within its tolerances".to_owned());
        }
        Ok(Ending::Passed(notes.join("; ")))
    }

    /// Returns the Python interpreter of an environment in which the required packages are installed.
    fn python(&self) -> Result<PathBuf, String> {
        let packages: BTreeSet<&str> = self.packages.iter().map(String::as_str).collect();
        let name: String = packages
            .iter()
            .copied()
            .collect::<Vec<_>>()
            .join("+")
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || "+.-".contains(letter) { letter } else { '_' })
            .collect();
        let environment = process::target_folder().join("oracles-python").join(name);
        let python = environment.join("bin/python");
        if !python.exists() {
            process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
            process::run(
                Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(&self.packages),
            )?;
        }
        Ok(python)
    }

    /// Returns how many numbers a script printed, and those of them that the tests do not contain.
    fn compare(&self, stdout_text: &str) -> Result<(usize, Vec<String>), String> {
        let mut known = Vec::new();
        for name in &self.figures {
            let mut files = Vec::new();
            sources(&process::root().join(name), &mut files);
            for file in files {
                let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                known.extend(numbers(&text).into_iter().map(|(value, _)| value));
            }
        }
        known.sort_by(f64::total_cmp);
        let figures = stdout_text.lines().filter(|line| !line.starts_with('#')).flat_map(numbers);
        let printed: Vec<(f64, String)> = figures.collect();
        // A number with few digits may be in the tests by chance, so it is not compared.
        let telling: Vec<(f64, String)> = printed.into_iter().filter(|(_, text)| digits(text) >= 4).collect();
        if telling.is_empty() {
            return Err("it prints no figures".to_owned());
        }
        let missing = telling.iter().filter(|(value, text)| !is_known(&known, *value, digits(text)));
        Ok((telling.len(), missing.map(|(_, text)| text.clone()).collect()))
    }
}

/// Finds the files in a folder and its subfolders, or the file itself.
fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "rs") {
            sources(&path, found);
        }
    }
}

/// Returns the numbers in a text, and their notation.
fn numbers(text: &str) -> Vec<(f64, String)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._+-".contains(letter);
    text.split(|letter: char| !is_part(letter))
        .map(|word| word.replace('_', "").trim_end_matches(['.', '-']).to_owned())
        .filter(|word| word.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit()))
        .filter_map(|word| word.parse().ok().map(|value| (value, word)))
        .collect()
}

/// Returns the number of significant digits of a number as written.
fn digits(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    mantissa.chars().filter(char::is_ascii_digit).skip_while(|&digit| digit == '0').count()
}

/// Returns whether a sorted list contains a number, within one unit of its last digit (at most the twelfth). Numbers
/// with single precision are compared in single precision.
fn is_known(known: &[f64], value: f64, digits: usize) -> bool {
    if digits > 12 && f64::from(value as f32) == value {
        return known.iter().any(|&other| other as f32 == value as f32);
    }
    let unit = value.abs().log10().floor() as i32 + 1 - digits.min(12) as i32;
    let tolerance = 10f64.powi(unit);
    let first = known.partition_point(|&other| other < value - tolerance);
    known.get(first).is_some_and(|&other| other <= value + tolerance)
}

/// Prints when the comparisons were last run, from the first line of the file.
pub(crate) fn last() -> Outcome {
    let file = process::root().join(LAST_RUN);
    let text = fs::read_to_string(&file).map_err(|e| format!("{LAST_RUN}: {e}"))?;
    println!("{}", text.lines().next().unwrap_or_default());
    Ok(())
}

/// Returns the number of tests that passed, from the output of a test program.
fn passed_tests(printed: &str) -> usize {
    let counts =
        printed.lines().filter_map(|line| line.strip_prefix("test result: ok. ")?.split_once(" passed"));
    counts.filter_map(|(count, _)| count.parse::<usize>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_scripts_agree() {
        let all = comparisons().unwrap();
        let root = process::root();
        for entry in fs::read_dir(root.join("oracles")).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if [".py", ".sh"].iter().any(|ending| name.ends_with(ending)) {
                assert!(all.iter().any(|one| one.script == name), "{name} is not in oracles/runs.txt");
            }
        }
        for one in &all {
            assert!(root.join("oracles").join(&one.script).exists(), "{}", one.script);
            assert!(one.figures.iter().all(|name| root.join(name).exists()), "{one:?}");
        }
    }

    #[test]
    fn list_lines_are_parsed() {
        let one =
            parse("a.py {out} --x 1 | pip b c==1 | programs d | data e | figures f g | then V={out}/h p q t")
                .unwrap();
        assert_eq!((one.script.as_str(), one.arguments.len()), ("a.py", 3));
        assert_eq!((one.packages.len(), one.figures.len()), (2, 2));
        let [variable, value, package, program, module] = ["V", "{out}/h", "p", "q", "t"].map(str::to_owned);
        assert_eq!(one.then.unwrap(), Then { variable, value, package, program, module });
        assert!(parse("a.py | then V={out}/h t").is_err());
        assert_eq!(parse("a.py | by hand an hour").unwrap().by_hand.as_deref(), Some("an hour"));
        assert!(parse("a.py | hand").is_err());
        assert!(parse("a.py | pipe x").is_err());
    }

    #[test]
    fn passed_tests_are_counted() {
        let two = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out\n";
        assert_eq!(passed_tests(two), 2);
        assert_eq!(
            passed_tests("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 11 filtered out\n"),
            0
        );
        assert_eq!(passed_tests(""), 0);
    }

    #[test]
    fn figures_without_a_test_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tests.rs");
        fs::write(&file, "const A: [f64; 3] = [0.123_456_789, -2.5e-7, 1234.5];").unwrap();
        let one = Comparison { figures: vec![file.to_string_lossy().into_owned()], ..Comparison::default() };
        assert_eq!(one.compare("0.12346 and 1234.5").unwrap(), (2, vec![]));
        assert_eq!(one.compare("x = 0.1236").unwrap(), (1, vec!["0.1236".to_owned()]));
        assert_eq!(one.compare("-2.500e-7").unwrap(), (1, vec![]));
        assert_eq!(one.compare("2.500e-7").unwrap().1.len(), 1, "the sign counts");
        assert_eq!(one.compare("# 77.77 is a remark\n1234.5").unwrap(), (1, vec![]));
        assert_eq!(one.compare("0.12345679104328156").unwrap(), (1, vec![]), "in single precision");
        assert_eq!(one.compare("0.12345679849386215").unwrap().1.len(), 1, "the next of single precision");
        assert!(one.compare("none of 3").is_err());
    }
}
