/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The rotated files of one stream: `<task>.stdout.N`, N counting up from 0, or from the highest
 * that is there. A file never exceeds the maximum size. A line that fits into one file is never
 * split: it is moved whole to the next. (Of a line that arrives in pieces the end is not known; its
 * first piece is put where 16 KiB fit, a piece of 16 KiB or more where 1 MiB fits.) A longer line
 * fills files to their end.
 */
#ifndef DROVER_SHIM_LOG_FILE_H_
#define DROVER_SHIM_LOG_FILE_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct log_file {
  int directory; /* borrowed */
  const char* task;
  const char* stream; /* "stdout" or "stderr" */
  uint32_t max_files;
  uint64_t max_size;

  int fd; /* -1: not open yet */
  uint64_t index;
  uint64_t size;
  bool mid_line; /* what was written last does not end a line */
};

void log_file_init(struct log_file* file, int directory, const char* task, const char* stream,
                   uint32_t max_files, uint64_t max_size);

/*
 * Writes the beginning of DATA (two parts, the second may be empty) and returns how many bytes,
 * more than 0, or a negative errno. Opens and rotates as needed. Call it again for the rest.
 */
long log_file_write(struct log_file* file, const struct iovec data[2]);

void log_file_close(struct log_file* file);

#ifdef __cplusplus
}
#endif

#endif /* DROVER_SHIM_LOG_FILE_H_ */
