//! Tests of the book's tutorials. Their files are written, their commands are run, and the output is compared with the
//! page.
//!
//! Comments before the blocks of a page, which the book does not show, state the meaning of each block:
//!
//! - `<!-- run -->`: the block is entered into a shell, in the folder where the page's last command ended.
//!   `<!-- run COMMAND -->` is a command within the text. A comment of several lines that begins with `<!-- run` is a
//!   script that does what the text asks for. `<!-- run if PROGRAM -->` is skipped and reported if there is no such
//!   program.
//! - `<!-- file NAME -->`: the block is written to a file. `<!-- file NAME of PAGE -->` is that file of another page.
//! - `<!-- says -->`: the expected output of the last command, with any line breaks. `…` on a separate line matches
//!   anything.
//! - `<!-- read -->`: a block that is only for reading.
//! - `<!-- python -->`: the Python equivalent of the previous block, which replaces it with `--python`.
//! - `<!-- data NAME -->` before all blocks: the page begins in a folder with the files of that scan.

use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const HELP: &str = "\
cargo xtask tutorials [OPTIONS] [PAGE...]

Runs the commands of the tutorials (docs/src/tutorials) and compares their output with the pages. All pages take about
ten minutes after a release build. Pages whose scan is missing (set ARCUATE_DATA) and commands of programs that are not
installed are listed and skipped.

  --program FILE  the arcuate program to run [default: target/release/arcuate, which is built]
  --keep FOLDER   work in this folder and keep all files
  --strict        a skipped page or command is an error
  --python        run the Python code next to the commands instead of the commands, with a release build of the package
";

/// Runs the Python code of a page, shows the output that a shell would show, and reports the final folder.
const SHELL_OF_PYTHON: &str = "\
import ast, os, sys, warnings, arcuate as ar
sys.stdout.reconfigure(line_buffering=True)
# As the command says them.
warnings.showwarning = lambda message, *rest: print(f'warning: {message}')
# What a call of the system answers is of no interest.
sys.displayhook = lambda value: None if value in (None, 0) else print(repr(value))
for node in ast.parse(sys.stdin.read()).body:
    exec(compile(ast.Interactive([node]), 'page', 'single'), globals())
sys.stdout.flush()
open(os.environ['ARCUATE_PLACE'], 'w').write(os.getcwd())
";

/// Python packages that the pages require.
const PACKAGES: [&str; 3] = ["nibabel", "numpy", "scipy"];

/// The request of a comment before a block of the page.
#[derive(Debug, PartialEq)]
enum Part {
    Run { script: String, needs: Option<String> },
    File { name: String, content: String },
    Borrowed { name: String, page: String },
    Says(String),
    Python(String),
}

/// A tutorial page: the scan with which it begins, and its steps with their line numbers.
#[derive(Debug, PartialEq, Default)]
struct Page {
    data: Option<String>,
    parts: Vec<(usize, Part)>,
}

pub(crate) fn run(options: &[String]) -> Outcome {
    let (mut program, mut keep, mut strict, mut in_python, mut names) =
        (None, None, false, false, Vec::new());
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let mut value = || options.next().cloned().ok_or(format!("{option} lacks its value"));
        match option.as_str() {
            "--program" => program = Some(PathBuf::from(value()?)),
            "--keep" => keep = Some(PathBuf::from(value()?)),
            "--strict" => strict = true,
            "--python" => in_python = true,
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            name if name.starts_with('-') => return Err(format!("`{name}` is no option\n\n{HELP}")),
            name => names.push(name.trim_end_matches(".md").to_owned()),
        }
    }
    let program = if let Some(program) = program {
        program
    } else {
        process::cargo(&["build", "--release", "--package", "arcuate"], &[])?;
        process::target_folder().join("release/arcuate")
    };
    let program = program.canonicalize().map_err(|e| format!("{}: {e}", program.display()))?;
    let folder = keep.unwrap_or_else(|| process::target_folder().join("tutorials"));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = shell_path(&folder, &program)?;
    let package = in_python.then(|| package(&folder)).transpose()?;
    let (mut wrong, mut left_out, mut compared) = (Vec::new(), Vec::new(), 0);
    for file in pages()? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let page = parse(&text).map_err(|problem| format!("{name}.md, {problem}"))?;
        let started = Instant::now();
        let found =
            Reading { name: &name, folder: folder.join(&name), path: &path, package: package.as_deref() }
                .follow(&page)?;
        println!("{name}: {} outputs compared, {:.0} s", found.compared, started.elapsed().as_secs_f64());
        compared += found.compared;
        wrong.extend(found.wrong);
        left_out.extend(found.left_out);
    }
    for what in &left_out {
        println!("left out: {what}");
    }
    if compared == 0 {
        return Err("nothing was compared".to_owned());
    }
    if !wrong.is_empty() {
        return Err(format!("pages and program differ:\n\n{}", wrong.join("\n\n")));
    }
    if strict && !left_out.is_empty() {
        return Err(format!("{} parts were omitted", left_out.len()));
    }
    Ok(())
}

/// Returns the tutorials, sorted by name.
fn pages() -> Result<Vec<PathBuf>, String> {
    let folder = process::root().join("docs/src/tutorials");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut pages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    Ok(pages)
}

/// Returns a search path on which `arcuate` is the program and `python` has the packages.
fn shell_path(folder: &Path, program: &Path) -> Result<String, String> {
    let environment = process::target_folder().join("tutorials-python");
    let python = environment.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).map_err(|e| format!("{}: {e}", programs.display()))?;
    let link = programs.join("arcuate");
    if link.symlink_metadata().is_ok() {
        fs::remove_file(&link).map_err(|e| format!("{}: {e}", link.display()))?;
    }
    std::os::unix::fs::symlink(program, &link).map_err(|e| format!("{}: {e}", link.display()))?;
    let absolute = |path: &Path| path.canonicalize().map_err(|e| format!("{}: {e}", path.display()));
    let python = absolute(&environment)?.join("bin");
    let usual = std::env::var("PATH").unwrap_or_default();
    Ok(format!("{}:{}:{usual}", programs.display(), python.display()))
}

/// Returns a folder with the Python package, from a release build.
fn package(folder: &Path) -> Result<PathBuf, String> {
    process::cargo(&["build", "--profile", "wheel", "--package", "arcuate-python"], &[])?;
    let folder = folder.join("package");
    let package = folder.join("arcuate");
    fs::create_dir_all(&package).map_err(|e| format!("{}: {e}", package.display()))?;
    let copy = |from: &Path, name: &Path| {
        fs::copy(from, package.join(name)).map(|_| ()).map_err(|e| format!("{}: {e}", from.display()))
    };
    let sources = process::root().join("crates/arcuate-python/python/arcuate");
    for entry in fs::read_dir(&sources).map_err(|e| format!("{}: {e}", sources.display()))?.flatten() {
        if entry.path().is_file() {
            copy(&entry.path(), Path::new(&entry.file_name()))?;
        }
    }
    copy(&process::target_folder().join("wheel/lib_arcuate.so"), Path::new("_arcuate.abi3.so"))?;
    Ok(folder)
}

/// The results of the test of a page.
#[derive(Default)]
struct Found {
    compared: usize,
    wrong: Vec<String>,
    left_out: Vec<String>,
}

/// The state of the test of a page.
struct Reading<'a> {
    name: &'a str,
    folder: PathBuf,
    path: &'a str,
    /// The folder of the Python package. `None` if no Python steps are run.
    package: Option<&'a Path>,
}

impl Reading<'_> {
    fn follow(&self, page: &Page) -> Result<Found, String> {
        let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).map_err(|e| failed(&self.folder, e))?;
        }
        fs::create_dir_all(&self.folder).map_err(|e| failed(&self.folder, e))?;
        let mut found = Found::default();
        let mut here = self.folder.clone();
        if let Some(data) = &page.data {
            let scans = std::env::var_os("ARCUATE_DATA")
                .map_or_else(|| process::root().join("../shared/data"), PathBuf::from);
            let scan = scans.join(data);
            if !scan.is_dir() {
                found.left_out.push(format!("{}.md: no scan {data} in ARCUATE_DATA", self.name));
                return Ok(found);
            }
            for entry in fs::read_dir(&scan).map_err(|e| failed(&scan, e))?.flatten() {
                // Only the series is copied; the page creates the other files.
                if entry.file_name().to_string_lossy().starts_with("dwi.") {
                    fs::copy(entry.path(), here.join(entry.file_name()))
                        .map_err(|e| failed(&entry.path(), e))?;
                }
            }
        }
        let mut last_output = None;
        for (n, (line, part)) in page.parts.iter().enumerate() {
            let next_part = page.parts.get(n + 1).map(|(_, part)| part);
            match part {
                Part::Run { .. } if self.package.is_some() && matches!(next_part, Some(Part::Python(_))) => {}
                Part::Python(_) if self.package.is_none() => {}
                Part::File { name, content } => {
                    let file = here.join(name);
                    fs::write(&file, content).map_err(|e| failed(&file, e))?;
                }
                Part::Borrowed { name, page } => {
                    let content = file_of(name, page)?;
                    fs::write(here.join(name), content).map_err(|e| failed(&here.join(name), e))?;
                }
                Part::Run { script, needs } => {
                    if let Some(program) = needs.as_ref().filter(|program| !self.has(program)) {
                        found.left_out.push(format!("{}.md, line {line}: no `{program}`", self.name));
                        last_output = None;
                        continue;
                    }
                    let (output, there, is_well) = self.shell(script, &here)?;
                    if !is_well {
                        found
                            .wrong
                            .push(format!("{}.md, line {line}: it fails:\n{script}{output}", self.name));
                        return Ok(found);
                    }
                    here = there;
                    last_output = Some(output);
                }
                Part::Python(code) => {
                    let script = format!(
                        "python -c \"$ARCUATE_SHELL\" <<'PYTHON'\n{code}PYTHON\ncd \"$(cat \"$ARCUATE_PLACE\")\"\n"
                    );
                    let (output, there, is_well) = self.shell(&script, &here)?;
                    if !is_well {
                        let problem = format!("{}.md, line {line}: it fails:\n{code}{output}", self.name);
                        found.wrong.push(problem);
                        return Ok(found);
                    }
                    here = there;
                    last_output = Some(output);
                }
                Part::Says(expected) => {
                    let Some(output) = &last_output else { continue };
                    found.compared += 1;
                    if !agrees(expected, output) {
                        found.wrong.push(format!(
                            "{}.md, line {line}: the page says\n{expected}but it is\n{output}",
                            self.name
                        ));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Runs a script. Returns its standard output and error, the final folder, and whether all commands succeeded.
    fn shell(&self, script: &str, here: &Path) -> Result<(String, PathBuf, bool), String> {
        let place = self.folder.join(".place");
        let whole = format!("set -e\nexec 2>&1\n{script}\npwd > \"$ARCUATE_PLACE\"\n");
        let output = Command::new("bash")
            .args(["-c", &whole])
            .current_dir(here)
            .env("PATH", self.path)
            .env("ARCUATE_PLACE", &place)
            .env("ARCUATE_SHELL", SHELL_OF_PYTHON)
            .env("PYTHONPATH", self.package.unwrap_or(Path::new("")))
            .env("PYTHONUTF8", "1")
            .output()
            .map_err(|e| format!("bash cannot be run ({e})"))?;
        let last_output = String::from_utf8_lossy(&output.stdout).into_owned();
        let there = fs::read_to_string(&place).map_or(here.to_owned(), |text| text.trim_end().into());
        Ok((last_output, there, output.status.success()))
    }

    fn has(&self, program: &str) -> bool {
        let found = Command::new("bash")
            .args(["-c", "command -v \"$1\"", "bash", program])
            .env("PATH", self.path)
            .output();
        found.is_ok_and(|output| output.status.success())
    }
}

/// Returns the contents of a file that a page writes.
fn file_of(name: &str, page: &str) -> Result<String, String> {
    let path = process::root().join(format!("docs/src/tutorials/{page}.md"));
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let parts = parse(&text).map_err(|problem| format!("{page}.md, {problem}"))?.parts;
    parts
        .into_iter()
        .find_map(|(_, part)| match part {
            Part::File { name: own, content } if own == name => Some(content),
            _ => None,
        })
        .ok_or(format!("{page}.md has no file {name}"))
}

/// Returns whether an output contains the text of the page, with any line breaks. Log lines that replace a progress
/// bar, such as `arcuate fit: sample`, are ignored.
fn agrees(expected: &str, output: &str) -> bool {
    let in_a_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_step = |line: &&str| line.starts_with("arcuate ") && line.contains(": ");
    let shown: Vec<&str> = output.lines().filter(|line| !is_step(line)).collect();
    let output = format!(" {} ", in_a_line(&shown.join("\n")));
    let mut rest = output.as_str();
    for piece in expected.split("\n…\n") {
        let piece = format!(" {} ", in_a_line(piece));
        match rest.find(&piece) {
            // The space after the text is kept, because the next piece of text may begin with it.
            Some(at) => rest = &rest[at + piece.len() - 1..],
            None => return false,
        }
    }
    true
}

/// Parses the steps of a page. Every code block needs a comment that states its meaning.
fn parse(text: &str) -> Result<Page, String> {
    let mut page = Page::default();
    let lines: Vec<&str> = text.lines().collect();
    let (mut at, mut mark) = (0, None);
    while at < lines.len() {
        let line = at + 1;
        if let Some((comment, end)) = comment(&lines, at) {
            at = end;
            match word(&comment).map_err(|problem| format!("line {line}: {problem}"))? {
                Word::Data(name) => page.data = Some(name),
                Word::Whole(part) => page.parts.push((line, part)),
                Word::OfBlock(word, rest) => mark = Some((word, rest)),
            }
            continue;
        }
        if !begins_block(&lines, at) {
            if !lines[at].is_empty() && mark.is_some() {
                return Err(format!("line {line}: a word on a block, and none follows"));
            }
            at += 1;
            continue;
        }
        let is_inside = |n: &usize| lines[*n].is_empty() || lines[*n].starts_with("    ");
        let end = (at..lines.len()).take_while(is_inside).last().unwrap_or(at) + 1;
        let block: Vec<&str> =
            lines[at..end].iter().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
        let content = format!("{}\n", block.join("\n").trim_end());
        let Some((word, rest)) = mark.take() else {
            return Err(format!(
                "line {line}: state the purpose of this block: run, file NAME, says, python or read"
            ));
        };
        let part = match word.as_str() {
            "run" => Part::Run { script: content, needs: rest.strip_prefix("if ").map(str::to_owned) },
            "file" => Part::File { name: rest, content },
            "says" => Part::Says(content),
            "python" => Part::Python(content),
            _ => {
                at = end;
                continue;
            }
        };
        page.parts.push((line, part));
        at = end;
    }
    Ok(page)
}

/// Returns the comment that begins in a line, without its delimiters, and the next line after it.
fn comment(lines: &[&str], at: usize) -> Option<(String, usize)> {
    let first = lines[at].strip_prefix("<!-- ")?;
    if let Some(comment) = first.strip_suffix(" -->") {
        return Some((comment.to_owned(), at + 1));
    }
    let end = (at + 1..lines.len()).find(|&n| lines[n] == "-->")?;
    Some((format!("{first}\n{}\n", lines[at + 1..end].join("\n")), end + 1))
}

/// The meaning of a comment on the page.
enum Word {
    Data(String),
    Whole(Part),
    OfBlock(String, String),
}

fn word(comment: &str) -> Result<Word, String> {
    let (word, rest) = comment.split_once([' ', '\n']).unwrap_or((comment, ""));
    let rest = rest.to_owned();
    Ok(match word {
        "data" => Word::Data(rest),
        "run" if !rest.is_empty() && !rest.starts_with("if ") => {
            Word::Whole(Part::Run { script: format!("{}\n", rest.trim_end()), needs: None })
        }
        "file" if rest.contains(" of ") => {
            let (name, page) = rest.split_once(" of ").unwrap_or_default();
            Word::Whole(Part::Borrowed { name: name.to_owned(), page: page.to_owned() })
        }
        "run" | "file" | "says" | "read" | "python" => Word::OfBlock(word.to_owned(), rest),
        _ => return Err(format!("`{comment}` says nothing that is known here")),
    })
}

/// Returns whether a code block begins in a line. Indented list items do not count.
fn begins_block(lines: &[&str], at: usize) -> bool {
    let is_code = lines[at].starts_with("    ") && !lines[at].trim_start().starts_with("- ");
    let is_behind_a_comment = |line: &str| line.starts_with("<!-- ") || line == "-->";
    is_code && (at == 0 || lines[at - 1].is_empty() || is_behind_a_comment(lines[at - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tutorial_block_states_its_kind() {
        let mut commands = 0;
        for file in pages().unwrap() {
            let page = parse(&fs::read_to_string(&file).unwrap())
                .unwrap_or_else(|problem| panic!("{}, {problem}", file.display()));
            let is_run = |(_, part): &&(usize, Part)| matches!(part, Part::Run { .. });
            commands += page.parts.iter().filter(is_run).count();
        }
        assert!(commands > 30, "{commands} commands are too few: they are not found");
    }

    #[test]
    fn tutorial_pages_are_parsed() {
        let text = "<!-- data brain -->\nGo:\n\n<!-- file a.py -->\n    print(1)\n\n    print(2)\n\n<!-- run python a.py -->\nsays\n\n\
                    <!-- says -->\n    1\n    2\n\n<!-- run if jq -->\n    jq . x\n\n<details>\n\n<!-- python -->\n    x()\n\n</details>\n\n<!-- run\na\nb\n-->\n<!-- file table.py of own-model -->\n- a list\n    - of a list\n\n<!-- read -->\n    x\n";
        let page = parse(text).unwrap();
        assert_eq!(page.data.as_deref(), Some("brain"));
        let parts: Vec<Part> = page.parts.into_iter().map(|(_, part)| part).collect();
        assert_eq!(
            parts,
            [
                Part::File { name: "a.py".into(), content: "print(1)\n\nprint(2)\n".into() },
                Part::Run { script: "python a.py\n".into(), needs: None },
                Part::Says("1\n2\n".into()),
                Part::Run { script: "jq . x\n".into(), needs: Some("jq".into()) },
                Part::Python("x()\n".into()),
                Part::Run { script: "a\nb\n".into(), needs: None },
                Part::Borrowed { name: "table.py".into(), page: "own-model".into() },
            ]
        );
        assert!(parse("So:\n\n    arcuate\n").unwrap_err().starts_with("line 3: "));
        assert!(parse("<!-- says -->\nnothing\n").unwrap_err().starts_with("line 2: "));
    }

    #[test]
    fn files_of_other_pages_are_found() {
        assert!(file_of("table.py", "own-model").unwrap().starts_with("import math\n"));
        assert!(file_of("table.py", "first-report").is_err());
    }

    #[test]
    fn outputs_are_compared_by_number() {
        assert!(agrees("1.5 mm\nof 3\n", "warning\nIt is 1.5\n mm of 3\n"));
        assert!(!agrees("1.5 mm\n", "11.5 mm\n"));
        assert!(!agrees("1.5 mm\n", "1.5 mm²\n"));
        assert!(agrees("a\n…\nd\n", "a\nb\nc\nd\n"));
        assert!(!agrees("d\n…\na\n", "a\nb\nc\nd\n"));
        assert!(agrees("a\n…\nb\n", "a b\n"));
        assert!(agrees("a\nb\n", "a\narcuate fit: sample\nb\n"));
    }

    #[test]
    fn wrong_tutorial_pages_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let read = |text: &str| {
            let reading = Reading { name: "x", folder: folder.path().join("x"), path: &path, package: None };
            reading.follow(&parse(text).unwrap()).unwrap()
        };
        let text = "<!-- run -->\n    mkdir a\n    cd a\n\n<!-- file b -->\n    text\n\n<!-- run cat b -->\n\n<!-- says -->\n    text\n";
        let right = read(text);
        assert_eq!((right.compared, right.wrong.len()), (1, 0), "{:?}", right.wrong);
        let wrong = read(&text.replace("    text\n\n", "    other\n\n"));
        assert!(
            wrong.wrong[0].contains("line 11: the page says\ntext\nbut it is\nother\n"),
            "{:?}",
            wrong.wrong
        );
        let failing = read("<!-- run -->\n    false\n    true\n");
        assert!(failing.wrong[0].contains("it fails"), "{:?}", failing.wrong);
        let absent = read("<!-- run if no-such-program -->\n    x\n\n<!-- says -->\n    x\n");
        assert_eq!((absent.compared, absent.left_out.len()), (0, 1));
    }
}
