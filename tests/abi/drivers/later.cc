// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that needs a later host than there is, and that answers inspect on a thread of its own.
#include "drover/entry.hpp"

namespace {

class Later : public drover::Driver {
 public:
  static drover::Info Describe() { return {}; }
  Later(drover::Host host, const drover::Json&) : Driver(std::move(host)) {}

  void Wait(drover::Call<drover::ExitResult> call) override { call.Complete({}); }
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override {}
  void InspectAsync(drover::Call<drover::TaskStatus> call) override {
    InBackground(std::move(call), [](const drover::CallView& view) {
      if (view.run_id() == drover::RunId()) {
        throw drover::Error(drover::Code::kNotFound, "there is no such run");
      }
      drover::TaskStatus status;
      status.state = drover::TaskState::kRunning;
      status.attributes["from"] = "the background";
      return status;
    });
  }
};

}  // namespace

DROVER_DRIVER_MINOR(Later, "later", "0.1.0", "Apache-2.0", 99)
