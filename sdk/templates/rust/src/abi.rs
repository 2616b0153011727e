// SPDX-License-Identifier: Apache-2.0

//! The parts of drover.h that this driver uses, written by hand; the header explains them. A struct
//! may be longer on the other side: struct_size is its length. If you copy this, keep the order.
use std::ffi::c_void;
use std::mem::size_of;

pub const OK: i32 = 0;
pub const E_INTERNAL: i32 = 1;
pub const E_INVALID_ARGUMENT: i32 = 2;
pub const E_UNIMPLEMENTED: i32 = 4;
pub const E_CANCELLED: i32 = 6;
pub const E_FAILED_PRECONDITION: i32 = 8;
pub const CAP_SIGNALS: u64 = 1;
pub const NEEDS_PROCESS_SERVICE: u64 = 1;
pub const HEALTHY: i32 = 2;
pub const RUNNING: i32 = 1;
pub const MESSAGE_FINGERPRINT: i32 = 1;
pub const PROCESS_ID: &str = "drover.process/1";
pub const ABI_MAJOR: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub data: *const u8,
    pub size: usize,
}
impl Str {
    pub const fn of(text: &'static str) -> Str {
        Str {
            data: text.as_ptr(),
            size: text.len(),
        }
    }
    /// The bytes that the host passed, valid as long as the header promises.
    pub fn bytes(&self) -> &[u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the host's pointer and length.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}
#[repr(C)]
pub struct Pair(pub Str, pub Str);
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Array {
    pub data: *const c_void,
    pub count: usize,
    pub element_size: usize,
}
impl Array {
    pub const NONE: Array = Array {
        data: std::ptr::null(),
        count: 0,
        element_size: 0,
    };
    /// Valid as long as the elements are.
    pub fn of<T>(elements: &[T]) -> Array {
        Array {
            data: elements.as_ptr().cast(),
            count: elements.len(),
            element_size: size_of::<T>(),
        }
    }
}
pub type RunId = [u8; 16];

#[repr(C)]
pub struct Error {
    pub struct_size: u32,
    pub code: i32,
    pub flags: u32,
    pub message_size: u32,
    pub message: [u8; 1000],
}
impl Error {
    /// For a function that may fail.
    pub const fn empty() -> Error {
        Error {
            struct_size: size_of::<Error>() as u32,
            code: 0,
            flags: 0,
            message_size: 0,
            message: [0; 1000],
        }
    }
}
#[repr(C)]
pub struct Info {
    pub struct_size: u32,
    pub fs_isolation: i32,
    pub name: Str,
    pub version: Str,
    pub offers: u64,
    pub needs: u64,
    pub config_schema: Str,
    pub task_config_schema: Str,
}
#[repr(C)]
pub struct Call {
    pub struct_size: u32,
    pub reserved: u32,
    pub id: u64,
    pub run_id: RunId,
    pub deadline: i64,
}
/// The beginning of the struct, up to the last member that this driver reads.
#[repr(C)]
pub struct TaskConfig {
    pub struct_size: u32,
    pub logs_disabled: u32,
    pub run_id: RunId,
    pub names: [Str; 11],
    pub env: Array,
    pub device_env: Array,
    pub user: Str,
    pub alloc_dir: Str,
    pub task_dir: Str,
    pub other_dirs: [Str; 3],
    pub driver_config: Str,
}
#[repr(C)]
pub struct Handle {
    pub struct_size: u32,
    pub format_version: u32,
    pub driver_version: Str,
    pub state: Str,
}
#[repr(C)]
pub struct StartArgs {
    pub struct_size: u32,
    pub reserved: u32,
    pub config: *const TaskConfig,
}
#[repr(C)]
pub struct StartResult {
    pub struct_size: u32,
    pub reserved: u32,
    pub handle: *const Handle,
    pub network: *const c_void,
}
#[repr(C)]
pub struct CreateResult {
    pub struct_size: u32,
    pub reserved: u32,
    pub instance: *mut c_void,
}
#[repr(C)]
pub struct RecoverResult {
    pub struct_size: u32,
    pub state: i32,
    pub handle: *const Handle,
    pub exit_result: *const c_void,
}
#[repr(C)]
pub struct TaskStatus {
    pub struct_size: u32,
    pub state: i32,
    pub started_at: i64,
    pub completed_at: i64,
    pub exit_result: *const c_void,
    pub attributes: Array,
}
#[repr(C)]
pub struct StopArgs {
    pub struct_size: u32,
    pub reserved: u32,
    pub timeout: i64,
    pub signal: Str,
}
#[repr(C)]
pub struct SignalArgs {
    pub struct_size: u32,
    pub reserved: u32,
    pub name: Str,
}
#[repr(C)]
pub struct DestroyArgs {
    pub struct_size: u32,
    pub force: u32,
}
/// Arguments and results without members.
#[repr(C)]
pub struct Nothing {
    pub struct_size: u32,
    pub reserved: u32,
}
pub const NOTHING: Nothing = Nothing {
    struct_size: 8,
    reserved: 0,
};
#[repr(C)]
pub struct Fingerprint {
    pub struct_size: u32,
    pub kind: i32,
    pub health: i32,
    pub reserved: u32,
    pub description: Str,
    pub attributes: Array,
}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub get_extension: extern "C" fn(*const Host, Str) -> *const c_void,
    pub complete: extern "C" fn(*const Host, u64, *const Error, *const c_void),
    pub call_is_cancelled: extern "C" fn(*const Host, u64) -> i32,
    pub call_cancel_fd: *const c_void,
    pub stream_send: extern "C" fn(*const Host, u64, *const Fingerprint) -> i32,
    pub stream_end: extern "C" fn(*const Host, u64, *const Error),
}

pub type Done = extern "C" fn(*mut c_void, *const Error, *const c_void);
pub type Service<A> =
    extern "C" fn(*const Host, *const RunId, *const A, Done, *mut c_void, *mut Error) -> i32;

#[repr(C)]
pub struct ProcessStart {
    pub struct_size: u32,
    pub oom_score_adj: i32,
    pub argv: Array,
    pub env: Array,
    pub work_dir: Str,
    pub user: Str,
}
#[repr(C)]
pub struct ProcessStop {
    pub struct_size: u32,
    pub number: i32,
    pub timeout: i64,
}
#[repr(C)]
pub struct ProcessSignal {
    pub struct_size: u32,
    pub number: i32,
}
#[repr(C)]
pub struct ProcessState {
    pub struct_size: u32,
    pub state: i32,
    pub pid: i32,
    pub reserved: i32,
    pub started_at: i64,
    pub exit_result: *const c_void,
}
#[repr(C)]
pub struct Process {
    pub struct_size: u32,
    pub reserved: u32,
    pub start: Service<ProcessStart>,
    pub attach: Service<Nothing>,
    pub wait: Service<Nothing>,
    pub signal: Service<ProcessSignal>,
    pub stop: Service<ProcessStop>,
    pub kill: Service<Nothing>,
    pub release: Service<Nothing>,
}

/// An instance of the driver; opaque to the host.
pub type Instance = c_void;
pub type Verb<A> = extern "C" fn(*mut Instance, *const Call, *const A, *mut Error) -> i32;

#[repr(C)]
pub struct Driver {
    pub struct_size: u32,
    pub abi_major: u32,
    pub min_host_minor: u32,
    pub reserved: u32,
    pub info: extern "C" fn() -> *const Info,
    pub create: extern "C" fn(*const Host, *const Call, *const c_void, *mut Error) -> i32,
    pub get_extension: extern "C" fn(*mut Instance, Str) -> *const c_void,
    pub configure: Verb<Nothing>,
    pub start: Verb<StartArgs>,
    pub recover: Verb<StartArgs>,
    pub wait: Verb<Nothing>,
    pub stop: Verb<StopArgs>,
    pub signal: Verb<SignalArgs>,
    pub destroy: Verb<DestroyArgs>,
    pub inspect: Verb<Nothing>,
    pub restore_complete: Verb<Nothing>,
    pub shutdown: Verb<Nothing>,
    pub fingerprint: extern "C" fn(*mut Instance, u64, *mut Error) -> i32,
    pub events: extern "C" fn(*mut Instance, u64, *mut Error) -> i32,
    pub stream_cancel: extern "C" fn(*mut Instance, u64),
    pub stream_join: extern "C" fn(*mut Instance, u64, i64, *mut Error) -> i32,
    pub call_cancelled: extern "C" fn(*mut Instance, u64),
}
const _: () = assert!(size_of::<Driver>() == 160 && size_of::<Error>() == 1016);
const _: () = assert!(size_of::<Info>() == 88 && size_of::<Call>() == 40);

#[repr(C)]
pub struct Manifest {
    pub magic: [u8; 8],
    pub struct_size: u32,
    pub abi_major: u32,
    pub reserved: u32,
    pub min_host_minor: u32,
    pub name: [u8; 64],
    pub version: [u8; 32],
    pub license: [u8; 64],
}
/// TEXT, filled up with NULs.
pub const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let (mut out, mut i) = ([0; N], 0);
    while i < text.len() {
        out[i] = text.as_bytes()[i];
        i += 1;
    }
    out
}
// SAFETY: constant tables of constant pointers.
unsafe impl Sync for Driver {}
unsafe impl Sync for Info {}
