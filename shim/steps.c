/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the child alone: pages that the shim itself never touches. */
static char* session_argv[DROVER_ATTACH_MAX_ARGS + 1];
static char* session_envp[DROVER_PLAN_MAX_STRINGS + DROVER_ATTACH_MAX_ENV + 1];

static int set_oom_score(int64_t score) {
  char text[24];
  size_t length = 0;
  if (score < 0) text[length++] = '-';
  uint64_t value = (uint64_t)(score < 0 ? -score : score);
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (count > 0) text[length++] = digits[--count];
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = write(fd, text, length) == (ssize_t)length ? 0 : errno;
  close(fd);
  return error;
}

static int set_ids(const struct drover_step_ids* ids) {
  if (syscall(SYS_setgroups, (size_t)ids->group_count, (const uint32_t*)(ids + 1)) != 0)
    return errno;
  if (syscall(SYS_setresgid, ids->gid, ids->gid, ids->gid) != 0) return errno;
  return syscall(SYS_setresuid, ids->uid, ids->uid, ids->uid) == 0 ? 0 : errno;
}

static int change_directory(const struct plan* plan, const struct drover_step_cwd* cwd) {
  if (cwd->directory_fd >= 0 && fchdir(plan_fd(plan, cwd->directory_fd)) != 0) return errno;
  const char* path = (const char*)(cwd + 1);
  return !*path || chdir(path) == 0 ? 0 : errno;
}

/* The kill must not be missed when the shim died before it was asked for. */
static int die_with_shim(pid_t shim) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  return getppid() == shim ? 0 : ESRCH;
}

static const char* variable(char** envp, const char* name) {
  const size_t length = strlen(name);
  for (; *envp; envp++)
    if (strncmp(*envp, name, length) == 0 && (*envp)[length] == '=') return *envp + length + 1;
  return NULL;
}

/* execve with a search of the PATH of ENVP for a name without slash. Returns the errno. */
static int execute(const char* program, char** argv, char** envp) {
  if (!*program) return ENOENT;
  if (strchr(program, '/')) {
    execve(program, argv, envp);
    return errno;
  }
  const char* path = variable(envp, "PATH");
  if (!path) path = "/usr/local/bin:/usr/bin:/bin";
  const size_t length = strlen(program);
  int error = ENOENT;
  for (const char* end; *path; path = *end ? end + 1 : end) {
    end = strchrnul(path, ':');
    char file[PATH_MAX];
    const size_t directory = (size_t)(end - path);
    if (directory == 0 || *path != '/' || directory + length + 2 > sizeof file) continue;
    memcpy(file, path, directory);
    file[directory] = '/';
    memcpy(file + directory + 1, program, length + 1);
    execve(file, argv, envp);
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  return error;
}

/* The task's environment, without what the session's own variables replace. */
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
  return execute(session_argv[0], session_argv, session_envp);
}

static int run_step(const struct plan* plan, const struct drover_step* step, pid_t shim,
                    const struct session_command* session) {
  switch (step->kind) {
    case DROVER_STEP_CGROUP:
      return 0; /* done by clone3 */
    case DROVER_STEP_SETSID:
      return setsid() >= 0 ? 0 : errno;
    case DROVER_STEP_OOM_SCORE_ADJ:
      return set_oom_score(((const struct drover_step_number*)step)->number);
    case DROVER_STEP_RLIMIT: {
      const struct drover_step_rlimit* limit = (const struct drover_step_rlimit*)step;
      const struct rlimit64 value = {.rlim_cur = limit->soft, .rlim_max = limit->hard};
      return setrlimit64((int)limit->resource, &value) == 0 ? 0 : errno;
    }
    case DROVER_STEP_UMASK:
      umask((mode_t)((const struct drover_step_number*)step)->number & 0777);
      return 0;
    case DROVER_STEP_IDS:
      return set_ids((const struct drover_step_ids*)step);
    case DROVER_STEP_CWD:
      return change_directory(plan, (const struct drover_step_cwd*)step);
    case DROVER_STEP_NO_NEW_PRIVS:
      return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
    case DROVER_STEP_PDEATHSIG:
      return die_with_shim(shim);
    case DROVER_STEP_EXEC: {
      const struct drover_step_exec* exec = (const struct drover_step_exec*)step;
      return session ? execute_session(exec, session)
                     : execute(plan_program(exec), plan_argv(exec), plan_envp(exec));
    }
    default:
      return EPROTO;
  }
}

static _Noreturn void run_child(const struct plan* plan, const int standard[3],
                                const struct session_command* session, pid_t shim, int status) {
  struct step_failure failure = {.step = -1};
  for (int i = 0; i < 3 && !failure.error; i++)
    if (standard[i] >= 0 && dup2(standard[i], i) < 0) failure.error = errno;
  /* All others close when the program is executed; the status pipe proves that by closing. */
  if (!failure.error && syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0)
    failure.error = errno;
  const uint16_t wanted = session ? DROVER_STEP_FOR_SESSION : DROVER_STEP_FOR_TASK;
  for (const struct drover_step* step = plan_next(plan, NULL); step && !failure.error;
       step = plan_next(plan, step)) {
    failure.step++;
    failure.kind = step->kind;
    if (!(step->flags & wanted)) continue;
    if (step->kind == DROVER_STEP_EXEC) {
      if (session && session->tty && ioctl(0, TIOCSCTTY, 0) != 0) {
        failure.error = errno;
        break;
      }
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, NULL);
    }
    failure.error = run_step(plan, step, shim, session);
  }
  if (write(status, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

int steps_start(const struct plan* plan, const int standard[3],
                const struct session_command* session, struct child* child,
                struct step_failure* failure) {
  *failure = (struct step_failure){.step = -1};
  int status[2];
  if (pipe2(status, O_CLOEXEC) != 0) return failure->error = errno;
  struct clone_args args = {.exit_signal = SIGCHLD};
  const struct drover_step* first = plan_next(plan, NULL);
  if (first->kind == DROVER_STEP_CGROUP) {
    args.flags = CLONE_INTO_CGROUP;
    args.cgroup = (uint64_t)plan_fd(plan, ((const struct drover_step_number*)first)->number);
  }
  const pid_t shim = getpid();
  const long pid = syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) run_child(plan, standard, session, shim, status[1]);
  const int error = errno;
  close(status[1]);
  if (pid < 0) {
    close(status[0]);
    if (args.flags) *failure = (struct step_failure){.step = 0, .kind = DROVER_STEP_CGROUP};
    return failure->error = error;
  }
  child->pid = (pid_t)pid;
  child->status = status[0];
  return 0;
}
