//! The program as a user meets it: what it prints, where, and how it ends. Each test runs the binary in a folder and an
//! environment of its own.
#![cfg(test)]

mod check;
mod cycle;
mod frame;
mod import;
mod journal;
mod knowledge;
mod learning;
mod lineage;
mod looks;
mod models;
mod place;
mod profile;
mod pty;
mod refusals;
mod runs;
mod screen;
mod scripted;
mod served;
mod terminal;
mod traces;
mod trouble;
