//! What a worker gives up of its host's environment, and how much of the machine it can use.

use std::io::Error;

use crate::Reach;

/// Descriptors of a worker: commands, events, and a pipe for its last message.
const DESCRIPTORS: libc::rlim_t = 3;
/// Descriptors of a worker with folders, each of which has up to 128 open files (`crates/files/src/mount.rs`).
const WITH_FILES: libc::rlim_t = 512;
/// Added to a worker's share of the system's memory, in thousandths, when the system is out of memory and chooses the
/// process to kill. Chrome uses the same value for its pages.
#[cfg(target_os = "linux")]
const OOM_SCORE: i32 = 300;

/// Leaves the host's folder, terminal and signals, and closes descriptors that the host left open by mistake. The
/// process ends at the end of its pipe. A key that interrupts the host, or a signal to a whole service, is for the host
/// to handle.
pub fn leave_host() -> std::io::Result<()> {
    // SAFETY: these take numbers and texts that live as long as the call; the process has one thread, and nobody has a
    // descriptor from the fourth on.
    unsafe {
        leave_terminal();
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
        close_from(DESCRIPTORS as u32);
        if libc::chdir(c"/".as_ptr()) != 0 {
            return Err(Error::last_os_error());
        }
    }
    #[cfg(target_os = "linux")]
    go_first();
    Ok(())
}

/// Detaches the process from its terminal. It does not start its own session for this: Linux divides processor time
/// among sessions first (`sched_autogroup`), and uses the nice values of threads only within a session.
fn leave_terminal() {
    // SAFETY: the calls take numbers and a string that outlives the call, and no other code has the descriptor.
    unsafe {
        let terminal = libc::open(c"/dev/tty".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        if terminal >= 0 {
            libc::ioctl(terminal, libc::TIOCNOTTY);
            libc::close(terminal);
        }
    }
}

/// Makes the system kill this process before its host when memory runs out. Otherwise it would inherit the protection
/// of a protected host.
#[cfg(target_os = "linux")]
fn go_first() {
    const SCORE: &str = "/proc/self/oom_score_adj";
    let own = std::fs::read_to_string(SCORE).ok().and_then(|text| text.trim().parse::<i32>().ok());
    if own.is_some_and(|own| own < OOM_SCORE) {
        // A process may always raise its own score. Without it, the process is as likely to be killed as its host.
        let _ = std::fs::write(SCORE, OOM_SCORE.to_string());
    }
}

/// Closes all descriptors from `first` on.
///
/// # Safety
///
/// Nothing uses them.
unsafe fn close_from(first: u32) {
    #[cfg(target_os = "linux")]
    // SAFETY: this takes numbers only.
    if unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) } == 0 {
        return;
    }
    // SAFETY: these take numbers only.
    unsafe {
        let end = libc::sysconf(libc::_SC_OPEN_MAX).try_into().unwrap_or(i32::MAX);
        for descriptor in first.try_into().unwrap_or(i32::MAX)..end {
            libc::close(descriptor);
        }
    }
}

/// Makes the system end this process when the thread that spawned it ends. That thread lives as long as it waits for
/// this process. `parent` has spawned it. If the parent has already died, nothing is left to notify.
#[cfg(target_os = "linux")]
pub fn die_with(parent: u32) -> bool {
    // SAFETY: these take numbers only.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::getppid().unsigned_abs() == parent
    }
}

/// Forbids further descriptors, processes, threads, files and core dumps, except for files within `reach`. Existing
/// ones stay.
pub fn limit_resources(reach: &[Reach]) -> bool {
    let has_folders = !reach.is_empty();
    let writes = reach.iter().any(|reach| reach.is_writable);
    if !writes {
        // SAFETY: this takes a number only.
        unsafe { libc::umask(0o777) };
    }
    let none = [libc::RLIMIT_CORE, libc::RLIMIT_NPROC].into_iter().chain((!writes).then_some(libc::RLIMIT_FSIZE));
    let none = none.map(|resource| (resource, 0));
    // `poll` refuses a list that is longer than this limit.
    let descriptors = if has_folders { WITH_FILES } else { DESCRIPTORS };
    none.chain([(libc::RLIMIT_NOFILE, descriptors)]).all(|(resource, most)| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit lives as long as both calls.
        unsafe {
            if libc::getrlimit(resource, &raw mut limit) != 0 {
                return false;
            }
            // A host with a lower limit passes it on, and an unprivileged process cannot raise it.
            let most = most.min(limit.rlim_max);
            limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            libc::setrlimit(resource, &raw const limit) == 0
        }
    })
}
