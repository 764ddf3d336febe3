//! The web box against servers inside the test and names that change their minds (QL-33, MV-28, MV-29, BY-17).
#![cfg(test)]

mod fetching;
mod searching;
mod server;

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use server::Server;
use tools::web::{Allowed, FetchLimits, Names, SearchProvider, Web, WebSettings};
use tools::{Stop, ToolAnswer, ToolCall, Toolbox, Went};

const NOW: &str = "2026-11-17T00:00:00Z";

/// Names as a test knows them. A name with several answers gives the next one each time, and the last for ever.
#[derive(Default)]
struct Book {
    answers: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
    looked_up: Mutex<Vec<String>>,
}

impl Book {
    fn of(entries: &[(&str, &[&str])]) -> Arc<Self> {
        let addresses = |answer: &str| answer.split_whitespace().map(|address| address.parse().unwrap()).collect();
        let entry = |(name, answers): &(&str, &[&str])| {
            ((*name).to_owned(), answers.iter().map(|answer| addresses(answer)).collect())
        };
        Arc::new(Self { answers: Mutex::new(entries.iter().map(entry).collect()), looked_up: Mutex::default() })
    }

    fn looked_up(&self) -> Vec<String> {
        self.looked_up.lock().unwrap().clone()
    }
}

impl Names for Book {
    fn look_up(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.looked_up.lock().unwrap().push(host.into());
        let mut answers = self.answers.lock().unwrap();
        let known = answers.get_mut(host).ok_or_else(|| io::Error::other("no such name"))?;
        Ok(if known.len() > 1 { known.remove(0) } else { known[0].clone() })
    }
}

fn settings(grants: &[&str], names: Arc<Book>) -> WebSettings {
    let mut settings = WebSettings::new(|| NOW.into());
    settings.allowed = Allowed::parse(grants.iter().copied()).unwrap();
    settings.names = names;
    settings
}

/// A box that reaches this server and nothing else of this machine.
fn web_for(server: &Server) -> Web {
    Web::new(settings(&[&server.address.to_string()], Book::of(&[])))
}

fn searching(server: &Server, kind: &str) -> Web {
    let key = Some(tools::Secret::new("key-12345"));
    let mut settings = settings(&[&server.address.to_string()], Book::of(&[]));
    settings.search = Some(SearchProvider::new(kind, Some(&server.url("")), None, key).unwrap());
    Web::new(settings)
}

fn call(web: &Web, name: &str, arguments: Value) -> ToolAnswer {
    web.call(&ToolCall { id: "1".into(), name: name.into(), arguments }, &Stop::new())
}

fn fetch(web: &Web, prompt: &str) -> ToolAnswer {
    call(web, "web_fetch", json!({ "prompt": prompt }))
}

#[track_caller]
fn assert_says(answer: &ToolAnswer, went: Went, parts: &[&str]) {
    assert_eq!(answer.went, went, "{}", answer.text);
    for part in parts {
        assert!(answer.text.contains(part), "{:?} does not say {part:?}", answer.text);
    }
}

fn short_time(time: Duration) -> FetchLimits {
    FetchLimits { time, ..FetchLimits::default() }
}
