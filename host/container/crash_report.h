// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

// The report of a container that dies: the signal, the function of the driver, and the backtrace.
// It is written into a file that the host reads afterwards, line by line:
//   signal 11
//   function start
//   backtrace
//   FILE(SYMBOL+OFFSET)[ADDRESS]     one for each frame
namespace drover {

// Writes to FD when this process gets a fatal signal. At SIGQUIT, which the host sends to a
// container that hangs, the thread that has been in a function of the driver for longest reports
// where. Once, on the main thread, before other threads are made.
void InstallCrashReport(int fd);

// A thread that calls functions of the driver: it gets a stack for its last words. In its life.
class ReportedThread {
 public:
  ReportedThread();
  ~ReportedThread();
  ReportedThread(const ReportedThread&) = delete;
  ReportedThread& operator=(const ReportedThread&) = delete;

 private:
  char* stack_;
};

// The driver's function that this thread is in; NAME must live for ever.
class ReportedFunction {
 public:
  explicit ReportedFunction(const char* name);
  ~ReportedFunction();
  ReportedFunction(const ReportedFunction&) = delete;
  ReportedFunction& operator=(const ReportedFunction&) = delete;
};

}  // namespace drover
