// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

// The report of a container that crashes: the signal, the function of the driver, and the
// backtrace. The process writes the report to a file, which the host reads afterwards. These are
// its lines:
//   signal 11
//   function start
//   backtrace
//   FILE(SYMBOL+OFFSET)[ADDRESS]     one line for each frame of the backtrace
namespace drover {

// Installs signal handlers. When this process gets a fatal signal, a handler writes the report to
// FD. The host sends SIGQUIT to a container that hangs. Then the thread that has been in a
// function of the driver for the longest time writes the report. Must be called once, on the main
// thread, before other threads are made.
void InstallCrashReport(int fd);

// A thread that calls functions of the driver must have a ReportedThread as long as the thread
// lives. The object gives the thread a stack on which a crash can be reported.
class ReportedThread {
 public:
  ReportedThread();
  ~ReportedThread();
  ReportedThread(const ReportedThread&) = delete;
  ReportedThread& operator=(const ReportedThread&) = delete;

 private:
  char* stack_;
};

// Records that this thread is in the driver's function NAME, as long as the object lives. The text
// of NAME must live for ever.
class ReportedFunction {
 public:
  explicit ReportedFunction(const char* name);
  ~ReportedFunction();
  ReportedFunction(const ReportedFunction&) = delete;
  ReportedFunction& operator=(const ReportedFunction&) = delete;
};

}  // namespace drover
