/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The attach protocol: how an agent talks to the shim that holds one task. Valid C11 and C++.
 *
 * FROZEN: shims outlive the agent that started them, so every agent must understand the shims of
 * all older releases of the same DROVER_ATTACH_VERSION. Messages and structs only grow at their
 * end; a receiver takes the part it knows and treats missing bytes as zero.
 *
 * Transport. The shim of run R listens on `RUN_DIR/<first 16 hex digits of R>.sock`, a unix socket
 * of type SOCK_SEQPACKET: one message per datagram, at most DROVER_ATTACH_MAX bytes, in the byte
 * order of the machine. The shim accepts a connection only from uid 0 or its own uid (SO_PEERCRED).
 * When nothing listens any more, `RUN_DIR/<16 hex digits>.exit` describes the run's end: a
 * drover_exit_record, written to a temporary name and renamed. If it is missing too, the shim was
 * lost.
 *
 * Conversation. A client first sends HELLO. Each request is answered by exactly one message with
 * the same request number: the reply of its type, or RESULT. A message is refused by RESULT with an
 * errno, and nothing else happens, if its size field is not its length, if it is shorter than its
 * fixed part, if its type is unknown, or if it comes before HELLO. Events carry request number 0
 * and go to clients that subscribed. A client that does not read its socket is disconnected when an
 * answer or the exit event does not fit; it only misses gap events.
 */
#ifndef DROVER_SHIM_ATTACH_PROTOCOL_H_
#define DROVER_SHIM_ATTACH_PROTOCOL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_ATTACH_VERSION 1u
#define DROVER_ATTACH_MAX 65536u /* bytes of a message, header included */
#define DROVER_ATTACH_MAX_ARGS 1024u
#define DROVER_ATTACH_MAX_ENV 256u

enum drover_attach_type {
  /* Client to shim. */
  DROVER_ATTACH_HELLO = 1,     /* drover_attach_hello -> HELLO_REPLY */
  DROVER_ATTACH_STATE = 2,     /* header only -> STATE_REPLY */
  DROVER_ATTACH_SIGNAL = 3,    /* drover_attach_signal -> RESULT */
  DROVER_ATTACH_KILL = 4,      /* header only -> RESULT: SIGKILL to all processes of the run */
  DROVER_ATTACH_EXEC = 5,      /* drover_attach_exec + strings + descriptors -> RESULT, later one
                                  SESSION_EXIT with the same request number */
  DROVER_ATTACH_RESIZE = 6,    /* drover_attach_resize -> RESULT */
  DROVER_ATTACH_SUBSCRIBE = 7, /* drover_attach_subscribe -> RESULT */
  DROVER_ATTACH_DETACH = 8,    /* header only -> RESULT: the end of this connection stops nothing;
                                  a bound shim is bound no longer */
  DROVER_ATTACH_SESSION_SIGNAL = 9, /* drover_attach_signal, header.session -> RESULT */

  /* Shim to client. */
  DROVER_ATTACH_HELLO_REPLY = 101,
  DROVER_ATTACH_STATE_REPLY = 102,
  DROVER_ATTACH_RESULT = 103,
  DROVER_ATTACH_EXIT = 104,         /* event: header + drover_exit_record; the last message */
  DROVER_ATTACH_SESSION_EXIT = 105, /* drover_attach_session_exit */
  DROVER_ATTACH_GAP = 106,          /* event: drover_attach_gap */
};

struct drover_attach_header {
  uint32_t size; /* of the whole message */
  uint16_t type;
  uint16_t reserved; /* 0 */
  uint32_t request;  /* chosen by the client, echoed */
  uint32_t session;  /* chosen by the client, unique on its connection; else 0 */
};

struct drover_attach_hello {
  struct drover_attach_header header;
  uint32_t version;   /* DROVER_ATTACH_VERSION of the client; another one gets RESULT EPROTO */
  uint32_t subscribe; /* DROVER_ATTACH_EVENT_* */
};

#define DROVER_ATTACH_EVENT_EXIT 1u
#define DROVER_ATTACH_EVENT_GAP 2u

struct drover_attach_hello_reply {
  struct drover_attach_header header;
  uint32_t version;
  uint32_t reserved;
  uint8_t run_id[16];
  uint8_t boot_id[16];
  int32_t shim_pid;
  int32_t pid;          /* of the task's process, 0 without one */
  int64_t started_at;   /* CLOCK_REALTIME nanoseconds, 0: not yet executed */
  int64_t started_boot; /* CLOCK_BOOTTIME nanoseconds */
};

enum drover_attach_phase {
  DROVER_ATTACH_STARTING = 0,
  DROVER_ATTACH_RUNNING = 1,
  DROVER_ATTACH_DRAINING = 2, /* the process has ended, its output is being written */
};

struct drover_attach_state_reply {
  struct drover_attach_header header;
  uint32_t phase; /* drover_attach_phase */
  uint32_t sessions;
  uint64_t dropped_lines[2]; /* stdout, stderr, since the start */
  uint64_t dropped_bytes[2];
  uint64_t written_bytes[2];
  int32_t log_errno[2]; /* why the log files cannot be written now; 0: they can */
};

#define DROVER_ATTACH_SCOPE_LEADER 0u /* the task's process, or the session's process group */
#define DROVER_ATTACH_SCOPE_ALL                               \
  1u /* that first, then all other processes of the run; only \
        older agents ask for it */

struct drover_attach_signal {
  struct drover_attach_header header;
  int32_t signal_number; /* 1..64 */
  uint32_t scope;
};

/*
 * header.session names the new session. Descriptors come by SCM_RIGHTS: one with
 * DROVER_ATTACH_EXEC_TTY, the terminal's slave side; else three: stdin, stdout, stderr. Then come
 * STRINGS: ARGC arguments and ENVC times NAME=VALUE, each ended by NUL. The command gets the task's
 * environment, changed by these variables, and its cgroup, user, limits and working directory. When
 * the connection ends, the session's process group is killed.
 */
struct drover_attach_exec {
  struct drover_attach_header header;
  uint32_t flags;
  uint32_t argc;
  uint32_t envc;
  uint16_t rows; /* with a terminal; 0: its size stays */
  uint16_t columns;
  /* char strings[] */
};

#define DROVER_ATTACH_EXEC_TTY 1u

struct drover_attach_resize {
  struct drover_attach_header header;
  uint16_t rows;
  uint16_t columns;
  uint32_t reserved;
};

struct drover_attach_subscribe {
  struct drover_attach_header header;
  uint32_t events;
  uint32_t reserved;
};

struct drover_attach_result {
  struct drover_attach_header header;
  int32_t error;         /* errno, 0: success */
  uint32_t refused_type; /* of the request */
};

struct drover_attach_session_exit {
  struct drover_attach_header header;
  int32_t wait_status; /* as of waitpid, if exec_errno is 0 */
  int32_t exec_errno;  /* why the command could not be executed */
  uint32_t exec_step;  /* drover_step_kind that failed */
  uint32_t reserved;
};

struct drover_attach_gap {
  struct drover_attach_header header;
  uint32_t stream; /* 0: stdout, 1: stderr */
  uint32_t begins; /* 1: the first line of this gap was dropped; 0: the gap has ended */
  uint64_t lines;  /* of this gap so far */
  uint64_t bytes;
};

#define DROVER_EXIT_MAGIC 0x74787244u /* "Drxt" */
#define DROVER_EXIT_VERSION 1u
#define DROVER_EXIT_NO_PROCESS 1u /* flags: the run had only output, wait_status is 0 */

struct drover_exit_record {
  uint32_t magic;
  uint32_t version;
  uint32_t size; /* of this struct at the shim */
  uint32_t flags;
  uint8_t run_id[16];
  uint8_t boot_id[16];
  int32_t wait_status; /* as of waitpid */
  uint32_t oom_kills;  /* how often the kernel killed for lack of memory within the run */
  int32_t pid;
  int32_t shim_pid;
  int64_t started_at; /* CLOCK_REALTIME nanoseconds */
  int64_t finished_at;
  int64_t started_boot; /* CLOCK_BOOTTIME nanoseconds */
  int64_t finished_boot;
  int64_t user_us; /* of the process and the children it waited for */
  int64_t system_us;
  uint64_t max_rss_kib;
  uint64_t minor_faults;
  uint64_t major_faults;
  uint64_t in_blocks;
  uint64_t out_blocks;
  uint64_t voluntary_switches;
  uint64_t involuntary_switches;
  uint64_t dropped_lines[2];
  uint64_t dropped_bytes[2];
  /* FNV-1a 64 of the SIZE - 8 bytes before it; always the last 8 bytes. */
  uint64_t checksum;
};

static inline uint64_t drover_fnv1a(const void* data, uint64_t size) {
  const unsigned char* bytes = (const unsigned char*)data;
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t i = 0; i < size; i++) {
    hash ^= bytes[i];
    hash *= 0x100000001b3u;
  }
  return hash;
}

#ifdef __cplusplus
}
#endif

#endif /* DROVER_SHIM_ATTACH_PROTOCOL_H_ */
