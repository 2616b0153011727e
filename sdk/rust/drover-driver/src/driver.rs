// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::call::Call;
use crate::host::Host;
use crate::json::Json;
use crate::message::{Event, Fingerprint, Stats};
use crate::process::ExecRequest;
use crate::stream::Stream;
use crate::types::*;
use crate::{Error, Result, RunId};
use std::os::raw::c_void;
use std::sync::Arc;

/// The name and the version of a driver. `driver!` implements it.
pub trait Named {
    const NAME: &'static str;
    const VERSION: &'static str;
}

/// A driver: one value for each instance. Each verb that has a [`Call`] returns soon, and the call
/// is completed later: by a future (`call.run`), by a thread (`call.run_blocking`) or by whoever
/// keeps it. Verbs are called on threads of the host, several at a time. Start, recover, stop and
/// destroy of one run follow each other, unless the host has given one up.
///
/// A driver whose tasks are processes implements [`ProcessDriver`](crate::ProcessDriver) instead.
pub trait Driver: Named + Send + Sync + Sized + 'static {
    /// Describes the driver. The description never changes.
    fn describe() -> Info {
        Info::default()
    }
    /// Makes an instance. The result is the driver, or why there is none.
    fn create(host: Host, config: Json) -> Result<Self>;
    /// Takes a new configuration. After an error the instance keeps the old one.
    fn configure(&self, _config: Json) -> Result<()> {
        Err(Error::unimplemented(
            "this driver takes no new configuration while it is loaded",
        ))
    }
    /// Begins to report the health: soon, and then at each change. By default the driver is healthy.
    fn fingerprint(self: Arc<Self>, stream: Stream<Fingerprint>) {
        stream.send(&Fingerprint::healthy(Self::NAME));
    }
    /// Begins to report events of tasks. By default there are none.
    fn events(self: Arc<Self>, _stream: Stream<Event>) {}

    /// Starts a task.
    fn start(self: Arc<Self>, task: TaskConfig, call: Call<Started>);
    /// Takes over a task that an earlier instance has started. HANDLE is absent if none was stored:
    /// the task may never have been started. `Code::NotFound` means that nothing of the run exists:
    /// the host may start it again.
    fn recover(
        self: Arc<Self>,
        task: TaskConfig,
        handle: Option<TaskHandle>,
        call: Call<Recovered>,
    );
    /// Completes CALL when the task has ended. Any number of calls may wait.
    fn wait(self: Arc<Self>, call: Call<ExitResult>);
    /// Stops the task. Completes CALL when it has ended.
    fn stop(self: Arc<Self>, request: StopRequest, call: Call<()>);
    /// Sends a signal to the task. Completes CALL when the task has it.
    fn signal(self: Arc<Self>, _name: String, call: Call<()>) {
        call.fail(Error::unimplemented("this driver sends no signals"))
    }
    /// Forgets the task. A task that runs is ended if FORCE is true. Else that is an error,
    /// `Code::FailedPrecondition`.
    fn destroy(self: Arc<Self>, force: bool, call: Call<()>);
    /// Reports the status of the task.
    fn inspect(self: Arc<Self>, call: Call<TaskStatus>);
    /// Reports statistics of a task, at once and then at each interval. Only with
    /// `DROVER_CAP_STATS`. An error refuses the stream.
    fn stats(
        self: Arc<Self>,
        _run: RunId,
        _request: StatsRequest,
        _stream: Stream<Stats>,
    ) -> Result<()> {
        Err(Error::unimplemented("this driver has no statistics"))
    }
    /// Runs an extra command for a task. Only with `DROVER_CAP_EXEC`. The id of CALL is that of the
    /// session.
    fn exec(self: Arc<Self>, _request: ExecRequest, call: Call<ExitResult>) {
        call.fail(Error::unimplemented("this driver runs no commands"))
    }
    /// Changes the size of the terminal of a session.
    fn resize(&self, _session: u64, _width: i32, _height: i32) -> Result<()> {
        Err(Error::unimplemented("this driver runs no commands"))
    }
    /// All tasks that the host knows are recovered. The driver may remove what is left of others.
    fn restore_complete(self: Arc<Self>, _runs: Vec<RunId>, call: Call<()>) {
        call.succeed(())
    }
    /// The instance ends, and its tasks go on. Wakes the driver's own threads, and must not block.
    /// The crate completes what is open, and waits for the threads of `Host::spawn`.
    fn shutdown(&self) {}

    /// Returns an optional part of the ABI that this crate does not have; null if there is none with
    /// this id. The table lives as long as the library.
    fn extension(&self, _id: &str) -> *const c_void {
        std::ptr::null()
    }
}
