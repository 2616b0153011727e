/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/sys.h"

#include <sched.h>
#include <stdint.h>
#include <string.h>

int main(void);

/* The kernel enters here with an unaligned frame; main does not look at its arguments. */
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

long sys_start_thread(void (*function)(void), void* stack_end) {
  const long flags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
#if defined(__x86_64__)
  long result;
  register void (*f)(void) __asm__("r12") = function;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "callq *%[f]\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "0"((long)SYS_clone), "D"(flags), "S"(stack_end), "d"(0L), "r"(r10), "r"(r8), [f] "r"(f)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = flags;
  register long x1 __asm__("x1") = (long)stack_end;
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  register void (*f)(void) __asm__("x19") = function;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "blr %[f]\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [f] "r"(f)
      : "memory", "cc", "x30");
  return x0;
#endif
}

long sys_clone_call(const struct clone_args* args, size_t size, void (*function)(void*),
                    void* argument) {
#if defined(__x86_64__)
  long result;
  register void (*f)(void*) __asm__("r12") = function;
  register void* a __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %[a], %%rdi\n\t"
      "callq *%[f]\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "0"((long)SYS_clone3), "D"(args), "S"(size), [f] "r"(f), [a] "r"(a)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_clone3;
  register long x0 __asm__("x0") = (long)args;
  register long x1 __asm__("x1") = (long)size;
  register void (*f)(void*) __asm__("x19") = function;
  register void* a __asm__("x20") = argument;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, %[a]\n\t"
      "blr %[f]\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), [f] "r"(f), [a] "r"(a)
      : "memory", "cc", "x30");
  return x0;
#endif
}

/* What the compiler calls by itself, and the few others that the shim uses. */

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

/* Does the word hold the byte whose copies PATTERN consists of? */
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
