// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "host/http/http_exchange.h"
#include "host/request/api_agent.h"
#include "host/request/caller.h"

namespace drover {

class ListFilter;

// The answer of a route. It has a reply, and the index of the state that the reply shows.
struct Answer {
  Answer() = default;
  explicit Answer(HttpReply made) : reply(std::move(made)) {}
  // Makes an answer with the message of ERROR as plain text, and the HTTP status for its code.
  Answer(const Error& error);  // NOLINT

  HttpReply reply;
  std::optional<std::uint64_t> index;  // the value of the header X-Nomad-Index
  std::string next_token;              // the value of X-Nomad-NextToken; empty on the last page
  bool streamed = false;               // whether the route has answered by a stream or a websocket
};

// Returns an answer with STATUS and with TEXT as plain text.
Answer ErrorAnswer(int status, const std::string& text);
Answer JsonAnswer(const nlohmann::json& body, std::optional<std::uint64_t> index = std::nullopt);
Answer EmptyAnswer();
// Returns the answer to a client that may not do what it asks for.
Answer DeniedAnswer();
// Returns an Answer for a route that has already answered through its exchange, by a stream or a
// websocket.
Answer StreamedAnswer();

// Returns the namespace in the query of HTTP, or "default". The text "*" means all namespaces.
std::string NamespaceInQuery(const HttpRequest& http);

// One request to a route. Use it only on the thread of its exchange.
class ApiRequest {
 public:
  ApiRequest(HttpExchange* exchange, const ApiAgent* agent, std::vector<std::string> parameters,
             Caller caller = {})
      : exchange_(exchange),
        agent_(agent),
        parameters_(std::move(parameters)),
        caller_(std::move(caller)) {}

  const ApiAgent& agent() const { return *agent_; }
  const HttpRequest& http() const { return exchange_->request(); }
  HttpExchange* exchange() { return exchange_; }
  // Returns the part of the path that matches star N in the route's pattern. N begins at 0.
  const std::string& parameter(std::size_t n) const { return parameters_.at(n); }
  const std::vector<std::string>& parameters() const { return parameters_; }

  // Who asks. The router has asked what the table of routes says (see RouteAccess). A handler that
  // shows records of several namespaces, or changes what only the body names, must ask again.
  const Caller& caller() const { return caller_; }
  const Acl& acl() const { return *caller_.principal.acl; }
  void SetPrincipal(AclPrincipal principal) { caller_.principal = std::move(principal); }

  // Returns the query parameter NAME, or an empty text if it is missing.
  std::string Text(const char* name) const;
  // Returns the query parameter NAME as a whole number of at least 0, or nothing if it is missing.
  Result<std::optional<std::uint64_t>> Number(const char* name) const;
  // Returns the query parameter NAME as a boolean, such as 1, t, true, True or TRUE. Returns
  // MISSING if the parameter is missing or is not a boolean.
  bool Flag(const char* name, bool missing = false) const;
  // Returns the namespace that the client wants. The text "*" means all namespaces.
  std::string Namespace() const { return NamespaceInQuery(http()); }
  bool InNamespace(const std::string& name) const {
    return Namespace() == "*" || Namespace() == name;
  }
  // Returns whether a list may show a record in the namespace NAME: the client wants it, and has
  // one of RIGHTS there.
  bool MayList(const std::string& name, RightSet<Capability> rights) const {
    return InNamespace(name) && acl().Allows(name, rights);
  }

  // Returns the body as a JSON object, or an error that says why the body is not an object.
  Result<nlohmann::json> Body() const;

  // Runs FUNCTION on the control thread; see CallControl.
  template <typename F>
  auto Control(F function) {
    return CallControl(exchange_->loop(), agent_, std::move(function));
  }
  // Runs FUNCTION on the control thread. FUNCTION returns a Result and does not wait. Its changes
  // are durable when this call returns.
  template <typename F>
  auto ControlNow(F function) {
    return ControlJob(nullptr, std::move(function));
  }
  // Runs FUNCTION like ControlNow, but first waits until the drivers of JOB are loaded. See
  // ApiAgent::await_drivers.
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
  Caller caller_;
};

// Returns the index of the newest change in the store.
std::uint64_t LastIndex(const ApiRequest& request);

// Returns the present record of the allocation ID, or null if there is no such allocation.
std::shared_ptr<const AllocRecord> FindAlloc(const ApiRequest& request, const std::string& id);

// A field of a body that has another type than the route expects. The router answers 400.
class WrongField : public std::runtime_error {
 public:
  WrongField(const std::string& field, const char* rule) : std::runtime_error(field + " " + rule) {}
};

// Returns the field KEY of BODY. Returns MISSING if the field is absent or null, because clients
// written in Go do not distinguish these cases. If the field is not a T, throws WrongField. A
// number must fit, since one that is cut short would name another version than the one that was
// meant.
template <typename T>
T Field(const nlohmann::json& body, const char* key, T missing = {}) {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return missing;
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (!found->is_number_integer() ||
        (!found->is_number_unsigned() && found->template get<std::int64_t>() < 0)) {
      throw WrongField(key, "must be a whole number of 0 or more");
    }
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (!found->is_number_integer() ||
        (found->is_number_unsigned() && found->template get<std::uint64_t>() > kMost)) {
      throw WrongField(key, "must be a whole number of 64 bits");
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!found->is_boolean()) throw WrongField(key, "must be true or false");
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) throw WrongField(key, "must be a text");
  }
  try {
    return found->template get<T>();
  } catch (const nlohmann::json::type_error&) {
    throw WrongField(key, "must have texts only");  // a list or an object of texts
  }
}

// The result of a read of the store. It has an index, and a function that encodes the answer after
// the read has ended.
struct Found {
  Found() = default;
  // HOW is the function that encodes the answer. It returns an Answer, or a Co<Answer> if the
  // encoding takes long.
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

// These functions return the index of ?index and the time of ?wait, a random part included.
Result<std::uint64_t> WantedIndex(const ApiRequest& request);
Result<Duration> WantedWait(const ApiRequest& request);

// Reads the store with LOOK, and answers with the result. If the query has ?index=N, first waits
// until the index of the result is higher than N. Only changes in the tables of MASK can raise this
// index. The maximum wait is the time in ?wait plus a random time, which is at most a sixteenth of
// ?wait. After the wait, the client must still be one that may use the route, and the principal of
// the request is what the client is then.
Co<Answer> AnswerRead(ApiRequest* request, TableMask mask, Look look);

// Answers requests for kinds of objects that do not exist in this version by an empty list. Like
// AnswerRead, this function obeys ?index and ?wait.
Co<Answer> AnswerNoList(ApiRequest* request);

// Builds a JSON list as text, element by element. The JSON tree of a long list would take ten times
// the memory.
class JsonListText {
 public:
  void Add(const nlohmann::json& element);
  std::size_t size() const { return size_; }
  Answer Take() &&;

 private:
  std::string text_ = "[";
  std::size_t size_ = 0;
};

// An element of a list. A client names the first element of a page by the element's key.
struct ListItem {
  std::string key;
  std::function<nlohmann::json()> encode;
  // Encodes the whole object, which FILTER examines. If this function is null, `encode` already
  // returns the whole object, and FILTER examines the result of `encode`.
  std::function<nlohmann::json(const ListFilter& filter)> whole = nullptr;
};
// Answers with the part of ITEMS that the client chooses by ?filter, ?per_page, ?next_token and
// ?reverse. ITEMS must be sorted in the order in which the list shows them. The function encodes a
// few items at a time, so that other requests get a turn on this thread.
Co<Answer> ListAnswer(ApiRequest* request, std::vector<ListItem> items);

}  // namespace drover
