/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shim/sys.h"

static int reserved_fd = -1;

uint32_t record_oom_kills(int memory_events) {
  if (memory_events < 0) return 0;
  char text[1024];
  const long n = SYS(pread64, memory_events, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* line = text;
  while (line && strncmp(line, "oom_kill ", 9) != 0) {
    line = strchr(line, '\n');
    if (line) line++;
  }
  uint32_t count = 0;
  for (line = line ? line + 9 : ""; *line >= '0' && *line <= '9'; line++)
    count = count * 10 + (uint32_t)(*line - '0');
  return count;
}

static int64_t microseconds(struct timeval time) { return time.tv_sec * 1000000 + time.tv_usec; }

void record_fill(struct drover_exit_record* record) {
  memset(record, 0, sizeof *record);
  const struct drover_start* start = &shim.plan.start;
  record->magic = DROVER_EXIT_MAGIC;
  record->version = DROVER_EXIT_VERSION;
  record->size = sizeof *record;
  record->flags = start->flags & DROVER_START_NO_PROCESS ? DROVER_EXIT_NO_PROCESS : 0;
  memcpy(record->run_id, start->run_id, sizeof record->run_id);
  memcpy(record->boot_id, start->boot_id, sizeof record->boot_id);
  record->wait_status = shim.wait_status;
  const uint32_t kills = record_oom_kills(plan_fd(&shim.plan, start->memory_events_fd));
  record->oom_kills = kills > shim.oom_kills_before ? kills - shim.oom_kills_before : 0;
  record->pid = shim.pid;
  record->shim_pid = (int32_t)SYS(getpid);
  record->started_at = shim.started_at;
  record->finished_at = shim.finished_at;
  record->started_boot = shim.started_boot;
  record->finished_boot = shim.finished_boot;
  record->user_us = microseconds(shim.usage.ru_utime);
  record->system_us = microseconds(shim.usage.ru_stime);
  record->max_rss_kib = (uint64_t)shim.usage.ru_maxrss;
  record->minor_faults = (uint64_t)shim.usage.ru_minflt;
  record->major_faults = (uint64_t)shim.usage.ru_majflt;
  record->in_blocks = (uint64_t)shim.usage.ru_inblock;
  record->out_blocks = (uint64_t)shim.usage.ru_oublock;
  record->voluntary_switches = (uint64_t)shim.usage.ru_nvcsw;
  record->involuntary_switches = (uint64_t)shim.usage.ru_nivcsw;
  for (int i = 0; i < 2; i++) {
    record->dropped_lines[i] = shim.streams[i].dropped_lines;
    record->dropped_bytes[i] = shim.streams[i].dropped_bytes;
  }
  record->checksum = drover_fnv1a(record, sizeof *record - sizeof record->checksum);
}

struct name {
  char text[32];
};

static struct name name_of(const char* suffix) {
  struct name name;
  memcpy(name.text, shim.name, 16);
  memcpy(name.text + 16, suffix, strlen(suffix) + 1);
  return name;
}

static void remove_file(const char* suffix) {
  const struct name name = name_of(suffix);
  SYS(unlinkat, AT_FDCWD, name.text, 0);
}

static int write_whole(int fd, const struct drover_exit_record* record) {
  const long result = SYS(pwrite64, fd, record, sizeof *record, 0);
  if (result < 0) return (int)-result;
  return result == (long)sizeof *record ? 0 : ENOSPC;
}

int record_reserve(void) {
  const struct name reserved = name_of(".tmp");
  const int fd = (int)sys_open(AT_FDCWD, reserved.text,
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return -fd;
  static const struct drover_exit_record empty;
  const int error = write_whole(fd, &empty);
  if (error) {
    SYS(close, fd);
    record_give_back();
  } else {
    reserved_fd = fd;
  }
  return error;
}

void record_give_back(void) { remove_file(".tmp"); }

int record_write(const struct drover_exit_record* record) {
  const int error = write_whole(reserved_fd, record);
  if (error) return error;
  const struct name reserved = name_of(".tmp"), final = name_of(".exit");
  return (int)-SYS(renameat2, AT_FDCWD, reserved.text, AT_FDCWD, final.text, 0);
}

void record_remove(void) { remove_file(".exit"); }

void record_remove_note(void) {
  remove_file(".named");
  remove_file(".cgroup");
}
