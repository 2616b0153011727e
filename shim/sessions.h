/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Exec sessions: further commands in the run, each owned by the connection that opened it. */
#ifndef DROVER_SHIM_SESSIONS_H_
#define DROVER_SHIM_SESSIONS_H_

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/attach_protocol.h"

enum { kMaxSessions = 32 };

/* Starts a session. MESSAGE has SIZE bytes, checked by the caller. Takes ownership of the FDS that
   it sets to -1. Returns an errno. */
int sessions_start(int connection, struct drover_attach_exec* message, uint32_t size, int* fds,
                   int fd_count);
int sessions_resize(int connection, uint32_t session, uint16_t rows, uint16_t columns);
int sessions_signal(int connection, uint32_t session, int signal_number);
/* Kills the sessions of a connection that has ended. */
void sessions_disconnected(int connection);
void sessions_kill_all(void);
uint32_t sessions_count(void);

int sessions_poll(struct pollfd* fds);
void sessions_handle(const struct pollfd* fds, int count);
/* True if PID, which has been reaped, led a session; then reports its end to the client. */
bool sessions_reaped(pid_t pid, int wait_status);

#endif /* DROVER_SHIM_SESSIONS_H_ */
