/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The program that every side of the benchmark runs: it is static and does nothing. */
int main(void) { return 0; }
