//! A session, as the isolate of a worker process sees it.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ses_engine::{GuestContext, Interrupt};
use ses_protocol::frames::{Control, Frames, Message, ToWorker};
use ses_protocol::{Command, Config, Event, JobId, RunLimits, SessionId};
use ses_session::{Deadline, Reporter, Watchdog};
use ses_sync::{CpuClock, is_readable, spin};

use crate::event_writer::EventWriter;
use crate::exit::exit;
use crate::own_deadline::OwnDeadline;

/// Why a wait for a command has ended.
enum Wait {
    Command,
    /// The guest was asked to end its run.
    Asked,
    TimedOut,
}

pub struct PipeContext {
    session: u32,
    config: Arc<Config>,
    commands: RefCell<Frames<File>>,
    out: Arc<EventWriter>,
    reporter: Reporter,
    interrupt: Interrupt,
    /// The run under way; 0: none.
    running: Cell<JobId>,
    watchdog: Arc<Watchdog>,
    /// The deadline for the processor time of the run under way.
    cpu_deadline: Cell<Option<Deadline>>,
    own_deadline: OwnDeadline,
}

impl PipeContext {
    pub fn new(
        session: u32,
        config: Arc<Config>,
        commands: Frames<File>,
        out: Arc<EventWriter>,
        interrupt: Interrupt,
        watchdog: Arc<Watchdog>,
    ) -> Self {
        let (commands, running, cpu_deadline) = (RefCell::new(commands), Cell::default(), Cell::default());
        let events = out.clone();
        let reporter = Reporter::new(Arc::new(move |event| events.report(event)), watchdog.clone());
        let own_deadline = OwnDeadline::new(&config, watchdog.clone(), out.clone(), interrupt.clone());
        Self { session, config, commands, out, reporter, interrupt, running, watchdog, cpu_deadline, own_deadline }
    }

    /// Whether a command has arrived. A part of one suffices, because the rest is on its way.
    fn has_come(&self, timeout: Duration) -> bool {
        let commands = self.commands.borrow();
        commands.has_begun() || is_readable(commands.source(), timeout)
    }

    /// Waits until a command has arrived, or until the guest is to end its run. `until`: not longer than that. Without
    /// a time limit it does not wait, because the read does.
    fn await_command(&self, until: Option<Instant>) -> Wait {
        loop {
            if self.own_deadline.take_request() {
                return Wait::Asked;
            }
            let Some(end) = self.own_deadline.due().into_iter().chain(until).min() else { return Wait::Command };
            if self.has_come(end.saturating_duration_since(Instant::now())) {
                return Wait::Command;
            }
            if until.is_some_and(|until| until <= end) {
                return Wait::TimedOut;
            }
        }
    }

    /// Waits for the next command.
    fn read(&self) -> Option<Command> {
        let mut commands = self.commands.borrow_mut();
        // Fails if the host has closed its end, because it has given the session up. The host's frames are always of
        // this version.
        let Ok(Some((head, body))) = commands.next(usize::MAX) else { exit() };
        match ToWorker::read(head.kind, body) {
            Ok(ToWorker::Command(command)) => {
                match &command {
                    Command::Run { job, limits, .. } => self.begin(*job, limits),
                    Command::SetTools { tools, .. } => self.own_deadline.add_tools(tools),
                    Command::ToolReplies { replies, .. } => self.own_deadline.on_answers(replies),
                    Command::SetVariables { .. } | Command::Checkpoint { .. } | Command::Restore { .. } => {}
                }
                Some(command)
            }
            Ok(ToWorker::Control(Control::Stop(job))) => {
                // A request to end an earlier run must not end the present one.
                if self.running.get() == job {
                    self.interrupt.ask(job);
                }
                None
            }
            Ok(ToWorker::Control(Control::KeepDeadlines { limits_calls })) => {
                self.own_deadline.keep(limits_calls);
                None
            }
            Ok(ToWorker::Control(Control::Open(_))) | Err(_) => exit(),
        }
    }

    /// Reports to the host when a run has used up its processor time, so that the host ends the run.
    fn begin(&self, job: JobId, limits: &RunLimits) {
        self.running.set(job);
        self.own_deadline.begin(job, limits);
        let (Some(cpu_ms), Some(clock)) = (limits.cpu_ms, CpuClock::of_this_thread()) else { return };
        let out = self.out.clone();
        let budget = Duration::from_secs_f64(cpu_ms / 1e3);
        match self.watchdog.arm_cpu(clock, budget, move || out.report(Event::CpuSpent { job })) {
            Ok(deadline) => self.cpu_deadline.set(deadline),
            // The limit could not be enforced. This does not happen, because the watchdog's thread has already started.
            Err(_) => exit(),
        }
    }
}

impl GuestContext for PipeContext {
    fn session(&self) -> SessionId {
        self.session.into()
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn report(&self, event: Event) {
        match &event {
            Event::Settled { .. } => {
                self.cpu_deadline.set(None);
                self.own_deadline.end();
                self.running.set(0);
            }
            Event::ToolCalls(calls) => self.own_deadline.on_calls(calls),
            Event::Idle { answers } => self.own_deadline.on_idle(*answers),
            _ => {}
        }
        self.reporter.report(event);
    }

    fn next(&self) -> Option<Command> {
        self.reporter.wait();
        spin(|| self.has_come(Duration::ZERO));
        match self.await_command(None) {
            Wait::Command | Wait::TimedOut => self.read(),
            Wait::Asked => None,
        }
    }

    fn next_until(&self, until: Instant) -> Option<Option<Command>> {
        self.reporter.wait();
        spin(|| self.has_come(Duration::ZERO));
        match self.await_command(Some(until)) {
            Wait::Command => Some(self.read()),
            Wait::Asked => Some(None),
            Wait::TimedOut => None,
        }
    }

    fn ready(&self) -> Option<Command> {
        if self.has_come(Duration::ZERO) { self.read() } else { None }
    }

    fn sends_raw(&self) -> bool {
        true
    }

    /// Always false: the host kills a process whose session it gives up.
    fn is_given_up(&self) -> bool {
        false
    }
}
