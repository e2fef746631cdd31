//! Checks the priors of a model's parameters.

use super::model::{Form, Model, Parameter};
use super::prior::Prior;
use arcuate_core::Result;

impl Model {
    /// Replaces the prior of the parameter with this index, and checks the new prior. Returns an error if the
    /// new prior is not valid.
    pub fn with_prior(mut self, parameter: usize, prior: Prior) -> Result<Self> {
        self.parameters[parameter].prior = prior;
        self.check_prior(parameter)?;
        Ok(self)
    }

    /// Returns an error if the parameter's prior is not valid for a parameter of this kind (scalar or
    /// orientation).
    pub(super) fn check_prior(&self, parameter: usize) -> Result<()> {
        let Parameter { name, form, prior, place, .. } = &self.parameters[parameter];
        let refuse = |problem: String, advice: &str| Err(self.source.error(*place, problem, advice));
        match (form, prior) {
            (_, Prior::Uniform) => Ok(()),
            (_, Prior::Energy(_)) => self.energy_program(&self.own_roles(), false).map(|_| ()),
            (Form::Orientation { .. }, _) => refuse(
                format!("the prior of the orientation `{name}` is one of numbers"),
                "write uniform or energy(formula)",
            ),
            (Form::Number { bounds, .. }, prior) if prior.needs_positive() && bounds.low < 0.0 => refuse(
                format!("`{name}` can be below 0, where its prior is none"),
                "bound it by 0, or choose another prior",
            ),
            (Form::Number { bounds, .. }, Prior::Relevance { least, .. }) if *least >= bounds.high => refuse(
                format!("the prior of `{name}` is 0 below {least}, and it is at most {}", bounds.high),
                "write ard(weight, least) with a smaller number",
            ),
            _ => Ok(()),
        }
    }
}
