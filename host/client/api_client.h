// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

// Asks an agent through its HTTP API, one request after the other on one connection. One thread.
// Errors have the agent's text, as it came from the network: whoever prints it makes it printable.
class ApiClient {
 public:
  // Connects nowhere yet. Code::kInvalidArgument: OPTIONS or the environment make no sense.
  static Result<ApiClient> Create(const ClientOptions& options);
  ApiClient(ApiClient&&) noexcept;
  ~ApiClient();

  // Returns the answer to a GET. INDEX, unless null, gets that of the answer, which must have one;
  // when it is not 0, the agent answers as soon as it has something newer, or WAIT has passed.
  Result<nlohmann::json> Get(const std::string& path, Query query = {},
                             std::uint64_t* index = nullptr, Duration wait = 10s);
  // Returns the answer to a PUT of BODY (null for an empty body), or to a DELETE. They take as long
  // as the agent does: a restart returns when the task has been restarted.
  Result<nlohmann::json> Put(const std::string& path, const nlohmann::json& body, Query query = {});
  Result<nlohmann::json> Delete(const std::string& path, Query query = {});
  // A DELETE with a BODY, which names what must go.
  Result<nlohmann::json> DeleteThose(const std::string& path, const nlohmann::json& body,
                                     Query query = {});

  // Hands the answer to a GET to TAKE as it comes, for as long as the agent answers.
  Status Stream(const std::string& path, Query query, const TakeBytes& take);
  // A websocket, over a connection of its own.
  Result<std::unique_ptr<WebSocketClient>> OpenWebSocket(const std::string& path,
                                                         const Query& query);
  // For several requests at a time, over connections of their own.
  Result<ApiStreams> OpenStreams() const;

  // The namespace to look in: that of the options, or all of them.
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
