//! Gives hints access to the realm that an error comes from.

use deno_core::v8;

use crate::state::host::Host;
use ses_hints::{LookUp, Uncaught};

struct InRealm<'a, 's, 'i> {
    scope: &'a mut v8::PinScope<'s, 'i>,
    host: &'a Host,
}

impl ses_hints::Realm for InRealm<'_, '_, '_> {
    fn look_up(&mut self, path: &[String], member: &str) -> Option<LookUp> {
        self.host.realm.get()?.look_up(self.scope, path, member)
    }

    fn is_tool(&self, name: &str) -> bool {
        self.host.tools.borrow().has_named(name)
    }

    fn is_async(&mut self, function: &str) -> bool {
        let mut path: Vec<String> = function.split('.').map(str::to_owned).collect();
        self.host.tools.borrow().is_async(function)
            || path.pop().and_then(|own| self.look_up(&path, &own)).is_some_and(|found| found.kind == "async function")
    }

    fn is_frozen(&mut self, variable: &str) -> bool {
        self.host.sent_names.borrow().contains(variable)
            && self.host.realm.get().is_some_and(|realm| realm.is_sent(self.scope, variable))
    }

    fn has_frozen(&self) -> bool {
        self.host.context.config().harden_tool_results || !self.host.sent_names.borrow().is_empty()
    }

    fn is_in_a_program(&self, text: &str) -> bool {
        self.host.scripts.borrow().has_program_with(text)
    }
}

/// Advice for the error, if something is known beyond its message. Runs no guest code.
pub fn hint(scope: &mut v8::PinScope, host: &Host, error: &Uncaught) -> Option<String> {
    ses_hints::hint(&mut InRealm { scope, host }, error)
}
