// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that needs a later host than there is, and that answers inspect on a thread of its own.
#include "drover/entry.hpp"

namespace {

class Later : public drover::Driver {
 public:
  static drover::Info Describe() { return {}; }
  explicit Later(drover::Host host) : Driver(std::move(host)) {}
  static void CreateAsync(drover::Host host, drover::Json config,
                          drover::Creation<Later> creation) {
    const std::string how = config.String("how");
    if (how == "throw") throw drover::Error(drover::Code::kInvalidArgument, "thrown");
    if (how == "forget") return;
    host.Post([host, how, creation] {
      if (how == "fail") return creation.Fail(drover::Error(drover::Code::kNotFound, "failed"));
      creation.Complete(std::make_unique<Later>(host));
    });
  }

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
