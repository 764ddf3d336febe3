//! Growing without end: each of these goes on until it is ended.

use std::fs::OpenOptions;
use std::io::Write;

/// Never comes back, unless there is no such flood or the kernel stops it first.
pub(crate) fn flood(name: &str) -> ! {
    const FLOOD_SECONDS: u32 = 120;
    // SAFETY: if nobody ends it, the kernel does.
    unsafe { libc::alarm(FLOOD_SECONDS) };
    match name {
        "processes" => processes(),
        "threads" => threads(),
        "memory" => memory(1),
        "memory-of-many" => memory(16),
        "processes-counted" => processes_counted(),
        "memory-at-once" => memory_at_once(),
        "file" => files(1),
        "files" => files(usize::MAX),
        "files-without-name" => files_without_name(),
        "sessions" => sessions(),
        _ => std::process::exit(2),
    }
}

/// Each copy makes copies.
fn processes() -> ! {
    loop {
        // SAFETY: this process has one thread.
        if unsafe { libc::fork() } < 0 {
            rest();
        }
    }
}

/// Makes copies as fast as it can, and keeps a list of how many there are, itself among them.
fn processes_counted() -> ! {
    let Ok(mut list) = OpenOptions::new().create(true).append(true).open("counted") else { std::process::exit(78) };
    let mut count = 1;
    loop {
        // SAFETY: this process has one thread.
        match unsafe { libc::fork() } {
            0 => rest(),
            -1 => rest(),
            _ => count += 1,
        }
        let _ = writeln!(list, "{count}");
    }
}

/// Twelve processes that each take half of what one may, in one call, at the same moment.
fn memory_at_once() -> ! {
    const HALF: usize = 128 << 20;
    let mut gate = [0; 2];
    // SAFETY: two descriptors are made; this process has one thread; the mapping is new and only filled by the kernel.
    unsafe {
        libc::pipe(gate.as_mut_ptr());
        for _ in 0..12 {
            if libc::fork() == 0 {
                libc::close(gate[1]);
                libc::read(gate[0], [0_u8; 1].as_mut_ptr().cast(), 1);
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
                libc::mmap(std::ptr::null_mut(), HALF, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
                rest();
            }
        }
        libc::close(gate[1]);
    }
    rest()
}

fn threads() -> ! {
    while std::thread::Builder::new().stack_size(64 << 10).spawn(|| rest()).is_ok() {}
    rest()
}

/// Takes and uses memory, in several processes, each less than it may.
fn memory(processes: usize) -> ! {
    for _ in 1..processes {
        // SAFETY: this process has one thread.
        if unsafe { libc::fork() } == 0 {
            break;
        }
    }
    const PIECE: usize = 1 << 20;
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut piece: Vec<u8> = Vec::new();
        if piece.try_reserve_exact(PIECE).is_err() {
            std::process::exit(77);
        }
        piece.resize(PIECE, 1);
        kept.push(piece);
    }
}

fn files(most: usize) -> ! {
    for number in 0..most {
        let Ok(mut file) = OpenOptions::new().create(true).append(true).open(format!("flood-{number}")) else { rest() };
        let piece = vec![b'x'; 1 << 20];
        let pieces = if most == 1 { usize::MAX } else { 4 };
        for _ in 0..pieces {
            if file.write_all(&piece).is_err() {
                std::process::exit(78);
            }
        }
    }
    rest()
}

fn files_without_name() -> ! {
    let mut kept = Vec::new();
    loop {
        let Ok(mut file) = OpenOptions::new().create(true).append(true).open("flood") else { rest() };
        let _ = std::fs::remove_file("flood");
        if file.write_all(&vec![b'x'; 4 << 20]).is_err() {
            std::process::exit(78);
        }
        kept.push(file);
    }
}

/// Leaves copies behind, each in a session of its own, and ends itself.
fn sessions() -> ! {
    for _ in 0..3 {
        // SAFETY: this process has one thread.
        if unsafe { libc::fork() } == 0 {
            // SAFETY: as above.
            unsafe {
                libc::setsid();
                if libc::fork() != 0 {
                    libc::_exit(0);
                }
                libc::close(0);
                libc::close(1);
                libc::close(2);
                libc::signal(libc::SIGTERM, libc::SIG_IGN);
                libc::signal(libc::SIGHUP, libc::SIG_IGN);
            }
            rest();
        }
    }
    std::process::exit(0)
}

fn rest() -> ! {
    loop {
        std::thread::park();
    }
}
