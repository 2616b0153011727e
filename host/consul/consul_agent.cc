// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_agent.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/base/base64.h"
#include "host/base/patience.h"
#include "host/base/printable.h"
#include "host/base/text.h"
#include "host/consul/consul_answers.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The longest answer to a change. Only its beginning is read, as the text of an error.
constexpr std::size_t kMostShortAnswer = 64 << 10;
constexpr std::size_t kMostErrorText = 300;
// Consul keeps no more than 4 KiB of the output of a check.
constexpr std::size_t kMostOutput = 4 << 10;
constexpr std::string_view kIndexHeader = "x-consul-index";
constexpr std::string_view kOurServices = "^_nomad-task-";

Code CodeOfConsul(int status) {
  switch (status) {
    case 400:
    case 413:
      return Code::kInvalidArgument;
    case 401:
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kNotFound;
    case 429:
      return Code::kUnavailable;
    default:
      return Code::kInternal;
  }
}

// What has arrived of an answer.
struct Arrived {
  int status = 0;
  std::string body;
  bool too_long = false;
};

Error Refusal(const ClientRequest& request, const Arrived& arrived) {
  std::string_view text = arrived.body;
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string shown = Printable(text.substr(0, kMostErrorText));
  const Code code = CodeOfConsul(arrived.status);
  const std::string hint =
      code == Code::kPermissionDenied ? ": see token in the block consul of the configuration" : "";
  return Error(code,
               "Consul answers " + request.method + " " + request.path + " with status " +
                   std::to_string(arrived.status) + (shown.empty() ? "" : ": " + shown) + hint,
               code == Code::kInternal || code == Code::kUnavailable);
}

// Returns the index that an answer shows; 0 if it has none.
std::uint64_t IndexIn(const ReplyHead& head) {
  for (const auto& [name, value] : head.headers) {
    const bool is_index = std::ranges::equal(name, kIndexHeader, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    });
    if (is_index) return ParseNumber<std::uint64_t>(value).value_or(0);
  }
  return 0;
}

Error WithoutSense(const std::string& path, const Error& error) {
  return Error(Code::kUnavailable,
               "Consul's answer to " + path + " makes no sense: " + Printable(error.message()),
               true);
}

}  // namespace

ConsulAgent::ConsulAgent(ConsulOptions options, WorkerPool* pool,
                         std::shared_ptr<const Endpoint> endpoint)
    : options_(std::move(options)), pool_(pool), client_(std::move(endpoint)) {}

Result<std::unique_ptr<ConsulAgent>> ConsulAgent::Create(ConsulOptions options, WorkerPool* pool) {
  ClientOptions of_client;
  of_client.address = options.url;
  of_client.ca_cert = options.ca_file;
  of_client.client_cert = options.cert_file;
  of_client.client_key = options.key_file;
  of_client.tls_skip_verify = !options.verify_tls;
  of_client.advice = "is Consul's agent running? see address in the block consul";
  DROVER_ASSIGN(std::shared_ptr<const Endpoint> endpoint, Endpoint::Create(std::move(of_client)));
  return std::unique_ptr<ConsulAgent>(
      new ConsulAgent(std::move(options), pool, std::move(endpoint)));
}

Co<Result<std::string>> ConsulAgent::Ask(Context context, ClientRequest request, std::size_t most) {
  return AskWithin(context, std::move(request), most, options_.timeout, nullptr);
}

Co<Result<std::string>> ConsulAgent::AskWithin(Context context, ClientRequest request,
                                               std::size_t most, Duration limit,
                                               std::uint64_t* index) {
  if (!options_.token.empty()) request.headers.emplace_back("X-Consul-Token", options_.token);
  if (!options_.auth.empty()) {
    request.headers.emplace_back("Authorization", "Basic " + Base64(options_.auth));
  }
  if (!options_.consul_namespace.empty()) {
    request.query.emplace_back("ns", options_.consul_namespace);
  }
  // Consul may be stopped together with this agent, or with the machine.
  const Patience patience(context, limit);
  Context limited = patience.context();
  Arrived arrived;
  request.take_head = [&arrived, index](const ReplyHead& head) {
    arrived.status = head.status;
    if (index != nullptr) *index = IndexIn(head);
  };
  request.take = [&arrived, &limited, most](std::string_view bytes) {
    if (arrived.body.size() + bytes.size() <= most) {
      arrived.body += bytes;
      return;
    }
    arrived.too_long = true;
    limited.Cancel("the answer is too long");
  };
  const std::string path = request.path;
  const Result<ClientReply> done = co_await client_.Ask(limited, request);
  const bool success = arrived.status / 100 == 2;
  if (arrived.too_long && (success || arrived.status == 0)) {
    co_return Error(
        Code::kResourceExhausted,
        "Consul's answer to " + path + " is longer than " + std::to_string(most) + " bytes", true);
  }
  // The beginning of the text of an error is enough.
  if (arrived.status != 0 && !success && (done.ok() || arrived.too_long)) {
    co_return Refusal(request, arrived);
  }
  if (!done.ok()) co_return Error(done.code(), Printable(done.error().message()), true);
  co_return std::move(arrived.body);
}

Co<Status> ConsulAgent::Put(Context context, std::string path, Query query, std::string body) {
  ClientRequest request;
  request.method = "PUT";
  request.path = path;
  request.query = std::move(query);
  request.body = std::move(body);
  const Result<std::string> answer = co_await Ask(context, std::move(request), kMostShortAnswer);
  if (!answer.ok()) co_return answer.error();
  // What answers anything else, such as a page, is no Consul, and has done nothing.
  const std::size_t begin = answer->find_first_not_of(" \t\r\n");
  const std::string_view text =
      begin == std::string::npos ? std::string_view() : std::string_view(*answer).substr(begin);
  if (!text.empty() && !text.starts_with("null") && !text.starts_with("true")) {
    co_return WithoutSense(path, Error(Code::kUnavailable, "it has a body"));
  }
  co_return Status();
}

Co<Status> ConsulAgent::Register(Context context, std::shared_ptr<const ConsulService> service) {
  std::string body = JsonText(ConsulRegistration(*service));
  Query query = {{"replace-existing-checks", "true"}};
  co_return co_await Put(context, "/v1/agent/service/register", std::move(query), std::move(body));
}

Co<Status> ConsulAgent::Deregister(Context context, std::string id) {
  std::string path = ApiPath("/v1/agent/service/deregister", id);
  co_return co_await Put(context, std::move(path), Query(), std::string());
}

Co<Result<ConsulServices>> ConsulAgent::ListServices(Context context) {
  ClientRequest request;
  request.path = "/v1/agent/services";
  // An old Consul ignores the filter. The answer is filtered again by whoever reads it.
  request.query = {{"filter", "ID matches \"" + std::string(kOurServices) + "\""}};
  const std::string path = request.path;
  Result<std::string> answer = co_await Ask(context, std::move(request), kMostConsulAnswer);
  if (!answer.ok()) co_return answer.error();
  Result<ConsulServices> read =
      co_await pool_->Run([text = *std::move(answer)] { return ReadConsulServices(text); });
  if (!read.ok()) co_return WithoutSense(path, read.error());
  co_return std::move(read);
}

Co<Result<ConsulCheckStateMap>> ConsulAgent::ListChecks(Context context) {
  ClientRequest request;
  request.path = "/v1/agent/checks";
  request.query = {{"filter", "ServiceID matches \"" + std::string(kOurServices) + "\""}};
  const std::string path = request.path;
  Result<std::string> answer = co_await Ask(context, std::move(request), kMostConsulAnswer);
  if (!answer.ok()) co_return answer.error();
  Result<ConsulCheckStateMap> read =
      co_await pool_->Run([text = *std::move(answer)] { return ReadConsulChecks(text); });
  if (!read.ok()) co_return WithoutSense(path, read.error());
  co_return std::move(read);
}

Co<Result<bool>> ConsulAgent::HasService(Context context, std::string id) {
  ClientRequest request;
  request.path = ApiPath("/v1/agent/service", id);
  const Result<std::string> answer = co_await Ask(context, std::move(request), kMostShortAnswer);
  if (answer.ok()) co_return true;
  if (answer.code() == Code::kNotFound) co_return false;
  co_return answer.error();
}

Co<ConsulAgent::Reading> ConsulAgent::Read(Context context, std::string path, Query query,
                                           std::uint64_t index, Duration wait, std::size_t most) {
  ClientRequest request;
  request.path = std::move(path);
  request.query = std::move(query);
  Duration limit = options_.timeout;
  if (index > 0) {
    request.query.emplace_back("index", std::to_string(index));
    request.query.emplace_back("wait", FormatDuration(wait));
    // Consul adds up to a sixteenth, so that not all clients come back at once.
    limit += wait + wait / 16;
  }
  Reading reading{std::string(), 0};
  std::uint64_t shown = 0;
  reading.body = co_await AskWithin(context, std::move(request), most, limit, &shown);
  reading.index = shown;
  co_return reading;
}

Co<Status> ConsulAgent::UpdateCheck(Context context, std::string check_id, ConsulStatus status,
                                    std::string output) {
  if (output.size() > kMostOutput) output.resize(kMostOutput);
  std::string path = ApiPath("/v1/agent/check/update", check_id);
  std::string body = JsonText({{"Status", ConsulStatusName(status)}, {"Output", output}});
  co_return co_await Put(context, std::move(path), Query(), std::move(body));
}

}  // namespace drover
