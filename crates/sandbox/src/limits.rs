//! What a worker sheds of its host, and how much of the machine it can take.

use std::io::Error;

use crate::Reach;

/// Descriptors that a worker has: commands, events, and a pipe for last words.
const DESCRIPTORS: libc::rlim_t = 3;
/// Those that a worker with folders may have: each has up to 128 files open (`crates/files/src/mount.rs`).
const WITH_FILES: libc::rlim_t = 512;
/// What a worker adds to its share of the system's memory, in thousandths, when the system has none left and looks for the
/// process to end: as Chrome has it for its pages.
#[cfg(target_os = "linux")]
const OOM_SCORE: i32 = 300;

/// Leaves the host's folder, terminal and signals, and closes what the host left open by mistake. The process is to end at the
/// end of its pipe: a key that interrupts the host, and a signal to all of a service, is for the host to decide on.
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

/// Has the system end this process before its host when there is no memory left. A host that is kept from that would hand that
/// down otherwise.
#[cfg(target_os = "linux")]
fn go_first() {
    const SCORE: &str = "/proc/self/oom_score_adj";
    let own = std::fs::read_to_string(SCORE).ok().and_then(|text| text.trim().parse::<i32>().ok());
    if own.is_some_and(|own| own < OOM_SCORE) {
        // Nobody is kept from more, and without it the process is as likely to be ended as its host.
        let _ = std::fs::write(SCORE, OOM_SCORE.to_string());
    }
}

/// Closes all descriptors from `first` on.
///
/// # Safety
///
/// Nobody uses them.
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

/// Has the system end this process when the thread that has spawned it ends, which lives as long as it waits for this
/// process. `parent` has spawned it; if it has died already, nobody is left to tell.
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
            // A host that may have fewer hands that down, and a process without privileges cannot raise it.
            let most = most.min(limit.rlim_max);
            limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            libc::setrlimit(resource, &raw const limit) == 0
        }
    })
}
