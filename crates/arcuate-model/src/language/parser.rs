//! Parses the text of formulas in model files.
//!
//! ```text
//! formula    = { "let" name "=" sum } sum            statements end with a line or a ";"
//! sum        = product { ("+" | "-") product }
//! product    = signed { ("*" | "/") signed }
//! signed     = "-" signed | power
//! power      = part [ "^" signed ]
//! part       = atom { "." ("x" | "y" | "z") }
//! atom       = number [ "[" unit "]" ] | name | name "(" argument { "," argument } ")" | "(" sum ")"
//! argument   = sum [ ("<" | "<=" | ">" | ">=") sum ]
//! comparison = sum ("<" | "<=" | ">" | ">=" | "=") sum
//! ```
//!
//! If a line of a formula begins with an operator, the line continues the preceding line. The character `#`
//! starts a comment.

use super::expression::{Expression, Kind};
use super::source::{Place, Source};
use super::unit::Unit;
use arcuate_core::{Error, Result};

/// The text of a formula, and where it begins in the file.
pub(super) struct Text<'a> {
    pub(super) source: &'a Source,
    pub(super) formula: &'a str,
    pub(super) start: Start,
}

/// The position in the file at which the text of a formula begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    /// The byte offset in the file of the formula's first letter. This offset is known if the file has the
    /// formula's text without escapes.
    Letters(usize),
    /// The byte offset in the file of the string that contains the formula. The string has escapes, so that
    /// positions within the formula are unknown.
    String(usize),
}

/// The comparison operator between the two sides of a formula, such as `<=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    More,
    Equal,
}

/// Maximum nesting depth of brackets and functions in a formula. It limits the depth of the parser's
/// recursion.
const DEEPEST: usize = 100;
/// Maximum number of tokens of a formula. Formulas of real models are shorter.
const MAX_TOKENS: usize = 20_000;

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Number(f64),
    Name(String),
    Unit(String),
    Sign(char),
    /// The operators ≤ and ≥.
    LessOrEqual,
    MoreOrEqual,
}

#[derive(Debug, Clone)]
struct Token {
    word: Word,
    place: usize,
    /// True if the token (number, name or operator) is the first one of its line.
    first: bool,
}

impl Text<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "as errors take it")]
    fn place(&self, at: usize) -> Place {
        Some(match self.start {
            Start::Letters(start) => start + at,
            Start::String(start) => start,
        })
    }

    fn error(&self, at: usize, problem: impl Into<String>, advice: &str) -> Error {
        self.source.error(self.place(at), problem, advice)
    }

    /// Parses a formula from its text.
    pub(super) fn parse(&self) -> Result<Expression> {
        let mut parser = self.parser()?;
        let value = parser.statements()?;
        parser.end()?;
        Ok(value)
    }

    /// Parses a formula that is a comparison, and returns its left side, its operator and its right side.
    pub(super) fn comparison(&self) -> Result<(Expression, Comparison, Expression)> {
        let mut parser = self.parser()?;
        let left = parser.sum()?;
        let at = parser.here();
        let comparison = match parser.next() {
            Some(Word::Sign('<') | Word::LessOrEqual) => Comparison::Less,
            Some(Word::Sign('>') | Word::MoreOrEqual) => Comparison::More,
            Some(Word::Sign('=')) => Comparison::Equal,
            _ => {
                return Err(self.error(
                    at,
                    "a comparison of two sides is expected here",
                    "write <=, >= or \
                =",
                ));
            }
        };
        let right = parser.sum()?;
        parser.end()?;
        Ok((left, comparison, right))
    }

    fn parser(&self) -> Result<Parser<'_>> {
        Ok(Parser { text: self, tokens: self.tokens()?, at: 0, depth: 0, names: Vec::new() })
    }

    fn tokens(&self) -> Result<Vec<Token>> {
        let mut tokens = Vec::new();
        let mut first = true;
        let mut rest = self.formula.char_indices().peekable();
        while let Some((place, letter)) = rest.next() {
            // Appends the following letters to the token (number, name or operator), and finds the position
            // where the token ends.
            let mut end = place + letter.len_utf8();
            let mut take = |more: &dyn Fn(char, &str) -> bool| {
                while let Some((at, next)) = rest.next_if(|(at, next)| more(*next, &self.formula[place..*at]))
                {
                    end = at + next.len_utf8();
                }
                &self.formula[place..end]
            };
            let word = match letter {
                '\n' => {
                    first = true;
                    continue;
                }
                space if space.is_whitespace() => continue,
                '#' => {
                    take(&|next, _| next != '\n');
                    continue;
                }
                digit if digit.is_ascii_digit() || digit == '.' && self.digit_at(place + 1) => {
                    let text = take(&|next, before| {
                        let after_exponent = before.ends_with(['e', 'E']);
                        next.is_ascii_alphanumeric() || next == '.' || after_exponent && "+-".contains(next)
                    });
                    match text.parse::<f64>() {
                        Ok(value) if value.is_finite() => Word::Number(value),
                        _ => {
                            let problem = format!("`{text}` is not a number");
                            return Err(self.error(place, problem, "write it as 1.7e-3"));
                        }
                    }
                }
                letter if letter.is_alphabetic() || letter == '_' => {
                    Word::Name(take(&|next, _| next.is_alphanumeric() || next == '_').to_owned())
                }
                '[' => {
                    let text = take(&|next, before| next != '\n' && !before.ends_with(']'));
                    let Some(unit) = text[1..].strip_suffix(']') else {
                        return Err(self.error(place, "`[` has no `]`", "write a unit as [mm²/s]"));
                    };
                    Word::Unit(unit.to_owned())
                }
                '<' | '>' if rest.next_if(|(_, next)| *next == '=').is_some() => {
                    if letter == '<' {
                        Word::LessOrEqual
                    } else {
                        Word::MoreOrEqual
                    }
                }
                '≤' => Word::LessOrEqual,
                '≥' => Word::MoreOrEqual,
                '·' => Word::Sign('*'),
                '−' => Word::Sign('-'),
                sign if "+-*/^(),.;<>=".contains(sign) => Word::Sign(sign),
                other => {
                    let problem = format!("`{}` has no meaning here", other.escape_debug());
                    return Err(self.error(place, problem, "see the page on the model language"));
                }
            };
            tokens.push(Token { word, place, first });
            first = false;
            if tokens.len() > MAX_TOKENS {
                let problem = format!("the formula has more than {MAX_TOKENS} words");
                return Err(self.error(place, problem, "split the model"));
            }
        }
        Ok(tokens)
    }

    fn digit_at(&self, place: usize) -> bool {
        self.formula.as_bytes().get(place).is_some_and(u8::is_ascii_digit)
    }
}

struct Parser<'a> {
    text: &'a Text<'a>,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The names that a formula has defined by `let`. Each has its name, its formula, its position, and
    /// whether it was used.
    names: Vec<(String, Expression, usize, bool)>,
}

impl Parser<'_> {
    /// Returns the position in the formula's text at which the next token (number, name or operator) begins.
    fn here(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.formula.len(), |token| token.place)
    }

    fn next(&mut self) -> Option<Word> {
        let word = self.tokens.get(self.at).map(|token| token.word.clone());
        self.at += 1;
        word
    }

    fn take(&mut self, sign: char) -> bool {
        let is_next = self.tokens.get(self.at).is_some_and(|token| token.word == Word::Sign(sign));
        self.at += usize::from(is_next);
        is_next
    }

    fn require(&mut self, sign: char) -> Result<()> {
        if self.take(sign) {
            return Ok(());
        }
        Err(self.text.error(self.here(), format!("`{sign}` is missing here"), "write it"))
    }

    fn end(&self) -> Result<()> {
        if self.at >= self.tokens.len() {
            return Ok(());
        }
        let advice = "join it with an operator, or end the statement before it with a line or a `;`";
        Err(self.text.error(self.here(), "the formula should have ended here", advice))
    }

    fn make(&self, kind: Kind, place: usize) -> Expression {
        Expression::at(kind, self.text.place(place))
    }

    fn statements(&mut self) -> Result<Expression> {
        let is_let = |parser: &Self| {
            parser.tokens.get(parser.at).is_some_and(|token| token.word == Word::Name("let".into()))
        };
        while is_let(self) {
            self.at += 1;
            let place = self.here();
            let Some(Word::Name(name)) = self.next() else {
                return Err(self.text.error(place, "`let` names nothing", "write let NAME = ..."));
            };
            if self.text.source.taken.contains(&name) {
                let problem = format!("`let` would hide `{name}`, which has a meaning already");
                return Err(self.text.error(place, problem, "choose another name"));
            }
            if self.names.iter().any(|(known, ..)| *known == name) {
                let problem = format!("`{name}` has a value already");
                return Err(self.text.error(place, problem, "choose another name"));
            }
            self.require('=')?;
            let value = self.sum()?;
            let ended = self.take(';') || self.tokens.get(self.at).is_none_or(|token| token.first);
            if !ended {
                self.end()?;
            }
            self.names.push((name, value, place, false));
        }
        if self.at >= self.tokens.len() {
            let advice = "write the expression of the signal after the last `let`";
            return Err(self.text.error(self.here(), "the formula has no value", advice));
        }
        let value = self.sum()?;
        self.take(';');
        match self.names.iter().find(|(.., used)| !used) {
            Some((name, _, place, _)) => {
                let problem = format!("`{name}` is not used");
                Err(self.text.error(*place, problem, "use it or remove its line"))
            }
            None => Ok(value),
        }
    }

    fn sum(&mut self) -> Result<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.text.error(
                self.here(),
                "the formula is nested too deeply",
                "name its parts with let",
            ));
        }
        let mut value = self.product()?;
        loop {
            let place = self.here();
            value = if self.take('+') {
                let kind = Kind::Sum(value, self.product()?);
                self.make(kind, place)
            } else if self.take('-') {
                let kind = Kind::Difference(value, self.product()?);
                self.make(kind, place)
            } else {
                break;
            };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn product(&mut self) -> Result<Expression> {
        let mut value = self.signed()?;
        loop {
            let place = self.here();
            value = if self.take('*') {
                let kind = Kind::Product(value, self.signed()?);
                self.make(kind, place)
            } else if self.take('/') {
                let kind = Kind::Quotient(value, self.signed()?);
                self.make(kind, place)
            } else {
                return Ok(value);
            };
        }
    }

    fn signed(&mut self) -> Result<Expression> {
        let place = self.here();
        let mut minus = 0;
        while self.take('-') {
            minus += 1;
        }
        let mut value = self.part()?;
        let at = self.here();
        if self.take('^') {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.text.error(
                    at,
                    "the formula is nested too deeply",
                    "name its parts with let",
                ));
            }
            let kind = Kind::Power(value, self.signed()?);
            self.depth -= 1;
            value = self.make(kind, at);
        }
        Ok(if minus % 2 == 1 { self.make(Kind::Negative(value), place) } else { value })
    }

    fn part(&mut self) -> Result<Expression> {
        let mut value = self.atom()?;
        loop {
            let place = self.here();
            if !self.take('.') {
                return Ok(value);
            }
            let axis = match self.next() {
                Some(Word::Name(name)) => ["x", "y", "z"].iter().position(|axis| *axis == name),
                _ => None,
            };
            let Some(axis) = axis else {
                return Err(self.text.error(place, "no component follows the point", "write .x, .y or .z"));
            };
            value = self.make(Kind::Component(value, axis), place);
        }
    }

    fn atom(&mut self) -> Result<Expression> {
        let place = self.here();
        match self.next() {
            Some(Word::Number(value)) => {
                let Some(Token { word: Word::Unit(text), place: at, .. }) = self.tokens.get(self.at).cloned()
                else {
                    return Ok(self.make(Kind::Number(value), place));
                };
                self.at += 1;
                let Some(unit) = Unit::parse(&text) else {
                    let problem = format!("`{text}` is not a unit");
                    return Err(self.text.error(at, problem, "write one like mm²/s, ms or mT/m"));
                };
                Ok(self.make(Kind::Quantity(value, unit), place))
            }
            Some(Word::Name(name)) if self.take('(') => {
                let mut arguments = Vec::new();
                if !self.take(')') {
                    loop {
                        arguments.push(self.argument()?);
                        if !self.take(',') {
                            break;
                        }
                    }
                    self.require(')')?;
                }
                Ok(self.make(Kind::Call(name, arguments), place))
            }
            Some(Word::Name(name)) => {
                if let Some((_, value, _, used)) = self.names.iter_mut().find(|(known, ..)| *known == name) {
                    *used = true;
                    return Ok(value.clone());
                }
                Ok(self.make(Kind::Name(name), place))
            }
            Some(Word::Sign('(')) => {
                let value = self.sum()?;
                self.require(')')?;
                Ok(value)
            }
            _ => {
                Err(self.text.error(place, "a value is missing here", "write a number, a name or a formula"))
            }
        }
    }

    /// Parses an argument of a function. It is a formula, or a comparison, which is the first argument of
    /// `where`.
    fn argument(&mut self) -> Result<Expression> {
        let left = self.sum()?;
        let place = self.here();
        let (or_equal, is_less) = match self.tokens.get(self.at).map(|token| &token.word) {
            Some(Word::Sign('<')) => (false, true),
            Some(Word::Sign('>')) => (false, false),
            Some(Word::LessOrEqual) => (true, true),
            Some(Word::MoreOrEqual) => (true, false),
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.sum()?;
        // The comparison a <= b is translated into the negation of b < a.
        let kind = if is_less == or_equal { Kind::Less(right, left) } else { Kind::Less(left, right) };
        let less = self.make(kind, place);
        if !or_equal {
            return Ok(less);
        }
        let one = self.make(Kind::Number(1.0), place);
        Ok(self.make(Kind::Difference(one, less), place))
    }
}
