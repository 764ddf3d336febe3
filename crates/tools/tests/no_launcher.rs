//! What happens with a binary that is no launcher. Apart from the other tests, since the binary is one for the process.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use stage::Stage;

/// A binary that does not know how to be the launcher is named.
#[test]
fn a_binary_that_is_no_launcher_is_a_fault() {
    let stage = Stage::new();
    tools::launch_through("/bin/true");
    let fault = stage.fault(&stage.sh("echo begun > begun"));
    assert!(fault.to_string().contains("/bin/true does not begin its main with `be_launcher_if_asked`"), "{fault}");
    assert!(!stage.scratch().join("begun").exists());
}
