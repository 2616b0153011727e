/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of one output stream of the task. It runs on the control thread and moves lines from
 * the stream's pipe into a ring buffer (ring.h). While the ring is full, the reader does not read
 * the pipe. So the task waits for a slow disk, but only for a limited time. If the reader can read
 * less than 1 MiB within 0.9 s, the reader drops and counts whole lines until the ring is half
 * empty. Then the reader writes one gap line with the number of dropped lines.
 */
#ifndef DROVER_SHIM_LOG_STREAM_H_
#define DROVER_SHIM_LOG_STREAM_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/ring.h"

struct log_stream {
  int fd; /* the pipe; -1 after the end of the pipe */
  struct ring* ring;
  bool mid_line; /* true if the last published byte is not a line end */
  bool dropping;
  bool drop_mid_line; /* true if the last dropped byte is not a line end */
  bool full;          /* true if the ring is full and the reader waits for the log writer */
  /* The time at which the ring became full while the pipe had data; 0 if the task does not
     wait. */
  int64_t stalled_at;
  uint64_t stalled_bytes; /* bytes read since STALLED_AT */
  /* The time since which an unfinished line waits to be published; 0 if there is no such line. */
  int64_t piece_at;
  uint64_t gap_lines, gap_bytes; /* lines and bytes dropped in the present gap */
  uint64_t dropped_lines, dropped_bytes;
  /* Called when a gap begins or has ended. During a gap the reader drops lines. */
  void (*on_gap)(struct log_stream* stream, bool begins);
};

/*
 * Reads the pipe until the pipe is empty or the ring is full, but at most 8 times. Returns true if
 * this function published bytes in the ring. At the end of the pipe, closes the pipe and sets FD to
 * -1.
 */
bool log_stream_read(struct log_stream* stream, int64_t now);

/*
 * The caller must call this function at the time that log_stream_deadline returns, and when the log
 * writer has made room in the ring. Publishes an unfinished line that has waited long enough, ends
 * a gap, or begins to drop lines because the task has waited too long. Returns true if this
 * function published bytes in the ring.
 */
bool log_stream_tick(struct log_stream* stream, int64_t now);

/* Returns the time at which log_stream_tick must be called, or INT64_MAX if it need not be
   called. */
int64_t log_stream_deadline(const struct log_stream* stream);

/* Closes the pipe. Publishes the remaining bytes and, if the stream is dropping lines, a gap
   line. */
void log_stream_finish(struct log_stream* stream);

#endif /* DROVER_SHIM_LOG_STREAM_H_ */
