// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/http_client.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <cctype>
#include <charconv>
#include <tuple>
#include <utility>

namespace drover {
namespace asio = boost::asio;
namespace {

using ErrorCode = ByteStream::ErrorCode;

constexpr std::size_t kMostReply = std::size_t{1} << 30;
constexpr std::size_t kBlock = 64 << 10;

Code CodeOf(int status) {
  switch (status) {
    case 400:
      return Code::kInvalidArgument;
    case 401:
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kNotFound;
    case 501:
      return Code::kUnimplemented;
    default:
      return Code::kInternal;
  }
}

// Sets BEGUN when the connection has taken a byte.
Co<ErrorCode> WriteAll(ByteStream* stream, std::string_view bytes, bool* begun) {
  while (!bytes.empty()) {
    const asio::const_buffer rest = asio::buffer(bytes.data(), bytes.size());
    const ByteStream::Transfer transfer = co_await stream->WriteSome(rest);
    if (std::get<0>(transfer)) co_return std::get<0>(transfer);
    bytes.remove_prefix(std::get<1>(transfer));
    *begun = true;
  }
  co_return ErrorCode();
}

bool ChangesNothing(const ClientRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

}  // namespace

std::string HttpClient::HeadOf(const ClientRequest& request) const {
  const ServerAddress& address = endpoint_->address();
  const std::string& token = endpoint_->options().token;
  HttpFields fields = {{"Host", address.authority}, {"Accept", "application/json"}};
  if (request.body) {
    fields.emplace_back("Content-Type", "application/json");
    fields.emplace_back("Content-Length", std::to_string(request.body->size()));
  }
  if (!token.empty()) fields.emplace_back("X-Nomad-Token", token);
  if (!address.authorization.empty()) fields.emplace_back("Authorization", address.authorization);
  for (const auto& [name, value] : request.headers) {
    std::erase_if(fields, [&](const auto& field) { return EqualsIgnoringCase(field.first, name); });
  }
  fields.insert(fields.end(), request.headers.begin(), request.headers.end());
  const ServerAddress* const forwarder = endpoint_->forwarder();
  if (forwarder != nullptr && !forwarder->authorization.empty()) {
    fields.emplace_back("Proxy-Authorization", forwarder->authorization);
  }
  std::string head = request.method + " " +
                     (forwarder == nullptr ? "" : "http://" + address.authority) + address.prefix +
                     WithQuery(request.path, request.query) + " HTTP/1.1\r\n";
  for (const auto& [name, value] : fields) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

Error HttpClient::Refused(const ClientRequest& request, int status, std::string text) const {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  if (status == 403) text += ": see --token and NOMAD_TOKEN";
  if (text.empty()) {
    text = request.method + " " + request.path + ": HTTP status " + std::to_string(status) +
           " from " + endpoint_->options().address + ": is it an agent?";
  }
  return Error(CodeOf(status), std::move(text));
}

// One request on one connection.
struct HttpClient::Exchange {
  std::unique_ptr<ByteStream> stream;
  bool begun = false;     // whether the connection has taken a byte of the request
  bool answered = false;  // whether a byte of the answer has arrived
  bool reusable = false;  // whether another request can follow on the connection
};

Co<Result<ClientReply>> HttpClient::Ask(Context context, ClientRequest request) {
  Result<ClientReply> reply = co_await AskRepeatedly(context, &request);
  if (reply.ok() || !context.cancelled()) co_return reply;
  if (context.status().code() == Code::kTimeout) {
    co_return endpoint_->Unreachable("it has not answered in time", Code::kTimeout);
  }
  co_return context.status().error();
}

Co<Result<ClientReply>> HttpClient::AskRepeatedly(Context context, const ClientRequest* request) {
  while (true) {
    Exchange exchange;
    const bool kept = !idle_.empty();
    if (kept) {
      exchange.stream = std::move(idle_.back());
      idle_.pop_back();
    } else {
      DROVER_CO_ASSIGN(exchange.stream, co_await endpoint_->Connect(context));
    }
    Result<ClientReply> reply = co_await AskOnce(context, request, &exchange);
    if (exchange.reusable) idle_.push_back(std::move(exchange.stream));
    if (reply.ok() || exchange.answered || context.cancelled()) co_return reply;
    // The agent may have read the request before the connection ended. A change that is sent again
    // could be made twice.
    if (exchange.begun && !ChangesNothing(*request)) {
      co_return Error(reply.code(), reply.error().message() +
                                        ": it is unknown whether the request was carried out: "
                                        "check this before you send it again");
    }
    // The agent may have closed a connection that was kept open after an earlier request. In this
    // case, the request is sent again.
    if (!kept) co_return reply;
  }
}

Co<Result<ClientReply>> HttpClient::AskOnce(Context context, const ClientRequest* request,
                                            Exchange* exchange) {
  ByteStream* const stream = exchange->stream.get();
  const Subscription on_cancel = context.OnCancel([stream] { stream->Close(); });
  std::string bytes = HeadOf(*request);
  if (request->body) bytes += *request->body;
  // An agent that refuses a large body answers before it has read all of the body. So an error of
  // the write is reported only after the attempt to read the answer.
  const ErrorCode unsent = co_await WriteAll(stream, bytes, &exchange->begun);
  ResponseParser parser;
  ClientReply reply;
  bool headed = false;  // whether take_head has received the head
  std::string block(kBlock, '\0');
  while (!parser.done()) {
    const asio::mutable_buffer space = asio::buffer(block);
    const ByteStream::Transfer read = co_await stream->ReadSome(space);
    // If the context has ended, the received bytes are dropped.
    DROVER_CO_TRY(context.status());
    const ErrorCode error = std::get<0>(read);
    std::string_view rest(block.data(), std::get<1>(read));
    exchange->answered = exchange->answered || !rest.empty();
    std::string_view body;
    while (const std::size_t taken = parser.Put(rest, &body)) {
      rest.remove_prefix(taken);
      if (request->take_head && !headed && parser.status() != 0) {
        headed = true;
        request->take_head(parser.head());
      }
      if (body.empty()) continue;
      if (request->take && (headed || parser.status() / 100 == 2)) {
        request->take(body);
        DROVER_CO_TRY(context.status());
      } else if (reply.body.size() + body.size() <= kMostReply) {
        reply.body += body;
      } else {
        co_return endpoint_->Unreachable("its answer is larger than 1 GiB",
                                         Code::kResourceExhausted);
      }
    }
    if (error == asio::error::eof) parser.PutEnd();
    if (!parser.mistake().empty()) co_return endpoint_->Unreachable(parser.mistake());
    if (error && !parser.done()) {
      co_return endpoint_->Unreachable((unsent ? unsent : error).message());
    }
    exchange->reusable = parser.done() && parser.keep_alive() && !unsent && !error && rest.empty();
  }
  if (parser.status() / 100 != 2 && !headed) {
    co_return Refused(*request, parser.status(), std::move(reply.body));
  }
  const std::string index = parser.Header("X-Nomad-Index");
  std::from_chars(index.data(), index.data() + index.size(), reply.index);
  reply.next_token = parser.Header("X-Nomad-NextToken");
  co_return reply;
}

}  // namespace drover
