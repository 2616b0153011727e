// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::call::Open;
use crate::operation::{self, Operation};
use crate::process::ProcessService;
use crate::stream::OpenStream;
use crate::{Code, Error, Result, RunId};
use drover_sys::*;
use std::collections::{HashMap, HashSet};
use std::os::raw::c_void;
use std::ptr::null;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// A lock whose data stay valid when a thread has panicked with it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How urgent a line of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

/// The tables of the host. They are valid until the shutdown of the instance is completed.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub host: *const drover_host,
    pub process: *const drover_process,
    timer: *const drover_timer,
    log: *const drover_diag_log,
}
// SAFETY: the functions of all tables may be called on any thread.
unsafe impl Send for Tables {}
unsafe impl Sync for Tables {}

/// The host of an instance. Copies are cheap. After the instance has ended, its services answer
/// `Code::Unavailable`, so a thread that is late does no harm. Every method may be called on any
/// thread.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

struct Shared {
    /// None when the instance has ended.
    tables: RwLock<Option<Tables>>,
    calls: Mutex<HashMap<u64, Arc<Open>>>,
    streams: Mutex<HashMap<u64, Arc<OpenStream>>>,
    /// The exec sessions that run, each with its context.
    sessions: Mutex<HashMap<u64, usize>>,
    /// The timers that run, each by its context.
    timers: Mutex<HashMap<usize, u64>>,
    threads: Mutex<Threads>,
    ended: Condvar,
}

#[derive(Default)]
struct Threads {
    count: usize,
    closed: bool,
}

impl Host {
    pub(crate) unsafe fn new(host: *const drover_host) -> Host {
        let service = |id: &str| -> *const c_void {
            // SAFETY: the host's table is valid, and the id during the call.
            unsafe {
                match (*host).get_extension {
                    Some(get) => get(host, drover_str::of(id)),
                    None => null(),
                }
            }
        };
        let tables = Tables {
            host,
            process: service(DROVER_PROCESS_ID).cast(),
            timer: service(DROVER_TIMER_ID).cast(),
            log: service(DROVER_DIAG_LOG_ID).cast(),
        };
        Host {
            shared: Arc::new(Shared {
                tables: RwLock::new(Some(tables)),
                calls: Mutex::default(),
                streams: Mutex::default(),
                sessions: Mutex::default(),
                timers: Mutex::default(),
                threads: Mutex::default(),
                ended: Condvar::new(),
            }),
        }
    }

    /// Calls FUNCTION with the tables, unless the instance has ended. FUNCTION must not use the host.
    pub(crate) fn with<R>(&self, function: impl FnOnce(&Tables) -> R) -> Option<R> {
        let tables = self
            .shared
            .tables
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        tables.as_ref().map(function)
    }
    pub(crate) fn gone() -> Error {
        Error::new(Code::Unavailable, "the driver is shut down")
    }

    /// The minor version of the host's ABI.
    pub fn abi_minor(&self) -> u32 {
        // SAFETY: the table is valid, as `with` says. So in what follows.
        self.with(|tables| unsafe { (*tables.host).abi_minor })
            .unwrap_or(0)
    }
    /// Returns a service of the host that this crate does not wrap, or null. It is valid until the
    /// shutdown of the instance is completed.
    pub fn extension(&self, id: &str) -> *const c_void {
        self.with(|tables| unsafe {
            match (*tables.host).get_extension {
                Some(get) => get(tables.host, drover_str::of(id)),
                None => null(),
            }
        })
        .unwrap_or(null())
    }
    /// The host's table, for the functions of `extension`. Null when the instance has ended.
    pub fn raw(&self) -> *const drover_host {
        self.with(|tables| tables.host).unwrap_or(null())
    }

    /// Writes a line to the agent's log. Never blocks.
    pub fn log(&self, level: Level, message: &str) {
        self.write_log(level, null(), message)
    }
    /// The same for a line that belongs to a run.
    pub fn log_of(&self, level: Level, run: RunId, message: &str) {
        let run: drover_run_id = run.into();
        self.write_log(level, &run, message)
    }
    fn write_log(&self, level: Level, run: *const drover_run_id, message: &str) {
        let number = match level {
            Level::Trace => DROVER_LOG_TRACE,
            Level::Debug => DROVER_LOG_DEBUG,
            Level::Info => DROVER_LOG_INFO,
            Level::Warn => DROVER_LOG_WARN,
            Level::Error => DROVER_LOG_ERROR,
        };
        self.with(|tables| unsafe {
            if let Some(write) = tables.log.as_ref().and_then(|log| log.write) {
                write(tables.host, number, run, drover_str::of(message));
            }
        });
    }

    /// The process service. Its operations fail if the host has none.
    pub fn process(&self) -> ProcessService {
        ProcessService::new(self.clone())
    }

    /// Completes after DELAY. It fails when the instance ends before.
    pub fn sleep(&self, delay: Duration) -> Operation<()> {
        let nanoseconds = delay.as_nanos().min(i64::MAX as u128) as i64;
        let (operation, finish) = Operation::pair();
        let shared = Arc::downgrade(&self.shared);
        let context = operation::register_with(|context| {
            Box::new(move |_, _| {
                if let Some(shared) = shared.upgrade() {
                    lock(&shared.timers).remove(&context);
                }
                finish(Ok(()));
            })
        });
        // The lock is held until the timer is noted: its function then waits for that.
        let mut timers = lock(&self.shared.timers);
        let begun = self.with(|tables| unsafe {
            let after = tables.timer.as_ref().and_then(|timer| timer.after)?;
            let function: unsafe extern "C" fn(*mut c_void) = operation::elapsed;
            Some(after(tables.host, nanoseconds, Some(function), context as *mut c_void))
        });
        match begun {
            Some(Some(timer)) => {
                timers.insert(context, timer);
                operation
            }
            _ => {
                drop(timers);
                operation::forget(context);
                Operation::failed(Error::new(Code::Unavailable, "the host has no timers"))
            }
        }
    }

    /// Runs WORK, which may block, on a thread of its own. A panic of WORK ends only the thread. The
    /// end of the instance waits for the thread, so WORK must end soon after `Driver::shutdown`.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        {
            let mut threads = lock(&self.shared.threads);
            if threads.closed {
                return Err(Host::gone());
            }
            threads.count += 1;
        }
        let guard = ThreadGuard(self.clone());
        std::thread::Builder::new()
            .name("driver".to_owned())
            .spawn(move || {
                let _guard = guard; // dropped after WORK, also if it panics
                work();
            })
            .map(|_| ())
            .map_err(|error| Error::new(Code::ResourceExhausted, error.to_string()))
    }

    // ------------------------------------------------------------------- for the other modules

    pub(crate) fn calls(&self) -> MutexGuard<'_, HashMap<u64, Arc<Open>>> {
        lock(&self.shared.calls)
    }
    pub(crate) fn streams(&self) -> MutexGuard<'_, HashMap<u64, Arc<OpenStream>>> {
        lock(&self.shared.streams)
    }
    pub(crate) fn sessions(&self) -> MutexGuard<'_, HashMap<u64, usize>> {
        lock(&self.shared.sessions)
    }
    pub(crate) fn call_cancelled(&self, id: u64) {
        let call = self.calls().get(&id).cloned();
        if let Some(call) = call {
            call.cancel();
        }
    }

    /// Ends the instance, except for the completion of its shutdown: completes all calls, ends all
    /// streams and timers, and waits for the threads.
    pub(crate) fn close(&self) {
        let calls: Vec<Arc<Open>> = self.calls().values().cloned().collect();
        for call in &calls {
            call.cancel();
        }
        for call in calls {
            call.fail(&Host::gone());
        }
        let streams: Vec<Arc<OpenStream>> = self.streams().values().cloned().collect();
        for stream in streams {
            stream.end(None);
        }
        self.cancel_timers();
        let mut threads = lock(&self.shared.threads);
        threads.closed = true;
        while threads.count > 0 {
            threads = self
                .shared
                .ended
                .wait(threads)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(threads);
        self.cancel_timers();
        *self
            .shared
            .tables
            .write()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }
    pub(crate) fn has_threads(&self) -> bool {
        lock(&self.shared.threads).count > 0
    }
    fn cancel_timers(&self) {
        let timers: Vec<(usize, u64)> = lock(&self.shared.timers).drain().collect();
        let mut cancelled = HashSet::new();
        self.with(|tables| unsafe {
            for (context, timer) in &timers {
                let cancel = tables.timer.as_ref().and_then(|table| table.cancel);
                if cancel.map_or(false, |cancel| cancel(tables.host, *timer) == 1) {
                    cancelled.insert(*context);
                }
            }
        });
        for context in cancelled {
            operation::forget(context);
        }
    }
}

/// Counts a thread until it ends.
struct ThreadGuard(Host);

impl Drop for ThreadGuard {
    fn drop(&mut self) {
        let mut threads = lock(&self.0.shared.threads);
        threads.count -= 1;
        self.0.shared.ended.notify_all();
    }
}
