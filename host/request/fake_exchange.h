// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/http/http_exchange.h"
#include "host/request/route.h"

// For tests: an HTTP exchange and a request to a route that answers with a stream. The test decides
// when the client reads the answer and when the client disconnects.
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

  // Sets the method, the body and the headers of the request. Call it before a route uses the
  // exchange.
  void Send(std::string method, std::string body, HttpFields headers = {}) {
    request_.method = std::move(method);
    request_.body = std::move(body);
    request_.headers = std::move(headers);
  }
  // Makes CLIENT the sender of the request. Call it before a route uses the exchange.
  void From(std::string client) { request_.client = std::move(client); }
  void StopReading() { reads_.Reset(); }
  void Read() { reads_.Set(); }
  void Leave() { context_.Cancel("the client has gone"); }
  // Returns the bytes that were written since the last call.
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

// A request for ROUTE. The handler of ROUTE runs until the client disconnects.
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
  std::optional<Answer> answer;  // set when the handler has ended

 private:
  static Co<void> Run(FakeRequest* self) {
    self->answer.emplace(co_await self->handler_(&self->request_));
  }
  ApiRequest request_;
  const std::function<Co<Answer>(ApiRequest*)> handler_;
};

}  // namespace drover
