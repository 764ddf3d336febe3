//! The network: speaking to anybody at all.

use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};

use crate::calls::{at, call};
use crate::linux::Attempt;

fn socket(family: libc::c_int, kind: libc::c_int, protocol: libc::c_int) -> io::Result<()> {
    call(libc::SYS_socket, &[family.into(), kind.into(), protocol.into()]).map(drop)
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("tcp", |world| {
        let mut stream = TcpStream::connect(("127.0.0.1", world.port))?;
        stream.write_all(b"x")
    }),
    ("tcp-version-6", |world| TcpStream::connect(("::1", world.port)).map(drop)),
    ("tcp-listen", |_| TcpListener::bind(("127.0.0.1", 0)).map(drop)),
    ("tcp-fast-open", |world| {
        let socket = call(libc::SYS_socket, &[libc::AF_INET.into(), libc::SOCK_STREAM.into(), 0])?;
        let address = in_address(world.port);
        let flags = i64::from(libc::MSG_FASTOPEN);
        call(libc::SYS_sendto, &[socket, c"x".as_ptr() as i64, 1, flags, at(&address), 16]).map(drop)
    }),
    ("udp", |world| UdpSocket::bind(("127.0.0.1", 0))?.send_to(b"x", ("127.0.0.1", world.port)).map(drop)),
    ("names", |_| {
        let found = std::net::ToSocketAddrs::to_socket_addrs(&("example.org", 80))?.next();
        found.map(drop).ok_or_else(|| io::Error::from_raw_os_error(libc::EACCES))
    }),
    ("raw-socket", |_| socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP)),
    ("ping-socket", |_| socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP)),
    ("packet-socket", |_| socket(libc::AF_PACKET, libc::SOCK_RAW, 0x0300)),
    ("netlink", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE)),
    ("netlink-audit", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_AUDIT)),
    ("vsock", |_| socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0)),
    ("kernel-crypto", |_| socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)),
    ("bluetooth", |_| socket(libc::AF_BLUETOOTH, libc::SOCK_RAW, 1)),
    ("can-bus", |_| socket(libc::AF_CAN, libc::SOCK_RAW, 1)),
    ("express-data-path", |_| socket(libc::AF_XDP, libc::SOCK_RAW, 0)),
    ("unix-socket", |world| UnixStream::connect(&world.socket).map(drop)),
    ("unix-socket-by-link", |world| {
        let _ = std::fs::remove_file("own-socket-link");
        std::os::unix::fs::symlink(&world.socket, "own-socket-link")?;
        UnixStream::connect("own-socket-link").map(drop)
    }),
    ("unix-datagram", |world| UnixDatagram::unbound()?.send_to(b"x", &world.datagrams).map(drop)),
    ("unix-datagram-of-a-pair", |world| {
        let (one, _other) = UnixDatagram::pair()?;
        one.send_to(b"x", &world.datagrams).map(drop)
    }),
    ("unix-raw-datagram", |_| socket(libc::AF_UNIX, libc::SOCK_RAW, 0)),
    ("abstract-socket", |world| {
        let address = SocketAddr::from_abstract_name(&world.abstract_name)?;
        UnixStream::connect_addr(&address).map(drop)
    }),
    ("io-uring", |_| {
        let mut parameters: MaybeUninit<[u8; 256]> = MaybeUninit::zeroed();
        call(libc::SYS_io_uring_setup, &[8, std::ptr::from_mut(&mut parameters) as i64]).map(drop)
    }),
    ("other-interface", other_interface),
    ("older-processor", older_processor),
];

fn in_address(port: u16) -> [u8; 16] {
    let [high, low] = port.to_be_bytes();
    let mut address = [0; 16];
    address[..8].copy_from_slice(&[2, 0, high, low, 127, 0, 0, 1]);
    address
}

/// The same call by the number that the half-wide interface has for it.
#[cfg(target_arch = "x86_64")]
fn other_interface(_: &crate::linux::World) -> io::Result<()> {
    const X32: i64 = 0x4000_0000;
    call(libc::SYS_socket | X32, &[libc::AF_INET.into(), libc::SOCK_STREAM.into(), 0]).map(drop)
}

/// The same call the way that programs of 32 bits make it.
#[cfg(target_arch = "x86_64")]
fn older_processor(_: &crate::linux::World) -> io::Result<()> {
    const SOCKET: i32 = 359;
    let answer: i32;
    // SAFETY: the call reads no memory. The compiler keeps one of the registers for itself, so it is put back.
    unsafe {
        std::arch::asm!(
            "xchg rbx, {family:r}",
            "int 0x80",
            "xchg rbx, {family:r}",
            family = inout(reg) i64::from(libc::AF_INET) => _,
            inout("eax") SOCKET => answer,
            in("ecx") libc::SOCK_STREAM,
            in("edx") 0,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    if answer >= 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(-answer)) }
}

#[cfg(not(target_arch = "x86_64"))]
fn other_interface(_: &crate::linux::World) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}

#[cfg(not(target_arch = "x86_64"))]
fn older_processor(_: &crate::linux::World) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}
