// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! The values that drivers and the host exchange. They are copies: nothing of the host's memory
//! stays in them.
use crate::raw;
use crate::{Json, Result};
use drover_sys::*;
use std::fmt;
use std::os::raw::c_void;
use std::time::Duration;

/// A length of time of the host, in ns. A negative one counts as 0.
pub(crate) fn duration(nanoseconds: i64) -> Duration {
    Duration::from_nanos(nanoseconds.max(0) as u64)
}

/// 128 bits that identify one start of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId(pub [u8; 16]);

impl fmt::Display for RunId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(to, "{:02x}", byte))
    }
}
impl fmt::Debug for RunId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}
impl From<drover_run_id> for RunId {
    fn from(raw: drover_run_id) -> RunId {
        RunId(raw.bytes)
    }
}
impl From<RunId> for drover_run_id {
    fn from(run: RunId) -> drover_run_id {
        drover_run_id { bytes: run.0 }
    }
}

/// Describes a driver. Its name and version are in `driver!`.
#[derive(Clone, Debug)]
pub struct Info {
    /// `DROVER_CAP_...` bits. `get_extension` offers statistics and exec by them.
    pub offers: u64,
    /// `DROVER_NEEDS_...` bits.
    pub needs: u64,
    /// `DROVER_FS_...`: how a task sees the files of the machine.
    pub fs_isolation: i32,
    /// JSON Schema of the plugin's configuration.
    pub config_schema: &'static str,
    /// JSON Schema of a task's configuration.
    pub task_config_schema: &'static str,
}

impl Default for Info {
    /// No offers, no needs, and configurations without keys.
    fn default() -> Info {
        Info {
            offers: 0,
            needs: 0,
            fs_isolation: DROVER_FS_NONE,
            config_schema: r#"{"type":"object","additionalProperties":false}"#,
            task_config_schema: r#"{"type":"object","additionalProperties":false}"#,
        }
    }
}

/// A port of a task's network.
#[derive(Clone, Debug, Default)]
pub struct Port {
    pub label: String,
    /// The port on the host.
    pub value: i32,
    /// The port inside the task's network; 0 means the same port as VALUE.
    pub to: i32,
    pub host_ip: String,
}

/// A directory or file of the host that the task sees.
#[derive(Clone, Debug, Default)]
pub struct Mount {
    pub task_path: String,
    pub host_path: String,
    pub read_only: bool,
    pub propagation: String,
}

/// A device node of the host that the task may use.
#[derive(Clone, Debug, Default)]
pub struct Device {
    pub task_path: String,
    pub host_path: String,
    /// Some of the letters "rwm".
    pub permissions: String,
}

/// A task as the driver must run it. Start and recover get the same configuration.
#[derive(Clone, Debug)]
pub struct TaskConfig {
    pub run_id: RunId,
    /// "ALLOCATION/TASK/8 hex digits"
    pub id: String,
    pub alloc_id: String,
    pub alloc_name: String,
    pub job_id: String,
    pub job_name: String,
    pub parent_job_id: String,
    pub job_namespace: String,
    pub group_name: String,
    pub task_name: String,
    pub node_id: String,
    pub node_name: String,
    /// The whole environment of the task.
    pub env: Vec<(String, String)>,
    /// The variables in `env` that devices added.
    pub device_env: Vec<(String, String)>,
    /// Empty means the driver's default user.
    pub user: String,
    /// This and the next four paths are paths on the host.
    pub alloc_dir: String,
    pub task_dir: String,
    pub local_dir: String,
    pub secrets_dir: String,
    pub log_dir: String,
    /// The driver's own part, valid under `task_config_schema`, as the host wrote it.
    pub config_text: String,
    /// The same, read.
    pub config: Json,
    pub logs_disabled: bool,
    pub cpu_mhz: i64,
    pub cpu_shares: i64,
    pub memory_mb: i64,
    pub memory_max_mb: i64,
    /// In bytes; the larger of `memory_mb` and `memory_max_mb`.
    pub memory_limit: i64,
    pub ports: Vec<Port>,
    pub mounts: Vec<Mount>,
    pub devices: Vec<Device>,
    /// "SIGTERM"; empty means the driver's default signal.
    pub kill_signal: String,
    pub kill_timeout: Duration,
    /// "", "host", "none", "bridge" or "cni/NAME".
    pub network_mode: String,
    /// A path on the host; empty means the host's network namespace. The process service enters it.
    pub network_namespace: String,
    /// The cores reserved for this task, "0,5-7"; empty means none.
    pub cpu_cores: String,
    pub cpu_period: Duration,
    /// For a hard limit: the time of one core that the task may use in each `cpu_period`.
    pub cpu_quota: Duration,
    /// The name of the task's host in its network; empty means that none is wanted. This and the next
    /// members are empty in hosts older than minor 1.
    pub hostname: String,
    pub labels: Vec<(String, String)>,
    pub dns_servers: Vec<String>,
    pub dns_searches: Vec<String>,
    pub dns_options: Vec<String>,
}

impl TaskConfig {
    pub(crate) unsafe fn read(raw: *const drover_task_config) -> Result<TaskConfig> {
        let raw: drover_task_config = copy_sized(raw);
        let config_text = raw::text(raw.driver_config)?;
        let config = Json::parse(if config_text.is_empty() {
            "{}"
        } else {
            &config_text
        })?;
        let mut out = TaskConfig {
            run_id: raw.run_id.into(),
            id: raw::text(raw.id)?,
            alloc_id: raw::text(raw.alloc_id)?,
            alloc_name: raw::text(raw.alloc_name)?,
            job_id: raw::text(raw.job_id)?,
            job_name: raw::text(raw.job_name)?,
            parent_job_id: raw::text(raw.parent_job_id)?,
            job_namespace: raw::text(raw.job_namespace)?,
            group_name: raw::text(raw.group_name)?,
            task_name: raw::text(raw.task_name)?,
            node_id: raw::text(raw.node_id)?,
            node_name: raw::text(raw.node_name)?,
            env: raw::pairs(raw.env)?,
            device_env: raw::pairs(raw.device_env)?,
            user: raw::text(raw.user)?,
            alloc_dir: raw::text(raw.alloc_dir)?,
            task_dir: raw::text(raw.task_dir)?,
            local_dir: raw::text(raw.local_dir)?,
            secrets_dir: raw::text(raw.secrets_dir)?,
            log_dir: raw::text(raw.log_dir)?,
            config_text,
            config,
            logs_disabled: raw.logs_disabled != 0,
            cpu_mhz: raw.cpu_mhz,
            cpu_shares: raw.cpu_shares,
            memory_mb: raw.memory_mb,
            memory_max_mb: raw.memory_max_mb,
            memory_limit: raw.memory_limit,
            ports: Vec::new(),
            mounts: Vec::new(),
            devices: Vec::new(),
            kill_signal: raw::text(raw.kill_signal)?,
            kill_timeout: duration(raw.kill_timeout),
            network_mode: raw::text(raw.network_mode)?,
            network_namespace: raw::text(raw.network_namespace)?,
            cpu_cores: raw::text(raw.cpu_cores)?,
            cpu_period: duration(raw.cpu_period),
            cpu_quota: duration(raw.cpu_quota),
            hostname: raw::text(raw.hostname)?,
            labels: raw::pairs(raw.labels)?,
            dns_servers: raw::texts(raw.dns_servers)?,
            dns_searches: raw::texts(raw.dns_searches)?,
            dns_options: raw::texts(raw.dns_options)?,
        };
        for port in raw::structs::<drover_port>(raw.ports) {
            out.ports.push(Port {
                label: raw::text(port.label)?,
                value: port.value,
                to: port.to,
                host_ip: raw::text(port.host_ip)?,
            });
        }
        for mount in raw::structs::<drover_mount>(raw.mounts) {
            out.mounts.push(Mount {
                task_path: raw::text(mount.task_path)?,
                host_path: raw::text(mount.host_path)?,
                read_only: mount.read_only != 0,
                propagation: raw::text(mount.propagation)?,
            });
        }
        for device in raw::structs::<drover_device>(raw.devices) {
            out.devices.push(Device {
                task_path: raw::text(device.task_path)?,
                host_path: raw::text(device.host_path)?,
                permissions: raw::text(device.permissions)?,
            });
        }
        Ok(out)
    }
}

/// The data by which recover finds the task again. Only the driver interprets STATE.
#[derive(Clone, Debug, Default)]
pub struct TaskHandle {
    /// The version of the driver's own format.
    pub format_version: u32,
    /// The version of the plugin that wrote the handle; the host sets it.
    pub driver_version: String,
    pub state: Vec<u8>,
}

impl TaskHandle {
    /// A handle for a driver that finds its tasks by their run ids alone.
    pub fn empty() -> TaskHandle {
        TaskHandle {
            format_version: 1,
            driver_version: String::new(),
            state: b"-".to_vec(),
        }
    }
    pub(crate) unsafe fn read(raw: *const drover_task_handle) -> Result<Option<TaskHandle>> {
        if raw.is_null() {
            return Ok(None);
        }
        let raw = copy_sized(raw);
        let state = if raw.state.size == 0 {
            Vec::new()
        } else {
            std::slice::from_raw_parts(raw.state.data.cast::<u8>(), raw.state.size).to_vec()
        };
        Ok(Some(TaskHandle {
            format_version: raw.format_version,
            driver_version: raw::text(raw.driver_version)?,
            state,
        }))
    }
    fn to_raw(&self) -> drover_task_handle {
        let mut out: drover_task_handle = sized();
        out.format_version = self.format_version;
        out.state = drover_str {
            data: self.state.as_ptr().cast(),
            size: self.state.len(),
        };
        out
    }
}

/// Where a task can be reached, if not in the host's network.
#[derive(Clone, Debug, Default)]
pub struct DriverNetwork {
    pub ip: String,
    pub auto_advertise: bool,
    pub ports: Vec<(String, i32)>,
}

/// The answer of start.
#[derive(Clone, Debug)]
pub struct Started {
    pub handle: TaskHandle,
    pub network: Option<DriverNetwork>,
}

/// The answer of recover: the task runs, or has ended with this result.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    pub exited: Option<ExitResult>,
    /// A handle that replaces the one that is stored.
    pub handle: Option<TaskHandle>,
}

/// How a task has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExitResult {
    pub exit_code: i32,
    /// 0 means none.
    pub signal: i32,
    pub oom_killed: bool,
    /// Why the true result is not known; empty if it is known.
    pub error: String,
}

impl ExitResult {
    pub(crate) unsafe fn read(raw: *const drover_exit_result) -> Result<ExitResult> {
        let raw = copy_sized(raw);
        Ok(ExitResult {
            exit_code: raw.exit_code,
            signal: raw.signal,
            oom_killed: raw.oom_killed != 0,
            error: raw::text(raw.error)?,
        })
    }
    fn to_raw(&self) -> drover_exit_result {
        let mut out: drover_exit_result = sized();
        out.exit_code = self.exit_code;
        out.signal = self.signal;
        out.oom_killed = self.oom_killed as u32;
        out.error = drover_str::of(&self.error);
        out
    }
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    Unknown,
    Running,
    Exited,
}

impl TaskState {
    pub(crate) fn from_number(number: i32) -> TaskState {
        match number {
            DROVER_TASK_RUNNING => TaskState::Running,
            DROVER_TASK_EXITED => TaskState::Exited,
            _ => TaskState::Unknown,
        }
    }
    fn number(self) -> i32 {
        match self {
            TaskState::Unknown => DROVER_TASK_UNKNOWN,
            TaskState::Running => DROVER_TASK_RUNNING,
            TaskState::Exited => DROVER_TASK_EXITED,
        }
    }
}

/// The answer of inspect. Times are in ns since 1970; 0 means not yet.
#[derive(Clone, Debug)]
pub struct TaskStatus {
    pub state: TaskState,
    pub started_at: i64,
    pub completed_at: i64,
    pub exit_result: Option<ExitResult>,
    pub attributes: Vec<(String, String)>,
}

/// The arguments of stop.
#[derive(Clone, Debug)]
pub struct StopRequest {
    /// Zero kills the task at once.
    pub timeout: Duration,
    /// "SIGINT"; empty means the driver's default signal.
    pub signal: String,
}

/// The arguments of stats.
#[derive(Clone, Copy, Debug)]
pub struct StatsRequest {
    pub interval: Duration,
    /// A sample must name each process.
    pub processes: bool,
}

/// The answer of a verb, which can be passed to the host.
pub trait Answer: Send + 'static {
    #[doc(hidden)]
    fn pass(&self, to: &mut dyn FnMut(*const c_void));
}

fn pass<T>(raw: &T, to: &mut dyn FnMut(*const c_void)) {
    to((raw as *const T).cast())
}

impl Answer for () {
    fn pass(&self, to: &mut dyn FnMut(*const c_void)) {
        pass(&sized::<drover_empty_result>(), to)
    }
}
impl Answer for Started {
    fn pass(&self, to: &mut dyn FnMut(*const c_void)) {
        let handle = self.handle.to_raw();
        let mut network: drover_driver_network = sized();
        let mut ports: Vec<drover_port> = Vec::new();
        let mut out: drover_start_result = sized();
        out.handle = &handle;
        if let Some(own) = &self.network {
            for (label, value) in &own.ports {
                let mut port: drover_port = sized();
                port.label = drover_str::of(label);
                port.value = *value;
                ports.push(port);
            }
            network.ip = drover_str::of(&own.ip);
            network.auto_advertise = own.auto_advertise as u32;
            network.ports = drover_array::of(&ports);
            out.network = &network;
        }
        pass(&out, to)
    }
}
impl Answer for Recovered {
    fn pass(&self, to: &mut dyn FnMut(*const c_void)) {
        let handle = self.handle.as_ref().map(TaskHandle::to_raw);
        let exited = self.exited.as_ref().map(ExitResult::to_raw);
        let mut out: drover_recover_result = sized();
        out.state = match exited {
            Some(_) => DROVER_TASK_EXITED,
            None => DROVER_TASK_RUNNING,
        };
        if let Some(handle) = &handle {
            out.handle = handle;
        }
        if let Some(exited) = &exited {
            out.exit_result = exited;
        }
        pass(&out, to)
    }
}
impl Answer for ExitResult {
    fn pass(&self, to: &mut dyn FnMut(*const c_void)) {
        pass(&self.to_raw(), to)
    }
}
impl Answer for TaskStatus {
    fn pass(&self, to: &mut dyn FnMut(*const c_void)) {
        let attributes = raw::raw_pairs(&self.attributes);
        let exited = self.exit_result.as_ref().map(ExitResult::to_raw);
        let mut out: drover_task_status = sized();
        out.state = self.state.number();
        out.started_at = self.started_at;
        out.completed_at = self.completed_at;
        out.attributes = drover_array::of(&attributes);
        if let Some(exited) = &exited {
            out.exit_result = exited;
        }
        pass(&out, to)
    }
}
