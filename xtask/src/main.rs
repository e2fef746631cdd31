//! Tasks to build, test, demonstrate and measure Arcuate: `cargo xtask help`.

#[cfg(any(test, feature = "api"))]
mod api;
mod book;
mod broken_kernels;
mod browser;
mod budgets;
mod circles;
mod debian;
mod demo;
mod dist;
mod elf;
mod fuzz;
mod imports;
mod kernels;
mod launches;
mod narrowing_casts;
mod old_systems;
mod oracles;
mod package;
mod packed;
mod platforms;
mod process;
mod program_size;
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
mod zig;

use process::{Outcome, cargo};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  demo [OPTIONS]       build, simulate a small brain with known connections, run the pipeline on it, and print the path
                       of report.html. The report compares the result with the truth. Options go to `arcuate demo`
  test [OPTIONS]       run all tests on an emulated GPU, or with `--device cuda` on a real GPU; without options
                       `broken-kernels` runs afterwards; options go to `cargo test`
  sanitize [OPTIONS]   run tests on an emulated GPU with the address and undefined-behaviour sanitizers (needs GCC).
                       Tests that launched no kernel when `test` last ran are skipped, and so are parts of slow tests
                       that no kernel needs (`--all` runs everything). Words after `--` select tests by name
  broken-kernels       check that each kernel is tested: a test must fail if the kernel does not launch, and a test must
                       fail if it does nothing (see `broken-kernels --help`)
  fuzz [OPTIONS]       damage files of every format and run every command on them; each must read the file or report an
                       error in one line; `--kill` and `--full-disk` interrupt commands, and no result may be lost or
                       mixed (see `fuzz --help`)
  browser-test         open a report in headless Chromium (needs Node and Chromium); `--program FILE` writes the report,
                       by default the program of `demo`, which is built
  kernels [OPTIONS]    compile each kernels.cu to PTX, a cubin and its launches in Rust (needs Python 3 with pip, and a
                       C++ compiler); `--check` compares and changes nothing (see `kernels --help`)
  bench [OPTIONS]      time Arcuate side by side with other programs; `bench --help` lists the problems
  viewer [--check]     bundle the 3-D viewer of the report, which is committed (needs Node and npm); `--check` compares
                       and changes nothing
  tutorials [OPTIONS]  run the commands of the book's tutorials and compare their output with the pages (see
                       `tutorials --help`)
  oracles [OPTIONS]    run the comparisons with other programs in oracles/, and compare their output with the figures in
                       the tests; `--last` prints the date of the last run (see `oracles --help`)
  docs                 build the book (needs mdbook) and the API documentation
  package [--verify]   package the crates that are for users, without sending them anywhere; `--verify` has the
                       compiler check the packages, `--verify --rust VERSION` that of another Rust
  wheel [--try]        make the Python package's wheel for older Linux systems, install it alone and test it (needs
                       Python 3 with pip and venv); ten minutes; `--try` also tests it on an old system
  dist [OPTIONS]       make the archive of a release: the program with manual pages, completions, licences and module files,
                       for older Linux systems; prints the size of the program; `--try` runs it on an old system; `dist
                       --help` lists the options
  budgets              compare the size of the tracked files, and given times, with their limits (see `budgets --help`)
  platforms            check the library and the program for aarch64 Linux, macOS and Windows, and run tests on an emulated
                       aarch64 processor (see `platforms --help`)
  api [OPTIONS]        compare the public API of the library with its tracked list; `--update` writes the list
  circles              demand that no files of a crate use each other in a circle
  casts                refuse narrowing casts (`as u8` to `as i32`) that `xtask/src/narrowing_casts.txt` does not list
  prose [PATH...]      print sentences that break a rule of plain language; `--check` compares their number with the
                       limits; `prose --help` lists the options
  lint                 format, circles, threads, casts, clippy (also with the features of the demo) and API documentation, warnings as
                       errors, and that crates can be packaged; `api`
";

fn main() -> ExitCode {
    #[cfg(any(test, feature = "api"))]
    if let Some(code) = api::act_as_rustdoc() {
        return code;
    }
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
        "budgets" => budgets::run(&rest),
        "platforms" => platforms::run(&rest),
        "api" => public_api(&rest),
        "circles" => circles::check(),
        "casts" => narrowing_casts::check(),
        "prose" => prose::run(&rest),
        "lint" => lint(),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        "" => Err(format!("name a task\n\n{HELP}")),
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
    // The features of the demo. All crates below `arcuate` are checked, too.
    cargo(&["clippy", "--package", "arcuate", "--no-default-features", "--", "--deny", "warnings"], &[])?;
    // This also checks the API documentation of all crates.
    public_api(&[])?;
    package::check()
}

/// Compares the public API with its list. An xtask without the feature `api` builds and runs one that has it.
fn public_api(options: &[String]) -> Outcome {
    #[cfg(any(test, feature = "api"))]
    return api::run(options);
    #[cfg(not(any(test, feature = "api")))]
    process::with_feature("api", "api", options)
}
