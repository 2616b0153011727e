// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

//! Operations of the host's services as futures, and what runs futures: a task is polled on the
//! thread that makes it, and then on each thread that wakes it. So there is no pool, and a future
//! must not block.
use crate::host::{lock, Host, Tables};
use crate::{Code, Error, Result};
use drover_sys::*;
use std::collections::HashMap;
use std::future::Future;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

// ------------------------------------------------------------------------------- the contexts

type Callback = Box<dyn FnOnce(*const drover_error, *const c_void) + Send>;

/// What waits for an operation of the host. The contexts are numbers that are never used again, so
/// no late call of the host can meet the wrong callback, or memory that was freed.
struct Waiting {
    last: usize,
    callbacks: Option<HashMap<usize, Callback>>,
}
static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    last: 0,
    callbacks: None,
});

pub(crate) fn register_with(make: impl FnOnce(usize) -> Callback) -> usize {
    let mut waiting = lock(&WAITING);
    waiting.last += 1;
    let context = waiting.last;
    waiting
        .callbacks
        .get_or_insert_with(HashMap::new)
        .insert(context, make(context));
    context
}
fn take(context: usize) -> Option<Callback> {
    lock(&WAITING).callbacks.as_mut()?.remove(&context)
}
/// Drops what waits for CONTEXT: the host will not call it.
pub(crate) fn forget(context: usize) {
    let callback = take(context);
    drop(callback); // outside of the lock
}

/// The DONE of each operation.
pub(crate) unsafe extern "C" fn done(
    context: *mut c_void,
    error: *const drover_error,
    result: *const c_void,
) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Some(callback) = take(context as usize) {
            callback(error, result);
        }
    }));
}
/// The function of each timer.
pub(crate) unsafe extern "C" fn elapsed(context: *mut c_void) {
    done(context, std::ptr::null(), std::ptr::null())
}

// ----------------------------------------------------------------------------- the operations

struct Slot<T> {
    result: Option<Result<T>>,
    finished: bool,
    waker: Option<Waker>,
}

/// An operation of a service of the host, which goes on whether somebody waits for it or not.
/// Await it in `Call::run`, or wait for it with `wait` on a thread of the driver's own.
pub struct Operation<T> {
    slot: Arc<Mutex<Slot<T>>>,
}

impl<T: Send + 'static> Operation<T> {
    /// An operation, and the function that ends it.
    pub(crate) fn pair() -> (Operation<T>, impl FnOnce(Result<T>) + Send + 'static) {
        let slot = Arc::new(Mutex::new(Slot {
            result: None,
            finished: false,
            waker: None,
        }));
        let operation = Operation { slot: slot.clone() };
        let finish = Finish(slot);
        (operation, move |result| finish.finish(result))
    }
    pub(crate) fn failed(error: Error) -> Operation<T> {
        Operation {
            slot: Arc::new(Mutex::new(Slot {
                result: Some(Err(error)),
                finished: true,
                waker: None,
            })),
        }
    }
    /// Begins an operation by BEGIN, which calls a function of the host with a DONE and its context.
    pub(crate) fn begin(
        host: &Host,
        decode: fn(*const c_void) -> Result<T>,
        begin: impl FnOnce(&Tables, drover_done, *mut c_void, *mut drover_error) -> Result<i32>,
    ) -> Operation<T> {
        Operation::begin_with(host, decode, |_| (), begin)
    }
    /// The same; NOTE gets the context before the operation begins.
    pub(crate) fn begin_with(
        host: &Host,
        decode: fn(*const c_void) -> Result<T>,
        note: impl FnOnce(usize),
        begin: impl FnOnce(&Tables, drover_done, *mut c_void, *mut drover_error) -> Result<i32>,
    ) -> Operation<T> {
        let (operation, finish) = Operation::pair();
        let context = register_with(|_| {
            Box::new(move |error, result| {
                // SAFETY: both are valid during the callback.
                finish(if error.is_null() {
                    decode(result)
                } else {
                    Err(unsafe { Error::read(error) })
                })
            })
        });
        note(context);
        let mut error: drover_error = sized();
        let code = host.with(|tables| begin(tables, Some(done), context as *mut c_void, &mut error));
        let refused = match code {
            Some(Ok(DROVER_OK)) => return operation,
            Some(Ok(code)) => {
                error.code = code;
                // SAFETY: a local value.
                unsafe { Error::read(&error) }
            }
            Some(Err(error)) => error,
            None => Host::gone(),
        };
        forget(context);
        Operation::failed(refused)
    }

    /// Calls FUNCTION with the result, on the thread of the host that brings it. It must not block.
    pub fn then(self, function: impl FnOnce(Result<T>) + Send + 'static) {
        spawn(async move { function(self.await) })
    }
    /// Waits for the result. Only a thread of the driver's own may wait, never one of the host.
    pub fn wait(self) -> Result<T> {
        let signal = Arc::new(Signal::default());
        let waker = Waker::from(signal.clone());
        let mut future = self;
        loop {
            let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
            if let Poll::Ready(result) = polled {
                return result;
            }
            signal.wait();
        }
    }
}

/// Ends an operation, also if its callback is dropped.
struct Finish<T>(Arc<Mutex<Slot<T>>>);

impl<T> Finish<T> {
    fn set(&self, result: Result<T>) {
        let waker = {
            let mut slot = lock(&self.0);
            if slot.finished {
                return;
            }
            slot.finished = true;
            slot.result = Some(result);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
    fn finish(self, result: Result<T>) {
        self.set(result)
    }
}
impl<T> Drop for Finish<T> {
    fn drop(&mut self) {
        let lost = Error::new(Code::Unavailable, "the operation has come to nothing");
        self.set(Err(lost))
    }
}

impl<T> Future for Operation<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let mut slot = lock(&self.slot);
        match slot.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

// ----------------------------------------------------------------------- what runs the futures

/// Wakes a thread that waits.
#[derive(Default)]
struct Signal {
    woken: Mutex<bool>,
    changed: Condvar,
}
impl Signal {
    fn wait(&self) {
        let mut woken = lock(&self.woken);
        while !*woken {
            woken = self
                .changed
                .wait(woken)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *woken = false;
    }
}
impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        *lock(&self.woken) = true;
        self.changed.notify_all();
    }
}

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Task {
    job: Mutex<Option<Job>>,
    /// How often the task was woken since the thread that polls it has begun to poll.
    wakes: AtomicUsize,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if self.wakes.fetch_add(1, Ordering::AcqRel) != 0 {
            return; // another thread polls, and will poll again
        }
        let mut seen = 1;
        loop {
            self.poll();
            let before = self.wakes.fetch_sub(seen, Ordering::AcqRel);
            seen = before - seen;
            if seen == 0 {
                return;
            }
        }
    }
}

impl Task {
    fn poll(self: &Arc<Self>) {
        let mut job = lock(&self.job);
        let waker = Waker::from(self.clone());
        let ended = match job.as_mut() {
            None => false,
            Some(future) => catch_unwind(AssertUnwindSafe(|| {
                let mut context = Context::from_waker(&waker);
                future.as_mut().poll(&mut context).is_ready()
            }))
            .unwrap_or(true),
        };
        if ended {
            let ended = job.take();
            let _ = catch_unwind(AssertUnwindSafe(|| drop(ended)));
        }
    }
}

/// Runs FUTURE to its end. A panic ends only the future.
pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) {
    let task = Arc::new(Task {
        job: Mutex::new(Some(Box::pin(future))),
        wakes: AtomicUsize::new(0),
    });
    task.wake();
}
