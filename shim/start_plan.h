/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The start message from an agent to its own shim, compiled from the task's description. It is NOT
 * frozen: the shim is embedded in the agent, so both ends are of one build. The shim still checks
 * every size and offset. Valid C11 and C++.
 *
 * It is the first datagram on descriptor 3 of the shim. It is sent before the shim exists, so it
 * arrives whole or not at all; a shim that reads the end of the connection instead exits. It is a
 * drover_start, then STEPS_SIZE bytes of steps; a plan too big for one datagram comes in a memory
 * file. The answer is one drover_start_reply. After that the connection is an attach connection, as
 * if it had sent HELLO and subscribed to everything.
 */
#ifndef DROVER_SHIM_START_PLAN_H_
#define DROVER_SHIM_START_PLAN_H_

#include <stdint.h>

#include "shim/attach_protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_START 50u
#define DROVER_START_REPLY 150u
#define DROVER_PLAN_VERSION 1u
#define DROVER_PLAN_MAX_STEPS 256u
#define DROVER_PLAN_MAX_SIZE (8u << 20) /* bytes of steps: above the kernel's limit of one exec */
#define DROVER_PLAN_MAX_FDS 128u
#define DROVER_PLAN_MAX_STRINGS 65536u /* arguments plus variables */
#define DROVER_PLAN_MAX_GROUPS 4096u
#define DROVER_PLAN_MAX_FILTER 4096u /* instructions; the kernel's limit */

/* drover_start.flags */
#define DROVER_START_BOUND 1u        /* the run stops when the agent's connection ends */
#define DROVER_START_NO_PROCESS 2u   /* only reads stdout_fd and stderr_fd */
#define DROVER_START_LOGS 4u         /* output goes to log_dir_fd, else to /dev/null */
#define DROVER_START_FREEZER 8u      /* cgroup_fd is of the freezer of version 1; JOIN enters it */
#define DROVER_START_MOUNT_CALLS 16u /* the newer calls for mounts work (shim/mount_calls.h) */

struct drover_start {
  struct drover_attach_header header;
  uint32_t version;
  uint32_t flags;
  uint8_t run_id[16];
  uint8_t boot_id[16];
  /* Indexes into the descriptors of the message; -1: none. */
  int32_t run_dir_fd;
  int32_t log_dir_fd;
  int32_t cgroup_fd;
  int32_t memory_events_fd;
  int32_t stdout_fd;
  int32_t stderr_fd;
  int32_t plan_fd;
  int32_t kill_signal; /* if bound */
  uint64_t kill_timeout_ns;
  uint64_t max_file_size;
  uint32_t max_files;
  uint32_t step_count;
  uint32_t steps_size;
  uint32_t reserved;
  char log_name[232]; /* the task's name, NUL at the end */
};

/* Errors beside the errnos. */
#define DROVER_NOT_AS_CLAIMED 4096 /* the kernel reports another mount than the step claims */
#define DROVER_NO_ROOM 4097        /* the run directory has no room for the exit record */
#define DROVER_LEAVES_ROOT 4098    /* a path leads out of the task's root, or by a link of /proc */

struct drover_start_reply {
  struct drover_attach_header header;
  int32_t error; /* errno, 0: the program has been executed */
  int32_t step;  /* index of the step that failed; -1: not in a step */
  uint32_t kind; /* drover_step_kind of that step */
  int32_t shim_pid;
  int32_t pid;
  uint32_t reserved;
  int64_t started_at;   /* CLOCK_REALTIME nanoseconds */
  int64_t started_boot; /* CLOCK_BOOTTIME nanoseconds */
};

/*
 * A step is a drover_step followed by its payload and zeros up to SIZE, a multiple of 8. The new
 * process executes the steps in their order; EXEC is the last.
 */
enum drover_step_kind {
  DROVER_STEP_NONE = 0,
  DROVER_STEP_CGROUP = 1,        /* drover_step_number: index of the cgroup's descriptor; first */
  DROVER_STEP_SETSID = 2,        /* nothing */
  DROVER_STEP_OOM_SCORE_ADJ = 3, /* drover_step_number */
  DROVER_STEP_RLIMIT = 4,        /* drover_step_rlimit */
  DROVER_STEP_UMASK = 5,         /* drover_step_number */
  DROVER_STEP_IDS = 6,           /* drover_step_ids + groups */
  DROVER_STEP_CWD = 7,           /* drover_step_cwd + path; after CLOSE */
  DROVER_STEP_NO_NEW_PRIVS = 8,  /* nothing */
  DROVER_STEP_PDEATHSIG = 9,     /* nothing; after the last change of credentials */
  DROVER_STEP_EXEC = 10,         /* drover_step_exec + pointers + strings; after CLOSE */
  DROVER_STEP_BOUNDING = 11,     /* drover_step_capabilities; before IDS */
  DROVER_STEP_CAPABILITIES = 12, /* drover_step_capabilities; after IDS */
  DROVER_STEP_SECCOMP = 13,      /* drover_step_filter + instructions; shortly before EXEC */
  DROVER_STEP_KEYRING = 14,      /* nothing: a session keyring of its own */
  DROVER_STEP_ENTER = 15,        /* nothing: the namespaces that NAMESPACES has made */
  DROVER_STEP_JOIN = 23,         /* drover_step_number: index of a version 1 cgroup's directory */
  DROVER_STEP_NETWORK = 24,      /* drover_step_number: index of a network namespace */
  DROVER_STEP_CLOSE = 26, /* nothing: closes all descriptors but 0 to 2 and the status pipe */
  /* For the process that holds the namespaces. */
  DROVER_STEP_NAMESPACES = 16,       /* drover_step_number: CLONE_NEW... of the run */
  DROVER_STEP_PRIVATE_MOUNTS = 17,   /* nothing: no mount reaches the host from here */
  DROVER_STEP_FILESYSTEM = 18,       /* drover_step_filesystem + strings; the first is the root */
  DROVER_STEP_MOUNT = 19,            /* drover_step_mount + path */
  DROVER_STEP_NODE = 20,             /* drover_step_node + path and target */
  DROVER_STEP_MOUNT_ATTRIBUTES = 21, /* drover_step_mount_attributes + path */
  DROVER_STEP_PIVOT = 22,            /* drover_step_number: 1 pivot_root, 0 chroot */
  DROVER_STEP_VERIFY = 25, /* nothing: the mounts are as the steps claim; after PIVOT. A failure
                              with the index of another step is about the mount of that step */
  DROVER_STEP_CLEAN_MOUNTS = 27, /* drover_step_number: index of a mount namespace. The namespace of
                                    the run begins as a copy of it, not of the shim's. It needs the
                                    newer calls for mounts: no path of the host exists in it */
  DROVER_STEP_KINDS = 28,        /* above every kind */
};

#define DROVER_STEP_FOR_TASK 1u    /* drover_step.flags: which processes execute the step */
#define DROVER_STEP_FOR_SESSION 2u /* for EXEC: only its environment */
#define DROVER_STEP_FOR_NAMESPACES 4u

struct drover_step {
  uint16_t kind;
  uint16_t flags;
  uint32_t size;
};

struct drover_step_number {
  struct drover_step step;
  int64_t number;
};

struct drover_step_rlimit {
  struct drover_step step;
  uint32_t resource;
  uint32_t reserved;
  uint64_t soft;
  uint64_t hard;
};

struct drover_step_ids {
  struct drover_step step;
  uint32_t uid;
  uint32_t gid;
  uint32_t group_count;
  uint32_t reserved;
  /* uint32_t groups[group_count] */
};

/* Sets of capabilities, bit N for capability N. */
struct drover_step_capabilities {
  struct drover_step step;
  uint64_t bounding;  /* all others leave the bounding set */
  uint64_t permitted; /* become permitted and effective, as far as the shim itself has them */
  uint64_t ambient;   /* become inheritable and ambient, too: a user other than root keeps them */
};

struct drover_step_filter {
  struct drover_step step;
  uint32_t count;
  uint32_t reserved;
  /* struct sock_filter instructions[count] */
};

/* Checks of paths that the task, or another task, can make lead anywhere. */
#define DROVER_PATH_NO_PROC_LINKS 1u /* follows no links of /proc: they lead past every root */
#define DROVER_PATH_IN_ROOT 2u       /* the directory must be below the root of the process */

struct drover_step_cwd {
  struct drover_step step;
  uint32_t path_flags; /* DROVER_PATH_... */
  uint32_t reserved;
  /* char path[], NUL at the end */
};

/* Makes a file system and mounts it. */
struct drover_step_filesystem {
  struct drover_step step;
  uint32_t attributes; /* MOUNT_ATTR_... */
  uint32_t option_count;
  /* char type[], target[] (empty: it is the new root), options[option_count][] as KEY or KEY=VALUE
   */
};

#define DROVER_MOUNT_FILE 1u      /* the mount is of a file */
#define DROVER_MOUNT_MAY_MISS 2u  /* nothing is done if the target does not exist */
#define DROVER_MOUNT_PLACE 4u     /* tree_fd is no mount, but the place that the mount will show */
#define DROVER_MOUNT_RECURSIVE 8u /* a copy has the mounts below it, too */
#define DROVER_MOUNT_FOLLOWS 16u  /* mounts of the host below it may appear here at any moment */

/* Attaches a mount that belongs to no namespace yet, or a copy of a place of the host, or a copy of
   SOURCE, a place below the new root. */
struct drover_step_mount {
  struct drover_step step;
  int32_t tree_fd; /* index; -1: SOURCE */
  uint32_t flags;
  uint32_t attributes; /* MOUNT_ATTR_... that it has, and that a copy gets in addition */
  uint32_t reserved;
  /* char target[], source[] */
};

struct drover_step_node {
  struct drover_step step;
  uint32_t mode;   /* S_IFDIR, S_IFCHR, S_IFBLK or S_IFLNK, with permissions */
  uint32_t device; /* as for mknod */
  /* char path[], target[] (of a link) */
};

struct drover_step_mount_attributes {
  struct drover_step step;
  uint32_t set; /* MOUNT_ATTR_... */
  uint32_t reserved;
  /* char path[]; empty: the root */
};

struct drover_step_exec {
  struct drover_step step;
  uint32_t argc;
  uint32_t envc;
  uint32_t path_flags; /* DROVER_PATH_NO_PROC_LINKS or 0 */
  uint32_t reserved;
  /*
   * uint64_t pointers[argc + 1 + envc + 1]: zeros that the shim turns into argv and envp in place.
   * Then strings, each ended by NUL: the program, ARGC arguments, ENVC times NAME=VALUE.
   */
};

#ifdef __cplusplus
}
#endif

#endif /* DROVER_SHIM_START_PLAN_H_ */
