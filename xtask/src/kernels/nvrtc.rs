//! Bindings to functions of NVRTC, NVIDIA's run-time compiler of CUDA C++. Only the functions that are needed
//! here are declared. The library is loaded when it is first used. Names and types are those of its header
//! `nvrtc.h`.

#![allow(unsafe_code)]

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

type Program = *mut c_void;
type Strings = *const *const c_char;

/// The result of a compilation: PTX or a cubin, and the messages of the compiler.
pub(super) struct Compiled {
    pub(super) code: Vec<u8>,
    pub(super) log: String,
}

/// The requested result of a compilation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Product {
    /// PTX, a virtual machine code, which the GPU driver compiles for its GPU.
    Ptx,
    /// A cubin: machine code for one GPU architecture.
    Cubin,
}

impl Product {
    /// Returns the names of two functions of the library: one returns the size of the result, and the other
    /// copies it.
    fn functions(self) -> [&'static str; 2] {
        match self {
            Self::Ptx => ["nvrtcGetPTXSize", "nvrtcGetPTX"],
            Self::Cubin => ["nvrtcGetCUBINSize", "nvrtcGetCUBIN"],
        }
    }
}

/// The loaded compiler.
pub(super) struct Nvrtc {
    library: Library,
}

impl Nvrtc {
    /// Loads the library `file`.
    pub(super) fn load(file: &Path) -> Result<Self, String> {
        // SAFETY: the start-up code of NVRTC and of its dependencies (the C library) has no preconditions. The user who
        // names the file is responsible that it is NVRTC.
        let library = unsafe { Library::new(file) }
            .map_err(|e| format!("{}: cannot be loaded as a library ({e})", file.display()))?;
        Ok(Self { library })
    }

    /// Returns the major and minor version.
    pub(super) fn version(&self) -> Result<(c_int, c_int), String> {
        type Function = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the type is that of nvrtcVersion, and both pointers are to integers that outlive the call.
        let status = unsafe { self.function::<Function>("nvrtcVersion")?(&raw mut major, &raw mut minor) };
        self.succeeded("nvrtcVersion", status)?;
        Ok((major, minor))
    }

    /// Compiles `source`. Messages call it `name`. `headers` are pairs of name and text. If the compilation
    /// fails, returns the messages of the compiler.
    pub(super) fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(String, String)],
        options: &[String],
        product: Product,
    ) -> Result<Compiled, String> {
        type Compile = unsafe extern "C" fn(Program, c_int, Strings) -> c_int;
        let program = self.program(name, source, headers)?;
        let options = strings(options.iter().map(String::as_str))?;
        let pointers = pointers(&options);
        // SAFETY: the type is that of nvrtcCompileProgram; the program and the `len` strings are alive.
        let status = unsafe {
            self.function::<Compile>("nvrtcCompileProgram")?(
                program.handle,
                counted(&pointers)?,
                pointers.as_ptr(),
            )
        };
        let log = program.take(["nvrtcGetProgramLogSize", "nvrtcGetProgramLog"])?;
        // The log of the compiler ends with a zero byte.
        let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
        self.succeeded("nvrtcCompileProgram", status).map_err(|e| format!("{e}\n{log}"))?;
        let mut code = program.take(product.functions())?;
        if product == Product::Ptx && code.last() == Some(&0) {
            code.pop();
        }
        Ok(Compiled { code, log })
    }

    fn program(&self, name: &str, source: &str, headers: &[(String, String)]) -> Result<Owned<'_>, String> {
        type Create = unsafe extern "C" fn(
            *mut Program,
            *const c_char,
            *const c_char,
            c_int,
            Strings,
            Strings,
        ) -> c_int;
        let [name, source] = [string(name)?, string(source)?];
        let names = strings(headers.iter().map(|(name, _)| name.as_str()))?;
        let texts = strings(headers.iter().map(|(_, text)| text.as_str()))?;
        let (names, texts) = (pointers(&names), pointers(&texts));
        let mut handle = ptr::null_mut();
        // SAFETY: the type is that of nvrtcCreateProgram, which copies all strings; there are as many names as texts.
        let status = unsafe {
            self.function::<Create>("nvrtcCreateProgram")?(
                &raw mut handle,
                source.as_ptr(),
                name.as_ptr(),
                counted(&texts)?,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        self.succeeded("nvrtcCreateProgram", status)?;
        Ok(Owned { compiler: self, handle })
    }

    /// Returns the function of the library with this name. The caller must state its correct type, which is a
    /// pointer to a function.
    fn function<F>(&self, name: &str) -> Result<Symbol<'_, F>, String> {
        // SAFETY: nothing is called here; callers give the type in the header.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|e| format!("the library has no {name} ({e})"))
    }

    fn succeeded(&self, call: &str, status: c_int) -> Result<(), String> {
        type Function = unsafe extern "C" fn(c_int) -> *const c_char;
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the type is that of nvrtcGetErrorString, which returns a constant string for every number.
        let text = unsafe { CStr::from_ptr(self.function::<Function>("nvrtcGetErrorString")?(status)) };
        Err(format!("{call}: {}", text.to_string_lossy()))
    }
}

/// A program of the compiler, which is freed when this value is dropped.
struct Owned<'a> {
    compiler: &'a Nvrtc,
    handle: Program,
}

impl Owned<'_> {
    /// Calls a pair of functions of the compiler. The first returns the size of the output, and the second
    /// copies the output.
    fn take(&self, [size, copy]: [&str; 2]) -> Result<Vec<u8>, String> {
        type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
        type Copy = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
        let mut bytes = 0;
        // SAFETY: all functions with such names have this type; the program is alive.
        let status = unsafe { self.compiler.function::<Size>(size)?(self.handle, &raw mut bytes) };
        self.compiler.succeeded(size, status)?;
        let mut taken = vec![0; bytes];
        // SAFETY: as above, and the buffer has the size that the compiler has just returned.
        let status = unsafe { self.compiler.function::<Copy>(copy)?(self.handle, taken.as_mut_ptr().cast()) };
        self.compiler.succeeded(copy, status)?;
        Ok(taken)
    }
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
        if let Ok(destroy) = self.compiler.function::<Destroy>("nvrtcDestroyProgram") {
            // SAFETY: the type is that of nvrtcDestroyProgram, and the program is freed only once.
            unsafe { destroy(&raw mut self.handle) };
        }
    }
}

fn string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a source has a zero byte in it".to_owned())
}

fn strings<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<CString>, String> {
    texts.map(string).collect()
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|s| s.as_ptr()).collect()
}

/// Returns the number of strings in the integer type of the compiler.
fn counted(strings: &[*const c_char]) -> Result<c_int, String> {
    c_int::try_from(strings.len())
        .map_err(|_| format!("{} strings are too many for the compiler", strings.len()))
}
