// SPDX-License-Identifier: Apache-2.0

//! The task driver "@NAME@": each task writes its configuration and sleeps. The host
//! finds the process by the run id that comes with every call, so the driver keeps no tasks. It
//! must keep its calls: it must answer a call at once that the host gives up, and cannot cancel the
//! operation of the service that the call waits for. A panic never leaves a function: `guard` turns
//! it into an error.
mod abi;

use abi::*;
use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An error on its way to the host.
struct Failure(i32, &'static str);

/// An instance of the driver. Host and service are valid until its shutdown is completed.
struct Hello {
    host: &'static Host,
    process: &'static Process,
    /// The calls that have not been answered.
    open: Mutex<HashMap<u64, Kind>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A call that changes nothing itself: it may be answered before the service has ended.
    OnlyWaits,
    Acts,
}

/// A call of the host that waits for the process service. The host ends each operation of its
/// services before it shuts an instance down, so this never outlives one.
struct Pending {
    hello: &'static Hello,
    call: u64,
    run: RunId,
}

fn write(error: *mut Error, code: i32, text: &str) {
    // SAFETY: null, or an error object of the caller, valid during the call.
    let out = match unsafe { error.as_mut() } {
        Some(out) => out,
        None => return,
    };
    if (out.struct_size as usize) < size_of::<Error>() {
        return;
    }
    let size = text.len().min(out.message.len());
    out.code = code;
    out.flags = 0;
    out.message[..size].copy_from_slice(&text.as_bytes()[..size]);
    out.message_size = size as u32;
}

/// Runs WORK at the border to the host. Returns its error, or its panic, to the host.
fn guard(error: *mut Error, work: impl FnOnce() -> Result<i32, Failure>) -> i32 {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(code)) => code,
        Ok(Err(Failure(code, text))) => {
            write(error, code, text);
            code
        }
        Err(_) => {
            write(error, E_INTERNAL, "the driver panicked");
            E_INTERNAL
        }
    }
}

impl Hello {
    fn of(instance: *mut Instance) -> &'static Hello {
        // SAFETY: create made it, and shutdown is the last call.
        unsafe { &*instance.cast::<Hello>() }
    }
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Kind>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Completes a call that waited for the service, unless it was completed when it was given up.
    fn answer(&self, call: u64, error: *const Error, result: *const c_void) {
        if self.open().remove(&call).is_some() {
            (self.host.complete)(self.host, call, error, result);
        }
    }
    fn succeed<T>(&self, call: u64, result: &T) {
        self.answer(call, null(), (result as *const T).cast());
    }
    /// Completes a call that did not wait for the service.
    fn complete<T>(&self, call: u64, result: &T) {
        (self.host.complete)(self.host, call, null(), (result as *const T).cast());
    }
    /// The host has given a call up. A call that acts is answered when it has ended, which is soon:
    /// the next verb must find it ended.
    fn give_up(&self, call: u64) {
        {
            let mut open = self.open();
            if open.get(&call) != Some(&Kind::OnlyWaits) {
                return;
            }
            open.remove(&call);
        }
        let mut error = Error::empty();
        write(&mut error, E_CANCELLED, "the call was given up");
        (self.host.complete)(self.host, call, &error, null());
    }
    /// Calls a function of the service for a call of the host. DONE answers the call; a refusal
    /// refuses it.
    fn forward<A>(
        &'static self,
        call: *const Call,
        kind: Kind,
        service: Service<A>,
        args: &A,
        done: Done,
        error: *mut Error,
    ) -> i32 {
        // SAFETY: valid during the verb.
        let call = unsafe { &*call };
        self.open().insert(call.id, kind);
        // A cancellation that came before the call was added has found nothing.
        if (self.host.call_is_cancelled)(self.host, call.id) != 0 {
            self.give_up(call.id);
        }
        let code = self.ask(call.id, call.run_id, service, args, done, error);
        if code == OK || self.open().remove(&call.id).is_none() {
            return OK; // accepted, or given up and answered meanwhile
        }
        code
    }
    fn ask<A>(
        &'static self,
        call: u64,
        run: RunId,
        service: Service<A>,
        args: &A,
        done: Done,
        error: *mut Error,
    ) -> i32 {
        let context = Box::into_raw(Box::new(Pending {
            hello: self,
            call,
            run,
        }));
        let code = service(self.host, &run, args, done, context.cast(), error);
        if code != OK {
            // SAFETY: refused, so the service has forgotten it.
            drop(unsafe { Box::from_raw(context) });
        }
        code
    }
}

/// Called when the service has ended: MAKE builds the result of the verb and completes the call.
fn finish(context: *mut c_void, error: *const Error, make: impl FnOnce(&Pending)) {
    // SAFETY: ask gave it away, and this is its only use.
    let pending = unsafe { Box::from_raw(context.cast::<Pending>()) };
    if error.is_null() {
        let _ = catch_unwind(AssertUnwindSafe(|| make(&pending)));
    } else {
        pending.hello.answer(pending.call, error, null());
    }
}
/// For wait, stop and release, whose results are the verb's.
extern "C" fn pass_on(context: *mut c_void, error: *const Error, result: *const c_void) {
    finish(context, error, |p| p.hello.answer(p.call, null(), result));
}
extern "C" fn started(context: *mut c_void, error: *const Error, _: *const c_void) {
    let handle = Handle {
        struct_size: size_of::<Handle>() as u32,
        format_version: 1,
        driver_version: Str::of(""),
        state: Str::of("-"),
    };
    let result = StartResult {
        struct_size: size_of::<StartResult>() as u32,
        reserved: 0,
        handle: &handle,
        network: null(),
    };
    finish(context, error, |p| p.hello.succeed(p.call, &result));
}
fn state_of(result: *const c_void) -> &'static ProcessState {
    // SAFETY: the result of attach, valid during the callback; no error came with it.
    unsafe { &*result.cast::<ProcessState>() }
}
extern "C" fn recovered(context: *mut c_void, error: *const Error, result: *const c_void) {
    finish(context, error, |p| {
        let found = state_of(result);
        p.hello.succeed(
            p.call,
            &RecoverResult {
                struct_size: size_of::<RecoverResult>() as u32,
                state: found.state,
                handle: null(),
                exit_result: found.exit_result,
            },
        );
    });
}
extern "C" fn inspected(context: *mut c_void, error: *const Error, result: *const c_void) {
    finish(context, error, |p| {
        let found = state_of(result);
        p.hello.succeed(
            p.call,
            &TaskStatus {
                struct_size: size_of::<TaskStatus>() as u32,
                state: found.state,
                started_at: found.started_at,
                completed_at: 0,
                exit_result: found.exit_result,
                attributes: Array::NONE,
            },
        );
    });
}
/// Releases the run, unless its process still runs.
extern "C" fn release_if_ended(context: *mut c_void, error: *const Error, result: *const c_void) {
    finish(context, error, |p| {
        let mut own = Error::empty();
        let release = p.hello.process.release;
        if state_of(result).state == RUNNING {
            write(
                &mut own,
                E_FAILED_PRECONDITION,
                "cannot destroy running task",
            );
        } else if p
            .hello
            .ask(p.call, p.run, release, &NOTHING, pass_on, &mut own)
            == OK
        {
            return;
        }
        p.hello.answer(p.call, &own, null());
    });
}

/// The number after "seconds": in a configuration that the host has checked. The search finds no
/// text value, in which the quotes would be escaped.
fn seconds(config: &Str) -> Str {
    const KEY: &[u8] = b"\"seconds\":";
    let bytes = config.bytes();
    let at = match bytes.windows(KEY.len()).position(|w| w == KEY) {
        Some(at) => at,
        None => return Str::of("1"),
    };
    let number = &bytes[at + KEY.len()..];
    let size = number
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    Str {
        data: number.as_ptr(),
        size,
    }
}
/// A real driver knows all signals.
fn signal_number(name: &Str) -> Result<i32, Failure> {
    match name.bytes() {
        b"SIGHUP" => Ok(1),
        b"SIGINT" => Ok(2),
        b"SIGQUIT" => Ok(3),
        b"SIGKILL" => Ok(9),
        b"SIGUSR1" => Ok(10),
        b"SIGUSR2" => Ok(12),
        b"SIGALRM" => Ok(14),
        b"SIGTERM" | b"" => Ok(15),
        b"SIGCONT" => Ok(18),
        b"SIGWINCH" => Ok(28),
        _ => Err(Failure(E_INVALID_ARGUMENT, "unknown signal")),
    }
}

extern "C" fn start(
    self_: *mut Instance,
    call: *const Call,
    args: *const StartArgs,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        // SAFETY: valid during the verb.
        let task = unsafe { &*(*args).config };
        let argv = [
            Str::of("/bin/sh"),
            Str::of("-c"),
            Str::of("echo \"$1\"; exec sleep \"$2\""),
            Str::of("hello"),
            task.driver_config,
            seconds(&task.driver_config),
        ];
        let process = ProcessStart {
            struct_size: size_of::<ProcessStart>() as u32,
            oom_score_adj: 0,
            argv: Array::of(&argv),
            env: task.env,
            work_dir: task.task_dir,
            user: task.user,
        };
        let hello = Hello::of(self_);
        let start = hello.process.start;
        Ok(hello.forward(call, Kind::Acts, start, &process, started, error))
    })
}
extern "C" fn stop(
    self_: *mut Instance,
    call: *const Call,
    args: *const StopArgs,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        // SAFETY: valid during the verb.
        let args = unsafe { &*args };
        let hello = Hello::of(self_);
        let how = ProcessStop {
            struct_size: size_of::<ProcessStop>() as u32,
            number: signal_number(&args.signal)?,
            timeout: args.timeout,
        };
        let stop = hello.process.stop;
        Ok(hello.forward(call, Kind::OnlyWaits, stop, &how, pass_on, error))
    })
}
extern "C" fn destroy(
    self_: *mut Instance,
    call: *const Call,
    args: *const DestroyArgs,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        let hello = Hello::of(self_);
        // SAFETY: valid during the verb.
        let force = unsafe { (*args).force } != 0;
        let (service, done): (_, Done) = if force {
            (hello.process.release, pass_on)
        } else {
            (hello.process.attach, release_if_ended)
        };
        Ok(hello.forward(call, Kind::Acts, service, &NOTHING, done, error))
    })
}
extern "C" fn recover(
    self_: *mut Instance,
    call: *const Call,
    _: *const StartArgs,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        let hello = Hello::of(self_);
        let attach = hello.process.attach;
        Ok(hello.forward(call, Kind::Acts, attach, &NOTHING, recovered, error))
    })
}
extern "C" fn wait(
    self_: *mut Instance,
    call: *const Call,
    _: *const Nothing,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        let hello = Hello::of(self_);
        let wait = hello.process.wait;
        Ok(hello.forward(call, Kind::OnlyWaits, wait, &NOTHING, pass_on, error))
    })
}
extern "C" fn inspect(
    self_: *mut Instance,
    call: *const Call,
    _: *const Nothing,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        let hello = Hello::of(self_);
        let attach = hello.process.attach;
        Ok(hello.forward(call, Kind::Acts, attach, &NOTHING, inspected, error))
    })
}
extern "C" fn signal(
    self_: *mut Instance,
    call: *const Call,
    args: *const SignalArgs,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        let hello = Hello::of(self_);
        // SAFETY: valid during the verb.
        let name = unsafe { &(*args).name };
        if name.size == 0 {
            return Err(Failure(E_INVALID_ARGUMENT, "the signal has no name"));
        }
        let what = ProcessSignal {
            struct_size: size_of::<ProcessSignal>() as u32,
            number: signal_number(name)?,
        };
        let send = hello.process.signal;
        Ok(hello.forward(call, Kind::Acts, send, &what, pass_on, error))
    })
}
/// configure and restore_complete: there is nothing to do.
extern "C" fn agree(
    self_: *mut Instance,
    call: *const Call,
    _: *const Nothing,
    _: *mut Error,
) -> i32 {
    // SAFETY: valid during the verb.
    Hello::of(self_).complete(unsafe { (*call).id }, &NOTHING);
    OK
}
extern "C" fn shut_down(
    self_: *mut Instance,
    call: *const Call,
    _: *const Nothing,
    _: *mut Error,
) -> i32 {
    // SAFETY: made by create, and nothing comes after this. No call is open: the host has ended each
    // operation of its services before.
    let hello = *unsafe { Box::from_raw(self_.cast::<Hello>()) };
    hello.complete(unsafe { (*call).id }, &NOTHING);
    OK
}

/// One message is enough: this driver's health never changes.
extern "C" fn fingerprint(self_: *mut Instance, stream: u64, _: *mut Error) -> i32 {
    let attributes = [Pair(Str::of("driver.@NAME@"), Str::of("true"))];
    let message = Fingerprint {
        struct_size: size_of::<Fingerprint>() as u32,
        kind: MESSAGE_FINGERPRINT,
        health: HEALTHY,
        reserved: 0,
        description: Str::of("Healthy"),
        attributes: Array::of(&attributes),
    };
    let host = Hello::of(self_).host;
    (host.stream_send)(host, stream, &message);
    OK
}
/// The driver has no events; the stream stays open until it is cancelled.
extern "C" fn events(_: *mut Instance, _: u64, _: *mut Error) -> i32 {
    OK
}
extern "C" fn stream_cancel(self_: *mut Instance, stream: u64) {
    let host = Hello::of(self_).host;
    (host.stream_end)(host, stream, null());
}
/// Nothing is ever sent after the verb has returned.
extern "C" fn stream_join(_: *mut Instance, _: u64, _: i64, _: *mut Error) -> i32 {
    OK
}
extern "C" fn call_cancelled(self_: *mut Instance, call: u64) {
    let _ = catch_unwind(AssertUnwindSafe(|| Hello::of(self_).give_up(call)));
}
extern "C" fn get_extension(_: *mut Instance, _: Str) -> *const c_void {
    null()
}

extern "C" fn create(
    host: *const Host,
    call: *const Call,
    _: *const c_void,
    error: *mut Error,
) -> i32 {
    guard(error, || {
        // SAFETY: valid until shutdown has completed.
        let host = unsafe { &*host };
        let process: *const Process = (host.get_extension)(host, Str::of(PROCESS_ID)).cast();
        let process = match unsafe { process.as_ref() } {
            Some(process) => process,
            None => return Err(Failure(E_UNIMPLEMENTED, "the host has no process service")),
        };
        let instance = Box::into_raw(Box::new(Hello {
            host,
            process,
            open: Mutex::default(),
        }));
        let result = CreateResult {
            struct_size: size_of::<CreateResult>() as u32,
            reserved: 0,
            instance: instance.cast(),
        };
        // SAFETY: valid during the verb.
        let id = unsafe { (*call).id };
        (host.complete)(host, id, null(), (&result as *const CreateResult).cast());
        Ok(OK)
    })
}

extern "C" fn info() -> *const Info {
    static INFO: Info = Info {
        struct_size: size_of::<Info>() as u32,
        fs_isolation: 0,
        name: Str::of("@NAME@"),
        version: Str::of("0.1.0"),
        offers: CAP_SIGNALS,
        needs: NEEDS_PROCESS_SERVICE,
        config_schema: Str::of(r#"{"type":"object","additionalProperties":false}"#),
        task_config_schema: Str::of(
            r#"{"type":"object","additionalProperties":false,
                "properties":{"text":{"type":"string"},
                              "seconds":{"type":"integer","minimum":0,"default":1}}}"#,
        ),
    };
    &INFO
}

#[used]
#[link_section = ".drover_manifest"]
static MANIFEST: Manifest = Manifest {
    magic: *b"DROVERM0",
    struct_size: size_of::<Manifest>() as u32,
    abi_major: ABI_MAJOR,
    reserved: 0,
    min_host_minor: 0,
    name: padded("@NAME@"),
    version: padded("0.1.0"),
    license: padded("Apache-2.0"),
};

#[no_mangle]
pub extern "C" fn drover_driver_entry_v1() -> *const Driver {
    static DRIVER: Driver = Driver {
        struct_size: size_of::<Driver>() as u32,
        abi_major: ABI_MAJOR,
        min_host_minor: 0,
        reserved: 0,
        info,
        create,
        get_extension,
        configure: agree,
        start,
        recover,
        wait,
        stop,
        signal,
        destroy,
        inspect,
        restore_complete: agree,
        shutdown: shut_down,
        fingerprint,
        events,
        stream_cancel,
        stream_join,
        call_cancelled,
    };
    &DRIVER
}
