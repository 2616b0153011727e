/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/sys.h"

enum { kNameMax = 288, kShortPiece = 16 << 10, kLongPieceRoom = 1 << 20 };
/* The highest index of a log file. A file with a higher index is not treated as a log file: the
   task may have made it, since tasks may make files in the same directory. */
#define MAX_INDEX 999999999u

void log_file_init(struct log_file* file, int directory, const char* task, const char* stream,
                   uint32_t max_files, uint64_t max_size) {
  *file = (struct log_file){.directory = directory,
                            .task = task,
                            .stream = stream,
                            .max_files = max_files > 0 ? max_files : 1,
                            .max_size = max_size > 0 ? max_size : 1,
                            .fd = -1};
}

void log_file_close(struct log_file* file) {
  if (file->fd >= 0) SYS(close, file->fd);
  file->fd = -1;
}

/* Writes "<task>.<stream>." to OUT. Returns the length of that text, or 0 if the text is too
   long. */
static size_t prefix(const struct log_file* file, char* out) {
  const size_t task = strlen(file->task), stream = strlen(file->stream);
  if (task + stream > kNameMax - 16) return 0;
  memcpy(out, file->task, task);
  out[task] = '.';
  memcpy(out + task + 1, file->stream, stream);
  out[task + 1 + stream] = '.';
  out[task + 2 + stream] = 0;
  return task + 2 + stream;
}

static bool name_of(const struct log_file* file, uint64_t index, char* out) {
  size_t length = prefix(file, out);
  if (length == 0) return false;
  length += sys_decimal(index, out + length);
  out[length] = 0;
  return true;
}

/* If NAME is START followed by the index of a log file, sets INDEX to that index and returns true.
   START is the common beginning of the names of the stream's log files. */
static bool index_of(const char* name, const char* start, size_t start_length, uint64_t* index) {
  if (strncmp(name, start, start_length) != 0) return false;
  const char* digit = name + start_length;
  if (*digit == 0 || (digit[0] == '0' && digit[1] != 0)) return false;
  uint64_t value = 0;
  for (; *digit; digit++) {
    if (*digit < '0' || *digit > '9') return false;
    value = value * 10 + (uint64_t)(*digit - '0');
    if (value > MAX_INDEX) return false;
  }
  *index = value;
  return true;
}

/* Lists the stream's log files. If HIGHEST is not NULL, sets HIGHEST to the highest index and
   returns 1, or returns 0 if there is no log file. If HIGHEST is NULL, removes the log files with
   an index below KEEP_FROM and returns 0. Returns a negative errno on failure. */
static int scan(struct log_file* file, uint64_t* highest, uint64_t keep_from) {
  char start[kNameMax];
  const size_t start_length = prefix(file, start);
  if (start_length == 0) return -ENAMETOOLONG;
  const int directory = (int)sys_open(file->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return directory;
  _Alignas(8) char buffer[4096];
  int found = 0;
  long n;
  while ((n = SYS(getdents64, directory, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < n;) {
      const struct sys_entry* entry = (const struct sys_entry*)(buffer + at);
      at += entry->length;
      uint64_t index;
      if (!index_of(entry->name, start, start_length, &index)) continue;
      if (highest) {
        if (!found || index > *highest) *highest = index;
        found = 1;
      } else if (index < keep_from) {
        SYS(unlinkat, file->directory, entry->name, 0);
      }
    }
  }
  const int error = n < 0 ? (int)n : found;
  SYS(close, directory);
  return error;
}

/* Makes a new log file with the first free index from INDEX on. */
static int create(struct log_file* file, uint64_t index) {
  char name[kNameMax];
  for (int tries = 0; tries < 64; tries++, index++) {
    if (!name_of(file, index, name)) return -ENAMETOOLONG;
    const int fd =
        (int)sys_open(file->directory, name,
                      O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    /* The file exists, so another process made it, and the shim must not write to it. */
    if (fd == -EEXIST) continue;
    if (fd < 0) return fd;
    log_file_close(file);
    file->fd = fd;
    file->index = index;
    file->size = 0;
    if (index >= file->max_files) {
      const uint64_t keep_from = index - file->max_files + 1;
      /* Usually only the file with the index KEEP_FROM - 1 must be removed. */
      if (name_of(file, keep_from - 1, name) && SYS(unlinkat, file->directory, name, 0) != 0)
        scan(file, NULL, keep_from);
    }
    return 0;
  }
  return -EEXIST;
}

/* Opens the log file with the highest index to append to it. If that file has another owner, has
   more than one hard link or is not a regular file, makes a new file. */
static int open_first(struct log_file* file) {
  uint64_t highest = 0;
  const int found = scan(file, &highest, 0);
  if (found < 0) return found;
  if (!found) return create(file, 0);
  char name[kNameMax];
  name_of(file, highest, name);
  const int fd = (int)sys_open(file->directory, name,
                               O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat status;
  if (fd < 0 || SYS(fstat, fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
      status.st_uid != (uid_t)SYS(geteuid)) {
    if (fd >= 0) SYS(close, fd);
    return create(file, highest + 1);
  }
  file->fd = fd;
  file->index = highest;
  file->size = (uint64_t)status.st_size;
  if (highest >= file->max_files) scan(file, NULL, highest - file->max_files + 1);
  return 0;
}

static char byte_at(const struct iovec data[2], uint64_t at) {
  return at < data[0].iov_len ? ((const char*)data[0].iov_base)[at]
                              : ((const char*)data[1].iov_base)[at - data[0].iov_len];
}

uint64_t log_file_lines_end(const struct iovec data[2], uint64_t count) {
  const uint64_t first = count < data[0].iov_len ? count : data[0].iov_len;
  const char* found = NULL;
  if (count > first) found = memrchr(data[1].iov_base, '\n', count - first);
  if (found) return first + (uint64_t)(found - (const char*)data[1].iov_base) + 1;
  found = first > 0 ? memrchr(data[0].iov_base, '\n', first) : NULL;
  return found ? (uint64_t)(found - (const char*)data[0].iov_base) + 1 : 0;
}

/* Returns the offset of the byte after the first line end in DATA, or 0 if DATA has no line end. */
static uint64_t first_line_end(const struct iovec data[2]) {
  const char* found = data[0].iov_len > 0 ? memchr(data[0].iov_base, '\n', data[0].iov_len) : NULL;
  if (found) return (uint64_t)(found - (const char*)data[0].iov_base) + 1;
  found = data[1].iov_len > 0 ? memchr(data[1].iov_base, '\n', data[1].iov_len) : NULL;
  return found ? data[0].iov_len + (uint64_t)(found - (const char*)data[1].iov_base) + 1 : 0;
}

/* Returns how many bytes of DATA must be written to the open file. Returns 0 if DATA must start in
   a new file. */
static uint64_t share(const struct log_file* file, const struct iovec data[2]) {
  const uint64_t total = data[0].iov_len + data[1].iov_len;
  const uint64_t room = file->size < file->max_size ? file->max_size - file->size : 0;
  if (room == 0) return 0;
  const uint64_t whole = log_file_lines_end(data, total < room ? total : room);
  if (total > room) {
    if (whole > 0) return whole;
    if (file->mid_line) return room;
    const uint64_t line = first_line_end(data);
    const uint64_t length = line > 0 ? line : total;
    return length > file->max_size ? room : 0;
  }
  const uint64_t piece = total - whole; /* length of the last line, which has no line end yet */
  if (piece == 0 || (whole == 0 && file->mid_line)) return total;
  uint64_t reserve = piece < kShortPiece ? kShortPiece : kLongPieceRoom;
  if (reserve > file->max_size) reserve = file->max_size;
  if (room - whole >= reserve || (whole == 0 && file->size == 0)) return total;
  return whole;
}

long log_file_write(struct log_file* file, const struct iovec data[2]) {
  if (file->fd < 0) {
    const int error = open_first(file);
    if (error < 0) return error;
  }
  uint64_t count = share(file, data);
  if (count == 0) {
    const int error = create(file, file->index + 1);
    if (error < 0) return error;
    count = share(file, data);
  }
  struct iovec parts[2] = {data[0], data[1]};
  if (count <= parts[0].iov_len) {
    parts[0].iov_len = count;
    parts[1].iov_len = 0;
  } else {
    parts[1].iov_len = count - parts[0].iov_len;
  }
  const long n = SYS(writev, file->fd, parts, parts[1].iov_len > 0 ? 2 : 1);
  if (n < 0) return n;
  if (n == 0) return -EIO;
  file->size += (uint64_t)n;
  file->mid_line = byte_at(data, (uint64_t)n - 1) != '\n';
  return n;
}
