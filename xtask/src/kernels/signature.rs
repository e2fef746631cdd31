//! Parses the declarations of a `kernels.cu`: its kernels with the types of their parameters, and structures
//! of their parameters. The parser reads preprocessed text and supports only the C++ that this project uses.
//! Anything else is an error.

use std::collections::BTreeMap;

/// The kernels of a source in their order. The structures are those that kernels take by value, and all
/// structures of one precision.
#[derive(Debug, PartialEq)]
pub(super) struct Declarations {
    pub(super) kernels: Vec<Kernel>,
    pub(super) structures: Vec<Structure>,
}

/// A `__global__` function.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) form: Form,
    /// The type of the value, or of the values that the pointer points to.
    pub(super) what: Type,
}

/// How a parameter is passed to a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Value,
    /// `const T*`.
    Read,
    /// `T*`.
    Written,
}

/// A C++ type, described by its Rust equivalent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    Single,
    Double,
    /// Single precision in one kernel, and double precision in the kernel that corresponds to it. In a
    /// structure, it is the parameter of the template.
    Precision,
    /// An integer type, with the name that it has in Rust.
    Integer(&'static str),
    /// An array with this number of values of one type.
    Array(Box<Type>, usize),
    /// A structure with this name, and the arguments of its template.
    Structure(String, Vec<Type>),
}

/// A structure of numbers and arrays of numbers. The macro that expands the table rejects padding.
#[derive(Debug, PartialEq)]
pub(super) struct Structure {
    pub(super) name: String,
    /// True if it is a template whose parameter is the precision.
    pub(super) is_generic: bool,
    /// The required alignment of the structure in bytes.
    pub(super) alignment: Option<usize>,
    pub(super) fields: Vec<(String, Type)>,
}

/// Returns the declarations in the preprocessed `text`.
pub(super) fn read(text: &str) -> Result<Declarations, String> {
    let mut file = File { tokens: tokens(text), typedefs: BTreeMap::new(), structures: BTreeMap::new() };
    let mut kernels: Vec<Kernel> = Vec::new();
    // `start` is the position of the current declaration's first token, and `at` the current position.
    let (mut start, mut at) = (0, 0);
    while let Some(&token) = file.tokens.get(at) {
        let mut ended = false;
        match token {
            "typedef" => {
                at = file.position(at, ";")?;
                if let Some((name, of)) = file.tokens[start + 1..at].split_last() {
                    file.typedefs.insert(name, of.to_vec());
                }
            }
            "using" if file.tokens.get(at + 2) == Some(&"=") => {
                at = file.position(at, ";")?;
                file.typedefs.insert(file.tokens[start + 1], file.tokens[start + 3..at].to_vec());
            }
            "struct" if file.is_plain_or_of_one_type(start, at) => {
                let end = file.position_of_any(at, &["{", ";"])?;
                if file.tokens[end] == "{" {
                    let close = file.closing(end)?;
                    let [before, head, body] =
                        [start..at, at + 1..end, end + 1..close].map(|part| file.tokens[part].to_vec());
                    if let Some(&name) = head.iter().rfind(|word| is_name(word)) {
                        let parameter = before.get(3).copied();
                        file.structures.insert(name, Definition { parameter, head, body });
                    }
                    at = close;
                } else {
                    at = end;
                }
            }
            "__global__" => {
                let before = file.tokens[start..at].to_vec();
                let (kernel, end) = file.kernel(at + 1)?;
                if !before.contains(&"\"C\"") || before.contains(&"template") {
                    return Err(format!(
                        "kernel {} is not declared `extern \"C\" __global__ void {}(...)`",
                        kernel.name, kernel.name
                    ));
                }
                if kernels.iter().all(|known| known.name != kernel.name) {
                    kernels.push(kernel);
                }
                at = end;
            }
            "{" => {
                let close = file.closing(at)?;
                if file.tokens[at..close].contains(&"__global__") {
                    return Err("a kernel stands within braces".to_owned());
                }
                at = close;
                ended = true;
            }
            _ => {}
        }
        ended |= file.tokens[at] == ";";
        at += 1;
        if ended {
            start = at;
        }
    }
    let structures = file.structures(&kernels)?;
    Ok(Declarations { kernels, structures })
}

/// The tokens of a source file, and the names of types that it defines.
struct File<'a> {
    tokens: Vec<&'a str>,
    typedefs: BTreeMap<&'a str, Vec<&'a str>>,
    structures: BTreeMap<&'a str, Definition<'a>>,
}

/// The tokens of a structure.
struct Definition<'a> {
    /// The parameter of a template.
    parameter: Option<&'a str>,
    /// The tokens between `struct` and the body.
    head: Vec<&'a str>,
    body: Vec<&'a str>,
}

impl<'a> File<'a> {
    /// Returns whether the declaration from `start` to `struct` at `at` begins a structure that is no template,
    /// or a template of one type.
    fn is_plain_or_of_one_type(&self, start: usize, at: usize) -> bool {
        matches!(self.tokens[start..at], [] | ["template", "<", "class" | "typename", _, ">"])
    }

    fn position(&self, from: usize, token: &str) -> Result<usize, String> {
        self.position_of_any(from, &[token])
    }

    fn position_of_any(&self, from: usize, tokens: &[&str]) -> Result<usize, String> {
        let found = self.tokens[from..].iter().position(|token| tokens.contains(token));
        found
            .map(|n| from + n)
            .ok_or_else(|| format!("there is no end of the text that begins with {}", self.tokens[from]))
    }

    /// Returns the position at which the bracket at `open` is closed.
    fn closing(&self, open: usize) -> Result<usize, String> {
        let mut depth = 0;
        for (n, token) in self.tokens[open..].iter().enumerate() {
            match *token {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(open + n);
            }
        }
        Err(format!("a {} is not closed", self.tokens[open]))
    }

    /// Parses a kernel. `at` is the position of the token after `__global__`. Returns the kernel and the
    /// position of the end of its parameters.
    fn kernel(&self, mut at: usize) -> Result<(Kernel, usize), String> {
        loop {
            let open = self.position(at, "(")?;
            let (name, close) = (self.tokens[open - 1], self.closing(open)?);
            at = close + 1;
            // Skips an attribute such as `__launch_bounds__(256)` with its parentheses.
            if name.starts_with("__") {
                continue;
            }
            let between = &self.tokens[open + 1..close];
            let mut parameters = Vec::new();
            if !between.is_empty() && between != ["void"] {
                for (n, tokens) in split(between, ",").into_iter().enumerate() {
                    let parameter = self.parameter(n, tokens).map_err(|problem| {
                        format!("kernel {name}, parameter `{}`: {problem}", tokens.join(" "))
                    })?;
                    parameters.push(parameter);
                }
            }
            return Ok((Kernel { name: name.to_owned(), parameters }, close));
        }
    }

    /// Returns parameter `n`.
    fn parameter(&self, n: usize, tokens: &[&'a str]) -> Result<Parameter, String> {
        let tokens = without_attributes(tokens);
        let (what, constant, mut rest) = self.first_type(&tokens)?;
        let pointer = rest.first() == Some(&"*");
        if pointer {
            rest = &rest[1..];
            if rest.first() == Some(&"const") {
                rest = &rest[1..];
            }
        }
        let name = match rest {
            [] => format!("unnamed_{n}"),
            [name] if is_name(name) => (*name).to_owned(),
            _ => return Err("it is no number, structure or pointer to some".to_owned()),
        };
        let form = match (pointer, constant) {
            (false, _) => Form::Value,
            (true, true) => Form::Read,
            (true, false) => Form::Written,
        };
        // A pointer without a type points to bytes.
        let what = what.or(pointer.then_some(Type::Integer("u8"))).ok_or("it has no type")?;
        Ok(Parameter { name, form, what })
    }

    /// Returns the type at the beginning of `tokens` (`None` is `void`), whether it is constant, and the remaining
    /// tokens.
    fn first_type<'t>(&self, tokens: &'t [&'a str]) -> Result<(Option<Type>, bool, &'t [&'a str]), String> {
        let mut rest = tokens;
        let mut constant = false;
        let mut words: Vec<&str> = Vec::new();
        let mut what = None;
        while let Some((&word, after)) = rest.split_first() {
            match word {
                "const" => constant = true,
                "struct" => {}
                _ if NUMBER_WORDS.contains(&word) && what.is_none() => words.push(word),
                _ if is_name(word) && words.is_empty() && what.is_none() => {
                    let mut arguments = Vec::new();
                    if after.first() == Some(&"<") {
                        let close = after.iter().position(|&token| token == ">");
                        let close = close.ok_or("its < is not closed")?;
                        for argument in split(&after[1..close], ",") {
                            arguments.push(self.whole_type(argument)?);
                        }
                        rest = &after[close..];
                    }
                    what = Some(self.named(word, arguments)?);
                }
                _ => break,
            }
            rest = &rest[1..];
        }
        if words == ["void"] {
            return Ok((None, constant, rest));
        }
        let what = match what {
            Some(what) => what,
            None if words.is_empty() => return Err("it has no type".to_owned()),
            None => number(words).ok_or("it has a type that kernels' arguments cannot have")?,
        };
        Ok((Some(what), constant, rest))
    }

    /// Returns the type that `tokens` form.
    fn whole_type(&self, tokens: &[&'a str]) -> Result<Type, String> {
        match self.first_type(tokens)? {
            (Some(what), _, []) => Ok(what),
            _ => Err(format!("{} is no number or structure", tokens.join(" "))),
        }
    }

    /// Returns the type with this name.
    fn named(&self, name: &str, arguments: Vec<Type>) -> Result<Type, String> {
        if let Some(of) = self.typedefs.get(name) {
            return self.whole_type(of);
        }
        if let Some((of, count)) = vector(name) {
            return Ok(Type::Array(Box::new(of), count));
        }
        Ok(Type::Structure(name.to_owned(), arguments))
    }

    /// Returns the structures that kernels take by value, and all structures of one precision. They are in
    /// order and without repetition.
    fn structures(&self, kernels: &[Kernel]) -> Result<Vec<Structure>, String> {
        let mut structures: Vec<Structure> = Vec::new();
        for kernel in kernels {
            for Parameter { name: parameter, form, what } in &kernel.parameters {
                let taken =
                    |problem: &str| format!("kernel {}, parameter {parameter}: {problem}", kernel.name);
                match (form, what) {
                    (Form::Value, Type::Array(..)) => {
                        return Err(taken("vectors are not taken by value; use a structure"));
                    }
                    (_, Type::Structure(name, arguments))
                        if (*form == Form::Value && arguments.is_empty()
                            || matches!(arguments[..], [Type::Single | Type::Double]))
                            && structures.iter().all(|known| known.name != *name) =>
                    {
                        structures.push(self.structure(name).map_err(|problem| taken(&problem))?);
                    }
                    _ => {}
                }
            }
        }
        Ok(structures)
    }

    fn structure(&self, name: &str) -> Result<Structure, String> {
        let Definition { parameter, head, body } =
            self.structures.get(name).ok_or_else(|| format!("there is no structure {name}"))?;
        let mut fields = Vec::new();
        for declaration in split(body, ";") {
            if declaration.is_empty() {
                continue;
            }
            let not_understood =
                || format!("structure {name}: `{}` is no number or array of numbers", declaration.join(" "));
            let (what, _, rest) = self.first_type(declaration)?;
            let what = match what {
                Some(Type::Structure(name, _)) if *parameter == Some(name.as_str()) => Type::Precision,
                None | Some(Type::Structure(..)) => return Err(not_understood()),
                Some(number) => number,
            };
            for declared in split(rest, ",") {
                let (field, dimensions) = declared.split_first().ok_or_else(not_understood)?;
                if !is_name(field) {
                    return Err(not_understood());
                }
                let mut of = what.clone();
                // The last dimension of a C++ array varies fastest, so its Rust type is the innermost.
                for dimension in dimensions.chunks(3).rev() {
                    let count = match dimension {
                        ["[", count, "]"] => count.trim_end_matches(['u', 'U']).parse().ok(),
                        _ => None,
                    };
                    of = Type::Array(Box::new(of), count.ok_or_else(not_understood)?);
                }
                fields.push(((*field).to_owned(), of));
            }
        }
        let (name, is_generic) = (name.to_owned(), parameter.is_some());
        Ok(Structure { name, is_generic, alignment: alignment(head)?, fields })
    }
}

/// Returns the number of bytes in `__align__(16)` or `alignas(16)`.
fn alignment(head: &[&str]) -> Result<Option<usize>, String> {
    let Some(at) = head.iter().position(|token| ["__align__", "alignas"].contains(token)) else {
        return Ok(None);
    };
    match head.get(at + 2).and_then(|bytes| bytes.parse().ok()) {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(format!("`{}`: its alignment is no number", head.join(" "))),
    }
}

/// The keywords of C++ arithmetic types, and `void`.
const NUMBER_WORDS: [&str; 10] =
    ["void", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "bool"];

/// Returns the C++ arithmetic type of these keywords, in any order.
fn number(mut words: Vec<&str>) -> Option<Type> {
    words.sort_unstable();
    // Redundant keywords.
    words.retain(|&word| word != "signed");
    if words.iter().any(|&word| word == "long" || word == "short") {
        words.retain(|&word| word != "int");
    }
    Some(match words[..] {
        ["float"] => Type::Single,
        ["double"] => Type::Double,
        ["char"] => Type::Integer("i8"),
        ["char", "unsigned"] => Type::Integer("u8"),
        ["short"] => Type::Integer("i16"),
        ["short", "unsigned"] => Type::Integer("u16"),
        [] | ["int"] => Type::Integer("i32"),
        ["unsigned"] | ["int", "unsigned"] => Type::Integer("u32"),
        ["long"] | ["long", "long"] => Type::Integer("i64"),
        ["long", "unsigned"] | ["long", "long", "unsigned"] => Type::Integer("u64"),
        _ => return None,
    })
}

/// Returns CUDA's short vectors, such as `uint4`.
fn vector(name: &str) -> Option<(Type, usize)> {
    let of = name.trim_end_matches(['1', '2', '3', '4']);
    let count = name[of.len()..].parse().ok()?;
    let words = match of {
        "uchar" => vec!["unsigned", "char"],
        "ushort" => vec!["unsigned", "short"],
        "uint" => vec!["unsigned"],
        "longlong" => vec!["long", "long"],
        "ulonglong" => vec!["unsigned", "long", "long"],
        "char" | "short" | "int" | "float" | "double" => vec![of],
        _ => return None,
    };
    number(words).map(|of| (of, count))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Splits at separators outside all brackets.
fn split<'t, 'a>(tokens: &'t [&'a str], separator: &str) -> Vec<&'t [&'a str]> {
    let mut depth = 0;
    let parts = tokens.split(|&token| {
        match token {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            _ => {}
        }
        depth == 0 && token == separator
    });
    parts.collect()
}

/// Removes `[[attributes]]` and the qualifiers of pointers and parameters, such as `const`.
fn without_attributes<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let mut left = Vec::new();
    let mut depth = 0;
    for (n, &token) in tokens.iter().enumerate() {
        let doubled = tokens.get(n + 1) == Some(&token);
        match token {
            "[" if depth > 0 || doubled => depth += 1,
            "]" if depth > 0 => depth -= 1,
            "__restrict__" | "__restrict" | "__grid_constant__" => {}
            _ if depth > 0 => {}
            _ => left.push(token),
        }
    }
    left
}

/// Returns names, numbers, strings and single characters, without compiler directives (`#pragma`).
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = if in_word(first) {
                // In C++, a number may have the separator ' between its digits.
                let digits = first.is_ascii_digit();
                rest.find(|c: char| !(in_word(c) || digits && c == '\'')).unwrap_or(rest.len())
            } else if first == '"' || first == '\'' {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == first && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            } else {
                first.len_utf8()
            };
            let (token, after) = rest.split_at(length);
            tokens.push(token);
            rest = after.trim_start();
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(text: &str) -> Result<Vec<(String, Form, Type)>, String> {
        let text = format!("typedef unsigned long long u64;\nusing u32 = unsigned int;\n{text}");
        let mut kernels = read(&text)?.kernels;
        assert_eq!(kernels.len(), 1);
        Ok(kernels.remove(0).parameters.into_iter().map(|p| (p.name, p.form, p.what)).collect())
    }

    fn structure(name: &str, of: &[Type]) -> Type {
        Type::Structure(name.to_owned(), of.to_vec())
    }

    #[test]
    fn parameters_have_the_types_of_the_source() {
        let declarations = parameters(
            "template <class T> struct Step { T square[4]; };
            extern \"C\" __global__ void __launch_bounds__(64 * (2 + 1), 2) some_kernel(
                u32 count, u64, const long long int first, [[maybe_unused]] float factor, int n, unsigned char flag,
                const float* __restrict__ x, double * const y, u64 const* const z, const void*, void* out,
                const uint4* four, const Step<float>* __restrict__ steps, struct Unit* units) {
              { x[0]; }
            }",
        );
        let integer = Type::Integer;
        let four = Type::Array(Box::new(integer("u32")), 4);
        let expected = [
            ("count", Form::Value, integer("u32")),
            ("unnamed_1", Form::Value, integer("u64")),
            ("first", Form::Value, integer("i64")),
            ("factor", Form::Value, Type::Single),
            ("n", Form::Value, integer("i32")),
            ("flag", Form::Value, integer("u8")),
            ("x", Form::Read, Type::Single),
            ("y", Form::Written, Type::Double),
            ("z", Form::Read, integer("u64")),
            ("unnamed_9", Form::Read, integer("u8")),
            ("out", Form::Written, integer("u8")),
            ("four", Form::Read, four),
            ("steps", Form::Read, structure("Step", &[Type::Single])),
            ("units", Form::Written, structure("Unit", &[])),
        ];
        assert_eq!(declarations.unwrap(), expected.map(|(name, form, what)| (name.to_owned(), form, what)));
    }

    #[test]
    fn every_kernel_is_found_once_and_nothing_else() {
        let declarations = read(
            "struct Random { unsigned key[2]; void next() { if (1) { } } };
            __device__ __forceinline__ float twice(float x) { return 2.0f * x; }
            extern \"C\" __global__ void first(float* x);
            extern \"C\" __global__ void first(float* x) {
            #pragma unroll
              for (;;) { \"} extern __global__ void no(\"; }
            }
            extern \"C\" __global__ void __launch_bounds__(256)
                second(void) { }",
        )
        .unwrap();
        let names: Vec<_> =
            declarations.kernels.iter().map(|k| (k.name.as_str(), k.parameters.len())).collect();
        assert_eq!(names, [("first", 1), ("second", 0)]);
        assert!(declarations.structures.is_empty());
    }

    #[test]
    fn structures_by_value_are_read_with_their_fields() {
        let declarations = read(
            "struct __align__(16) Plan { const double scale, shift; unsigned count; int steps[2][3]; float x; };
            extern \"C\" __global__ void some(Plan plan, const Plan* plans) {}
            extern \"C\" __global__ void other(const Plan plan) {}",
        )
        .unwrap();
        let array = |of: Type, count| Type::Array(Box::new(of), count);
        let fields = [
            ("scale", Type::Double),
            ("shift", Type::Double),
            ("count", Type::Integer("u32")),
            ("steps", array(array(Type::Integer("i32"), 3), 2)),
            ("x", Type::Single),
        ];
        let expected = Structure {
            name: "Plan".to_owned(),
            is_generic: false,
            alignment: Some(16),
            fields: fields.map(|(name, what)| (name.to_owned(), what)).to_vec(),
        };
        assert_eq!(declarations.structures, [expected]);
    }

    #[test]
    fn templates_of_one_precision_are_read_with_their_fields() {
        let declarations = read(
            "template <class T> struct Pack;
            template <> struct Pack<float> { float v[4]; };
            template <class T> struct Step { T length, turns[2]; unsigned count; };
            extern \"C\" __global__ void some_f32(const Step<float> step, const Pack* packs) {}
            extern \"C\" __global__ void some_f64(const Step<double>* steps, const Pack* packs) {}",
        )
        .unwrap();
        let step = Type::Structure("Step".to_owned(), vec![Type::Single]);
        assert_eq!(declarations.kernels[0].parameters[0].what, step);
        let fields = [
            ("length", Type::Precision),
            ("turns", Type::Array(Box::new(Type::Precision), 2)),
            ("count", Type::Integer("u32")),
        ];
        let fields = fields.map(|(name, what)| (name.to_owned(), what)).to_vec();
        let expected = Structure { name: "Step".to_owned(), is_generic: true, alignment: None, fields };
        assert_eq!(declarations.structures, [expected]);
    }

    #[test]
    fn unsupported_parameters_are_errors_with_their_text() {
        let kernel = |parameter: &str| {
            read(&format!("extern \"C\" __global__ void some({parameter}) {{}}")).unwrap_err()
        };
        for parameter in ["float& x", "float** x", "float x[3]", "bool x", "void", "volatile int* x", "* x"] {
            let declarations = kernel(&format!("int n, {parameter}"));
            assert!(declarations.starts_with("kernel some, parameter `"), "{declarations}");
        }
        assert!(kernel("Absent plan").contains("there is no structure Absent"));
        assert!(kernel("float4 four").contains("use a structure"));
        let structure = |fields: &str| {
            let text = format!("struct P {{ {fields} }}; extern \"C\" __global__ void some(P p) {{}}");
            read(&text).unwrap_err()
        };
        assert!(structure("float* x;").contains("`float * x` is no number or array of numbers"));
        assert!(structure("Other other;").contains("`Other other` is no number"));
        assert!(structure("float x[N];").contains("`float x [ N ]` is no number"));
        assert!(read("__global__ void some() {}").unwrap_err().contains("not declared `extern \"C\""));
        let within = read("extern \"C\" { __global__ void some() {} }");
        assert!(within.unwrap_err().contains("within braces"));
    }
}
