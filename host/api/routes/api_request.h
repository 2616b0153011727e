// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/api/http_exchange.h"
#include "host/api/routes/api_agent.h"

namespace drover {

class ListFilter;

// What a route answers: a reply with the index of the state that it tells.
struct Answer {
  HttpReply reply;
  std::optional<std::uint64_t> index;  // X-Nomad-Index
  std::string next_token;              // X-Nomad-NextToken; empty: there is no more
  bool streamed = false;  // the route has answered through its exchange: see LiveStream
};

// Plain text, as errors are told.
Answer ErrorAnswer(int status, const std::string& text);
// An error of ours, by its code.
Answer ErrorAnswer(const Error& error);
Answer JsonAnswer(const nlohmann::json& body, std::optional<std::uint64_t> index = std::nullopt);
Answer EmptyAnswer();
// What a route returns that has answered by itself: with a stream or a websocket.
Answer StreamedAnswer();

// One request on its way through a route. On the thread of its exchange.
class ApiRequest {
 public:
  ApiRequest(HttpExchange* exchange, const ApiAgent* agent, std::vector<std::string> parameters)
      : exchange_(exchange), agent_(agent), parameters_(std::move(parameters)) {}

  const ApiAgent& agent() const { return *agent_; }
  const HttpRequest& http() const { return exchange_->request(); }
  HttpExchange* exchange() { return exchange_; }
  // What the n-th star of the route's pattern stands for.
  const std::string& parameter(std::size_t n) const { return parameters_.at(n); }

  std::string Text(const char* name) const;  // of the query; empty when it is missing
  // A whole number from 0 on; nothing when it is missing.
  Result<std::optional<std::uint64_t>> Number(const char* name) const;
  // 1, t, true, True, TRUE and the like; MISSING when it is missing or something else.
  bool Flag(const char* name, bool missing = false) const;
  // The namespace that is asked for; "*" stands for all.
  std::string Namespace() const;
  bool InNamespace(const std::string& name) const {
    return Namespace() == "*" || Namespace() == name;
  }

  // The body as an object, or why it is none.
  Result<nlohmann::json> Body() const;

  // Runs FUNCTION on the control thread.
  template <typename T>
  Co<Result<T>> Control(std::function<Co<Result<T>>(Context context)> function) {
    return CallControl<T>(exchange_->loop(), agent_, std::move(function));
  }
  // The same of what does not wait; what it has done is durable then.
  template <typename T>
  Co<Result<T>> ControlNow(std::function<Result<T>()> function) {
    return Control<T>([work = std::move(function), agent = agent_](const Context& context) {
      return RunDurably<T>(agent, context, work);
    });
  }
  // The same of what looks at JOB.
  template <typename T>
  Co<Result<T>> ControlJob(std::shared_ptr<const Job> job, std::function<Result<T>()> function) {
    return Control<T>([work = std::move(function), agent = agent_, about = std::move(job)](
                          Context context) { return RunForJob<T>(agent, context, about, work); });
  }

 private:
  template <typename T>
  static Co<Result<T>> RunForJob(const ApiAgent* agent, Context context,
                                 std::shared_ptr<const Job> job, std::function<Result<T>()> work) {
    if (agent->await_drivers) co_await agent->await_drivers(context, job);
    co_return co_await RunDurably<T>(agent, context, work);
  }
  template <typename T>
  static Co<Result<T>> RunDurably(const ApiAgent* agent, Context context,
                                  std::function<Result<T>()> work) {
    Result<T> done = work();
    if (!done.ok() || !agent->make_durable) co_return done;
    const Status durable = co_await agent->make_durable(context);
    if (!durable.ok()) {
      co_return durable.error().WithContext("it may be lost when the agent ends, ask again");
    }
    co_return done;
  }

  HttpExchange* const exchange_;
  const ApiAgent* const agent_;
  const std::vector<std::string> parameters_;
};

// The allocation ID as it is now; null: there is none.
std::shared_ptr<const AllocRecord> FindAlloc(const ApiRequest& request, const std::string& id);

// The field KEY of a body; MISSING when it is not there or null, which is the same for clients in
// Go. Throws nlohmann's type_error for another type, which becomes a 400.
template <typename T>
T Field(const nlohmann::json& body, const char* key, T missing = {}) {
  const auto found = body.find(key);
  return found == body.end() || found->is_null() ? std::move(missing) : found->get<T>();
}

// What a reading route has found: the index of what it found and how to encode it, which is done
// without holding the store.
struct Found {
  std::uint64_t index = 0;
  std::function<Answer()> encode;
};
using Look = std::function<Found(const Tables& tables)>;

// Answers with what LOOK finds. With ?index=N it waits until a table of MASK has made the index
// higher, or ?wait has passed.
Co<Answer> AnswerRead(ApiRequest* request, TableMask mask, Look look);

// The same of what this version never has: an empty list, or null, that does not change.
Co<Answer> AnswerNoList(ApiRequest* request);
Co<Answer> AnswerNull(ApiRequest* request);

// A list as text, element by element: the tree of a long one would take ten times as much.
class JsonListText {
 public:
  void Add(const nlohmann::json& element);
  std::size_t size() const { return size_; }
  Answer Take() &&;

 private:
  std::string text_ = "[";
  std::size_t size_ = 0;
};

// An element of a list, with the key by which pages are cut.
struct ListItem {
  std::string key;
  std::function<nlohmann::json()> encode;
  // The whole object, at which FILTER looks; null: what the list shows is all of it.
  std::function<nlohmann::json(const ListFilter& filter)> whole = nullptr;
};
// A list as clients choose from it and page through it: ?filter, ?per_page, ?next_token, ?reverse.
// ITEMS are in order.
Answer ListAnswer(const ApiRequest& request, std::vector<ListItem> items);

}  // namespace drover
