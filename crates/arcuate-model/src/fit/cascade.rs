//! Puts the fits of several models in order, because a model can start from the result of another model's
//! fit.

use crate::language::{Form, Model, Parameter, Start};
use crate::models;
use arcuate_core::{Error, Result};

/// A model, and a list of those of its parameters that start from the fits of earlier models.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) model: Model,
    pub(super) given: Vec<Given>,
}

/// A parameter whose starting value is the fitted value of another model's parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// Index of the parameter in its model.
    pub(super) parameter: usize,
    /// Index of the other model in the order of the fits.
    pub(super) link: usize,
    /// Index of the other model's parameter, whose fitted value is the starting value.
    pub(super) from: usize,
}

/// Checks that every model from which another model starts exists and has suitable parameters. Models are
/// found among `models` and the built-in models.
///
/// # Errors
/// Returns an error if a model starts from an unknown model, or from a parameter that the other model does
/// not have. Also returns an error if the two parameters differ in kind (number or orientation) or in unit,
/// or if models start from each other in a circle.
pub fn check_starts(models: &[Model]) -> Result<()> {
    in_order(models).map(|_| ())
}

/// Returns all models to fit in the order of their fits, and the indices of the requested models in this
/// order. Each model comes after the models that it starts from.
pub(super) fn in_order(models: &[Model]) -> Result<(Vec<Link>, Vec<usize>)> {
    let mut order = Order { models, links: Vec::new() };
    let mut requested = Vec::new();
    for (n, model) in models.iter().enumerate() {
        if models[..n].iter().any(|other| other.name() == model.name()) {
            let advice = "give each once; of two files change `name` in one";
            return Err(Error::usage(model.name(), "two models have this name", advice));
        }
        requested.push(order.add(model)?);
    }
    Ok((order.links, requested))
}

struct Order<'a> {
    models: &'a [Model],
    links: Vec<Link>,
}

/// A model that waits until all models that it starts from have been added to the order of the fits.
struct Open {
    model: Model,
    given: Vec<Given>,
    /// Index of the next parameter to examine.
    next: usize,
}

impl Order<'_> {
    /// Adds a model to the order of the fits, after the models that it starts from. Uses an explicit stack
    /// instead of recursion, because chains of models can be long.
    fn add(&mut self, model: &Model) -> Result<usize> {
        let mut open = vec![Open { model: model.clone(), given: Vec::new(), next: 0 }];
        while let Some(mut top) = open.pop() {
            if self.place(top.model.name()).is_some() {
                continue;
            }
            match self.go_on(&mut top, &open)? {
                Some(other) => {
                    open.push(top);
                    open.push(Open { model: other, given: Vec::new(), next: 0 });
                }
                None => self.links.push(Link { model: top.model, given: top.given }),
            }
        }
        Ok(self.place(model.name()).unwrap_or_default())
    }

    /// Examines the remaining parameters of a model. If a parameter starts from a model that has not been
    /// added to the order of the fits, returns that model.
    fn go_on(&self, top: &mut Open, above: &[Open]) -> Result<Option<Model>> {
        let Open { model, given, next } = top;
        while let Some(declared) = model.parameters().get(*next) {
            let parameter = *next;
            let Start::Model { model: name, parameter: missing } = declared.start() else {
                *next += 1;
                continue;
            };
            let names = || above.iter().map(|open| open.model.name()).chain([model.name()]);
            if let Some(first) = names().position(|above| above == name) {
                let circle = names().skip(first).collect::<Vec<_>>().join(", which starts from ");
                let problem = format!("`{}` starts from {circle}: a circle", declared.name());
                return Err(model.wrong(
                    parameter,
                    problem,
                    "let one of them start from numbers or the tensor",
                ));
            }
            let other = self.model(name).ok_or_else(|| {
                let problem =
                    format!("`{}` starts from the model {name}, which is not there", declared.name());
                let mut known: Vec<&str> = self.models.iter().map(Model::name).collect();
                for name in models::model_names() {
                    known.push(name);
                }
                let otherwise =
                    "name one that `arcuate fit --list` lists, or give both models, separated by a comma";
                model.wrong(parameter, problem, crate::language::did_you_mean(name, known, otherwise))
            })?;
            let from = other.parameter_of(missing).ok_or_else(|| {
                let problem = format!(
                    "`{}` starts from `{missing}` of {name}, which does not have this parameter",
                    declared.name()
                );
                let known: Vec<&str> = other.parameters().iter().map(Parameter::name).collect();
                let otherwise = format!("it has {}", known.join(", "));
                model.wrong(parameter, problem, crate::language::did_you_mean(missing, known, otherwise))
            })?;
            check_kind(model, parameter, &other, from)?;
            let Some(link) = self.place(other.name()) else { return Ok(Some(other)) };
            given.push(Given { parameter, link, from });
            *next += 1;
        }
        Ok(None)
    }

    /// Returns the index of a model in the order of the fits.
    fn place(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.model.name() == name)
    }

    fn model(&self, name: &str) -> Option<Model> {
        let given = self.models.iter().find(|other| other.name() == name).cloned();
        given.or_else(|| models::model(name).ok())
    }
}

/// Returns an error if the fitted value of the other model's parameter cannot be the starting value of this
/// parameter.
fn check_kind(model: &Model, n: usize, other: &Model, from: usize) -> Result<()> {
    let (own, others) = (&model.parameters()[n], &other.parameters()[from]);
    let starts = format!("`{}` starts from `{}` of {}", own.name(), others.name(), other.name());
    let kind = |form: &Form| match form {
        Form::Number { .. } => "a number",
        Form::Orientation { .. } => "an orientation",
    };
    let kinds = [own, others].map(|parameter| kind(parameter.form()));
    if kinds[0] != kinds[1] {
        let problem = format!("{starts}: {} from {}", kinds[0], kinds[1]);
        return Err(model.wrong(n, problem, "name a parameter of the same kind"));
    }
    let dimensions = [own, others].map(|parameter| parameter.unit().dimension());
    if dimensions[0] != dimensions[1] {
        let problem =
            format!("{starts}, and their units do not fit: {} and {}", dimensions[0], dimensions[1]);
        return Err(model.wrong(n, problem, "name a parameter of the same unit"));
    }
    Ok(())
}
