// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "driver/docker_driver.h"

namespace drover_docker {
namespace {

// Returns whether two processes of this machine are in the same PID namespace.
bool SharePids(int one, int other) {
  struct stat a{};
  struct stat b{};
  const auto path = [](int pid) { return "/proc/" + std::to_string(pid) + "/ns/pid"; };
  return one > 1 && other > 1 && ::stat(path(one).c_str(), &a) == 0 &&
         ::stat(path(other).c_str(), &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

}  // namespace

void DockerDriver::Exec(drover::ExecRequest request, drover::Call<drover::ExitResult> call) {
  auto task = tasks_.Need(request.run_id);
  auto slot = std::make_shared<ExecSlot>();
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited || task->container.empty()) {
      throw drover::Error(drover::Code::kFailedPrecondition, "the task is not running");
    }
    slot->container = task->container;
  }
  ExecSpec spec;
  spec.argv = std::move(request.command);
  spec.tty = request.tty;
  spec.width = request.width;
  spec.height = request.height;
  ExecStreams streams;
  streams.input = std::move(request.input);
  streams.output = std::move(request.output);
  streams.error = std::move(request.error);
  const std::uint64_t id = call.id();
  const CancelToken cancel = CancelOf(call);
  sessions_.Add(id, slot);
  const auto created = [this, slot](const std::string& exec_id) {
    int width = 0;
    int height = 0;
    {
      std::lock_guard<std::mutex> lock(slot->mutex);
      slot->exec_id = exec_id;
      width = slot->width;
      height = slot->height;
    }
    if (width <= 0 || height <= 0) return;
    host().Post(
        [this, exec_id, width, height] { engine_->ExecResize(exec_id, width, height, closing_); });
  };
  const auto done = [this, slot, call, cancel, id](drover::Outcome<drover::ExitResult> outcome) {
    sessions_.Remove(id);
    std::string exec_id;
    {
      std::lock_guard<std::mutex> lock(slot->mutex);
      exec_id = slot->exec_id;
    }
    if (cancel.cancelled() && !exec_id.empty() && !closing_.cancelled()) {
      host().Post([this, slot, exec_id] { KillExec(slot->container, exec_id); });
    }
    call.Finish(outcome);
  };
  try {
    engine_->ExecSession(slot->container, std::move(spec), std::move(streams), cancel, created,
                         done);
  } catch (...) {
    sessions_.Remove(id);
    throw;
  }
}

// Ends the command of a session that the host has given up. The engine has no request for that, so
// it works with an engine on this machine only.
void DockerDriver::KillExec(const std::string& container, const std::string& exec_id) {
  if (engine_->address().path.empty()) return;
  const ExecState state = engine_->ExecInspect(exec_id, closing_);
  if (!state.running || state.pid <= 1) return;
  const ContainerInfo info = engine_->InspectContainer(container, closing_);
  const drover::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, state.pid, 0)));
  // The number may be that of another process by now, but not one of this container.
  if (!process.ok() || !SharePids(state.pid, info.pid)) return;
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
}

void DockerDriver::Resize(std::uint64_t session_id, int width, int height) {
  auto slot = sessions_.Find(session_id);
  if (slot == nullptr) throw drover::Error(drover::Code::kNotFound, "there is no such session");
  std::string exec_id;
  {
    std::lock_guard<std::mutex> lock(slot->mutex);
    exec_id = slot->exec_id;
    slot->width = width;
    slot->height = height;
  }
  if (exec_id.empty()) return;
  host().Post(
      [this, exec_id, width, height] { engine_->ExecResize(exec_id, width, height, closing_); });
}

}  // namespace drover_docker
