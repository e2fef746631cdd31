//! Options for the propagation of streamlines. They are generated from a table of the library.

use arcuate_pipeline::stages::propagation::{Propagation, ROWS, Row, SourceKind, Value};
use arcuate_track::AtMaxLength;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::fmt::Debug;
use std::marker::PhantomData;

/// A source of tracking, as a type.
pub(super) trait Followed: Clone + Debug {
    /// The kind of this source.
    const KIND: SourceKind;
}

macro_rules! followed {
    ($($name:ident),+) => {$(
        #[derive(Debug, Clone)]
        pub(super) struct $name;

        impl Followed for $name {
            const KIND: SourceKind = SourceKind::$name;
        }
    )+};
}

followed!(Tensor, Fod, Samples, Peaks, Bootstrap, Geodesic);

/// Options of propagation and termination that the table has for this source.
#[derive(Debug, Clone)]
pub(super) struct PropagationArgs<S> {
    propagation: Propagation,
    source: PhantomData<S>,
}

impl<S> PropagationArgs<S> {
    /// Returns the options as the type of the library.
    pub(super) fn propagation(&self) -> &Propagation {
        &self.propagation
    }
}

/// Returns an option of the table, if this source has it.
fn argument(row: &Row, source: SourceKind) -> Option<Arg> {
    let default = row.default(source)?;
    let argument =
        Arg::new(row.id).long(row.name).aliases(row.former.iter().copied()).help_heading("Tracking");
    Some(match row.value {
        Value::Number(unit) => {
            let argument = argument.value_name(unit).value_parser(value_parser!(f64));
            // A preset changes some defaults. The parser therefore gets no default value of such an option,
            // but the help states it.
            if default.parse::<f64>().is_ok() && !source.has_presets() {
                argument.default_value(default).help(row.meaning)
            } else {
                argument.help(format!("{}; [default: {default}]", row.meaning))
            }
        }
        Value::Choice(words) => {
            let words = words.iter().map(|(word, meaning)| PossibleValue::new(*word).help(*meaning));
            argument
                .value_name("WHAT")
                .value_parser(PossibleValuesParser::new(words))
                .default_value(default)
                .help(row.meaning)
        }
    })
}

impl<S: Followed> Args for PropagationArgs<S> {
    fn augment_args(command: Command) -> Command {
        ROWS.iter().filter_map(|row| argument(row, S::KIND)).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Followed> FromArgMatches for PropagationArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut propagation = Propagation::default();
        for row in ROWS.iter().filter(|row| row.default(S::KIND).is_some()) {
            match row.value {
                Value::Number(_) => {
                    let is_default = matches.value_source(row.id) == Some(ValueSource::DefaultValue);
                    if let Some(&number) = matches.get_one::<f64>(row.id).filter(|_| !is_default) {
                        let refused = |error| clap::Error::raw(ErrorKind::ValueValidation, error);
                        propagation.set(row.name, number).map_err(refused)?;
                    }
                }
                Value::Choice(_) => {
                    let word = matches.get_one::<String>(row.id).map(String::as_str);
                    propagation.at_max_length =
                        if word == Some("discard") { AtMaxLength::Discard } else { AtMaxLength::Stop };
                }
            }
        }
        Ok(Self { propagation, source: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
