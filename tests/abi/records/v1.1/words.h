/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#ifndef WORDS_H
#define WORDS_H

#include "drover/drover.h"

enum { MAX_WORDS = 64 };

/* The words of {"command": "a", "args": ["b", ...]}, in that order whichever comes first, into
 * ROOM, which is as large as CONFIG. 0: there is no command, or there are too many. */
size_t read_words(const char* config, char* room, drover_str* words);

#endif
