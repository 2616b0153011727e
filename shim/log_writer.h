/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The second thread of the shim, and the only one that touches a disk: it moves the bytes of both
 * rings into log files. It may hang in a frozen file system for ever, so every wait for it has
 * a limit. It starts with the first output. Only the control thread calls these functions.
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

/* Keeps CONFIG and the RINGS by reference. */
void log_writer_init(const struct log_writer_config* config, struct ring rings[2]);

/* Wakes the writer after something was published; starts it the first time. */
void log_writer_wake(void);

/*
 * A descriptor that becomes readable when the writer has finished, or has written something after
 * log_writer_want_room; -1: the writer has not started.
 */
int log_writer_fd(void);
void log_writer_want_room(void);
void log_writer_clear(void);

/* Asks the writer to write the remaining bytes and to end. */
void log_writer_finish(void);
bool log_writer_finished(void);

uint64_t log_writer_written(int stream);
int log_writer_error(int stream); /* errno of the last write, 0: it succeeded */

#endif /* DROVER_SHIM_LOG_WRITER_H_ */
