/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/sessions.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "shim/control.h"
#include "shim/shim.h"
#include "shim/steps.h"
#include "shim/sys.h"

struct session {
  /* pid of the session's process, which the shim has not yet reaped; 0 if the entry is free. */
  pid_t pid;
  int connection; /* -1 after the connection has ended */
  uint32_t id, request;
  int status;   /* status pipe of the process; -1 after the shim has read it */
  int terminal; /* slave side of the terminal, to resize it; -1 without a terminal */
  struct step_failure failure;
};
static struct session sessions[kMaxSessions];

static struct session* find(int connection, uint32_t id) {
  for (int i = 0; i < kMaxSessions; i++)
    if (sessions[i].pid && sessions[i].connection == connection && sessions[i].id == id)
      return &sessions[i];
  return NULL;
}

int sessions_start(int connection, struct drover_attach_exec* message, uint32_t size, int* fds,
                   int fd_count) {
  const bool tty = message->flags & DROVER_ATTACH_EXEC_TTY;
  if (message->flags & ~DROVER_ATTACH_EXEC_TTY) return EINVAL;
  if (message->argc == 0 || message->argc > DROVER_ATTACH_MAX_ARGS ||
      message->envc > DROVER_ATTACH_MAX_ENV || fd_count != (tty ? 1 : 3))
    return EINVAL;
  char* strings = (char*)(message + 1);
  const char* limit = (const char*)message + size;
  if (plan_after_strings(strings, limit, message->argc + message->envc) != limit) return EINVAL;
  if (shim.phase != DROVER_ATTACH_RUNNING || !shim.leader) return ESRCH;
  if (find(connection, message->header.session)) return EEXIST;
  struct session* session = NULL;
  for (int i = 0; i < kMaxSessions && !session; i++)
    if (!sessions[i].pid) session = &sessions[i];
  if (!session) return EAGAIN;

  const struct session_command command = {
      .argc = message->argc, .envc = message->envc, .strings = strings, .tty = tty};
  const int standard[3] = {fds[0], tty ? fds[0] : fds[1], tty ? fds[0] : fds[2]};
  if (tty && message->rows && message->columns) {
    const struct winsize window = {.ws_row = message->rows, .ws_col = message->columns};
    const long result = SYS(ioctl, fds[0], TIOCSWINSZ, &window);
    if (result < 0) return (int)-result;
  }
  struct child child;
  struct step_failure failure;
  const int error = steps_start(&shim.plan, standard, &command, &child, &failure);
  if (error) return error;
  *session = (struct session){.pid = child.pid,
                              .connection = connection,
                              .id = message->header.session,
                              .request = message->header.request,
                              .status = child.status,
                              .terminal = -1};
  if (tty) {
    session->terminal = fds[0];
    fds[0] = -1;
  }
  return 0;
}

int sessions_resize(int connection, uint32_t id, uint16_t rows, uint16_t columns) {
  const struct session* session = find(connection, id);
  if (!session) return ESRCH;
  if (session->terminal < 0) return ENOTTY;
  const struct winsize window = {.ws_row = rows, .ws_col = columns};
  return (int)-SYS(ioctl, session->terminal, TIOCSWINSZ, &window);
}

static void kill_group(const struct session* session, int signal_number) {
  /* Until the child has called setsid, it has no process group of its own. So before that call,
     only the child gets the signal. */
  if (SYS(kill, -session->pid, signal_number) != 0) SYS(kill, session->pid, signal_number);
}

int sessions_signal(int connection, uint32_t id, int signal_number) {
  const struct session* session = find(connection, id);
  if (!session) return ESRCH;
  kill_group(session, signal_number);
  return 0;
}

void sessions_disconnected(int connection) {
  for (int i = 0; i < kMaxSessions; i++) {
    if (!sessions[i].pid || sessions[i].connection != connection) continue;
    sessions[i].connection = -1;
    kill_group(&sessions[i], SIGKILL);
  }
}

void sessions_kill_all(void) {
  for (int i = 0; i < kMaxSessions; i++)
    if (sessions[i].pid) kill_group(&sessions[i], SIGKILL);
}

uint32_t sessions_count(void) {
  uint32_t count = 0;
  for (int i = 0; i < kMaxSessions; i++) count += sessions[i].pid != 0;
  return count;
}

int sessions_poll(struct pollfd* fds) {
  int count = 0;
  for (int i = 0; i < kMaxSessions; i++)
    if (sessions[i].pid && sessions[i].status >= 0)
      fds[count++] = (struct pollfd){.fd = sessions[i].status, .events = POLLIN};
  return count;
}

static void read_status(struct session* session) {
  struct step_failure failure;
  if (SYS(read, session->status, &failure, sizeof failure) == sizeof failure)
    session->failure = failure;
  SYS(close, session->status);
  session->status = -1;
}

void sessions_handle(const struct pollfd* fds, int count) {
  for (int i = 0; i < count; i++) {
    if (!fds[i].revents) continue;
    for (int j = 0; j < kMaxSessions; j++)
      if (sessions[j].pid && sessions[j].status == fds[i].fd) read_status(&sessions[j]);
  }
}

bool sessions_reaped(pid_t pid, int wait_status) {
  struct session* session = NULL;
  for (int i = 0; i < kMaxSessions && !session; i++)
    if (sessions[i].pid == pid) session = &sessions[i];
  if (!session) return false;
  if (session->status >= 0) read_status(session);
  if (session->terminal >= 0) SYS(close, session->terminal);
  struct drover_attach_session_exit message = {.wait_status = wait_status,
                                               .exec_errno = session->failure.error,
                                               .exec_step = session->failure.kind};
  if (session->connection >= 0)
    control_send(session->connection, &message.header, DROVER_ATTACH_SESSION_EXIT, sizeof message,
                 session->request, session->id, false);
  session->pid = 0;
  return true;
}
