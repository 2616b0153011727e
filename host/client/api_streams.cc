// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/api_streams.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <utility>

#include "host/base/gate.h"
#include "host/client/loop_wait.h"

namespace drover {

class ApiStreams::Set {
 public:
  explicit Set(std::shared_ptr<const Endpoint> endpoint) : http_(std::move(endpoint)) {}
  ~Set() {
    all_.Cancel();
    loop_.RunToEnd(gate_.Close(), kForever);
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

  std::uint64_t Ask(ClientRequest request, End end) {
    const std::uint64_t id = ++last_;
    const Context context = all_.Child();
    streams_.emplace(id, context);
    request.take = [this, take = std::move(request.take)](std::string_view some) {
      came_.Set();
      if (take) take(some);
    };
    gate_.Spawn(Run(id, context, std::move(request), std::move(end)));
    return id;
  }

  void Drop(std::uint64_t id) {
    if (auto stream = streams_.extract(id)) stream.mapped().Cancel();
  }

  Status Wait(int fd, Duration most) {
    came_.Reset();
    return RunUntil(&loop_, &came_, {fd}, most);
  }

 private:
  Co<void> Run(std::uint64_t id, Context context, ClientRequest request, End end) {
    // If a callback has called Ask, this request must not begin before the callback has returned.
    co_await boost::asio::post(loop_.io(), boost::asio::use_awaitable);
    while (asking_ >= kMostConnections && !context.cancelled()) {
      ended_.Reset();
      [[maybe_unused]] const Status waited = co_await ended_.Wait(context);
    }
    if (context.cancelled()) co_return;
    ++asking_;
    const Result<ClientReply> reply = co_await http_.Ask(context, std::move(request));
    --asking_;
    ended_.Set();
    if (context.cancelled()) co_return;
    streams_.erase(id);
    came_.Set();
    if (end) end(reply.ok() ? Status() : Status(reply.error()));
  }

  RealLoop loop_;
  HttpClient http_;
  Context all_{&loop_};
  Gate gate_{&loop_};
  Event came_{&loop_};   // set when a callback has received bytes or the end of a request
  Event ended_{&loop_};  // set when a request ends, so that a waiting request can begin
  int asking_ = 0;
  std::map<std::uint64_t, Context> streams_;  // requests whose function END has not been called yet
  std::uint64_t last_ = 0;
};

ApiStreams::ApiStreams(std::shared_ptr<const Endpoint> endpoint)
    : set_(std::make_unique<Set>(std::move(endpoint))) {}
ApiStreams::ApiStreams(ApiStreams&&) noexcept = default;
ApiStreams::~ApiStreams() = default;

std::uint64_t ApiStreams::Ask(const char* method, const std::string& path, const Query& query,
                              TakeBytes take, End end, const std::string* body) {
  ClientRequest request;
  request.method = method;
  request.path = path;
  request.query = query;
  request.take = std::move(take);
  if (body != nullptr) request.body = *body;
  return set_->Ask(std::move(request), std::move(end));
}

void ApiStreams::Drop(std::uint64_t id) { set_->Drop(id); }

Status ApiStreams::Wait(int fd, Duration most) { return set_->Wait(fd, most); }

}  // namespace drover
