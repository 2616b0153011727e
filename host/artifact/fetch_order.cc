// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_order.h"

#include <nlohmann/json.hpp>

#include "host/artifact/source_url.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostErrorText = 2000;

Error BadMessage(const std::string& what) {
  return Error(Code::kInternal, "the process that fetches has sent " + what);
}

Artifact::Mode ModeNamed(const std::string& name) {
  using Mode = Artifact::Mode;
  return name == "file" ? Mode::kFile : name == "dir" ? Mode::kDir : Mode::kAny;
}

}  // namespace

std::string FetchOrderToJson(const FetchOrder& order) {
  const Artifact& artifact = order.artifact;
  const FetchLimits& limits = order.limits;
  return json({{"source", artifact.source},
               {"options", json(artifact.options)},
               {"headers", json(artifact.headers)},
               {"mode", ArtifactModeName(artifact.mode)},
               {"insecure", artifact.insecure},
               {"http_time", limits.http_time.count()},
               {"git_time", limits.git_time.count()},
               {"most_bytes", limits.most_bytes},
               {"most_unpacked", limits.most_unpacked},
               {"most_files", limits.most_files},
               {"most_memory", limits.most_memory},
               {"file_sources", json(order.file_sources)},
               {"without_rules", order.without_rules},
               {"is_cached", order.is_cached},
               {"keeps_download", order.keeps_download}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<FetchOrder> FetchOrderFromJson(const std::string& text) {
  FetchOrder order;
  try {
    const json in = json::parse(text);
    order.artifact.source = in.at("source").get<std::string>();
    order.artifact.options = in.at("options").get<std::map<std::string, std::string>>();
    order.artifact.headers = in.at("headers").get<std::map<std::string, std::string>>();
    order.artifact.mode = ModeNamed(in.at("mode").get<std::string>());
    order.artifact.insecure = in.at("insecure").get<bool>();
    order.limits.http_time = Duration(in.at("http_time").get<std::int64_t>());
    order.limits.git_time = Duration(in.at("git_time").get<std::int64_t>());
    order.limits.most_bytes = in.at("most_bytes").get<std::uint64_t>();
    order.limits.most_unpacked = in.at("most_unpacked").get<std::uint64_t>();
    order.limits.most_files = in.at("most_files").get<std::uint64_t>();
    order.limits.most_memory = in.at("most_memory").get<std::uint64_t>();
    order.file_sources = in.at("file_sources").get<std::vector<std::string>>();
    order.without_rules = in.at("without_rules").get<bool>();
    order.is_cached = in.at("is_cached").get<bool>();
    order.keeps_download = in.at("keeps_download").get<bool>();
  } catch (const json::exception& error) {
    return Error(Code::kInternal, std::string("the order of the agent: ") + error.what());
  }
  return order;
}

std::string FetchAnswerToJson(const Result<Fetched>& fetched) {
  const json answer = fetched.ok()
                          ? json({{"path", fetched->path},
                                  {"directory", fetched->directory},
                                  {"filename", fetched->filename}})
                          : json({{"error", fetched.error().message().substr(0, kMostErrorText)},
                                  {"code", static_cast<int>(fetched.error().code())}});
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Fetched> FetchAnswerFromJson(const std::string& text) {
  const auto parsed = ParseStrictJson(text, {64 << 10, 4});
  if (!parsed.ok() || !parsed->is_object()) return BadMessage("no answer");
  const auto text_of = [&parsed](const char* name) -> std::string {
    const auto found = parsed->find(name);
    return found != parsed->end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (parsed->contains("error")) {
    const auto code = parsed->find("code");
    // The process may name only the codes by which an agent decides about another try.
    const bool is_input = code != parsed->end() && code->is_number_integer() &&
                          (*code == static_cast<int>(Code::kInvalidArgument) ||
                           *code == static_cast<int>(Code::kUnimplemented));
    return Error(is_input ? Code::kInvalidArgument : Code::kUnavailable,
                 text_of("error").substr(0, kMostErrorText), /*recoverable=*/!is_input);
  }
  Fetched fetched;
  fetched.path = text_of("path");
  fetched.filename = text_of("filename");
  const auto directory = parsed->find("directory");
  fetched.directory =
      directory != parsed->end() && directory->is_boolean() && directory->get<bool>();
  if (fetched.path.empty() || HasDotDot(fetched.path) || HasDotDot(fetched.filename)) {
    return BadMessage("an answer without a sensible path");
  }
  return fetched;
}

}  // namespace drover
