//! Names in patterns.

use swc_ecma_ast::{Ident, ObjectPatProp, Pat};

/// The names that a pattern declares.
pub(super) fn names_in(pattern: &Pat) -> impl Iterator<Item = &Ident> {
    let mut names = Declared(Vec::new());
    names.visit(pattern);
    names.0.into_iter()
}

struct Declared<'p>(Vec<&'p Ident>);

impl<'p> Declared<'p> {
    fn visit(&mut self, pattern: &'p Pat) {
        match pattern {
            Pat::Ident(name) => self.0.push(&name.id),
            Pat::Array(array) => array.elems.iter().flatten().for_each(|element| self.visit(element)),
            Pat::Rest(rest) => self.visit(&rest.arg),
            Pat::Assign(assign) => self.visit(&assign.left),
            Pat::Object(object) => object.props.iter().for_each(|property| match property {
                ObjectPatProp::KeyValue(property) => self.visit(&property.value),
                ObjectPatProp::Assign(property) => self.0.push(&property.key.id),
                ObjectPatProp::Rest(rest) => self.visit(&rest.arg),
            }),
            Pat::Invalid(_) | Pat::Expr(_) => {}
        }
    }
}
