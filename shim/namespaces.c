/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "shim/mount_claims.h"
#include "shim/mounts.h"
#include "shim/privileges.h"
#include "shim/sys.h"

static pid_t holder; /* pid of the holder, or 0 if there is none */
/* Pidfd of the holder, by which its namespaces can be entered while it lives. */
static int holder_pidfd = -1;
static int own_pids = -1;      /* file descriptor of the shim's own pid namespace */
static uint64_t namespace_set; /* the CLONE_NEW... flags of the namespaces */

bool namespaces_wanted(const struct plan* plan) {
  return plan_find(plan, DROVER_STEP_NAMESPACES, NULL) != NULL;
}

/* Enters a copy of the mount namespace whose index is in STEP, a CLEAN_MOUNTS step. A copy of the
   shim's own mount namespace would contain every mount of the host. */
static int copy_clean_mounts(const struct plan* plan, const struct drover_step* step) {
  const int clean = plan_step_fd(plan, step);
  long result = SYS(setns, clean, CLONE_NEWNS);
  if (result == 0) result = SYS(unshare, CLONE_NEWNS);
  SYS(close, clean);
  return sys_error(result);
}

/* Without a UTS namespace of its own, this process would rename the machine. */
static int set_hostname(const struct drover_step* step) {
  const char* name = (const char*)(step + 1);
  return namespace_set & CLONE_NEWUTS ? sys_error(SYS(sethostname, name, strlen(name))) : EPROTO;
}

/* Reaps orphans until the shim kills this process. The process has no open file descriptor and no
   capability, and the task cannot inspect it. So the task gains nothing from the memory or the
   rights of this process. */
static _Noreturn void hold(void) {
  const uint64_t all = ~0ull;
  for (;;) {
    /* wait4 fails if this process has no child. A SIGCHLD that arrives before rt_sigtimedwait stays
       pending, so no child is missed. */
    if (SYS(wait4, -1, NULL, 0, NULL) < 0) SYS(rt_sigtimedwait, &all, NULL, NULL, sizeof all);
  }
}

static _Noreturn void run_holder(const struct plan* plan, int status) {
  struct step_failure failure = {.step = -1};
  const uint64_t all = ~0ull;
  SYS(rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
  SYS(prctl, PR_SET_NAME, "drover-init");
  SYS(umask, 0);
  failure.error = sys_error(SYS(prctl, PR_SET_PDEATHSIG, SIGKILL));
  /* If the shim exited before the call of prctl, the kernel does not kill this process. So this
     process must exit by itself. */
  struct pollfd shim = {.fd = status, .events = 0};
  if (SYS(ppoll, &shim, 1, &(struct timespec){0}, NULL, 0) > 0) sys_exit(1);
  if (!failure.error) failure.error = sys_error(SYS(setsid));
  for (const struct drover_step* step = plan_next(plan, NULL); step && !failure.error;
       step = plan_next(plan, step)) {
    failure.step++;
    failure.kind = step->kind;
    if (!(step->flags & DROVER_STEP_FOR_NAMESPACES)) continue;
    if (step->kind == DROVER_STEP_NAMESPACES) continue; /* clone3 has made the namespaces */
    if (step->kind == DROVER_STEP_CLEAN_MOUNTS)
      failure.error = copy_clean_mounts(plan, step);
    else if (step->kind == DROVER_STEP_NETWORK)
      failure.error = namespaces_enter_network(plan, step);
    else if (step->kind == DROVER_STEP_HOSTNAME)
      failure.error = set_hostname(step);
    else if (step->kind == DROVER_STEP_VERIFY)
      failure.error = mount_claims_verify(plan, &failure.step);
    else
      failure.error = mounts_run(plan, step);
  }
  if (!failure.error) {
    failure = (struct step_failure){.step = kNamespacesReady};
    static const struct drover_step_capabilities none;
    failure.error = privileges_bound(&none);
    if (!failure.error) failure.error = privileges_set(&none);
    if (!failure.error) failure.error = sys_error(SYS(prctl, PR_SET_NO_NEW_PRIVS, 1));
    if (!failure.error && status > 0) failure.error = sys_error(SYS(close_range, 0, status - 1, 0));
    if (!failure.error) failure.error = sys_error(SYS(close_range, status + 1, ~0u, 0));
    if (failure.error) failure.step = -1;
  }
  SYS(write, status, &failure, sizeof failure);
  if (failure.error) sys_exit(127);
  SYS(close, status);
  hold();
}

int namespaces_start(const struct plan* plan, struct child* child, struct step_failure* failure) {
  *failure = (struct step_failure){.step = -1, .kind = DROVER_STEP_NAMESPACES};
  int32_t index;
  const struct drover_step* step = plan_find(plan, DROVER_STEP_NAMESPACES, &index);
  namespace_set = (uint64_t)plan_number(step);
  /* Keeps the task from inspecting the holder. Later children of the shim inherit this setting.
     They need it, too, because the task could inspect them before they execute their program. */
  failure->error = sys_error(SYS(prctl, PR_SET_DUMPABLE, 0));
  int status[2] = {-1, -1};
  if (!failure->error) failure->error = sys_error(SYS(pipe2, status, O_CLOEXEC));
  if (!failure->error && namespace_set & CLONE_NEWPID) {
    own_pids = (int)sys_open(AT_FDCWD, "/proc/self/ns/pid", O_RDONLY | O_CLOEXEC, 0);
    if (own_pids < 0) failure->error = -own_pids;
  }
  if (failure->error) return failure->error;
  const struct drover_step* clean = plan_find(plan, DROVER_STEP_CLEAN_MOUNTS, NULL);
  const uint64_t later = clean && clean->flags & DROVER_STEP_FOR_NAMESPACES ? CLONE_NEWNS : 0;
  struct clone_args args = {.flags = (namespace_set & ~later) | CLONE_PIDFD,
                            .pidfd = (uint64_t)(uintptr_t)&holder_pidfd,
                            .exit_signal = SIGCHLD};
  /* The holder stays in the shim's cgroups, so the holder's memory is not charged to the task. */
  const long pid = SYS(clone3, &args, sizeof args);
  if (pid == 0) {
    SYS(close, status[0]);
    run_holder(plan, status[1]);
  }
  SYS(close, status[1]);
  if (pid < 0) {
    SYS(close, status[0]);
    failure->step = index;
    return failure->error = (int)-pid;
  }
  holder = (pid_t)pid;
  *child = (struct child){.pid = holder, .status = status[0]};
  return 0;
}

int namespaces_place_children(bool inside) {
  if (holder_pidfd < 0 || own_pids < 0) return 0;
  return sys_error(SYS(setns, inside ? holder_pidfd : own_pids, CLONE_NEWPID));
}

int namespaces_enter(void) {
  return sys_error(SYS(setns, holder_pidfd, namespace_set & ~(uint64_t)CLONE_NEWPID));
}

int namespaces_enter_network(const struct plan* plan, const struct drover_step* step) {
  return sys_error(SYS(setns, plan_step_fd(plan, step), CLONE_NEWNET));
}

void namespaces_end(void) {
  if (holder) SYS(kill, holder, SIGKILL);
}

bool namespaces_reaped(pid_t pid) {
  if (pid != holder || !holder) return false;
  holder = 0;
  return true;
}
