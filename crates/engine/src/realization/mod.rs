//! Realization of profiles: the workspace's repository, one commit by its role for each step (PF-10). Owns what is done to
//! that repository, and what stops a step. Knows nothing of runs, journals or briefs: it is handed what is known, and
//! gives back what became so.
//!
//! **How it is called**, for a step that is not a gate, on a thread that may wait:
//!
//! 1. [`Workspace::open`]: makes `implementations/IDEA/` a repository once, or opens it.
//! 2. [`Workspace::ready`] with the commits that the journal knows, oldest first: moves the branch to the last of them if a
//!    crash came between, and gives the commit to work from; or a [`Halt`], in words for a person.
//! 3. [`Workspace::lend`]: a copy of the repository in a scratch place. The agent or adapter works in [`Lent::folder`],
//!    which is its workdir; artifacts go into its folder `artifacts`. Nothing that it does reaches the workspace.
//! 4. [`Workspace::take`]: looks at what was done, and makes it a commit object of the workspace: its id, its message and
//!    the artifacts with their bytes. No branch is moved yet; if the process dies here, nothing has happened.
//! 5. The caller commits its facts, with the id, to the journal.
//! 6. [`Workspace::settle`] with the commits that the journal knows, now with the new one: the branch moves and the working
//!    tree follows. Safe to repeat, and to leave out: the next `ready` does it.
//!
//! Whatever stops a step is a [`Halt`]: what, where, why and the way out.

mod halt;
mod message;
mod plan;
mod workspace;

pub use halt::Halt;
pub use message::{TYPES, message_for, message_problem};
pub use tools::git::{Lent, ObjectId};
pub use workspace::{Settled, StepDone, Taken, Workspace};
