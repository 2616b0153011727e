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
#include "host/client/response_parser.h"
#include "host/http/byte_stream.h"

namespace drover {

// A function that receives the bytes of an agent's answer, piece by piece.
using TakeBytes = std::function<void(std::string_view)>;

struct ClientRequest {
  std::string method = "GET";
  std::string path;
  Query query;
  std::optional<std::string> body;  // the JSON body; not set if there is none
  // Further headers. A header replaces the header of the same name that the client would send.
  HttpFields headers;
  // Receives the body of a successful answer. If this function is null, the body is stored in
  // ClientReply::body.
  TakeBytes take;
  // Receives the head of the answer before its body. If this function is set, every answer is
  // successful, whatever its status means.
  std::function<void(const ReplyHead& head)> take_head;
};

struct ClientReply {
  std::string body;
  std::uint64_t index = 0;  // the value of the header X-Nomad-Index; 0 if the header is missing
  std::string next_token;   // the value of X-Nomad-NextToken; empty on the last page of a list
};

// Sends requests to an agent. Connections stay open for later requests, so all requests must use
// the same loop. The loop must outlive this object. Use the object on one thread only.
class HttpClient {
 public:
  explicit HttpClient(std::shared_ptr<const Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  const Endpoint& endpoint() const { return *endpoint_; }

  // Returns when the whole answer has arrived. If the status means failure, returns an error with
  // the agent's text. Returns Code::kTimeout if the deadline of CONTEXT has passed. Does not follow
  // redirects. If a kept connection ends before any answer, sends the request again. But a request
  // other than GET and HEAD is sent again only if the connection has taken no byte of it.
  Co<Result<ClientReply>> Ask(Context context, ClientRequest request);

 private:
  struct Exchange;
  // REQUEST must outlive the call.
  Co<Result<ClientReply>> AskRepeatedly(Context context, const ClientRequest* request);
  Co<Result<ClientReply>> AskOnce(Context context, const ClientRequest* request,
                                  Exchange* exchange);
  std::string HeadOf(const ClientRequest& request) const;
  Error Refused(const ClientRequest& request, int status, std::string text) const;

  const std::shared_ptr<const Endpoint> endpoint_;
  std::vector<std::unique_ptr<ByteStream>> idle_;
};

}  // namespace drover
