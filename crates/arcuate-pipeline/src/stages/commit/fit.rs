//! Options of the COMMIT solver and of its penalties.

use super::groups::Groups;
use crate::record::Record;
use crate::stages::evaluation::check_fraction;
use arcuate_core::{Error, Result, is_file_or_link};
use arcuate_evaluate::commit::{CommitSolver, FitOptions, GroupWeights, Penalty, StreamlineGroups, Strength};
use std::path::{Path, PathBuf};

/// A penalty on the unknowns x of streamlines (their contributions to the signal). It reduces the number of
/// streamlines with a weight above 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Regularise {
    /// No penalty.
    #[default]
    None,
    /// λ Σ x (lasso): selects few streamlines.
    Lasso,
    /// λ Σ w ‖x_g‖, summed over groups g of streamlines (group lasso): selects few groups, as in COMMIT2.
    GroupSparse,
    /// Both the lasso and the group lasso.
    SparseGroup,
}

/// Options of the fit: penalties and solver.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitFit {
    /// The penalty on streamlines.
    pub regularise: Regularise,
    /// Groups of streamlines: the path of a text file, a comma-separated list of groups in the tractogram, or
    /// `all` for all of its groups. The text file has one line per streamline with the name of its group (-
    /// for no group).
    pub groups: Option<String>,
    /// Definition of the weight w that each group has in the penalty λ Σ w ‖x_g‖ on groups.
    pub group_weights: GroupWeights,
    /// Strength λ of the penalty on streamlines, as a fraction of the smallest λ that removes all
    /// streamlines. It is at least 0 and below 1. [`Regularise::SparseGroup`] needs two values: for
    /// streamlines, then for groups.
    pub lambda: Option<Vec<f64>>,
    /// Strength λ of a penalty λ Σ x on the contributions x of the extra-axonal compartments. It is a
    /// fraction of the maximum of Aᵀy over these unknowns, for the linear operator A and the data y.
    pub lambda_extra: Option<f64>,
    /// Strength λ of a penalty λ Σ x on the contributions x of the isotropic compartments. It is a fraction
    /// of the maximum of Aᵀy over these unknowns, for the linear operator A and the data y.
    pub lambda_isotropic: Option<f64>,
    /// True if the strengths λ of all penalties are absolute values, in the unit of Aᵀy (linear operator A,
    /// data y). False if they are fractions.
    pub absolute_lambda: bool,
    /// Number of fits with decreasing penalties. The first has the smallest penalty that removes all
    /// streamlines, and the last has the penalty `lambda`. Each fit starts from the solution of the previous
    /// fit.
    pub lambda_curve: Option<usize>,
    /// True if a second fit without the penalty follows. In the second fit, unknowns that were 0 after the
    /// first fit stay 0.
    pub debias: bool,
    /// Solver algorithm. The default is FISTA if there is a penalty or if `gap` is set. If not, the default
    /// is the projected Barzilai–Borwein method.
    pub solver: Option<CommitSolver>,
    /// Iterations stop if the norm of the projected gradient is at most this fraction of its norm at the
    /// start, where all unknowns are 0.
    pub tolerance: f64,
    /// If it is set, this stopping criterion replaces `tolerance`: the duality gap guarantees that the
    /// objective is within this fraction of its minimum.
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
    /// Returns the name of the penalty option of the extra-axonal compartments (which are along peaks), and
    /// whether it was set.
    pub(super) fn given_along_peaks(&self) -> (&'static str, bool) {
        ("‘lambda_extra’", self.lambda_extra.is_some())
    }

    /// Checks the options of the fit, without reading a file.
    ///
    /// # Errors
    /// Returns an error if an option is out of range or contradicts another option. The error contains the
    /// name of the option.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        for (option, value) in [("‘tolerance’", Some(self.tolerance)), ("‘gap’", self.gap)] {
            if let Some(value) = value {
                check_fraction(option, value)?;
            }
        }
        if self.lambda_curve.is_some_and(|points| !(2..=1000).contains(&points)) {
            return Err(Error::usage(
                "‘lambda_curve’",
                "this number of penalty strengths is not possible for the curve of fits",
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
        let requested = if self.regularise == Regularise::SparseGroup { 2 } else { 1 };
        match self.lambda.as_ref().map(Vec::len) {
            Some(given) if given != requested => {
                return wrong(
                    "‘lambda’",
                    &format!("{given} numbers for {requested} penalties"),
                    "give one number, and two with commas between for sparse-group",
                );
            }
            _ => {}
        }
        if self.lambda_curve.is_some() {
            // Each penalty of the sequence is the previous one times a constant factor, so the last penalty
            // cannot be 0.
            let smallest =
                self.lambda.iter().flatten().copied().filter(|&value| value > 0.0).reduce(f64::min);
            if smallest.is_none_or(|value| !self.absolute_lambda && value >= 1.0) {
                let problem = "no curve leads to this ‘lambda’ from the smallest that leaves nothing";
                return wrong("‘lambda_curve’", problem, "give a ‘lambda’ above 0 and below 1");
            }
        }
        Ok(())
    }

    /// Reads the groups of streamlines. Returns `None` if the option `groups` is not set.
    pub(super) fn groups(&self, tractogram: Option<&Path>, streamlines: usize) -> Result<Option<Groups>> {
        self.groups.as_ref().map(|text| Groups::read(text, tractogram, streamlines)).transpose()
    }

    /// Returns the path of the file of groups, if the option `groups` is the path of a file.
    pub(super) fn groups_file(&self) -> Option<PathBuf> {
        self.groups.as_deref().map(PathBuf::from).filter(|path| is_file_or_link(path))
    }

    /// Converts the options of the fit to those of the solver. [`check`](Self::check) must have accepted
    /// them. `group_of` is the group of each streamline, if there is a penalty on groups.
    ///
    /// # Errors
    /// Returns an error if there is a penalty on groups but no streamline is in a group.
    #[doc(hidden)]
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

    /// Returns the solver algorithm that the user chose, or the default. [`check`](Self::check) has rejected
    /// options that the chosen solver does not support.
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
