// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! Finds the SDK by pkg-config and takes the number of the draft from its header, so that a file
//! built against one SDK says so to the host.
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let said = Command::new("pkg-config")
        .args(["--variable=includedir", "drover-sdk"])
        .output()
        .expect("pkg-config cannot be run: install it");
    assert!(
        said.status.success(),
        "pkg-config does not find drover-sdk: set PKG_CONFIG_PATH to the SDK's lib/pkgconfig"
    );
    let directory = String::from_utf8(said.stdout).expect("the SDK's path is no UTF-8");
    let header = format!("{}/drover/drover.h", directory.trim());
    println!("cargo:rerun-if-changed={header}");
    let text = std::fs::read_to_string(&header).unwrap_or_else(|e| panic!("{header}: {e}"));
    let draft = text
        .lines()
        .find_map(|line| line.strip_prefix("#define DROVER_ABI_DRAFT "))
        .expect("the header has no DROVER_ABI_DRAFT: it is a released one, use its own binding");
    println!("cargo:rustc-env=DROVER_ABI_DRAFT={}", draft.trim());
}
