/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of one output stream of the task, on the control thread: it moves lines from the pipe
 * into the ring. While the ring is full it does not read the pipe, so the task waits for a slow
 * disk, but not for long. If less than 1 MiB could be read within 0.9 s, it drops and counts whole
 * lines until the ring is half empty, and then writes one gap line with their number.
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
  bool drop_mid_line;     /* the last dropped byte does not end a line */
  bool full;              /* waits for the writer */
  int64_t stalled_at;     /* when the ring became full while the pipe had data; 0: no stall */
  uint64_t stalled_bytes; /* read since then */
  int64_t piece_at;       /* since when an unfinished line waits unpublished; 0: none does */
  uint64_t gap_lines, gap_bytes; /* of the present gap */
  uint64_t dropped_lines, dropped_bytes;
  /* Called when a gap begins or has ended. */
  void (*on_gap)(struct log_stream* stream, bool begins);
};

/*
 * Reads the pipe until it is empty or the ring is full; returns true if it published something. At
 * the end of the pipe closes it and sets FD to -1.
 */
bool log_stream_read(struct log_stream* stream, int64_t now);

/*
 * To be called when time has passed or the writer has made room: publishes a piece of a line that
 * has waited, ends a gap, or begins to drop after a stall. Returns true if it published something.
 */
bool log_stream_tick(struct log_stream* stream, int64_t now);

/* The time at which log_stream_tick must be called; INT64_MAX: never. */
int64_t log_stream_deadline(const struct log_stream* stream);

/* Closes the pipe, and publishes the remaining bytes and a last gap line. */
void log_stream_finish(struct log_stream* stream);

#endif /* DROVER_SHIM_LOG_STREAM_H_ */
