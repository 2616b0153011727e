/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that uses memory, page by page. Arguments: a file, to which it writes the time
 * (CLOCK_REALTIME, nanoseconds) of the last page, and the most MiB. Then it sleeps. With a third
 * argument a child does all that, and the task succeeds when the child was killed.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096 };

static void use_memory(const char* path, size_t size) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, sizeof(int64_t)) != 0) _exit(2);
  volatile int64_t* const last =
      mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  char* const memory =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (last == MAP_FAILED || memory == MAP_FAILED) _exit(2);
  for (size_t at = 0; at < size; at += kPage) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *last = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    memory[at] = 1;
  }
  for (;;) pause();
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const size_t size = (size_t)atol(argv[2]) << 20;
  if (argc == 3) use_memory(argv[1], size);
  const pid_t child = fork();
  if (child == 0) use_memory(argv[1], size);
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 2;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 2;
}
