//! Model files: TOML that contains formulas.

use super::model::{
    Constraint, Form, Known, Model, OtherNames, Output, Parameter, SignalStatistic, Start, TensorPart,
};
use super::model_program::MEASURED;
use super::parser::{Start as TextStart, Text};
use super::prior::Prior;
use super::range::Range;
use super::source::{Place, Source, did_you_mean};
use super::stage::{Method, Stage};
use super::unit::Unit;
use arcuate_core::{Error, Result, closest, printable, saturating};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Maximum size of a model file, in bytes. Model files are written by hand and therefore small.
const LARGEST: usize = 1 << 20;
/// Maximum number of values in the search grid of a parameter.
const LONGEST_GRID: usize = 10_000;

impl Model {
    /// Parses a model from the text of a model file. `name` is the file name that error messages print.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut source = Source { name: name.to_owned(), text: text.to_owned(), taken: Vec::new() };
        if text.len() > LARGEST {
            let problem = format!("a model file of {} bytes is none", text.len());
            return Err(source.error(None, problem, "see `arcuate fit --list ball-1-stick` for one"));
        }
        let parsed = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let place = error.span().map(|span| span.start);
                let problem = format!("it is not valid TOML ({})", printable(error.message(), 200));
                return Err(source.error(
                    place,
                    problem,
                    "see `arcuate fit --list ball-1-stick` for a model file",
                ));
            }
        };
        source.taken = taken_names(parsed.get_ref());
        let mut file = Table::new(&source, Some(0), "a model file", parsed.get_ref());
        let model = Self {
            name: file.text("name")?.unwrap_or_default().0,
            // The title of the model is a single line, because it is printed on terminals and in reports.
            title: printable(&file.text("title")?.unwrap_or_default().0, 200),
            about: file.text("about")?.unwrap_or_default().0,
            references: file.texts("references")?.into_iter().map(|(text, _)| text).collect(),
            parameters: file.tables("parameters", parameter)?,
            measurements: file.tables("measurements", known)?,
            maps: file.tables("maps", known)?,
            constraints: file.constraints()?,
            signal: file.formula("signal")?,
            outputs: file.tables("outputs", output)?,
            stages: Vec::new(),
            alike: Vec::new(),
            averages: file.averages()?,
            other_names: file.other_names()?,
            source: source.clone(),
        };
        let alike = file.alike(&model)?;
        let stages = file.stages(&model)?;
        file.end()?;
        let stages = if stages.is_empty() { model.usual_stages() } else { stages };
        Self { stages, alike, ..model }.checked()
    }
}

/// A TOML table of the model file. Reading a key removes the key from this table.
struct Table<'a> {
    source: &'a Source,
    place: Place,
    what: &'static str,
    keys: &'a DeTable<'a>,
    requested: Vec<&'static str>,
}

type Value<'a> = Spanned<DeValue<'a>>;

#[expect(clippy::unnecessary_wraps, reason = "errors take places, of which models without a file have none")]
fn place_of(value: &Value<'_>) -> Place {
    Some(value.span().start)
}

impl<'a> Table<'a> {
    fn new(source: &'a Source, place: Place, what: &'static str, keys: &'a DeTable<'a>) -> Self {
        Self { source, place, what, keys, requested: Vec::new() }
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Value<'a>> {
        self.requested.push(key);
        self.keys.get(key)
    }

    /// Returns an error if the TOML table still has a key that was not read.
    fn end(&self) -> Result<()> {
        for (key, _) in self.keys {
            let name = key.get_ref().as_ref();
            if !self.requested.contains(&name) {
                let problem = format!("`{}` is nothing that {} has", printable(name, 60), self.what);
                let known = self.requested.join(", ");
                let advice = did_you_mean(name, self.requested.iter().copied(), format!("it has {known}"));
                return Err(self.source.error(Some(key.span().start), problem, advice));
            }
        }
        Ok(())
    }

    /// Returns an error that keys are missing in a TOML table. If another key is probably a misspelt one, the
    /// error names it.
    fn missing(&self, needed: &[&str], problem: String, advice: &str) -> Error {
        let unknown = self.keys.iter().filter(|(key, _)| !self.requested.contains(&key.get_ref().as_ref()));
        for (key, _) in unknown {
            if let Some(meant) = closest(key.get_ref(), needed.iter().copied()) {
                let problem = format!("`{}` is nothing that {} has", printable(key.get_ref(), 60), self.what);
                return self.source.error(
                    Some(key.span().start),
                    problem,
                    format!("did you mean `{meant}`?"),
                );
            }
        }
        self.source.error(self.place, problem, advice)
    }

    fn wrong<T>(&self, value: &Value<'_>, key: &str, what: &str) -> Result<T> {
        Err(self.source.error(place_of(value), format!("`{key}` is not {what}"), format!("give {what}")))
    }

    fn text(&mut self, key: &'static str) -> Result<Option<(String, Place)>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some((text.as_ref().to_owned(), place_of(value)))),
            _ => self.wrong(value, key, "a text in quotes"),
        }
    }

    fn texts(&mut self, key: &'static str) -> Result<Vec<(String, &'a Value<'a>)>> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else { return self.wrong(value, key, "a list of texts") };
        let text = |item: &'a Value<'a>| match item.get_ref() {
            DeValue::String(text) => Ok((text.as_ref().to_owned(), item)),
            _ => self.wrong(item, key, "a list of texts"),
        };
        items.iter().map(text).collect()
    }

    fn flag(&mut self, key: &'static str) -> Result<bool> {
        match self.take(key).map(|value| (value, value.get_ref())) {
            None => Ok(false),
            Some((_, DeValue::Boolean(flag))) => Ok(*flag),
            Some((value, _)) => self.wrong(value, key, "true or false"),
        }
    }

    fn number_of(&self, value: &Value<'_>, key: &str) -> Result<f64> {
        let number = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', "").parse().ok(),
            DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if !f64::is_nan(number) => Ok(number),
            _ => self.wrong(value, key, "a number"),
        }
    }

    /// Reads whether the model's signal is an average over gradient directions.
    fn averages(&mut self) -> Result<bool> {
        let Some(value) = self.take("averages") else { return Ok(false) };
        match value.get_ref() {
            DeValue::String(text) if text == "directions" => Ok(true),
            _ => self.wrong(value, "averages", "\"directions\""),
        }
    }

    /// Reads the number of best combinations that a grid search keeps as starts.
    fn keep(&mut self) -> Result<u8> {
        let Some(value) = self.take("keep") else { return Ok(1) };
        let number = self.number_of(value, "keep")?;
        match (1..=Method::MAX_KEPT).find(|count| f64::from(*count) == number) {
            Some(count) => Ok(count),
            None => self.wrong(value, "keep", &format!("a whole number from 1 to {}", Method::MAX_KEPT)),
        }
    }

    /// Reads the maximum number of evaluations of the signal in a stage of the fit.
    fn evaluations(&mut self) -> Result<Option<u32>> {
        let Some(value) = self.take("evaluations") else { return Ok(None) };
        let number = self.number_of(value, "evaluations")?;
        if number.fract() != 0.0 || !(1.0..=f64::from(Stage::MAX_EVALUATIONS)).contains(&number) {
            let expected = format!("a whole number from 1 to {}", Stage::MAX_EVALUATIONS);
            return self.wrong(value, "evaluations", &expected);
        }
        Ok(Some(saturating::<u32>(number)))
    }

    /// Reads whether a stage of the fit continues only from the best start.
    fn joins(&mut self) -> Result<bool> {
        let Some(value) = self.take("from") else { return Ok(false) };
        match value.get_ref() {
            DeValue::String(text) if text == "best" => Ok(true),
            _ => self.wrong(value, "from", "\"best\""),
        }
    }

    fn numbers(&mut self, key: &'static str) -> Result<Option<(Vec<f64>, Place)>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong(value, key, "a list of numbers");
        };
        if items.len() > LONGEST_GRID {
            return self.wrong(value, key, "a list of numbers in use");
        }
        let numbers: Result<Vec<f64>> = items.iter().map(|item| self.number_of(item, key)).collect();
        Ok(Some((numbers?, place_of(value))))
    }

    fn bounds(&mut self, otherwise: Range) -> Result<Range> {
        let Some((bounds, place)) = self.numbers("bounds")? else { return Ok(otherwise) };
        match bounds[..] {
            [low, high] if low < high => Ok(Range::new(low, high)),
            _ => {
                let problem = "`bounds` are not two numbers, the smaller one first";
                Err(self.source.error(
                    place,
                    problem,
                    "write bounds = [0, 3e-3]; inf and -inf are numbers too",
                ))
            }
        }
    }

    fn unit(&mut self) -> Result<Unit> {
        let Some((text, place)) = self.text("unit")? else { return Ok(Unit::number()) };
        Unit::parse(&text).ok_or_else(|| {
            let problem = format!("`{}` is not a unit", printable(&text, 40));
            self.source.error(place, problem, "write one like mm²/s, ms, mT/m, deg or signal")
        })
    }

    fn other_names(&mut self) -> Result<OtherNames> {
        let Some(value) = self.take("names") else { return Ok(OtherNames::default()) };
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong(value, "names", "a table like { mdt = \"ficvf\" }");
        };
        let mut names = Table::new(self.source, place_of(value), "`names`", table);
        let mut of = |program| -> Result<Option<String>> {
            let Some((name, place)) = names.text(program)? else { return Ok(None) };
            let is_plain =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
            if is_plain && !name.starts_with('.') {
                return Ok(Some(name));
            }
            let advice = "use letters, digits, `_`, `-` and `.`";
            Err(names.source.error(place, "this is not a valid file name", advice))
        };
        let found = OtherNames { mdt: of("mdt")?, amico: of("amico")?, bids: of("bids")? };
        names.end()?;
        Ok(found)
    }

    /// Reads all TOML tables below a key, in the order of the file.
    fn tables<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&str, Place, &mut Table<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let DeValue::Table(tables) = value.get_ref() else {
            return self.wrong(value, key, "a table of tables");
        };
        let mut sorted: Vec<_> = tables.iter().collect();
        sorted.sort_by_key(|(name, _)| name.span().start);
        let mut found = Vec::new();
        for (name, value) in sorted {
            let (text, place) = (name.get_ref().as_ref(), Some(name.span().start));
            check_name(self.source, text, place)?;
            let DeValue::Table(table) = value.get_ref() else {
                let advice = format!("write [{key}.{text}] and below it what it is");
                return Err(self.source.error(place, format!("`{text}` is not a table"), advice));
            };
            let what = match key {
                "parameters" => "a parameter",
                "outputs" => "an output",
                _ => "what is measured",
            };
            let mut table = Table::new(self.source, place, what, table);
            found.push(read(text, place, &mut table)?);
            table.end()?;
        }
        Ok(found)
    }

    fn formula(&mut self, key: &'static str) -> Result<super::Expression> {
        let Some(value) = self.take(key) else {
            let problem = format!("{} has no `{key}`", self.what);
            return Err(self.missing(&[key], problem, &format!("write {key} = \"...\"")));
        };
        let DeValue::String(text) = value.get_ref() else {
            return self.wrong(value, key, "a formula in quotes");
        };
        self.formula_text(text, value).parse()
    }

    fn prior(&mut self) -> Result<Prior> {
        let Some(value) = self.take("prior") else { return Ok(Prior::Uniform) };
        let DeValue::String(text) = value.get_ref() else {
            return self.wrong(value, "prior", "a text in quotes");
        };
        Prior::of(&self.formula_text(text, value))
    }

    fn formula_text<'t>(&'t self, text: &'t str, value: &Value<'_>) -> Text<'t> {
        Text { source: self.source, formula: text, start: start_of(self.source, value, text) }
    }

    fn constraints(&mut self) -> Result<Vec<Constraint>> {
        let mut constraints = Vec::new();
        for (text, value) in self.texts("constraints")? {
            let (left, comparison, right) = self.formula_text(&text, value).comparison()?;
            constraints.push(Constraint { left, comparison, right, place: place_of(value), text });
        }
        Ok(constraints)
    }

    /// Returns the index of the model's parameter with a name from the file.
    fn place_in(&self, model: &Model, name: &str, value: &Value<'_>) -> Result<usize> {
        model.parameter_of(name).ok_or_else(|| {
            let known = model.parameters.iter().map(Parameter::name);
            let advice = did_you_mean(name, known, "use a declared parameter");
            self.source.error(
                place_of(value),
                format!("`{}` is not a parameter", printable(name, 40)),
                advice,
            )
        })
    }

    fn alike(&mut self, model: &Model) -> Result<Vec<Vec<usize>>> {
        let Some(value) = self.take("alike") else { return Ok(Vec::new()) };
        let what = "lists of names, like [[\"f1\", \"n1\"], [\"f2\", \"n2\"]]";
        let DeValue::Array(groups) = value.get_ref() else { return self.wrong(value, "alike", what) };
        let mut found: Vec<Vec<usize>> = Vec::new();
        for group in groups {
            let DeValue::Array(names) = group.get_ref() else { return self.wrong(group, "alike", what) };
            let mut places = Vec::new();
            for name in names {
                let DeValue::String(text) = name.get_ref() else { return self.wrong(name, "alike", what) };
                places.push(self.place_in(model, text, name)?);
            }
            let numbers = |places: &[usize]| -> Vec<usize> {
                places.iter().map(|&n| model.parameters[n].numbers()).collect()
            };
            let fits = found.first().is_none_or(|first| numbers(first) == numbers(&places));
            if places.is_empty() || !fits || model.parameters[places[0]].numbers() != 1 {
                let problem = "groups that are alike have parameters of the same kinds, a number first";
                return Err(self.source.error(place_of(group), problem, format!("give {what}")));
            }
            found.push(places);
        }
        Ok(found)
    }

    fn stages(&mut self, model: &Model) -> Result<Vec<Stage>> {
        let Some(value) = self.take("stages") else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong(value, "stages", "a list of tables, each below [[stages]]");
        };
        let mut stages = Vec::new();
        for item in items {
            let DeValue::Table(table) = item.get_ref() else {
                return self.wrong(item, "stages", "a list of tables, each below [[stages]]");
            };
            let mut stage = Table::new(self.source, place_of(item), "a stage", table);
            let (method, place) = stage.text("method")?.unwrap_or(("levenberg-marquardt".into(), None));
            let method = match method.as_str() {
                "grid" => Method::GridSearch { keep: stage.keep()? },
                "levenberg-marquardt" => Method::LevenbergMarquardt,
                other => {
                    let problem = format!("`{}` is not a method", printable(other, 40));
                    return Err(self.source.error(place, problem, "write grid or levenberg-marquardt"));
                }
            };
            let evaluations = if method.searches() { None } else { stage.evaluations()? };
            let from_best = stage.joins()?;
            let names = stage.texts("parameters")?;
            let mut parameters: Vec<usize> =
                names.iter().map(|(name, value)| self.place_in(model, name, value)).collect::<Result<_>>()?;
            stage.end()?;
            if parameters.is_empty() {
                parameters = model.usual_parameters(method);
            }
            stages.push(Stage { evaluations, from_best, ..Stage::new(method, parameters) });
        }
        Ok(stages)
    }
}

/// Returns the names that a `let` of a formula must not define: the names of quantities per measurement, and
/// all names that the file declares.
fn taken_names(file: &DeTable<'_>) -> Vec<String> {
    let declared = ["parameters", "measurements", "maps", "outputs"].into_iter().filter_map(|key| {
        let DeValue::Table(table) = file.get(key)?.get_ref() else { return None };
        Some(table.keys().map(|name| name.get_ref().as_ref().to_owned()))
    });
    let own = MEASURED.iter().map(|(name, ..)| *name).chain(["g", "pi"]).map(str::to_owned);
    own.chain(declared.flatten()).collect()
}

/// Returns where the text of a TOML string begins. If the file has this text without escapes, the result is
/// the byte offset of its first letter.
fn start_of(source: &Source, value: &Value<'_>, text: &str) -> TextStart {
    let span = value.span();
    let raw = source.text.get(span.clone()).unwrap_or_default();
    let quotes = if raw.starts_with("\"\"\"") || raw.starts_with("'''") { 3 } else { 1 };
    let inside = raw.get(quotes..).unwrap_or_default();
    // If the opening quotes of a TOML string are alone on their line, the line break is not part of the
    // string's text.
    let skipped = if quotes == 1 {
        0
    } else {
        ["\r\n", "\n"].into_iter().find(|end| inside.starts_with(end)).map_or(0, str::len)
    };
    if inside.get(skipped..).is_some_and(|inside| inside.starts_with(text)) {
        TextStart::Letters(span.start + quotes + skipped)
    } else {
        TextStart::String(span.start)
    }
}

fn check_name(source: &Source, name: &str, place: Place) -> Result<()> {
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 40;
    if is_name {
        return Ok(());
    }
    let problem = format!("`{}` is not a valid name", printable(name, 60));
    Err(source.error(
        place,
        problem,
        "begin with a letter; continue with letters, digits and `_`, at most 40 characters",
    ))
}

fn parameter(name: &str, place: Place, table: &mut Table<'_>) -> Result<Parameter> {
    let about = table.text("about")?.unwrap_or_default().0;
    let unit = table.unit()?;
    let kind = table.text("kind")?;
    let is_orientation = match kind.as_ref().map(|(kind, place)| (kind.as_str(), *place)) {
        None | Some(("number", _)) => false,
        Some(("orientation", _)) => true,
        Some((other, place)) => {
            let problem = format!("`{}` is not a kind of parameter", printable(other, 40));
            return Err(table.source.error(place, problem, "write number or orientation"));
        }
    };
    let form = if is_orientation {
        let grid = match table.take("grid") {
            None => 0,
            Some(value) => match table.number_of(value, "grid")? {
                count if (1.0..=1000.0).contains(&count) && count.fract() == 0.0 => count as usize,
                _ => return table.wrong(value, "grid", "the number of orientations, 1 to 1000"),
            },
        };
        Form::Orientation { grid }
    } else {
        let bounds = table.bounds(Range::ALL)?;
        Form::Number { bounds, grid: table.numbers("grid")?.map(|(grid, _)| grid).unwrap_or_default() }
    };
    let start = start(table, name, &form)?;
    let is_fixed = table.flag("fixed")?;
    let prior = table.prior()?;
    let (name, other_names) = (name.to_owned(), table.other_names()?);
    Ok(Parameter { name, about, unit, form, start, is_fixed, prior, other_names, place })
}

fn start(table: &mut Table<'_>, name: &str, form: &Form) -> Result<Start> {
    let Some(value) = table.take("start") else {
        return match form {
            Form::Number { grid, .. } if grid.is_empty() => {
                let problem = format!("it is not known where `{name}` starts");
                let advice = "give start = a number, \"mean_b0\", \"tensor.md\", ..., or a grid";
                Err(table.missing(&["start", "grid"], problem, advice))
            }
            Form::Orientation { grid: 0 } => Ok(Start::Tensor(TensorPart::Eigenvector(0))),
            _ => Ok(Start::Grid),
        };
    };
    let DeValue::String(text) = value.get_ref() else {
        return Ok(Start::Number(table.number_of(value, "start")?));
    };
    let text = text.as_ref();
    if text == "mean_b0" {
        return Ok(Start::MeanB0);
    }
    if let Some(of) = SignalStatistic::parse(text) {
        return Ok(Start::Signals(of));
    }
    let named = text.split_once('.').filter(|(from, _)| !from.contains('('));
    let Some((from, part)) = named else {
        let problem = format!("`{}` is nothing to start from", printable(text, 40));
        let advice = "give a number, mean_b0, largest, mean, median, first, last, quantile(0.9), tensor.md or \
                      MODEL.PARAMETER, words in quotes";
        return Err(table.source.error(place_of(value), problem, advice));
    };
    if from != "tensor" {
        return Ok(Start::Model { model: from.to_owned(), parameter: part.to_owned() });
    }
    if let Some((_, part)) = TensorPart::ALL.into_iter().find(|(name, _)| *name == part) {
        return Ok(Start::Tensor(part));
    }
    let known: Vec<&str> = TensorPart::ALL.into_iter().map(|(name, _)| name).collect();
    let problem = format!("`tensor` has no `{}`", printable(part, 40));
    Err(table.source.error(place_of(value), problem, format!("it has {}", known.join(", "))))
}

fn known(name: &str, place: Place, table: &mut Table<'_>) -> Result<Known> {
    let about = table.text("about")?.unwrap_or_default().0;
    let unit = table.unit()?;
    let bounds = table.bounds(Range::ALL)?;
    Ok(Known { name: name.to_owned(), about, unit, bounds, place })
}

fn output(name: &str, place: Place, table: &mut Table<'_>) -> Result<Output> {
    let about = table.text("about")?.unwrap_or_default().0;
    let unit = table.unit()?;
    let value = table.formula("value")?;
    Ok(Output { name: name.to_owned(), about, unit, value, other_names: table.other_names()?, place })
}
