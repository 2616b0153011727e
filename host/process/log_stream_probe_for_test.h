/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Wraps shim/log_stream.h for a test in C++, which cannot include the atomics of C. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct log_stream_probe;
struct log_stream_probe_state {
  bool full, dropping;
  int gaps_begun, gaps_ended;
  uint64_t gap_lines, dropped_lines, dropped_bytes;
  int64_t deadline;
};

struct log_stream_probe* log_stream_probe_new(int fd); /* one at a time */
void log_stream_probe_delete(struct log_stream_probe* probe);
bool log_stream_probe_read(struct log_stream_probe* probe, int64_t now);
bool log_stream_probe_tick(struct log_stream_probe* probe, int64_t now);
void log_stream_probe_finish(struct log_stream_probe* probe);
size_t log_stream_probe_take(struct log_stream_probe* probe, char* out, size_t size);
struct log_stream_probe_state log_stream_probe_look(const struct log_stream_probe* probe);

#ifdef __cplusplus
}
#endif
