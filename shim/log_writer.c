/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/log_writer.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>

#include "shim/log_file.h"
#include "shim/sys.h"

enum { kRetryMs = 250, kRetryFinishingMs = 50 };

static struct {
  const struct log_writer_config* config;
  struct ring* rings;
  struct log_file files[2];
  bool started;
  int event;             /* eventfd by which the writer wakes the control thread */
  _Atomic uint32_t work; /* futex word that counts the calls of log_writer_wake */
  atomic_bool sleeping;
  atomic_bool want_room;
  atomic_bool finish;
  atomic_bool finished;
  _Atomic uint64_t written[2];
  _Atomic int error[2];
} writer = {.event = -1};

/* The stack of the writer thread. The thread uses one or two pages of its stack; the kernel never
   allocates the other pages. */
static _Alignas(64) char stack[64 << 10];

static void notify(void) {
  const uint64_t one = 1;
  /* The write fails only if the eventfd is readable already. */
  SYS(write, writer.event, &one, sizeof one);
}

static void sleep_until_work(uint32_t seen, int milliseconds) {
  const struct timespec limit = {.tv_sec = milliseconds / 1000,
                                 .tv_nsec = milliseconds % 1000 * 1000000l};
  SYS(futex, &writer.work, FUTEX_WAIT_PRIVATE, seen, milliseconds < 0 ? NULL : &limit, NULL, 0);
}

/* Writes the bytes of ring I to its files until the ring is empty. Returns false if a write
   fails. */
static bool write_ring(int i) {
  struct ring* ring = &writer.rings[i];
  struct iovec parts[2];
  while (ring_peek(ring, parts) > 0) {
    const long n = log_file_write(&writer.files[i], parts);
    atomic_store(&writer.error[i], sys_error(n));
    if (n < 0) return false;
    ring_take(ring, (uint32_t)n);
    atomic_fetch_add(&writer.written[i], (uint64_t)n);
    if (atomic_load(&writer.want_room) && atomic_exchange(&writer.want_room, false)) notify();
  }
  return true;
}

static bool is_empty(void) {
  struct iovec parts[2];
  return ring_peek(&writer.rings[0], parts) == 0 && ring_peek(&writer.rings[1], parts) == 0;
}

static void run(void* unused) {
  (void)unused;
  for (;;) {
    const uint32_t seen = atomic_load(&writer.work);
    const bool finish = atomic_load(&writer.finish);
    const bool first = write_ring(0), second = write_ring(1);
    if (first && second) {
      if (finish && is_empty()) break;
      atomic_store(&writer.sleeping, true);
      if (is_empty() && !atomic_load(&writer.finish)) sleep_until_work(seen, -1);
      atomic_store(&writer.sleeping, false);
    } else {
      /* The write failed, for example because the disk is full. The thread waits and then tries the
         write again; the wait is shorter when the run has ended. */
      sleep_until_work(atomic_load(&writer.work), finish ? kRetryFinishingMs : kRetryMs);
    }
  }
  log_file_close(&writer.files[0]);
  log_file_close(&writer.files[1]);
  atomic_store(&writer.finished, true);
  notify();
  for (;;) SYS(exit, 0); /* ends only this thread */
}

void log_writer_init(const struct log_writer_config* config, struct ring rings[2]) {
  writer.config = config;
  writer.rings = rings;
}

static void start(void) {
  const struct log_writer_config* config = writer.config;
  for (int i = 0; i < 2; i++)
    log_file_init(&writer.files[i], config->directory, config->task, i == 0 ? "stdout" : "stderr",
                  config->max_files, config->max_file_size);
  if (writer.event < 0) writer.event = (int)SYS(eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);
  /* The thread may fail to start, for lack of memory or because of a pids limit. Then the rings
     fill, and lines are dropped until a later call of log_writer_wake can start the thread. */
  writer.started = writer.event >= 0 && sys_start_thread(run, stack + sizeof stack) > 0;
}

void log_writer_wake(void) {
  if (!writer.started) {
    start();
    return;
  }
  atomic_fetch_add(&writer.work, 1);
  if (atomic_load(&writer.sleeping)) SYS(futex, &writer.work, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int log_writer_fd(void) { return writer.event; }

void log_writer_want_room(void) { atomic_store(&writer.want_room, true); }

void log_writer_clear(void) {
  uint64_t count;
  SYS(read, writer.event, &count, sizeof count);
}

void log_writer_finish(void) {
  atomic_store(&writer.finish, true);
  if (!writer.started) {
    if (is_empty()) {
      atomic_store(&writer.finished, true);
      return;
    }
    start();
    return;
  }
  atomic_fetch_add(&writer.work, 1);
  SYS(futex, &writer.work, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool log_writer_finished(void) { return atomic_load(&writer.finished); }

uint64_t log_writer_written(int stream) { return atomic_load(&writer.written[stream]); }

int log_writer_error(int stream) { return atomic_load(&writer.error[stream]); }
