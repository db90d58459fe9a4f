//! A session, as the isolate on its thread sees it.

use std::sync::Arc;
use std::time::Instant;

use ses_engine::GuestContext;
use ses_protocol::{Command, Config, Event, SessionId};
use ses_session::Reporter;
use ses_sync::Receiver;

use crate::link::Control;

pub struct ThreadContext {
    pub session: SessionId,
    pub config: Arc<Config>,
    pub reporter: Reporter,
    pub inbox: Receiver<Option<Command>>,
    pub control: Arc<Control>,
}

impl GuestContext for ThreadContext {
    fn session(&self) -> SessionId {
        self.session
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn report(&self, event: Event) {
        self.reporter.report(event);
    }

    fn next(&self) -> Option<Command> {
        self.reporter.wait();
        self.inbox.recv()
    }

    fn next_until(&self, until: Instant) -> Option<Option<Command>> {
        self.reporter.wait();
        self.inbox.recv_until(until)
    }

    fn ready(&self) -> Option<Command> {
        self.inbox.try_recv().flatten()
    }

    fn sends_raw(&self) -> bool {
        false
    }

    fn is_given_up(&self) -> bool {
        self.control.is_given_up()
    }
}
