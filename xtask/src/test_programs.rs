//! The test programs that cargo builds, and the tests in them.

use crate::process;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time limit of a test. A test that waits for a kernel that never runs would not end.
const PATIENCE: Duration = Duration::from_secs(600);

/// The time limit of all tests in a group together.
const PATIENCE_WITH_GROUP: Duration = Duration::from_secs(3600);

/// All features of the workspace except AVX-512 loops.
const WITHOUT_AVX512: &[&str] = &[
    "--no-default-features",
    "--features",
    "arcuate/bids,arcuate/fsl,arcuate/geodesic,arcuate/itk,arcuate/models,arcuate/recon,arcuate/samples",
];

/// Returns the features with which tests of the workspace are built: AVX-512 loops only if the CPU supports them. On other
/// CPUs they cannot be tested, and they are a tenth of the compilation. Clippy checks them on all machines.
pub(crate) fn features() -> &'static [&'static str] {
    #[cfg(target_arch = "x86_64")]
    let runs_them = std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let runs_them = false;
    if runs_them { &[] } else { WITHOUT_AVX512 }
}

/// The targets that are built for tests: libraries, programs and integration tests without `test = false`. Examples are
/// excluded, because clippy checks them and they are built when they are run.
pub(crate) const TARGETS: [&str; 1] = ["--tests"];

/// Builds the tests of the packages, or the tests, that `options` of `cargo test` select. Returns cargo's messages, one
/// per line.
pub(crate) fn build(options: &[&str]) -> Result<String, String> {
    let mut command = process::in_root(process::cargo_program());
    command.args(["test", "--no-run"]).args(options);
    if options == ["--workspace"] {
        command.args(TARGETS).args(features());
    }
    messages(&mut command)
}

/// Returns cargo's messages about its products, one line per product.
pub(crate) fn messages(command: &mut Command) -> Result<String, String> {
    let output = command
        .args(["--quiet", "--message-format=json"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo cannot be run ({e})"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed ({})", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| "cargo's messages are no text".to_owned())
}

/// Returns the path of the emulated GPU driver with which the tests were built. Returns `None` if they were
/// built without it.
pub(crate) fn library(messages: &str) -> Option<String> {
    messages.lines().find_map(|line| string_after(line, "[\"ARCUATE_EMULATION_LIBRARY\","))
}

/// A test program, and the folder of its package, in which its tests must run.
#[derive(Debug, PartialEq)]
pub(crate) struct Program {
    path: PathBuf,
    folder: PathBuf,
}

/// Returns the test programs that cargo has built.
pub(crate) fn programs(messages: &str) -> Vec<Program> {
    let of_tests = messages.lines().filter(|line| {
        let profile = line.split_once("\"profile\":{").and_then(|(_, rest)| rest.split_once('}'));
        profile.is_some_and(|(profile, _)| profile.contains("\"test\":true"))
    });
    let program = |line: &str| {
        let manifest = string_after(line, "\"manifest_path\":")?;
        let folder = Path::new(&manifest).parent()?.to_owned();
        Some(Program { path: string_after(line, "\"executable\":")?.into(), folder })
    };
    of_tests.filter_map(program).collect()
}

/// Returns the program of an example that cargo has built.
pub(crate) fn example(messages: &str, name: &str) -> Option<PathBuf> {
    let target = format!("\"kind\":[\"example\"],\"crate_types\":[\"bin\"],\"name\":\"{name}\"");
    let line = messages.lines().find(|line| line.contains(&target))?;
    string_after(line, "\"executable\":").map(PathBuf::from)
}

/// Returns the JSON string that follows `key` in a line, or `None` if the value is not a string.
fn string_after(line: &str, key: &str) -> Option<String> {
    let mut letters = line.split_once(key)?.1.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            // Paths have no control characters. All other escaped characters represent themselves.
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

impl Program {
    /// True if the test program uses the emulated GPU driver. The path of the driver is compiled into such
    /// programs.
    pub(crate) fn uses(&self, library: &str) -> Result<bool, String> {
        let bytes = fs::read(&self.path).map_err(|e| format!("{}: {e}", self.path.display()))?;
        Ok(bytes.windows(library.len()).any(|part| part == library.as_bytes()))
    }

    /// Returns the tests of the program, except those that run only on request.
    pub(crate) fn tests(&self) -> Result<Vec<Test<'_>>, String> {
        let list = |which: &[&str]| {
            let output = self.command().args(["--list", "--format=terse"]).args(which).output();
            let output = output.map_err(|e| self.cannot_be_run(&e))?;
            Ok::<_, String>(names(&String::from_utf8_lossy(&output.stdout)))
        };
        let on_request = list(&["--ignored"])?;
        let always = list(&[])?.into_iter().filter(|name| !on_request.contains(name));
        Ok(always.map(|name| Test { program: self, name }).collect())
    }

    /// Returns a command that runs the test program in the folder of its package, without the real GPU.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        // Kernels are emulated here, whatever other tests use on this machine.
        command.current_dir(&self.folder).env_remove("ARCUATE_TEST_DEVICE").stdin(Stdio::null());
        command
    }

    /// Returns the tests of the program in groups, except those that run only on request.
    pub(crate) fn groups(&self) -> Result<Vec<Group<'_>>, String> {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for test in self.tests()? {
            let module = test.name.split_once("::").map_or("", |(module, _)| module);
            groups.entry(module.to_owned()).or_default().push(test.name);
        }
        Ok(groups.into_iter().map(|(module, tests)| Group { program: self, module, tests }).collect())
    }

    /// Returns the test program that is running now, for tests of this module.
    #[cfg(test)]
    pub(crate) fn of_these_tests() -> Self {
        Self { path: std::env::current_exe().expect("this program"), folder: process::root() }
    }

    /// Returns the folder of the program's package.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn cannot_be_run(&self, error: &std::io::Error) -> String {
        format!("{} cannot be run ({error})", self.path.display())
    }
}

/// Returns the names in a terse list of tests: `module::name: test`, one per line.
fn names(list: &str) -> Vec<String> {
    list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

/// A test of a program.
#[derive(Debug)]
pub(crate) struct Test<'a> {
    program: &'a Program,
    name: String,
}

/// The tests in a top-level module of a program. They run one after the other in one process, so that they share inputs that
/// are computed once.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    program: &'a Program,
    /// The name of the module. It is empty for tests that are in no module.
    module: String,
    tests: Vec<String>,
}

impl Group<'_> {
    /// Runs the tests with these environment variables.
    pub(crate) fn run(&self, variables: &[(&str, &str)]) -> Result<Ran, String> {
        let mut command = self.program.command();
        command.args(["--test-threads=1", "--exact"]).args(&self.tests).envs(variables.iter().copied());
        let ran =
            run_within(&mut command, PATIENCE_WITH_GROUP).map_err(|e| self.program.cannot_be_run(&e))?;
        if ran.took < PATIENCE_WITH_GROUP { Ok(ran) } else { Err(format!("{self} does not end")) }
    }

    /// Returns the name of a test of the group, with its package and its program.
    pub(crate) fn full_name(&self, test: &str) -> String {
        format!("{}: {test}", self.program)
    }
}

/// The result of a test, or of a group of tests.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) passed: bool,
    pub(crate) took: Duration,
    /// The text that the test and the test harness printed.
    pub(crate) printed: String,
    /// The time of each test of a group.
    pub(crate) times: Vec<(String, Duration)>,
}

impl Test<'_> {
    /// Runs the test in a separate process with these environment variables. Returns an error if it does not end.
    pub(crate) fn run(&self, variables: &[(&str, &str)]) -> Result<Ran, String> {
        let ran = self.run_within(PATIENCE, variables)?;
        if ran.took < PATIENCE { Ok(ran) } else { Err(format!("{self} with {variables:?} does not end")) }
    }

    /// Runs the test like [`run`](Self::run), with another time limit. If the limit is exceeded, the test
    /// counts as failed.
    pub(crate) fn run_within(&self, patience: Duration, variables: &[(&str, &str)]) -> Result<Ran, String> {
        let mut command = self.program.command();
        command
            .args(["--exact", &self.name])
            .env("ARCUATE_EMULATION_REQUIRED", "1")
            .envs(variables.iter().copied());
        run_within(&mut command, patience).map_err(|e| self.program.cannot_be_run(&e))
    }

    /// Returns the name of the test in its program.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// True if the test is in the package `package`.
    pub(crate) fn is_in(&self, package: &str) -> bool {
        self.program.folder().ends_with(package)
    }

    pub(crate) fn program_path(&self) -> &Path {
        &self.program.path
    }
}

/// Runs a test program and kills it after the time limit. It then counts as failed.
fn run_within(command: &mut Command, patience: Duration) -> std::io::Result<Ran> {
    // The output is written to a file. A pipe would stay open as long as any process that the tests start.
    let printed = tempfile::NamedTempFile::new()?;
    let mut reader = printed.reopen()?;
    command.stdout(printed.as_file().try_clone()?).stderr(printed.as_file().try_clone()?);
    let mut starts = Starts::default();
    let start = Instant::now();
    let mut child = command.spawn()?;
    let passed = loop {
        let ended = child.try_wait()?;
        starts.read(&mut reader, start.elapsed())?;
        match ended {
            Some(status) => break status.success(),
            None if start.elapsed() < patience => sleep(Duration::from_millis(5)),
            None => {
                // An error is ignored: the program may have ended already.
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let took = start.elapsed();
    starts.read(&mut reader, took)?;
    let times = starts.times(took);
    Ok(Ran { passed, took, printed: String::from_utf8_lossy(&starts.printed).into_owned(), times })
}

/// The output of a test program up to now, and when each test started. A program that runs one test at a time prints the name
/// of a test before it runs the test.
#[derive(Default)]
struct Starts {
    printed: Vec<u8>,
    /// The number of bytes of `printed` before the line that is examined next.
    examined: usize,
    tests: Vec<(String, Duration)>,
}

impl Starts {
    /// Reads new output at the time `now` after the start of the program.
    fn read(&mut self, output: &mut impl Read, now: Duration) -> std::io::Result<()> {
        output.read_to_end(&mut self.printed)?;
        loop {
            let rest = &self.printed[self.examined..];
            let end = rest.iter().position(|&byte| byte == b'\n');
            let line = String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]);
            let name = line.strip_prefix("test ").and_then(|line| line.split_once(" ... "));
            if let Some((name, _)) = name
                && self.tests.last().is_none_or(|(last, _)| last != name)
            {
                self.tests.push((name.to_owned(), now));
            }
            let Some(end) = end else { return Ok(()) };
            self.examined += end + 1;
        }
    }

    /// Returns the time of each test. A test ends when the next one starts. The last one ends with the program.
    fn times(&self, end: Duration) -> Vec<(String, Duration)> {
        let ends = self.tests.iter().skip(1).map(|(_, start)| *start).chain([end]);
        self.tests
            .iter()
            .zip(ends)
            .map(|((name, start), end)| (name.clone(), end.saturating_sub(*start)))
            .collect()
    }
}

impl Ran {
    /// Reports the result and the time of `what`. If it failed, prints its output.
    pub(crate) fn tell(&self, what: &impl std::fmt::Display) {
        let ended = if self.passed { "ok" } else { "FAILED" };
        let printed = if self.passed { "" } else { &self.printed };
        let end = if self.passed { "" } else { "\n" };
        println!("test {what} ... {ended} ({:.1} s){end}{printed}", self.took.as_secs_f64());
    }
}

/// Shows the package and the program, such as `arcuate-evaluate all`.
impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let package = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let program = self.path.file_stem().unwrap_or_default().to_string_lossy();
        // Cargo appends a hash to the name of a test program.
        let program = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
        write!(f, "{package} {program}")
    }
}

/// Shows the package, the program and the module, such as `arcuate-evaluate all: commit_fits`.
impl std::fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { program, module, .. } = self;
        if module.is_empty() { write!(f, "{program}") } else { write!(f, "{program}: {module}") }
    }
}

/// Shows the package, the program and the test, such as `arcuate-evaluate all: sparse_tucker_gpu::products_agree`.
impl std::fmt::Display for Test<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.program, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages in cargo's format about a library, a test program, an ordinary program of the same package,
    /// and a build script.
    const MESSAGES: &str = concat!(
        r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"kind":["lib"],"test":true},"profile":{"opt_level":"2","test":false},"filenames":["/t/liba.rlib"],"executable":null,"fresh":true}"#,
        "\n",
        r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"kind":["test"],"test":true},"profile":{"opt_level":"2","test":true},"filenames":["/t/a b-12"],"executable":"/t/a \"b\"-12","fresh":true}"#,
        "\n",
        r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"kind":["bin"],"test":true},"profile":{"opt_level":"2","test":false},"filenames":["/t/a"],"executable":"/t/a","fresh":true}"#,
        "\n",
        r#"{"reason":"build-script-executed","linked_libs":[],"cfgs":[],"env":[["OTHER","x"],["ARCUATE_EMULATION_LIBRARY","/t/out/libcuda.so.1"]],"out_dir":"/t/out"}"#,
        "\n",
    );

    #[test]
    fn test_programs_are_found_in_cargo_messages() {
        let folder = PathBuf::from("/w/crates/a");
        assert_eq!(programs(MESSAGES), [Program { path: "/t/a \"b\"-12".into(), folder }]);
        assert_eq!(library(MESSAGES).as_deref(), Some("/t/out/libcuda.so.1"));
        assert_eq!(library(r#"{"env":[["ARCUATE_EMULATION_WHY","no compiler"]]}"#), None);
    }

    #[test]
    fn tests_are_listed_without_benchmarks() {
        assert_eq!(names("a::b: test\nc: benchmark\nd: test\n"), ["a::b", "d"]);
    }

    #[test]
    fn times_of_tests_are_measured() {
        let mut starts = Starts::default();
        let second = Duration::from_secs(1);
        let mut read = |text: &str, now: u32| starts.read(&mut text.as_bytes(), now * second).unwrap();
        read("\nrunning 3 tests\ntest a::b ... ", 1);
        read("", 2);
        // The output of a program that a test runs may follow the name of the test.
        read("test lines\nok\ntest c ... ok\ntest d", 5);
        read(" ... ", 6);
        read("ok\n\ntest result: ok. 3 passed\n", 9);
        let expected = [("a::b", 4), ("c", 1), ("d", 4)].map(|(name, s)| (name.to_owned(), s * second));
        assert_eq!(starts.times(10 * second), expected);
    }

    #[test]
    fn modules_of_a_program_are_groups() {
        let program = Program::of_these_tests();
        let groups = program.groups().expect("a list");
        let tests = program.tests().expect("a list");
        assert_eq!(groups.iter().map(|group| group.tests.len()).sum::<usize>(), tests.len());
        let own = groups.iter().find(|group| group.module == "side_by_side").expect("it has tests");
        assert!(own.to_string().ends_with(" xtask: side_by_side"));
        let ran = own.run(&[]).expect("it ends");
        assert!(ran.passed, "{}", ran.printed);
        assert_eq!(ran.times.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), own.tests);
    }

    /// The next test runs this test in another process, in which it must fail.
    #[test]
    fn one_that_can_be_broken() {
        assert!(std::env::var_os("ARCUATE_XTASK_BREAK").is_none());
    }

    #[test]
    fn tests_are_run_one_by_one() {
        let program = Program::of_these_tests();
        let tests = program.tests().expect("a list");
        let name = "test_programs::tests::one_that_can_be_broken";
        let test = tests.iter().find(|test| test.name == name).expect("it is in the list");
        let root = process::root();
        let package = root.file_name().expect("a folder").to_string_lossy().into_owned();
        assert_eq!(test.to_string(), format!("{package} xtask: {name}"));
        assert!(test.run(&[("ARCUATE_XTASK_OTHER", "1")]).expect("it ends").passed);
        let broken = test.run(&[("ARCUATE_XTASK_BREAK", "1")]).expect("it ends");
        assert!(!broken.passed && broken.printed.contains("ARCUATE_XTASK_BREAK"), "{}", broken.printed);
    }
}
