/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The reading end of one output stream of the task, on the control thread: from the pipe into the
 * ring, line by line. While the ring is full the pipe is left alone, so that the task waits for a
 * slow disk; but not for long: when less than 1 MiB has been taken within 0.9 s, whole lines are
 * dropped and counted until the ring is half empty, and one gap line tells how many.
 */
#ifndef DROVER_SHIM_LOG_STREAM_H_
#define DROVER_SHIM_LOG_STREAM_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/ring.h"

struct log_stream {
  int fd; /* the pipe, -1: it has ended */
  struct ring* ring;
  bool mid_line; /* the published part ends within a line */
  bool dropping;
  bool drop_mid_line;     /* what was dropped last does not end a line */
  bool full;              /* waits for the writer */
  int64_t stalled_at;     /* since when the pipe has not been empty and the ring was full; 0: not */
  uint64_t stalled_bytes; /* taken since then */
  int64_t piece_at;       /* since when an unfinished line waits unpublished; 0: none does */
  uint64_t gap_lines, gap_bytes; /* of the present gap */
  uint64_t dropped_lines, dropped_bytes;
  /* Tells that a gap begins or has ended. */
  void (*on_gap)(struct log_stream* stream, bool begins);
};

/*
 * Reads what is there, as far as the ring takes it; returns true if something was published. Sets
 * FD to -1 (closed) at the end of the pipe.
 */
bool log_stream_read(struct log_stream* stream, int64_t now);

/*
 * Lets time pass, or the writer proceed: publishes a piece of a line that has waited, ends a gap,
 * gives up on a stall.
 */
bool log_stream_tick(struct log_stream* stream, int64_t now);

/* When tick must be called; INT64_MAX: never. */
int64_t log_stream_deadline(const struct log_stream* stream);

/* The pipe is over or will not be read further: publishes the rest and a last gap line. */
void log_stream_finish(struct log_stream* stream);

#endif /* DROVER_SHIM_LOG_STREAM_H_ */
