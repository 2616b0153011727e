/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The macros of layout.c and draft_layout.c. sdk/rust/generate.py reads their lines AT and END. */
#ifndef DROVER_TESTS_ABI_LAYOUT_H
#define DROVER_TESTS_ABI_LAYOUT_H

#include <stddef.h>

#ifdef __cplusplus
#define CHECK(condition) static_assert(condition, #condition)
#else
#define CHECK(condition) _Static_assert(condition, #condition)
#endif
#define AT(type, member, offset) CHECK(offsetof(type, member) == (offset))
/* The size, which the last member must reach. Padding at the end would be wrong: a later member in
 * it would count as present in an older struct. */
#define END(type, last, size)    \
  CHECK(sizeof(type) == (size)); \
  CHECK(offsetof(type, last) + sizeof(((type*)0)->last) == sizeof(type))

#endif /* DROVER_TESTS_ABI_LAYOUT_H */
