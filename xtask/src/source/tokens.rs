//! Splits a Rust file into tokens. Comments, literals, attributes and test code are omitted.

/// Keywords with which an item begins, after its visibility.
const ITEMS: [&str; 15] = [
    "async",
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "let",
    "macro_rules",
    "mod",
    "static",
    "struct",
    "trait",
    "type",
    "unsafe",
    "use",
];

/// Returns the tokens of the code that is not for tests. From attributes, only the word `macro_export` is
/// kept.
pub(crate) fn read(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    without_tests(&Text { characters: &characters }.tokens())
}

/// Returns the position after the bracket that closes the bracket at `open`. If it is not closed, returns the
/// end.
pub(crate) fn behind(tokens: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n + 1;
        }
    }
    tokens.len()
}

pub(crate) fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

struct Text<'a> {
    characters: &'a [char],
}

impl Text<'_> {
    fn at(&self, n: usize) -> char {
        self.characters.get(n).copied().unwrap_or('\0')
    }

    fn tokens(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        let mut n = 0;
        while n < self.characters.len() {
            let (c, next) = (self.at(n), self.at(n + 1));
            n = match (c, next) {
                ('/', '/') => self.find(n, '\n'),
                ('/', '*') => self.behind_comment(n),
                ('"', _) => self.behind_string(n + 1),
                ('\'', _) => self.behind_quote(n),
                (':', ':') | ('.', '.') => {
                    tokens.push([c, next].iter().collect());
                    n + 2
                }
                _ if c.is_alphanumeric() || c == '_' => {
                    let end = self.behind_word(n);
                    let word: String = self.characters[n..end].iter().collect();
                    let hashes = (end..self.characters.len()).take_while(|&n| self.at(n) == '#').count();
                    if matches!(word.as_str(), "r" | "br" | "cr") && self.at(end + hashes) == '"' {
                        self.behind_raw_string(end + hashes + 1, hashes)
                    } else if word == "r" && hashes == 1 {
                        // This is a raw identifier: the word follows after `r#`.
                        end + 1
                    } else {
                        // The literal after the prefix `b` or `c` is read separately, as a string or character.
                        if !(matches!(word.as_str(), "b" | "c") && matches!(self.at(end), '"' | '\'')) {
                            tokens.push(word);
                        }
                        end
                    }
                }
                _ => {
                    if !c.is_whitespace() {
                        tokens.push(c.to_string());
                    }
                    n + 1
                }
            };
        }
        tokens
    }

    fn find(&self, from: usize, what: char) -> usize {
        (from..self.characters.len()).find(|&n| self.at(n) == what).unwrap_or(self.characters.len())
    }

    fn behind_word(&self, from: usize) -> usize {
        let inside = |n: &usize| self.at(*n).is_alphanumeric() || self.at(*n) == '_';
        from + (from..self.characters.len()).take_while(inside).count()
    }

    fn behind_comment(&self, from: usize) -> usize {
        let (mut n, mut depth) = (from, 0);
        while n < self.characters.len() {
            match (self.at(n), self.at(n + 1)) {
                ('/', '*') => (n, depth) = (n + 2, depth + 1),
                ('*', '/') => (n, depth) = (n + 2, depth - 1),
                _ => n += 1,
            }
            if depth == 0 {
                break;
            }
        }
        n
    }

    fn behind_string(&self, mut n: usize) -> usize {
        while n < self.characters.len() && self.at(n) != '"' {
            n += if self.at(n) == '\\' { 2 } else { 1 };
        }
        n + 1
    }

    fn behind_raw_string(&self, mut n: usize, hashes: usize) -> usize {
        loop {
            n = self.find(n, '"') + 1;
            if n >= self.characters.len() || (0..hashes).all(|hash| self.at(n + hash) == '#') {
                return n + hashes;
            }
        }
    }

    /// Reads a character or a lifetime.
    fn behind_quote(&self, n: usize) -> usize {
        if self.at(n + 1) == '\\' {
            self.find(n + 3, '\'') + 1
        } else if self.at(n + 2) == '\'' {
            n + 3
        } else {
            self.behind_word(n + 1)
        }
    }
}

fn without_tests(tokens: &[String]) -> Vec<String> {
    let is = |n: usize, what: &str| tokens.get(n).is_some_and(|token| token == what);
    let mut kept = Vec::new();
    let mut n = 0;
    while n < tokens.len() {
        let of_file = is(n + 1, "!");
        let open = n + 1 + usize::from(of_file);
        if !is(n, "#") || !is(open, "[") {
            kept.push(tokens[n].clone());
            n += 1;
            continue;
        }
        let end = behind(tokens, open);
        let attribute = &tokens[open + 1..end - 1];
        n = end;
        if is_of_tests(attribute) {
            if of_file {
                return Vec::new();
            }
            n = behind_attributed(tokens, n);
        } else if attribute.first().is_some_and(|word| word == "macro_export") {
            kept.push("macro_export".to_owned());
        }
    }
    kept
}

/// Returns whether an item with this attribute is compiled only for tests.
fn is_of_tests(attribute: &[String]) -> bool {
    let says = |what: &str| attribute.iter().any(|word| word == what);
    let first = attribute.first().map(String::as_str);
    attribute == ["test"] || (first == Some("cfg") && says("test") && !says("any") && !says("not"))
}

/// Returns the end of the item, statement, field or match arm that begins at `n`.
fn behind_attributed(tokens: &[String], mut n: usize) -> usize {
    let is = |n: usize, what: &str| tokens.get(n).is_some_and(|token| token == what);
    while is(n, "#") {
        n = behind(tokens, n + 1);
    }
    if is(n, "pub") {
        n = if is(n + 1, "(") { behind(tokens, n + 1) } else { n + 1 };
    }
    let item = tokens.get(n).is_some_and(|token| ITEMS.contains(&token.as_str()));
    while let Some(token) = tokens.get(n) {
        match token.as_str() {
            ";" => return n + 1,
            "," if !item => return n + 1,
            "{" => return behind(tokens, n),
            "(" | "[" => n = behind(tokens, n),
            ")" | "]" | "}" => return n,
            _ => n += 1,
        }
    }
    n
}
