//! What a worker sheds of its host, and how much of the machine it can take.

use std::io::Error;

/// Descriptors that a worker has: commands, events, and a pipe for last words.
const DESCRIPTORS: libc::rlim_t = 3;

/// Leaves the host's folder, terminal and signals, and closes what the host left open by mistake. The process is to end at the
/// end of its pipe: a key that interrupts the host, and a signal to all of a service, is for the host to decide on.
pub fn leave_host() -> std::io::Result<()> {
    // SAFETY: these take numbers and texts that live as long as the call; the process has one thread, and nobody has a
    // descriptor from the fourth on.
    unsafe {
        libc::setsid();
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
        close_from(DESCRIPTORS as u32);
        if libc::chdir(c"/".as_ptr()) != 0 {
            return Err(Error::last_os_error());
        }
        libc::umask(0o777);
    }
    Ok(())
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

/// No further descriptors, processes, threads, files or core dumps. What is there stays.
pub fn limit_resources() -> bool {
    let none = [libc::RLIMIT_CORE, libc::RLIMIT_FSIZE, libc::RLIMIT_NPROC];
    let none = none.into_iter().map(|resource| (resource, 0));
    // `poll` refuses a list that is longer than this limit.
    none.chain([(libc::RLIMIT_NOFILE, DESCRIPTORS)]).all(|(resource, most)| {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: the limit lives as long as the call.
        unsafe { libc::setrlimit(resource, &raw const limit) == 0 }
    })
}
