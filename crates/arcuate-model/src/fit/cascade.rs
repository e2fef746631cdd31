//! Models that start from fits of other models: which, and in which order they are fitted.

use crate::language::{Form, Model, Parameter, Start};
use crate::models;
use arcuate_core::{Error, Result};

/// A model, and what it takes from those before it.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) model: Model,
    pub(super) given: Vec<Given>,
}

/// A parameter that starts from another model's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// The parameter's place in its model.
    pub(super) parameter: usize,
    /// The other model's place in the order.
    pub(super) link: usize,
    /// Its parameter's place in it.
    pub(super) from: usize,
}

/// Fails where models start from models that are not there, from parameters that these do not have or that are of another
/// kind or unit, or in a circle. Models are found among `models` and those that come with Arcuate.
pub fn check_starts(models: &[Model]) -> Result<()> {
    in_order(models).map(|_| ())
}

/// The models and those that they start from, each after what it starts from, and the places of those that were asked for.
pub(super) fn in_order(models: &[Model]) -> Result<(Vec<Link>, Vec<usize>)> {
    let mut order = Order { models, links: Vec::new() };
    let mut asked = Vec::new();
    for (n, model) in models.iter().enumerate() {
        if models[..n].iter().any(|other| other.name() == model.name()) {
            let advice = "give each once; of two files change `name` in one";
            return Err(Error::usage(model.name(), "two models have this name", advice));
        }
        asked.push(order.add(model)?);
    }
    Ok((order.links, asked))
}

struct Order<'a> {
    models: &'a [Model],
    links: Vec<Link>,
}

/// A model that waits for those that it starts from.
struct Open {
    model: Model,
    given: Vec<Given>,
    /// The parameter that is looked at next.
    next: usize,
}

impl Order<'_> {
    /// Adds a model behind those that it starts from, from a list of those that wait: chains of models can be long.
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

    /// Goes through the parameters of a model from where it waited; answers the model that must be there first, if there is one.
    fn go_on(&self, top: &mut Open, above: &[Open]) -> Result<Option<Model>> {
        let Open { model, given, next } = top;
        while let Some(declared) = model.parameters().get(*next) {
            let parameter = *next;
            let Start::Model { model: name, parameter: wanted } = declared.start() else {
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
            let from = other.parameter_of(wanted).ok_or_else(|| {
                let problem = format!(
                    "`{}` starts from `{wanted}` of {name}, which is no parameter of it",
                    declared.name()
                );
                let known: Vec<&str> = other.parameters().iter().map(Parameter::name).collect();
                let otherwise = format!("it has {}", known.join(", "));
                model.wrong(parameter, problem, crate::language::did_you_mean(wanted, known, otherwise))
            })?;
            check_kind(model, parameter, &other, from)?;
            let Some(link) = self.place(other.name()) else { return Ok(Some(other)) };
            given.push(Given { parameter, link, from });
            *next += 1;
        }
        Ok(None)
    }

    /// The place of a model in the order.
    fn place(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.model.name() == name)
    }

    fn model(&self, name: &str) -> Option<Model> {
        let given = self.models.iter().find(|other| other.name() == name).cloned();
        given.or_else(|| models::model(name).ok())
    }
}

/// Fails where a parameter cannot take over the values of another one.
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
