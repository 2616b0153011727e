// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! The functions that the host calls: each reads its arguments, calls the driver, and lets no panic
//! out.
use crate::call::Call;
use crate::driver::Driver;
use crate::host::Host;
use crate::json::Json;
use crate::process::ExecRequest;
use crate::raw;
use crate::stream::{OpenStream, Stream};
use crate::types::*;
use crate::{Code, Error, Result, RunId};
use drover_sys::*;
use std::any::TypeId;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::os::unix::io::{FromRawFd, OwnedFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;
use std::sync::{Arc, Mutex};

/// An instance of a driver, behind the pointer that the host has.
struct Instance<D> {
    host: Host,
    driver: Arc<D>,
}

/// # Safety
/// SELF is an instance that create has made, and shutdown has not ended.
unsafe fn of<'a, D>(instance: *mut drover_instance) -> &'a Instance<D> {
    &*instance.cast::<Instance<D>>()
}

/// Runs WORK at the border. Its error, or its panic, goes to ERROR.
unsafe fn guard(error: *mut drover_error, work: impl FnOnce() -> Result<()>) -> i32 {
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return DROVER_OK,
        Ok(Err(failure)) => failure,
        Err(_) => Error::new(Code::Internal, "the driver has panicked"),
    };
    if let Some(out) = error.as_mut() {
        if out.struct_size as usize >= std::mem::size_of::<drover_error>() {
            failure.write(out);
        }
    }
    failure.code.number()
}

/// Configurations are JSON texts.
unsafe fn config(text: drover_str) -> Result<Json> {
    let text = raw::text(text)?;
    Json::parse(if text.is_empty() { "{}" } else { &text })
}

/// The tables of a driver, which `driver!` exports.
pub struct Thunks<D>(PhantomData<D>);

impl<D: Driver> Thunks<D> {
    /// The driver as the host sees it.
    pub const fn driver(min_host_minor: u32) -> drover_driver {
        drover_driver {
            struct_size: std::mem::size_of::<drover_driver>() as u32,
            abi_major: DROVER_ABI_MAJOR as u32,
            min_host_minor,
            reserved: 0,
            info: Some(Self::info),
            create: Some(Self::create),
            get_extension: Some(Self::get_extension),
            configure: Some(Self::configure),
            start: Some(Self::start),
            recover: Some(Self::recover),
            wait: Some(Self::wait),
            stop: Some(Self::stop),
            signal: Some(Self::signal),
            destroy: Some(Self::destroy),
            inspect: Some(Self::inspect),
            restore_complete: Some(Self::restore_complete),
            shutdown: Some(Self::shutdown),
            fingerprint: Some(Self::fingerprint),
            events: Some(Self::events),
            stream_cancel: Some(Self::stream_cancel),
            stream_join: Some(Self::stream_join),
            call_cancelled: Some(Self::call_cancelled),
        }
    }
    const STATS: &'static drover_task_stats = &drover_task_stats {
        struct_size: std::mem::size_of::<drover_task_stats>() as u32,
        reserved: 0,
        stats: Some(Self::stats),
    };
    const EXEC: &'static drover_task_exec = &drover_task_exec {
        struct_size: std::mem::size_of::<drover_task_exec>() as u32,
        reserved: 0,
        exec: Some(Self::exec),
        resize: Some(Self::resize),
    };

    unsafe extern "C" fn info() -> *const drover_info {
        // One for each driver of the library, for its whole life.
        static KNOWN: Mutex<Vec<(TypeId, usize)>> = Mutex::new(Vec::new());
        catch_unwind(|| {
            let mut known = crate::host::lock(&KNOWN);
            let id = TypeId::of::<D>();
            if let Some((_, at)) = known.iter().find(|(other, _)| *other == id) {
                return *at as *const drover_info;
            }
            let own = D::describe();
            let mut out: drover_info = sized();
            out.fs_isolation = own.fs_isolation;
            out.name = drover_str::of(D::NAME);
            out.version = drover_str::of(D::VERSION);
            out.offers = own.offers;
            out.needs = own.needs;
            out.config_schema = drover_str::of(own.config_schema);
            out.task_config_schema = drover_str::of(own.task_config_schema);
            let at: *const drover_info = Box::leak(Box::new(out));
            known.push((id, at as usize));
            at
        })
        .unwrap_or(null())
    }

    unsafe extern "C" fn create(
        host: *const drover_host,
        call: *const drover_call,
        args: *const drover_create_args,
        error: *mut drover_error,
    ) -> i32 {
        guard(error, || {
            let args = copy_sized(args);
            let own = Host::new(host);
            let driver = Arc::new(D::create(own.clone(), config(args.config)?)?);
            let instance = Box::into_raw(Box::new(Instance { host: own, driver }));
            let mut out: drover_create_result = sized();
            out.instance = instance.cast();
            complete(host, (*call).id, &out);
            Ok(())
        })
    }
    unsafe extern "C" fn get_extension(
        instance: *mut drover_instance,
        id: drover_str,
    ) -> *const c_void {
        catch_unwind(AssertUnwindSafe(|| {
            let offers = D::describe().offers;
            match raw::text(id) {
                Ok(id) if id == DROVER_TASK_STATS_ID && offers & DROVER_CAP_STATS != 0 => {
                    (Self::STATS as *const drover_task_stats).cast()
                }
                Ok(id) if id == DROVER_TASK_EXEC_ID && offers & DROVER_CAP_EXEC != 0 => {
                    (Self::EXEC as *const drover_task_exec).cast()
                }
                Ok(id) => of::<D>(instance).driver.extension(&id),
                Err(_) => null(),
            }
        }))
        .unwrap_or(null())
    }
    unsafe extern "C" fn configure(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_configure_args,
        error: *mut drover_error,
    ) -> i32 {
        verb::<D, ()>(instance, call, error, |driver, call| {
            let result = config(copy_sized(args).config).and_then(|config| driver.configure(config));
            call.finish(result);
            Ok(())
        })
    }
    unsafe extern "C" fn start(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_start_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            match TaskConfig::read(copy_sized(args).config) {
                Ok(task) => driver.start(task, call),
                Err(error) => call.fail(error),
            }
            Ok(())
        })
    }
    unsafe extern "C" fn recover(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_recover_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            let args = copy_sized(args);
            let read = TaskConfig::read(args.config)
                .and_then(|task| Ok((task, TaskHandle::read(args.handle)?)));
            match read {
                Ok((task, handle)) => driver.recover(task, handle, call),
                Err(error) => call.fail(error),
            }
            Ok(())
        })
    }
    unsafe extern "C" fn wait(
        instance: *mut drover_instance,
        call: *const drover_call,
        _: *const drover_wait_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            driver.wait(call);
            Ok(())
        })
    }
    unsafe extern "C" fn stop(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_stop_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            let args = copy_sized(args);
            match raw::text(args.signal) {
                Ok(signal) => {
                    let timeout = duration(args.timeout);
                    driver.stop(StopRequest { timeout, signal }, call)
                }
                Err(error) => call.fail(error),
            }
            Ok(())
        })
    }
    unsafe extern "C" fn signal(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_signal_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            match raw::text(copy_sized(args).name) {
                Ok(name) => driver.signal(name, call),
                Err(error) => call.fail(error),
            }
            Ok(())
        })
    }
    unsafe extern "C" fn destroy(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_destroy_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            driver.destroy(copy_sized(args).force != 0, call);
            Ok(())
        })
    }
    unsafe extern "C" fn inspect(
        instance: *mut drover_instance,
        call: *const drover_call,
        _: *const drover_inspect_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            driver.inspect(call);
            Ok(())
        })
    }
    unsafe extern "C" fn restore_complete(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_restore_complete_args,
        error: *mut drover_error,
    ) -> i32 {
        verb(instance, call, error, |driver: Arc<D>, call| {
            let raw_runs: Vec<drover_run_id> = raw::values(copy_sized(args).run_ids);
            driver.restore_complete(raw_runs.into_iter().map(RunId::from).collect(), call);
            Ok(())
        })
    }
    /// The call of a shutdown is completed last, when nothing of the instance is left.
    unsafe extern "C" fn shutdown(
        instance: *mut drover_instance,
        call: *const drover_call,
        _: *const drover_shutdown_args,
        _: *mut drover_error,
    ) -> i32 {
        let id = (*call).id;
        let instance = Box::from_raw(instance.cast::<Instance<D>>());
        let host = instance.host.raw();
        let _ = catch_unwind(AssertUnwindSafe(|| instance.driver.shutdown()));
        let ending = Ending { instance, host, id };
        if !ending.instance.host.has_threads() {
            ending.end();
            return DROVER_OK;
        }
        // A function of the host must not wait for threads. If there is no thread more, it has to.
        let shared = Arc::new(Mutex::new(Some(ending)));
        let on_thread = shared.clone();
        let end = move || {
            let ending = crate::host::lock(&on_thread).take();
            if let Some(ending) = ending {
                ending.end();
            }
        };
        if std::thread::Builder::new().spawn(end).is_err() {
            let ending = crate::host::lock(&shared).take();
            if let Some(ending) = ending {
                ending.end();
            }
        }
        DROVER_OK
    }

    unsafe extern "C" fn fingerprint(
        instance: *mut drover_instance,
        stream: u64,
        error: *mut drover_error,
    ) -> i32 {
        begin::<D>(instance, stream, error, |driver, stream| {
            driver.fingerprint(Stream::new(stream));
            Ok(())
        })
    }
    unsafe extern "C" fn events(
        instance: *mut drover_instance,
        stream: u64,
        error: *mut drover_error,
    ) -> i32 {
        begin::<D>(instance, stream, error, |driver, stream| {
            driver.events(Stream::new(stream));
            Ok(())
        })
    }
    unsafe extern "C" fn stats(
        instance: *mut drover_instance,
        stream: u64,
        run: *const drover_run_id,
        args: *const drover_stats_args,
        error: *mut drover_error,
    ) -> i32 {
        begin::<D>(instance, stream, error, |driver, stream| {
            let args = copy_sized(args);
            let request = StatsRequest {
                interval: duration(args.interval),
                processes: args.flags & DROVER_STATS_PROCESSES != 0,
            };
            driver.stats((*run).into(), request, Stream::new(stream))
        })
    }
    unsafe extern "C" fn stream_cancel(instance: *mut drover_instance, stream: u64) {
        let _ = catch_unwind(AssertUnwindSafe(|| end_stream(of::<D>(instance), stream)));
    }
    unsafe extern "C" fn stream_join(
        instance: *mut drover_instance,
        stream: u64,
        _: i64,
        error: *mut drover_error,
    ) -> i32 {
        // Nothing is sent while or after a stream is ended, so there is nothing to wait for.
        guard(error, || {
            end_stream(of::<D>(instance), stream);
            Ok(())
        })
    }
    unsafe extern "C" fn call_cancelled(instance: *mut drover_instance, call: u64) {
        let _ = catch_unwind(AssertUnwindSafe(|| {
            of::<D>(instance).host.call_cancelled(call)
        }));
    }

    unsafe extern "C" fn exec(
        instance: *mut drover_instance,
        call: *const drover_call,
        args: *const drover_exec_args,
        error: *mut drover_error,
    ) -> i32 {
        let args = copy_sized(args);
        // The descriptors are the driver's from here on, whatever happens.
        let (input, output, errors) = (own(args.input), own(args.output), own(args.error));
        let run_id = RunId::from((*call).run_id);
        verb(instance, call, error, |driver: Arc<D>, call| {
            match raw::texts(args.command) {
                Ok(command) => driver.exec(
                    ExecRequest {
                        run_id,
                        command,
                        tty: args.tty != 0,
                        width: args.width,
                        height: args.height,
                        input,
                        output,
                        error: errors,
                    },
                    call,
                ),
                Err(error) => call.fail(error),
            }
            Ok(())
        })
    }
    unsafe extern "C" fn resize(
        instance: *mut drover_instance,
        session: u64,
        width: i32,
        height: i32,
        error: *mut drover_error,
    ) -> i32 {
        guard(error, || {
            of::<D>(instance).driver.resize(session, width, height)
        })
    }
}

/// A descriptor that is given to the driver.
unsafe fn own(fd: drover_fd) -> Option<OwnedFd> {
    if fd.ownership == DROVER_FD_GIVEN && fd.fd >= 0 {
        return Some(OwnedFd::from_raw_fd(fd.fd));
    }
    None
}

unsafe fn complete<T>(host: *const drover_host, id: u64, result: &T) {
    if let Some(complete) = (*host).complete {
        complete(host, id, null(), (result as *const T).cast());
    }
}

/// Enters the call and passes it to WORK. The call is accepted then: WORK completes it, or drops it
/// when it panics, which completes it, too.
unsafe fn verb<D: Driver, T: Answer>(
    instance: *mut drover_instance,
    call: *const drover_call,
    error: *mut drover_error,
    work: impl FnOnce(Arc<D>, Call<T>) -> Result<()>,
) -> i32 {
    let mut accepted = false;
    let code = guard(error, || {
        let own = of::<D>(instance);
        let entered = Call::new(&own.host, &*call);
        accepted = true;
        work(own.driver.clone(), entered)
    });
    if accepted {
        DROVER_OK
    } else {
        code
    }
}

/// Enters the stream and passes it to WORK, whose error refuses it.
unsafe fn begin<D: Driver>(
    instance: *mut drover_instance,
    id: u64,
    error: *mut drover_error,
    work: impl FnOnce(Arc<D>, &Arc<OpenStream>) -> Result<()>,
) -> i32 {
    guard(error, || {
        let own = of::<D>(instance);
        let stream = Refusal(Some(OpenStream::new(&own.host, id)));
        if let Some(open) = &stream.0 {
            work(own.driver.clone(), open)?;
        }
        stream.accept();
        Ok(())
    })
}

/// Forgets a stream whose verb fails or panics.
struct Refusal(Option<Arc<OpenStream>>);

impl Refusal {
    fn accept(mut self) {
        self.0 = None;
    }
}
impl Drop for Refusal {
    fn drop(&mut self) {
        if let Some(stream) = &self.0 {
            stream.refuse();
        }
    }
}

fn end_stream<D>(instance: &Instance<D>, id: u64) {
    let stream = instance.host.streams().get(&id).cloned();
    if let Some(stream) = stream {
        stream.end(None);
    }
}

/// What is left of an instance when its shutdown has begun.
struct Ending<D> {
    instance: Box<Instance<D>>,
    host: *const drover_host,
    id: u64,
}
// SAFETY: the host's table may be used on any thread, and so may an instance.
unsafe impl<D: Send + Sync> Send for Ending<D> {}

impl<D> Ending<D> {
    fn end(self) {
        let Ending { instance, host, id } = self;
        let _ = catch_unwind(AssertUnwindSafe(|| {
            instance.host.close();
            drop(instance);
        }));
        // SAFETY: the host's table is valid until this completion.
        unsafe { complete(host, id, &sized::<drover_empty_result>()) }
    }
}
