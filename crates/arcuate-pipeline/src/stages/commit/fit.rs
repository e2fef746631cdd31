//! The solver and its penalties.

use super::groups::Groups;
use crate::record::Record;
use crate::stages::evaluation::check_fraction;
use arcuate_core::{Error, Result, is_file_or_link};
use arcuate_evaluate::commit::{CommitSolver, FitOptions, GroupWeights, Penalty, StreamlineGroups, Strength};
use std::path::{Path, PathBuf};

/// A penalty on streamlines, which leaves fewer of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Regularise {
    /// None.
    #[default]
    None,
    /// λ Σ x: few streamlines.
    Lasso,
    /// λ Σ w ‖x_g‖: few groups (COMMIT2).
    GroupSparse,
    /// Both.
    SparseGroup,
}

/// How amounts are found.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitFit {
    /// The penalty on streamlines.
    pub regularise: Regularise,
    /// Groups of streamlines: a text file with the name of a group for each streamline, one a line (- for none), or names of
    /// groups of the tractogram with commas between, or `all` of them.
    pub groups: Option<String>,
    /// What a group's penalty is multiplied with.
    pub group_weights: GroupWeights,
    /// Strength of the penalty: a fraction of the smallest that leaves no streamline, from 0 up to 1; of
    /// [`Regularise::SparseGroup`] two, of streamlines and of groups.
    pub lambda: Option<Vec<f64>>,
    /// Strength of a penalty λ Σ x on the extra-axonal amounts, a fraction of max(Aᵀy) over them.
    pub lambda_extra: Option<f64>,
    /// The same on the isotropic amounts.
    pub lambda_isotropic: Option<f64>,
    /// Whether every λ is taken as it is, in the unit of Aᵀy, and not as a fraction.
    pub absolute_lambda: bool,
    /// Fit so many penalties, from the smallest that leaves nothing down to `lambda`, each from the one before.
    pub lambda_curve: Option<usize>,
    /// Whether what a fit with a penalty left above 0 is fitted once more without it.
    pub debias: bool,
    /// The algorithm; Barzilai and Borwein's by default, and FISTA with a penalty or `gap`.
    pub solver: Option<CommitSolver>,
    /// Iterations end below this fraction of the projected gradient with all amounts at 0.
    pub tolerance: f64,
    /// Iterations end instead where the objective is certain to be within this fraction of its minimum.
    pub gap: Option<f64>,
    /// Iterations at most.
    pub iterations: usize,
}

impl Default for CommitFit {
    /// Without penalties.
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
    /// The parameter of the amounts along peaks, and whether it was given.
    pub(super) fn given_along_peaks(&self) -> (&'static str, bool) {
        ("‘lambda_extra’", self.lambda_extra.is_some())
    }

    /// What can be said of them before any file is read.
    /// Fails on what does not go together.
    ///
    /// # Errors
    /// Names the parameter.
    pub fn check(&self) -> Result<()> {
        for (option, value) in [("‘tolerance’", Some(self.tolerance)), ("‘gap’", self.gap)] {
            if let Some(value) = value {
                check_fraction(option, value)?;
            }
        }
        if self.lambda_curve.is_some_and(|points| !(2..=1000).contains(&points)) {
            return Err(Error::usage(
                "‘lambda_curve’",
                "it is no curve of that many points",
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
                return wrong("‘lambda’", "there is no penalty it could be of", "give ‘regularise’");
            }
            _ => {}
        }
        if grouped != self.groups.is_some() {
            return if grouped {
                wrong("‘regularise’", "the groups are not said", "give ‘groups’")
            } else {
                wrong("‘groups’", "no penalty on groups is asked for", "give ‘regularise’ group-sparse")
            };
        }
        if self.group_weights == GroupWeights::Adaptive && !grouped {
            return wrong(
                "‘group_weights’",
                "no penalty on groups is asked for",
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
            return wrong("‘absolute_lambda’", "there is no penalty it could be of", "give ‘regularise’");
        }
        let others = [("‘lambda_extra’", self.lambda_extra), ("‘lambda_isotropic’", self.lambda_isotropic)];
        let others = others.into_iter().filter_map(|(option, value)| Some((option, value?)));
        for (option, value) in self.lambda.iter().flatten().map(|&value| ("‘lambda’", value)).chain(others)
        {
            Strength::Absolute(value).check().map_err(|e| e.about(option))?;
            if !self.absolute_lambda && value > 1.0 {
                let problem = format!("{value} is no fraction of the penalty that leaves nothing");
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
            // Ratios are equal along the curve, and none leads to 0.
            let smallest =
                self.lambda.iter().flatten().copied().filter(|&value| value > 0.0).reduce(f64::min);
            if smallest.is_none_or(|value| !self.absolute_lambda && value >= 1.0) {
                let problem = "no curve leads to this ‘lambda’ from the smallest that leaves nothing";
                return wrong("‘lambda_curve’", problem, "give a ‘lambda’ above 0 and below 1");
            }
        }
        Ok(())
    }

    /// The groups, where there are any.
    pub(super) fn groups(&self, tractogram: Option<&Path>, streamlines: usize) -> Result<Option<Groups>> {
        self.groups.as_ref().map(|text| Groups::read(text, tractogram, streamlines)).transpose()
    }

    /// The file of the groups, where they are in one.
    pub(super) fn groups_file(&self) -> Option<PathBuf> {
        self.groups.as_deref().map(PathBuf::from).filter(|path| is_file_or_link(path))
    }

    /// The options of the solver, where those of [`check`](Self::check) hold; with the group of each streamline, where penalties are
    /// of groups.
    ///
    /// # Errors
    /// Where groups are none.
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

    /// The algorithm that is meant; what it cannot do [`check`](Self::check) has refused.
    fn solver(&self) -> CommitSolver {
        let only_fista = self.is_penalised() || self.gap.is_some();
        self.solver.unwrap_or(if only_fista { CommitSolver::Fista } else { CommitSolver::BarzilaiBorwein })
    }

    pub(super) fn has_curve(&self) -> bool {
        self.lambda_curve.is_some()
    }

    /// Notes what was chosen.
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
