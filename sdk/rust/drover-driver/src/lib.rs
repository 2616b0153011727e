// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! Task drivers for Drover in Rust.
//!
//! A driver whose tasks are processes implements [`ProcessDriver`], any other one [`Driver`]. One
//! line makes a library of it:
//!
//! ```
//! use drover_driver::*;
//!
//! struct Date(Host);
//!
//! impl ProcessDriver for Date {
//!     const TASK_CONFIG_SCHEMA: &'static str = r#"{"type":"object","additionalProperties":false}"#;
//!
//!     fn create(host: Host, _config: Json) -> Result<Self> {
//!         Ok(Date(host))
//!     }
//!     fn host(&self) -> &Host {
//!         &self.0
//!     }
//!     fn plan(&self, task: &TaskConfig) -> Result<ProcessSpec> {
//!         Ok(ProcessSpec::of(task, ["/bin/date"]))
//!     }
//! }
//!
//! driver!(Date, "date", "0.1.0", "Apache-2.0");
//! # fn main() {}
//! ```
//!
//! The crate is a `cdylib` then, and its `.so` is the driver. What the ABI demands, the crate does:
//!   - A panic never leaves the driver. It fails the call in which it happens.
//!   - Each call is completed once. A [`Call`] that is dropped fails by itself.
//!   - No cancellation is lost, and nothing is sent on a stream that has ended.
//!   - Shutdown completes what is open, and waits for the threads of the driver.
//!
//! Nothing here needs a crate but `drover-sys`, or a thread of its own. Futures run on the threads
//! that bring what they wait for. So they must not block: blocking work goes to
//! [`Call::run_blocking`].
mod call;
mod driver;
mod entry;
mod error;
mod host;
mod json;
mod message;
mod operation;
mod process;
mod process_driver;
mod raw;
mod signals;
mod stream;
mod types;

pub use call::{Call, Watch};
pub use driver::{Driver, Named};
pub use error::{Code, Error, Result};
pub use host::{Host, Level};
pub use json::Json;
pub use message::{Event, Fingerprint, Health, Message, Stats};
pub use operation::Operation;
pub use process::{ExecRequest, Isolation, ProcessService, ProcessSpec, ProcessState};
pub use process_driver::ProcessDriver;
pub use signals::signal_number;
pub use stream::Stream;
pub use types::*;

/// The C interface, for the parts that this crate does not wrap.
pub use drover_sys as sys;

#[doc(hidden)]
pub use entry::Thunks;

/// Makes a driver of the library: its entry and its manifest. The arguments are the type that
/// implements [`Driver`] or [`ProcessDriver`], its name in jobs (at most 63 bytes), its version (31) and
/// its licence (63). A fifth one is the lowest minor of a host with which the driver works; without
/// it that is 0. Use it once in a library.
#[macro_export]
macro_rules! driver {
    ($driver:ty, $name:expr, $version:expr, $license:expr) => {
        $crate::driver!($driver, $name, $version, $license, 0);
    };
    ($driver:ty, $name:expr, $version:expr, $license:expr, $min_host_minor:expr) => {
        impl $crate::Named for $driver {
            const NAME: &'static str = $name;
            const VERSION: &'static str = $version;
        }

        #[used]
        #[link_section = ".drover_manifest"]
        static DROVER_MANIFEST: $crate::sys::drover_manifest =
            $crate::sys::manifest($name, $version, $license, $min_host_minor);

        /// The one function that the library exports.
        #[no_mangle]
        pub extern "C" fn drover_driver_entry_v1() -> *const $crate::sys::drover_driver {
            static DRIVER: $crate::sys::drover_driver =
                $crate::Thunks::<$driver>::driver($min_host_minor);
            &DRIVER
        }
    };
}
