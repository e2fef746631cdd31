//! Figures: results of a command as numbers with units, and their text form for people.

use crate::units::unit_of_map;
use arcuate_report::human;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::marker::PhantomData;

/// Title of the table with the number of voxels in which each model is the best. The report shows this table first.
pub const COMPARISON: &str = "Model that the signal supports";

/// A result of a command, as a single number or text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Value of the result: a number, or text if the result is not a single number.
    pub value: Value,
    /// Unit of the number. Empty for counts and ratios.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// True if the report shows this result before the others, as a key figure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub key: bool,
}

impl Figure {
    /// Creates a result from a number and its unit, or from text. The unit is empty for text, counts and
    /// ratios.
    #[doc(hidden)]
    pub fn new(value: impl Into<Value>, unit: &str) -> Self {
        let value = match value.into() {
            // The sum of an empty sequence of floating-point numbers is −0, which is stored as 0.
            Value::Number(number) if number.as_f64() == Some(0.0) && number.is_f64() => 0.0.into(),
            value => value,
        };
        Self { value, unit: unit.to_owned(), key: false }
    }

    /// Marks the result as a key figure, which the report shows before the other results.
    #[doc(hidden)]
    pub fn key(&mut self) {
        self.key = true;
    }

    /// Formats the result for people, with four significant digits and thousands separators. Diffusivities
    /// are shown in µm²/ms.
    pub fn shown(&self) -> String {
        let (factor, unit) = unit_of_map(&self.unit);
        let value = match (factor, self.value.as_f64()) {
            (Some(factor), Some(number)) => human::number(f64::from(factor) * number, 4),
            _ => shown(&self.value),
        };
        if unit.is_empty() { value } else { format!("{value} {unit}") }
    }
}

/// Formats a value for people.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => human::count(whole),
            (_, Some(number)) => human::number(number, 4),
            _ => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        // JSON writes NaN and infinities as `null`.
        Value::Null => "–".to_owned(),
        other => other.to_string(),
    }
}

/// A list of named values, in the order in which they were added. It is stored as a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// Sets the value with this name. An existing value with the same name is replaced.
    #[doc(hidden)]
    pub fn set(&mut self, name: &str, value: T) -> &mut T {
        let place = self.0.iter().position(|(known, _)| known == name).unwrap_or(self.0.len());
        if place < self.0.len() {
            self.0[place].1 = value;
        } else {
            self.0.push((name.to_owned(), value));
        }
        &mut self.0[place].1
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut named = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    named.push(entry);
                }
                Ok(Named(named))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_figures_are_formatted_and_stay_numbers() {
        let mut figures = Named::default();
        figures.set("streamlines", Figure::new(50_000, ""));
        figures.set("mean length", Figure::new(41.234567, "mm"));
        figures.set("bundles found", Figure::new("15 of 15", ""));
        figures.set("median d", Figure::new(0.00123, "mm²/s"));
        figures.set("median s0", Figure::new(584.5, "signal"));
        figures.set("ratio", Figure::new(f64::INFINITY, ""));
        let shown: Vec<String> = figures.0.iter().map(|(_, figure)| figure.shown()).collect();
        assert_eq!(shown, ["50,000", "41.23 mm", "15 of 15", "1.23 µm²/ms", "584.5 signal units", "–"]);
        let text = serde_json::to_string(&figures).unwrap();
        assert!(
            text.starts_with(
                r#"{"streamlines":{"value":50000},"mean length":{"value":41.234567,"unit":"mm"}"#
            )
        );
        assert_eq!(serde_json::from_str::<Named<Figure>>(&text).unwrap(), figures);
        let nothing = Figure::new(-0.0, "mm");
        assert_eq!((nothing.shown().as_str(), nothing.value.to_string().as_str()), ("0 mm", "0.0"));
    }
}
