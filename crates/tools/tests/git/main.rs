//! Repositories through the user's own git: what is said of each, what is changed and what is left, and that nothing
//! that a repository names is ever run (PF-10, CY-04, CY-09, QL-30).
#![cfg(test)]

mod changing;
mod hostile;
mod lending;
mod merging;
mod opening;
mod stage;
