// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use drover_sys::*;
use std::fmt;

/// What went wrong, for the host: it looks at the code and never at the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Internal,
    InvalidArgument,
    NotFound,
    Unimplemented,
    Unavailable,
    Cancelled,
    Timeout,
    FailedPrecondition,
    PermissionDenied,
    ResourceExhausted,
}

const CODES: [(Code, i32); 10] = [
    (Code::Internal, DROVER_E_INTERNAL),
    (Code::InvalidArgument, DROVER_E_INVALID_ARGUMENT),
    (Code::NotFound, DROVER_E_NOT_FOUND),
    (Code::Unimplemented, DROVER_E_UNIMPLEMENTED),
    (Code::Unavailable, DROVER_E_UNAVAILABLE),
    (Code::Cancelled, DROVER_E_CANCELLED),
    (Code::Timeout, DROVER_E_TIMEOUT),
    (Code::FailedPrecondition, DROVER_E_FAILED_PRECONDITION),
    (Code::PermissionDenied, DROVER_E_PERMISSION_DENIED),
    (Code::ResourceExhausted, DROVER_E_RESOURCE_EXHAUSTED),
];

impl Code {
    /// The number of the code in the ABI.
    pub fn number(self) -> i32 {
        CODES
            .iter()
            .find(|(code, _)| *code == self)
            .map_or(DROVER_E_INTERNAL, |(_, number)| *number)
    }
    /// The code of a number of the ABI. An unknown number counts as `Internal`.
    pub fn from_number(number: i32) -> Code {
        CODES
            .iter()
            .find(|(_, known)| *known == number)
            .map_or(Code::Internal, |(code, _)| *code)
    }
}

/// An error on its way to the host, or from it. The text is for people: it says what was wrong,
/// where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub message: String,
    /// The same call may succeed if it is repeated.
    pub recoverable: bool,
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error that will be the same when the call is repeated.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
            recoverable: false,
        }
    }
    /// The same error, of which the host may expect that another try helps.
    pub fn recoverable(mut self) -> Error {
        self.recoverable = true;
        self
    }
    /// `Code::Unimplemented`: this driver does not do WHAT.
    pub fn unimplemented(what: &str) -> Error {
        Error::new(Code::Unimplemented, what)
    }

    pub(crate) fn to_raw(&self) -> drover_error {
        let mut out: drover_error = sized();
        self.write(&mut out);
        out
    }
    /// Fills the error object of the host, cut to its room at the boundary of a character.
    pub(crate) fn write(&self, out: &mut drover_error) {
        let mut size = self.message.len().min(DROVER_ERROR_MESSAGE_MAX as usize);
        while !self.message.is_char_boundary(size) {
            size -= 1;
        }
        out.code = self.code.number();
        out.flags = if self.recoverable {
            DROVER_ERROR_RECOVERABLE
        } else {
            0
        };
        out.message_size = size as u32;
        for (to, from) in out.message.iter_mut().zip(&self.message.as_bytes()[..size]) {
            *to = *from as std::os::raw::c_char;
        }
    }
    /// Reads an error of the host.
    ///
    /// # Safety
    /// RAW is an error, valid during this call.
    pub(crate) unsafe fn read(raw: *const drover_error) -> Error {
        let raw = copy_sized(raw);
        let size = (raw.message_size as usize).min(raw.message.len());
        let bytes: Vec<u8> = raw.message[..size].iter().map(|c| *c as u8).collect();
        Error {
            code: Code::from_number(raw.code),
            message: String::from_utf8_lossy(&bytes).into_owned(),
            recoverable: raw.flags & DROVER_ERROR_RECOVERABLE != 0,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            std::io::ErrorKind::PermissionDenied => Code::PermissionDenied,
            std::io::ErrorKind::InvalidInput => Code::InvalidArgument,
            std::io::ErrorKind::TimedOut => Code::Timeout,
            _ => Code::Internal,
        };
        Error::new(code, error.to_string())
    }
}
