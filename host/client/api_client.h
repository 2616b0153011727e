// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/client/api_path.h"
#include "host/client/client_options.h"
#include "host/client/http_client.h"

namespace drover {

class ApiStreams;
class WebSocketClient;

// Sends requests to the HTTP API of an agent, one after the other on one connection. Use it on one
// thread only. The message of an error is the agent's text as it came from the network. The caller
// must make this text printable before it prints it.
class ApiClient {
 public:
  // Creates a client that is not connected yet. Returns Code::kInvalidArgument if OPTIONS or the
  // environment are invalid.
  static Result<ApiClient> Create(const ClientOptions& options);
  ApiClient(ApiClient&&) noexcept;
  ~ApiClient();

  // Returns the answer to a GET. If INDEX is not null, the call stores the index of the answer in
  // INDEX, and an answer without an index is an error. If INDEX holds a number other than 0 before
  // the call, the agent answers as soon as its own index is higher than this number, or after
  // WAIT.
  Result<nlohmann::json> Get(const std::string& path, Query query = {},
                             std::uint64_t* index = nullptr, Duration wait = 10s);
  // Returns one page of a list. Sets NEXT to the token of the next page, or to an empty text on the
  // last page.
  Result<nlohmann::json> GetPage(const std::string& path, Query query, std::string* next);
  // Returns the answer to a PUT with the body BODY, or to a DELETE. If BODY is a JSON null, the
  // body is empty. The calls return when the agent has done the work. For example, a request to
  // restart a task returns after the restart. So they have no time limit but that of Watch.
  Result<nlohmann::json> Put(const std::string& path, const nlohmann::json& body, Query query = {});
  Result<nlohmann::json> Delete(const std::string& path, Query query = {});
  // Returns the answer to a DELETE with the body BODY, which names what the agent must delete.
  Result<nlohmann::json> DeleteThose(const std::string& path, const nlohmann::json& body,
                                     Query query = {});

  // Sends a GET and passes the answer to TAKE as the bytes arrive. Returns when the agent ends the
  // answer.
  Status Stream(const std::string& path, Query query, const TakeBytes& take);
  // Sends REQUEST without a change. Returns when the agent ends the answer.
  Result<ClientReply> Send(ClientRequest request);
  // Opens a websocket on a separate connection.
  Result<std::unique_ptr<WebSocketClient>> OpenWebSocket(const std::string& path,
                                                         const Query& query);
  // Returns an object that sends several requests at a time, each on a separate connection.
  Result<ApiStreams> OpenStreams() const;

  // From now on, while a request waits, calls STOPS when FD can be read; STOPS must read all of it.
  // If STOPS returns true, the request ends with Code::kCancelled. The time in which STOPS runs
  // does not count, since it may ask somebody. Each request then has the time limit MOST, so that
  // an agent that hangs is not waited for without end. An FD of -1 ends all of this. The streams of
  // OpenStreams are not concerned.
  void Watch(int fd, std::function<bool()> stops, Duration most = 60s);

  // Returns the namespace in which a command searches. If the options name no namespace, returns
  // "*", which means all namespaces.
  std::string SearchedNamespace() const;
  const ClientOptions& options() const;

 private:
  class Connection;
  explicit ApiClient(std::unique_ptr<Connection> connection);
  Result<nlohmann::json> Change(const char* method, const std::string& path,
                                const nlohmann::json* body, Query query);
  std::unique_ptr<Connection> connection_;
};

}  // namespace drover
