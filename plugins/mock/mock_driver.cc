// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "drover/entry.hpp"
namespace {
class MockDriver : public drover::Driver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.config_schema = R"({"type":"object","additionalProperties":true})";
    info.task_config_schema = R"({"type":"object","additionalProperties":true})";
    return info;
  }
  MockDriver(drover::Host host, const drover::Json&) : Driver(std::move(host)) {}
  drover::Fingerprint Probe() override {
    drover::Fingerprint out;
    out.attributes["driver.mock_driver"] = "true";
    return out;
  }
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override {}
  void Wait(drover::Call<drover::ExitResult> call) override {
    call.Complete(drover::ExitResult{});
  }
  drover::TaskStatus Inspect(const drover::RunId&) override { return {}; }
  drover::Started Start(const drover::TaskConfig&, const drover::CallView&) override {
    return {drover::TaskHandle{1, "{}", ""}, std::nullopt};
  }
};
}  // namespace
DROVER_DRIVER(MockDriver, "mock_driver", "0.1.0", "Apache-2.0")
