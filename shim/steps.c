/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "shim/child_entry.h"
#include "shim/namespaces.h"
#include "shim/privileges.h"
#include "shim/sys.h"

/* Only the child process uses these arrays, so the shim itself never touches their memory pages. */
static char* session_argv[DROVER_ATTACH_MAX_ARGS + 1];
static char* session_envp[DROVER_PLAN_MAX_STRINGS + DROVER_ATTACH_MAX_ENV + 1];

static int set_oom_score(int64_t score) {
  char text[24];
  size_t length = 0;
  if (score < 0) text[length++] = '-';
  length += sys_decimal((uint64_t)(score < 0 ? -score : score), text + length);
  return sys_write_file(AT_FDCWD, "/proc/self/oom_score_adj", text, length);
}

/* Enters a cgroup of version 1 by a write to "tasks", which moves only this thread. A write to
   "cgroup.procs" would move the whole process, but would take many milliseconds: the kernel would
   wait until all processors have been idle once, so that the process cannot fork meanwhile. */
static int join_cgroup(int cgroup) {
  return sys_write_file(cgroup, "tasks", "0", 1); /* "0" means the thread that writes */
}

/* Closes all file descriptors from FIRST on except STATUS, which is FIRST or more. Must be called
   before the exec. Until the descriptors are closed, the task's path, the interpreter of its
   program, or a link of another task could lead to a descriptor through /proc/self/fd. */
static int close_all_but(int first, int status) {
  const int error = status > first ? sys_error(SYS(close_range, first, status - 1, 0)) : 0;
  return error ? error : sys_error(SYS(close_range, status + 1, ~0u, 0));
}

/* Gives the process its descriptors. First all of them get numbers above the wanted ones, so that
   none is overwritten before it was copied. */
static int give_descriptors(const struct plan* plan, const struct drover_step_descriptors* give) {
  int from[3 + DROVER_PLAN_MAX_GIVEN];
  const int32_t* given = (const int32_t*)(give + 1);
  const int count = 3 + (int)give->count;
  for (int i = 0; i < count; i++) {
    const int32_t index = i < 3 ? give->standard[i] : given[i - 3];
    from[i] = -1;
    if (index < 0) continue;
    const long copy = SYS(fcntl, plan_fd(plan, index), F_DUPFD_CLOEXEC, count);
    if (copy < 0) return (int)-copy;
    from[i] = (int)copy;
  }
  for (int i = 0; i < count; i++) {
    const long given_as = from[i] < 0 ? 0 : SYS(dup3, from[i], i, 0);
    if (given_as < 0) return (int)-given_as;
  }
  return give->flags & DROVER_GIVE_TERMINAL ? sys_error(SYS(ioctl, 0, TIOCSCTTY, 0)) : 0;
}

/* Returns the first descriptor that the step CLOSE closes. */
static int first_closed(const struct plan* plan, const struct session_command* session) {
  const struct drover_step_descriptors* give = session ? NULL : plan_descriptors(plan);
  return give ? 3 + (int)give->count : 3;
}

/* Opens PATH, but does not follow the links in /proc/PID. Other links cannot leave the root of
   this process, so RESOLVE_IN_ROOT is not needed. RESOLVE_IN_ROOT would also fail if any process
   on the machine renames a file during the call. */
static long open_path(const char* path, int flags) {
  struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
                         .resolve = RESOLVE_NO_MAGICLINKS};
  const long found = SYS(openat2, AT_FDCWD, path, &how, sizeof how);
  if (found != -ELOOP) return found;
  /* Finds out whether ELOOP came from a link in /proc or from too many links. */
  how.resolve = 0;
  const long followed = SYS(openat2, AT_FDCWD, path, &how, sizeof how);
  if (followed >= 0) SYS(close, followed);
  return followed == -ELOOP ? followed : -DROVER_LEAVES_ROOT;
}

/* Checks that the current directory is below the root. If it is not, getcwd returns a path that
   does not begin with a slash. */
static int check_in_root(void) {
  char path[4096];
  const long length = SYS(getcwd, path, sizeof path);
  if (length < 0) return (int)-length;
  return *path == '/' ? 0 : DROVER_LEAVES_ROOT;
}

static int change_directory(const struct drover_step_cwd* cwd) {
  const char* path = (const char*)(cwd + 1);
  long result;
  if (cwd->path_flags & DROVER_PATH_NO_PROC_LINKS) {
    const long directory = open_path(path, O_DIRECTORY);
    if (directory < 0) return (int)-directory;
    result = SYS(fchdir, directory);
    SYS(close, directory);
  } else {
    result = SYS(chdir, path);
  }
  if (result < 0) return (int)-result;
  return cwd->path_flags & DROVER_PATH_IN_ROOT ? check_in_root() : 0;
}

/* Makes the kernel kill this process when the shim dies. Returns ESRCH if the shim has died
   already: the other end of the status pipe is closed then. getppid cannot show whether the shim
   has died, because getppid returns 0 in a pid namespace. */
static int die_with_shim(int status) {
  const long result = SYS(prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (result < 0) return (int)-result;
  struct pollfd shim = {.fd = status, .events = 0};
  const struct timespec now = {0};
  const long polled = SYS(ppoll, &shim, 1, &now, NULL, 0);
  return polled > 0 ? ESRCH : sys_error(polled);
}

static const char* variable(char** envp, const char* name) {
  const size_t length = strlen(name);
  for (; *envp; envp++)
    if (strncmp(*envp, name, length) == 0 && (*envp)[length] == '=') return *envp + length + 1;
  return NULL;
}

/* Executes PATH by its name and not by a file descriptor: a script executed by descriptor would
   need the descriptor to stay open. PATH may lead to another file by the time of the exec, but it
   can lead to no open descriptor. */
static int execute_file(const char* path, char** argv, char** envp, uint32_t path_flags) {
  if (path_flags & DROVER_PATH_NO_PROC_LINKS) {
    const long file = open_path(path, 0);
    if (file < 0) return (int)-file;
    SYS(close, file);
  }
  return (int)-SYS(execve, path, argv, envp);
}

/* Executes PROGRAM, and returns an errno if that fails. A name without a slash is searched for in
   the PATH of ENVP. */
static int execute(const char* program, char** argv, char** envp, uint32_t path_flags) {
  if (!*program) return ENOENT;
  if (strchr(program, '/')) return execute_file(program, argv, envp, path_flags);
  const char* path = variable(envp, "PATH");
  if (!path) path = "/usr/local/bin:/usr/bin:/bin";
  const size_t length = strlen(program);
  int error = ENOENT;
  for (const char* end; *path; path = *end ? end + 1 : end) {
    end = strchrnul(path, ':');
    char file[4096];
    const size_t directory = (size_t)(end - path);
    if (directory == 0 || *path != '/' || directory + length + 2 > sizeof file) continue;
    memcpy(file, path, directory);
    file[directory] = '/';
    memcpy(file + directory + 1, program, length + 1);
    const int failed = execute_file(file, argv, envp, path_flags);
    if (failed == ENOENT || failed == ENOTDIR) continue;
    error = failed;
    if (failed != EACCES && failed != DROVER_LEAVES_ROOT) break;
  }
  return error;
}

/* Executes the command of a session. The variables of the session replace those of the task. */
static int execute_session(const struct drover_step_exec* exec,
                           const struct session_command* session) {
  char* text = session->strings;
  for (uint32_t i = 0; i < session->argc; i++, text += strlen(text) + 1) session_argv[i] = text;
  uint32_t count = 0;
  for (uint32_t i = 0; i < session->envc; i++, text += strlen(text) + 1)
    session_envp[count++] = text;
  for (char** old = plan_envp(exec); *old; old++) {
    bool replaced = false;
    const size_t name = (size_t)(strchrnul(*old, '=') - *old) + 1;
    for (uint32_t i = 0; i < session->envc && !replaced; i++)
      replaced = strncmp(*old, session_envp[i], name) == 0;
    if (!replaced) session_envp[count++] = *old;
  }
  return execute(session_argv[0], session_argv, session_envp, exec->path_flags);
}

static int run_step(const struct plan* plan, const struct drover_step* step, int status,
                    const struct session_command* session) {
  switch (step->kind) {
    case DROVER_STEP_CGROUP:
      return 0; /* clone3 has put the process into the cgroup */
    case DROVER_STEP_SETSID:
      return sys_error(SYS(setsid));
    case DROVER_STEP_OOM_SCORE_ADJ:
      return set_oom_score(plan_number(step));
    case DROVER_STEP_RLIMIT: {
      const struct drover_step_rlimit* limit = (const struct drover_step_rlimit*)step;
      const struct rlimit64 value = {.rlim_cur = limit->soft, .rlim_max = limit->hard};
      return (int)-SYS(prlimit64, 0, limit->resource, &value, NULL);
    }
    case DROVER_STEP_UMASK:
      SYS(umask, plan_number(step) & 0777);
      return 0;
    case DROVER_STEP_IDS:
      return privileges_set_ids((const struct drover_step_ids*)step);
    case DROVER_STEP_BOUNDING:
      return privileges_bound((const struct drover_step_capabilities*)step);
    case DROVER_STEP_CAPABILITIES:
      return privileges_set((const struct drover_step_capabilities*)step);
    case DROVER_STEP_SECCOMP:
      return privileges_filter((const struct drover_step_filter*)step);
    case DROVER_STEP_KEYRING:
      return privileges_new_keyring();
    case DROVER_STEP_CWD:
      return change_directory((const struct drover_step_cwd*)step);
    case DROVER_STEP_DESCRIPTORS:
      return give_descriptors(plan, (const struct drover_step_descriptors*)step);
    case DROVER_STEP_CLOSE:
      return close_all_but(first_closed(plan, session), status);
    case DROVER_STEP_NO_NEW_PRIVS:
      return (int)-SYS(prctl, PR_SET_NO_NEW_PRIVS, 1);
    case DROVER_STEP_PDEATHSIG:
      return die_with_shim(status);
    case DROVER_STEP_JOIN:
      return join_cgroup(plan_step_fd(plan, step));
    case DROVER_STEP_ENTER:
      return namespaces_enter();
    case DROVER_STEP_NETWORK:
      return namespaces_enter_network(plan, step);
    case DROVER_STEP_EXEC: {
      const struct drover_step_exec* exec = (const struct drover_step_exec*)step;
      return session
                 ? execute_session(exec, session)
                 : execute(plan_program(exec), plan_argv(exec), plan_envp(exec), exec->path_flags);
    }
    default:
      return EPROTO;
  }
}

static _Noreturn void run_child(const struct plan* plan, const int standard[3],
                                const struct session_command* session, int status) {
  struct step_failure failure = {.step = -1};
  const int first = first_closed(plan, session);
  if (status < first) {
    /* The number of the status pipe is wanted for another descriptor. */
    const long moved = SYS(fcntl, status, F_DUPFD_CLOEXEC, first);
    if (moved < 0) {
      failure.error = (int32_t)-moved;
      SYS(write, status, &failure, sizeof failure);
      sys_exit(127);
    }
    SYS(close, status);
    status = (int)moved;
  }
  for (int i = 0; i < 3 && !failure.error; i++)
    if (standard[i] >= 0) failure.error = sys_error(SYS(dup3, standard[i], i, 0));
  /* Marks all file descriptors from 3 on to be closed at the exec. When the exec closes the status
     pipe, the shim knows that the exec succeeded. The step CLOSE closes the other descriptors
     before the exec. */
  if (!failure.error)
    failure.error = sys_error(SYS(close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */));
  const uint16_t wanted = session ? DROVER_STEP_FOR_SESSION : DROVER_STEP_FOR_TASK;
  for (const struct drover_step* step = plan_next(plan, NULL); step && !failure.error;
       step = plan_next(plan, step)) {
    failure.step++;
    failure.kind = step->kind;
    if (!(step->flags & wanted)) continue;
    if (step->kind == DROVER_STEP_EXEC) {
      if (session && session->tty && (failure.error = sys_error(SYS(ioctl, 0, TIOCSCTTY, 0))) != 0)
        break;
      const uint64_t none = 0;
      SYS(rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
    }
    failure.error = run_step(plan, step, status, session);
  }
  SYS(write, status, &failure, sizeof failure);
  sys_exit(127);
}

struct job {
  const struct plan* plan;
  const int* standard;
  int status[2];
};

/* The stack of a child that shares the shim's memory. It needs room for one path of the PATH search
   and little more. A session does not use this stack, because its process gets a copy of all
   memory. */
static _Alignas(16) char child_stack[24 << 10];

static void run_job(void* argument) {
  const struct job* job = argument;
  SYS(close, job->status[0]);
  run_child(job->plan, job->standard, NULL, job->status[1]);
}

/* Returns true if all steps of PLAN change only the child that executes them, so that the child may
   share the memory of the shim. */
static bool may_share_memory(const struct plan* plan) {
  for (const struct drover_step* step = plan_next(plan, NULL); step; step = plan_next(plan, step)) {
    switch (step->kind) {
      case DROVER_STEP_CGROUP:
      case DROVER_STEP_SETSID:
      case DROVER_STEP_OOM_SCORE_ADJ:
      case DROVER_STEP_RLIMIT:
      case DROVER_STEP_UMASK:
      case DROVER_STEP_CWD:
      case DROVER_STEP_DESCRIPTORS:
      case DROVER_STEP_CLOSE:
      case DROVER_STEP_NO_NEW_PRIVS:
      case DROVER_STEP_PDEATHSIG:
      case DROVER_STEP_EXEC:
        continue;
      default:
        return false;
    }
  }
  return true;
}

/*
 * A child in a cgroup of its own may share the memory of the shim. The shim waits until the exec,
 * as with vfork, and the kernel copies neither page tables nor pages. If the exec hangs, the agent
 * can end the child by cgroup.kill without the shim. A child that changes its user must not share
 * memory: the kernel would then treat the shim as if the shim, too, had changed its user.
 */
static long start_child(const struct job* job, const struct session_command* session, int cgroup) {
  struct clone_args args = {.exit_signal = SIGCHLD};
  if (cgroup >= 0) {
    args.flags = CLONE_INTO_CGROUP;
    args.cgroup = (uint64_t)cgroup;
    if (!session && may_share_memory(job->plan)) {
      args.flags |= CLONE_VM | CLONE_VFORK;
      args.stack = (uint64_t)(uintptr_t)child_stack;
      args.stack_size = sizeof child_stack;
      return clone3_with_child(&args, sizeof args, run_job, (void*)job);
    }
  }
  /* Without a cgroup, this function uses clone, because unprivileged containers refuse clone3. */
  const long pid = cgroup >= 0 ? SYS(clone3, &args, sizeof args) : SYS(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    SYS(close, job->status[0]);
    run_child(job->plan, job->standard, session, job->status[1]);
  }
  return pid;
}

int steps_start(const struct plan* plan, const int standard[3],
                const struct session_command* session, struct child* child,
                struct step_failure* failure) {
  *failure = (struct step_failure){.step = -1};
  int status[2];
  failure->error = sys_error(SYS(pipe2, status, O_CLOEXEC));
  if (failure->error) return failure->error;
  const struct drover_step* first = plan_next(plan, NULL);
  const int cgroup = first->kind == DROVER_STEP_CGROUP ? plan_step_fd(plan, first) : -1;
  failure->error = namespaces_place_children(true);
  if (failure->error) {
    SYS(close, status[0]);
    SYS(close, status[1]);
    return failure->error;
  }
  const struct job job = {.plan = plan, .standard = standard, .status = {status[0], status[1]}};
  const long pid = start_child(&job, session, cgroup);
  const int still_inside = namespaces_place_children(false);
  SYS(close, status[1]);
  if (pid > 0 && still_inside) {
    /* New children of the shim still begin in the pid namespace of the run. As long as this is so,
       the kernel does not let the shim start a thread. So this function kills the new child and
       fails. */
    SYS(kill, pid, SIGKILL);
    SYS(close, status[0]);
    return failure->error = still_inside;
  }
  if (pid < 0) {
    SYS(close, status[0]);
    if (cgroup >= 0) *failure = (struct step_failure){.step = 0, .kind = DROVER_STEP_CGROUP};
    return failure->error = (int)-pid;
  }
  child->pid = (pid_t)pid;
  child->status = status[0];
  return 0;
}
