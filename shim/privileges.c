/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "shim/sys.h"

int privileges_set_ids(const struct drover_step_ids* ids) {
  long result = SYS(setgroups, ids->group_count, ids + 1);
  if (result == 0) result = SYS(setresgid, ids->gid, ids->gid, ids->gid);
  if (result == 0) result = SYS(setresuid, ids->uid, ids->uid, ids->uid);
  return sys_error(result);
}

int privileges_bound(const struct drover_step_capabilities* capabilities) {
  for (int capability = 0; capability < 64; capability++) {
    if (capabilities->bounding >> capability & 1) continue;
    const long result = SYS(prctl, PR_CAPBSET_DROP, capability);
    /* EINVAL means that this number is above the highest capability of the kernel. */
    if (result == -EINVAL && capability > 0) break;
    if (result < 0) return (int)-result;
  }
  const long result = SYS(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  if (result < 0) return (int)-result;
  return sys_error(SYS(prctl, PR_SET_KEEPCAPS, 1));
}

static int write_sets(uint64_t permitted, uint64_t inheritable) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct data[2] = {
      {(uint32_t)permitted, (uint32_t)permitted, (uint32_t)inheritable},
      {(uint32_t)(permitted >> 32), (uint32_t)(permitted >> 32), (uint32_t)(inheritable >> 32)}};
  return sys_error(SYS(capset, &header, data));
}

int privileges_set(const struct drover_step_capabilities* capabilities) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct own[2];
  int error = sys_error(SYS(capget, &header, own));
  const uint64_t permitted = own[0].permitted | (uint64_t)own[1].permitted << 32;
  /* Permitted capabilities that the shim lacks are left out. Ambient capabilities are not left out,
     because the job lists them by name: capset fails if the shim lacks one of them. */
  const uint64_t wanted = (capabilities->permitted & permitted) | capabilities->ambient;
  if (!error) error = write_sets(wanted, capabilities->ambient);
  for (int capability = 0; capability < 64 && !error; capability++)
    if (capabilities->ambient >> capability & 1)
      error = sys_error(SYS(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0));
  if (!error) error = sys_error(SYS(prctl, PR_SET_KEEPCAPS, 0));
  return error;
}

int privileges_filter(const struct drover_step_filter* filter) {
  const struct sock_fprog program = {.len = (unsigned short)filter->count,
                                     .filter = (struct sock_filter*)(filter + 1)};
  return sys_error(SYS(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

int privileges_new_keyring(void) {
  const long result = SYS(keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  /* ENOSYS means that the kernel has no keyrings. So there is no key that the task could reach. */
  return result == -ENOSYS ? 0 : sys_error(result);
}
