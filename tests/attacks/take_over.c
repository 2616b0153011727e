/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Takes control of another process. Arguments: the method, and the process's number or "parent". */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

static int trace(pid_t pid) {
  if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0) return held("ptrace");
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
  return succeeded("ptrace");
}

static int open_of(pid_t pid, const char* name, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return open(path, flags);
}

/* Writes back the bytes that it has read, so that the other process goes on. */
static int write_memory(pid_t pid) {
  char line[512], byte;
  const int maps = open_of(pid, "maps", O_RDONLY), memory = open_of(pid, "mem", O_RDWR);
  if (maps < 0 || memory < 0) return held("mem");
  FILE* const lines = fdopen(maps, "r");
  while (lines && fgets(line, sizeof line, lines)) {
    unsigned long start, end;
    char rights[8];
    if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3 || rights[1] != 'w') continue;
    if (pread(memory, &byte, 1, (off_t)start) == 1 && pwrite(memory, &byte, 1, (off_t)start) == 1)
      return succeeded(line);
  }
  return held("mem");
}

/* Each of them would show or give something that does not belong to the task. */
static int open_files(pid_t pid) {
  const char* const files[] = {"exe", "environ", "maps", "root/proc", "cwd/.", "fd/0"};
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
    if (open_of(pid, files[i], O_RDONLY) >= 0) return succeeded(files[i]);
  return held("files");
}

static int take_descriptor(pid_t pid) {
  const int process = (int)syscall(SYS_pidfd_open, pid, 0);
  if (process < 0) return held("pidfd_open");
  return syscall(SYS_pidfd_getfd, process, 0, 0) >= 0 ? succeeded("0") : held("pidfd_getfd");
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  pid_t pid = strcmp(argv[2], "parent") == 0 ? getppid() : atoi(argv[2]);
  if (pid == 0) pid = 1; /* the parent is outside of the namespace, whose first process is inside */
  if (strcmp(argv[1], "trace") == 0) return trace(pid);
  if (strcmp(argv[1], "memory") == 0) return write_memory(pid);
  if (strcmp(argv[1], "files") == 0) return open_files(pid);
  if (strcmp(argv[1], "descriptor") == 0) return take_descriptor(pid);
  return 2;
}
