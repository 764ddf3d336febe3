//! The system calls that a confined program cannot make (QL-30, QL-31): those that reach into other processes, mounts,
//! namespaces and the kernel itself, what lives on when all processes are gone, and, with the network closed, all that
//! leads out. A second wall behind Landlock and the namespaces, and the only one for some of it.
//!
//! Refused calls answer "not permitted"; those that a library replaces by an older one answer "no such call". Calls of
//! another architecture end the program. Knows no files and no program.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};

use crate::Network;

/// Other processes, mounts, namespaces, the kernel, the machine.
const REFUSED: [libc::c_long; 55] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// The same, where other architectures never had them.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: [libc::c_long; 5] =
    [libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt, libc::SYS_sysfs, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: [libc::c_long; 0] = [];

/// Memory that belongs to no process: it is not counted, and some of it stays when all processes are gone. And a call
/// whose flags no filter can see; every library can do without it.
const UNKNOWN: [libc::c_long; 7] = [
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmget,
];

/// The first number of those calls that came after this was written; their number is the same everywhere.
const FIRST_UNKNOWN: u32 = 463;

/// Calls of the half-wide interface of x86_64 carry this bit.
const X32: u32 = 0x4000_0000;

const NEW_NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Speaking in the name of whoever sits at the terminal, and commands to the console.
/// (`TIOCSTI`, `TIOCLINUX`, `TIOCCONS`: the libraries do not agree on their type.)
const TERMINAL_COMMANDS: [u64; 3] = [0x5412, 0x541c, 0x541d];

/// A socket of this kind can send to any address without a connection; `SOCK_RAW` becomes one when it is a UNIX socket.
const WITHOUT_CONNECTION: [libc::c_int; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];
const KIND_OF_SOCKET: u64 = 0xf;

/// The filters, to be entered one after another.
#[derive(Debug)]
pub(crate) struct Calls {
    programs: [BpfProgram; 3],
}

impl Calls {
    pub(crate) fn new(network: Network) -> Result<Self, String> {
        let refused = refused(network).and_then(|rules| program(rules, libc::EPERM));
        let unknown = program(UNKNOWN.iter().map(|call| (*call, Vec::new())).collect(), libc::ENOSYS);
        let made = refused.and_then(|refused| Ok(Self { programs: [refused, unknown?, numbers()] }));
        made.map_err(|error| format!("system calls cannot be filtered on this kind of machine: {error}"))
    }

    /// From here on the calling process and all that it starts cannot make these calls, and can never get them back.
    pub(crate) fn enter(&self) -> Result<(), ()> {
        self.programs.iter().try_for_each(|program| seccompiler::apply_filter(program).map_err(drop))
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Made<T> = Result<T, seccompiler::BackendError>;

fn program(rules: Rules, answer: libc::c_int) -> Made<BpfProgram> {
    let architecture = std::env::consts::ARCH.try_into()?;
    let answer = SeccompAction::Errno(answer.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture)?.try_into()
}

fn refused(network: Network) -> Made<Rules> {
    let mut rules: Rules = REFUSED.iter().chain(&REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    let namespaces = NEW_NAMESPACES.map(|flag| u64::from(flag.cast_unsigned()));
    rules.insert(libc::SYS_clone, any(namespaces.iter().map(|flag| vec![has(0, *flag, *flag)]))?);
    rules.insert(libc::SYS_ioctl, any(TERMINAL_COMMANDS.iter().map(|command| vec![is(1, *command)]))?);
    // As it is, and asking for it.
    rules.insert(libc::SYS_personality, any([vec![is_not(0, 0), is_not(0, 0xffff_ffff)]])?);
    // Limits of others; its own hard limits it can only lower.
    rules.insert(libc::SYS_prlimit64, any([vec![is_not(0, 0), is_not(2, 0)]])?);
    rules.insert(libc::SYS_setpriority, any([vec![is_not(0, 0)], vec![is_not(1, 0)]])?);
    // To go on when whoever watches over it is gone.
    let death_signal = u64::from(libc::PR_SET_PDEATHSIG.unsigned_abs());
    rules.insert(libc::SYS_prctl, any([vec![is(0, death_signal), is(1, 0)]])?);
    match network {
        Network::Open => open_network(&mut rules)?,
        Network::Closed => close_network(&mut rules)?,
    }
    Ok(rules)
}

/// The families that programs use; of netlink only what tells the addresses of this machine.
fn open_network(rules: &mut Rules) -> Made<()> {
    let usual = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(libc::c_int::unsigned_abs);
    let netlink = u64::from(libc::AF_NETLINK.unsigned_abs());
    let unusual = usual.iter().map(|family| is_not(0, u64::from(*family))).collect();
    let route = u64::from(libc::NETLINK_ROUTE.unsigned_abs());
    rules.insert(libc::SYS_socket, any([unusual, vec![is(0, netlink), is_not(2, route)]])?);
    Ok(())
}

/// A pair of connected sockets between its own processes is all that is left.
fn close_network(rules: &mut Rules) -> Made<()> {
    let unix = u64::from(libc::AF_UNIX.unsigned_abs());
    let kinds = WITHOUT_CONNECTION.map(|kind| u64::from(kind.unsigned_abs()));
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        let without_connection = kinds.iter().map(|kind| vec![has(1, KIND_OF_SOCKET, *kind)]);
        rules.insert(call, any(without_connection.chain([vec![is_not(0, unix)]]))?);
    }
    rules.insert(libc::SYS_connect, Vec::new());
    let address = SeccompCondition::new(4, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0);
    rules.insert(libc::SYS_sendto, any([vec![address]])?);
    Ok(())
}

/// A call is refused if all conditions of one of these hold.
fn any(rules: impl IntoIterator<Item = Vec<Made<SeccompCondition>>>) -> Made<Vec<SeccompRule>> {
    rules.into_iter().map(|conditions| SeccompRule::new(conditions.into_iter().collect::<Made<_>>()?)).collect()
}

fn is(argument: u8, value: u64) -> Made<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Made<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn has(argument: u8, mask: u64, value: u64) -> Made<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}

/// Ends whoever uses the other interface of the same processor, and refuses calls that are too new to be known.
fn numbers() -> BpfProgram {
    const LOAD: u16 = 0x20;
    const JUMP_IF_NOT_LESS: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let line = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    vec![
        line(LOAD, 0, 0, 0),
        line(JUMP_IF_NOT_LESS, 1, 0, X32),
        line(JUMP_IF_NOT_LESS, 1, 2, FIRST_UNKNOWN),
        line(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        line(RETURN, 0, 0, no_such_call),
        line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
