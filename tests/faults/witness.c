/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that records its own life, so that a test need not trust the agent.
 *
 * Arguments: the directory, or "alloc" for that of the allocation, and then any of
 *   lives=MS  ends with code 0 after this time; otherwise it stays until it is asked to end
 *   fails=N   its first N starts end with code 1, after 100 ms
 *   stop=MS   takes this time to end when it is asked to
 *   deaf      ignores requests to end
 * The file ALLOCATION.TASK gets a line "start NONCE PID STARTTIME" at each start, "asked" when the
 * task is asked to end, and "end CODE" before it ends by itself. The process locks the file as long
 * as it lives. So the kernel reports the process as the holder of the lock, also to another pid
 * namespace. A second process writes "double". ALLOCATION.TASK.beat counts quarters of a second.
 * Nothing is synchronized to the disk: written bytes outlive any process, and no power is cut.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { kFailAfter = 100, kBeat = 250 };

static int story;

static void say(const char* line) {
  if (write(story, line, strlen(line)) < 0) _exit(4);
}

static void end(int code) {
  char line[32];
  snprintf(line, sizeof line, "end %d\n", code);
  say(line);
  _exit(code);
}

static long start_time(void) {
  char text[1024] = "";
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0) return 0;
  close(file);
  const char* at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 22; ++field) at = strchr(at + 1, ' ');
  return at == NULL ? 0 : atol(at + 1);
}

static long starts_before(void) {
  static char text[1 << 16];
  const ssize_t size = pread(story, text, sizeof text - 1, 0);
  long count = 0;
  for (const char* at = text; size > 0 && (at = strstr(at, "start ")) != NULL; ++at) ++count;
  return count;
}

static void count_beats(const char* path) {
  char name[4096];
  snprintf(name, sizeof name, "%s.beat", path);
  const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  static int64_t beats;
  if (file < 0) _exit(3);
  if (pread(file, &beats, sizeof beats, 0) < 0) _exit(3);
  ++beats;
  if (pwrite(file, &beats, sizeof beats, 0) != sizeof beats) _exit(4);
  close(file);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  long lives = -1, fails = 0, stop = 0;
  int deaf = 0;
  for (int i = 2; i < argc; ++i) {
    if (strncmp(argv[i], "lives=", 6) == 0) lives = atol(argv[i] + 6);
    if (strncmp(argv[i], "fails=", 6) == 0) fails = atol(argv[i] + 6);
    if (strncmp(argv[i], "stop=", 5) == 0) stop = atol(argv[i] + 5);
    if (strcmp(argv[i], "deaf") == 0) deaf = 1;
  }
  const char* directory = strcmp(argv[1], "alloc") == 0 ? getenv("NOMAD_ALLOC_DIR") : argv[1];
  sigset_t asks;
  sigemptyset(&asks);
  sigaddset(&asks, SIGINT);
  sigaddset(&asks, SIGTERM);
  sigprocmask(SIG_BLOCK, &asks, NULL);

  char path[4000], line[128];
  snprintf(path, sizeof path, "%s/%s.%s", directory, getenv("NOMAD_ALLOC_ID"),
           getenv("NOMAD_TASK_NAME"));
  story = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (story < 0) return 3;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(story, F_SETLK, &lock) != 0) {
    say("double\n");
    return 5;
  }
  const int is_to_fail = starts_before() < fails;
  uint64_t nonce = 0;
  if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) return 3;
  snprintf(line, sizeof line, "start %016llx %d %ld\n", (unsigned long long)nonce, getpid(),
           start_time());
  say(line);
  if (is_to_fail) lives = kFailAfter;
  for (long lived = 0; lives < 0 || lived < lives;) {
    count_beats(path);
    const long next = lives >= 0 && lives - lived < kBeat ? lives - lived : kBeat;
    const struct timespec beat = {.tv_nsec = next * 1000000};
    if (sigtimedwait(&asks, NULL, &beat) > 0 && !deaf) {
      say("asked\n");
      const struct timespec rest = {.tv_sec = stop / 1000, .tv_nsec = stop % 1000 * 1000000};
      nanosleep(&rest, NULL);
      end(0);
    }
    lived += next;
  }
  end(is_to_fail);
}
