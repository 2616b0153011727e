// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_thread.h"

#include <pthread.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "host/base/event.h"
#include "host/base/loop_port.h"
#include "host/checks/check_runner.h"
#include "host/checks/network_asker.h"

namespace drover {
namespace {

// Lets the control thread run a script, and waits for the answer.
class ScriptRelay : public CheckAsker {
 public:
  ScriptRelay(Loop* control, std::shared_ptr<ScriptChecks> scripts)
      : control_(control), scripts_(std::move(scripts)) {}

  Co<CheckAnswer> Ask(Context context, std::shared_ptr<const CheckPlan> plan) override {
    struct Call {
      explicit Call(Loop* loop) : port(loop), done(loop) {}
      LoopPort port;  // from the control thread to this one
      Event done;
      CheckAnswer answer;
    };
    const auto call = std::make_shared<Call>(context.loop());
    control_->Post([call, plan, scripts = scripts_] {
      scripts->Run(plan, [call](CheckAnswer answer) {
        call->port.Post([call, answer = std::move(answer)]() mutable {
          call->answer = std::move(answer);
          call->done.Set();
        });
      });
    });
    const Status waited = co_await call->done.Wait(context);
    call->port.Close();
    if (call->done.is_set()) co_return std::move(call->answer);
    CheckAnswer failed;
    failed.output = waited.error().message();
    co_return failed;
  }

 private:
  Loop* const control_;
  const std::shared_ptr<ScriptChecks> scripts_;
};

CheckRunnerOptions OptionsFor(Loop* loop, CheckResults* results, CheckAsker* network,
                              CheckAsker* scripts) {
  CheckRunnerOptions options;
  options.loop = loop;
  options.network = network;
  options.scripts = scripts;
  options.put = [results](const std::shared_ptr<CheckSlot>& slot, CheckResult result) {
    results->Put(slot, std::move(result));
  };
  return options;
}

}  // namespace

// The members belong to the thread while it runs.
struct CheckThread::State {
  State(Loop* control, CheckResults* results, std::shared_ptr<ScriptChecks> scripts)
      : relay(control, std::move(scripts)), runner(OptionsFor(&loop, results, &network, &relay)) {}

  static Co<void> End(State* state) {
    co_await state->runner.Close();
    state->loop.Stop();
  }

  RealLoop loop;  // must be first, because the other members refer to it
  NetworkAsker network;
  ScriptRelay relay;
  CheckRunner runner;
  std::thread thread;
};

CheckThread::CheckThread(Loop* control, CheckResults* results,
                         std::shared_ptr<ScriptChecks> scripts)
    : control_(control), results_(results), scripts_(std::move(scripts)) {}

CheckThread::~CheckThread() {
  if (!state_) return;
  State* const state = state_.get();
  state->loop.Post([state] { state->loop.Spawn(State::End(state)); });
  state->thread.join();
}

Status CheckThread::Begin() {
  auto state = std::make_shared<State>(control_, results_, scripts_);
  try {
    state->thread = std::thread([running = state.get()] { running->loop.Run(); });
  } catch (const std::system_error& e) {
    return Error(Code::kResourceExhausted, std::string("no thread for checks: ") + e.what(), true);
  }
  pthread_setname_np(state->thread.native_handle(), "drover-checks");
  state_ = std::move(state);
  return {};
}

void CheckThread::Add(std::shared_ptr<CheckSlot> slot) {
  const Status begun = state_ ? Status() : Begin();
  if (!begun.ok()) {
    CheckResult failed;
    failed.status = CheckStatus::kFailure;
    failed.output = begun.error().message();
    failed.timestamp = control_->Wall();
    return results_->Put(slot, std::move(failed));
  }
  state_->loop.Post([state = state_.get(), slot = std::move(slot)]() mutable {
    state->runner.Add(std::move(slot));
  });
}

void CheckThread::Remove(std::shared_ptr<CheckSlot> slot) {
  if (!state_) return;
  state_->loop.Post(
      [state = state_.get(), slot = std::move(slot)] { state->runner.Remove(slot.get()); });
}

}  // namespace drover
