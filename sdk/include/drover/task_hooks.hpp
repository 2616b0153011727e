// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/drover_task_hooks.h"
#include "drover/entry.hpp"

// The base of a plugin with task hooks, written in C++. docs/task-hooks.md explains them. Like
// drover_task_hooks.h, this is a DRAFT without a promise.
//
//   class MyHooks : public drover::HookDriver {
//    public:
//     static drover::Info Describe();  // with kOffers and DROVER_CAP_HOOK_... bits in offers
//     MyHooks(drover::Host host, const drover::Json& config);
//     drover::HookAnswer Hook(const drover::HookRequest& request,
//                             const drover::CallView& call) override;
//   };
//   DROVER_DRIVER(MyHooks, "my_hooks", "0.1.0", "Apache-2.0")
namespace drover {
inline namespace sdk_v1 {

// The task and the stage of a call. The members are those of drover_hook_args.
struct HookRequest {
  drover_hook_stage stage = DROVER_HOOK_PRESTART;
  std::string alloc_id;
  std::string task_name;
  std::string alloc_name;
  std::string job_id;
  std::string job_namespace;
  std::string group_name;
  std::string node_id;
  std::string node_name;
  std::string driver;
  std::string user;
  std::string alloc_dir;
  std::string task_dir;
  std::string local_dir;
  std::string secrets_dir;
  std::string log_dir;
  StringMap meta;
  StringMap data;
  RunId run_id;
  std::optional<ExitResult> exit_result;

  // Returns the value of the task's meta KEY, or a text that is empty.
  std::string Meta(const std::string& key) const {
    const auto found = meta.find(key);
    return found == meta.end() ? std::string() : found->second;
  }
};

// The answer to a call. The members are those of drover_hook_result.
struct HookAnswer {
  StringMap env;
  std::vector<Mount> mounts;
  std::vector<Device> devices;
  std::optional<StringMap> data;  // absent: what is kept does not change
  std::string event;
};

namespace abi {

using HookText = Pair<drover_hook_args, drover_str, HookRequest, std::string>;
inline constexpr HookText kHookTexts[] = {
#define DROVER_SDK_FIELD(name) {&drover_hook_args::name, &HookRequest::name}
    DROVER_SDK_FIELD(alloc_id),  DROVER_SDK_FIELD(task_name),     DROVER_SDK_FIELD(alloc_name),
    DROVER_SDK_FIELD(job_id),    DROVER_SDK_FIELD(job_namespace), DROVER_SDK_FIELD(group_name),
    DROVER_SDK_FIELD(node_id),   DROVER_SDK_FIELD(node_name),     DROVER_SDK_FIELD(driver),
    DROVER_SDK_FIELD(user),      DROVER_SDK_FIELD(alloc_dir),     DROVER_SDK_FIELD(task_dir),
    DROVER_SDK_FIELD(local_dir), DROVER_SDK_FIELD(secrets_dir),   DROVER_SDK_FIELD(log_dir)};
#undef DROVER_SDK_FIELD

DROVER_SDK_ONCE inline HookRequest DecodeHook(const drover_hook_args* raw) {
  drover_hook_args in = Sized(raw, "the arguments of a hook");
  HookRequest out;
  out.stage = static_cast<drover_hook_stage>(in.stage);
  for (const HookText& field : kHookTexts) out.*field.value = Text(in.*field.raw);
  out.meta = Map(in.meta, "the meta");
  out.data = Map(in.data, "the data");
  out.run_id = Decode(in.run_id);
  if (in.exit_result != nullptr) out.exit_result = DecodeExit(in.exit_result);
  return out;
}

DROVER_SDK_ONCE inline void WithHookAnswer(const HookAnswer& in, Ref<const void*> use) {
  drover_hook_result out = Make<drover_hook_result>();
  std::vector<drover_pair> env = Pairs(in.env);
  std::vector<drover_pair> data = Pairs(in.data ? *in.data : StringMap());
  std::vector<drover_mount> mounts;
  for (const Mount& item : in.mounts) {
    drover_mount mount = Make<drover_mount>();
    mount.read_only = item.read_only ? 1 : 0;
    mount.task_path = Str(item.task_path);
    mount.host_path = Str(item.host_path);
    mount.propagation = Str(item.propagation);
    mounts.push_back(mount);
  }
  std::vector<drover_device> devices;
  for (const Device& item : in.devices) {
    drover_device device = Make<drover_device>();
    device.task_path = Str(item.task_path);
    device.host_path = Str(item.host_path);
    device.permissions = Str(item.permissions);
    devices.push_back(device);
  }
  out.keeps_data = in.data ? 1 : 0;
  out.env = Array(env);
  out.mounts = Array(mounts);
  out.devices = Array(devices);
  out.data = Array(data);
  out.event = Str(in.event);
  use(&out);
}

// The C function of the class D. D must have the method HookAsync of HookDriver.
template <typename D>
std::int32_t HookThunk(drover_instance* self, const drover_call* call, const drover_hook_args* args,
                       drover_error* error) noexcept {
  HookRequest request;
  const std::int32_t code = Guard(error, [&] { request = DecodeHook(args); });
  if (code != DROVER_OK) return code;
  return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
    static_cast<D&>(to.driver()).HookAsync(std::move(request), Call<HookAnswer>(std::move(open)));
  });
}

}  // namespace abi

template <>
inline void Call<HookAnswer>::Complete(const HookAnswer& value) const {
  state_->CompleteBy([&] {
    abi::WithHookAnswer(value, [&](const void* result) { state_->Complete(nullptr, result); });
  });
}

// The function table of the hooks of the class D, or null if ID is another id. A driver that runs
// tasks and has hooks, too, has a HookAsync of its own and an Extension that returns this.
template <typename D>
const void* TaskHooksOf(std::string_view id) noexcept {
  static const drover_task_hooks kHooks = {sizeof(drover_task_hooks), 0, &abi::HookThunk<D>};
  return id == DROVER_TASK_HOOKS_ID ? &kHooks : nullptr;
}

// A plugin that only has hooks.
class HookDriver : public Driver {
 public:
  // The offers of each such plugin. The bits of its stages come in addition.
  static constexpr std::uint64_t kOffers = DROVER_CAP_ONLY_TASK_HOOKS;

  using Driver::Driver;

  // Carries out one stage for one task. It runs on one of the threads of the instance, of which
  // there are at most Info::stop_threads, and may block. It should return soon after CALL is
  // cancelled. If it throws, the call fails with the text of the exception.
  virtual HookAnswer Hook(const HookRequest& request, const CallView& call) = 0;
  virtual void HookAsync(HookRequest request, Call<HookAnswer> call) {
    auto shared = std::make_shared<HookRequest>(std::move(request));
    InBackground(
        std::move(call), [this, shared](const CallView& view) { return Hook(*shared, view); },
        Lane::kStop);
  }

  const void* Extension(std::string_view id) override { return TaskHooksOf<HookDriver>(id); }

  void Destroy(const RunId&, bool, const CallView&) final { throw NoTasks(); }
  void Wait(Call<ExitResult> call) final { call.Fail(NoTasks()); }
  TaskStatus Inspect(const RunId&) final { throw NoTasks(); }

 private:
  static Error NoTasks() { return Error(Code::kUnimplemented, "this plugin runs no tasks"); }
};

}  // namespace sdk_v1
}  // namespace drover
