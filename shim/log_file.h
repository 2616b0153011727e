/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The rotated log files of one output stream, `<task>.stdout.N` or `<task>.stderr.N`. N begins at
 * 0, or at the highest N that exists, and counts up. A file never exceeds the maximum size. A line
 * that fits into one file is never split: if the open file has no room for it, the line goes to the
 * next file. A line longer than a file fills each file to its end.
 *
 * A line that arrives in pieces should not be split either, but its length is unknown at first. So
 * its first piece goes into the open file only if that file has room to spare for the rest: at
 * least 16 KiB in all, or 1 MiB if the first piece already has 16 KiB or more.
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
  int directory; /* file descriptor of the log directory; the caller keeps it open */
  const char* task;
  const char* stream; /* "stdout" or "stderr" */
  uint32_t max_files;
  uint64_t max_size;

  int fd; /* -1 if no file is open yet */
  uint64_t index;
  uint64_t size;
  bool mid_line; /* true if the last byte written is not a line end */
};

void log_file_init(struct log_file* file, int directory, const char* task, const char* stream,
                   uint32_t max_files, uint64_t max_size);

/*
 * Writes the first bytes of DATA, as many as fit into one file. Opens and rotates files as needed.
 * DATA is an array of two buffers, and the second may be empty. Returns the number of bytes
 * written, which is more than 0, or a negative errno. The caller must call this function again for
 * the remaining bytes.
 */
long log_file_write(struct log_file* file, const struct iovec data[2]);

void log_file_close(struct log_file* file);

/* Returns the offset of the byte after the last line end in the first COUNT bytes of DATA, or 0 if
   they have no line end. */
uint64_t log_file_lines_end(const struct iovec data[2], uint64_t count);

#ifdef __cplusplus
}
#endif

#endif /* DROVER_SHIM_LOG_FILE_H_ */
