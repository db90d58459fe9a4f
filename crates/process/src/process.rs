//! A worker process from its host's point of view: started, woken, killed, and waited for.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The signal that tells a worker that data has arrived while guest code runs. It is used for nothing else.
pub const WAKE_SIGNAL: libc::c_int = libc::SIGUSR1;
/// Bytes of the worker's last messages that are kept. 2 KiB.
const MAX_LAST_WORDS: u64 = 2 << 10;

/// A process that any thread may kill until a thread has waited for its end.
#[derive(Debug)]
pub struct Process {
    /// Any thread may hold it, for a system call that does not block.
    child: Mutex<Running>,
    pid: u32,
    /// The user and group that the process runs as.
    owner: Owner,
}

/// User and group.
type Owner = (libc::uid_t, libc::gid_t);

#[derive(Debug)]
struct Running {
    child: Child,
    /// The process was waited for, so the system may give its number to another process.
    is_gone: bool,
}

/// A process with the pipes for its commands, its events and its last messages.
pub type Started = (Process, ChildStdin, ChildStdout, ChildStderr);

impl Process {
    /// Starts a program with an empty environment and three pipes as its only descriptors. The process has its own
    /// group, so a key that interrupts the host does not reach it. Does not copy the host's memory.
    ///
    /// Not for the Node.js thread: this waits until the program is loaded, and the system ends the process when the
    /// calling thread ends.
    ///
    /// # Errors
    ///
    /// The system refused a pipe or the process, or there is no such program.
    pub fn start(program: &Path, arguments: &[OsString]) -> io::Result<Started> {
        let owner = host_owner();
        let mut command = Command::new(program);
        command.args(arguments).env_clear().process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let pid = child.id();
        let (Some(commands), Some(events), Some(last_words)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Self { child: Mutex::new(Running { child, is_gone: false }), pid, owner };
        Ok((process, commands, events, last_words))
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether the process belongs to the present user and group of the host. The host may have dropped privileges
    /// since it started the process. In that case it must not use the process.
    pub fn is_of_host(&self) -> bool {
        self.owner == host_owner()
    }

    /// Ends the process immediately, whatever it does. The system may refuse this if the process does not belong to the
    /// host.
    pub fn kill(&self) {
        let mut running = self.running();
        if !running.is_gone {
            // Fails if the process has ended by itself. Then there is nothing to kill.
            let _ = running.child.kill();
        }
    }

    /// Makes the process check for commands, whatever it does.
    pub fn wake(&self) {
        let running = self.running();
        if !running.is_gone
            && let Ok(pid) = libc::pid_t::try_from(self.pid)
        {
            // SAFETY: the call takes only numbers. No thread has waited for the process, so the number still belongs to
            // it. A process that has ended ignores the signal.
            unsafe { libc::kill(pid, WAKE_SIGNAL) };
        }
    }

    /// Whether the process has ended, even if no thread has waited for it.
    pub fn has_ended(&self) -> bool {
        self.running().is_gone || self.look(libc::WNOHANG).is_none_or(|info| info.si_signo != 0)
    }

    /// Waits until the process has ended. `None`: other code in this process has waited for it.
    pub fn wait(&self) -> Option<ExitStatus> {
        // Without the lock, because this blocks.
        self.look(0);
        let mut running = self.running();
        running.is_gone = true;
        running.child.wait().ok()
    }

    /// Reads the exit status without releasing the number of the process. `None`: it is not a child of this process.
    fn look(&self, options: libc::c_int) -> Option<libc::siginfo_t> {
        loop {
            // SAFETY: all zeros is a valid `siginfo_t`, which the system fills.
            let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let options = libc::WEXITED | libc::WNOWAIT | options;
            // SAFETY: `info` is valid for the write.
            if unsafe { libc::waitid(libc::P_PID, self.pid, &raw mut info, options) } == 0 {
                return Some(info);
            }
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return None;
            }
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn host_owner() -> Owner {
    // SAFETY: the calls take no arguments and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// The last messages of the process and the way it ended, as text for people. Call this when the process has ended.
pub fn end_of(pipe: ChildStderr, status: Option<ExitStatus>) -> String {
    let end = match status {
        Some(status) => match (status.signal(), status.code()) {
            (Some(signal), _) => format!("the worker process was ended by {}", signal_name(signal)),
            (None, Some(code)) => format!("the worker process ended with exit status {code}"),
            (None, None) => "the worker process ended".to_owned(),
        },
        None => "the worker process ended".to_owned(),
    };
    match last_words(pipe) {
        words if words.is_empty() => end,
        words => format!("{end}: {words}"),
    }
}

/// The first lines that the process has written to the pipe for last messages. Does not wait for more.
fn last_words(pipe: ChildStderr) -> String {
    let mut words = Vec::new();
    if set_nonblocking(&pipe).is_ok() {
        // Everything that arrived is kept, even if the read then fails.
        let _ = pipe.take(MAX_LAST_WORDS).read_to_end(&mut words);
    }
    String::from_utf8_lossy(&words).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes reads and writes fail instead of blocking.
pub fn set_nonblocking(descriptor: &impl AsRawFd) -> io::Result<()> {
    let descriptor = descriptor.as_raw_fd();
    // SAFETY: the calls take only numbers. The descriptor is open as long as it is borrowed.
    let status = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        if flags < 0 { flags } else { libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK) }
    };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn signal_name(signal: i32) -> String {
    match signal {
        libc::SIGKILL => "SIGKILL".to_owned(),
        libc::SIGSEGV => "SIGSEGV".to_owned(),
        libc::SIGABRT => "SIGABRT".to_owned(),
        libc::SIGILL => "SIGILL".to_owned(),
        libc::SIGBUS => "SIGBUS".to_owned(),
        libc::SIGTRAP => "SIGTRAP".to_owned(),
        libc::SIGFPE => "SIGFPE".to_owned(),
        libc::SIGSYS => "SIGSYS".to_owned(),
        other => format!("signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_group_of_its_own_from_the_start_and_the_session_of_its_host() {
        let (process, ..) = Process::start(Path::new("/bin/cat"), &[]).unwrap();
        let pid = libc::pid_t::try_from(process.pid()).unwrap();
        // SAFETY: the calls take only numbers.
        let (group, session, own) = unsafe { (libc::getpgid(pid), libc::getsid(pid), libc::getsid(0)) };
        process.kill();
        process.wait();
        assert_eq!((group, session), (pid, own));
    }
}
