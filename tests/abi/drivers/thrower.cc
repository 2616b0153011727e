// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that throws in every method; the configuration names the exception. It is built twice:
// the second time with a static libstdc++, whose exceptions no other runtime can catch.
#include <stdexcept>

#include "drover/entry.hpp"

namespace {

enum class What { kNothing, kError, kException, kInteger };
What g_what = What::kNothing;

void Throw() {
  switch (g_what) {
    case What::kNothing:
      return;
    case What::kError:
      throw drover::Error::Recoverable(drover::Code::kPermissionDenied, "typed");
    case What::kException:
      throw std::runtime_error("standard");
    case What::kInteger:
      throw 42;
  }
}

class Thrower : public drover::Driver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS;
    return info;
  }
  Thrower(drover::Host host, const drover::Json& config) : Driver(std::move(host)) {
    std::string what = config.String("what");
    g_what = what == "error"       ? What::kError
             : what == "exception" ? What::kException
             : what == "integer"   ? What::kInteger
                                   : What::kNothing;
    if (config.Bool("in_create")) Throw();
  }

  // The blocking forms throw on the pool, the others in the thunk.
  void Configure(const drover::Json&) override { Throw(); }
  drover::Started Start(const drover::TaskConfig& task, const drover::CallView&) override {
    Throw();
    return {drover::TaskHandle{1, task.id, ""}, std::nullopt};
  }
  drover::Recovered Recover(const drover::TaskConfig&, const std::optional<drover::TaskHandle>&,
                            const drover::CallView&) override {
    Throw();
    return {};
  }
  void Wait(drover::Call<drover::ExitResult> call) override {
    kept_.push_back(call);
    Throw();
  }
  void StopAsync(drover::StopRequest, drover::Call<drover::Empty> call) override {
    call.Complete(drover::Empty{});
    Throw();  // after the completion: the host must not get a second one
  }
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override { Throw(); }
  drover::TaskStatus Inspect(const drover::RunId&) override {
    Throw();
    return {};
  }
  void RestoreComplete(const std::vector<drover::RunId>&) override { Throw(); }
  void Shutdown() override { Throw(); }
  void Signal(const drover::RunId&, const std::string&, const drover::CallView&) override {
    Throw();
  }
  drover::Fingerprint Probe() override {
    Throw();
    return {};
  }
  void Events(drover::Stream<drover::Event> stream) override {
    streams_.push_back(stream);
    Throw();
  }
  void TaskStats(const drover::RunId&, const drover::StatsRequest&,
                 drover::Stream<drover::Stats>) override {
    Throw();
  }
  void Exec(drover::ExecRequest, drover::Call<drover::ExitResult>) override { Throw(); }
  void Resize(std::uint64_t, int, int) override { Throw(); }

 private:
  std::vector<drover::Call<drover::ExitResult>> kept_;
  std::vector<drover::Stream<drover::Event>> streams_;
};

}  // namespace

DROVER_DRIVER(Thrower, "thrower", "0.1.0", "Apache-2.0")
