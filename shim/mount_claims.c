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

enum {
  kLine = 4096, /* size of the line buffer; the rest of a longer line is ignored */
  kTries = 10
};

struct mount_line {
  uint64_t id;
  const char* place; /* absolute path of the mount point */
  uint32_t attributes;
};

/* What a step claims about the mount that it has made or changed. */
struct claim {
  const char* place; /* the mount point, or NULL if the step claims nothing */
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

/* Returns true if PLACE is DIRECTORY or a path below DIRECTORY. In that case sets EXACT to true if
   the two are equal, and to false otherwise. A path may begin with a slash, but must not end with a
   slash. */
static bool covers(const char* directory, const char* place, bool* exact) {
  if (*directory == '/') directory++;
  if (*place == '/') place++;
  const size_t length = strlen(directory);
  if (length > 0 && strncmp(directory, place, length) != 0) return false;
  if (length > 0 && place[length] && place[length] != '/') return false;
  *exact = !place[length];
  return true;
}

static bool has(uint32_t attributes, uint32_t wanted) { return (attributes & wanted) == wanted; }

/*
 * Returns the attributes that the steps before END claim for the mount at PLACE. If END is NULL,
 * all steps count. The last step that mounts something at PLACE or above PLACE sets the attributes.
 * Later steps for exactly PLACE add attributes. No step mounts over the mount of another step,
 * because the agent leaves out mounts that would be hidden.
 *
 * If BY is not NULL, sets BY to the index of the last step that set or added attributes. If SEEN is
 * not NULL, sets in SEEN the bits of the steps for exactly PLACE that have succeeded. A step has
 * succeeded if FOUND, the real attributes of the mount, contains all attributes that it claims.
 */
static uint32_t claimed(const struct plan* plan, const struct drover_step* end, const char* place,
                        uint32_t found, uint64_t* seen, int32_t* by) {
  uint32_t attributes = 0;
  int32_t index = 0;
  for (const struct drover_step* step = plan_next(plan, NULL); step && step != end;
       step = plan_next(plan, step), index++) {
    const struct claim claim = claim_of(step);
    bool exact;
    if (!claim.place || !covers(claim.place, place, &exact)) continue;
    if (seen && exact && has(found, claim.attributes)) seen[index / 64] |= 1ull << (index % 64);
    if (claim.makes)
      attributes = claim.attributes;
    else if (exact)
      attributes |= claim.attributes;
    else
      continue;
    if (by) *by = index;
  }
  return attributes;
}

bool mount_claims_read_only(const struct plan* plan, const struct drover_step* before,
                            const char* place) {
  return claimed(plan, before, place, 0, NULL, NULL) & MOUNT_ATTR_RDONLY;
}

static bool take_word(char** at, char** word) {
  *word = *at;
  while (**at && **at != ' ') ++*at;
  if (!**at) return false;
  *(*at)++ = 0;
  return true;
}

/* Decodes TEXT in place. The kernel writes a space or a similar character as a backslash and three
   octal digits. */
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
                {"noexec", MOUNT_ATTR_NOEXEC},
                {"nosymfollow", MOUNT_ATTR_NOSYMFOLLOW}};
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

/* Parses the line "ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS ..." of a mountinfo file. */
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

/* Opens the mount of LINE. Returns a file descriptor or a negative errno. The errno is -ENOENT if
   that mount is no longer at its mount point, or if another mount covers it. */
static long open_visible(const struct mount_line* line) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  const long place = SYS(openat2, AT_FDCWD, line->place, &how, sizeof how);
  if (place < 0) return place == -ENOTDIR || place == -ELOOP ? -ENOENT : place;
  struct statx info;
  long result = SYS(statx, place, "", AT_EMPTY_PATH, STATX_MNT_ID, &info);
  if (result == 0 && !(info.stx_mask & STATX_MNT_ID)) result = -ENOSYS;
  if (result == 0 && info.stx_mnt_id != line->id) result = -ENOENT;
  if (result == 0) return place;
  SYS(close, place);
  return result;
}

static bool is_hidden(const struct mount_line* line) {
  const long place = open_visible(line);
  if (place >= 0) SYS(close, place);
  return place == -ENOENT;
}

/* Adds the attributes WANTED to the mount of LINE. Does nothing if that mount is hidden or the host
   has unmounted it. If the host has replaced that mount by a new mount with the same id at the same
   place, this function changes the new mount. */
static int add_attributes(const struct mount_line* line, uint32_t wanted) {
  int error = 0;
  for (int tries = 0; tries < kTries; tries++) {
    const long place = open_visible(line);
    if (place < 0) return place == -ENOENT ? 0 : (int)-place;
    error = mount_calls_exist() ? mount_calls_set((int)place, wanted)
                                : mount_calls_remount((int)place, line->attributes, wanted);
    SYS(close, place);
    if (!error || is_hidden(line)) return 0;
    if (error != EINVAL) break; /* EINVAL means that the mount no longer exists */
  }
  return error;
}

/* Returns true if the host may add mounts below the mount of the step with INDEX at any time. */
static bool may_have_come(const struct plan* plan, int32_t index) {
  const struct drover_step* step = plan_next(plan, NULL);
  for (; step && index > 0; step = plan_next(plan, step)) index--;
  return step && step->kind == DROVER_STEP_MOUNT &&
         ((const struct drover_step_mount*)step)->flags & DROVER_MOUNT_FOLLOWS;
}

static int check_line(const struct plan* plan, char* text, bool add, uint64_t* seen,
                      int32_t* step) {
  struct mount_line line;
  if (!parse(text, &line)) return ENAMETOOLONG;
  int32_t by = *step;
  const uint32_t wanted = claimed(plan, NULL, line.place, line.attributes, seen, &by);
  if (has(line.attributes, wanted)) return 0;
  int error = DROVER_NOT_AS_CLAIMED;
  if (add || may_have_come(plan, by))
    error = add_attributes(&line, wanted);
  else if (!mount_calls_exist() && is_hidden(&line))
    error = 0;
  if (error) *step = by;
  return error;
}

/* Checks all lines of the mountinfo file. With ADD, adds the attributes that a mount lacks.
   Ignores the part of a line that does not fit into BUFFER. */
static int check_lines(const struct plan* plan, int file, bool add, uint64_t* seen, int32_t* step) {
  char buffer[kLine];
  size_t length = 0;
  /* True if BUFFER begins with the rest of a long line whose beginning has been checked. */
  bool rest = false;
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

/* Fails if the kernel has not listed the mount of a step, and sets STEP to the index of that
   step. */
static int check_missing(const struct plan* plan, const uint64_t* seen, int32_t* step) {
  int32_t index = 0;
  for (const struct drover_step* at = plan_next(plan, NULL); at;
       at = plan_next(plan, at), index++) {
    const struct claim claim = claim_of(at);
    if (!claim.place || seen[index / 64] & 1ull << (index % 64)) continue;
    struct stat info;
    const long found =
        claim.may_miss ? SYS(newfstatat, AT_FDCWD, claim.place, &info, AT_SYMLINK_NOFOLLOW) : 0;
    if (found == -ENOENT) continue;
    if (found < 0) return (int)-found;
    *step = index;
    return DROVER_NOT_AS_CLAIMED;
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
