//! Which addresses are closed to whoever fetches for a model: all that lead to this machine, its network, or whoever
//! hosts it (QL-33). Pure; knows nothing of names, grants or connections.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where an address leads if not to a public host; no reason means that it is open.
pub(crate) fn closed(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => closed_v4(address),
        IpAddr::V6(address) => closed_v6(address),
    }
}

/// An address, the bits of it that count, and what lies there. The first that fits is the answer.
type Block4 = (Ipv4Addr, u32, &'static str);
type Block6 = (Ipv6Addr, u32, &'static str);

const METADATA: &str = "the metadata service of a cloud";

const BLOCKS_4: [Block4; 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this machine (unspecified)"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a provider's inner network (shared address space)"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "this machine (loopback)"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, METADATA),
    (Ipv4Addr::new(169, 254, 169, 254), 32, METADATA),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "the local link"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved network"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a network for examples"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a relay into other networks (6to4)"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private network"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a network for measurements"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a network for examples"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a network for examples"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "many hosts at once (multicast)"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved network"),
];

const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);
const GLOBAL: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
const SIX_TO_FOUR: Ipv6Addr = Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0);

const BLOCKS_6: [Block6; 14] = [
    (Ipv6Addr::UNSPECIFIED, 128, "this machine (unspecified)"),
    (Ipv6Addr::LOCALHOST, 128, "this machine (loopback)"),
    (Ipv6Addr::UNSPECIFIED, 96, "an IPv4 address in an old spelling"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "an inner network behind a translator (NAT64)"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "nowhere (discard)"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "a tunnel to an IPv4 address (Teredo)"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a reserved network"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a network for examples"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a network for examples"),
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, METADATA),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private network (unique local)"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "the local link"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a private network (site local)"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "many hosts at once (multicast)"),
];

fn closed_v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let fits = |(network, length, _): &&Block4| bits >> (32 - length) == network.to_bits() >> (32 - length);
    BLOCKS_4.iter().find(fits).map(|(_, _, what)| *what)
}

fn closed_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(inner) = embedded(address) {
        return closed_v4(inner);
    }
    let fits = |(network, length, _): &&Block6| within(address, *network, *length);
    if let Some((_, _, what)) = BLOCKS_6.iter().find(fits) {
        return Some(what);
    }
    (!within(address, GLOBAL, 3)).then_some("a network that is not public")
}

/// The IPv4 address that a packet to this one is carried to.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let of = |high: u16, low: u16| Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    if let Some(mapped) = address.to_ipv4_mapped() {
        return Some(mapped);
    }
    if within(address, NAT64, 96) {
        return of(segments[6], segments[7]);
    }
    if within(address, SIX_TO_FOUR, 16) {
        return of(segments[1], segments[2]);
    }
    // A tunnel inside a site (ISATAP), whatever network it says it is in.
    if segments[4] & !0x200 == 0 && segments[5] == 0x5efe {
        return of(segments[6], segments[7]);
    }
    None
}

fn within(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    address.to_bits() >> (128 - length) == network.to_bits() >> (128 - length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-33: what an address leads to, in all the ways in which one address can be written inside another.
    #[test]
    fn addresses_that_lead_inside_are_closed() {
        let cases = [
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("0.0.0.0", "unspecified"),
            ("0.1.2.3", "unspecified"),
            ("10.0.0.1", "private"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("100.64.0.1", "shared"),
            ("100.127.255.255", "shared"),
            ("100.100.100.200", "shared"),
            ("169.254.169.254", "metadata"),
            ("169.254.1.1", "local link"),
            ("168.63.129.16", "metadata"),
            ("192.0.0.192", "reserved"),
            ("192.0.2.1", "examples"),
            ("198.19.0.1", "measurements"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.250", "multicast"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::7f00:1", "old spelling"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:a9fe:a9fe", "metadata"),
            ("64:ff9b::10.0.0.1", "private"),
            ("64:ff9b::a9fe:a9fe", "metadata"),
            ("64:ff9b:1::1", "NAT64"),
            ("2002:7f00:1::", "loopback"),
            ("2002:a9fe:a9fe::1", "metadata"),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"),
            ("2001:db8::1", "examples"),
            ("2a00:1450::200:5efe:7f00:1", "loopback"),
            ("fe80::1", "local link"),
            ("fec0::1", "site local"),
            ("fd00::1", "unique local"),
            ("fc12::1", "unique local"),
            ("fd00:ec2::254", "metadata"),
            ("ff02::1", "multicast"),
            ("5f00::1", "not public"),
            ("4000::1", "not public"),
        ];
        for (address, part) in cases {
            let reason = closed(address.parse().unwrap());
            assert!(reason.is_some_and(|reason| reason.contains(part)), "{address}: {reason:?}, not {part}");
        }
        for open in ["1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::1.1.1.1"] {
            assert_eq!(closed(open.parse().unwrap()), None, "{open}");
        }
    }
}
