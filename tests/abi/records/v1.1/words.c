/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* Reads the text at *AT, which begins behind its quote, into TO: the host has checked that it is
 * valid JSON. Texts beyond ASCII come as they are; of \u only what fits into one byte. */
static char* read_text(const char** at, char* to) {
  const char* from = *at;
  for (; *from != '"'; ++from) {
    if (*from != '\\') {
      *to++ = *from;
      continue;
    }
    switch (*++from) {
      case 'n':
        *to++ = '\n';
        break;
      case 't':
        *to++ = '\t';
        break;
      case 'r':
        *to++ = '\r';
        break;
      case 'b':
        *to++ = '\b';
        break;
      case 'f':
        *to++ = '\f';
        break;
      case 'u': {
        const char digits[3] = {from[3], from[4], 0};
        *to++ = (char)strtol(digits, NULL, 16);
        from += 4;
        break;
      }
      default:
        *to++ = *from;
    }
  }
  *at = from + 1;
  return to;
}

size_t read_words(const char* config, char* room, drover_str* words) {
  const char* at = strstr(config, "\"command\"");
  const char* args = strstr(config, "\"args\"");
  char* to = room;
  size_t count = 0;
  if (at == NULL) return 0;
  at = strchr(at + 9, '"') + 1;
  words[count].data = to;
  to = read_text(&at, to);
  words[count].size = (size_t)(to - words[count].data);
  ++count;
  if (args == NULL) return count;
  for (at = strchr(args, '[') + 1; *at != ']'; ++at) {
    if (*at != '"') continue;
    if (count == MAX_WORDS) return 0;
    ++at;
    words[count].data = to;
    to = read_text(&at, to);
    words[count].size = (size_t)(to - words[count].data);
    ++count;
    --at;
  }
  return count;
}
