// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

class ApiStreams;
class WebSocketClient;

// How the client reaches an agent. What is empty is taken from the environment; see
// WithEnvironment.
struct ClientOptions {
  std::string address;  // "http://127.0.0.1:4646", "https://...", "unix:///run/drover.sock"
  std::string token;
  std::string job_namespace;  // empty: reads look in all, writes leave it to the job
  std::string ca_cert;        // files and directories in PEM
  std::string ca_path;
  std::string client_cert;
  std::string client_key;
  bool tls_skip_verify = false;
};
// Fills in what the variables of Drover (DROVER_ADDR) and Nomad (NOMAD_ADDR, NOMAD_TOKEN, ...) say,
// and then the defaults. The error names the address that makes no sense.
Result<ClientOptions> WithEnvironment(ClientOptions options);

using Query = std::vector<std::pair<std::string, std::string>>;
// Gets what an agent answers, piece by piece.
using TakeBytes = std::function<void(std::string_view)>;

// The path of an element of a list: BASE and ID, whose odd characters are escaped, and REST.
std::string ApiPath(const std::string& base, const std::string& id, const std::string& rest = "");

// Asks an agent through its HTTP API, one request after the other on one connection. One thread.
// Errors are what the agent says, as text of the network: whoever prints it makes it printable.
class ApiClient {
 public:
  static Result<ApiClient> Create(const ClientOptions& options);
  ApiClient(ApiClient&&) noexcept;
  ~ApiClient();

  // What a GET answers. INDEX, unless null, is that of the answer, which must have one; when it is
  // not 0, the agent answers as soon as it has something newer, or WAIT has passed.
  Result<nlohmann::json> Get(const std::string& path, Query query = {},
                             std::uint64_t* index = nullptr, Duration wait = 10s);
  // What a PUT of BODY answers (null for an empty body), or a DELETE. They take as long as the
  // agent does: a restart returns when the task has been restarted.
  Result<nlohmann::json> Put(const std::string& path, const nlohmann::json& body, Query query = {});
  Result<nlohmann::json> Delete(const std::string& path, Query query = {});
  // A DELETE with a BODY, which names what is to go.
  Result<nlohmann::json> DeleteThose(const std::string& path, const nlohmann::json& body,
                                     Query query = {});

  // Hands what a GET answers to TAKE as it comes, for as long as the agent answers.
  Status Stream(const std::string& path, Query query, const TakeBytes& take);
  // A websocket of its own, over a connection of its own.
  Result<std::unique_ptr<WebSocketClient>> OpenWebSocket(const std::string& path, Query query);

  // For several requests at a time, over connections of their own.
  Result<ApiStreams> OpenStreams() const;

  // The namespace to look in: that of the options, or all of them.
  std::string SearchedNamespace() const;
  const ClientOptions& options() const;

 private:
  class Connection;
  explicit ApiClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace drover
