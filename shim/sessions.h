/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Exec sessions: commands that run beside the task. Each session belongs to the connection over
   which it was started. */
#ifndef DROVER_SHIM_SESSIONS_H_
#define DROVER_SHIM_SESSIONS_H_

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/attach_protocol.h"

enum { kMaxSessions = 32 };

/* Starts a session and returns an errno. The caller must have checked that MESSAGE has SIZE bytes.
   If the session keeps a descriptor of FDS, sets the array element with that descriptor to -1. The
   caller must close all other descriptors. */
int sessions_start(int connection, struct drover_attach_exec* message, uint32_t size, int* fds,
                   int fd_count);
int sessions_resize(int connection, uint32_t session, uint16_t rows, uint16_t columns);
int sessions_signal(int connection, uint32_t session, int signal_number);
/* Kills the sessions of CONNECTION, which has ended. */
void sessions_disconnected(int connection);
void sessions_kill_all(void);
uint32_t sessions_count(void);

int sessions_poll(struct pollfd* fds);
void sessions_handle(const struct pollfd* fds, int count);
/* If PID, which the shim has reaped, was the process of a session, reports the end of that session
   to its client and returns true. */
bool sessions_reaped(pid_t pid, int wait_status);

#endif /* DROVER_SHIM_SESSIONS_H_ */
