// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/http_check.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <cctype>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/checks/check_connect.h"
#include "host/checks/http_target.h"
#include "host/checks/network_asker.h"
#include "host/client/response_parser.h"

namespace drover {
namespace asio = boost::asio;
namespace {

using ErrorCode = ByteStream::ErrorCode;

constexpr int kMostRedirects = 10;
constexpr std::size_t kBlock = 4 << 10;
// The most bytes that are read of an answer, with all that is not kept: the head, interim answers
// and the sizes of chunks.
constexpr std::size_t kMostRead = 256 << 10;

// One request.
struct HttpQuestion {
  std::string alloc_id;  // whose check asks
  HttpTarget target;
  std::string method;
  HttpFields headers;
  std::string body;
  bool skip_verify = false;
  std::string server_name;  // for which the certificate must be; empty: the host of the target
};

// The part of an answer that decides.
struct HttpHead {
  int status = 0;
  std::string location;
  std::string body;  // its beginning
};

bool IsToken(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [=](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kOthers.find(c) != kOthers.npos;
  });
}

// Returns the headers of CHECK, without those that describe the message itself. A variable may have
// brought any bytes into a value: control characters become spaces.
HttpFields HeadersOf(const ServiceCheck& check) {
  HttpFields headers;
  for (const auto& [name, values] : check.header) {
    const auto is = [&name](std::string_view other) { return EqualsIgnoringCase(name, other); };
    if (!IsToken(name) || is("Content-Length") || is("Transfer-Encoding") || is("Connection")) {
      continue;
    }
    for (std::string value : values) {
      for (char& c : value) {
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
      }
      headers.emplace_back(name, value);
    }
  }
  return headers;
}

bool HasHeader(const HttpFields& headers, std::string_view name) {
  return std::ranges::any_of(
      headers, [name](const auto& field) { return EqualsIgnoringCase(field.first, name); });
}

std::string RequestOf(const HttpQuestion& question) {
  std::string text = question.method + " " + question.target.path + " HTTP/1.1\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (HasHeader(question.headers, name)) return;
    text += std::string(name) + ": " + std::string(value) + "\r\n";
  };
  add("Host", question.target.authority);
  add("User-Agent", "drover");
  add("Accept", "*/*");
  text += "Connection: close\r\n";
  for (const auto& [name, value] : question.headers) text += name + ": " + value + "\r\n";
  if (!question.body.empty() || question.method == "POST" || question.method == "PUT") {
    text += "Content-Length: " + std::to_string(question.body.size()) + "\r\n";
  }
  return text + "\r\n" + question.body;
}

bool IsRedirect(int status) {
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

// Returns whether the body of an answer is of interest.
bool WantsBody(const HttpQuestion& question, const ResponseParser& parser) {
  if (question.method == "HEAD" || parser.status() == 200) return false;
  return !IsRedirect(parser.status()) || parser.Header("Location").empty();
}

Co<ErrorCode> WriteAll(ByteStream* stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const asio::const_buffer rest = asio::buffer(bytes.data(), bytes.size());
    const ByteStream::Transfer written = co_await stream->WriteSome(rest);
    if (std::get<0>(written)) co_return std::get<0>(written);
    bytes.remove_prefix(std::get<1>(written));
  }
  co_return ErrorCode();
}

Error Broken(std::string why) { return Error(Code::kUnavailable, std::move(why)); }

// Reads the answer from STREAM. After the head, every end of the answer is as good as another.
Co<Result<HttpHead>> ReadAnswer(ByteStream* stream, const HttpQuestion* question) {
  ResponseParser parser;
  HttpHead head;
  std::array<char, kBlock> block{};
  std::size_t left = kMostRead;
  while (!parser.done() && head.body.size() < kMostCheckOutput && left > 0) {
    const asio::mutable_buffer space = asio::buffer(block);
    const ByteStream::Transfer read = co_await stream->ReadSome(space);
    const ErrorCode error = std::get<0>(read);
    std::string_view rest(block.data(), std::get<1>(read));
    left -= std::min(left, rest.size());
    std::string_view body;
    while (const std::size_t taken = parser.Put(rest, &body)) {
      rest.remove_prefix(taken);
      head.body += body.substr(0, kMostCheckOutput - std::min(kMostCheckOutput, head.body.size()));
    }
    if (parser.mistake().empty() && error == asio::error::eof) parser.PutEnd();
    if (parser.status() != 0 && (error || !parser.mistake().empty())) break;
    if (!parser.mistake().empty()) {
      const bool empty = error && left == kMostRead;
      co_return Broken(empty ? "EOF" : "malformed HTTP response: " + parser.mistake());
    }
    if (error) co_return Broken(LowerMessage(error));
    if (parser.status() != 0 && !WantsBody(*question, parser)) break;
  }
  if (parser.status() == 0) co_return Broken("malformed HTTP response: it has no end");
  head.status = parser.status();
  head.location = parser.Header("Location");
  co_return head;
}

Co<Result<HttpHead>> AskOnce(Context context, const HttpQuestion* question, CheckTls* tls,
                             NameLookups* names) {
  const HttpTarget& target = question->target;
  DROVER_CO_ASSIGN(UniqueFd connection, co_await ConnectForCheck(context, names, question->alloc_id,
                                                                 target.host, target.port));
  DROVER_CO_ASSIGN(StreamSocket socket, SocketOf(context.loop(), std::move(connection)));
  std::unique_ptr<ByteStream> stream;
  if (target.tls) {
    DROVER_CO_ASSIGN(const auto rules, tls->Get(question->skip_verify));
    std::string server = question->server_name;
    if (server.empty()) server = target.host.substr(0, target.host.find('%'));
    stream = rules->MakeStream(std::move(socket), server);
  } else {
    stream = MakePlainStream(std::move(socket));
  }
  const Subscription on_cancel = context.OnCancel([&stream] { stream->Close(); });
  const ErrorCode refused = co_await stream->Handshake();
  DROVER_CO_TRY(context.status());
  if (refused) co_return Broken("tls: " + LowerMessage(refused));
  const std::string request = RequestOf(*question);
  // A server may refuse a request before it has read it. So an error of the write matters only if
  // there is no answer.
  const ErrorCode unsent = co_await WriteAll(stream.get(), request);
  DROVER_CO_TRY(context.status());
  Result<HttpHead> head = co_await ReadAnswer(stream.get(), question);
  if (!head.ok()) DROVER_CO_TRY(context.status());
  if (!head.ok() && unsent) co_return Broken(LowerMessage(unsent));
  co_return head;
}

// Changes QUESTION into the request that a redirect with STATUS to TARGET asks for.
void Redirect(int status, HttpTarget target, HttpQuestion* question) {
  if (status <= 303 && question->method != "HEAD" && question->method != "GET") {
    question->method = "GET";
  }
  if (status <= 303) question->body.clear();
  if (target.authority != question->target.authority) {
    // Another server must not learn what the job wrote for this one.
    std::erase_if(question->headers, [](const auto& field) {
      const auto is = [&field](std::string_view name) {
        return EqualsIgnoringCase(field.first, name);
      };
      return is("Authorization") || is("Cookie") || is("Host");
    });
  }
  question->target = std::move(target);
}

// The error of a request, in the form in which clients read it.
CheckAnswer FailedRequest(const std::string& method, const HttpTarget& target, const Error& error) {
  std::string verb = method;
  for (char& c : verb) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!verb.empty()) verb[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(verb[0])));
  CheckAnswer answer;
  answer.output = "nomad: " + verb + " \"" + target.Url() + "\": " + error.message();
  return answer;
}

CheckAnswer AnswerOf(HttpHead head) {
  CheckAnswer answer;
  answer.status = head.status < 400 ? CheckStatus::kSuccess : CheckStatus::kFailure;
  answer.status_code = head.status;
  answer.output = head.status == 200 ? "nomad: http ok" : std::move(head.body);
  return answer;
}

}  // namespace

Co<CheckAnswer> AskHttp(Context context, std::shared_ptr<const CheckPlan> plan, CheckTls* tls,
                        NameLookups* names) {
  const ServiceCheck& check = plan->check;
  HttpQuestion question;
  question.alloc_id = plan->alloc_id;
  question.target = TargetOf(*plan);
  question.method = check.method.empty() ? "GET" : check.method;
  question.headers = HeadersOf(check);
  question.body = check.body;
  question.skip_verify = check.tls_skip_verify;
  question.server_name = check.tls_server_name;
  if (!IsToken(question.method)) {
    CheckAnswer odd;
    odd.output = "nomad: net/http: invalid method";
    co_return odd;
  }
  for (int redirects = 0;; ++redirects) {
    Result<HttpHead> head = co_await AskOnce(context, &question, tls, names);
    if (!head.ok()) co_return FailedRequest(question.method, question.target, head.error());
    if (!IsRedirect(head->status) || head->location.empty()) co_return AnswerOf(std::move(*head));
    Result<HttpTarget> next = FollowLocation(question.target, head->location);
    if (next.ok() && redirects == kMostRedirects) {
      next = Error(Code::kFailedPrecondition, "stopped after 10 redirects");
    }
    if (!next.ok()) co_return FailedRequest(question.method, question.target, next.error());
    Redirect(head->status, std::move(*next), &question);
  }
}

}  // namespace drover
