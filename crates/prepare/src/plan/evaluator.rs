//! What is known about a value before the program runs: constants, and objects and lists with constants in them.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Number, Value as Json, json};

use super::graph::{Call, CallKind, Graph, Passed};
use super::ids::{BindingId, FunctionId, ListRef};
use super::shapes::{MAX_DEPTH, Shape, integer_text};

/// Constants of one argument, beyond which it is not described.
const MAX_CHOICES: usize = 32;
/// The largest description of one argument. A unit is a value, or eight bytes of text.
const MAX_UNITS: usize = 4_096;

/// A value that is known, as far as it is.
#[derive(Debug, Clone)]
pub(super) enum Known {
    Any,
    /// One of these constants, none of which has parts.
    OneOf(Vec<Json>),
    Object {
        members: Vec<(Rc<str>, Rc<Known>)>,
        is_open: bool,
    },
    List {
        items: Vec<Rc<Known>>,
        is_open: bool,
    },
}

impl Known {
    fn one(value: Json) -> Self {
        Known::OneOf(vec![value])
    }

    fn constants(&self) -> Option<&[Json]> {
        match self {
            Known::OneOf(values) => Some(values),
            _ => None,
        }
    }

    /// The same without what its parts refer to.
    fn without_parts(&self) -> Known {
        let only = |part: &Rc<Known>| if part.constants().is_some() { part.clone() } else { Rc::new(Known::Any) };
        match self {
            Known::Object { members, is_open } => Known::Object {
                members: members.iter().map(|(key, part)| (key.clone(), only(part))).collect(),
                is_open: *is_open,
            },
            Known::List { items, is_open } => {
                Known::List { items: items.iter().map(only).collect(), is_open: *is_open }
            }
            other => other.clone(),
        }
    }

    /// The form in a plan.
    pub(super) fn json(&self) -> Json {
        if let Some(value) = self.whole() {
            return json!({ "value": value });
        }
        match self {
            Known::Any => json!({ "any": true }),
            Known::OneOf(values) => json!({ "oneOf": values }),
            Known::Object { members, is_open } => {
                let members: serde_json::Map<_, _> =
                    members.iter().map(|(key, part)| (key.to_string(), part.json())).collect();
                if *is_open { json!({ "object": members, "more": true }) } else { json!({ "object": members }) }
            }
            Known::List { items, is_open } => {
                let items: Vec<_> = items.iter().map(|part| part.json()).collect();
                if *is_open { json!({ "list": items, "more": true }) } else { json!({ "list": items }) }
            }
        }
    }

    /// The value, if all of it is known.
    fn whole(&self) -> Option<Json> {
        match self {
            Known::OneOf(values) if values.len() == 1 => Some(values[0].clone()),
            Known::Object { members, is_open: false } => {
                let members = members.iter().map(|(key, part)| Some((key.to_string(), part.whole()?)));
                members.collect::<Option<serde_json::Map<_, _>>>().map(Json::Object)
            }
            Known::List { items, is_open: false } => {
                items.iter().map(|part| part.whole()).collect::<Option<Vec<_>>>().map(Json::Array)
            }
            _ => None,
        }
    }

    pub(super) fn units(&self) -> usize {
        let text = |value: &Json| value.as_str().map_or(1, |text| 1 + text.len() / 8);
        match self {
            Known::Any => 1,
            Known::OneOf(values) => values.iter().map(text).sum(),
            Known::Object { members, .. } => {
                1 + members.iter().map(|(key, part)| key.len() / 8 + part.units()).sum::<usize>()
            }
            Known::List { items, .. } => 1 + items.iter().map(|part| part.units()).sum::<usize>(),
        }
    }
}

/// Evaluates shapes in a solved graph.
pub(super) struct Evaluator<'g, 'a> {
    graph: &'g Graph<'a>,
    /// `None`: under way.
    variables: HashMap<BindingId, Option<Rc<Known>>>,
    parameters: HashMap<(FunctionId, u32), Option<Rc<Known>>>,
}

impl<'g, 'a> Evaluator<'g, 'a> {
    pub(super) fn new(graph: &'g Graph<'a>) -> Self {
        Self { graph, variables: HashMap::new(), parameters: HashMap::new() }
    }

    pub(super) fn known(&mut self, shape: &Shape) -> Rc<Known> {
        let known = self.evaluate(shape, 0);
        if known.units() > MAX_UNITS { Rc::new(Known::Any) } else { known }
    }

    /// What a call passes. `None` at the end: any number of further arguments.
    pub(super) fn arguments(&mut self, call: &Call) -> Vec<Option<Rc<Known>>> {
        if let CallKind::Callback { list, passed } = call.kind {
            let any = Rc::new(Known::Any);
            let first = if passed == Passed::Element { self.element(list, 0) } else { any.clone() };
            // Its index, and the list.
            return vec![Some(first), Some(any), None];
        }
        let mut known = Vec::new();
        for argument in call.arguments.iter() {
            if argument.is_spread {
                known.push(None);
                break;
            }
            known.push(Some(self.known(&argument.shape)));
        }
        known
    }

    /// The number that a shape stands for.
    pub(super) fn number(&mut self, shape: &Shape) -> Option<f64> {
        match self.known(shape).constants() {
            Some([value]) => value.as_f64(),
            _ => None,
        }
    }

    fn evaluate(&mut self, shape: &Shape, depth: usize) -> Rc<Known> {
        if depth > MAX_DEPTH {
            return Rc::new(Known::Any);
        }
        let known = match shape {
            Shape::Any => Known::Any,
            Shape::Null => Known::one(Json::Null),
            Shape::Bool(value) => Known::one(Json::Bool(*value)),
            Shape::Number(value) => number(*value).map_or(Known::Any, Known::one),
            Shape::Text(text) if text.len() > MAX_UNITS * 8 => Known::Any,
            Shape::Text(text) => Known::one(Json::String(text.to_string())),
            Shape::Object { members, is_open } => self.object(members, *is_open, depth),
            Shape::List { items, is_open } => self.list(items, *is_open, depth),
            Shape::Join(parts) => self.join(parts, depth),
            Shape::Either(both) => {
                let both = [self.evaluate(&both[0], depth + 1), self.evaluate(&both[1], depth + 1)];
                one_of(&both)
            }
            Shape::Variable(binding) => return self.variable(*binding, depth),
            Shape::Parameter(function, index) => return self.parameter(*function, *index, depth),
            Shape::Element(list) => return self.element(*list, depth),
            Shape::Member(of, key) => self.member(of, key, depth),
        };
        Rc::new(known)
    }

    fn object(&mut self, members: &[(Rc<str>, Shape)], is_open: bool, depth: usize) -> Known {
        let mut units = 0;
        let mut known = Vec::new();
        for (key, part) in members {
            let part = self.evaluate(part, depth + 1);
            units += part.units() + key.len() / 8;
            if units > MAX_UNITS {
                return Known::Any;
            }
            known.push((key.clone(), part));
        }
        Known::Object { members: known, is_open }
    }

    fn list(&mut self, items: &[Shape], is_open: bool, depth: usize) -> Known {
        let mut units = 0;
        let mut known = Vec::new();
        for part in items {
            let part = self.evaluate(part, depth + 1);
            units += part.units();
            if units > MAX_UNITS {
                return Known::Any;
            }
            known.push(part);
        }
        Known::List { items: known, is_open }
    }

    fn join(&mut self, parts: &[Shape], depth: usize) -> Known {
        let mut texts = vec![String::new()];
        for part in parts {
            let part = self.evaluate(part, depth + 1);
            let Some(values) =
                part.constants().and_then(|values| values.iter().map(text_of).collect::<Option<Vec<_>>>())
            else {
                return Known::Any;
            };
            if texts.len() * values.len() > MAX_CHOICES {
                return Known::Any;
            }
            texts = texts.iter().flat_map(|text| values.iter().map(move |value| format!("{text}{value}"))).collect();
            if texts.iter().map(String::len).sum::<usize>() > MAX_UNITS * 8 {
                return Known::Any;
            }
        }
        Known::OneOf(texts.into_iter().map(Json::String).collect())
    }

    fn variable(&mut self, id: BindingId, depth: usize) -> Rc<Known> {
        let any = Rc::new(Known::Any);
        match self.variables.get(&id) {
            Some(known) => return known.clone().unwrap_or(any),
            None => self.variables.insert(id, None),
        };
        let graph = self.graph;
        let binding = &graph.bindings[id as usize];
        let known = if binding.writes > 0 { any.clone() } else { self.evaluate(&binding.shape, depth + 1) };
        let known = match (known.constants(), binding.is_shared, binding.parts_read) {
            (Some(_), ..) | (_, false, 0) => known,
            (None, true, _) => any,
            // Another name may refer to a part, and change it.
            (None, false, _) => Rc::new(known.without_parts()),
        };
        self.variables.insert(id, Some(known.clone()));
        known
    }

    /// The argument of all calls of a function.
    fn parameter(&mut self, id: FunctionId, index: u32, depth: usize) -> Rc<Known> {
        let any = Rc::new(Known::Any);
        match self.parameters.get(&(id, index)) {
            Some(known) => return known.clone().unwrap_or(any),
            None => self.parameters.insert((id, index), None),
        };
        let graph = self.graph;
        let function = &graph.functions[id as usize];
        let known = if function.is_escaped || function.uses_arguments || function.callers.len() > MAX_CHOICES {
            any
        } else {
            let given: Vec<_> = function
                .callers
                .iter()
                .map(|&call| self.argument(&graph.calls[call as usize], index as usize, depth))
                .collect();
            match &given[..] {
                [one] => one.clone(),
                several => Rc::new(one_of(several)),
            }
        };
        self.parameters.insert((id, index), Some(known.clone()));
        known
    }

    /// What the call passes as a positional argument.
    fn argument(&mut self, call: &Call, index: usize, depth: usize) -> Rc<Known> {
        if let CallKind::Callback { list, passed } = call.kind {
            let is_element = passed == Passed::Element && index == 0;
            return if is_element { self.element(list, depth + 1) } else { Rc::new(Known::Any) };
        }
        let is_known = !call.arguments.iter().any(|argument| argument.is_spread);
        match call.arguments.get(index).filter(|_| is_known) {
            Some(argument) if call.kind == CallKind::Plain => self.evaluate(&argument.shape, depth + 1),
            _ => Rc::new(Known::Any),
        }
    }

    fn element(&mut self, list: ListRef, depth: usize) -> Rc<Known> {
        let any = Rc::new(Known::Any);
        let graph = self.graph;
        let Some(items) = graph.list(list).filter(|items| items.len() <= MAX_CHOICES) else { return any };
        // Other places that read the list may change what is in it.
        let is_only = match list {
            ListRef::Literal(_) => true,
            ListRef::Variable(binding) => graph.bindings[binding as usize].parts_read == 1,
        };
        let items: Vec<_> = items.iter().map(|item| self.evaluate(item, depth + 1)).collect();
        let known = Rc::new(alternatives(&items));
        if is_only || known.constants().is_some() { known } else { any }
    }

    /// Only members without parts: others may be changed through another name.
    fn member(&mut self, of: &Shape, key: &str, depth: usize) -> Known {
        if let (Shape::Variable(binding), "length") = (of, key) {
            let length = self.graph.list(ListRef::Variable(*binding)).map(<[_]>::len);
            return length.map_or(Known::Any, |length| Known::one(Json::from(length)));
        }
        let known = self.evaluate(of, depth + 1);
        let Known::Object { members, .. } = &*known else { return Known::Any };
        let found = members.iter().find(|(name, _)| **name == *key);
        match found.and_then(|(_, part)| part.constants()) {
            Some(values) => Known::OneOf(values.to_vec()),
            None => Known::Any,
        }
    }
}

/// One of several values, all of which are constants without parts.
fn one_of(all: &[Rc<Known>]) -> Known {
    let mut values: Vec<Json> = Vec::new();
    for known in all {
        let Some(more) = known.constants() else { return Known::Any };
        for value in more {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        if values.len() > MAX_CHOICES {
            return Known::Any;
        }
    }
    if values.is_empty() { Known::Any } else { Known::OneOf(values) }
}

/// The same, also for objects: their members are joined.
fn alternatives(all: &[Rc<Known>]) -> Known {
    let objects: Option<Vec<_>> = all
        .iter()
        .map(|known| match &**known {
            Known::Object { members, is_open } => Some((members, *is_open)),
            _ => None,
        })
        .collect();
    let is_small =
        |objects: &Vec<(&Vec<_>, bool)>| objects.first().is_some_and(|(first, _)| first.len() <= MAX_CHOICES);
    let Some(objects) = objects.filter(is_small) else { return one_of(all) };
    let mut is_open = objects.iter().any(|(_, is_open)| *is_open);
    let mut joined = Vec::new();
    for (key, _) in objects[0].0 {
        let parts: Option<Vec<_>> = objects
            .iter()
            .map(|(members, _)| members.iter().find(|(name, _)| name == key).map(|(_, part)| part.clone()))
            .collect();
        match parts {
            Some(parts) => joined.push((key.clone(), Rc::new(one_of(&parts)))),
            None => is_open = true,
        }
    }
    is_open |= objects.iter().any(|(members, _)| members.len() != joined.len());
    Known::Object { members: joined, is_open }
}

/// Numbers that JSON has.
fn number(value: f64) -> Option<Json> {
    match integer_text(value) {
        Some(text) => text.parse::<i64>().ok().map(Json::from),
        None => Number::from_f64(value).map(Json::Number),
    }
}

fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Bool(value) => Some(value.to_string()),
        Json::Null => Some("null".to_owned()),
        Json::Number(number) => number.as_i64().map(|number| number.to_string()),
        _ => None,
    }
}
