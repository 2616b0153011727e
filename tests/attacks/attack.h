/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Shared by the attacks. Each is a program that ends with 0 if it got what it must not get. */
#ifndef DROVER_TESTS_ATTACKS_ATTACK_H_
#define DROVER_TESTS_ATTACKS_ATTACK_H_

#include <errno.h>
#include <stdio.h>
#include <string.h>

static inline int succeeded(const char* what) {
  printf("succeeded: %s\n", what);
  return 0;
}

static inline int held(const char* what) {
  printf("held: %s: %s\n", what, strerror(errno));
  return 1;
}

#endif /* DROVER_TESTS_ATTACKS_ATTACK_H_ */
