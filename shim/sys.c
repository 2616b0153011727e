/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/sys.h"

#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "shim/child_entry.h"

int main(void);

/* Called by _start, which aligns the stack: the kernel starts a program with a stack that is not
   aligned as for a function call. main takes no arguments. */
__attribute__((used)) static _Noreturn void enter(void) { sys_exit(main()); }

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".global _start\n"
    "_start:\n"
    "  xorl %ebp, %ebp\n"
    "  andq $-16, %rsp\n"
    "  call enter\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".global _start\n"
    "_start:\n"
    "  mov x29, xzr\n"
    "  mov x30, xzr\n"
    "  bl enter\n");
#endif

long sys_start_thread(void (*function)(void*), void* stack_end) {
  const long flags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  return call_with_child(SYS_clone, flags, (long)stack_end, 0, 0, 0, function, NULL);
}

void sys_hex(const uint8_t* bytes, size_t count, char* text) {
  static const char kDigits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  text[2 * count] = '\0';
}

/* Functions of string.h: those to which the compiler adds calls by itself, and a few others that
   the shim uses. */

void* memcpy(void* restrict to, const void* restrict from, size_t count) {
#if defined(__x86_64__)
  void* at = to;
  __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(count) : : "memory");
#else
  for (size_t i = 0; i < count; i++) ((char*)to)[i] = ((const char*)from)[i];
#endif
  return to;
}

void* memmove(void* to, const void* from, size_t count) {
  if ((uintptr_t)to - (uintptr_t)from >= count) return memcpy(to, from, count);
  for (size_t i = count; i > 0; i--) ((char*)to)[i - 1] = ((const char*)from)[i - 1];
  return to;
}

void* memset(void* to, int byte, size_t count) {
#if defined(__x86_64__)
  void* at = to;
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(byte) : "memory");
#else
  for (size_t i = 0; i < count; i++) ((char*)to)[i] = (char)byte;
#endif
  return to;
}

int memcmp(const void* left, const void* right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* Returns true if one of the 8 bytes of WORD equals the byte that fills all 8 bytes of PATTERN. */
static int word_has(uint64_t word, uint64_t pattern) {
  const uint64_t low = 0x0101010101010101u, difference = word ^ pattern;
  return ((difference - low) & ~difference & (low << 7)) != 0;
}

void* memchr(const void* start, int byte, size_t count) {
  const unsigned char *at = start, *end = at + count;
  const uint64_t pattern = 0x0101010101010101u * (unsigned char)byte;
  for (uint64_t word; end - at >= 8; at += 8) {
    __builtin_memcpy(&word, at, sizeof word);
    if (word_has(word, pattern)) break;
  }
  for (; at < end; at++)
    if (*at == (unsigned char)byte) return (void*)at;
  return NULL;
}

void* memrchr(const void* start, int byte, size_t count) {
  const unsigned char *first = start, *at = first + count;
  const uint64_t pattern = 0x0101010101010101u * (unsigned char)byte;
  for (uint64_t word; at - first >= 8; at -= 8) {
    __builtin_memcpy(&word, at - 8, sizeof word);
    if (word_has(word, pattern)) break;
  }
  while (at > first)
    if (*--at == (unsigned char)byte) return (void*)at;
  return NULL;
}

size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

int strncmp(const char* left, const char* right, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (left[i] != right[i]) return (unsigned char)left[i] < (unsigned char)right[i] ? -1 : 1;
    if (!left[i]) return 0;
  }
  return 0;
}

char* strchrnul(const char* text, int byte) {
  while (*text && *text != (char)byte) text++;
  return (char*)text;
}

char* strchr(const char* text, int byte) {
  text = strchrnul(text, byte);
  return *text == (char)byte ? (char*)text : NULL;
}

char* strrchr(const char* text, int byte) {
  const char* found = NULL;
  for (;; text++) {
    if (*text == (char)byte) found = text;
    if (!*text) return (char*)found;
  }
}
