//! The host's end of a worker process. Frames are sent without waiting. A thread starts the process, reads its frames,
//! and waits for its end.

use std::io::ErrorKind;
use std::mem;
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ses_protocol::Event;
use ses_protocol::frames::{Frames, FromWorker, Hello, Message, Status, VERSION};
use ses_session::Folders;
use ses_sync::is_readable;

use crate::engine_cache::fill_cache;
use crate::launch::{Installation, Kind, Task};
use crate::outbox::Outbox;
use crate::process::{Process, end_of};

/// How long a worker may take until its isolate is ready. Many times the time that this takes on a heavily overloaded
/// machine.
const BOOT: Duration = Duration::from_secs(30);
/// Stack of the thread. The only nested input that it reads from the worker is JSON of limited depth.
const STACK_BYTES: usize = 512 << 10;
/// The longest body that a worker without a session may send: that of its greeting.
const GREETING_BYTES: usize = 64;

/// News from a worker that has a session.
pub enum News {
    /// The isolate is ready, for any session.
    Ready(Hello),
    Event(Event),
    /// The process has ended, or was ended. Contains the reason, for people. Nothing follows.
    Lost(String),
    /// The process could not be started. Contains the reason. Nothing else is sent.
    Unstarted(String),
}

/// Receives all news, on the thread that reads from the worker. An error ends the worker, with this reason.
pub type Listener = Box<dyn FnMut(News) -> Result<(), &'static str> + Send>;

/// Called when a process is ready for a session.
type Ready = Box<dyn FnOnce() + Send>;

/// A worker process. It is killed when this is dropped.
pub struct Worker(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Any thread may hold it, for a few instructions and for writes that do not block.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The listener of the session. The thread takes it when it has news.
    listener: Option<Listener>,
    /// The longest body that the session expects.
    most: usize,
    process: Option<Arc<Process>>,
    outbox: Option<Arc<Outbox>>,
    /// Frames for a process that has not started yet.
    early: Vec<Vec<u8>>,
    hello: Option<Hello>,
    /// The folders before the process was started. The process may have opened other ones.
    folders: Folders,
    /// The first frame for a process that is to replace this one, because this one has not answered.
    replacement: Option<Vec<u8>>,
    is_given_up: bool,
    /// The reason why the worker was given up. Absent: it was no longer needed.
    verdict: Option<&'static str>,
    has_ended: bool,
}

impl Worker {
    /// Starts a process. Calls `ready` when the process is ready for a session, if it ever is.
    ///
    /// # Errors
    ///
    /// No thread is available.
    pub fn start(
        installation: Arc<Installation>,
        kind: Kind,
        ready: impl FnOnce(Self) + Send + 'static,
    ) -> std::io::Result<()> {
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let ready = Box::new(move || ready(Self(own)));
        spawn(move || shared.run(&installation, kind, Some(ready)))
    }

    /// Starts a process that has a session from the start. `most`, `listener`: as for [`Self::attach`].
    ///
    /// # Errors
    ///
    /// No thread is available.
    pub fn start_attached(
        installation: Arc<Installation>,
        kind: Kind,
        listener: Listener,
        most: usize,
    ) -> std::io::Result<Self> {
        let state = State { listener: Some(listener), most, ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state) });
        let own = shared.clone();
        spawn(move || own.run(&installation, kind, None))?;
        Ok(Self(shared))
    }

    /// Gives the worker its session. `most`: bytes of the longest body that the worker may write. `folders`: the
    /// folders that the worker must have. Returns the worker's greeting, which the listener does not receive.
    ///
    /// # Errors
    ///
    /// The process has already ended, does not belong to the host, or has other folders. Returns the listener.
    pub fn attach(&self, listener: Listener, most: usize, folders: &Folders) -> Result<Hello, Listener> {
        let mut state = self.0.state();
        // The thread may not have noticed the end of the process yet.
        let is_there = !state.has_ended
            && state.process.as_ref().is_some_and(|process| !process.has_ended() && process.is_of_host());
        let Some(hello) = state.hello.filter(|_| is_there && state.folders == *folders) else { return Err(listener) };
        state.most = most;
        state.listener = Some(listener);
        Ok(hello)
    }

    /// Sends a message without waiting. If the message cannot be sent, the worker is ended.
    pub fn send(&self, session: u32, message: &impl Message) {
        let mut frame = Vec::new();
        if message.write(session, &mut frame).is_err() {
            return self.end("a command does not fit a frame");
        }
        let mut state = self.0.state();
        let Some(outbox) = state.outbox.clone() else {
            if !state.is_given_up && !state.has_ended {
                state.early.push(frame);
            }
            return;
        };
        // Under the lock, so that frames keep their order.
        let sent = outbox.send(frame);
        drop(state);
        if sent.is_err() {
            self.end("no thread is available for a command");
        }
    }

    /// Makes the process check for messages, even while guest code runs.
    pub fn wake(&self) {
        let state = self.0.state();
        let (Some(process), Some(outbox)) = (&state.process, &state.outbox) else { return };
        // Frames that do not fit into the pipe arrive after the process has read some, so it must be woken again.
        let again = process.clone();
        outbox.when_written(move || again.wake());
        process.wake();
    }

    /// Kills a process that was started ahead of need and does not answer, and starts another one in its place. The new
    /// process sends its greeting to the listener and receives this message first.
    pub fn replace(&self, session: u32, message: &impl Message) {
        let mut frame = Vec::new();
        if message.write(session, &mut frame).is_err() {
            return self.end("a command does not fit a frame");
        }
        let mut state = self.0.state();
        if state.is_given_up || state.has_ended {
            return;
        }
        state.replacement = Some(frame);
        state.outbox = None;
        if let Some(process) = &state.process {
            process.kill();
        }
    }

    /// Ends the process immediately, whatever it does.
    pub fn kill(&self) {
        self.0.kill(None);
    }

    /// Like [`Self::kill`], with a reason that is reported to the listener.
    pub fn end(&self, reason: &'static str) {
        self.0.kill(Some(reason));
    }

    /// The number of frames that wait for the process.
    #[cfg(test)]
    pub fn early_frames(&self) -> usize {
        self.0.state().early.len()
    }

    /// The number of the process, while the process exists.
    pub fn pid(&self) -> Option<u32> {
        let state = self.0.state();
        state.process.as_ref().filter(|_| !state.has_ended).map(|process| process.pid())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts the thread of a worker. If the thread ends, the system ends the process too.
fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name("ses-worker".to_owned()).stack_size(STACK_BYTES).spawn(work).map(drop)
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self, reason: Option<&'static str>) {
        let mut state = self.state();
        state.is_given_up = true;
        state.verdict = state.verdict.or(reason);
        state.early.clear();
        if let Some(process) = &state.process {
            process.kill();
        }
        // Closing the pipe also ends a process that the system does not let the host kill.
        state.outbox = None;
    }

    /// The body of the thread.
    fn run(&self, installation: &Installation, kind: Kind, ready: Option<Ready>) {
        let mut reading = Reading { shared: self, listener: None, ready, is_ready: false };
        let mut end = reading.serve(installation, kind);
        while reading.begins_again() {
            end = reading.serve(installation, kind);
        }
        let news = match end {
            Ok(end) => News::Lost(self.state().verdict.map_or(end, str::to_owned)),
            Err(reason) => News::Unstarted(reason),
        };
        let listener = reading.listener.take();
        // Drops `ready`, so that the pool learns that this worker will not be ready.
        drop(reading);
        let mut state = self.state();
        state.has_ended = true;
        // Frames that wait to be written are dropped too.
        state.outbox = None;
        let listener = listener.or_else(|| state.listener.take());
        drop(state);
        if let Some(mut listener) = listener {
            // The process has ended already.
            let _ = listener(news);
        }
    }

    /// Makes the process available to code that sends to it or kills it.
    fn publish(&self, process: Arc<Process>, outbox: Arc<Outbox>) {
        let mut state = self.state();
        let early = mem::take(&mut state.early);
        let is_sent = early.into_iter().all(|frame| outbox.send(frame).is_ok());
        if state.is_given_up || !is_sent {
            process.kill();
        }
        state.process = Some(process);
        state.outbox = Some(outbox);
    }
}

/// State of the thread while the process lives.
struct Reading<'a> {
    shared: &'a Shared,
    listener: Option<Listener>,
    /// Reports that the process is ready, if the worker has no session yet.
    ready: Option<Ready>,
    is_ready: bool,
}

impl Reading<'_> {
    /// Whether another process replaces the one that has ended.
    fn begins_again(&mut self) -> bool {
        let mut state = self.shared.state();
        if state.is_given_up {
            return false;
        }
        let Some(frame) = state.replacement.take() else { return false };
        state.process = None;
        state.outbox = None;
        state.hello = None;
        state.early.insert(0, frame);
        self.is_ready = false;
        true
    }

    /// Starts a process, reads its frames, and waits for its end. Returns the reason for its end.
    ///
    /// # Errors
    ///
    /// The process could not be started, for this reason.
    fn serve(&mut self, installation: &Installation, kind: Kind) -> Result<String, String> {
        fill_cache(installation);
        self.shared.state().folders = Folders::now(&installation.engine);
        let arguments = installation.arguments(Task::Serve(kind));
        let started = arguments.and_then(|arguments| Process::start(&installation.program, &arguments));
        let (process, commands, events, last_words) = match started {
            Ok(started) => started,
            Err(error) => return Err(format!("{} cannot be started: {error}", installation.program.display())),
        };
        let process = Arc::new(process);
        let read = match Outbox::new(commands) {
            Ok(outbox) => {
                self.shared.publish(process.clone(), outbox);
                if is_readable(&events, BOOT) {
                    self.read(&mut Frames::new(events))
                } else {
                    Err("the worker process was not ready in time")
                }
            }
            Err(_) => Err("the worker process has no pipe that does not wait"),
        };
        // The process may have closed its pipe without ending.
        process.kill();
        let status = process.wait();
        Ok(match read {
            Ok(()) => end_of(last_words, status),
            Err(reason) => reason.to_owned(),
        })
    }

    /// Reads until the process has ended, or has written something that violates the protocol.
    fn read(&mut self, frames: &mut Frames<ChildStdout>) -> Result<(), &'static str> {
        loop {
            let most = self.shared.state().most.max(GREETING_BYTES);
            let (head, body) = match frames.next(most) {
                Ok(Some(frame)) => frame,
                Err(error) if error.kind() == ErrorKind::InvalidData => return Err(NONSENSE),
                // A process that is killed may leave an incomplete frame.
                Ok(None) | Err(_) => return Ok(()),
            };
            self.tell(FromWorker::read(head.kind, body).map_err(|_| NONSENSE)?)?;
        }
    }

    /// Passes a message on. The first message is the greeting. Without a session, it is also the only one.
    fn tell(&mut self, message: FromWorker) -> Result<(), &'static str> {
        let news = match (self.is_ready, message) {
            (false, FromWorker::Status(Status::Hello(hello))) if hello.version == VERSION => {
                self.is_ready = true;
                self.shared.state().hello = Some(hello);
                if let Some(ready) = self.ready.take() {
                    ready();
                    return Ok(());
                }
                News::Ready(hello)
            }
            (false, FromWorker::Status(Status::Hello(_))) => {
                return Err("the worker process is of another version of ses-executor");
            }
            (false, _) | (true, FromWorker::Status(Status::Hello(_))) => return Err(NONSENSE),
            (true, FromWorker::Event(event)) => News::Event(event),
        };
        if self.listener.is_none() {
            self.listener = self.shared.state().listener.take();
        }
        self.listener.as_mut().ok_or(NONSENSE)?(news)
    }
}

/// The reason for ending a worker that violates the protocol.
pub const NONSENSE: &str = "the worker process wrote what no worker writes";
