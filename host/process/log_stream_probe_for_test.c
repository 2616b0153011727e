/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#include "host/process/log_stream_probe_for_test.h"

#include <string.h>
#include <unistd.h>

#include "shim/log_stream.h"

struct log_stream_probe {
  struct log_stream stream;
  struct ring ring;
  int gaps_begun, gaps_ended;
};
static struct log_stream_probe probe_storage;

static void count_gap(struct log_stream* stream, bool begins) {
  struct log_stream_probe* probe = (struct log_stream_probe*)stream;
  *(begins ? &probe->gaps_begun : &probe->gaps_ended) += 1;
}

struct log_stream_probe* log_stream_probe_new(int fd) {
  struct log_stream_probe* probe = &probe_storage;
  memset(probe, 0, sizeof *probe);
  probe->stream.fd = fd;
  probe->stream.ring = &probe->ring;
  probe->stream.on_gap = count_gap;
  return probe;
}

void log_stream_probe_delete(struct log_stream_probe* probe) {
  if (probe->stream.fd >= 0) close(probe->stream.fd);
}

bool log_stream_probe_read(struct log_stream_probe* probe, int64_t now) {
  return log_stream_read(&probe->stream, now);
}

bool log_stream_probe_tick(struct log_stream_probe* probe, int64_t now) {
  return log_stream_tick(&probe->stream, now);
}

void log_stream_probe_finish(struct log_stream_probe* probe) { log_stream_finish(&probe->stream); }

size_t log_stream_probe_take(struct log_stream_probe* probe, char* out, size_t size) {
  struct iovec parts[2];
  size_t count = ring_peek(&probe->ring, parts);
  if (count == 0) return 0;
  if (count > size) count = size;
  for (size_t i = 0; i < count; i++)
    out[i] = i < parts[0].iov_len ? ((const char*)parts[0].iov_base)[i]
                                  : ((const char*)parts[1].iov_base)[i - parts[0].iov_len];
  ring_take(&probe->ring, (uint32_t)count);
  return count;
}

struct log_stream_probe_state log_stream_probe_look(const struct log_stream_probe* probe) {
  return (struct log_stream_probe_state){
      .full = probe->stream.full,
      .dropping = probe->stream.dropping,
      .gaps_begun = probe->gaps_begun,
      .gaps_ended = probe->gaps_ended,
      .gap_lines = probe->stream.gap_lines,
      .dropped_lines = probe->stream.dropped_lines,
      .dropped_bytes = probe->stream.dropped_bytes,
      .deadline = log_stream_deadline(&probe->stream),
  };
}
