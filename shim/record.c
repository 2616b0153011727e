/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shim/sys.h"

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

int record_write(const struct drover_exit_record* record) {
  char final[32], temporary[32];
  memcpy(final, shim.name, 16);
  memcpy(final + 16, ".exit", 6);
  memcpy(temporary, shim.name, 16);
  memcpy(temporary + 16, ".tmp", 5);
  const int fd = (int)sys_open(AT_FDCWD, temporary,
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return -fd;
  long result = SYS(write, fd, record, sizeof *record);
  if (result >= 0) result = result == (long)sizeof *record ? 0 : -EIO;
  SYS(close, fd);
  if (result == 0) result = SYS(renameat2, AT_FDCWD, temporary, AT_FDCWD, final, 0);
  if (result != 0) SYS(unlinkat, AT_FDCWD, temporary, 0);
  return (int)-result;
}

static void remove_file(const char* suffix, size_t size) {
  char name[32];
  memcpy(name, shim.name, 16);
  memcpy(name + 16, suffix, size);
  SYS(unlinkat, AT_FDCWD, name, 0);
}

void record_remove(void) { remove_file(".exit", sizeof ".exit"); }

void record_remove_note(void) { remove_file(".cgroup", sizeof ".cgroup"); }
