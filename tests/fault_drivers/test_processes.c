/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The test driver with processes (USES_PROCESSES). Its waits and its sessions are services of the
 * host, and both have the task as their context, as the header permits. It ends the process when
 * the host calls a function of it after its shutdown, or still owes it a call then. */
#include <stdatomic.h>

#include "test_driver.h"

#ifdef USES_PROCESSES

static const drover_process* process;
static atomic_int owed, gone;

static void look(void) {
  if (!atomic_load(&gone)) return;
  fprintf(stderr, "the instance has gone\n");
  abort();
}

void find_processes(const drover_host* host) {
  drover_str id = TEXT(DROVER_PROCESS_ID);
  process = host->get_extension(host, id);
}

void timer_came(void) { look(); }

void no_more(void) {
  if (atomic_load(&owed) != 0) abort();
  atomic_store(&gone, 1);
  usleep(400000); /* so that late calls come in here */
}

static void pass(task* t, uint64_t id, const drover_error* error, const void* result) {
  look();
  atomic_fetch_sub(&owed, 1);
  t->owner->host->complete(t->owner->host, id, error, result);
}

static void waited(void* context, const drover_error* error, const void* result) {
  task* t = context;
  pass(t, t->waits[0], error, result);
}

static void executed(void* context, const drover_error* error, const void* result) {
  task* t = context;
  pass(t, t->session, error, result);
}

int32_t wait_for_process(task* t, const drover_call* call, drover_error* error) {
  const drover_process_none_args none = {sizeof none, 0};
  t->waits[0] = call->id;
  atomic_fetch_add(&owed, 1);
  return process->wait(t->owner->host, &t->run, &none, waited, t, error);
}

static int32_t exec_beside(drover_instance* self, const drover_call* call,
                           const drover_exec_args* args, drover_error* error) {
  task* t = find(self, &call->run_id);
  if (!t) return fail(error, DROVER_E_NOT_FOUND, "no such task");
  t->session = call->id;
  atomic_fetch_add(&owed, 1);
  return process->exec(self->host, &t->run, args, executed, t, error);
}

static int32_t resize(drover_instance* self, uint64_t session, int32_t width, int32_t height,
                      drover_error* error) {
  (void)self, (void)session, (void)width, (void)height;
  return fail(error, DROVER_E_UNIMPLEMENTED, "it has no terminals");
}

const drover_task_exec the_exec = {sizeof(drover_task_exec), 0, exec_beside, resize};

int end_session(drover_instance* self, uint64_t id) {
  for (int i = 0; i < MAX_TASKS; ++i) {
    task* t = &self->tasks[i];
    if (!t->used || t->session != id) continue;
    process->exec_end(self->host, t);
    return 1;
  }
  return 0;
}

#endif
