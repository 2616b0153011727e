/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The rotated files of one stream: `<task>.stdout.N`. N counts up from 0, or from the highest file
 * that exists. A file never exceeds the maximum size. A line that fits into one file is never
 * split: it goes whole to the next file. A longer line fills files to their end. If a line arrives
 * in pieces its length is not known: the first piece then needs room for 16 KiB, or for 1 MiB if
 * the piece has 16 KiB or more.
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
  bool mid_line; /* the last byte written does not end a line */
};

void log_file_init(struct log_file* file, int directory, const char* task, const char* stream,
                   uint32_t max_files, uint64_t max_size);

/*
 * Writes the beginning of DATA (two parts, the second may be empty). Returns the number of bytes
 * written, more than 0, or a negative errno. Opens and rotates files as needed. Call it again for
 * the remaining bytes.
 */
long log_file_write(struct log_file* file, const struct iovec data[2]);

void log_file_close(struct log_file* file);

/* The offset after the last line end within the first COUNT bytes of DATA; 0: there is none. */
uint64_t log_file_lines_end(const struct iovec data[2], uint64_t count);

#ifdef __cplusplus
}
#endif

#endif /* DROVER_SHIM_LOG_FILE_H_ */
