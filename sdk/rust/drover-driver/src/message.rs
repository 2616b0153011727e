// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! The messages of streams.
use crate::raw;
use crate::{Result, RunId};
use drover_sys::*;

/// A message of a stream, which can be passed to the host.
pub trait Message: Send + 'static {
    #[doc(hidden)]
    fn pass(&self, to: &mut dyn FnMut(*const drover_message));
}

fn pass<T>(raw: &T, to: &mut dyn FnMut(*const drover_message)) {
    to((raw as *const T).cast())
}

/// Whether the driver can run tasks on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// The machine lacks what the driver needs.
    Undetected,
    Unhealthy,
    Healthy,
}

/// The health of the driver, and its attributes on this machine.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    pub health: Health,
    pub description: String,
    /// All values are texts, also those of numbers.
    pub attributes: Vec<(String, String)>,
}

impl Fingerprint {
    /// A healthy driver, with the attribute "driver.NAME".
    pub fn healthy(name: &str) -> Fingerprint {
        Fingerprint {
            health: Health::Healthy,
            description: "Healthy".to_owned(),
            attributes: vec![(format!("driver.{}", name), "true".to_owned())],
        }
    }
    /// A driver that cannot run tasks now, with the reason.
    pub fn unhealthy(reason: impl Into<String>) -> Fingerprint {
        Fingerprint {
            health: Health::Unhealthy,
            description: reason.into(),
            attributes: Vec::new(),
        }
    }
}

impl Message for Fingerprint {
    fn pass(&self, to: &mut dyn FnMut(*const drover_message)) {
        let attributes = raw::raw_pairs(&self.attributes);
        let mut out: drover_fingerprint = sized();
        out.type_ = DROVER_MESSAGE_FINGERPRINT;
        out.health = match self.health {
            Health::Undetected => DROVER_UNDETECTED,
            Health::Unhealthy => DROVER_UNHEALTHY,
            Health::Healthy => DROVER_HEALTHY,
        };
        out.description = drover_str::of(&self.description);
        out.attributes = drover_array::of(&attributes);
        pass(&out, to)
    }
}

/// Something that happened to a task, for its list of events.
#[derive(Clone, Debug)]
pub struct Event {
    pub run_id: RunId,
    pub message: String,
    pub annotations: Vec<(String, String)>,
}

impl Message for Event {
    fn pass(&self, to: &mut dyn FnMut(*const drover_message)) {
        let annotations = raw::raw_pairs(&self.annotations);
        let mut out: drover_event = sized();
        out.type_ = DROVER_MESSAGE_EVENT;
        out.run_id = self.run_id.into();
        out.message = drover_str::of(&self.message);
        out.annotations = drover_array::of(&annotations);
        pass(&out, to)
    }
}

/// One sample of what a task uses. The bits of `measured` say which members of a usage count.
#[derive(Clone)]
pub struct Stats {
    /// In ns since 1970.
    pub timestamp: i64,
    pub total: drover_usage,
    pub processes: Vec<drover_usage>,
}

impl Stats {
    pub(crate) unsafe fn read(raw: *const drover_stats) -> Result<Stats> {
        let raw = copy_sized(raw);
        Ok(Stats {
            timestamp: raw.timestamp,
            total: if raw.total.is_null() {
                sized()
            } else {
                copy_sized(raw.total)
            },
            processes: raw::structs(raw.processes),
        })
    }
}

impl Message for Stats {
    fn pass(&self, to: &mut dyn FnMut(*const drover_message)) {
        let mut out: drover_stats = sized();
        out.type_ = DROVER_MESSAGE_STATS;
        out.timestamp = self.timestamp;
        out.total = &self.total;
        out.processes = drover_array::of(&self.processes);
        pass(&out, to)
    }
}
