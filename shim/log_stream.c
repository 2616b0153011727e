/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/log_stream.h"

#include <errno.h>
#include <string.h>

#include "shim/log_file.h"
#include "shim/sys.h"

enum {
  /* Maximum number of reads before the other stream and the connections get their turn. */
  kReadsPerTurn = 8,
  kGapLineMax = 64, /* maximum length in bytes of a gap line */
};
/* Maximum time for which the task waits for the log writer. It is less than a second. */
static const int64_t kPatienceNs = 900 * 1000 * 1000;
/* If the shim reads this number of bytes within kPatienceNs, the task may wait for another
   kPatienceNs. */
static const uint64_t kPatienceBytes = 1 << 20;
/* An unfinished line, for example a prompt, is passed to the log writer after this time. */
static const int64_t kPieceNs = 100 * 1000 * 1000;

static void begin_gap(struct log_stream* stream) {
  struct ring* ring = stream->ring;
  stream->gap_bytes = ring_tentative(ring);
  stream->gap_lines = 0;
  ring_take_back(ring);
  stream->drop_mid_line = stream->mid_line || stream->gap_bytes > 0;
  stream->piece_at = 0;
  stream->dropping = true;
  stream->full = false;
  if (stream->on_gap) stream->on_gap(stream, true);
}

/* Ends a gap: publishes the line "[drover] N lines dropped". The caller must have checked that the
   ring has room for that line. */
static void end_gap(struct log_stream* stream) {
  char text[kGapLineMax];
  size_t length = 0;
  static const char kStart[] = "[drover] ";
  const char* end = stream->gap_lines == 1 ? " line dropped\n" : " lines dropped\n";
  if (stream->mid_line) text[length++] = '\n';
  memcpy(text + length, kStart, sizeof kStart - 1);
  length += sizeof kStart - 1;
  length += sys_decimal(stream->gap_lines, text + length);
  memcpy(text + length, end, strlen(end));
  length += strlen(end);
  ring_put(stream->ring, text, (uint32_t)length);
  ring_publish(stream->ring, 0);
  stream->mid_line = false;
  stream->dropping = false;
  stream->stalled_at = 0;
  stream->dropped_lines += stream->gap_lines;
  stream->dropped_bytes += stream->gap_bytes;
  if (stream->on_gap) stream->on_gap(stream, false);
  stream->gap_lines = stream->gap_bytes = 0;
}

static void close_pipe(struct log_stream* stream) {
  SYS(close, stream->fd);
  stream->fd = -1;
}

/* Must be called when COUNT new bytes have been put into the ring. Publishes all complete lines.
   Publishes an unfinished line only if it fills the whole ring. Returns true if it published
   anything. */
static bool publish(struct log_stream* stream, uint32_t count, int64_t now) {
  struct ring* ring = stream->ring;
  struct iovec parts[2];
  ring_parts(ring, ring->tail - count, count, parts);
  const uint32_t lines = (uint32_t)log_file_lines_end(parts, count);
  if (lines > 0) {
    ring_publish(ring, count - lines);
    stream->mid_line = false;
    stream->piece_at = lines < count ? now : 0;
    return true;
  }
  if (ring_tentative(ring) == RING_SIZE) {
    ring_publish(ring, 0);
    stream->mid_line = true;
    stream->piece_at = 0;
    return true;
  }
  if (stream->piece_at == 0) stream->piece_at = now;
  return false;
}

/* Reads once from the pipe into the ring, and returns the result of the read. Also returns 0 if the
   ring is full; in that case the pipe is still open. */
static long read_into_ring(struct log_stream* stream, int64_t now, bool* published) {
  struct ring* ring = stream->ring;
  ring_rewind(ring);
  const uint32_t room = ring_free(ring);
  if (room == 0) {
    /* An unfinished line that fills the ring can never become complete there, so it is
       published. */
    if (ring_tentative(ring) == RING_SIZE) *published |= publish(stream, RING_SIZE, now);
    if (stream->stalled_at == 0) {
      stream->stalled_at = now;
      stream->stalled_bytes = 0;
    } else if (now - stream->stalled_at >= kPatienceNs) {
      if (stream->stalled_bytes < kPatienceBytes) {
        begin_gap(stream);
      } else {
        stream->stalled_at = now;
        stream->stalled_bytes = 0;
      }
    }
    stream->full = !stream->dropping;
    return 0;
  }
  stream->full = false;
  struct iovec parts[2];
  const int count = ring_parts(ring, ring->tail, room, parts);
  const long n = SYS(readv, stream->fd, parts, count);
  if (n == 0) close_pipe(stream);
  if (n <= 0) return n;
  ring->tail += (uint32_t)n;
  stream->stalled_bytes += (uint64_t)n;
  *published |= publish(stream, (uint32_t)n, now);
  return n;
}

/* Reads once from the pipe and drops the bytes. If at most half of the ring is used, drops only the
   bytes up to the next line end, and then ends the gap. */
static long read_and_drop(struct log_stream* stream, int64_t now, bool* published) {
  char scratch[8192];
  const long n = SYS(read, stream->fd, scratch, sizeof scratch);
  if (n == 0) close_pipe(stream);
  if (n <= 0) return n;
  const bool resume = ring_used(stream->ring) <= RING_SIZE / 2;
  for (long at = 0; at < n;) {
    const char* end = memchr(scratch + at, '\n', (size_t)(n - at));
    const long next = end ? end - scratch + 1 : n;
    stream->gap_bytes += (uint64_t)(next - at);
    at = next;
    stream->drop_mid_line = end == NULL;
    if (!end) break;
    stream->gap_lines++;
    if (!resume) continue;
    end_gap(stream);
    *published = true;
    ring_put(stream->ring, scratch + at, (uint32_t)(n - at));
    if (n > at) publish(stream, (uint32_t)(n - at), now);
    break;
  }
  return n;
}

bool log_stream_read(struct log_stream* stream, int64_t now) {
  bool published = false;
  for (int turn = 0; turn < kReadsPerTurn && stream->fd >= 0; turn++) {
    const bool was_dropping = stream->dropping;
    const long n = was_dropping ? read_and_drop(stream, now, &published)
                                : read_into_ring(stream, now, &published);
    if (n > 0) continue;
    if (n == 0) {
      /* A gap has just begun, so the next turn of this loop reads bytes and drops them. */
      if (stream->dropping != was_dropping) continue;
      break;
    }
    if (n == -EINTR) continue;
    if (n == -EAGAIN) {
      stream->stalled_at = 0; /* the pipe is empty, so the task does not wait */
    } else {
      close_pipe(stream);
    }
    break;
  }
  return published;
}

bool log_stream_tick(struct log_stream* stream, int64_t now) {
  bool published = false;
  if (stream->piece_at != 0 && now - stream->piece_at >= kPieceNs &&
      ring_used(stream->ring) != ring_tentative(stream->ring)) {
    /* The log writer has not yet written the bytes that were published before. So the unfinished
       line would not reach the file earlier if it were published now. As long as it is unpublished,
       it can still be dropped as a whole. */
    stream->piece_at = now;
  } else if (stream->piece_at != 0 && now - stream->piece_at >= kPieceNs) {
    ring_publish(stream->ring, 0);
    stream->mid_line = true;
    stream->piece_at = 0;
    published = true;
  }
  if (stream->dropping && !stream->drop_mid_line && ring_used(stream->ring) <= RING_SIZE / 2) {
    end_gap(stream);
    published = true;
  }
  if (stream->full && stream->fd >= 0) published |= log_stream_read(stream, now);
  return published;
}

int64_t log_stream_deadline(const struct log_stream* stream) {
  int64_t at = INT64_MAX;
  if (stream->piece_at != 0) at = stream->piece_at + kPieceNs;
  if (stream->full && stream->stalled_at != 0 && stream->stalled_at + kPatienceNs < at)
    at = stream->stalled_at + kPatienceNs;
  return at;
}

void log_stream_finish(struct log_stream* stream) {
  if (stream->fd >= 0) close_pipe(stream);
  ring_publish(stream->ring, 0);
  stream->piece_at = 0;
  if (!stream->dropping) return;
  if (stream->drop_mid_line) stream->gap_lines++; /* counts the last line, which has no line end */
  if (ring_free(stream->ring) >= kGapLineMax) {
    end_gap(stream);
  } else {
    stream->dropped_lines += stream->gap_lines;
    stream->dropped_bytes += stream->gap_bytes;
  }
}
