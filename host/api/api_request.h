// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "host/api/api_agent.h"
#include "host/http/http_exchange.h"

namespace drover {

class ListFilter;

// The answer of a route: a reply, and the index of the state that it shows.
struct Answer {
  Answer() = default;
  explicit Answer(HttpReply made) : reply(std::move(made)) {}
  // The error as plain text, with the status for its code.
  Answer(const Error& error);  // NOLINT

  HttpReply reply;
  std::optional<std::uint64_t> index;  // X-Nomad-Index
  std::string next_token;              // X-Nomad-NextToken; empty: there is no more
  bool streamed = false;               // the route has answered by a stream or a websocket
};

// An error as plain text.
Answer ErrorAnswer(int status, const std::string& text);
Answer JsonAnswer(const nlohmann::json& body, std::optional<std::uint64_t> index = std::nullopt);
Answer EmptyAnswer();
// The result of a route that has answered through its exchange, by a stream or a websocket.
Answer StreamedAnswer();

// One request to a route. Used on the thread of its exchange.
class ApiRequest {
 public:
  ApiRequest(HttpExchange* exchange, const ApiAgent* agent, std::vector<std::string> parameters)
      : exchange_(exchange), agent_(agent), parameters_(std::move(parameters)) {}

  const ApiAgent& agent() const { return *agent_; }
  const HttpRequest& http() const { return exchange_->request(); }
  HttpExchange* exchange() { return exchange_; }
  // The part of the path that matches the n-th star of the route's pattern.
  const std::string& parameter(std::size_t n) const { return parameters_.at(n); }

  std::string Text(const char* name) const;  // a parameter of the query; empty if missing
  // The parameter as a whole number of at least 0; nothing if missing.
  Result<std::optional<std::uint64_t>> Number(const char* name) const;
  // The parameter as a boolean: 1, t, true, True, TRUE and so on; MISSING if missing or no boolean.
  bool Flag(const char* name, bool missing = false) const;
  // The namespace that the client wants; "*" stands for all.
  std::string Namespace() const;
  bool InNamespace(const std::string& name) const {
    return Namespace() == "*" || Namespace() == name;
  }

  // The body as an object, or why it is not one.
  Result<nlohmann::json> Body() const;

  // Runs FUNCTION on the control thread; see CallControl.
  template <typename F>
  auto Control(F function) {
    return CallControl(exchange_->loop(), agent_, std::move(function));
  }
  // The same for a FUNCTION that does not wait: it returns a Result. Its changes are durable when
  // this returns.
  template <typename F>
  auto ControlNow(F function) {
    return ControlJob(nullptr, std::move(function));
  }
  // The same, but first waits for the drivers of JOB; see ApiAgent::await_drivers.
  template <typename F>
  auto ControlJob(std::shared_ptr<const Job> job, F function) {
    return Control([agent = agent_, about = std::move(job), work = std::move(function)](
                       Context context) { return RunDurably(agent, context, about, work); });
  }

 private:
  template <typename F, typename R = std::invoke_result_t<F&>>
  static Co<R> RunDurably(const ApiAgent* agent, Context context, std::shared_ptr<const Job> job,
                          F work) {
    if (job != nullptr && agent->await_drivers) co_await agent->await_drivers(context, job);
    R done = work();
    if (!done.ok() || !agent->make_durable) co_return done;
    const Status durable = co_await agent->make_durable(context);
    if (!durable.ok()) {
      co_return durable.error().WithContext("the change may not outlive the agent, send it again");
    }
    co_return done;
  }

  HttpExchange* const exchange_;
  const ApiAgent* const agent_;
  const std::vector<std::string> parameters_;
};

// The index of the newest change of the store.
std::uint64_t LastIndex(const ApiRequest& request);

// The allocation ID as it is now; null: there is none.
std::shared_ptr<const AllocRecord> FindAlloc(const ApiRequest& request, const std::string& id);

// The field KEY of a body; MISSING if it is absent or null, which are the same for clients in Go.
// For another type it throws nlohmann's type_error, and the router answers 400.
template <typename T>
T Field(const nlohmann::json& body, const char* key, T missing = {}) {
  const auto found = body.find(key);
  return found == body.end() || found->is_null() ? std::move(missing) : found->get<T>();
}

// The result of a read: its index, and a function that encodes it without holding the store.
struct Found {
  Found() = default;
  // HOW returns an Answer, or a Co<Answer> if that takes long.
  template <typename How>
  Found(std::uint64_t of, How how) : index(of) {
    if constexpr (std::is_same_v<std::invoke_result_t<How&>, Answer>) {
      encode = [how = std::move(how)] { return Ready(how()); };
    } else {
      encode = std::move(how);
    }
  }

  std::uint64_t index = 0;
  std::function<Co<Answer>()> encode;

 private:
  static Co<Answer> Ready(Answer answer) { co_return answer; }
};
using Look = std::function<Found(const Tables& tables)>;

// Answers with the result of LOOK. With ?index=N, waits until changes in the tables of MASK have
// made the index of the result higher than N, or until ?wait has passed.
Co<Answer> AnswerRead(ApiRequest* request, TableMask mask, Look look);

// The same for things that this version never has: an empty list, or null, that never changes.
Co<Answer> AnswerNoList(ApiRequest* request);
Co<Answer> AnswerNull(ApiRequest* request);

// Writes a list as text, element by element: the tree of a long list takes ten times the memory.
class JsonListText {
 public:
  void Add(const nlohmann::json& element);
  std::size_t size() const { return size_; }
  Answer Take() &&;

 private:
  std::string text_ = "[";
  std::size_t size_ = 0;
};

// An element of a list. Its key is for the cuts between pages.
struct ListItem {
  std::string key;
  std::function<nlohmann::json()> encode;
  // Encodes the whole object, which FILTER looks at; null: the list shows the whole object.
  std::function<nlohmann::json(const ListFilter& filter)> whole = nullptr;
};
// Answers with the part of ITEMS that the client wants by ?filter, ?per_page, ?next_token and
// ?reverse. ITEMS must be in order. Encodes a few at a time: in between, other requests have their
// turn on this thread.
Co<Answer> ListAnswer(ApiRequest* request, std::vector<ListItem> items);

}  // namespace drover
