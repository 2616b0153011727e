/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The connections to agents, and the messages sent over them (attach_protocol.h). */
#ifndef DROVER_SHIM_CONTROL_H_
#define DROVER_SHIM_CONTROL_H_

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "shim/attach_protocol.h"

enum { kMaxConnections = 40 };

/* Listens on the socket `<name>.sock` in the current directory. Returns 0 or an errno. */
int control_listen(const char* name);
void control_unlisten(const char* name);

/* Adds the connection over which the shim received its start message. */
void control_adopt(int fd);

/* Fills FDS with the entries to poll, and returns their number. */
int control_poll(struct pollfd* fds);
/* Handles the events that poll reported in the first COUNT entries of FDS. */
void control_handle(const struct pollfd* fds, int count);

/*
 * Sends MESSAGE, whose type is TYPE, over the connection with index I. If the socket buffer is
 * full, drops the message if MAY_MISS is true, and otherwise ends the connection.
 */
void control_send(int i, struct drover_attach_header* message, uint16_t type, uint32_t size,
                  uint32_t request, uint32_t session, bool may_miss);

/* Sends MESSAGE to all clients that subscribed to EVENT, a DROVER_ATTACH_EVENT_... bit. */
void control_broadcast(uint32_t event, struct drover_attach_header* message, uint16_t type,
                       uint32_t size);

void control_close_all(void);

#endif /* DROVER_SHIM_CONTROL_H_ */
