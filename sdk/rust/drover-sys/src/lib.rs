// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! The C ABI between the Drover host and its task drivers: structs, functions and constants, as
//! `drover.h` has them. The declarations are generated from the headers, and the rules at the top of
//! `drover.h` hold for all of them. A driver uses the crate `drover-driver` instead, and needs this
//! one only for parts of the ABI that `drover-driver` does not wrap.
//!
//! A pointer to a function is an `Option`, as it may be null. Enumerations are `i32` constants, since
//! the other side may send values that this version does not know. A name that is a keyword of Rust
//! has an underscore behind it (`type_`).
#![allow(non_camel_case_types)]

use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_char;

#[rustfmt::skip]
#[allow(unused_imports)]
mod generated;

pub use generated::*;

/// A struct that begins with `struct_size`, and of which zero bytes are a value.
///
/// # Safety
/// The first member is a `u32` called `struct_size`, and each member may be zero.
pub unsafe trait Sizeable: Copy {}

/// Returns a struct with its size and zeros.
pub fn sized<T: Sizeable>() -> T {
    let mut out = MaybeUninit::<T>::zeroed();
    // SAFETY: T begins with its size, and zeros are a value of the rest.
    unsafe {
        *out.as_mut_ptr().cast::<u32>() = size_of::<T>() as u32;
        out.assume_init()
    }
}

/// Copies a struct of the other side. Members that it does not have are zero, and what is behind
/// the members of this version is left out.
///
/// # Safety
/// FROM is a struct of this kind, of which as many bytes are valid as its `struct_size` says.
pub unsafe fn copy_sized<T: Sizeable>(from: *const T) -> T {
    let mut out = MaybeUninit::<T>::zeroed();
    let size = (*from.cast::<u32>() as usize).min(size_of::<T>());
    std::ptr::copy_nonoverlapping(
        from.cast::<u8>(),
        out.as_mut_ptr().cast::<u8>(),
        size,
    );
    *out.as_mut_ptr().cast::<u32>() = size_of::<T>() as u32;
    out.assume_init()
}

impl drover_str {
    /// Refers to TEXT, which must outlive every use of the result.
    pub const fn of(text: &str) -> drover_str {
        drover_str {
            data: text.as_ptr().cast::<c_char>(),
            size: text.len(),
        }
    }
}

impl drover_array {
    /// An array without elements.
    pub const EMPTY: drover_array = drover_array {
        data: std::ptr::null(),
        count: 0,
        element_size: 0,
    };
    /// Refers to ELEMENTS, which must outlive every use of the result.
    pub fn of<T>(elements: &[T]) -> drover_array {
        drover_array {
            data: elements.as_ptr().cast(),
            count: elements.len(),
            element_size: size_of::<T>(),
        }
    }
}

/// Returns a text in a member of a manifest. A text that is too long ends the compilation.
pub const fn manifest_text<const SIZE: usize>(text: &str) -> [c_char; SIZE] {
    assert!(text.len() < SIZE, "a text of the manifest is too long");
    let bytes = text.as_bytes();
    let mut out = [0; SIZE];
    let mut at = 0;
    while at < bytes.len() {
        out[at] = bytes[at] as c_char;
        at += 1;
    }
    out
}

/// Returns the manifest of a plugin, for the section `.drover_manifest`.
pub const fn manifest(
    name: &str,
    version: &str,
    license: &str,
    min_host_minor: u32,
) -> drover_manifest {
    let magic = DROVER_MANIFEST_MAGIC.as_bytes();
    let mut out = drover_manifest {
        magic: [0; 8],
        struct_size: size_of::<drover_manifest>() as u32,
        abi_major: DROVER_ABI_MAJOR as u32,
        reserved: 0,
        min_host_minor,
        name: manifest_text(name),
        version: manifest_text(version),
        license: manifest_text(license),
    };
    let mut at = 0;
    while at < magic.len() {
        out.magic[at] = magic[at] as c_char;
        at += 1;
    }
    out
}
