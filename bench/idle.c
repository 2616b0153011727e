/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* A task that is idle: static, sleeps until it is killed. */
#include <unistd.h>

int main(void) {
  for (;;) pause();
}
