// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_watcher.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "host/base/unique_fd.h"

namespace drover {
namespace asio = boost::asio;

// The state that the watcher, its watches and the handlers in the loop share.
struct LogWatcherState : std::enable_shared_from_this<LogWatcherState> {
  explicit LogWatcherState(Loop* of) : loop(of) {}

  void Wait();
  void Gathered();

  // Sets the event of each watch in OF, on the thread of that watch. Each watch in OF still exists,
  // and so does its loop.
  static void Ring(const std::set<LogWatcher::Watch*>& of) {
    for (const LogWatcher::Watch* watch : of) {
      watch->changed_->loop()->Post([bell = std::weak_ptr<Event>(watch->changed_)] {
        if (const auto changed = bell.lock()) changed->Set();
      });
    }
  }

  Loop* const loop;
  Loop::TimerId timer = 0;
  std::mutex mutex;  // protects the members below
  // Null if the kernel refused to make an inotify instance.
  std::unique_ptr<asio::posix::stream_descriptor> inotify;
  // The key is the inotify watch descriptor of a watched object. If the same object is watched
  // twice, the kernel returns the same watch descriptor again.
  std::map<int, std::set<LogWatcher::Watch*>> watches;
};

void LogWatcherState::Wait() {
  std::weak_ptr<LogWatcherState> weak = weak_from_this();
  inotify->async_wait(asio::posix::descriptor_base::wait_read,
                      [weak](const boost::system::error_code& error) {
                        const auto self = weak.lock();
                        if (error || self == nullptr || self->inotify == nullptr) return;
                        // The changes are read only after kGather, because the kernel merges equal
                        // changes that are not read yet.
                        self->timer = self->loop->After(LogWatcher::kGather, [weak] {
                          if (const auto state = weak.lock()) state->Gathered();
                        });
                      });
}

void LogWatcherState::Gathered() {
  timer = 0;
  const std::lock_guard lock(mutex);
  if (inotify == nullptr) return;
  alignas(inotify_event) char buffer[16 << 10];
  std::set<int> changed;
  bool all = false;
  // The number of reads is limited. If changes come faster than they are read, the next call reads
  // the rest.
  for (int reads = 0; reads < 16; ++reads) {
    const ssize_t n = read(inotify->native_handle(), buffer, sizeof buffer);
    if (n <= 0) break;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      all = all || (event->mask & IN_Q_OVERFLOW) != 0;
      changed.insert(event->wd);
    }
  }
  for (const auto& [id, of] : watches) {
    if (all || changed.contains(id)) Ring(of);
  }
  Wait();
}

LogWatcher::LogWatcher(Loop* loop) : state_(std::make_shared<LogWatcherState>(loop)) {
  UniqueFd fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!fd) return;
  state_->inotify = std::make_unique<asio::posix::stream_descriptor>(loop->io(), fd.get());
  fd.Release();
  state_->Wait();
}

LogWatcher::~LogWatcher() {
  state_->loop->Cancel(state_->timer);
  const std::lock_guard lock(state_->mutex);
  state_->inotify.reset();
}

std::unique_ptr<LogWatcher::Watch> LogWatcher::Add(Loop* loop, int fd) {
  const std::lock_guard lock(state_->mutex);
  if (state_->inotify == nullptr || fd < 0) return nullptr;
  // The path leads through the file descriptor, so the watch is on the opened object itself.
  // IN_ATTRIB is needed because the removal of the name of an open file only changes its
  // attributes.
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const int id = inotify_add_watch(state_->inotify->native_handle(), path.c_str(),
                                   IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                       IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
  if (id < 0) return nullptr;
  std::unique_ptr<Watch> watch(new Watch(state_, id, loop));
  state_->watches[id].insert(watch.get());
  return watch;
}

std::size_t LogWatcher::watched() const {
  const std::lock_guard lock(state_->mutex);
  return state_->watches.size();
}

LogWatcher::Watch::Watch(std::shared_ptr<LogWatcherState> state, int id, Loop* loop)
    : state_(std::move(state)), id_(id), changed_(std::make_shared<Event>(loop)) {}

LogWatcher::Watch::~Watch() {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->watches.find(id_);
  if (found == state_->watches.end()) return;
  found->second.erase(this);
  if (!found->second.empty()) return;
  state_->watches.erase(found);
  // This call fails if the directory was removed, because the kernel then removed its watch, too.
  if (state_->inotify != nullptr) inotify_rm_watch(state_->inotify->native_handle(), id_);
}

}  // namespace drover
