// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "sdk/testhost/tested_driver.h"

namespace drover {

// Reads requests, one per line, and answers each with one line. A request that is not "async" is
// answered before the next request begins. Must be used on the control thread.
class Server {
 public:
  // Requests end when CONTEXT is cancelled.
  Server(RealLoop* loop, TestedDriver* driver, Context context);

  // Serves the requests on standard input until its end, until no process reads the answers any
  // more, or until the context is cancelled.
  Co<void> Serve();

 private:
  Co<void> Answer(std::string line);
  // Reads standard input on a thread of its own, which is never joined.
  void StartReader();
  // Adds a request. [any thread]
  void Take(std::string line);
  void Give(const nlohmann::json& answer);

  RealLoop* loop_;
  TestedDriver* driver_;
  Context context_;
  Gate calls_;
  std::deque<std::string> lines_;
  bool end_ = false;
  Event arrived_;
};

}  // namespace drover
