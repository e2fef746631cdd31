//! Tasks to build, test, demonstrate and measure Arcuate: `cargo xtask help`.

mod book;
mod broken_kernels;
mod browser;
mod circles;
mod demo;
mod dist;
mod fuzz;
mod kernels;
mod launches;
mod narrowing_casts;
mod oracles;
mod package;
mod process;
mod prose;
mod sanitize;
mod side_by_side;
mod source;
mod stamp;
mod test;
mod test_programs;
mod thread_starts;
mod tutorials;
mod viewer;
mod wheel;

use process::{Outcome, cargo};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  demo [OPTIONS]       build, simulate a small brain with known connections, do the whole job on it, compare with the
                       truth, and print where report.html is; options go to `arcuate demo`
  test [OPTIONS]       every test; options go to `cargo test`. GPU halves run on an emulated GPU; with `--device cuda` on
                       the real one. Without options `broken-kernels` follows
  sanitize [OPTIONS]   the tests of all crates that have kernels, on an emulated GPU with the address and
                       undefined-behaviour sanitizers (needs GCC), but for tests that launched none when `test` last ran
                       them, and of those that took long then all that no kernel needs (`--all` runs these, too);
                       options go to `cargo test`, words after `--` choose tests by parts of their names
  broken-kernels       demand for each kernel that a test is red where it does not launch, and one where it launches and
                       does nothing; `broken-kernels --help` says more
  fuzz [OPTIONS]       damage files of every format, run every command on them, and demand that it reads them or says in
                       one line what is wrong; with `--kill` and `--full-disk` interrupt commands, and demand that no result is
                       lost or mixed; `fuzz --help` lists the options
  browser-test         open a report in headless Chromium (needs Node and Chromium); `--program FILE` makes it, else the
                       program of `demo`, which is built
  kernels [OPTIONS]    compile every kernels.cu to the PTX, the cubin and the launches in Rust beside it (needs Python 3
                       with pip, and a C++ compiler); `--check` only compares; `kernels --help` says more
  bench [OPTIONS]      measure Arcuate side by side with its peers; `bench --help` lists the problems
  viewer [--check]     bundle the 3-D viewer of the report, which is committed (needs Node and npm); `--check` only
                       compares
  tutorials [OPTIONS]  run the commands of the book's tutorials and compare what they print with the pages;
                       `tutorials --help` says more
  oracles [OPTIONS]    run the comparisons with other programs in oracles/, and compare what they print with the figures in
                       the tests; `--last` only says when that was last done; `oracles --help` says more
  docs                 build the book (needs mdbook) and the API documentation
  package [--verify]   package the crates that are for users, without sending them anywhere; `--verify` has the
                       compiler check the packages, `--verify --rust VERSION` that of another Rust
  wheel                make the Python package's wheel for older Linux's, too, install it alone and try it (needs Python 3
                       with pip and venv); ten minutes
  dist [OPTIONS]       make the archive of a release: the program with manual pages, completions, licences and module files;
                       `--program FILE` takes a built program; `dist --help` says more
  circles              demand that no files of a crate use each other in a circle
  casts                refuse narrowing casts (`as u8` to `as i32`) that `xtask/src/narrowing_casts.txt` does not list
  prose [PATH...]      print sentences that break a rule of plain language; `--check` compares with the tracked numbers,
                       `--update` lowers them; `prose --help` lists the options
  lint                 format, circles, threads, casts, clippy and API documentation, warnings as errors, and that crates can be packaged
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let outcome = match command.as_str() {
        "demo" => demo::run(&rest),
        "test" => test::run(&rest),
        "sanitize" => sanitize::run(&rest),
        "fuzz" => fuzz::run(&rest),
        "broken-kernels" => broken_kernels::run(&rest),
        "browser-test" => browser::run(&rest),
        "kernels" => kernels::run(&rest),
        "bench" => bench(&rest),
        "viewer" => viewer::run(&rest),
        "tutorials" => tutorials::run(&rest),
        "oracles" if rest == ["--last"] => oracles::last(),
        "oracles" => oracles::run(&rest),
        "docs" => book::build(),
        "package" => package::run(&rest),
        "wheel" => wheel::run(&rest),
        "dist" => dist::run(&rest),
        "circles" => circles::check(),
        "casts" => narrowing_casts::check(),
        "prose" => prose::run(&rest),
        "lint" => lint(),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        "" => Err(format!("say what to do\n\n{HELP}")),
        other => Err(format!("`{other}` is no command of xtask\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the benchmarks and the command that they time, and runs them.
fn bench(options: &[String]) -> Outcome {
    cargo(&["build", "--quiet", "--release", "--package", "arcuate", "--package", "arcuate-bench"], &[])?;
    cargo(&["run", "--quiet", "--release", "--package", "arcuate-bench", "--"], options)
}

fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"], &[])?;
    circles::check()?;
    thread_starts::check()?;
    narrowing_casts::check()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"], &[])?;
    process::run(
        process::in_root(process::cargo_program())
            .args(["doc", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )?;
    package::check()
}
