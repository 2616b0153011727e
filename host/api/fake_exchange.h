// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/api/router.h"
#include "host/http/http_exchange.h"

// For tests: the client of a route that answers with a stream. The test decides whether it reads.
namespace drover {

class FakeExchange : public HttpExchange {
 public:
  FakeExchange(Loop* loop, const std::string& path, const std::string& query)
      : loop_(loop), context_(loop), reads_(loop) {
    request_.method = "GET";
    request_.path = path;
    request_.query = ParseQuery(query).value();
    reads_.Set();
  }

  const HttpRequest& request() const override { return request_; }
  Loop* loop() override { return loop_; }
  const Context& context() const override { return context_; }
  Co<Status> Reply(HttpReply) override {
    ADD_FAILURE() << "a reply, and not a stream";
    co_return Status();
  }
  Co<Status> StartStream(HttpReply head) override {
    content_type = head.content_type;
    co_return Status();
  }
  Co<Status> Write(std::string bytes) override {
    co_await reads_.Wait();
    got += bytes;
    ++writes;
    co_return context_.status();
  }
  Co<Result<WebSocketChannel*>> AcceptWebSocket() override {
    co_return Error(Code::kUnimplemented, "it is no websocket");
  }

  // Sets another method than GET, and a body. Call it before the route gets the exchange.
  void Send(std::string method, std::string body, HttpFields headers = {}) {
    request_.method = std::move(method);
    request_.body = std::move(body);
    request_.headers = std::move(headers);
  }
  void StopReading() { reads_.Reset(); }
  void Read() { reads_.Set(); }
  void Leave() { context_.Cancel("the client has gone"); }
  // The bytes that have come since the last call.
  std::string Take() { return std::exchange(got, {}); }

  std::string content_type;
  std::string got;
  int writes = 0;

 private:
  Loop* const loop_;
  HttpRequest request_;
  Context context_;
  Event reads_;
};

// A request for ROUTE, which runs until its client leaves.
class FakeRequest {
 public:
  FakeRequest(Loop* loop, const ApiAgent* agent, const Route& route, const std::string& query,
              std::string method = "GET")
      : exchange(loop, std::string(route.pattern), query),
        request_(&exchange, agent, {}),
        handler_(route.handler) {
    exchange.Send(std::move(method), "");
    loop->Spawn(Run(this));
  }

  FakeExchange exchange;
  std::optional<Answer> answer;  // once it has ended

 private:
  static Co<void> Run(FakeRequest* self) {
    self->answer.emplace(co_await self->handler_(&self->request_));
  }
  ApiRequest request_;
  const std::function<Co<Answer>(ApiRequest*)> handler_;
};

}  // namespace drover
