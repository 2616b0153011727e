/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Records which thread is inside of which function: see test_driver.h. */
#include "test_driver.h"

#ifdef CHECKS_TAGS
#include <sys/syscall.h>

static void check(int fine, const char* what) {
  if (fine) return;
  fprintf(stderr, "the host breaks a thread tag: %s\n", what);
  abort();
}
struct inside {
  void* owner; /* of [control]: the instance; of [task]: null */
  drover_run_id run;
  int used;
};
static inside all_inside[64];
static pthread_mutex_t inside_mutex = PTHREAD_MUTEX_INITIALIZER;

inside* enter(void* owner, const drover_run_id* run, const char* what) {
  inside* free_one = NULL;
  check_thread();
  pthread_mutex_lock(&inside_mutex);
  for (int i = 0; i < 64; ++i) {
    inside* other = &all_inside[i];
    if (!other->used) free_one = other;
    check(!other->used || other->owner != owner || (run && !same(&other->run, run)), what);
  }
  check(free_one != NULL, "more than 64 functions at a time");
  free_one->used = 1;
  free_one->owner = owner;
  if (run) free_one->run = *run;
  pthread_mutex_unlock(&inside_mutex);
  usleep(1000);
  return free_one;
}
void leave_inside(inside** mine) {
  pthread_mutex_lock(&inside_mutex);
  (*mine)->used = 0;
  pthread_mutex_unlock(&inside_mutex);
}

void check_thread(void) {
  check(syscall(SYS_gettid) != getpid(), "a function is called on the control thread");
}
#endif
