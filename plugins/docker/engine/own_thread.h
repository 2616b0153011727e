// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

namespace drover_docker {

// Prepares a thread of this folder: its name, at most 15 characters, and no signals but those of
// its own mistakes. So a signal of the process reaches the thread that waits for it, and a pipe
// without a reader is an error of the write only.
inline void PrepareOwnThread(const char* name) {
  ::pthread_setname_np(::pthread_self(), name);
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    ::sigdelset(&blocked, fault);
  }
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

}  // namespace drover_docker
