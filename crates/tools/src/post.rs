//! Owns one message to a web address that the user named: a JSON object goes there, and whether it was taken comes back. Must
//! not know what it says, and follows no redirect.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, redirect};

use crate::Stop;
use crate::background::Background;

/// Sends a JSON object; why that did not succeed, in words without the address, which may hold a secret.
pub fn post_json(address: &str, body: Vec<u8>, within: Duration, stop: &Stop) -> Result<(), String> {
    let background = Background::start("message").map_err(|fault| format!("no thread for it: {fault}"))?;
    let client = Client::builder().redirect(redirect::Policy::none()).referer(false).connect_timeout(within).build();
    let client = client.map_err(|fault| fault.without_url().to_string())?;
    let request = client.post(address).header(CONTENT_TYPE, "application/json").body(body);
    let sent = background.carry(stop, within, async move { request.send().await });
    let answer = sent.map_err(|fault| fault.to_string())?.map_err(|fault| whole(&fault.without_url()))?;
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(format!("it was answered with {}", answer.status())),
    }
}

/// A fault with what caused it: the first words alone often say only that something failed.
fn whole(fault: &dyn std::error::Error) -> String {
    let mut words = fault.to_string();
    let mut cause = fault.source();
    while let Some(fault) = cause {
        words = format!("{words}: {fault}");
        cause = fault.source();
    }
    words
}
