//! Attacks that a compromised worker could try. Each probe runs in its own process, which closes its sandbox first. The
//! exit status of a probe reports the kernel's answer. If the kernel ends the process, the signal reports it.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each block is one system call with numbers, texts that end with a zero, and null; the process ends after it"
)]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Error;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus, Stdio, exit};
    use std::ptr::null;

    use libc::{EACCES, EMFILE, EPERM, SIGSYS, c_int, c_long};
    use ses_sandbox as sandbox;

    /// The expected result of a probe.
    enum Answer {
        /// It fails with this code.
        Refused(c_int),
        /// The kernel ends the process.
        Killed,
        Works,
    }
    use Answer::{Killed, Refused, Works};

    type Probe = (&'static str, Answer, fn() -> c_long);

    /// Sets a thread's processor affinity to its current value.
    fn place(thread: libc::pid_t) -> c_long {
        let size = size_of::<libc::cpu_set_t>();
        unsafe {
            let mut set = std::mem::zeroed::<libc::cpu_set_t>();
            libc::sched_getaffinity(0, size, &raw mut set);
            libc::sched_setaffinity(thread, size, &raw const set).into()
        }
    }

    /// A file that the probes try to create.
    const FILE: &std::ffi::CStr = c"/tmp/ses-executor-probe";

    const PROBES: &[Probe] = &[
        ("read a file", Refused(EPERM), || unsafe { libc::open(c"/etc/passwd".as_ptr(), libc::O_RDONLY) }.into()),
        ("make a file", Refused(EPERM), || {
            unsafe { libc::open(FILE.as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o600) }.into()
        }),
        ("list a folder", Refused(EPERM), || {
            unsafe { libc::openat(libc::AT_FDCWD, c"/".as_ptr(), libc::O_DIRECTORY) }.into()
        }),
        ("remove a file", Refused(EPERM), || unsafe { libc::unlink(FILE.as_ptr()) }.into()),
        ("memory that is a file", Refused(EPERM), || unsafe { libc::memfd_create(c"x".as_ptr(), 0) }.into()),
        ("a pipe", Refused(EPERM), || unsafe { libc::pipe([0, 0].as_mut_ptr()) }.into()),
        ("a copy of a descriptor", Refused(EPERM), || unsafe { libc::dup(0) }.into()),
        ("a signal to the parent", Refused(EPERM), || unsafe { libc::kill(libc::getppid(), libc::SIGKILL) }.into()),
        ("a signal to a thread of the parent", Refused(EPERM), || unsafe {
            libc::syscall(libc::SYS_tgkill, libc::getppid(), libc::getppid(), libc::SIGKILL)
        }),
        ("a signal to all", Refused(EPERM), || unsafe { libc::kill(-1, libc::SIGKILL) }.into()),
        ("a child", Refused(EPERM), || unsafe { libc::fork() }.into()),
        ("a child by the raw call", Refused(EPERM), || unsafe { libc::syscall(libc::SYS_clone3, null::<u8>(), 0) }),
        ("a thread", Refused(EPERM), || unsafe {
            libc::syscall(libc::SYS_clone, libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND, 0, 0, 0, 0)
        }),
        ("to outlive the host", Refused(EPERM), || unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, 0) }.into()),
        ("a higher limit", Refused(EPERM), || {
            let limit = libc::rlimit { rlim_cur: 100, rlim_max: 100 };
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }.into()
        }),
        ("the processors of the parent", Refused(EPERM), || place(unsafe { libc::getppid() })),
        ("a thread's own processors", Refused(EPERM), || place(0)),
        ("a program", Killed, || unsafe { libc::execve(c"/bin/true".as_ptr(), null(), null()) }.into()),
        ("a program by its descriptor", Killed, || unsafe {
            libc::syscall(libc::SYS_execveat, 0, c"".as_ptr(), null::<u8>(), null::<u8>(), libc::AT_EMPTY_PATH)
        }),
        ("a socket", Killed, || unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0) }.into()),
        ("a socket of the machine", Killed, || unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0) }.into()),
        ("ptrace", Killed, || unsafe { libc::ptrace(libc::PTRACE_TRACEME) }),
        ("memory of another process", Killed, || unsafe {
            libc::process_vm_readv(libc::getppid(), null(), 0, null(), 0, 0) as c_long
        }),
        ("bpf", Killed, || unsafe { libc::syscall(libc::SYS_bpf, 0, null::<u8>(), 0) }),
        ("io_uring", Killed, || unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, null::<u8>()) }),
        ("memory", Works, || {
            let memory = vec![1u8; 64 << 20];
            c_long::from(memory[memory.len() - 1]) - 1
        }),
        ("time", Works, || {
            unsafe { libc::nanosleep(&libc::timespec { tv_sec: 0, tv_nsec: 1 }, std::ptr::null_mut()) }.into()
        }),
    ];

    /// With landlock, without the filter.
    const FILE_PROBES: &[Probe] = &[
        ("read a file without seccomp", Refused(EACCES), || {
            unsafe { libc::open(c"/etc/passwd".as_ptr(), libc::O_RDONLY) }.into()
        }),
        ("connect without seccomp", Refused(EACCES), || unsafe {
            let socket = libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0);
            let port = u16::to_be(9);
            let loopback = u32::to_be(0x7F00_0001);
            let address = libc::sockaddr_in {
                sin_family: libc::AF_INET as u16,
                sin_port: port,
                sin_addr: libc::in_addr { s_addr: loopback },
                sin_zero: [0; 8],
            };
            libc::connect(socket, (&raw const address).cast(), size_of_val(&address) as u32).into()
        }),
        ("a signal to the parent without seccomp", Refused(EPERM), || {
            unsafe { libc::kill(libc::getppid(), libc::SIGTERM) }.into()
        }),
    ];

    /// With the limits, without the filter.
    const LIMIT_PROBES: &[Probe] =
        &[("another descriptor", Refused(EMFILE), || unsafe { libc::open(c"/".as_ptr(), libc::O_RDONLY) }.into())];

    /// With the whole sandbox, and two folders within reach: `/usr`, for reading, and `/tmp`.
    const FOLDER_PROBES: &[Probe] = &[
        ("read a file within reach", Works, || {
            (unsafe { libc::open(c"/usr/bin/env".as_ptr(), libc::O_RDONLY) } < 0).into()
        }),
        ("read a file out of reach", Refused(EACCES), || {
            unsafe { libc::open(c"/etc/passwd".as_ptr(), libc::O_RDONLY) }.into()
        }),
        ("read a file out of reach by ..", Refused(EACCES), || {
            unsafe { libc::open(c"/tmp/../etc/passwd".as_ptr(), libc::O_RDONLY) }.into()
        }),
        ("make a file within reach", Works, || unsafe {
            let file = libc::open(REACHED.as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o600);
            (file < 0 || libc::pwrite(file, c"x".as_ptr().cast(), 1, 0) != 1 || libc::unlink(REACHED.as_ptr()) != 0)
                .into()
        }),
        ("make a file where there is only reading", Refused(EACCES), || {
            unsafe { libc::open(c"/usr/ses-executor-probe".as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o600) }.into()
        }),
        ("a link within reach", Refused(EPERM), || {
            unsafe { libc::symlink(c"/etc/passwd".as_ptr(), REACHED.as_ptr()) }.into()
        }),
        ("a program within reach", Killed, || unsafe { libc::execve(c"/usr/bin/env".as_ptr(), null(), null()) }.into()),
    ];

    /// A file that they create.
    const REACHED: &std::ffi::CStr = c"/tmp/ses-executor-probe-reached";

    fn reach() -> Vec<sandbox::Reach> {
        let reach = |folder: &str, is_writable| sandbox::Reach { folder: folder.into(), is_writable };
        vec![reach("/usr", false), reach("/tmp", true)]
    }

    /// Exit status of a probe whose call succeeded.
    const DONE: i32 = 0;

    pub fn main() {
        let all = PROBES.iter().chain(FILE_PROBES).chain(LIMIT_PROBES).chain(FOLDER_PROBES);
        if let Some(name) = std::env::args().nth(1).filter(|name| all.clone().any(|probe| probe.0 == name)) {
            return probe(&name);
        }
        let failed = all.filter(|probe| !passes(probe)).count();
        assert_eq!(failed, 0, "probes that failed");
    }

    fn passes((name, answer, _): &Probe) -> bool {
        let program = std::env::current_exe().expect("a test has a file");
        let status = Command::new(program).arg(name).stdin(Stdio::piped()).stdout(Stdio::piped()).status();
        let status = status.expect("the probe starts");
        let passes = match answer {
            Refused(code) => status.code() == Some(*code),
            Killed => status.signal() == Some(SIGSYS),
            Works => status.code() == Some(DONE),
        };
        println!("{} {name}: {}", if passes { "ok" } else { "FAILED" }, told(status));
        passes
    }

    fn told(status: ExitStatus) -> String {
        match (status.signal(), status.code()) {
            (Some(signal), _) => format!("signal {signal}"),
            (_, Some(DONE)) => "done".to_owned(),
            (_, code) => Error::from_raw_os_error(code.unwrap_or_default()).to_string(),
        }
    }

    /// Closes the sandbox like a worker, and exits with the kernel's answer to the call.
    fn probe(name: &str) {
        let is = |probe: &&Probe| probe.0 == name;
        sandbox::leave_host().expect("a process can leave its host");
        let mut reach = Vec::new();
        let (&(_, _, call), seals) = if let Some(probe) = PROBES.iter().find(is) {
            assert!(sandbox::close_files(&reach), "landlock");
            (probe, true)
        } else if let Some(probe) = FOLDER_PROBES.iter().find(is) {
            reach = self::reach();
            assert!(sandbox::close_files(&reach), "landlock");
            (probe, true)
        } else if let Some(probe) = FILE_PROBES.iter().find(is) {
            assert!(sandbox::close_files(&reach), "landlock");
            (probe, false)
        } else {
            (LIMIT_PROBES.iter().find(is).expect("a probe has a name"), false)
        };
        // The filter applies to existing threads.
        let (go, gone) = std::sync::mpsc::channel();
        let guest = std::thread::spawn(move || {
            gone.recv().expect("the main thread goes on");
            let answered = call();
            exit(if answered < 0 { Error::last_os_error().raw_os_error().unwrap_or(-1) } else { DONE });
        });
        if !FILE_PROBES.iter().any(|probe| probe.0 == name) {
            assert!(sandbox::limit_resources(&reach), "limits");
        }
        if seals {
            assert!(sandbox::close_kernel(&reach), "seccomp");
        }
        go.send(()).expect("the thread waits");
        let _ = guest.join();
    }
}
