/// What the values of a matrix are, for the streamlines of each of its entries.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Their number.
    Count,
    /// The sum of their weights.
    Weight,
    /// Their mean length in mm, 0 where there is none.
    MeanLength,
    /// The mean of a value of this name that each of them has, such as the mean of a map along it; 0 where there is none.
    Mean(String),
    /// The sum of a value of this name that each of them has.
    Sum(String),
}

impl Measure {
    /// What it is called in the names of files and on axes of plots: `counts`, `weights`, `lengths`, `mean_fa`, `sum_fa`.
    pub fn word(&self) -> String {
        match self {
            Self::Count => "counts".to_owned(),
            Self::Weight => "weights".to_owned(),
            Self::MeanLength => "lengths".to_owned(),
            Self::Mean(name) => format!("mean_{name}"),
            Self::Sum(name) => format!("sum_{name}"),
        }
    }

    /// The measure of this [`word`](Self::word).
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

    /// Whether it is a sum over streamlines that is divided by their number.
    pub fn is_mean(&self) -> bool {
        matches!(self, Self::MeanLength | Self::Mean(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_measures() {
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
