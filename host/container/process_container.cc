// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/process_container.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "host/abi/abi_read.h"
#include "host/abi/abi_text.h"
#include "host/abi/abi_write.h"
#include "host/container/process_container_state.h"

namespace drover {
namespace {

using State = ProcessContainer::State;

constexpr std::size_t kMaxOutput = 64u << 10;
constexpr std::size_t kMaxLine = 8u << 10;
constexpr Duration kLastWords = 500ms;  // how long a process may take to report where it hangs
constexpr Duration kEndOfProcess = 5s;  // how long a process may take to end after SIGKILL

// Passes a message to the host. Returns the host's answer, which is 1 if the stream must end.
template <typename T>
std::int32_t SendAs(const drover_host* host, std::uint64_t id, std::int32_t type, std::uint8_t body,
                    WireReader* from) {
  const T* message = body == kNoBody ? nullptr : from->Struct<T>();
  if (!from->Done()) return 0;
  // The host chooses the struct by the type in the message.
  if (message != nullptr && message->type != type) message = nullptr;
  const void* whole = message;
  return host->stream_send(host, id, static_cast<const drover_message*>(whole));
}

}  // namespace

// ------------------------------------------------------------------------ the container's thread

void State::Run() {
  ContainerDeath death;
  bool writes = true;
  while (true) {
    pollfd events[3] = {{socket.fd(), POLLIN, 0},
                        {writes ? process->output_fd() : -1, POLLIN, 0},
                        {process->pidfd(), POLLIN, 0}};
    if (poll(events, 3, -1) < 0) continue;
    if (events[1].revents != 0) writes = ReadOutput();
    const Frames frames = ReadFrames(&death.why);
    if (frames == Frames::kOver) break;
    // Frames that the process sent before its end must be handled.
    if (events[2].revents != 0 && frames == Frames::kDrained) break;
  }
  End(std::move(death));
}

void State::End(ContainerDeath death) {
  // If there is no reason in DEATH, the process ends by itself. The socket of the process closes a
  // moment before the process ends. So the process gets some time to end and to write its report.
  bool may_tell = death.why.empty();
  {
    const std::lock_guard lock(mutex);
    if (!why.empty()) {  // the host's reason takes precedence
      death.why = why;
      may_tell = asked;
    }
  }
  // After the shutdown, a thread that waits for room in the socket returns at once.
  socket.Shutdown();
  bool reaped = may_tell && process->Reap(BootClock::now() + kLastWords, path, &death);
  if (!reaped) {
    if (death.why.empty()) death.why = "it closed its socket";
    process->Signal(SIGKILL);
    reaped = process->Reap(BootClock::now() + kEndOfProcess, path, &death);
  }
  if (!reaped) {
    death.why += "; it does not end, so it hangs in the kernel (" + process->KernelPlaces() + ")";
  }
  ReadOutput();
  Die(std::move(death));
  // The process must be reaped, however long its end takes.
  ContainerDeath ignored;
  if (!reaped) process->Reap(TimePoint::max(), path, &ignored);
}

State::Frames State::ReadFrames(std::string* why_not) {
  // The maximum number of frames for each call. The caller must also have time for the output and
  // the end of the process.
  constexpr int kTurn = 256;
  for (int i = 0; i < kTurn; ++i) {
    Frame frame;
    switch (socket.Receive(&frame, /*wait=*/false, why_not)) {
      case Received::kNothing:
        return Frames::kDrained;
      case Received::kClosed:
        return Frames::kOver;
      case Received::kBroken:
        *why_not = "it sent " + *why_not;
        return Frames::kOver;
      case Received::kFrame:
        break;
    }
    if (const Status handled = Handle(std::move(frame)); !handled.ok()) {
      *why_not = "it sent " + handled.error().message();
      return Frames::kOver;
    }
  }
  return Frames::kMore;
}

bool State::ReadOutput() {
  std::array<char, 4096> buffer{};
  constexpr int kTurn = 16;
  for (int i = 0; i < kTurn; ++i) {
    const ssize_t n = read(process->output_fd(), buffer.data(), buffer.size());
    if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
    const std::lock_guard lock(mutex);
    output.append(buffer.data(), static_cast<std::size_t>(n));
    if (output.size() > kMaxOutput) output.erase(0, output.size() - kMaxOutput);
    line.append(buffer.data(), static_cast<std::size_t>(n));
    for (std::size_t end; (end = line.find('\n')) != std::string::npos || line.size() > kMaxLine;) {
      const std::size_t size = std::min({end, kMaxLine, line.size()});
      if (listener.line) listener.line(SafeText(line.substr(0, size), kMaxLine));
      line.erase(0, size + (end == size ? 1 : 0));
    }
  }
  return true;
}

Status State::Handle(Frame frame) {
  using namespace frame_kind;
  const std::uint64_t id = frame.id;
  WireReader from(std::move(frame.message));
  const auto unreadable = [&]() -> Status {
    if (from.Done()) return {};
    return Error(Code::kInternal,
                 "a frame of kind " + std::to_string(frame.kind) + " that cannot be read");
  };
  switch (frame.kind) {
    case kReturn:
      HandleReturn(id, &from);
      return unreadable();
    case kLoaded:
      HandleLoaded(&from);
      return unreadable();
    default:
      break;
  }
  // All other frames come from the driver, and a driver exists only after the host was set.
  const drover_host* const face = host;
  if (face == nullptr) return Error(Code::kInternal, "a frame before there was a driver");
  switch (frame.kind) {
    case kComplete:
      HandleComplete(id, &from);
      return unreadable();
    case kStreamSend:
      HandleMessage(id, &from);
      return unreadable();
    case kStreamEnd: {
      const std::optional<drover_error> error = GetError(&from);
      if (!from.Done()) return unreadable();
      {
        const std::lock_guard lock(mutex);
        streams.erase(id);
      }
      face->stream_end(face, id, error ? &*error : nullptr);
      return {};
    }
    case kLog:
      HandleLog(&from);
      return unreadable();
    default:
      if (HandleService(frame.kind, id, &from)) return unreadable();
      return Error(Code::kInternal, "a frame of the unknown kind " + std::to_string(frame.kind));
  }
}

void State::HandleReturn(std::uint64_t id, WireReader* from) {
  const auto status = from->Number<std::int32_t>();
  std::optional<drover_error> error = GetError(from);
  if (!from->Done()) return;
  const std::lock_guard lock(mutex);
  const auto found = waiting.find(id);
  if (found == waiting.end() || found->second->over) return;  // no function waits for this answer
  found->second->status = status;
  found->second->error = error;
  found->second->over = true;
  found->second->returned.notify_one();
}

void State::HandleLoaded(WireReader* from) {
  const std::optional<drover_error> error = GetError(from);
  drover_str json{};
  if (!error) (*from)(json);
  if (!from->Done()) return;
  Result<PluginInfo> info =
      error ? Result<PluginInfo>(ReadError(DROVER_OK, &*error))
            : PluginInfoFromJson(std::string(json.data == nullptr ? "" : json.data, json.size));
  if (!info.ok()) {
    // The child has only a descriptor of the file and not its path, so the child writes "plugin"
    // in place of the path.
    std::string message = info.error().message();
    if (message.starts_with("plugin")) message = path + message.substr(6);
    info = Error(info.code(), message);
  }
  const std::lock_guard lock(mutex);
  if (const auto loaded = std::exchange(listener.loaded, nullptr)) loaded(std::move(info));
}

void State::HandleComplete(std::uint64_t id, WireReader* from) {
  Forward forward = nullptr;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = calls.find(id); found != calls.end()) {
      forward = found->second;
      calls.erase(found);
    }
  }
  const std::optional<drover_error> error = GetError(from);
  // If this container does not know the call, the host does not know it either. The host then drops
  // and logs the completion.
  const drover_host* const face = host;
  if (forward == nullptr) {
    from->Skip();
    return face->complete(face, id, error ? &*error : nullptr, nullptr);
  }
  forward(this, id, error ? &*error : nullptr, from);
}

void State::HandleMessage(std::uint64_t id, WireReader* from) {
  const drover_host* const face = host;
  std::int32_t cancelled = 0;
  const auto type = from->Number<std::int32_t>();
  const auto body = from->Number<std::uint8_t>();
  if (!from->ok()) return;
  switch (body == kOtherType ? 0 : type) {
    case DROVER_MESSAGE_FINGERPRINT:
      cancelled = SendAs<drover_fingerprint>(face, id, type, body, from);
      break;
    case DROVER_MESSAGE_EVENT:
      cancelled = SendAs<drover_event>(face, id, type, body, from);
      break;
    case DROVER_MESSAGE_STATS:
      cancelled = SendAs<drover_stats>(face, id, type, body, from);
      break;
    case DROVER_MESSAGE_DEVICES:
      cancelled = SendAs<drover_devices>(face, id, type, body, from);
      break;
    case DROVER_MESSAGE_DEVICE_STATS:
      cancelled = SendAs<drover_device_stats>(face, id, type, body, from);
      break;
    case DROVER_MESSAGE_TASK_NEWS:
      cancelled = SendAs<drover_task_news>(face, id, type, body, from);
      break;
    default: {
      // The message has not the type that its stream has, so the child has left out the body. The
      // host reports the type.
      const drover_message head{sizeof(drover_message), type};
      cancelled = face->stream_send(face, id, &head);
    }
  }
  if (cancelled != 0) CancelStream(id);
}

// Sends the driver a frame that cancels the stream. The function that sent the last message did
// not wait for the host's answer, so a return value cannot report the cancellation. If the socket
// has no room for the frame now, the next message of the stream causes another such frame.
void State::CancelStream(std::uint64_t id) {
  WireMessage message;
  WireWriter to(&message);
  to(id);
  std::uint64_t frame = 0;
  {
    const std::lock_guard lock(mutex);
    streams.erase(id);
    frame = next_frame++;
  }
  (void)socket.Send(frame_kind::kStreamCancel, frame, std::move(message), BootClock::now());
}

void State::HandleLog(WireReader* from) {
  const auto level = from->Number<std::int32_t>();
  const bool has_run = from->Number<std::uint8_t>() != 0;
  drover_run_id run{};
  (*from)(run);
  drover_str text{};
  (*from)(text);
  if (!from->Done()) return;
  const drover_host* const face = host;
  const auto* log =
      static_cast<const drover_diag_log*>(face->get_extension(face, ToStr(DROVER_DIAG_LOG_ID)));
  if (log != nullptr) log->write(face, level, has_run ? &run : nullptr, text);
}

void State::Die(ContainerDeath death) {
  std::set<std::uint64_t> open_streams;
  std::map<std::uint64_t, Forward> open_calls;
  auto error = NewStruct<drover_error>();
  {
    const std::lock_guard lock(mutex);
    death.output = output;
    if (death.function.empty()) {
      // Each function that has not returned may be the cause.
      std::set<std::uint16_t> named;
      for (const auto& [id, own] : waiting) {
        if (!named.insert(own->kind).second) continue;
        if (!death.function.empty()) death.function += " or ";
        death.function += FrameFunction(own->kind);
      }
    }
    told = death.Text(name);
    WriteError(Error(Code::kUnavailable, told, /*recoverable=*/true), &error);
    dead = true;
    open_calls.swap(calls);
    open_streams.swap(streams);
    for (const auto& [id, own] : waiting) own->returned.notify_one();
  }
  if (const drover_host* const face = host) {
    for (const auto& [id, forward] : open_calls) face->complete(face, id, &error, nullptr);
    for (const std::uint64_t id : open_streams) face->stream_end(face, id, &error);
  }
  // DIED must be the last call to the container's owner, because the owner then destroys the host's
  // side of the container.
  const std::lock_guard lock(mutex);
  if (const auto died = std::exchange(listener.died, nullptr)) died(std::move(death));
}

void State::Kill(const std::string& because, bool ask) {
  const std::lock_guard lock(mutex);
  if (dead || !why.empty()) return;
  why = because;
  asked = ask;
  process->Signal(ask ? SIGQUIT : SIGKILL);
  // The shutdown wakes the container's thread and the threads that wait for room in the socket. It
  // works even if the process ignores the signal.
  socket.Shutdown();
}

// --------------------------------------------------------------------------------- the container

Result<std::unique_ptr<ProcessContainer>> ProcessContainer::Start(const UniqueFd& file,
                                                                  const std::string& path,
                                                                  const std::string& name,
                                                                  Listener listener) {
  DROVER_ASSIGN(auto process, ContainerProcess::Start(file.get(), name));
  auto state = std::make_shared<State>(std::move(process), path, name, std::move(listener));
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::string failed;
  try {
    // The thread ends when the process has ended. If the process cannot end, nobody waits for the
    // thread.
    std::thread([state] { state->Run(); }).detach();
  } catch (const std::system_error& e) {
    failed = e.what();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!failed.empty()) {
    return Error(Code::kResourceExhausted, "no thread for a container: " + failed);
  }
  return std::unique_ptr<ProcessContainer>(new ProcessContainer(std::move(state)));
}

void ProcessContainer::UsePool(Post post) { state_->post = std::move(post); }

ProcessContainer::~ProcessContainer() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->listener = Listener();
  }
  Kill("its host has shut it down", /*ask=*/false);
}

void ProcessContainer::Kill(const std::string& why, bool ask) { state_->Kill(why, ask); }

Status ProcessContainer::broken_part() const {
  const std::lock_guard lock(state_->mutex);
  return state_->broken_part;
}

bool ProcessContainer::alive() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->dead && state_->why.empty();
}

pid_t ProcessContainer::pid() const { return state_->process->pid(); }

std::string ProcessContainer::output() const {
  const std::lock_guard lock(state_->mutex);
  return state_->output;
}

}  // namespace drover
