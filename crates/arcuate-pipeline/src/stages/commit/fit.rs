//! Options of the solver and of its penalties.

use super::groups::Groups;
use crate::record::Record;
use crate::stages::evaluation::check_fraction;
use arcuate_core::{Error, Result, is_file_or_link};
use arcuate_evaluate::commit::{CommitSolver, FitOptions, GroupWeights, Penalty, StreamlineGroups, Strength};
use std::path::{Path, PathBuf};

/// A penalty on the amounts of streamlines, which reduces the number of streamlines with a weight above 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Regularise {
    /// No penalty.
    #[default]
    None,
    /// λ Σ x (lasso): selects few streamlines.
    Lasso,
    /// λ Σ w ‖x_g‖ (group lasso): selects few groups (COMMIT2).
    GroupSparse,
    /// Both the lasso and the group lasso.
    SparseGroup,
}

/// Options of the fit: penalties and solver.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitFit {
    /// The penalty on streamlines.
    pub regularise: Regularise,
    /// Groups of streamlines. A text file has the group name of each streamline, one per line (- for none). Otherwise
    /// the text is a comma-separated list of groups in the tractogram, or `all` for all of its groups.
    pub groups: Option<String>,
    /// Definition of the weight w of a group's penalty.
    pub group_weights: GroupWeights,
    /// Strength of the penalty λ, from 0 to below 1, as a fraction of the smallest λ that removes all streamlines.
    /// [`Regularise::SparseGroup`] takes two values: for streamlines and for groups.
    pub lambda: Option<Vec<f64>>,
    /// Strength of a penalty λ Σ x on the extra-axonal amounts, as a fraction of the maximum of Aᵀy over these amounts.
    pub lambda_extra: Option<f64>,
    /// Strength of a penalty λ Σ x on the isotropic amounts, as a fraction of the maximum of Aᵀy over these amounts.
    pub lambda_isotropic: Option<f64>,
    /// True if every λ is an absolute value in the unit of Aᵀy, and not a fraction.
    pub absolute_lambda: bool,
    /// Number of penalties on a path, from the smallest penalty that removes all streamlines down to `lambda`. Each fit
    /// starts from the solution of the previous one.
    pub lambda_curve: Option<usize>,
    /// True if the amounts above 0 of a fit with a penalty are fitted again without the penalty.
    pub debias: bool,
    /// Solver algorithm. Default: projected Barzilai–Borwein, or FISTA if there is a penalty or `gap` is set.
    pub solver: Option<CommitSolver>,
    /// Iterations stop if the projected gradient is at most this fraction of its value at x = 0.
    pub tolerance: f64,
    /// If set, iterations stop instead when the duality gap guarantees that the objective is within this fraction of
    /// its minimum.
    pub gap: Option<f64>,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Default for CommitFit {
    /// Creates options without penalties.
    fn default() -> Self {
        Self {
            regularise: Regularise::default(),
            groups: None,
            group_weights: GroupWeights::default(),
            lambda: None,
            lambda_extra: None,
            lambda_isotropic: None,
            absolute_lambda: false,
            lambda_curve: None,
            debias: false,
            solver: None,
            tolerance: 1e-5,
            gap: None,
            iterations: 2000,
        }
    }
}

impl CommitFit {
    /// Returns the name of the option for amounts along peaks, and whether it was set.
    pub(super) fn given_along_peaks(&self) -> (&'static str, bool) {
        ("‘lambda_extra’", self.lambda_extra.is_some())
    }

    /// Checks the options before any file is read.
    ///
    /// # Errors
    /// Returns an error that names the option, if an option is out of range or contradicts another option.
    pub fn check(&self) -> Result<()> {
        for (option, value) in [("‘tolerance’", Some(self.tolerance)), ("‘gap’", self.gap)] {
            if let Some(value) = value {
                check_fraction(option, value)?;
            }
        }
        if self.lambda_curve.is_some_and(|points| !(2..=1000).contains(&points)) {
            return Err(Error::usage(
                "‘lambda_curve’",
                "this number of penalties for the curve is not possible",
                "give 2 to 1000",
            ));
        }
        let penalised = self.is_penalised();
        let grouped = matches!(self.regularise, Regularise::GroupSparse | Regularise::SparseGroup);
        let wrong = |option: &str, problem: &str, advice: &str| Err(Error::usage(option, problem, advice));
        match (&self.lambda, self.regularise != Regularise::None) {
            (None, true) => {
                return wrong("‘regularise’", "its strength is not said", "give ‘lambda’, such as 0.1");
            }
            (Some(_), false) => {
                return wrong("‘lambda’", "it has no effect without a penalty", "give ‘regularise’");
            }
            _ => {}
        }
        if grouped != self.groups.is_some() {
            return if grouped {
                wrong("‘regularise’", "the groups are not said", "give ‘groups’")
            } else {
                wrong(
                    "‘groups’",
                    "it has no effect without a penalty on groups",
                    "give ‘regularise’ \
                    group-sparse",
                )
            };
        }
        if self.group_weights == GroupWeights::Adaptive && !grouped {
            return wrong(
                "‘group_weights’",
                "it has no effect without a penalty on groups",
                "give ‘regularise’ group-sparse",
            );
        }
        if self.debias && !penalised {
            return wrong("‘debias’", "without a penalty there is no bias", "give ‘regularise’");
        }
        if penalised && self.solver == Some(CommitSolver::BarzilaiBorwein) {
            return wrong("‘solver’", "barzilai-borwein takes no penalties", "choose fista");
        }
        if self.gap.is_some() && self.solver == Some(CommitSolver::BarzilaiBorwein) {
            return wrong("‘gap’", "barzilai-borwein does not stop by it", "choose ‘solver’ fista");
        }
        if self.absolute_lambda && !penalised {
            return wrong("‘absolute_lambda’", "it has no effect without a penalty", "give ‘regularise’");
        }
        let others = [("‘lambda_extra’", self.lambda_extra), ("‘lambda_isotropic’", self.lambda_isotropic)];
        let others = others.into_iter().filter_map(|(option, value)| Some((option, value?)));
        for (option, value) in self.lambda.iter().flatten().map(|&value| ("‘lambda’", value)).chain(others)
        {
            Strength::Absolute(value).check().map_err(|e| e.about(option))?;
            if !self.absolute_lambda && value > 1.0 {
                let problem = format!(
                    "{value} is not a fraction of the smallest penalty that sets all \
                                       weights to 0"
                );
                return wrong(option, &problem, "give a number from 0 to 1, or ‘absolute_lambda’");
            }
        }
        let wanted = if self.regularise == Regularise::SparseGroup { 2 } else { 1 };
        match self.lambda.as_ref().map(Vec::len) {
            Some(given) if given != wanted => {
                return wrong(
                    "‘lambda’",
                    &format!("{given} numbers for {wanted} penalties"),
                    "give one number, and two with commas between for sparse-group",
                );
            }
            _ => {}
        }
        if self.lambda_curve.is_some() {
            // Successive penalties on a path have a constant ratio, so a path cannot end at 0.
            let smallest =
                self.lambda.iter().flatten().copied().filter(|&value| value > 0.0).reduce(f64::min);
            if smallest.is_none_or(|value| !self.absolute_lambda && value >= 1.0) {
                let problem = "no curve leads to this ‘lambda’ from the smallest that leaves nothing";
                return wrong("‘lambda_curve’", problem, "give a ‘lambda’ above 0 and below 1");
            }
        }
        Ok(())
    }

    /// Reads the groups of streamlines, if there are any.
    pub(super) fn groups(&self, tractogram: Option<&Path>, streamlines: usize) -> Result<Option<Groups>> {
        self.groups.as_ref().map(|text| Groups::read(text, tractogram, streamlines)).transpose()
    }

    /// Returns the file of the groups, if `groups` is a file.
    pub(super) fn groups_file(&self) -> Option<PathBuf> {
        self.groups.as_deref().map(PathBuf::from).filter(|path| is_file_or_link(path))
    }

    /// Returns the options of the solver. The options must have passed [`check`](Self::check). `group_of` is the group
    /// of each streamline, for penalties on groups.
    ///
    /// # Errors
    /// Returns an error if no streamline is in a group.
    pub fn options(&self, group_of: Option<&[Option<u32>]>) -> Result<FitOptions> {
        let strength = |value: f64| {
            if self.absolute_lambda { Strength::Absolute(value) } else { Strength::Fraction(value) }
        };
        let lambdas: Vec<Strength> = self.lambda.iter().flatten().map(|&value| strength(value)).collect();
        let groups = match (group_of, lambdas.last()) {
            (Some(group_of), Some(&last)) => {
                Some((StreamlineGroups::new(group_of, self.group_weights)?, last))
            }
            _ => None,
        };
        let streamlines = match self.regularise {
            Regularise::Lasso | Regularise::SparseGroup => lambdas.first().copied(),
            Regularise::None | Regularise::GroupSparse => None,
        };
        Ok(FitOptions {
            solver: self.solver(),
            tolerance: self.tolerance,
            gap: self.gap,
            iterations: self.iterations,
            penalty: Penalty {
                streamlines,
                groups,
                extra: self.lambda_extra.map(strength),
                isotropic: self.lambda_isotropic.map(strength),
            },
            path: self.lambda_curve.unwrap_or(1),
            debias: self.debias,
        })
    }

    fn is_penalised(&self) -> bool {
        let others = self.lambda_extra.is_some() || self.lambda_isotropic.is_some();
        self.regularise != Regularise::None || others
    }

    /// Returns the solver. [`check`](Self::check) has rejected options that the solver does not support.
    fn solver(&self) -> CommitSolver {
        let only_fista = self.is_penalised() || self.gap.is_some();
        self.solver.unwrap_or(if only_fista { CommitSolver::Fista } else { CommitSolver::BarzilaiBorwein })
    }

    pub(super) fn has_curve(&self) -> bool {
        self.lambda_curve.is_some()
    }

    /// Adds the solver to the record.
    pub(super) fn describe(&self, record: &mut Record) {
        record.choice(
            "solver",
            match self.solver() {
                CommitSolver::BarzilaiBorwein => "projected Barzilai–Borwein",
                CommitSolver::Fista => "FISTA",
            },
        );
    }
}
