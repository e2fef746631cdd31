/// The quantity that an entry of a connectivity matrix holds, computed from the streamlines that connect its
/// row and its column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// The number of streamlines of the connection.
    Count,
    /// The sum of the weights of the connection's streamlines.
    Weight,
    /// The mean length of the connection's streamlines in mm; 0 if there are no streamlines.
    MeanLength,
    /// The mean, over the connection's streamlines, of a value that each streamline has, such as its mean FA.
    /// The value has a name. The mean is 0 if there are no streamlines.
    Mean(String),
    /// The sum, over the connection's streamlines, of a value that each streamline has. The value has a name.
    Sum(String),
}

impl Measure {
    /// The name of the measure in file names and on plot axes: `counts`, `weights`, `lengths`, `mean_fa`,
    /// `sum_fa`.
    pub fn word(&self) -> String {
        match self {
            Self::Count => "counts".to_owned(),
            Self::Weight => "weights".to_owned(),
            Self::MeanLength => "lengths".to_owned(),
            Self::Mean(name) => format!("mean_{name}"),
            Self::Sum(name) => format!("sum_{name}"),
        }
    }

    /// Finds the measure by its [`word`](Self::word).
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "counts" => Some(Self::Count),
            "weights" => Some(Self::Weight),
            "lengths" => Some(Self::MeanLength),
            _ => {
                let mean = word.strip_prefix("mean_").map(|name| Self::Mean(name.to_owned()));
                mean.or_else(|| word.strip_prefix("sum_").map(|name| Self::Sum(name.to_owned())))
            }
        }
    }

    /// Returns whether the measure is a mean over streamlines: a sum divided by the number of streamlines.
    pub fn is_mean(&self) -> bool {
        matches!(self, Self::MeanLength | Self::Mean(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_parsed_from_words() {
        let fa = || "fa".to_owned();
        for (measure, word, is_mean) in [
            (Measure::Count, "counts", false),
            (Measure::Weight, "weights", false),
            (Measure::MeanLength, "lengths", true),
            (Measure::Mean(fa()), "mean_fa", true),
            (Measure::Sum(fa()), "sum_fa", false),
        ] {
            assert_eq!((measure.word().as_str(), measure.is_mean()), (word, is_mean));
            assert_eq!(Measure::of_word(word), Some(measure));
        }
        assert_eq!(Measure::of_word("count"), None);
    }
}
