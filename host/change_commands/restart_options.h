// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// The options of "job restart", as they are written and as they are meant.
struct RestartOptions {
  bool all_tasks = false;
  std::vector<std::string> groups;  // empty: all of them; so are the tasks
  std::vector<std::string> tasks;
  std::string batch_size_text = "1";
  std::string batch_wait_text = "0s";
  std::string on_error_text;  // empty: "ask", or with --detach "fail"
  bool reschedule = false;
  bool no_shutdown_delay = false;
  bool yes = false;
  bool verbose = false;
  bool detach = false;

  int batch_size = 1;
  bool percent = false;  // whether batch_size is in percent of the allocations
  Duration batch_wait{0};
  bool asks_between = false;  // between two batches
  bool asks_on_error = false;
  bool ignores_errors = false;  // unless they are likely to happen again

  // Fills in what is meant. INTERACTIVE says whether somebody can be asked.
  Status Read(bool interactive);
  // Returns the size of the batches of COUNT allocations.
  std::size_t SizeOfBatch(std::size_t count) const;
  // Returns the body with which an agent carries out the restart by itself.
  nlohmann::json Body() const;
};

}  // namespace drover
