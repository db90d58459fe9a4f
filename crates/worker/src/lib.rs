//! The program of a worker process: one isolate, which serves a host over two pipes.
//!
//! The main thread gives up access to everything that the isolate does not need. After that it only waits until the
//! host closes its end of the pipe. The isolate's thread itself reads commands whenever the guest waits, and writes
//! events, so no other thread is woken for them.

#![cfg(unix)]

mod context;
mod event_writer;
mod exit;
mod own_deadline;
mod wake_signal;

use std::ffi::{OsString, c_int};
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use ses_engine::{Confined, ISOLATE_STACK_BYTES, Interrupt, OnParked, declare_worker, engine_of};
use ses_process::{Arguments, Confinement, Kind, Task};
use ses_protocol::frames::{Control, Frames, Hello, Message, Status, ToWorker, VERSION};
use ses_protocol::{EngineSpec, Event, FolderSpec};
use ses_sandbox::Reach;
use ses_session::Watchdog;
use ses_sync::priority;

use crate::context::PipeContext;
use crate::event_writer::EventWriter;
use crate::exit::exit;

/// Exit status if a program other than a host started the process, or if the host is already gone.
const NO_HOST: c_int = 2;
/// The reason why folders are not available.
const NEEDS_LANDLOCK: &str =
    "folders in a worker process need landlock (Linux 5.13 or later), or the option sandbox: \"off\"";
/// Exit status if the system refuses a resource that a worker needs.
const NO_WORKER: c_int = 3;

/// Serves the host that has started this process with `arguments`. Must be called on the only thread of the process.
pub fn serve(arguments: &[OsString]) -> c_int {
    let Some(arguments) = Arguments::parse(arguments) else { return NO_HOST };
    let Ok((commands, events)) = leave(&arguments) else { return NO_HOST };
    declare_worker();
    let kind = match arguments.task {
        Task::Serve(kind) => kind,
        Task::FillCache => return fill_cache(arguments.engine),
    };
    let out = Arc::new(EventWriter::new(events));
    let Err(error) = work(&arguments, kind, commands, &out);
    eprintln!("ses-executor-worker: {error}");
    // The host kills the process when this pipe is closed. The system closes it after the exit status is known.
    mem::forget(out);
    NO_WORKER
}

/// Fills the cache of an engine, on a thread with a large stack. Workers cannot do this, because they must not store
/// files.
fn fill_cache(spec: EngineSpec) -> c_int {
    let fill = move || engine_of(&spec).map(|engine| engine.fill_cache());
    let filler = thread::Builder::new().stack_size(ISOLATE_STACK_BYTES).spawn(fill);
    if filler.is_ok_and(|filler| matches!(filler.join(), Ok(Ok(())))) { 0 } else { NO_WORKER }
}

/// The pipes for commands and events.
type Pipes = (File, File);

/// Gives up access to the host, except for the pipes.
fn leave(arguments: &Arguments) -> io::Result<Pipes> {
    ses_sandbox::leave_host()?;
    // Threads that the process starts inherit the priority.
    priority::use_guest_priority();
    #[cfg(target_os = "linux")]
    if !ses_sandbox::die_with(arguments.host) {
        return Err(io::ErrorKind::NotConnected.into());
    }
    for (name, value) in &arguments.environment {
        // SAFETY: the process has one thread. V8 reads the time zone and locale from the environment after files are
        // closed.
        unsafe { std::env::set_var(name, value) };
    }
    // SAFETY: the calls take only numbers. The three pipes are open, and no other code owns them, because the host has
    // passed them.
    unsafe {
        let events = libc::dup(libc::STDOUT_FILENO);
        // Output of V8 must not mix with the events, and must not block until the host reads it.
        let status = libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO);
        libc::fcntl(libc::STDERR_FILENO, libc::F_SETFL, libc::O_WRONLY | libc::O_NONBLOCK);
        if events < 0 || status < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(libc::STDIN_FILENO), File::from_raw_fd(events)))
    }
}

/// Serves the session. Returns only if something fails.
fn work(
    arguments: &Arguments,
    kind: Kind,
    commands: File,
    out: &Arc<EventWriter>,
) -> io::Result<std::convert::Infallible> {
    let mut engine = engine_of(&arguments.engine).and_then(|engine| engine.read()).map_err(io::Error::other)?;
    let is_confined = kind.confinement != Confinement::Off;
    let reach: Vec<Reach> = arguments.engine.folders.iter().map(reach_of).collect();
    let landlock = is_confined && ses_sandbox::close_files(&reach);
    if is_confined && !landlock {
        // The system calls for files are needed for folders. Without landlock they would give access to all files.
        engine.refuse_folders(NEEDS_LANDLOCK).map_err(io::Error::other)?;
    }
    let reach = if is_confined && !landlock { &[] } else { reach.as_slice() };
    let commands_fd = commands.as_raw_fd();
    // All threads inherit the blocked signal, including V8's. A thread that received the signal would not react to it.
    wake_signal::block();
    // A worker has no descriptors except its pipes. It does not arm a deadline for each run, so waking the thread is
    // cheap enough.
    let watchdog = Arc::new(Watchdog::without_timer());
    // The thread of the watchdog must start before the sandbox is closed.
    drop(watchdog.arm(Instant::now(), || {})?);
    let out = out.clone();
    let (booted, is_booted) = channel();
    let (go, goes) = channel();
    let limit_bytes = kind.memory_limit_bytes;
    let isolate = move || serve_isolate(engine, limit_bytes, commands, &out, watchdog, &booted, &goes);
    thread::Builder::new().name("ses-isolate".to_owned()).stack_size(ISOLATE_STACK_BYTES).spawn(isolate)?;
    // If the thread has ended, it has printed the reason.
    let Ok(interrupt) = is_booted.recv() else { return Err(io::Error::other("no isolate could be made")) };
    if !ses_sandbox::limit_resources(reach) {
        return Err(io::Error::last_os_error());
    }
    let seccomp = is_confined && ses_sandbox::close_kernel(reach);
    if go.send(Hello { version: VERSION, landlock, seccomp }).is_err() {
        return Err(io::Error::other("the isolate's thread has ended"));
    }
    loop {
        // Needed while guest code runs too, because no thread reads the pipe then.
        let mut pipe = libc::pollfd { fd: commands_fd, events: 0, revents: 0 };
        wake_signal::poll(&mut pipe);
        if pipe.revents != 0 {
            exit();
        }
        // The signal arrived, or the wake-up was spurious.
        ses_engine::wake(&interrupt);
    }
}

/// The access to a folder that guest code may use.
fn reach_of(folder: &FolderSpec) -> Reach {
    Reach { folder: folder.root.clone(), is_writable: !folder.read_only }
}

/// Makes an isolate, sends the greeting when the sandbox is closed, and serves the session that the host opens.
fn serve_isolate(
    engine: Box<dyn Confined>,
    limit_bytes: usize,
    commands: File,
    out: &Arc<EventWriter>,
    watchdog: Arc<Watchdog>,
    booted: &Sender<Interrupt>,
    goes: &Receiver<Hello>,
) {
    let parked_to: Arc<OnceLock<Arc<EventWriter>>> = Arc::default();
    let parked = parked_to.clone();
    let on_lost = move |bytes| {
        if let Some(out) = parked.get() {
            out.report(Event::Parked { bytes });
        }
        exit();
    };
    let on_parked: OnParked = Rc::new(on_lost.clone());
    let mut isolate = match engine.boot(limit_bytes, on_parked, Box::new(on_lost)) {
        Ok(isolate) => isolate,
        Err(failure) => {
            eprintln!("ses-executor-worker: {}", failure.kind.message());
            return;
        }
    };
    isolate.warm_up();
    let interrupt = isolate.interrupt();
    let Ok(hello) = booted.send(interrupt.clone()).map_err(drop).and_then(|()| goes.recv().map_err(drop)) else {
        return;
    };
    out.say(Status::Hello(hello));
    let mut frames = Frames::new(commands);
    let Ok(Some((head, body))) = frames.next(usize::MAX) else { exit() };
    let Ok(ToWorker::Control(Control::Open(config))) = ToWorker::read(head.kind, body) else { exit() };
    let session = head.session;
    out.begin(session);
    let _ = parked_to.set(out.clone());
    let context = PipeContext::new(session, config, frames, out.clone(), interrupt, watchdog);
    let mut guest = isolate.into_guest(Rc::new(context), &Arc::default());
    out.report(Event::Initialized(Ok(())));
    guest.serve();
    // The isolate is lost, or the host has closed the session. The system frees everything.
    exit();
}
