// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/container_watch.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/own_thread.h"

namespace drover_docker {
namespace {

constexpr drover::Duration kMostRetry = std::chrono::seconds(5);
constexpr drover::Duration kEndPause = std::chrono::milliseconds(100);
constexpr int kEndAttempts = 20;  // inspections after an event that reports the end

// Whether a container may have ended, or gone, with this event. Podman has words of its own.
bool MayEnd(const std::string& action) {
  return action == "die" || action == "died" || action == "destroy" || action == "remove" ||
         action == "stop" || action == "cleanup";
}

// Whether the engine itself says that it has no such container. A proxy before an engine that is
// away, or another service at the address, may answer with 404 to everything, and that ends no
// task.
bool SaysGone(const EngineError& error) {
  return error.not_found() && error.reason().find("o such container") != std::string::npos;
}

}  // namespace

class ContainerWatch::Impl {
 public:
  using Connected = std::function<void(bool, const std::string&)>;

  Impl(Engine* engine, Options options)
      : engine_(engine), options_(options), retry_(options.retry), thread_([this] { Run(); }) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    stop_.Cancel();
    changed_.notify_all();
    thread_.join();
    // The end of the stream of events is reported to this object.
    events_.Cancel();
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !streaming_ && calling_ == 0; });
    std::map<std::uint64_t, Wait> waits;
    waits.swap(waits_);
    lock.unlock();
    for (auto& [number, wait] : waits) {
      wait.done(drover::Error(drover::Code::kCancelled, "the engine's client has ended"));
    }
  }

  std::uint64_t Await(const std::string& id, Ended done) {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t number = ++last_;
    waits_.emplace(number, Wait{id, std::move(done)});
    ++watched_[id];
    AskSoon(id, 0, std::chrono::steady_clock::now());
    changed_.notify_all();
    return number;
  }

  void Forget(std::uint64_t number) {
    std::unique_lock<std::mutex> lock(mutex_);
    RemoveWait(number);
    if (std::this_thread::get_id() == thread_.get_id()) return;
    changed_.wait(lock, [&] { return running_ != number; });
  }

  void OnEvent(Heard heard) {
    std::lock_guard<std::mutex> lock(mutex_);
    heard_ = std::make_shared<Heard>(std::move(heard));
  }
  void OnConnection(Connected connected) {
    std::lock_guard<std::mutex> lock(mutex_);
    on_connection_ = std::make_shared<Connected>(std::move(connected));
  }

 private:
  struct Wait {
    std::string id;
    Ended done;
  };
  struct Question {
    SteadyTime at;
    int attempts = 0;  // further inspections if the container has not ended
  };

  // All functions of this group are called with the lock.

  void AskSoon(const std::string& id, int attempts, SteadyTime at) {
    const auto [found, added] = questions_.emplace(id, Question{at, attempts});
    if (added) return;
    found->second.at = std::min(found->second.at, at);
    found->second.attempts = std::max(found->second.attempts, attempts);
  }

  void RemoveWait(std::uint64_t number) {
    const auto found = waits_.find(number);
    if (found == waits_.end()) return;
    const auto watched = watched_.find(found->second.id);
    if (watched != watched_.end() && --watched->second == 0) {
      questions_.erase(found->second.id);
      watched_.erase(watched);
    }
    waits_.erase(found);
  }

  SteadyTime NextTime() const {
    SteadyTime next = SteadyTime::max();
    if (watched_.empty()) return next;
    if (!streaming_) next = std::min(next, reopen_at_);
    next = std::min(next, sweep_at_);
    for (const auto& [id, question] : questions_) next = std::min(next, question.at);
    return next;
  }

  // ------------------------------------------------------------------------------------ the thread

  void Run() {
    PrepareOwnThread("docker-watch");
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_) {
      const SteadyTime next = NextTime();
      const SteadyTime now = std::chrono::steady_clock::now();
      if (next > now) {
        if (next == SteadyTime::max()) {
          changed_.wait(lock);
        } else {
          changed_.wait_until(lock, next);
        }
        continue;
      }
      if (!streaming_ && reopen_at_ <= now) {
        streaming_ = true;
        lock.unlock();
        OpenEvents();
        lock.lock();
        continue;
      }
      if (sweep_at_ <= now) {
        sweep_at_ = now + options_.sweep;
        lock.unlock();
        Sweep();
        lock.lock();
        continue;
      }
      Inspect(&lock, now);
    }
  }

  void OpenEvents() {
    // What happened while the stream broke comes again; a repeated event does no harm.
    const std::int64_t since = drover::WallNow() - 2'000'000'000;
    nlohmann::json filters = nlohmann::json::object();
    filters["type"] = nlohmann::json::array({"container"});
    try {
      engine_->ApiVersion(stop_);
      Engine::Subscription events = engine_->FollowEvents(
          filters, since, [this] { Begun(); }, [this](const EngineEvent& event) { Hear(event); },
          [this](std::optional<drover::Error> error) { Broken(error); });
      std::lock_guard<std::mutex> lock(mutex_);
      events_ = std::move(events);
      sweep_at_ = std::chrono::steady_clock::now();
    } catch (...) {
      Broken(drover::abi::CurrentError());
    }
  }

  // Asks for all containers, and inspects those of the watched ones that do not run.
  void Sweep() {
    std::map<std::string, bool> ended;
    bool answered = false;
    try {
      for (const ContainerInfo& container : engine_->ListContainers({}, stop_)) {
        ended[container.id] = container.ended();
      }
      answered = true;
    } catch (const drover::Error&) {
      // The engine is away: the stream of events has noticed it, too, or will.
    }
    std::lock_guard<std::mutex> lock(mutex_);
    const SteadyTime now = std::chrono::steady_clock::now();
    if (!answered) {
      sweep_at_ = std::min(sweep_at_, now + retry_);
      return;
    }
    for (const auto& [id, count] : watched_) {
      const auto found = ended.find(id);
      if (found == ended.end() || found->second) AskSoon(id, 0, now);
    }
  }

  // Inspects one container whose time has come.
  void Inspect(std::unique_lock<std::mutex>* lock, SteadyTime now) {
    auto due = std::find_if(questions_.begin(), questions_.end(),
                            [&](const auto& question) { return question.second.at <= now; });
    if (due == questions_.end()) return;
    const std::string id = due->first;
    const int attempts = due->second.attempts;
    questions_.erase(due);
    lock->unlock();
    std::optional<drover::Outcome<ContainerInfo>> result;
    bool unreachable = false;
    try {
      ContainerInfo info = engine_->InspectContainer(id, stop_);
      if (info.ended()) result.emplace(std::move(info));
    } catch (const EngineError& error) {
      if (SaysGone(error)) {
        result.emplace(error);
      } else {
        unreachable = true;
      }
    } catch (const drover::Error&) {
      unreachable = true;
    }
    lock->lock();
    if (stopping_) return;
    if (result) return Complete(lock, id, *result);
    const SteadyTime after = std::chrono::steady_clock::now();
    if (watched_.count(id) == 0) return;
    if (unreachable) {
      AskSoon(id, attempts, after + retry_);
    } else if (attempts > 0) {
      AskSoon(id, attempts - 1, after + kEndPause);
    }
  }

  void Complete(std::unique_lock<std::mutex>* lock, const std::string& id,
                const drover::Outcome<ContainerInfo>& result) {
    for (;;) {
      const auto found = std::find_if(waits_.begin(), waits_.end(),
                                      [&](const auto& wait) { return wait.second.id == id; });
      if (found == waits_.end()) return;
      const Ended done = std::move(found->second.done);
      running_ = found->first;
      RemoveWait(found->first);
      lock->unlock();
      done(result);
      lock->lock();
      running_ = 0;
      changed_.notify_all();
    }
  }

  // ---------------------------------------------------------------------- on the thread of the
  // loop

  void Begun() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      retry_ = options_.retry;
      sweep_at_ = std::chrono::steady_clock::now();
      changed_.notify_all();
    }
    Report(true, "");
  }

  void Hear(const EngineEvent& event) {
    std::shared_ptr<Heard> heard;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (watched_.count(event.id) == 0) return;
      if (MayEnd(event.action)) {
        AskSoon(event.id, kEndAttempts, std::chrono::steady_clock::now());
        changed_.notify_all();
      }
      heard = heard_;
    }
    if (heard != nullptr && *heard) (*heard)(event);
  }

  void Broken(const std::optional<drover::Error>& error) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++calling_;
    }
    Report(false, error ? error->message() : "the engine ended its stream of events");
    std::lock_guard<std::mutex> lock(mutex_);
    --calling_;
    streaming_ = false;
    reopen_at_ = std::chrono::steady_clock::now() + retry_;
    retry_ = std::min(retry_ * 2, kMostRetry);
    changed_.notify_all();
  }

  void Report(bool connected, const std::string& why) {
    std::shared_ptr<Connected> report;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) return;
      report = on_connection_;
    }
    if (report != nullptr && *report) (*report)(connected, why);
  }

  Engine* const engine_;
  const Options options_;
  const CancelToken stop_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool stopping_ = false;
  std::uint64_t last_ = 0;
  std::uint64_t running_ = 0;  // the wait whose DONE runs; 0: none
  std::map<std::uint64_t, Wait> waits_;
  std::map<std::string, int> watched_;         // the number of waits of each container
  std::map<std::string, Question> questions_;  // the containers to inspect
  bool streaming_ = false;                     // the stream of events is open, or being opened
  int calling_ = 0;                            // calls of Broken that run
  SteadyTime reopen_at_{};
  SteadyTime sweep_at_ = SteadyTime::max();
  drover::Duration retry_;
  std::shared_ptr<Heard> heard_;
  std::shared_ptr<Connected> on_connection_;
  Engine::Subscription events_;
  std::thread thread_;  // the last: it uses the others
};

ContainerWatch::ContainerWatch(Engine* engine, Options options)
    : impl_(std::make_unique<Impl>(engine, options)) {}
ContainerWatch::~ContainerWatch() = default;
std::uint64_t ContainerWatch::Await(const std::string& id, Ended done) {
  return impl_->Await(id, std::move(done));
}
void ContainerWatch::Forget(std::uint64_t number) { impl_->Forget(number); }
void ContainerWatch::OnEvent(Heard heard) { impl_->OnEvent(std::move(heard)); }
void ContainerWatch::OnConnection(std::function<void(bool, const std::string&)> changed) {
  impl_->OnConnection(std::move(changed));
}

}  // namespace drover_docker
