// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/engine.h"
#include "engine/engine_request.h"
#include "engine/engine_sessions.h"
#include "engine/json_read.h"
#include "engine/own_thread.h"

namespace drover_docker {
namespace {

std::string ExecTarget(const std::string& exec_id, std::string_view verb) {
  return "/exec/" + PathPart(exec_id) + "/" + std::string(verb);
}

}  // namespace

std::string Engine::ExecCreate(const std::string& id, const ExecSpec& spec, bool input,
                               const CancelToken& cancel) {
  nlohmann::json body = {{"AttachStdin", input}, {"AttachStdout", true}, {"AttachStderr", true},
                         {"Tty", spec.tty},      {"Cmd", spec.argv},     {"Env", spec.env}};
  if (!spec.user.empty()) body["User"] = spec.user;
  if (!spec.work_dir.empty()) body["WorkingDir"] = spec.work_dir;
  if (spec.privileged) body["Privileged"] = true;
  HttpRequest request = PostJson(ContainerPath(id, "exec"), body);
  const nlohmann::json answer =
      AskJson(std::move(request), "run a command in " + id, options_.limits, cancel);
  const std::string exec_id = TextAt(answer, {"Id"});
  if (exec_id.empty()) {
    throw drover::Error(drover::Code::kUnavailable,
                        "run a command in " + id + ": the container engine reports no id", true);
  }
  return exec_id;
}

std::unique_ptr<HijackedStream> Engine::ExecStart(const std::string& exec_id, bool tty,
                                                  const CancelToken& cancel) {
  HttpRequest request =
      PostJson(Versioned(ExecTarget(exec_id, "start"), cancel), {{"Detach", false}, {"Tty", tty}});
  HttpClient::Hijacked out = client_.Hijack(request, LongLimits(), cancel);
  if (out.stream == nullptr) throw ErrorOf(out.response, "run a command");
  return std::move(out.stream);
}

void Engine::ExecResize(const std::string& exec_id, int width, int height,
                        const CancelToken& cancel) {
  const std::string target = Target(ExecTarget(exec_id, "resize"),
                                    {{"h", std::to_string(height)}, {"w", std::to_string(width)}});
  Ask(Request("POST", target), "resize a terminal", options_.limits, cancel);
}

ExecState Engine::ExecInspect(const std::string& exec_id, const CancelToken& cancel) {
  const nlohmann::json json = AskJson(Request("GET", ExecTarget(exec_id, "json")),
                                      "inspect a command", options_.limits, cancel);
  ExecState out;
  out.running = BoolAt(json, {"Running"});
  const auto code = ExitCodeAt(json);
  out.exit_code = code.value_or(-1);
  if (!code && !out.running) out.error = kNoExitCode;
  out.pid = static_cast<int>(IntAt(json, {"Pid"}));
  return out;
}

// Runs one session from its creation to its result.
drover::ExitResult Engine::RunSession(
    const std::string& id, const ExecSpec& spec, const ExecStreams& streams,
    const CancelToken& cancel, const std::function<void(const std::string& exec_id)>& created) {
  const std::string exec_id = ExecCreate(id, spec, streams.input.ok(), cancel);
  std::unique_ptr<HijackedStream> stream;
  try {
    stream = ExecStart(exec_id, spec.tty, cancel);
  } catch (...) {
    // The engine may have begun: whoever ends the command must know its id.
    if (created) created(exec_id);
    throw;
  }
  if (created) created(exec_id);
  if (spec.tty && spec.width > 0 && spec.height > 0) {
    try {
      ExecResize(exec_id, spec.width, spec.height, cancel);
    } catch (const EngineError&) {
      // The command has ended already, or its terminal is not there yet: only its size is wrong.
    }
  }
  CarrySession(stream.get(), streams, spec.tty, cancel);
  // A command may close its output long before it ends.
  drover::Duration pause = std::chrono::milliseconds(5);
  for (;;) {
    const ExecState state = ExecInspect(exec_id, cancel);
    if (!state.running) return ExitOf(state.exit_code, false, state.error);
    WaitFor(-1, 0, DeadlineAfter(pause), cancel, &client_.closing());
    pause = std::min<drover::Duration>(pause * 2, std::chrono::seconds(1));
  }
}

void Engine::ExecSession(const std::string& id, ExecSpec spec, ExecStreams streams,
                         CancelToken cancel,
                         std::function<void(const std::string& exec_id)> created,
                         std::function<void(drover::Outcome<drover::ExitResult>)> done) {
  struct Task {
    std::string id;
    ExecSpec spec;
    ExecStreams streams;
    CancelToken cancel;
    std::function<void(const std::string&)> created;
    std::function<void(drover::Outcome<drover::ExitResult>)> done;
  };
  const auto task =
      std::make_shared<Task>(Task{id, std::move(spec), std::move(streams), std::move(cancel),
                                  std::move(created), std::move(done)});
  std::lock_guard<std::mutex> lock(sessions_->mutex);
  sessions_->JoinEnded();
  client_.closing().Check();
  if (sessions_->all.size() >= options_.max_sessions) {
    throw drover::Error(drover::Code::kResourceExhausted,
                        std::to_string(options_.max_sessions) +
                            " commands run in containers already: end one of them",
                        true);
  }
  sessions_->all.emplace_back();
  Sessions::Session* session = &sessions_->all.back();
  try {
    session->thread = std::thread([this, session, owned = task]() mutable {
      PrepareOwnThread("docker-exec");
      std::optional<drover::Outcome<drover::ExitResult>> result;
      try {
        result.emplace(
            RunSession(owned->id, owned->spec, owned->streams, owned->cancel, owned->created));
      } catch (...) {
        result.emplace(drover::abi::CurrentError());
      }
      owned->streams = ExecStreams();  // the readers see the end before the result
      owned->done(std::move(*result));
      owned.reset();
      const std::lock_guard<std::mutex> end(sessions_->mutex);
      session->ended = true;
    });
  } catch (...) {
    sessions_->all.pop_back();
    throw;
  }
}

}  // namespace drover_docker
