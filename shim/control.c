/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "shim/log_writer.h"
#include "shim/sessions.h"
#include "shim/shim.h"
#include "shim/sys.h"

enum { kBacklog = 16, kMaxFds = 4 };

struct connection {
  int fd; /* -1 if the entry is free */
  bool greeted;
  bool owner; /* true for the connection of the agent that started the run */
  uint32_t events;
};
static struct connection connections[kMaxConnections];
static int listener = -1;
static char message[DROVER_ATTACH_MAX] __attribute__((aligned(8)));

static struct sockaddr_un address_of(const char* name) {
  /* The path of the socket is relative to the run directory, because a socket address has no room
     for a long path. */
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, name, 16);
  memcpy(address.sun_path + 16, ".sock", 6);
  return address;
}

int control_listen(const char* name) {
  for (int i = 0; i < kMaxConnections; i++) connections[i].fd = -1;
  const struct sockaddr_un address = address_of(name);
  listener = (int)SYS(socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -listener;
  SYS(umask, 0177);
  long result = SYS(bind, listener, &address, sizeof address);
  SYS(umask, 022);
  if (result == 0) result = SYS(listen, listener, kBacklog);
  return (int)-result;
}

void control_unlisten(const char* name) {
  const struct sockaddr_un address = address_of(name);
  SYS(unlinkat, AT_FDCWD, address.sun_path, 0);
}

static int add(int fd, bool owner) {
  for (int i = 0; i < kMaxConnections; i++) {
    if (connections[i].fd >= 0) continue;
    connections[i] = (struct connection){.fd = fd, .owner = owner};
    return i;
  }
  SYS(close, fd);
  return -1;
}

void control_adopt(int fd) {
  const int i = add(fd, true);
  connections[i].greeted = true;
  connections[i].events = DROVER_ATTACH_EVENT_EXIT | DROVER_ATTACH_EVENT_GAP;
}

static void disconnect(int i) {
  if (connections[i].fd < 0) return;
  SYS(close, connections[i].fd);
  connections[i].fd = -1;
  sessions_disconnected(i);
  if (connections[i].owner) shim_owner_lost();
}

void control_close_all(void) {
  for (int i = 0; i < kMaxConnections; i++)
    if (connections[i].fd >= 0) SYS(close, connections[i].fd);
  SYS(close, listener);
}

void control_send(int i, struct drover_attach_header* header, uint16_t type, uint32_t size,
                  uint32_t request, uint32_t session, bool may_miss) {
  if (connections[i].fd < 0) return;
  *header = (struct drover_attach_header){
      .size = size, .type = type, .request = request, .session = session};
  const long n = SYS(sendto, connections[i].fd, header, size, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
  if (n < 0 && !(may_miss && n == -EAGAIN)) disconnect(i);
}

void control_broadcast(uint32_t event, struct drover_attach_header* header, uint16_t type,
                       uint32_t size) {
  for (int i = 0; i < kMaxConnections; i++)
    if (connections[i].fd >= 0 && (connections[i].events & event))
      control_send(i, header, type, size, 0, 0, event != DROVER_ATTACH_EVENT_EXIT);
}

static void answer(int i, const struct drover_attach_header* request, int error) {
  struct drover_attach_result result = {.error = error, .refused_type = error ? request->type : 0};
  control_send(i, &result.header, DROVER_ATTACH_RESULT, sizeof result, request->request,
               request->session, false);
}

static int hello(int i, const struct drover_attach_hello* request) {
  if (request->version != DROVER_ATTACH_VERSION) return EPROTO;
  connections[i].greeted = true;
  connections[i].events = request->subscribe;
  struct drover_attach_hello_reply reply = {.version = DROVER_ATTACH_VERSION,
                                            .shim_pid = (int32_t)SYS(getpid),
                                            .pid = shim.pid,
                                            .started_at = shim.started_at,
                                            .started_boot = shim.started_boot};
  memcpy(reply.run_id, shim.plan.start.run_id, sizeof reply.run_id);
  memcpy(reply.boot_id, shim.plan.start.boot_id, sizeof reply.boot_id);
  control_send(i, &reply.header, DROVER_ATTACH_HELLO_REPLY, sizeof reply, request->header.request,
               0, false);
  return -1;
}

static int state(int i, const struct drover_attach_header* request) {
  struct drover_attach_state_reply reply = {.phase = shim.phase, .sessions = sessions_count()};
  for (int s = 0; s < 2; s++) {
    reply.dropped_lines[s] = shim.streams[s].dropped_lines + shim.streams[s].gap_lines;
    reply.dropped_bytes[s] = shim.streams[s].dropped_bytes + shim.streams[s].gap_bytes;
    reply.written_bytes[s] = log_writer_written(s);
    reply.log_errno[s] = log_writer_error(s);
  }
  control_send(i, &reply.header, DROVER_ATTACH_STATE_REPLY, sizeof reply, request->request, 0,
               false);
  return -1;
}

static uint32_t fixed_size(uint16_t type) {
  static const uint32_t kSizes[] = {
      [DROVER_ATTACH_HELLO] = sizeof(struct drover_attach_hello),
      [DROVER_ATTACH_SIGNAL] = sizeof(struct drover_attach_signal),
      [DROVER_ATTACH_SESSION_SIGNAL] = sizeof(struct drover_attach_signal),
      [DROVER_ATTACH_EXEC] = sizeof(struct drover_attach_exec),
      [DROVER_ATTACH_RESIZE] = sizeof(struct drover_attach_resize),
      [DROVER_ATTACH_SUBSCRIBE] = sizeof(struct drover_attach_subscribe),
  };
  const uint32_t size = type < sizeof kSizes / sizeof *kSizes ? kSizes[type] : 0;
  return size ? size : sizeof(struct drover_attach_header);
}

/* Executes a request. Returns the error for the RESULT message, an errno or 0. Returns -1 if this
   function has already sent the answer. */
static int dispatch(int i, struct drover_attach_header* request, uint32_t size, int* fds,
                    int fd_count) {
  if (request->size != size || size < fixed_size(request->type)) return EBADMSG;
  if (!connections[i].greeted && request->type != DROVER_ATTACH_HELLO) return ENOTCONN;
  switch (request->type) {
    case DROVER_ATTACH_HELLO:
      return hello(i, (const struct drover_attach_hello*)request);
    case DROVER_ATTACH_STATE:
      return state(i, request);
    case DROVER_ATTACH_SIGNAL: {
      const struct drover_attach_signal* what = (const struct drover_attach_signal*)request;
      if (what->scope > DROVER_ATTACH_SCOPE_ALL) return EINVAL;
      return shim_signal(what->signal_number, what->scope == DROVER_ATTACH_SCOPE_ALL);
    }
    case DROVER_ATTACH_SESSION_SIGNAL: {
      const int number = ((const struct drover_attach_signal*)request)->signal_number;
      return number < 1 || number > 64 ? EINVAL : sessions_signal(i, request->session, number);
    }
    case DROVER_ATTACH_KILL:
      shim_kill();
      return 0;
    case DROVER_ATTACH_EXEC:
      return sessions_start(i, (struct drover_attach_exec*)request, size, fds, fd_count);
    case DROVER_ATTACH_RESIZE: {
      const struct drover_attach_resize* what = (const struct drover_attach_resize*)request;
      return sessions_resize(i, request->session, what->rows, what->columns);
    }
    case DROVER_ATTACH_SUBSCRIBE:
      connections[i].events = ((const struct drover_attach_subscribe*)request)->events;
      return 0;
    case DROVER_ATTACH_DETACH:
      /* The connection stays the owner's. The answer to the start message still goes to it, and
         shim_owner_lost must still be called at its end. */
      shim.plan.start.flags &= ~DROVER_START_BOUND;
      return 0;
    default:
      return ENOSYS;
  }
}

/* Receives and executes one request of connection I. Returns false if no request waits, or if the
   connection has ended. */
static bool receive(int i) {
  int fds[kMaxFds];
  int fd_count = 0;
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fds)];
  struct iovec part = {.iov_base = message, .iov_len = sizeof message};
  struct msghdr header = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  const long n = SYS(recvmsg, connections[i].fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n == -EAGAIN || n == -EINTR) return false;
  if (n <= 0) { /* 0 means that the connection has ended or the message is empty */
    disconnect(i);
    return false;
  }
  for (struct cmsghdr* c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    fd_count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(fds, CMSG_DATA(c), (size_t)fd_count * sizeof(int));
  }
  struct drover_attach_header* request = (struct drover_attach_header*)message;
  if ((size_t)n < sizeof *request) memset(message + n, 0, sizeof *request - (size_t)n);
  int error = EBADMSG;
  if ((size_t)n >= sizeof *request && !(header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
    error = dispatch(i, request, (uint32_t)n, fds, fd_count);
  for (int f = 0; f < fd_count; f++)
    if (fds[f] >= 0) SYS(close, fds[f]);
  if (error >= 0) answer(i, request, error);
  return connections[i].fd >= 0;
}

static void accept_one(void) {
  const int fd = (int)SYS(accept4, listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (SYS(getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      (peer.uid != 0 && peer.uid != (uid_t)SYS(geteuid))) {
    SYS(close, fd);
    return;
  }
  add(fd, false);
}

int control_poll(struct pollfd* fds) {
  int count = 0;
  fds[count++] = (struct pollfd){.fd = listener, .events = POLLIN};
  for (int i = 0; i < kMaxConnections; i++)
    if (connections[i].fd >= 0)
      fds[count++] = (struct pollfd){.fd = connections[i].fd, .events = POLLIN};
  return count;
}

void control_handle(const struct pollfd* fds, int count) {
  for (int f = 0; f < count; f++) {
    if (!fds[f].revents) continue;
    if (fds[f].fd == listener) {
      accept_one();
      continue;
    }
    for (int i = 0; i < kMaxConnections; i++) {
      if (connections[i].fd != fds[f].fd) continue;
      /* The limit of 16 requests keeps a flood of requests from delaying the task's output. */
      for (int turn = 0; turn < 16 && receive(i); turn++) {
      }
      break;
    }
  }
}
