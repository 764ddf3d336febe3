//! Hosts that somebody opened on purpose: a name, all names below one, an address or a network, each with or without a
//! port. Pure; what is closed without a grant is not known here.

use std::net::IpAddr;

/// What may be reached beyond the public hosts of the web at their usual ports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    grants: Vec<Grant>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Grant {
    host: Host,
    /// None is every port.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Name(String),
    /// Every name that ends in a dot and this.
    Below(String),
    Network(IpAddr, u8),
}

/// A grant that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{grant:?} opens no host, since {why}: write a name, `*.name`, an address or a network like 10.0.0.0/8, with `:port` behind it or not"
)]
pub struct UnclearGrant {
    grant: String,
    why: &'static str,
}

impl Allowed {
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Reads grants such as `localhost:8080`, `*.example.org`, `127.0.0.1`, `10.0.0.0/8:8080` and `[::1]:8080`.
    pub fn parse<'grant>(grants: impl IntoIterator<Item = &'grant str>) -> Result<Self, UnclearGrant> {
        let read = |grant: &str| {
            let unclear = |why| UnclearGrant { grant: grant.into(), why };
            let (host, port) = split_port(grant).map_err(unclear)?;
            host_of(host).map(|host| Grant { host, port }).map_err(unclear)
        };
        Ok(Self { grants: grants.into_iter().map(read).collect::<Result<_, _>>()? })
    }

    /// One host at one port, as a URL names it: what a person configured is a grant for it.
    pub(crate) fn only(host: &str, port: u16) -> Self {
        let host = host.trim_matches(['[', ']']);
        let host = host_of(host).unwrap_or_else(|_| Host::Name(host.into()));
        Self { grants: vec![Grant { host, port: Some(port) }] }
    }

    /// Whether a host is open by its name, so that every address of it is.
    pub(crate) fn opens_name(&self, name: &str, port: u16) -> bool {
        let name = name.trim_end_matches('.');
        self.for_port(port).any(|host| match host {
            Host::Name(open) => open == name,
            Host::Below(end) => name.strip_suffix(end.as_str()).is_some_and(|front| front.ends_with('.')),
            Host::Network(..) => false,
        })
    }

    /// Whether an address is open, whatever name led to it.
    pub(crate) fn opens_address(&self, address: IpAddr, port: u16) -> bool {
        let address = address.to_canonical();
        self.for_port(port).any(|host| match (host, address) {
            (Host::Network(IpAddr::V4(network), length), IpAddr::V4(address)) => {
                shifted(network.to_bits().into(), 32, *length) == shifted(address.to_bits().into(), 32, *length)
            }
            (Host::Network(IpAddr::V6(network), length), IpAddr::V6(address)) => {
                shifted(network.to_bits(), 128, *length) == shifted(address.to_bits(), 128, *length)
            }
            _ => false,
        })
    }

    fn for_port(&self, port: u16) -> impl Iterator<Item = &Host> {
        self.grants.iter().filter(move |grant| grant.port.is_none_or(|open| open == port)).map(|grant| &grant.host)
    }
}

fn shifted(bits: u128, width: u8, length: u8) -> u128 {
    bits.checked_shr(u32::from(width.saturating_sub(length))).unwrap_or(0)
}

fn split_port(grant: &str) -> Result<(&str, Option<u16>), &'static str> {
    let number = |text: &str| text.parse().map_err(|_| "its port is not a number from 0 to 65535");
    if let Some(rest) = grant.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or("a bracket is not closed")?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(number(port)?))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err("something else than a port follows the bracket"),
        };
    }
    match grant.split_once(':') {
        // More than one colon: an IPv6 address or network.
        Some((_, rest)) if rest.contains(':') => Ok((grant, None)),
        Some((host, port)) => Ok((host, Some(number(port)?))),
        None => Ok((grant, None)),
    }
}

fn host_of(host: &str) -> Result<Host, &'static str> {
    let (address, length) = host.split_once('/').map_or((host, None), |(address, length)| (address, Some(length)));
    if let Ok(address) = address.parse::<IpAddr>() {
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => most,
            Some(length) => length.parse().ok().filter(|length| *length <= most).ok_or("its length is too large")?,
        };
        return Ok(Host::Network(address, length));
    }
    let name = host.trim_end_matches('.').to_lowercase();
    let (name, below) = name.strip_prefix("*.").map_or((name.as_str(), false), |end| (end, true));
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    match name {
        "" => Err("it has no host"),
        name if !name.chars().all(is_plain) => Err("a name has letters, digits, `-`, `_` and dots"),
        name if below => Ok(Host::Below(name.into())),
        name => Ok(Host::Name(name.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-33: a grant opens what it says and nothing beside it.
    #[test]
    fn grants_open_what_they_say() {
        let check = |grant: &str, host: &str, port: u16, open: bool| {
            let allowed = Allowed::parse([grant]).unwrap();
            let is_open = match host.parse() {
                Ok(address) => allowed.opens_address(address, port),
                Err(_) => allowed.opens_name(host, port),
            };
            assert_eq!(is_open, open, "{grant}: {host}:{port}");
        };
        check("localhost", "localhost", 80, true);
        check("localhost", "localhost", 8080, true);
        check("LocalHost", "localhost.", 80, true);
        check("localhost:8080", "localhost", 80, false);
        check("localhost:8080", "localhost", 8080, true);
        check("localhost", "notlocalhost", 80, false);
        check("*.example.org", "a.b.example.org", 80, true);
        check("*.example.org", "example.org", 80, false);
        check("*.example.org", "badexample.org", 80, false);
        check("127.0.0.1", "127.0.0.1", 99, true);
        check("127.0.0.1", "127.0.0.2", 99, false);
        check("127.0.0.1", "::ffff:127.0.0.1", 99, true);
        check("10.0.0.0/8:8080", "10.200.1.1", 8080, true);
        check("10.0.0.0/8:8080", "10.200.1.1", 80, false);
        check("10.0.0.0/8", "11.0.0.1", 80, false);
        check("0.0.0.0/0", "169.254.169.254", 80, true);
        check("[::1]:8080", "::1", 8080, true);
        check("::1", "::1", 80, true);
        check("fd00::/8", "fd12::1", 80, true);
        check("fd00::/8", "fe80::1", 80, false);
        for unclear in ["", ":80", "a b", "host:port", "host:70000", "10.0.0.0/33", "[::1", "[::1]x", "http://x"] {
            let error = Allowed::parse([unclear]).unwrap_err().to_string();
            assert!(error.contains("opens no host") && error.contains("*.name"), "{unclear}: {error}");
        }
    }
}
