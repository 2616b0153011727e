// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::host::Host;
use crate::message::Stats;
use crate::operation::Operation;
use crate::raw;
use crate::types::{ExitResult, TaskState};
use crate::{Code, Error, Result, RunId, TaskConfig};
use drover_sys::*;
use std::os::raw::c_void;
use std::os::unix::io::{IntoRawFd, OwnedFd};
use std::time::Duration;

/// The process of a run.
#[derive(Clone, Debug, Default)]
pub struct ProcessSpec {
    /// The first one is an absolute path.
    pub argv: Vec<String>,
    /// The whole environment of the process.
    pub env: Vec<(String, String)>,
    pub work_dir: String,
    /// A name or a number; empty means the agent's user.
    pub user: String,
    pub oom_score_adj: i32,
    /// None means no isolation.
    pub isolation: Option<Isolation>,
    /// A cgroup of version 2 of the operator; see `drover_process_start_args`.
    pub cgroup: String,
    /// Controllers of version 1, each with the path of a cgroup of the operator.
    pub v1_cgroups: Vec<(String, String)>,
}

impl ProcessSpec {
    /// A process with the environment, the directory and the user of a task.
    pub fn of<S: Into<String>>(task: &TaskConfig, argv: impl IntoIterator<Item = S>) -> ProcessSpec {
        ProcessSpec {
            argv: argv.into_iter().map(Into::into).collect(),
            env: task.env.clone(),
            work_dir: task.task_dir.clone(),
            user: task.user.clone(),
            ..ProcessSpec::default()
        }
    }
}

/// The isolation of a process from the host and from other tasks; see `drover_isolation`.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// `DROVER_ISOLATE_...` bits.
    pub flags: u32,
    pub capabilities: Vec<String>,
    pub ambient_capabilities: Vec<String>,
    /// Paths of the host, each with the path in the root. Empty means the usual ones.
    pub root_paths: Vec<(String, String)>,
    pub max_processes: i64,
}

impl Default for Isolation {
    /// Everything is isolated.
    fn default() -> Isolation {
        Isolation {
            flags: DROVER_ISOLATE_ROOT
                | DROVER_ISOLATE_PIDS
                | DROVER_ISOLATE_IPC
                | DROVER_ISOLATE_CALLS
                | DROVER_ISOLATE_RESOURCES,
            capabilities: Vec::new(),
            ambient_capabilities: Vec::new(),
            root_paths: Vec::new(),
            max_processes: 4096,
        }
    }
}

/// What attach finds.
#[derive(Clone, Debug)]
pub struct ProcessState {
    pub state: TaskState,
    pub pid: i32,
    /// In ns since 1970.
    pub started_at: i64,
    pub exit_result: Option<ExitResult>,
}

/// An extra command for a running task. The service owns the descriptors. With a tty, the command
/// writes to OUTPUT only.
#[derive(Debug)]
pub struct ExecRequest {
    pub run_id: RunId,
    pub command: Vec<String>,
    pub tty: bool,
    pub width: i32,
    pub height: i32,
    pub input: Option<OwnedFd>,
    pub output: Option<OwnedFd>,
    pub error: Option<OwnedFd>,
}

/// The host's process service: it tracks every descendant, rotates the logs, and keeps an exit record
/// that survives the agent. Each operation may be awaited in a call, or dropped: it goes on.
#[derive(Clone)]
pub struct ProcessService {
    host: Host,
}

fn give(fd: Option<OwnedFd>) -> drover_fd {
    match fd {
        Some(fd) => drover_fd {
            fd: fd.into_raw_fd(),
            ownership: DROVER_FD_GIVEN,
        },
        None => drover_fd {
            fd: -1,
            ownership: DROVER_FD_NONE,
        },
    }
}

// SAFETY of the readers below: the result of an operation is the struct that the header names, valid
// during the DONE.
fn empty(_: *const c_void) -> Result<()> {
    Ok(())
}
fn pid(result: *const c_void) -> Result<i32> {
    let info: drover_process_info = unsafe { copy_sized(result.cast()) };
    Ok(info.pid)
}
fn exit(result: *const c_void) -> Result<ExitResult> {
    unsafe { ExitResult::read(result.cast()) }
}
fn sample(result: *const c_void) -> Result<Stats> {
    unsafe { Stats::read(result.cast()) }
}
fn state(result: *const c_void) -> Result<ProcessState> {
    let raw: drover_process_state = unsafe { copy_sized(result.cast()) };
    Ok(ProcessState {
        state: TaskState::from_number(raw.state),
        pid: raw.pid,
        started_at: raw.started_at,
        exit_result: if raw.exit_result.is_null() {
            None
        } else {
            Some(unsafe { ExitResult::read(raw.exit_result)? })
        },
    })
}

fn missing() -> Error {
    Error::new(Code::Unimplemented, "the host has no process service")
}

/// Begins an operation: `operation!(self, run, start, &args, pid)`.
macro_rules! operation {
    ($self:ident, $run:expr, $function:ident, $args:expr, $decode:ident) => {{
        let run: drover_run_id = $run.into();
        let args = $args;
        Operation::begin(&$self.host, $decode, |tables, done, context, error| {
            // SAFETY: the table is valid, and RUN, ARGS and ERROR during the call.
            unsafe {
                let table = tables.process.as_ref().ok_or_else(missing)?;
                let function = table.$function.ok_or_else(missing)?;
                Ok(function(tables.host, &run, &args, done, context, error))
            }
        })
    }};
}

impl ProcessService {
    pub(crate) fn new(host: Host) -> ProcessService {
        ProcessService { host }
    }

    /// Starts the process of a run, and returns its pid. Success means that the program runs.
    pub fn start(&self, run: RunId, spec: &ProcessSpec) -> Operation<i32> {
        let argv = raw::strs(&spec.argv);
        let env = raw::raw_pairs(&spec.env);
        let v1_cgroups = raw::raw_pairs(&spec.v1_cgroups);
        let isolated = spec.isolation.clone().unwrap_or_default();
        let capabilities = raw::strs(&isolated.capabilities);
        let ambient = raw::strs(&isolated.ambient_capabilities);
        let root_paths = raw::raw_pairs(&isolated.root_paths);
        let mut isolation: drover_isolation = sized();
        isolation.flags = isolated.flags;
        isolation.capabilities = drover_array::of(&capabilities);
        isolation.ambient_capabilities = drover_array::of(&ambient);
        isolation.root_paths = drover_array::of(&root_paths);
        isolation.max_processes = isolated.max_processes;
        let mut args: drover_process_start_args = sized();
        args.oom_score_adj = spec.oom_score_adj;
        args.argv = drover_array::of(&argv);
        args.env = drover_array::of(&env);
        args.work_dir = drover_str::of(&spec.work_dir);
        args.user = drover_str::of(&spec.user);
        if spec.isolation.is_some() {
            args.isolation = &isolation;
        }
        args.cgroup = drover_str::of(&spec.cgroup);
        args.v1_cgroups = drover_array::of(&v1_cgroups);
        operation!(self, run, start, args, pid)
    }
    /// Finds the process of a run again. `Code::NotFound` means that the run has none.
    pub fn attach(&self, run: RunId) -> Operation<ProcessState> {
        operation!(self, run, attach, sized::<drover_process_none_args>(), state)
    }
    /// Waits for the end of the process.
    pub fn wait(&self, run: RunId) -> Operation<ExitResult> {
        operation!(self, run, wait, sized::<drover_process_none_args>(), exit)
    }
    /// Sends a signal to the process.
    pub fn signal(&self, run: RunId, number: i32) -> Operation<()> {
        let mut args: drover_process_signal_args = sized();
        args.number = number;
        operation!(self, run, signal, args, empty)
    }
    /// Sends a signal to the process. When it has ended, or after the timeout, sends SIGKILL to all
    /// processes of the run that are left.
    pub fn stop(&self, run: RunId, number: i32, timeout: Duration) -> Operation<()> {
        let mut args: drover_process_stop_args = sized();
        args.number = number;
        args.timeout = timeout.as_nanos().min(i64::MAX as u128) as i64;
        operation!(self, run, stop, args, empty)
    }
    /// Sends SIGKILL to the process and every descendant.
    pub fn kill(&self, run: RunId) -> Operation<()> {
        operation!(self, run, kill, sized::<drover_process_none_args>(), empty)
    }
    /// Kills what is left of the run, and forgets it and its exit record.
    pub fn release(&self, run: RunId) -> Operation<()> {
        operation!(self, run, release, sized::<drover_process_none_args>(), empty)
    }
    /// Takes one sample of the usage of the run, with PROCESSES of each process, too.
    pub fn usage(&self, run: RunId, processes: bool) -> Operation<Stats> {
        let mut args: drover_process_usage_args = sized();
        if processes {
            args.flags = DROVER_STATS_PROCESSES;
        }
        operation!(self, run, usage, args, sample)
    }

    /// Runs an extra command for a run. SESSION is the id of the call: `resize` and `end` name the
    /// session by it.
    pub fn exec(&self, session: u64, request: ExecRequest) -> Operation<ExitResult> {
        let run: drover_run_id = request.run_id.into();
        let command = raw::strs(&request.command);
        let mut args: drover_exec_args = sized();
        args.tty = request.tty as u32;
        args.command = drover_array::of(&command);
        args.width = request.width;
        args.height = request.height;
        args.input = give(request.input);
        args.output = give(request.output);
        args.error = give(request.error);
        Operation::begin_with(
            &self.host,
            exit,
            |context| {
                self.host.sessions().insert(session, context);
            },
            |tables, done, context, error| {
                // SAFETY: the table is valid, and RUN, ARGS and ERROR during the call.
                unsafe {
                    let table = tables.process.as_ref().ok_or_else(missing)?;
                    let function = table.exec.ok_or_else(missing)?;
                    Ok(function(tables.host, &run, &args, done, context, error))
                }
            },
        )
    }
    /// Tells a session the size of its terminal.
    pub fn resize(&self, session: u64, width: i32, height: i32) -> Result<()> {
        let context = match self.host.sessions().get(&session) {
            Some(context) => *context as *mut c_void,
            None => return Err(Error::new(Code::NotFound, "there is no such session")),
        };
        let mut error: drover_error = sized();
        let code = self.host.with(|tables| {
            // SAFETY: the table is valid, and ERROR during the call.
            unsafe {
                let table = tables.process.as_ref().ok_or_else(missing)?;
                let function = table.exec_resize.ok_or_else(missing)?;
                Ok(function(tables.host, context, width, height, &mut error))
            }
        });
        match code.unwrap_or_else(|| Err(Host::gone()))? {
            DROVER_OK => Ok(()),
            // SAFETY: a local value.
            _ => Err(unsafe { Error::read(&error) }),
        }
    }
    /// Ends a session soon. Does nothing for one that has ended.
    pub fn end(&self, session: u64) {
        let context = self.host.sessions().get(&session).copied();
        if let Some(context) = context {
            self.host.with(|tables| {
                // SAFETY: the table is valid.
                unsafe {
                    let table = tables.process.as_ref();
                    if let Some(end) = table.and_then(|table| table.exec_end) {
                        end(tables.host, context as *mut c_void);
                    }
                }
            });
        }
    }
    pub(crate) fn forget_session(&self, session: u64) {
        self.host.sessions().remove(&session);
    }
}
