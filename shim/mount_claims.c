/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/mount_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/mount_calls.h"
#include "shim/sys.h"

enum { kLine = 4096 }; /* enough of a line for what is read of it */

struct mount_line {
  uint64_t id;
  const char* place; /* absolute */
  uint32_t attributes;
};

/* What a step says about the mount that it has made, or changed. */
struct claim {
  const char* place; /* NULL: none */
  uint32_t attributes;
  bool makes;
  bool may_miss;
};

static struct claim claim_of(const struct drover_step* step) {
  switch (step->kind) {
    case DROVER_STEP_FILESYSTEM: {
      const struct drover_step_filesystem* made = (const struct drover_step_filesystem*)step;
      const char* type = (const char*)(made + 1);
      return (struct claim){type + strlen(type) + 1, made->attributes, true, false};
    }
    case DROVER_STEP_MOUNT: {
      const struct drover_step_mount* mount = (const struct drover_step_mount*)step;
      return (struct claim){(const char*)(mount + 1), mount->attributes, true,
                            mount->flags & DROVER_MOUNT_MAY_MISS};
    }
    case DROVER_STEP_MOUNT_ATTRIBUTES: {
      const struct drover_step_mount_attributes* set =
          (const struct drover_step_mount_attributes*)step;
      return (struct claim){(const char*)(set + 1), set->set, false, false};
    }
    default:
      return (struct claim){NULL, 0, false, false};
  }
}

/* The length of DIRECTORY if PLACE is it or lies below it, else -1; both without a slash at the
   end, and with or without one at the beginning. */
static int covers(const char* directory, const char* place, bool* exact) {
  if (*directory == '/') directory++;
  if (*place == '/') place++;
  const size_t length = strlen(directory);
  if (length > 0 && strncmp(directory, place, length) != 0) return -1;
  if (length > 0 && place[length] && place[length] != '/') return -1;
  *exact = !place[length];
  return (int)length;
}

static bool has(uint32_t attributes, uint32_t wanted) { return (attributes & wanted) == wanted; }

/*
 * The attributes that the steps claim for the place of LINE: those of the last that has mounted
 * there, or nearest above, with what was set at the very place later. SEEN gets the bits of the
 * steps that are about the very place and find here what they claim; BY is the index of the one
 * that has the say.
 */
static uint32_t claimed(const struct plan* plan, const struct mount_line* line, uint64_t* seen,
                        int32_t* by) {
  uint32_t attributes = 0;
  int nearest = -1;
  int32_t index = 0;
  for (const struct drover_step* step = plan_next(plan, NULL); step;
       step = plan_next(plan, step), index++) {
    const struct claim claim = claim_of(step);
    if (!claim.place) continue;
    bool exact;
    const int length = covers(claim.place, line->place, &exact);
    if (length < 0) continue;
    if (exact && has(line->attributes, claim.attributes)) seen[index / 64] |= 1ull << (index % 64);
    if (claim.makes && length >= nearest) {
      nearest = length;
      attributes = claim.attributes;
      *by = index;
    } else if (!claim.makes && exact) {
      attributes |= claim.attributes;
      *by = index;
    }
  }
  return attributes;
}

/* Has a later step mounted upon the mount of STEP? */
static bool is_covered(const struct plan* plan, const struct drover_step* step) {
  const char* place = claim_of(step).place;
  for (const struct drover_step* later = plan_next(plan, step); later;
       later = plan_next(plan, later)) {
    const struct claim upon = claim_of(later);
    bool exact;
    if (upon.place && upon.makes && covers(upon.place, place, &exact) >= 0) return true;
  }
  return false;
}

/* Is it of a step that is covered, and as that step claims? Nobody reaches it any more; so neither
   did what mount(2) should have added to it. */
static bool is_of_covered_step(const struct plan* plan, const struct mount_line* line) {
  for (const struct drover_step* step = plan_next(plan, NULL); step; step = plan_next(plan, step)) {
    const struct claim claim = claim_of(step);
    bool exact;
    if (claim.place && claim.makes && covers(claim.place, line->place, &exact) >= 0 &&
        (!mount_calls_exist() || has(line->attributes, claim.attributes)) && is_covered(plan, step))
      return true;
  }
  return false;
}

static bool take_word(char** at, char** word) {
  *word = *at;
  while (**at && **at != ' ') ++*at;
  if (!**at) return false;
  *(*at)++ = 0;
  return true;
}

/* Spaces and the like are written as a backslash and three octal digits. */
static void unescape(char* text) {
  char* out = text;
  for (; *text; text++) {
    if (*text == '\\' && text[1] && text[2] && text[3]) {
      *out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
      text += 3;
    } else {
      *out++ = *text;
    }
  }
  *out = 0;
}

static uint32_t attributes_of(char* options) {
  static const struct {
    const char* name;
    uint32_t attribute;
  } kNames[] = {{"ro", MOUNT_ATTR_RDONLY},
                {"nosuid", MOUNT_ATTR_NOSUID},
                {"nodev", MOUNT_ATTR_NODEV},
                {"noexec", MOUNT_ATTR_NOEXEC}};
  uint32_t attributes = 0;
  while (*options) {
    char* end = strchrnul(options, ',');
    const size_t length = (size_t)(end - options);
    for (unsigned i = 0; i < sizeof kNames / sizeof *kNames; i++)
      if (strlen(kNames[i].name) == length && memcmp(kNames[i].name, options, length) == 0)
        attributes |= kNames[i].attribute;
    options = *end ? end + 1 : end;
  }
  return attributes;
}

/* "ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS ..." */
static bool parse(char* text, struct mount_line* line) {
  char *id, *skipped, *place, *options;
  if (!take_word(&text, &id) || !take_word(&text, &skipped) || !take_word(&text, &skipped) ||
      !take_word(&text, &skipped) || !take_word(&text, &place) || !take_word(&text, &options))
    return false;
  line->id = 0;
  for (; *id >= '0' && *id <= '9'; id++) line->id = line->id * 10 + (uint64_t)(*id - '0');
  unescape(place);
  line->place = place;
  line->attributes = attributes_of(options);
  return true;
}

/* What mount(2) could not do at once. A mount that is no longer at its place, or that another lies
   upon, stays as it is. */
static int add_attributes(const struct mount_line* line, uint32_t wanted) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  const long place = SYS(openat2, AT_FDCWD, line->place, &how, sizeof how);
  if (place < 0) return 0;
  struct statx info;
  int error = 0;
  if (SYS(statx, place, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) == 0 && info.stx_mnt_id == line->id)
    error = mount_calls_remount((int)place, line->attributes, wanted);
  SYS(close, place);
  return error;
}

static int check_line(const struct plan* plan, char* text, bool add, uint64_t* seen,
                      int32_t* step) {
  struct mount_line line;
  if (!parse(text, &line)) return ENAMETOOLONG;
  int32_t by = *step;
  const uint32_t wanted = claimed(plan, &line, seen, &by);
  if (has(line.attributes, wanted)) return 0;
  if (add) return add_attributes(&line, wanted);
  if (is_of_covered_step(plan, &line)) return 0;
  *step = by;
  return EPERM;
}

/* All lines, or with ADD adds what they lack; what of a line is beyond BUFFER is not looked at. */
static int check_lines(const struct plan* plan, int file, bool add, uint64_t* seen, int32_t* step) {
  char buffer[kLine];
  size_t length = 0;
  bool rest = false; /* of a line whose beginning has been checked */
  for (;;) {
    const long n = SYS(read, file, buffer + length, sizeof buffer - 1 - length);
    if (n < 0) return (int)-n;
    if (n == 0) return length == 0 ? 0 : EIO;
    length += (size_t)n;
    char* at = buffer;
    for (char* end; (end = memchr(at, '\n', length - (size_t)(at - buffer))); at = end + 1) {
      *end = 0;
      const int error = rest ? 0 : check_line(plan, at, add, seen, step);
      if (error) return error;
      rest = false;
    }
    length -= (size_t)(at - buffer);
    if (length == sizeof buffer - 1) {
      buffer[length] = 0;
      const int error = rest ? 0 : check_line(plan, at, add, seen, step);
      if (error) return error;
      rest = true;
      length = 0;
    }
    if (length > 0) memmove(buffer, at, length);
  }
}

/* Finds a step that was to mount something of which the kernel knows nothing. */
static int check_missing(const struct plan* plan, const uint64_t* seen, int32_t* step) {
  int32_t index = 0;
  for (const struct drover_step* at = plan_next(plan, NULL); at;
       at = plan_next(plan, at), index++) {
    const struct claim claim = claim_of(at);
    if (!claim.place || seen[index / 64] & 1ull << (index % 64)) continue;
    if (!mount_calls_exist() && is_covered(plan, at)) continue;
    struct stat info;
    const long found =
        claim.may_miss ? SYS(newfstatat, AT_FDCWD, claim.place, &info, AT_SYMLINK_NOFOLLOW) : 0;
    if (found == -ENOENT) continue;
    if (found < 0) return (int)-found;
    *step = index;
    return EPERM;
  }
  return 0;
}

static int check_all(const struct plan* plan, bool add, int32_t* step) {
  uint64_t seen[DROVER_PLAN_MAX_STEPS / 64] = {0};
  const int file = (int)sys_open(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return -file;
  const int error = check_lines(plan, file, add, seen, step);
  SYS(close, file);
  return error || add ? error : check_missing(plan, seen, step);
}

int mount_claims_verify(const struct plan* plan, int32_t* step) {
  const int error = mount_calls_exist() ? 0 : check_all(plan, true, step);
  return error ? error : check_all(plan, false, step);
}
