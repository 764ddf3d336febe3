//! The program as a user meets it: what it prints, where, and how it ends. Each test runs the binary in a folder and an
//! environment of its own.
#![cfg(test)]

mod asking;
mod check;
mod cycle;
mod cycle_ground;
mod cycle_people;
mod cycles;
mod found;
mod frame;
mod granted;
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
mod replayed;
mod roadmap_tools;
mod roadmap_trouble;
mod roadmaps;
mod runs;
mod screen;
mod scripted;
mod served;
mod strange;
mod terminal;
mod traces;
mod trouble;
mod trusting;
mod workflow;
mod workflow_files;
