// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/client/api_path.h"
#include "host/client/endpoint.h"
#include "host/http/byte_stream.h"

namespace drover {

// Gets what an agent answers, piece by piece.
using TakeBytes = std::function<void(std::string_view)>;

struct ClientRequest {
  std::string method = "GET";
  std::string path;
  Query query;
  std::optional<std::string> body;  // JSON
  TakeBytes take;                   // gets the body of a success; null: the reply has it
};

struct ClientReply {
  std::string body;
  std::uint64_t index = 0;  // X-Nomad-Index; 0: there was none
};

// Asks an agent. Connections stay open for later requests, so the loop of the first one must be
// that of all, and outlive this. One thread.
class HttpClient {
 public:
  explicit HttpClient(std::shared_ptr<const Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  const Endpoint& endpoint() const { return *endpoint_; }

  // Returns when the whole answer has come. A status that is no success is an error with the
  // agent's text. Code::kTimeout: CONTEXT has passed its deadline. Redirects are not followed.
  Co<Result<ClientReply>> Ask(Context context, ClientRequest request);

 private:
  struct Exchange;
  // REQUEST outlives the call.
  Co<Result<ClientReply>> AskRepeatedly(Context context, const ClientRequest* request);
  Co<Result<ClientReply>> AskOnce(Context context, const ClientRequest* request,
                                  Exchange* exchange);
  std::string HeadOf(const ClientRequest& request) const;
  Error Refused(const ClientRequest& request, int status, std::string text) const;

  const std::shared_ptr<const Endpoint> endpoint_;
  std::vector<std::unique_ptr<ByteStream>> idle_;
};

}  // namespace drover
