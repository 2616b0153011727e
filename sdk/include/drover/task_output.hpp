// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "drover/process.hpp"

// Output of tasks that are not processes of the host.
namespace drover {
inline namespace sdk_v1 {

// The driver writes the output of a task to these pipes. The host reads the pipes and rotates the
// log files until both pipes are closed.
struct OutputPipes {
  Fd output;
  Fd error;
};

class TaskOutput {
 public:
  TaskOutput(const drover_host* host, const drover_task_output* service, std::shared_ptr<Gate> gate)
      : host_(host), service_(service), gate_(std::move(gate)) {}

  bool available() const { return service_ != nullptr; }

  // Opens the pipes of RUN and passes them to DONE. [any-thread]
  void Open(const RunId& run, Done<std::shared_ptr<OutputPipes>> done) const {
    if (service_ == nullptr) {
      throw Error(Code::kUnimplemented, "the host has no output service");
    }
    drover_run_id raw = abi::Encode(run);
    abi::CallService(
        std::make_unique<abi::Pending<std::shared_ptr<OutputPipes>>>(gate_, &Decode,
                                                                     std::move(done)),
        [&](drover_done finish, void* context, drover_error* error, std::int32_t* code) {
          *code = service_->open(host_, &raw, finish, context, error);
        });
  }
  // Opens the pipes of RUN and returns them. It blocks, so only the driver's own threads may call
  // it.
  std::shared_ptr<OutputPipes> Open(const RunId& run) const {
    abi::Landing<std::shared_ptr<OutputPipes>> landing;
    Open(run, landing.done());
    return landing.Take(gate_);
  }

 private:
  static std::shared_ptr<OutputPipes> Decode(const void* in) {
    auto raw = abi::Sized(static_cast<const drover_task_output_pipes*>(in), "the pipes");
    auto out = std::make_shared<OutputPipes>();
    if (raw.output.ownership == DROVER_FD_GIVEN) out->output = Fd(raw.output.fd);
    if (raw.error.ownership == DROVER_FD_GIVEN) out->error = Fd(raw.error.fd);
    return out;
  }

  const drover_host* const host_;
  const drover_task_output* const service_;
  const std::shared_ptr<Gate> gate_;
};

}  // namespace sdk_v1
}  // namespace drover
