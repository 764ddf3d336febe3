//! Reads `.mcp.json`: an object `mcpServers` of servers by name, as other programs write it, and what we add to it. A server
//! that is wrong is a problem with its line and does not keep the others from being read. Must not read files or the
//! environment: text and variables are handed in.

use std::fmt;
use std::path::PathBuf;

use reqwest::header::{HeaderName, HeaderValue};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{McpServer, McpTransport, ToolFilter};
use crate::web::checked_url;
use crate::{Network, Secret};

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpFile {
    /// In the order of the file.
    pub servers: Vec<McpServer>,
    pub problems: Vec<McpProblem>,
}

/// Something that cannot be used as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct McpProblem {
    pub line: usize,
    pub column: usize,
    pub what: String,
}

const LONGEST_FILE: usize = 1 << 20;
const LONGEST_NAME: usize = 100;
const MOST_SERVERS: usize = 64;
const MOST_PROBLEMS: usize = 100;
const VALID: &str = "type, command, args, env, url, headers, network, read, write, tools, roles, disabled";

/// Reads the text of a file. `variable` gives the values for `${NAME}` and `${NAME:-default}`.
pub fn read_mcp_file(text: &[u8], variable: &dyn Fn(&str) -> Option<String>) -> McpFile {
    let mut file = McpFile::default();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let whole = |what: String| McpProblem { line: 1, column: 1, what };
    if text.len() > LONGEST_FILE {
        file.problems.push(whole(format!("the file is larger than {LONGEST_FILE} bytes")));
        return file;
    }
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let before = String::from_utf8_lossy(&text[..error.valid_up_to()]);
            let (line, column) = place(&before, before.len());
            file.problems.push(McpProblem { line, column, what: "the file is not UTF-8 from here on".into() });
            return file;
        }
    };
    let mut reader = Reader { text, variable, problems: Vec::new() };
    file.servers = reader.servers();
    file.problems = reader.problems;
    file.problems.truncate(MOST_PROBLEMS);
    file
}

struct Reader<'text> {
    text: &'text str,
    variable: &'text dyn Fn(&str) -> Option<String>,
    problems: Vec<McpProblem>,
}

/// The members of an object, each with where it stands.
struct Members<'text>(Vec<(String, &'text RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

impl<'text> Members<'text> {
    fn find(&self, name: &str) -> Option<&'text RawValue> {
        // `null` is written for what is not there.
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| *value).filter(|value| value.get() != "null")
    }
}

impl<'text> Reader<'text> {
    fn servers(&mut self) -> Vec<McpServer> {
        let root: Members<'text> = match serde_json::from_str(self.text) {
            Ok(root) => root,
            Err(error) => {
                let what = error.to_string();
                let what = what.split(" at line").next().unwrap_or_default();
                self.problems.push(McpProblem {
                    line: error.line(),
                    column: error.column(),
                    what: format!("the file is no JSON object: {what}"),
                });
                return Vec::new();
            }
        };
        let Some(listed) = root.find("mcpServers") else {
            let named: Vec<&str> = root.0.iter().take(5).map(|(name, _)| name.as_str()).collect();
            let what = format!(
                "there is no `mcpServers` in it (found: {}): put the servers by name into one",
                named.join(", ")
            );
            // A file without servers is complete; one that calls them otherwise is not.
            if !named.is_empty() {
                self.problems.push(McpProblem { line: 1, column: 1, what });
            }
            return Vec::new();
        };
        let Some(listed) = self.members(listed, "`mcpServers`") else { return Vec::new() };
        let mut servers: Vec<McpServer> = Vec::new();
        for (name, value) in listed.0 {
            let called = format!("server {name:?}");
            if servers.len() >= MOST_SERVERS {
                self.note(value, format!("{called} is left out: at most {MOST_SERVERS} servers are used"));
                break;
            }
            if name.trim().is_empty() || name.len() > LONGEST_NAME {
                self.note(value, format!("{called} needs a name of 1 to {LONGEST_NAME} bytes"));
            } else if servers.iter().any(|server| server.name == name) {
                self.note(value, format!("{called} is there twice: the first is used"));
            } else if let Some(server) = self.server(name, value) {
                servers.push(server);
            }
        }
        servers
    }

    fn server(&mut self, name: String, value: &'text RawValue) -> Option<McpServer> {
        let called = format!("server {name:?}");
        let members = self.members(value, &called)?;
        if members.find("disabled").is_some_and(|disabled| disabled.get() == "true") {
            return None;
        }
        // Everything is read before it is given up, so that all problems are named at once.
        let tools = self.filter(&members, &called);
        let roles = self.strings(&members, "roles", &called);
        let transport = self.transport(value, &members, &called);
        Some(McpServer { name, transport: transport?, tools: tools?, roles: roles? })
    }

    fn transport(&mut self, value: &'text RawValue, members: &Members<'text>, called: &str) -> Option<McpTransport> {
        let kind = match members.find("type") {
            Some(kind) => Some((kind, self.string(kind, "type", called)?)),
            None => None,
        };
        let has = |name: &str| members.find(name).is_some();
        match (kind.as_ref().map(|(_, kind)| kind.as_str()), has("command"), has("url")) {
            (Some("stdio") | None, true, false) => self.stdio(members, called),
            (Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") | None, false, true) => {
                self.http(members, called)
            }
            (Some("stdio"), false, _) => self.problem(value, format!("{called} has no `command`: name the program")),
            (Some("http" | "streamable-http" | "streamableHttp" | "streamable_http"), _, false) => {
                self.problem(value, format!("{called} has no `url`: give its address"))
            }
            (Some("sse"), ..) => {
                let what = "the type sse is an old one that is not spoken here: use http, if the server speaks it";
                self.problem(value, format!("{called}: {what}"))
            }
            (Some(other), ..)
                if !matches!(other, "stdio" | "http" | "streamable-http" | "streamableHttp" | "streamable_http") =>
            {
                let at = kind.as_ref().map_or(value, |(at, _)| at);
                self.problem(at, format!("{called}: there is no type {other:?}; valid: stdio, http"))
            }
            (_, true, true) => self.problem(value, format!("{called} has a `command` and a `url`: leave one out")),
            _ => self.problem(value, format!("{called} has neither `command` nor `url`; valid: {VALID}")),
        }
    }

    fn stdio(&mut self, members: &Members<'text>, called: &str) -> Option<McpTransport> {
        let command = members.find("command").and_then(|command| self.string(command, "command", called));
        let args = self.strings(members, "args", called);
        let env = self.secrets(members, "env", called);
        let read = self.strings(members, "read", called);
        let write = self.strings(members, "write", called);
        let network = match members.find("network").map(RawValue::get) {
            None | Some("false") => Some(Network::Closed),
            Some("true") => Some(Network::Open),
            Some(_) => {
                let at = members.find("network")?;
                self.problem(at, format!("{called}: `network` is neither true nor false"))
            }
        };
        let paths = |list: Vec<String>| list.into_iter().map(PathBuf::from).collect();
        let command = command?;
        if command.is_empty() || command.contains('\0') {
            let at = members.find("command")?;
            return self.problem(at, format!("{called}: `command` names no program"));
        }
        let env = env?;
        if let Some((at, name)) = env
            .iter()
            .find(|(_, name, _)| name.is_empty() || name.contains(['=', '\0']))
            .map(|(at, name, _)| (*at, name.clone()))
        {
            return self.problem(at, format!("{called}: {name:?} cannot be the name of a variable"));
        }
        let env = env.into_iter().map(|(_, name, value)| (name, value)).collect();
        Some(McpTransport::Stdio {
            command,
            args: args?,
            env,
            network: network?,
            read: paths(read?),
            write: paths(write?),
        })
    }

    fn http(&mut self, members: &Members<'text>, called: &str) -> Option<McpTransport> {
        let at = members.find("url")?;
        let url = self.string(at, "url", called);
        let headers = self.secrets(members, "headers", called);
        let url = url?;
        if let Err(fault) = checked_url(&url) {
            return self.problem(at, format!("{called}: {fault}"));
        }
        let headers = headers?;
        for (at, name, value) in &headers {
            let is_name = HeaderName::from_bytes(name.as_bytes()).is_ok();
            if !is_name || HeaderValue::from_str(value.reveal()).is_err() {
                let what = if is_name { "value" } else { "name" };
                return self.problem(at, format!("{called}: the header {name:?} has a {what} that no header can have"));
            }
        }
        Some(McpTransport::Http { url, headers: headers.into_iter().map(|(_, name, value)| (name, value)).collect() })
    }

    fn filter(&mut self, members: &Members<'text>, called: &str) -> Option<ToolFilter> {
        let Some(tools) = members.find("tools") else { return Some(ToolFilter::default()) };
        // A plain list is what is allowed.
        if tools.get().starts_with('[') {
            return Some(ToolFilter { allow: self.strings(members, "tools", called)?, deny: Vec::new() });
        }
        let inner = self.members(tools, &format!("{called}: `tools`"))?;
        let allow = self.strings(&inner, "allow", called);
        let deny = self.strings(&inner, "deny", called);
        Some(ToolFilter { allow: allow?, deny: deny? })
    }

    fn members(&mut self, value: &'text RawValue, called: &str) -> Option<Members<'text>> {
        match serde_json::from_str(value.get()) {
            Ok(members) => Some(members),
            Err(_) => self.problem(value, format!("{called} is no object")),
        }
    }

    fn string(&mut self, value: &'text RawValue, name: &str, called: &str) -> Option<String> {
        match serde_json::from_str::<String>(value.get()) {
            Ok(text) => self.expanded(value, &text, name, called),
            Err(_) => self.problem(value, format!("{called}: `{name}` is no string")),
        }
    }

    fn strings(&mut self, members: &Members<'text>, name: &str, called: &str) -> Option<Vec<String>> {
        let Some(value) = members.find(name) else { return Some(Vec::new()) };
        let Ok(items) = serde_json::from_str::<Vec<&'text RawValue>>(value.get()) else {
            return self.problem(value, format!("{called}: `{name}` is no list of strings"));
        };
        // All of them, for the problems of all of them.
        let items: Vec<Option<String>> = items.into_iter().map(|item| self.string(item, name, called)).collect();
        items.into_iter().collect()
    }

    fn secrets(
        &mut self,
        members: &Members<'text>,
        name: &str,
        called: &str,
    ) -> Option<Vec<(&'text RawValue, String, Secret)>> {
        let Some(value) = members.find(name) else { return Some(Vec::new()) };
        let inner = self.members(value, &format!("{called}: `{name}`"))?;
        let read: Vec<Option<_>> = inner
            .0
            .into_iter()
            .map(|(own, value)| {
                let called = format!("{called}, `{name}`");
                self.string(value, &own, &called).map(|text| (value, own, Secret::new(text)))
            })
            .collect();
        read.into_iter().collect()
    }

    /// With its variables in place.
    fn expanded(&mut self, at: &'text RawValue, text: &str, name: &str, called: &str) -> Option<String> {
        let mut whole = String::new();
        let mut rest = text;
        while let Some(found) = rest.find("${") {
            whole.push_str(&rest[..found]);
            let Some((inside, after)) = rest[found + 2..].split_once('}') else {
                return self.problem(at, format!("{called}: a `${{` in `{name}` is not closed"));
            };
            let (variable, default) =
                inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
            let is_name =
                !variable.is_empty() && variable.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            if !is_name {
                return self.problem(at, format!("{called}: {variable:?} in `{name}` is no name of a variable"));
            }
            let value = (self.variable)(variable).filter(|value| !value.is_empty() || default.is_none());
            match value.or_else(|| default.map(str::to_owned)) {
                Some(value) => whole.push_str(&value),
                None => {
                    let what = format!("the variable {variable} is not set: set it, or write ${{{variable}:-default}}");
                    return self.problem(at, format!("{called}: `{name}` cannot be read: {what}"));
                }
            }
            rest = after;
        }
        whole.push_str(rest);
        Some(whole)
    }

    /// A problem instead of what should be there.
    fn problem<T>(&mut self, at: &RawValue, what: String) -> Option<T> {
        self.note(at, what);
        None
    }

    fn note(&mut self, at: &RawValue, what: String) {
        let offset = (at.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let (line, column) = place(self.text, offset.min(self.text.len()));
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(McpProblem { line, column, what });
        }
    }
}

/// Line and column of a byte, both from one on.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> McpFile {
        let variable = |name: &str| match name {
            "TOKEN" => Some("t-1234".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        read_mcp_file(text.as_bytes(), &variable)
    }

    #[test]
    fn servers_are_read_as_others_write_them() {
        let file = read(
            "\u{feff}{\n \"mcpServers\": {\n  \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"${HOME:-/home}/x\"],\n   \
             \"env\": {\"KEY\": \"a${TOKEN}b\", \"E\": \"${EMPTY:-d}\"}, \"network\": true, \"read\": [\"/data\"], \"unknown\": 1},\n  \
             \"web\": {\"type\": \"http\", \"url\": \"https://host/mcp\", \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"},\n   \
             \"tools\": {\"allow\": [\"read_*\"], \"deny\": [\"read_all\"]}, \"roles\": [\"executor\"]},\n  \
             \"off\": {\"disabled\": true, \"command\": 5},\n  \"plain\": {\"url\": \"http://localhost:1/\", \"tools\": [\"a\"], \"headers\": null}}}",
        );
        assert_eq!(file.problems, []);
        let secret = |text: &str| Secret::new(text);
        let stdio = McpTransport::Stdio {
            command: "npx".into(),
            args: vec!["-y".into(), "/home/x".into()],
            env: vec![("KEY".into(), secret("at-1234b")), ("E".into(), secret("d"))],
            network: Network::Open,
            read: vec!["/data".into()],
            write: vec![],
        };
        let http = McpTransport::Http {
            url: "https://host/mcp".into(),
            headers: vec![("Authorization".into(), secret("Bearer t-1234"))],
        };
        let plain = McpTransport::Http { url: "http://localhost:1/".into(), headers: vec![] };
        let filter = |allow: &[&str], deny: &[&str]| {
            let own = |list: &[&str]| list.iter().map(ToString::to_string).collect();
            ToolFilter { allow: own(allow), deny: own(deny) }
        };
        let server = |name: &str, transport, tools, roles: &[&str]| McpServer {
            name: name.into(),
            transport,
            tools,
            roles: roles.iter().map(ToString::to_string).collect(),
        };
        let expected = [
            server("files", stdio, filter(&[], &[]), &[]),
            server("web", http, filter(&["read_*"], &["read_all"]), &["executor"]),
            server("plain", plain, filter(&["a"], &[]), &[]),
        ];
        assert_eq!(file.servers, expected);
        assert!(
            file.servers[1].is_for("executor") && !file.servers[1].is_for("judge") && file.servers[0].is_for("judge")
        );
        assert!(!format!("{:?}", file.servers).contains("t-1234"), "QL-35: a secret is printed");
        assert_eq!(read("{}"), McpFile::default());
    }

    /// The other server in the file is read all the same.
    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let check = |server: &str, expected: &[&str]| {
            let file =
                read(&format!("{{\"mcpServers\": {{\n \"bad\": {server},\n \"good\": {{\"command\": \"x\"}}}}}}"));
            let problems: Vec<String> = file.problems.iter().map(ToString::to_string).collect();
            assert_eq!(problems.len(), expected.len(), "{server}: {problems:?}");
            for (problem, part) in problems.iter().zip(expected) {
                assert!(problem.contains(part), "{server}: {problem:?} does not say {part:?}");
            }
            assert_eq!(
                file.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(),
                ["good"],
                "{server}"
            );
        };
        check("5", &["2:9: server \"bad\" is no object"]);
        check("{}", &["2:9: server \"bad\" has neither `command` nor `url`; valid: type, command"]);
        check("{\"command\": 5}", &["2:21: server \"bad\": `command` is no string"]);
        check("{\"command\": \"\"}", &["`command` names no program"]);
        check("{\"command\": \"x\", \"url\": \"http://x/\"}", &["has a `command` and a `url`"]);
        check("{\"type\": \"sse\", \"url\": \"http://x/\"}", &["the type sse is an old one"]);
        check(
            "{\"type\": \"ws\", \"url\": \"http://x/\"}",
            &["2:18: server \"bad\": there is no type \"ws\"; valid: stdio, http"],
        );
        check("{\"type\": \"stdio\", \"url\": \"http://x/\"}", &["has no `command`"]);
        check("{\"type\": \"http\", \"command\": \"x\"}", &["has no `url`"]);
        check("{\"command\": \"x\", \"args\": \"y\"}", &["`args` is no list of strings"]);
        check("{\"command\": \"x\",\n\"args\": [\"y\", 1]}", &["3:15: server \"bad\": `args` is no string"]);
        check("{\"command\": \"x\", \"env\": {\"A\": 1, \"B\": []}}", &["`A` is no string", "`B` is no string"]);
        check("{\"command\": \"x\", \"env\": {\"A=B\": \"\"}}", &["\"A=B\" cannot be the name of a variable"]);
        check("{\"command\": \"x\", \"network\": \"yes\"}", &["`network` is neither true nor false"]);
        check("{\"command\": \"x\", \"tools\": 5}", &["`tools` is no object"]);
        check("{\"command\": \"x\", \"roles\": {}}", &["`roles` is no list"]);
        check(
            "{\"command\": \"${NOPE}\", \"args\": [\"${\", \"${A B}\"]}",
            &["the variable NOPE is not set: set it, or write ${NOPE:-default}", "not closed", "no name of a variable"],
        );
        check("{\"url\": \"ftp://x/\"}", &["valid: http, https"]);
        check("{\"url\": \"http://a:b@x/\"}", &["leave them out"]);
        check("{\"url\": \"http://x/\", \"headers\": {\"a b\": \"c\"}}", &["the header \"a b\" has a name"]);
        check("{\"url\": \"http://x/\", \"headers\": {\"a\": \"c\\nd\"}}", &["the header \"a\" has a value"]);
        let twice = read(
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"a\": {\"command\": \"y\"}, \"\": {\"command\": \"z\"}}}",
        );
        assert_eq!((twice.servers.len(), twice.problems.len()), (1, 2), "{:?}", twice.problems);
        let many: Vec<String> = (0..100).map(|number| format!("\"{number}\": {{\"command\": \"x\"}}")).collect();
        let many = read(&format!("{{\"mcpServers\": {{{}}}}}", many.join(",")));
        assert_eq!((many.servers.len(), many.problems.len()), (MOST_SERVERS, 1));
        let strange = read_mcp_file(b"{\n\"\xff", &|_| None);
        assert_eq!(strange.problems[0].to_string(), "2:2: the file is not UTF-8 from here on");
        assert_eq!(read_mcp_file(&vec![b' '; LONGEST_FILE + 1], &|_| None).problems.len(), 1);
    }

    #[test]
    fn broken_files_are_told_by_line() {
        let check = |text: &str, expected: &str| {
            let file = read(text);
            assert_eq!(file.servers, []);
            let problems: Vec<String> = file.problems.iter().map(ToString::to_string).collect();
            assert!(problems.len() == 1 && problems[0].contains(expected), "{text}: {problems:?}");
        };
        check("", "1:0: the file is no JSON object: EOF");
        check("[]", "the file is no JSON object: invalid type");
        check("{\n\"mcpServers\": {\n\"a\": {\"command\": }}}", "3:18: the file is no JSON object: expected value");
        check("{\"servers\": {}}", "1:1: there is no `mcpServers` in it (found: servers)");
        check("{\"mcpServers\":\n []}", "2:2: `mcpServers` is no object");
    }
}
