/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The log writer: the second thread of the shim, and the only thread that writes to a disk. It
 * moves the bytes of two rings (ring.h), for stdout and stderr, into log files. A frozen file
 * system may block this thread for ever, so every wait for the thread has a time limit. The thread
 * starts at the first output. Only the control thread may call the functions of this header.
 */
#ifndef DROVER_SHIM_LOG_WRITER_H_
#define DROVER_SHIM_LOG_WRITER_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/ring.h"

struct log_writer_config {
  int directory;
  const char* task;
  uint32_t max_files;
  uint64_t max_file_size;
};

/* Stores the pointers CONFIG and RINGS, so both objects must stay valid. */
void log_writer_init(const struct log_writer_config* config, struct ring rings[2]);

/* Must be called after bytes were published in a ring. Wakes the writer thread; the first call
   starts the thread. */
void log_writer_wake(void);

/*
 * Returns a file descriptor, or -1 if the writer has not started. The descriptor becomes readable
 * when the writer has finished, and when the writer has written something after a call of
 * log_writer_want_room.
 */
int log_writer_fd(void);
void log_writer_want_room(void);
void log_writer_clear(void);

/* Makes the writer write the remaining bytes and then exit. Returns before the writer has
   exited. */
void log_writer_finish(void);
bool log_writer_finished(void);

uint64_t log_writer_written(int stream);
int log_writer_error(int stream); /* errno of the last write, or 0 if it succeeded */

#endif /* DROVER_SHIM_LOG_WRITER_H_ */
