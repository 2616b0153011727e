// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/api_target.h"
#include "host/cli/curl_command.h"
#include "host/cli/read_to_end.h"
#include "host/commands/commands.h"
#include "host/view/task_output.h"

namespace drover {
namespace {

constexpr std::size_t kMaxBody = std::size_t{64} << 20;  // agents take less

// Reads standard input, unless it is a terminal or another device, such as /dev/null. Returns
// nothing if it is one of these, or empty.
Result<std::optional<std::string>> ReadInput() {
  struct stat about{};
  if (fstat(STDIN_FILENO, &about) != 0 || S_ISCHR(about.st_mode))
    return std::optional<std::string>();
  DROVER_ASSIGN(std::string text, ReadToEnd(STDIN_FILENO, "standard input", kMaxBody));
  if (text.size() > kMaxBody) {
    return Error(Code::kInvalidArgument, "standard input has more than 64 MiB");
  }
  return text.empty() ? std::optional<std::string>() : std::optional(std::move(text));
}

// Returns the environment variable from which TOKEN comes; empty if the user has written it.
std::string TokenVariable(const std::string& token) {
  for (const char* name : {"DROVER_TOKEN", "NOMAD_TOKEN"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && token == value) return name;
  }
  return "";
}

bool WantsTls(const ClientOptions& options) {
  return options.address.starts_with("https://") || options.tls_skip_verify ||
         !options.ca_cert.empty() || !options.ca_path.empty() || !options.client_cert.empty();
}

// Prints a line about a request or its answer to standard error.
void Say(const std::string& line) { std::fprintf(stderr, "%s\n", Printable(line).c_str()); }

struct OperatorApiCommand {
  std::string target;
  std::string method;
  std::vector<std::string> headers;
  std::string filter;
  bool dry_run = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command
        ->add_option("PATH", target,
                     "/v1/jobs: of the agent; HOST:PORT/v1/jobs or https://HOST:PORT/v1/jobs: of "
                     "another one, which also gets the token")
        ->required();
    command
        ->add_option("-X", method,
                     "GET, PUT, POST or DELETE (POST if standard input has a body, else GET)")
        ->check(CLI::IsMember({"GET", "PUT", "POST", "DELETE"}));
    command
        ->add_option("-H", headers,
                     "'NAME: VALUE', another header, or another value for X-Nomad-Token; may be "
                     "repeated")
        ->allow_extra_args(false);
    command->add_option("--filter", filter, "Only what this chooses: 'Status == \"running\"'");
    command->add_flag("--dryrun", dry_run, "Prints a command of curl that would do the same");
    command->add_flag("--verbose", verbose, "Prints the heads of request and answer to stderr");
    AddNote(command,
            "The body is standard input, if it is no terminal or device and not empty; with -X GET "
            "it is not read. Exit code: 0 the agent has answered, whatever it says, 1 it has not, "
            "2 the command line is wrong.");
  }

  Status Check() const {
    DROVER_TRY(ReadApiTarget(target, false));
    for (const std::string& header : headers) DROVER_TRY(ReadHeader(header));
    if (filter.empty() || !HasParameter(target, "filter")) return {};
    return Error(Code::kInvalidArgument, "--filter: the path has a filter already");
  }

  Result<int> Run(ApiClient* client) const {
    ClientOptions options = client->options();
    DROVER_ASSIGN(const ApiTarget to, ReadApiTarget(target, WantsTls(options)));
    if (!to.address.empty()) options.address = to.address;
    DROVER_ASSIGN(ClientRequest request, RequestFor(to.path, options.job_namespace));
    if (!dry_run) return Send(options, std::move(request));
    DROVER_ASSIGN(const std::string line,
                  CurlCommand(request, options, TokenVariable(options.token), verbose));
    std::printf("%s\n", PrintableLines(line).c_str());
    return kExitOk;
  }

  Result<ClientRequest> RequestFor(const std::string& path, const std::string& name) const {
    ClientRequest request;
    request.path = path;
    if (method != "GET") {
      DROVER_ASSIGN(request.body, ReadInput());
    }
    request.method = method.empty() ? (request.body ? "POST" : "GET") : method;
    for (const std::string& header : headers) {
      DROVER_ASSIGN(auto field, ReadHeader(header));
      request.headers.push_back(std::move(field));
    }
    if (!filter.empty()) request.query.emplace_back("filter", filter);
    if (!name.empty() && !HasParameter(path, "namespace")) {
      request.query.emplace_back("namespace", name);
    }
    return request;
  }

  Result<int> Send(const ClientOptions& options, ClientRequest request) const {
    DROVER_ASSIGN(ApiClient client, ApiClient::Create(options));
    TaskOutput output(stdout);
    request.take = [&output](std::string_view some) { output.Write(some); };
    request.take_head = [this](const ReplyHead& head) {
      if (!verbose) return;
      Say("< HTTP/1.1 " + std::to_string(head.status) + " " + head.reason);
      for (const auto& [name, value] : head.headers) Say("< " + name + ": " + value);
    };
    if (verbose) {
      if (request.body) Say("* the body is standard input");
      Say("> " + request.method + " " + WithQuery(request.path, request.query));
      // The token is a secret, so only those headers are printed that the user has written.
      for (const auto& [name, value] : request.headers) Say("> " + name + ": " + value);
    }
    DROVER_TRY(client.Send(std::move(request)));
    output.End();
    return kExitOk;
  }
};

}  // namespace

void AddOperatorApi(const ClientGroup& group) {
  group.AddPlain<OperatorApiCommand>("api", "Sends a request to the API of an agent");
}

}  // namespace drover
