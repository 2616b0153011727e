/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Calls clone or clone3 so that the child runs on a stack of its own. The shim and the agent both
   use this header. */
#ifndef DROVER_SHIM_CHILD_ENTRY_H_
#define DROVER_SHIM_CHILD_ENTRY_H_

#include <stddef.h>
#include <sys/syscall.h>

/*
 * Calls the system call NUMBER, which is SYS_clone or SYS_clone3, with the arguments A to E. The
 * child runs FUNCTION(ARGUMENT), which must never return, on the stack that these arguments
 * specify. The parent gets the child's pid or a negative errno. The child does not touch the
 * parent's stack before it calls FUNCTION, so parent and child may share their memory.
 */
static inline long call_with_child(long number, long a, long b, long c, long d, long e,
                                   void (*function)(void*), void* argument) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register void (*f)(void*) __asm__("r12") = function;
  register void* x __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %[x], %%rdi\n\t"
      "callq *%[f]\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), [f] "r"(f), [x] "r"(x)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register void (*f)(void*) __asm__("x19") = function;
  register void* x __asm__("x20") = argument;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, %[x]\n\t"
      "blr %[f]\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [f] "r"(f), [x] "r"(x)
      : "memory", "cc", "x30");
  return x0;
#else
#error "child_entry.h needs the entry of a child for this processor"
#endif
}

struct clone_args;
static inline long clone3_with_child(const struct clone_args* args, size_t size,
                                     void (*function)(void*), void* argument) {
  return call_with_child(SYS_clone3, (long)args, (long)size, 0, 0, 0, function, argument);
}

#endif /* DROVER_SHIM_CHILD_ENTRY_H_ */
