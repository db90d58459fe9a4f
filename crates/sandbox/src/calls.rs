//! seccomp: the system calls that a warm isolate needs, found by tracing all tests and programs of the project.

use std::collections::BTreeMap;

use crate::Reach;
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter_all_threads,
};

/// Calls of V8, the allocator, existing threads and the pipes to the host, with any arguments.
const ALLOWED: &[c_long] = &[
    // The pipes.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_ppoll,
    libc::SYS_close,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    // Threads, and the calls that they wait with.
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_membarrier,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getpriority,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_restart_syscall,
    // Signals of the process to itself: V8's and Rust's handlers.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Time and random numbers.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
    libc::SYS_uname,
];

/// Calls that no worker makes by mistake. Code that makes one has taken over the process, so the process ends
/// immediately.
const FATAL: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_bpf,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
];

/// Calls on files and folders. landlock decides which of them are within reach.
const ON_FILES: &[c_long] = &[
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_pread64,
    libc::SYS_readlinkat,
];

/// Calls that change them.
const CHANGING_FILES: &[c_long] = &[
    libc::SYS_pwrite64,
    libc::SYS_ftruncate,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_utimensat,
];

/// Closes the kernel to all threads of the process. Every call that is not listed fails with EPERM.
pub fn close(reach: &[Reach]) -> bool {
    let Some(filters) = filters(reach) else { return false };
    filters.iter().all(|filter| apply_filter_all_threads(filter).is_ok())
}

/// Two filters, because a filter has one answer for all calls that it names. The system takes the stricter answer. The
/// list of allowed calls comes last, because it does not allow the call that adds a filter.
fn filters(reach: &[Reach]) -> Option<[BpfProgram; 2]> {
    let errno = |code: i32| SeccompAction::Errno(code.unsigned_abs());
    let fatal = FATAL.iter().map(|&call| (call, Vec::new())).collect();
    let fatal = program(fatal, SeccompAction::Allow, SeccompAction::KillProcess)?;
    let allowed = program(allowed(reach)?, errno(libc::EPERM), SeccompAction::Allow)?;
    Some([fatal, allowed])
}

fn program(
    calls: BTreeMap<c_long, Vec<SeccompRule>>,
    other: SeccompAction,
    named: SeccompAction,
) -> Option<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    SeccompFilter::new(calls, other, named, arch).ok()?.try_into().ok()
}

fn allowed(reach: &[Reach]) -> Option<BTreeMap<c_long, Vec<SeccompRule>>> {
    let mut calls: BTreeMap<c_long, Vec<SeccompRule>> = ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    if !reach.is_empty() {
        calls.extend(ON_FILES.iter().map(|&call| (call, Vec::new())));
        // Copying descriptors, and reading their mode.
        let ways = [libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];
        let ways = ways.iter().map(|&way| rule(&[(1, SeccompCmpOp::Eq, way.unsigned_abs().into())]));
        calls.insert(libc::SYS_fcntl, ways.collect::<Option<_>>()?);
    }
    if reach.iter().any(|reach| reach.is_writable) {
        calls.extend(CHANGING_FILES.iter().map(|&call| (call, Vec::new())));
    }
    let own = u64::from(std::process::id());
    // The process may end itself, and signal its own threads.
    calls.insert(libc::SYS_tgkill, vec![rule(&[(0, SeccompCmpOp::Eq, own)])?]);
    calls.insert(libc::SYS_kill, vec![rule(&[(0, SeccompCmpOp::Eq, own)])?]);
    // A thread's own priority.
    let own_priority = [(0, SeccompCmpOp::Eq, libc::PRIO_PROCESS.into()), (1, SeccompCmpOp::Eq, 0)];
    calls.insert(libc::SYS_setpriority, vec![rule(&own_priority)?]);
    // Names of threads and of memory. Not the signal that the kernel sends when the host dies.
    let names = [libc::PR_SET_NAME.unsigned_abs(), libc::PR_SET_VMA.unsigned_abs()];
    let names = names.iter().map(|&option| rule(&[(0, SeccompCmpOp::Eq, option.into())]));
    calls.insert(libc::SYS_prctl, names.collect::<Option<_>>()?);
    // Reads limits, and sets none.
    calls.insert(libc::SYS_prlimit64, vec![rule(&[(2, SeccompCmpOp::Eq, 0)])?]);
    Some(calls)
}

/// A rule that applies if all arguments match. A 32-bit number is compared in 32 bits where the kernel reads no more:
/// it ignores the upper half, which must not affect the comparison.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Option<SeccompRule> {
    let conditions = conditions.iter().map(|(index, op, value)| {
        // A pointer is compared in full.
        let length = if *index == 2 { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
        SeccompCondition::new(*index, length, op.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>().ok()?).ok()
}
