// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/drover_news.h"
#include "drover/entry.hpp"

// News of running tasks, for drivers written in C++. Like drover_news.h, this is a DRAFT without a
// promise.
//
//   class MyDriver : public drover::Driver {
//    public:
//     static drover::Info Describe();  // with DROVER_CAP_NEWS in offers
//     void News(drover::Stream<drover::TaskNews> stream) { news_.Add(std::move(stream)); }
//     const void* Extension(std::string_view id) override {
//       return drover::TaskNewsOf<MyDriver>(id);
//     }
//    private:
//     drover::NewsSender news_;  // news_.Send(...) from any thread
//   };
namespace drover {
inline namespace sdk_v1 {

enum class TaskHealth { kUnhealthy = DROVER_UNHEALTHY, kHealthy = DROVER_HEALTHY };

// The members are those of drover_task_news. What is absent has not changed.
struct TaskNews {
  RunId run;
  std::optional<TaskHandle> handle{};
  std::optional<DriverNetwork> network{};
  std::optional<TaskHealth> health{};
  std::optional<bool> paused{};
  std::string text{};
};

namespace abi {

DROVER_SDK_ONCE inline void WithNews(const TaskNews& in, Ref<const void*> use) {
  drover_task_news out = Make<drover_task_news>();
  drover_task_handle handle = Make<drover_task_handle>();
  drover_driver_network network = Make<drover_driver_network>();
  std::vector<drover_port> ports;
  out.type = DROVER_MESSAGE_TASK_NEWS;
  out.run_id = Encode(in.run);
  if (in.health) out.health = static_cast<std::int32_t>(*in.health);
  if (in.paused) out.paused = *in.paused ? DROVER_NEWS_PAUSED : DROVER_NEWS_RESUMED;
  out.text = Str(in.text);
  if (in.handle) {
    handle = View(*in.handle);
    out.handle = &handle;
  }
  if (in.network) {
    for (const Port& item : in.network->ports) {
      drover_port port = Make<drover_port>();
      port.label = Str(item.label);
      port.value = item.value;
      port.to = item.to;
      port.host_ip = Str(item.host_ip);
      ports.push_back(port);
    }
    network.ip = Str(in.network->ip);
    network.auto_advertise = in.network->auto_advertise ? 1 : 0;
    network.ports = Array(ports);
    out.network = &network;
  }
  use(&out);
}

}  // namespace abi

template <>
inline bool Stream<TaskNews>::Send(const TaskNews& message) const {
  bool go_on = false;
  abi::WithNews(message, [&](const void* out) { go_on = state_->Send(out); });
  return go_on;
}

// Sends news on all streams that the host has opened. [any-thread]
class NewsSender {
 public:
  void Add(Stream<TaskNews> stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    streams_.push_back(std::move(stream));
  }
  // Returns false if the host wants no news.
  bool Send(const TaskNews& news) {
    std::vector<Stream<TaskNews>> streams;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      streams_.erase(
          std::remove_if(streams_.begin(), streams_.end(),
                         [](const Stream<TaskNews>& stream) { return stream.cancelled(); }),
          streams_.end());
      streams = streams_;
    }
    bool sent = false;
    for (const Stream<TaskNews>& stream : streams) sent = stream.Send(news) || sent;
    return sent;
  }

 private:
  std::mutex mutex_;
  std::vector<Stream<TaskNews>> streams_;
};

namespace abi {

// The C function of the class D, which has the method News.
template <typename D>
std::int32_t NewsThunk(drover_instance* self, std::uint64_t stream, drover_error* error) noexcept {
  return AcceptStream(self, stream, error, [](Driver& driver, std::shared_ptr<StreamState> open) {
    static_cast<D&>(driver).News(Stream<TaskNews>(std::move(open)));
  });
}

}  // namespace abi

// The function table of the news of the class D, or null if ID is another id.
template <typename D>
const void* TaskNewsOf(std::string_view id) noexcept {
  static const drover_news_source kNews = {sizeof(drover_news_source), 0, &abi::NewsThunk<D>};
  return id == DROVER_TASK_NEWS_ID ? &kNews : nullptr;
}

}  // namespace sdk_v1
}  // namespace drover
