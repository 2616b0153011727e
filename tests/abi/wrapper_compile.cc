// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Includes every header of the wrapper, and uses each template once.
#include "drover/capabilities.hpp"
#include "drover/command.hpp"
#include "drover/device.hpp"
#include "drover/entry.hpp"
#include "drover/named_process.hpp"
#include "drover/news.hpp"
#include "drover/node.hpp"
#include "drover/pause.hpp"
#include "drover/prepare.hpp"
#include "drover/process_driver.hpp"
#include "drover/progress.hpp"
#include "drover/task_env.hpp"
#include "drover/task_hooks.hpp"
#include "drover/task_place.hpp"

class Sample : public drover::ProcessDriver {
 public:
  static drover::Info Describe() { return {}; }
  static drover::Capabilities GetCapabilities() { return {}; }
  const void* Extension(std::string_view id) override {
    if (const void* pause = drover::TaskPauseOf<Sample>(id)) return pause;
    if (const void* news = drover::TaskNewsOf<Sample>(id)) return news;
    return drover::CapabilitiesOf<Sample>(id);
  }
  void Pause(const drover::RunId&, bool, const drover::CallView&) {}
  void News(drover::Stream<drover::TaskNews> stream) {
    drover::NewsSender sender;
    sender.Add(std::move(stream));
    sender.Send({});
  }
  Sample(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}
  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    host().process().Kill(task.run_id);
    host().process().Signal(task.run_id, 1);
    host().process().Stop(task.run_id, 1, drover::Duration(0));
    host().process().Release(task.run_id);
    host().task_output().Open(task.run_id);
    Emit(drover::Event{});
    drover::CommandSpec helper;
    helper.argv = {"true"};
    drover::RunCommandAsync(host(), helper, [](drover::Outcome<drover::CommandResult>) {});
    if (drover::CanRunCommands(host())) drover::RunCommand(host(), helper);
    drover::InterpolateAsync(host(), task.run_id, {"${A}"},
                             [](drover::Outcome<std::vector<std::string>>) {});
    if (drover::CanInterpolate(host())) drover::Interpolate(host(), task.run_id, "${A}");
    drover::MakePlaceAsync(host(), task.run_id,
                           [](drover::Outcome<std::shared_ptr<drover::Place>>) {});
    if (drover::HasPlaces(host()) && !drover::MakePlace(host(), task.run_id)->cgroup.empty()) {
      drover::RemovePlaceAsync(host(), task.run_id, [](drover::Outcome<drover::Empty>) {});
      drover::RemovePlace(host(), task.run_id);
    }
    drover::ProcessSpec spec;
    if (const auto node = drover::GetNode(host())) spec.work_dir = node->state_dir;
    return spec;
  }
};

class SampleDevices : public drover::DeviceDriver {
 public:
  static drover::Info Describe() { return {}; }
  SampleDevices(drover::Host host, const drover::Json&) : DeviceDriver(std::move(host)) {}
  std::vector<drover::DeviceGroup> Find() override { return {}; }
  drover::Reservation Reserve(const drover::ReserveRequest&, const drover::CallView&) override {
    return {};
  }
};
void ReportSample(const drover::Host& host, const drover::CallView& call) {
  drover::Progress progress;
  progress.phase = "Sampling";
  if (drover::Report(host, call, progress)) drover::Extend(host, call, drover::Duration(1));
}
// A library has only one driver, so nothing exports this one.
auto DescribeSampleDevices() { return &drover::abi::Descriptor<SampleDevices>; }

class SampleHooks : public drover::HookDriver {
 public:
  static drover::Info Describe() { return {}; }
  SampleHooks(drover::Host host, const drover::Json&) : HookDriver(std::move(host)) {}
  drover::HookAnswer Hook(const drover::HookRequest& request, const drover::CallView&) override {
    drover::HookAnswer answer;
    answer.env["TEAM"] = request.Meta("team");
    answer.mounts.push_back({"/in", "/out", true, "private"});
    answer.data = request.data;
    return answer;
  }
};
auto DescribeSampleHooks() { return &drover::abi::Descriptor<SampleHooks>; }

class SamplePrepares : public Sample {
 public:
  using Sample::Sample;
  std::string PrepareKey(const drover::TaskConfig& task) { return task.task_name; }
  drover::Prepared Prepare(const drover::TaskConfig&, const drover::CallView& call) {
    ReportSample(host(), call);
    return {};
  }
  std::vector<drover::PreparedItem> ListPrepared() { return {}; }
  void RemovePrepared(const std::string&) {}
  const void* Extension(std::string_view id) override {
    return drover::TaskPrepareOf<SamplePrepares>(id);
  }
};
class SamplePreparesLater : public SamplePrepares {
 public:
  using SamplePrepares::SamplePrepares;
  void PrepareAsync(drover::TaskConfig, drover::Call<drover::Prepared> call) { call.Complete({}); }
  const void* Extension(std::string_view id) override {
    return drover::TaskPrepareOf<SamplePreparesLater>(id);
  }
};
auto DescribeSamplePrepares() { return &drover::abi::Descriptor<SamplePrepares>; }
auto DescribeSamplePreparesLater() { return &drover::abi::Descriptor<SamplePreparesLater>; }

DROVER_DRIVER(Sample, "sample", "0.1.0", "Apache-2.0")
