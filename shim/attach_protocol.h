/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The attach protocol: the messages between an agent and a shim, the process that supervises one
 * run of a task. This header is valid C11 and C++.
 *
 * FROZEN: shims outlive the agent that started them. So every agent must understand the shims of
 * all older releases with the same DROVER_ATTACH_VERSION. Messages and structs only grow at their
 * end. A receiver reads the fields that it knows, and treats missing bytes as zero.
 *
 * Transport. The shim listens on `RUN_DIR/<first 16 hex digits of the run id>.sock`, a unix socket
 * of type SOCK_SEQPACKET. Each datagram is one message of at most DROVER_ATTACH_MAX bytes, in the
 * byte order of the machine. The shim accepts a connection only from uid 0 or from its own uid
 * (SO_PEERCRED). Before the shim exits, it writes how the run ended to `RUN_DIR/<same 16
 * digits>.exit`. That file is a drover_exit_record, which the shim writes under a temporary name
 * and renames. If no shim listens and the file does not exist, the shim was killed or has crashed.
 *
 * Conversation. A client first sends HELLO. The shim answers each request by exactly one message
 * with the same request number: either the reply for that type of request, or a RESULT. When the
 * command of an EXEC has ended, the shim also sends a SESSION_EXIT. The shim refuses a request in
 * four cases: its size field differs from the length of the datagram, it is shorter than its
 * struct, its type is unknown, or it comes before HELLO. A refused request has no effect, and its
 * answer is a RESULT with an errno. Events have request number 0, and the shim sends them to the
 * clients that subscribed to them. If an answer or the exit event does not fit into the socket
 * buffer of a client that does not read, the shim disconnects the client. The shim drops a gap
 * event that does not fit.
 */
#ifndef DROVER_SHIM_ATTACH_PROTOCOL_H_
#define DROVER_SHIM_ATTACH_PROTOCOL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_ATTACH_VERSION 1u
#define DROVER_ATTACH_MAX 65536u /* maximum size in bytes of a message with its header */
#define DROVER_ATTACH_MAX_ARGS 1024u
#define DROVER_ATTACH_MAX_ENV 256u

enum drover_attach_type {
  /* Requests, from client to shim. Each comment gives the struct of the request and the type of the
     answer. */
  DROVER_ATTACH_HELLO = 1,  /* struct drover_attach_hello; answer: HELLO_REPLY */
  DROVER_ATTACH_STATE = 2,  /* only a header; answer: STATE_REPLY */
  DROVER_ATTACH_SIGNAL = 3, /* struct drover_attach_signal; answer: RESULT */
  /* Only a header; answer: RESULT. The shim sends SIGKILL to all processes of the run. */
  DROVER_ATTACH_KILL = 4,
  /* struct drover_attach_exec, strings and file descriptors; answer: RESULT. When the command has
     ended, the shim also sends a SESSION_EXIT with the same request number. */
  DROVER_ATTACH_EXEC = 5,
  DROVER_ATTACH_RESIZE = 6,    /* struct drover_attach_resize; answer: RESULT */
  DROVER_ATTACH_SUBSCRIBE = 7, /* struct drover_attach_subscribe; answer: RESULT */
  /* Only a header; answer: RESULT. After this request, the end of the agent's connection no longer
     stops the run. */
  DROVER_ATTACH_DETACH = 8,
  /* struct drover_attach_signal, whose header.session names the session; answer: RESULT */
  DROVER_ATTACH_SESSION_SIGNAL = 9,

  /* Messages from the shim to a client. */
  DROVER_ATTACH_HELLO_REPLY = 101,
  DROVER_ATTACH_STATE_REPLY = 102,
  DROVER_ATTACH_RESULT = 103,
  /* An event: a header and a drover_exit_record. It is the last message of the shim. */
  DROVER_ATTACH_EXIT = 104,
  DROVER_ATTACH_SESSION_EXIT = 105, /* struct drover_attach_session_exit */
  DROVER_ATTACH_GAP = 106,          /* an event: struct drover_attach_gap */
};

struct drover_attach_header {
  uint32_t size; /* size in bytes of the message with its header */
  uint16_t type;
  uint16_t reserved; /* 0 */
  uint32_t request;  /* number that the client chooses; the answer repeats it */
  /* Number of a session. The client chooses the number, which must be unique on its connection. The
     number is 0 in a message that concerns no session. */
  uint32_t session;
};

struct drover_attach_hello {
  struct drover_attach_header header;
  /* DROVER_ATTACH_VERSION of the client. If it differs from the shim's, the answer is RESULT
     EPROTO. */
  uint32_t version;
  uint32_t subscribe; /* the DROVER_ATTACH_EVENT_... bits of the wanted events */
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
  int32_t pid;          /* pid of the task's process, or 0 if there is none */
  int64_t started_at;   /* nanoseconds of CLOCK_REALTIME; 0 before the task's exec */
  int64_t started_boot; /* nanoseconds of CLOCK_BOOTTIME */
};

enum drover_attach_phase {
  DROVER_ATTACH_STARTING = 0,
  DROVER_ATTACH_RUNNING = 1,
  DROVER_ATTACH_DRAINING = 2, /* the task has ended, and the shim writes its last output */
};

struct drover_attach_state_reply {
  struct drover_attach_header header;
  uint32_t phase; /* a drover_attach_phase */
  uint32_t sessions;
  /* In each array, index 0 is for stdout and 1 for stderr. The counters start at 0 when the run
     starts. */
  uint64_t dropped_lines[2];
  uint64_t dropped_bytes[2];
  uint64_t written_bytes[2];
  /* The errno of the last write to the log files, or 0 if that write succeeded. */
  int32_t log_errno[2];
};

/* The signal goes to the task's process or, by SESSION_SIGNAL, to the session's process group. */
#define DROVER_ATTACH_SCOPE_LEADER 0u
#define DROVER_ATTACH_SCOPE_ALL                                \
  1u /* the signal goes to the task's process, and then to all \
        other processes of the run; only older agents use this scope */

struct drover_attach_signal {
  struct drover_attach_header header;
  int32_t signal_number; /* 1..64 */
  uint32_t scope;
};

/*
 * The client chooses header.session, the number of the new session. The file descriptors are passed
 * by SCM_RIGHTS. With the flag DROVER_ATTACH_EXEC_TTY there is one file descriptor, the slave side
 * of the terminal. Without that flag there are three: stdin, stdout and stderr. STRINGS are ARGC
 * arguments and then ENVC variables NAME=VALUE, each ended by NUL. The command gets the task's
 * cgroup, user, limits, working directory and environment. The ENVC variables are added to that
 * environment or replace variables in it. When the connection ends, the shim kills the session's
 * process group.
 */
struct drover_attach_exec {
  struct drover_attach_header header;
  uint32_t flags;
  uint32_t argc;
  uint32_t envc;
  /* Size of the terminal; if ROWS or COLUMNS is 0, the shim does not change its size. */
  uint16_t rows;
  uint16_t columns;
  /* Followed by char strings[]. */
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
  int32_t error;         /* an errno, or 0 for success */
  uint32_t refused_type; /* type of the request that failed, or 0 for success */
};

struct drover_attach_session_exit {
  struct drover_attach_header header;
  /* Wait status as waitpid gives it; valid only if EXEC_ERRNO is 0. */
  int32_t wait_status;
  int32_t exec_errno; /* errno if the command could not be executed, else 0 */
  uint32_t exec_step; /* drover_step_kind of the step that failed */
  uint32_t reserved;
};

struct drover_attach_gap {
  struct drover_attach_header header;
  uint32_t stream; /* 0 for stdout, 1 for stderr */
  uint32_t begins; /* 1 if this message reports the start of a gap, 0 if it reports the end */
  uint64_t lines;  /* LINES and BYTES count what was dropped in this gap so far */
  uint64_t bytes;
};

#define DROVER_EXIT_MAGIC 0x74787244u /* the bytes "Drxt" on a little-endian machine */
#define DROVER_EXIT_VERSION 1u
/* A bit of drover_exit_record.flags: the run had output but no process, so WAIT_STATUS is 0. */
#define DROVER_EXIT_NO_PROCESS 1u

struct drover_exit_record {
  uint32_t magic;
  uint32_t version;
  uint32_t size; /* size in bytes of this struct as the shim wrote it */
  uint32_t flags;
  uint8_t run_id[16];
  uint8_t boot_id[16];
  int32_t wait_status; /* wait status as waitpid gives it */
  /* Number of processes of the run that the kernel killed for lack of memory. */
  uint32_t oom_kills;
  int32_t pid;
  int32_t shim_pid;
  int64_t started_at; /* STARTED_AT and FINISHED_AT are in nanoseconds of CLOCK_REALTIME */
  int64_t finished_at;
  int64_t started_boot; /* STARTED_BOOT and FINISHED_BOOT are in nanoseconds of CLOCK_BOOTTIME */
  int64_t finished_boot;
  /* The members USER_US to INVOLUNTARY_SWITCHES give the resources used by the task's process and
     by those of its children that it waited for. */
  int64_t user_us;
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
  /* 64-bit FNV-1a hash of the SIZE - 8 bytes before this field. This field is always the last 8
     bytes of the record. */
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
