//! Calls the C++ compiler for files that have changed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Compiler {
    program: String,
    flags: Vec<String>,
    /// Additional compiler flags for code that processes the lanes of a warp with vector instructions.
    flags_for_lanes: Vec<String>,
    sanitizers: Option<String>,
    /// Folder of the build products.
    folder: PathBuf,
    /// Hash of the compiler and of all shared headers. If it changes, all objects are compiled again.
    fingerprint: u64,
}

/// A C++ file that is compiled, with its headers.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Folders of the file's headers, in addition to the headers shared by all files.
    pub(crate) headers: Vec<PathBuf>,
    pub(crate) kind: Kind,
}

/// How a file is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The runtime of the kernels, optimised for speed.
    Runtime,
    /// Loops over the lanes of a warp, compiled with vector instructions.
    Lanes,
    /// Kernels. They mostly wait for each other, so more optimisation would cost more compile time than it
    /// saves.
    Kernels,
}

/// Checks whether the compiler accepts `text` with these flags. The error is the first error message of the
/// compiler.
fn compiles(program: &str, flags: &[String], text: &str) -> Result<(), String> {
    let mut compiler = Command::new(program)
        .args(flags)
        .args(["-fsyntax-only", "-x", "c++", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    if let Some(mut input) = compiler.stdin.take() {
        // If the compiler ends early, it reports the reason itself. An error of this write is therefore
        // ignored.
        let _ = input.write_all(text.as_bytes());
    }
    let output = compiler.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let complaint = said.lines().find(|line| line.contains("error")).or(said.lines().next());
    Err(complaint.unwrap_or("without a word").trim().to_owned())
}

/// Returns the compiler flags that add these folders to the search for headers.
fn include(folders: &[PathBuf]) -> impl Iterator<Item = String> {
    folders.iter().map(|folder| format!("-I{}", folder.display()))
}

impl Compiler {
    pub(crate) fn find(shared: &[PathBuf], out: &Path) -> Result<Self, String> {
        println!("cargo:rerun-if-env-changed=CXX");
        println!("cargo:rerun-if-env-changed=ARCUATE_EMULATION_SANITIZE");
        let program = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let version = Command::new(&program)
            .arg("--version")
            .output()
            .map_err(|e| format!("there was no C++ compiler `{program}` when the tests were built ({e})"))?;

        let mut flags: Vec<String> = ["-std=c++17", "-fPIC", "-fvisibility=hidden", "-g1"]
            .iter()
            // Kernels for the GPU are also compiled without contraction of multiplications and additions, so
            // that both round in the same way.
            .chain(&[
                "-ffp-contract=off",
                "-DARCUATE_EMULATION",
                "-Wall",
                "-Wextra",
                "-Wno-unknown-pragmas",
                "-Wno-unused-parameter",
                // At low optimisation, GCC reports variables as uninitialised that all branches set. The second
                // flag switches these warnings off. clang does not know it and needs the first flag.
                "-Wno-unknown-warning-option",
                "-Wno-maybe-uninitialized",
            ])
            .map(|&flag| flag.to_owned())
            .collect();
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("fma") {
            // With this flag, fmaf becomes one instruction instead of a call, with the same result.
            flags.push("-mfma".to_owned());
        }
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("f16c") {
            // Conversions of half precision become processor instructions.
            flags.push("-mf16c".to_owned());
        }
        // By default GCC makes names unique across libraries, and the loader would merge them. clang does not
        // know the flag.
        let no_unique_names = "-fno-gnu-unique".to_owned();
        if compiles(&program, std::slice::from_ref(&no_unique_names), "").is_ok() {
            flags.push(no_unique_names);
        }
        let sanitizers = std::env::var("ARCUATE_EMULATION_SANITIZE").ok().filter(|list| !list.is_empty());
        match &sanitizers {
            Some(list) => {
                let sanitize = format!("-fsanitize={list}");
                // These checks of the undefined-behaviour sanitizer repeat those of the address sanitizer,
                // and would double the compile time.
                let once = "-fno-sanitize=null,object-size,pointer-overflow,vptr";
                flags.extend(
                    ["-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", &sanitize, once]
                        .map(str::to_owned),
                );
            }
            None => flags.push("-O2".to_owned()),
        }
        // Without `errno` and floating-point traps, square roots and unused lanes can use vector
        // instructions, with the same results.
        let mut flags_for_lanes = vec!["-fno-math-errno".to_owned(), "-fno-trapping-math".to_owned()];
        flags_for_lanes.push("-O3".to_owned());
        if sanitizers.is_some() {
            // The interpreter checks each access of a kernel itself. With sanitizers its loops would take
            // half an hour.
            flags_for_lanes.push("-fno-sanitize=all".to_owned());
        }
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            flags_for_lanes.push("-mavx2".to_owned());
        }
        let folder = out.join(if sanitizers.is_some() { "sanitized" } else { "plain" });
        std::fs::create_dir_all(&folder).expect("the build folder can be written");

        let mut hasher = DefaultHasher::new();
        (&version.stdout, &flags, &flags_for_lanes, "kernels -O1").hash(&mut hasher);
        flags.extend(include(shared));
        for place in shared {
            for header in crate::kernels::listed(place) {
                std::fs::read(header).unwrap_or_default().hash(&mut hasher);
            }
        }
        // A compiler that cannot compile the emulation's own headers is rejected here. Errors in kernels end
        // the build later.
        compiles(&program, &flags, "#include \"emulation.h\"\n").map_err(|why| {
            format!("the C++ compiler `{program}` cannot compile the emulation ({why}); name GCC's in CXX")
        })?;
        Ok(Self { program, flags, flags_for_lanes, sanitizers, folder, fingerprint: hasher.finish() })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the text of a kernel file after macro expansion, for the scanner of names. CUDA's keywords are
    /// kept.
    pub(crate) fn preprocess(&self, path: &Path, headers: &[PathBuf]) -> String {
        let mut preprocessor = Command::new(&self.program);
        preprocessor.args(&self.flags).args(include(headers)).args(["-E", "-P", "-x", "c++"]);
        let output = self.run(preprocessor.arg(path));
        String::from_utf8(output).unwrap_or_else(|e| panic!("{} is not UTF-8: {e}", path.display()))
    }

    /// Compiles the changed sources and links the library. Returns the path of the library.
    pub(crate) fn library(&self, sources: &[Source]) -> PathBuf {
        let jobs: usize = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(sources.len()) {
                scope.spawn(|| {
                    while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.compile(source);
                    }
                });
            }
        });
        let library = self.folder.join("libcuda.so.1");
        let mut link = Command::new(&self.program);
        link.args(["-shared", "-Wl,-soname,libcuda.so.1", "-o"]).arg(&library);
        if let Some(list) = &self.sanitizers {
            link.arg(format!("-fsanitize={list}"));
        }
        self.run(
            link.args(sources.iter().map(|source| self.object(&source.path))).args(["-ldl", "-lpthread"]),
        );

        // The loader finds a loaded library by its SONAME, and programs load the library by either name.
        let mut alias = Command::new(&self.program);
        alias.args(["-shared", "-Wl,-soname,libcuda.so", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-o"]);
        self.run(alias.arg(self.folder.join("libcuda.so")).arg(&library));
        library
    }

    fn object(&self, source: &Path) -> PathBuf {
        let folder =
            source.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
        let stem = source.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        self.folder.join(format!("{folder}_{stem}.o"))
    }

    fn compile(&self, Source { path: source, headers, kind }: &Source) {
        let mut hasher = DefaultHasher::new();
        self.fingerprint.hash(&mut hasher);
        std::fs::read(source).unwrap_or_default().hash(&mut hasher);
        for header in headers.iter().flat_map(|folder| crate::kernels::listed(folder)) {
            if header.extension().is_some_and(|extension| extension == "cuh" || extension == "h") {
                std::fs::read(header).unwrap_or_default().hash(&mut hasher);
            }
        }
        // A wrapper includes other files by absolute paths. The contents of these files are part of the hash.
        for line in std::fs::read_to_string(source).unwrap_or_default().lines() {
            if let Some(path) = line.strip_prefix("#include \"/").and_then(|rest| rest.strip_suffix('"')) {
                std::fs::read(format!("/{path}")).unwrap_or_default().hash(&mut hasher);
            }
        }
        // The headers next to a source, such as those of the driver, are not on the include path. Their
        // contents are added to the hash here.
        for beside in crate::kernels::listed(source.parent().expect("a file has a parent folder")) {
            if beside.extension().is_some_and(|extension| extension == "h" || extension == "inc") {
                std::fs::read(beside).unwrap_or_default().hash(&mut hasher);
            }
        }
        let object = self.object(source);
        let note = object.with_extension("made-from");
        let made_from = hasher.finish().to_string();
        if object.is_file() && std::fs::read_to_string(&note).is_ok_and(|text| text == made_from) {
            return;
        }
        let mut compiler = Command::new(&self.program);
        compiler.args(&self.flags);
        match kind {
            Kind::Runtime => (),
            Kind::Lanes => {
                compiler.args(&self.flags_for_lanes);
            }
            Kind::Kernels => {
                compiler.arg("-O1");
            }
        }
        compiler.args(include(headers)).arg("-c").arg(source).arg("-o").arg(&object);
        self.run(&mut compiler);
        std::fs::write(&note, made_from).expect("the build folder can be written");
    }

    /// Runs the compiler. Errors end the build, and warnings are shown.
    fn run(&self, command: &mut Command) -> Vec<u8> {
        let output = command.output().unwrap_or_else(|e| panic!("{} cannot be run: {e}", self.program));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?} failed:\n{said}");
        for line in said.lines() {
            println!("cargo:warning={line}");
        }
        output.stdout
    }
}
