// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The calls of a plugin that prepares tasks before their start.
#include <memory>
#include <string>
#include <utility>

#include "host/abi/abi_write.h"
#include "host/abi/prepare_values.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

// A plugin in the agent's process cannot be ended. If this many calls of prepare were given up and
// have not ended, further ones fail at once, so that they fill no memory.
constexpr std::size_t kMostLatePrepares = 64;

// Has the redactor know the secrets of a task that has no run yet, as long as this object exists.
class SecretsOfCall {
 public:
  SecretsOfCall(std::shared_ptr<Redactor> redactor, const TaskConfig& config)
      : redactor_(std::move(redactor)) {
    redactor_->Learn(id_, config.driver_config_json);
  }
  SecretsOfCall(const SecretsOfCall&) = delete;
  SecretsOfCall& operator=(const SecretsOfCall&) = delete;
  ~SecretsOfCall() { redactor_->Forget(id_); }

 private:
  const std::shared_ptr<Redactor> redactor_;
  const RunId id_ = RunId::Random();  // of no run
};

Result<CallValue> DecodePrepareKey(const void* result) {
  DROVER_ASSIGN(std::string key,
                ReadPrepareKey(static_cast<const drover_prepare_key_result*>(result)));
  return CallValue(std::move(key));
}

Result<CallValue> DecodePrepared(const void* result) {
  DROVER_ASSIGN(const std::uint64_t size,
                ReadPrepared(static_cast<const drover_prepare_result*>(result)));
  return CallValue(size);
}

Result<CallValue> DecodePreparedList(const void* result) {
  DROVER_ASSIGN(std::vector<PreparedItem> items,
                ReadPreparedList(static_cast<const drover_prepared_list*>(result)));
  return CallValue(std::move(items));
}

Result<CallValue> DecodeRemoved(const void*) { return CallValue(); }

}  // namespace

Status LoadedDriver::MayPrepare() const {
  DROVER_TRY(Usable());
  if (prepare_ != nullptr) return {};
  return Error(Code::kUnimplemented, "driver " + info_.name + " prepares no tasks");
}

Co<Result<std::string>> LoadedDriver::PrepareKey(Context context,
                                                 std::shared_ptr<const TaskConfig> config) {
  DROVER_CO_TRY(Usable());
  if (!prepares()) co_return std::string();
  const auto call = NewCall("prepare key", RunId(), DecodePrepareKey);
  Verb verb = [table = prepare_, self = instance_, config](const drover_call* frame,
                                                           drover_error* error) {
    const TaskConfigView view(config);
    auto args = NewStruct<drover_prepare_key_args>();
    args.config = view.get();
    return table->key(self, frame, &args, error);
  };
  Result<CallValue> value =
      co_await Call(context, call, limits().inspect, /*control=*/false, std::move(verb));
  if (!value.ok()) {
    const Error& error = value.error();
    co_return Error(error.code(), redactor_->CleanFor(config->driver_config_json, error.message()),
                    error.recoverable());
  }
  co_return std::get<std::string>(std::move(*value));
}

Co<Result<std::uint64_t>> LoadedDriver::PrepareByKey(Context context,
                                                     std::shared_ptr<const TaskConfig> config,
                                                     std::string key, HearProgress hear) {
  DROVER_CO_TRY(MayPrepare());
  if (late_prepares_ >= kMostLatePrepares) {
    co_return Unavailable(std::to_string(late_prepares_) +
                          " preparations were given up and have not ended");
  }
  const auto call = NewCall("prepare", RunId(), DecodePrepared);
  call->may_be_late = true;
  const auto secrets = std::make_shared<const SecretsOfCall>(redactor_, *config);
  if (hear) {
    call->hear_progress = [redactor = redactor_, hear = std::move(hear)](
                              const TaskProgress& progress) { hear(redactor->Clean(progress)); };
  }
  const auto name = std::make_shared<const std::string>(std::move(key));
  Verb verb = [table = prepare_, self = instance_, config, name](const drover_call* frame,
                                                                 drover_error* error) {
    const TaskConfigView view(config);
    auto args = NewStruct<drover_prepare_args>();
    args.config = view.get();
    args.key = ToStr(*name);
    return table->prepare(self, frame, &args, error);
  };
  Result<CallValue> value =
      co_await Call(context, call, limits().prepare, /*control=*/false, std::move(verb));
  if (!call->outcome && host_->calls().IsPending(call->id)) {
    gate_.Spawn(AwaitLatePrepare(call, secrets));
  }
  if (!value.ok()) co_return value.error();
  co_return std::get<std::uint64_t>(*value);
}

// Counts a call that was given up until it ends. Its task's SECRETS stay known until then.
Co<void> LoadedDriver::AwaitLatePrepare(std::shared_ptr<PendingCall> call,
                                        std::shared_ptr<const void> secrets) {
  ++late_prepares_;
  (void)co_await call->done.Wait(life_);
  secrets.reset();
  --late_prepares_;
}

Co<Result<std::vector<PreparedItem>>> LoadedDriver::ListPrepared(Context context) {
  DROVER_CO_TRY(Usable());
  if (!prepares()) co_return std::vector<PreparedItem>();
  const auto call = NewCall("list prepared", RunId(), DecodePreparedList);
  Verb verb = [table = prepare_, self = instance_](const drover_call* frame, drover_error* error) {
    const auto args = NewStruct<drover_prepared_list_args>();
    return table->list(self, frame, &args, error);
  };
  Result<CallValue> value =
      co_await Call(context, call, limits().destroy, /*control=*/false, std::move(verb));
  if (!value.ok()) co_return value.error();
  co_return std::get<std::vector<PreparedItem>>(std::move(*value));
}

Co<Status> LoadedDriver::RemovePrepared(Context context, std::string key) {
  DROVER_CO_TRY(MayPrepare());
  const auto call = NewCall("remove prepared", RunId(), DecodeRemoved);
  const auto name = std::make_shared<const std::string>(std::move(key));
  Verb verb = [table = prepare_, self = instance_, name](const drover_call* frame,
                                                         drover_error* error) {
    auto args = NewStruct<drover_prepared_remove_args>();
    args.key = ToStr(*name);
    return table->remove(self, frame, &args, error);
  };
  const Result<CallValue> value =
      co_await Call(context, call, limits().destroy, /*control=*/false, std::move(verb));
  if (!value.ok()) co_return value.error();
  co_return Status();
}

}  // namespace drover
