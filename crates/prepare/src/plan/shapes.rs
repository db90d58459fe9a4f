//! What the text of an expression says about its value.

use std::collections::HashMap;
use std::rc::Rc;

use swc_ecma_ast::{ArrayLit, BinaryOp, Expr, Lit, ObjectLit, Prop, PropName, PropOrSpread, Tpl, UnaryOp};

use super::ids::{BindingId, FunctionId, ListRef};

/// Literals that are nested more deeply are not described.
pub(super) const MAX_DEPTH: usize = 32;
/// Integers up to here are exact, and are printed without an exponent.
const MAX_INTEGER: f64 = 9_007_199_254_740_991.0; // 2^53 - 1

/// The value of an expression, as far as its text says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Any,
    Null,
    Bool(bool),
    Number(f64),
    Text(Rc<str>),
    /// Members in the order of the text. `is_open`: there may be others.
    Object {
        members: Vec<(Rc<str>, Shape)>,
        is_open: bool,
    },
    List {
        items: Vec<Shape>,
        is_open: bool,
    },
    /// Texts that are joined.
    Join(Vec<Shape>),
    Either(Box<[Shape; 2]>),
    Variable(BindingId),
    Parameter(FunctionId, u32),
    Element(ListRef),
    /// A primitive member.
    Member(Box<Shape>, Rc<str>),
}

/// Resolves a name to a variable of the program.
pub(super) type Resolve<'r> = &'r dyn Fn(&swc_atoms::Atom) -> Option<BindingId>;

/// The shape of an expression. Does not descend into calls and functions.
pub(super) fn shape_of(expr: &Expr, resolve: Resolve) -> Shape {
    shape(expr, resolve, 0)
}

fn shape(expr: &Expr, resolve: Resolve, depth: usize) -> Shape {
    if depth == MAX_DEPTH {
        return Shape::Any;
    }
    match expr {
        Expr::Paren(paren) => shape(&paren.expr, resolve, depth),
        Expr::Lit(literal) => of_literal(literal),
        Expr::Unary(unary) if unary.op == UnaryOp::Minus => match shape(&unary.arg, resolve, depth + 1) {
            Shape::Number(value) => Shape::Number(-value),
            _ => Shape::Any,
        },
        Expr::Ident(name) => resolve(&name.sym).map_or(Shape::Any, Shape::Variable),
        Expr::Tpl(template) => of_template(template, resolve, depth),
        Expr::Bin(binary) if binary.op == BinaryOp::Add => {
            let sides = [shape(&binary.left, resolve, depth + 1), shape(&binary.right, resolve, depth + 1)];
            let is_text = sides.iter().any(|side| matches!(side, Shape::Text(_) | Shape::Join(_)));
            if is_text { Shape::Join(sides.into()) } else { Shape::Any }
        }
        Expr::Cond(cond) => {
            Shape::Either(Box::new([shape(&cond.cons, resolve, depth + 1), shape(&cond.alt, resolve, depth + 1)]))
        }
        Expr::Array(list) => of_list(list, resolve, depth),
        Expr::Object(object) => of_object(object, resolve, depth),
        Expr::Member(member) => {
            let (Some(key), Expr::Ident(name)) = (member.prop.as_ident(), member.obj.unwrap_parens()) else {
                return Shape::Any;
            };
            let Some(binding) = resolve(&name.sym) else { return Shape::Any };
            Shape::Member(Box::new(Shape::Variable(binding)), (&*key.sym).into())
        }
        _ => Shape::Any,
    }
}

fn of_literal(literal: &Lit) -> Shape {
    match literal {
        Lit::Null(_) => Shape::Null,
        Lit::Bool(value) => Shape::Bool(value.value),
        Lit::Num(number) => Shape::Number(number.value),
        Lit::Str(text) => text.value.as_str().map_or(Shape::Any, |text| Shape::Text(text.into())),
        _ => Shape::Any,
    }
}

fn of_template(template: &Tpl, resolve: Resolve, depth: usize) -> Shape {
    let mut parts = Vec::new();
    for (index, quasi) in template.quasis.iter().enumerate() {
        match quasi.cooked.as_ref().and_then(|text| text.as_str()) {
            Some(text) => parts.push(Shape::Text(text.into())),
            None => return Shape::Any,
        }
        if let Some(expr) = template.exprs.get(index) {
            parts.push(shape(expr, resolve, depth + 1));
        }
    }
    if parts.len() == 1 { parts.remove(0) } else { Shape::Join(parts) }
}

fn of_list(list: &ArrayLit, resolve: Resolve, depth: usize) -> Shape {
    let mut items = Vec::new();
    for element in &list.elems {
        match element {
            Some(element) if element.spread.is_some() => return Shape::List { items, is_open: true },
            Some(element) => items.push(shape(&element.expr, resolve, depth + 1)),
            // Methods leave out holes.
            None => return Shape::List { items, is_open: true },
        }
    }
    Shape::List { items, is_open: false }
}

fn of_object(object: &ObjectLit, resolve: Resolve, depth: usize) -> Shape {
    let mut members: Vec<(Rc<str>, Shape)> = Vec::new();
    let mut at: HashMap<Rc<str>, usize> = HashMap::new();
    let mut is_open = false;
    for prop in &object.props {
        let PropOrSpread::Prop(prop) = prop else {
            (members, at, is_open) = (Vec::new(), HashMap::new(), true);
            continue;
        };
        let (key, value) = match &**prop {
            Prop::Shorthand(name) => {
                (Some(name.sym.to_string()), resolve(&name.sym).map_or(Shape::Any, Shape::Variable))
            }
            Prop::KeyValue(pair) => {
                let key = static_key(&pair.key);
                if key.as_deref() == Some("__proto__") {
                    // The prototype, which is not copied.
                    continue;
                }
                (key, shape(&pair.value, resolve, depth + 1))
            }
            Prop::Method(method) => (static_key(&method.key), Shape::Any),
            // Reading a member may change others.
            Prop::Getter(_) | Prop::Setter(_) | Prop::Assign(_) => return Shape::Any,
        };
        let Some(key) = key.filter(|key| key != "__proto__") else {
            // It may replace any member.
            (members, at, is_open) = (Vec::new(), HashMap::new(), true);
            continue;
        };
        let key: Rc<str> = key.into();
        match at.get(&key) {
            Some(&index) => members[index].1 = value,
            None => {
                at.insert(key.clone(), members.len());
                members.push((key, value));
            }
        }
    }
    Shape::Object { members, is_open }
}

/// The name of a member, if the text says it.
pub(super) fn static_key(key: &PropName) -> Option<String> {
    match key {
        PropName::Ident(name) => Some(name.sym.to_string()),
        PropName::Str(text) => text.value.as_str().map(str::to_owned),
        PropName::Num(number) => integer_text(number.value),
        PropName::Computed(_) | PropName::BigInt(_) => None,
    }
}

/// The text of an integer as JavaScript writes it.
pub(super) fn integer_text(value: f64) -> Option<String> {
    (value.fract() == 0.0 && value.abs() <= MAX_INTEGER).then(|| format!("{}", value as i64))
}
