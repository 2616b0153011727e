// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::host::{lock, Host};
use crate::message::Message;
use crate::Error;
use drover_sys::*;
use std::marker::PhantomData;
use std::ptr::null;
use std::sync::{Arc, Mutex};

/// A stream that the host has begun. Its lock is held while a message is sent, so nothing is sent
/// after it has ended.
pub(crate) struct OpenStream {
    host: Host,
    id: u64,
    open: Mutex<bool>,
}

impl OpenStream {
    pub(crate) fn new(host: &Host, id: u64) -> Arc<OpenStream> {
        let stream = Arc::new(OpenStream {
            host: host.clone(),
            id,
            open: Mutex::new(true),
        });
        host.streams().insert(id, stream.clone());
        stream
    }
    fn send(&self, message: *const drover_message) -> bool {
        let over = {
            let open = lock(&self.open);
            *open
                && self
                    .host
                    .with(|tables| {
                        // SAFETY: the table is valid, and MESSAGE during the call.
                        unsafe {
                            (*tables.host)
                                .stream_send
                                .map_or(1, |send| send(tables.host, self.id, message))
                        }
                    })
                    .map_or(true, |code| code != 0)
        };
        if over {
            self.end(None);
        }
        self.is_open()
    }
    /// Ends the stream, unless it has ended.
    pub(crate) fn end(&self, error: Option<&Error>) {
        self.forget(|open| {
            let raw = error.map(Error::to_raw);
            let error = raw.as_ref().map_or(null(), |raw| raw as *const drover_error);
            if *open {
                self.host.with(|tables| {
                    // SAFETY: the table is valid, and ERROR during the call.
                    unsafe {
                        if let Some(end) = (*tables.host).stream_end {
                            end(tables.host, self.id, error);
                        }
                    }
                });
            }
        })
    }
    /// Forgets the stream without ending it: its verb refuses it.
    pub(crate) fn refuse(&self) {
        self.forget(|_| ())
    }
    fn forget(&self, last: impl FnOnce(&bool)) {
        {
            let mut open = lock(&self.open);
            last(&open);
            *open = false;
        }
        self.host.streams().remove(&self.id);
    }
    fn is_open(&self) -> bool {
        *lock(&self.open)
    }
}

/// Messages to the host, from any thread. The stream stays open when this is dropped: the host ends
/// it, or `end` or `fail`. Copies are cheap.
pub struct Stream<M: Message> {
    open: Arc<OpenStream>,
    kind: PhantomData<fn(M)>,
}

impl<M: Message> Clone for Stream<M> {
    fn clone(&self) -> Stream<M> {
        Stream {
            open: self.open.clone(),
            kind: PhantomData,
        }
    }
}

impl<M: Message> Stream<M> {
    pub(crate) fn new(open: &Arc<OpenStream>) -> Stream<M> {
        Stream {
            open: open.clone(),
            kind: PhantomData,
        }
    }
    /// Sends a message. False if the host wants no more: the stream has ended then.
    pub fn send(&self, message: &M) -> bool {
        let mut open = false;
        message.pass(&mut |raw| open = self.open.send(raw));
        open
    }
    /// True until the host, `end` or `fail` has ended the stream.
    pub fn is_open(&self) -> bool {
        self.open.is_open()
    }
    /// Ends the stream without an error.
    pub fn end(&self) {
        self.open.end(None)
    }
    /// Ends the stream. After a recoverable error the host subscribes again later.
    pub fn fail(&self, error: Error) {
        self.open.end(Some(&error))
    }
}
