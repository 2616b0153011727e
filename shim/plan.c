/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "shim/mounts.h"
#include "shim/sys.h"

/* The start message. It exists as long as the shim, because exec sessions need the steps in it. */
static _Alignas(8) char message[DROVER_ATTACH_MAX];

struct drover_step* plan_next(const struct plan* plan, const struct drover_step* at) {
  const char* end = plan->steps + plan->start.steps_size;
  const char* next = at ? (const char*)at + at->size : plan->steps;
  return next < end ? (struct drover_step*)next : NULL;
}

char** plan_argv(const struct drover_step_exec* exec) { return (char**)(exec + 1); }

char** plan_envp(const struct drover_step_exec* exec) { return plan_argv(exec) + exec->argc + 1; }

const char* plan_program(const struct drover_step_exec* exec) {
  return (const char*)(plan_envp(exec) + exec->envc + 1);
}

const struct drover_step* plan_find(const struct plan* plan, uint16_t kind, int32_t* index) {
  int32_t at = 0;
  for (const struct drover_step* step = plan_next(plan, NULL); step;
       step = plan_next(plan, step), at++) {
    if (step->kind != kind) continue;
    if (index) *index = at;
    return step;
  }
  return NULL;
}

const char* plan_after_strings(const char* text, const char* limit, uint32_t count) {
  for (; count > 0; count--) {
    const char* end = text < limit ? memchr(text, 0, (size_t)(limit - text)) : NULL;
    if (!end) return NULL;
    text = end + 1;
  }
  return text;
}

/* Sets the COUNT elements of OUT to the strings at TEXT, and adds a NULL. Returns the byte after
   the strings, or NULL if they do not end before LIMIT. */
static char* point_to_strings(char** out, uint32_t count, char* text, const char* limit) {
  for (uint32_t i = 0; i < count && text; i++) {
    out[i] = text;
    text = (char*)plan_after_strings(text, limit, 1);
  }
  out[count] = NULL;
  return text;
}

static bool set_pointers(struct drover_step_exec* exec) {
  if (exec->argc == 0 || exec->argc > DROVER_PLAN_MAX_STRINGS ||
      exec->envc > DROVER_PLAN_MAX_STRINGS)
    return false;
  const uint64_t fixed = sizeof *exec + (exec->argc + exec->envc + 2ull) * sizeof(uint64_t);
  if (fixed >= exec->step.size) return false;
  const char* limit = (const char*)exec + exec->step.size;
  char* text = (char*)plan_after_strings(plan_program(exec), limit, 1);
  text = point_to_strings(plan_argv(exec), exec->argc, text, limit);
  return point_to_strings(plan_envp(exec), exec->envc, text, limit) != NULL;
}

static bool check_step(const struct plan* plan, struct drover_step* step) {
  const uint32_t size = step->size;
  switch (step->kind) {
    case DROVER_STEP_SETSID:
    case DROVER_STEP_NO_NEW_PRIVS:
    case DROVER_STEP_PDEATHSIG:
    case DROVER_STEP_KEYRING:
    case DROVER_STEP_ENTER:
    case DROVER_STEP_CLOSE:
      return true;
    case DROVER_STEP_NAMESPACES:
      return size >= sizeof(struct drover_step_number);
    case DROVER_STEP_CGROUP:
    case DROVER_STEP_JOIN:
    case DROVER_STEP_NETWORK:
    case DROVER_STEP_CLEAN_MOUNTS:
      return size >= sizeof(struct drover_step_number) && plan_step_fd(plan, step) >= 0;
    case DROVER_STEP_OOM_SCORE_ADJ:
    case DROVER_STEP_UMASK:
      return size >= sizeof(struct drover_step_number);
    case DROVER_STEP_RLIMIT:
      return size >= sizeof(struct drover_step_rlimit);
    case DROVER_STEP_DESCRIPTORS: {
      const struct drover_step_descriptors* give = (const struct drover_step_descriptors*)step;
      if (size < sizeof *give || give->count > DROVER_PLAN_MAX_GIVEN ||
          size < sizeof *give + give->count * sizeof(int32_t) ||
          step->flags != DROVER_STEP_FOR_TASK)
        return false;
      for (int i = 0; i < 3; i++)
        if (give->standard[i] != -1 && plan_fd(plan, give->standard[i]) < 0) return false;
      const int32_t* given = (const int32_t*)(give + 1);
      for (uint32_t i = 0; i < give->count; i++)
        if (plan_fd(plan, given[i]) < 0) return false;
      return true;
    }
    case DROVER_STEP_IDS: {
      const struct drover_step_ids* ids = (const struct drover_step_ids*)step;
      return size >= sizeof *ids && ids->group_count <= DROVER_PLAN_MAX_GROUPS &&
             size >= sizeof *ids + ids->group_count * sizeof(uint32_t);
    }
    case DROVER_STEP_BOUNDING:
    case DROVER_STEP_CAPABILITIES:
      return size >= sizeof(struct drover_step_capabilities);
    case DROVER_STEP_SECCOMP: {
      const struct drover_step_filter* filter = (const struct drover_step_filter*)step;
      return size >= sizeof *filter && filter->count > 0 &&
             filter->count <= DROVER_PLAN_MAX_FILTER &&
             size >= sizeof *filter + filter->count * sizeof(uint64_t);
    }
    case DROVER_STEP_CWD: {
      const struct drover_step_cwd* cwd = (const struct drover_step_cwd*)step;
      return size > sizeof *cwd && memchr(cwd + 1, 0, size - sizeof *cwd) != NULL;
    }
    case DROVER_STEP_HOSTNAME:
      return size > sizeof *step && memchr(step + 1, 0, size - sizeof *step) != NULL;
    case DROVER_STEP_EXEC:
      return size >= sizeof(struct drover_step_exec) &&
             set_pointers((struct drover_step_exec*)step);
    default:
      return mounts_check(plan, step);
  }
}

static bool fd_is_sound(const struct plan* plan, int32_t index) {
  return index == -1 || plan_fd(plan, index) >= 0;
}

int plan_check(struct plan* plan) {
  const struct drover_start* start = &plan->start;
  const bool process = !(start->flags & DROVER_START_NO_PROCESS);
  if (start->version != DROVER_PLAN_VERSION || start->steps_size > DROVER_PLAN_MAX_SIZE ||
      start->steps_size % 8 != 0 || start->step_count > DROVER_PLAN_MAX_STEPS)
    return EPROTO;
  if (!memchr(start->log_name, 0, sizeof start->log_name) || strchr(start->log_name, '/'))
    return EINVAL;
  const int32_t fds[] = {start->run_dir_fd,       start->log_dir_fd, start->cgroup_fd,
                         start->memory_events_fd, start->stdout_fd,  start->stderr_fd};
  for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++)
    if (!fd_is_sound(plan, fds[i])) return EINVAL;
  if (start->run_dir_fd < 0) return EINVAL;
  if ((start->flags & DROVER_START_LOGS) && (start->log_dir_fd < 0 || !start->log_name[0]))
    return EINVAL;
  if (!process && (start->stdout_fd < 0 || start->stderr_fd < 0)) return EINVAL;
  if ((start->flags & DROVER_START_BOUND) && (start->kill_signal < 1 || start->kill_signal > 64))
    return EINVAL;

  uint32_t left = start->steps_size, count = 0;
  /* The flags DROVER_STEP_FOR_... of all steps DROVER_STEP_CLOSE that were checked so far. */
  uint16_t closed = 0;
  bool executes = false;
  for (char* at = plan->steps; left > 0; count++) {
    struct drover_step* step = (struct drover_step*)at;
    if (executes || count == start->step_count || left < sizeof *step ||
        step->size < sizeof *step || step->size % 8 != 0 || step->size > left)
      return EPROTO;
    if (step->kind == DROVER_STEP_CGROUP && count != 0) return EPROTO;
    if (!check_step(plan, step)) return EPROTO;
    /* Before a step DROVER_STEP_CLOSE has run, the task's path could lead through /proc/self/fd to
       any open file descriptor. */
    const bool follows = step->kind == DROVER_STEP_CWD || step->kind == DROVER_STEP_EXEC;
    if (follows && (step->flags & ~closed)) return EPROTO;
    if (step->kind == DROVER_STEP_CLOSE) closed |= step->flags;
    executes = step->kind == DROVER_STEP_EXEC;
    at += step->size;
    left -= step->size;
  }
  return count == start->step_count && executes == process ? 0 : EPROTO;
}

static int take_fds(struct plan* plan, struct msghdr* header) {
  for (struct cmsghdr* c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    plan->fd_count = (uint32_t)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(plan->fds, CMSG_DATA(c), plan->fd_count * sizeof(int));
  }
  return header->msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? EMSGSIZE : 0;
}

int plan_receive(int connection, struct plan* plan) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof plan->fds)];
  struct iovec part = {.iov_base = message, .iov_len = sizeof message};
  struct msghdr header = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  long n;
  do {
    n = SYS(recvmsg, connection, &header, MSG_CMSG_CLOEXEC);
  } while (n == -EINTR);
  if (n < 0) return (int)-n;
  if (n == 0) return ECONNRESET;
  const int error = take_fds(plan, &header);
  if (error) return error;
  if ((size_t)n < sizeof plan->start) return EPROTO;
  memcpy(&plan->start, message, sizeof plan->start);
  const struct drover_start* start = &plan->start;
  if (start->header.type != DROVER_START || start->header.size != (size_t)n ||
      start->steps_size > DROVER_PLAN_MAX_SIZE)
    return EPROTO;
  if (start->plan_fd == -1) {
    if (start->steps_size != (size_t)n - sizeof *start) return EPROTO;
    plan->steps = message + sizeof *start;
    _Static_assert(sizeof(struct drover_start) % 8 == 0, "steps must be aligned");
    return plan_check(plan);
  }
  const int file = plan_fd(plan, start->plan_fd);
  if (file < 0 || start->steps_size == 0 || SYS(lseek, file, 0, SEEK_END) < (long)start->steps_size)
    return EPROTO;
  const long steps =
      SYS(mmap, NULL, start->steps_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (steps < 0) return (int)-steps;
  plan->steps = (char*)steps;
  return plan_check(plan);
}
