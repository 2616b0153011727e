// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::{Code, Error, Result};

/// The signals of Linux on all machines whose numbers are those of x86 and ARM.
const SIGNALS: [(&str, i32); 33] = [
    ("ABRT", 6),
    ("ALRM", 14),
    ("BUS", 7),
    ("CHLD", 17),
    ("CONT", 18),
    ("FPE", 8),
    ("HUP", 1),
    ("ILL", 4),
    ("INT", 2),
    ("IO", 29),
    ("IOT", 6),
    ("KILL", 9),
    ("PIPE", 13),
    ("POLL", 29),
    ("PROF", 27),
    ("PWR", 30),
    ("QUIT", 3),
    ("SEGV", 11),
    ("STKFLT", 16),
    ("STOP", 19),
    ("SYS", 31),
    ("TERM", 15),
    ("TRAP", 5),
    ("TSTP", 20),
    ("TTIN", 21),
    ("TTOU", 22),
    ("URG", 23),
    ("USR1", 10),
    ("USR2", 12),
    ("WINCH", 28),
    ("XCPU", 24),
    ("XFSZ", 25),
    ("VTALRM", 26),
];

/// Returns the number of a signal such as "SIGTERM" or "TERM".
pub fn signal_number(name: &str) -> Result<i32> {
    let short = name.strip_prefix("SIG").unwrap_or(name);
    SIGNALS
        .iter()
        .find(|(known, _)| *known == short)
        .map(|(_, number)| *number)
        .ok_or_else(|| Error::new(Code::InvalidArgument, format!("unknown signal: {}", name)))
}
