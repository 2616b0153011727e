// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::host::{lock, Host};
use crate::operation;
use crate::types::Answer;
use crate::{Code, Error, Result, RunId};
use drover_sys::*;
use std::future::Future;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::pin::Pin;
use std::ptr::null;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// A call of the host that is not completed.
pub(crate) struct Open {
    host: Host,
    id: u64,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    done: bool,
    cancelled: bool,
    on_cancel: Vec<Box<dyn FnOnce() + Send>>,
    wakers: Vec<Waker>,
}

impl Open {
    /// Completes the call, unless it is completed.
    fn complete(&self, error: *const drover_error, result: *const c_void) {
        let unused = {
            let mut inside = lock(&self.inside);
            if inside.done {
                return;
            }
            inside.done = true;
            inside.wakers.clear();
            std::mem::take(&mut inside.on_cancel)
        };
        self.host.calls().remove(&self.id);
        self.host.with(|tables| {
            // SAFETY: the table is valid, and so are ERROR and RESULT during the call.
            unsafe {
                if let Some(complete) = (*tables.host).complete {
                    complete(tables.host, self.id, error, result);
                }
            }
        });
        drop(unused);
    }
    pub(crate) fn fail(&self, error: &Error) {
        self.complete(&error.to_raw(), null())
    }
    /// The host has given the call up.
    pub(crate) fn cancel(&self) {
        let (functions, wakers) = {
            let mut inside = lock(&self.inside);
            if inside.done || inside.cancelled {
                return;
            }
            inside.cancelled = true;
            (
                std::mem::take(&mut inside.on_cancel),
                std::mem::take(&mut inside.wakers),
            )
        };
        for function in functions {
            function();
        }
        for waker in wakers {
            waker.wake();
        }
    }
    fn is_cancelled(&self) -> bool {
        lock(&self.inside).cancelled
    }
}

/// One answer that the driver owes to the host. It is given by `succeed`, `fail` or `finish`, or by a
/// future (`run`, `wait_for`), on any thread. A call that is dropped, maybe by a panic, fails by
/// itself. So no call is ever lost.
pub struct Call<T: Answer> {
    open: Arc<Open>,
    run: RunId,
    deadline: i64,
    kind: PhantomData<fn(T)>,
}

impl<T: Answer> Call<T> {
    /// Enters the call. No cancellation is lost, not even one that came before the verb.
    pub(crate) fn new(host: &Host, raw: &drover_call) -> Call<T> {
        let open = Arc::new(Open {
            host: host.clone(),
            id: raw.id,
            inside: Mutex::default(),
        });
        host.calls().insert(raw.id, open.clone());
        let cancelled = host.with(|tables| {
            // SAFETY: the table is valid.
            unsafe {
                (*tables.host)
                    .call_is_cancelled
                    .map_or(0, |ask| ask(tables.host, raw.id))
            }
        });
        if cancelled == Some(1) {
            open.cancel();
        }
        Call {
            open,
            run: raw.run_id.into(),
            deadline: raw.deadline,
            kind: PhantomData,
        }
    }

    /// The id of the call. That of an exec is the id of its session.
    pub fn id(&self) -> u64 {
        self.open.id
    }
    /// The run to which the call belongs; zeros if it belongs to none.
    pub fn run_id(&self) -> RunId {
        self.run
    }
    /// When the host gives the call up, in ns of CLOCK_BOOTTIME; `i64::MAX` means never.
    pub fn deadline(&self) -> i64 {
        self.deadline
    }
    /// Completes the call with its result.
    pub fn succeed(self, result: T) {
        result.pass(&mut |raw| self.open.complete(null(), raw))
    }
    /// Completes the call with an error.
    pub fn fail(self, error: Error) {
        self.open.fail(&error)
    }
    /// Completes the call with either.
    pub fn finish(self, result: Result<T>) {
        match result {
            Ok(result) => self.succeed(result),
            Err(error) => self.fail(error),
        }
    }

    /// True if the host has given the call up. The call must be completed nevertheless, soon.
    pub fn is_cancelled(&self) -> bool {
        self.open.is_cancelled()
    }
    /// Calls FUNCTION when the host gives the call up, or at once if it has. FUNCTION must not block.
    /// It is dropped when the call is completed.
    pub fn on_cancel(&self, function: impl FnOnce() + Send + 'static) {
        let mut inside = lock(&self.open.inside);
        if inside.cancelled {
            drop(inside);
            function();
        } else if !inside.done {
            inside.on_cancel.push(Box::new(function));
        }
    }
    /// What a thread needs that works for this call: it sees the cancellation.
    pub fn watch(&self) -> Watch {
        Watch {
            open: self.open.clone(),
        }
    }

    /// Completes the call with the result of FUTURE, also when the host has given the call up: for
    /// what changes something, since the next verb must find that done. FUTURE must not block. It is
    /// polled on this thread, and on the threads that bring what it waits for.
    pub fn run(self, future: impl Future<Output = Result<T>> + Send + 'static) {
        operation::spawn(async move {
            let result = future.await;
            self.finish(result);
        })
    }
    /// The same for a call that only waits: it fails as soon as the host gives it up, and FUTURE is
    /// dropped.
    pub fn wait_for(self, future: impl Future<Output = Result<T>> + Send + 'static) {
        let until = UntilCancelled {
            future: Box::pin(future),
            open: self.open.clone(),
        };
        self.run(until)
    }
    /// Completes the call with the result of WORK, which may block, on a thread of its own. WORK looks
    /// at its `Watch` now and then. See `Host::spawn`.
    pub fn run_blocking(self, work: impl FnOnce(&Watch) -> Result<T> + Send + 'static) {
        let host = self.open.host.clone();
        let open = self.open.clone();
        let begun = host.spawn(move || {
            let watch = self.watch();
            let result = work(&watch);
            self.finish(result);
        });
        if let Err(error) = begun {
            open.fail(&error); // of the two completions only the first counts
        }
    }
}

impl<T: Answer> Drop for Call<T> {
    fn drop(&mut self) {
        // Nothing, if the call is completed.
        self.open.fail(&Error::new(
            Code::Internal,
            if std::thread::panicking() {
                "the driver has panicked"
            } else {
                "the driver has lost the call"
            },
        ))
    }
}

/// Sees whether the host has given a call up.
#[derive(Clone)]
pub struct Watch {
    open: Arc<Open>,
}

impl Watch {
    /// True if the host wants no result any more.
    pub fn is_cancelled(&self) -> bool {
        self.open.is_cancelled()
    }
    /// `Code::Cancelled` if the host wants no result any more: `watch.check()?`.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(given_up());
        }
        Ok(())
    }
}

fn given_up() -> Error {
    Error::new(Code::Cancelled, "the call was given up")
}

struct UntilCancelled<F> {
    future: Pin<Box<F>>,
    open: Arc<Open>,
}

impl<T, F: Future<Output = Result<T>>> Future for UntilCancelled<F> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        {
            let mut inside = lock(&self.open.inside);
            if inside.cancelled {
                return Poll::Ready(Err(given_up()));
            }
            let waker = context.waker();
            if !inside.wakers.iter().any(|known| known.will_wake(waker)) {
                inside.wakers.push(waker.clone());
            }
        }
        self.future.as_mut().poll(context)
    }
}
