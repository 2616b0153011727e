// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! Reads the values of the host, which are valid during a call only, into values of Rust.
use crate::{Code, Error, Result};
use drover_sys::*;

/// # Safety
/// TEXT is valid during this call. So are the others below.
pub(crate) unsafe fn text(text: drover_str) -> Result<String> {
    if text.size == 0 {
        return Ok(String::new());
    }
    let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.size);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Error::new(
            Code::InvalidArgument,
            "a text of the host is not UTF-8",
        )),
    }
}

/// The address of each element, in steps of the other side's size.
unsafe fn elements<T>(array: drover_array) -> impl Iterator<Item = *const T> {
    let base = array.data.cast::<u8>();
    let step = array.element_size;
    (0..array.count).map(move |i| unsafe { base.add(i * step) }.cast::<T>())
}

/// Elements that begin with their size.
pub(crate) unsafe fn structs<T: Sizeable>(array: drover_array) -> Vec<T> {
    elements::<T>(array).map(|at| unsafe { copy_sized(at) }).collect()
}

/// Elements that never change: texts, pairs and run ids.
pub(crate) unsafe fn values<T: Copy>(array: drover_array) -> Vec<T> {
    elements::<T>(array).map(|at| unsafe { *at }).collect()
}

pub(crate) unsafe fn texts(array: drover_array) -> Result<Vec<String>> {
    let raw: Vec<drover_str> = values(array);
    raw.into_iter().map(|item| unsafe { text(item) }).collect()
}

pub(crate) unsafe fn pairs(array: drover_array) -> Result<Vec<(String, String)>> {
    let raw: Vec<drover_pair> = values(array);
    raw.into_iter()
        .map(|pair| unsafe { Ok((text(pair.key)?, text(pair.value)?)) })
        .collect()
}

/// Texts for the host, valid as long as TEXTS.
pub(crate) fn strs(texts: &[String]) -> Vec<drover_str> {
    texts.iter().map(|text| drover_str::of(text)).collect()
}

/// Pairs for the host, valid as long as PAIRS.
pub(crate) fn raw_pairs(pairs: &[(String, String)]) -> Vec<drover_pair> {
    pairs
        .iter()
        .map(|(key, value)| drover_pair {
            key: drover_str::of(key),
            value: drover_str::of(value),
        })
        .collect()
}
