// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "driver/pause_containers.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "container/create_body.h"
#include "container/image_archive.h"
#include "container/names.h"
#include "engine/json_read.h"

extern "C" const char drover_docker_pause_begin[];
extern "C" const char drover_docker_pause_end[];

namespace drover_docker {
namespace {

using drover::Code;
using drover::Error;

constexpr std::chrono::seconds kEntryLimit{10};
constexpr int kPollMs = 3;
const char kPauseImage[] = "drover/pause";

// Returns whether the process PID is in the network namespace at PATH.
bool IsInNetwork(int pid, const std::string& path) {
  struct stat wanted{};
  struct stat own{};
  const std::string of_process = "/proc/" + std::to_string(pid) + "/ns/net";
  return pid > 0 && ::stat(path.c_str(), &wanted) == 0 && ::stat(of_process.c_str(), &own) == 0 &&
         wanted.st_ino == own.st_ino && wanted.st_dev == own.st_dev;
}

std::string_view PauseProgram() {
  return std::string_view(
      drover_docker_pause_begin,
      static_cast<std::size_t>(drover_docker_pause_end - drover_docker_pause_begin));
}

drover::Fd MemoryFile(const std::string& bytes) {
  drover::Fd file(::memfd_create("drover-pause", MFD_CLOEXEC));
  std::size_t at = 0;
  while (file.ok() && at < bytes.size()) {
    const ssize_t put = ::write(file.get(), bytes.data() + at, bytes.size() - at);
    if (put <= 0) break;
    at += static_cast<std::size_t>(put);
  }
  if (at != bytes.size() || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    throw Error(Code::kResourceExhausted, "no memory for the image of the pause container");
  }
  return file;
}

// A job can load an image with any name, also with that of the pause image, whose containers have
// rights that no task has. So the content decides.
bool IsPauseImage(const ImageInfo& image, const ImageArchive& archive) {
  const nlohmann::json& layers = At(image.raw, {"RootFS", "Layers"});
  return layers.is_array() && layers.size() == 1 && layers[0].is_string() &&
         layers[0].get<std::string>() == archive.layer && image.command.empty() &&
         image.entrypoint == std::vector<std::string>{"/pause"};
}

std::string EntryFailure(int exit_code) {
  if (exit_code == 10) return "the container does not see the network of the allocation";
  if (exit_code == 11) return "the engine does not let it enter the network of the allocation";
  return "it has ended with exit code " + std::to_string(exit_code);
}

}  // namespace

PauseContainers::PauseContainers(drover::Host host, Engine* engine)
    : host_(std::move(host)), engine_(engine) {}

std::shared_ptr<PauseContainers::Allocation> PauseContainers::Of(const std::string& alloc_id) {
  std::shared_ptr<Allocation>& slot = allocations_[alloc_id];
  if (slot == nullptr) slot = std::make_shared<Allocation>();
  return slot;
}

void PauseContainers::Adopt(const std::string& run, const std::string& alloc_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  alloc_of_[run] = alloc_id;
  Of(alloc_id)->runs.insert(run);
}

bool PauseContainers::IsUsed(const std::string& alloc_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = allocations_.find(alloc_id);
  return found != allocations_.end() && !found->second->runs.empty();
}

std::string PauseContainers::Join(const drover::TaskConfig& task, const TaskOptions& options,
                                  const CancelToken& cancel) {
  if (engine_->address().path.empty()) {
    Invalid("the network of the group lies on this machine, but the engine " + engine_->Text() +
            " on another one: write network_mode into the configuration of the task");
  }
  Adopt(task.run_id.Text(), task.alloc_id);
  std::shared_ptr<Allocation> allocation;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    allocation = Of(task.alloc_id);
  }
  std::lock_guard<std::mutex> busy(allocation->busy);
  const std::string found = FindRunning(task, cancel);
  return found.empty() ? Make(task, options, cancel) : found;
}

std::string PauseContainers::FindRunning(const drover::TaskConfig& task,
                                         const CancelToken& cancel) {
  const std::vector<std::string> labels{std::string(kKindLabel) + "=" + kPauseKind,
                                        std::string(kAllocLabel) + "=" + task.alloc_id};
  for (const ContainerInfo& listed : engine_->ListContainers(labels, cancel)) {
    if (!IsNamedAsOurs(listed.name, listed.labels)) continue;
    const ContainerInfo info = engine_->InspectContainer(listed.id, cancel);
    if (info.running && IsInNetwork(info.pid, task.network_namespace)) return info.id;
    // It is of an earlier network of the allocation, or a start has ended halfway.
    engine_->RemoveContainer(info.id, /*force=*/true, /*volumes=*/true, cancel);
  }
  return "";
}

std::string PauseContainers::NeedImage(const CancelToken& cancel) {
#if defined(__aarch64__)
  const char* const arch = "arm64";
#else
  const char* const arch = "amd64";
#endif
  static const ImageArchive kArchive = MakeImage(kPauseImage, "pause", PauseProgram(), arch);
  const auto find = [&]() -> std::string {
    const auto image = engine_->InspectImage(kArchive.name, cancel);
    return image && IsPauseImage(*image, kArchive) ? image->id : std::string();
  };
  if (const std::string id = find(); !id.empty()) return id;
  const drover::Fd file = MemoryFile(kArchive.tar);
  engine_->LoadImage(file.get(), cancel);
  if (const std::string id = find(); !id.empty()) return id;
  throw Error(Code::kUnavailable, "the engine has not loaded the image of the pause container",
              /*recoverable=*/true);
}

std::string PauseContainers::Make(const drover::TaskConfig& task, const TaskOptions& options,
                                  const CancelToken& cancel) {
  const std::string image = NeedImage(cancel);
  const nlohmann::json body = PauseBody(task, ReadGroupNames(task), options, image);
  const std::string id = engine_->CreateContainer(PauseName(task.alloc_id), body, cancel).id;
  try {
    engine_->StartContainer(id, cancel);
    AwaitEntry(id, task.network_namespace, cancel);
  } catch (...) {
    try {
      engine_->RemoveContainer(id, /*force=*/true, /*volumes=*/true, CancelToken());
    } catch (const Error& error) {
      host_.Log(drover::LogLevel::kWarn, task.run_id,
                "the pause container " + id + " stays for now: " + error.message());
    }
    throw;
  }
  return id;
}

void PauseContainers::AwaitEntry(const std::string& id, const std::string& network,
                                 const CancelToken& cancel) {
  const auto end = std::chrono::steady_clock::now() + kEntryLimit;
  const ContainerInfo info = engine_->InspectContainer(id, cancel);
  while (!IsInNetwork(info.pid, network)) {
    cancel.Check();
    const bool late = std::chrono::steady_clock::now() > end;
    const std::string process = "/proc/" + std::to_string(info.pid);
    if (late || !info.running || ::access(process.c_str(), F_OK) != 0) {
      const ContainerInfo now = engine_->InspectContainer(id, cancel);
      throw Error(Code::kFailedPrecondition,
                  "the pause container cannot hold the network of the allocation: " +
                      (now.running ? std::string("it is not there after 10 s")
                                   : EntryFailure(now.exit_code)));
    }
    pollfd stop{cancel.fd(), POLLIN, 0};
    ::poll(&stop, 1, kPollMs);
  }
}

void PauseContainers::Leave(const std::string& run, const CancelToken& cancel) {
  std::string alloc_id;
  std::shared_ptr<Allocation> allocation;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto mine = alloc_of_.find(run);
    if (mine == alloc_of_.end()) return;
    alloc_id = mine->second;
    allocation = Of(alloc_id);
  }
  std::lock_guard<std::mutex> busy(allocation->busy);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    allocation->runs.erase(run);
    if (!allocation->runs.empty()) {
      alloc_of_.erase(run);
      return;
    }
  }
  const std::vector<std::string> labels{std::string(kKindLabel) + "=" + kPauseKind,
                                        std::string(kAllocLabel) + "=" + alloc_id};
  for (const ContainerInfo& listed : engine_->ListContainers(labels, cancel)) {
    if (!IsNamedAsOurs(listed.name, listed.labels)) continue;
    engine_->RemoveContainer(listed.id, /*force=*/true, /*volumes=*/true, cancel);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  alloc_of_.erase(run);
  if (allocation->runs.empty()) allocations_.erase(alloc_id);
}

}  // namespace drover_docker
