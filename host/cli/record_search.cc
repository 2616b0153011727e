// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/record_search.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/text.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostListed = 20;

// Returns whether ids of KIND are uuids, in whose comparison hyphens do not count.
bool HasUuids(const std::string& kind) {
  return kind == "allocs" || kind == "evals" || kind == "nodes" || kind == "deployment" ||
         kind == "scaling_policy";
}

bool Matches(const FoundRecord& record, const std::string& prefix) {
  if (record.id.starts_with(prefix)) return true;
  return HasUuids(record.kind) && WithoutHyphens(record.id).starts_with(WithoutHyphens(prefix));
}

}  // namespace

std::vector<FoundRecord> FoundRecords(const json& answer, const std::string& prefix,
                                      bool* truncated) {
  std::vector<FoundRecord> records;
  for (const auto& [kind, ids] : MapField(answer, "Matches").items()) {
    for (const json& id : AsList(ids)) {
      FoundRecord record{kind, id.is_string() ? id.get<std::string>() : ""};
      if (!record.id.empty() && Matches(record, prefix)) records.push_back(std::move(record));
    }
  }
  for (const json& left_out : MapField(answer, "Truncations")) {
    *truncated = *truncated || left_out == true;
  }
  return records;
}

Result<json> SearchRecords(ApiClient* client, const std::string& prefix) {
  return client->Put("/v1/search", {{"Prefix", prefix}, {"Context", "all"}},
                     {{"namespace", client->SearchedNamespace()}});
}

Result<FoundRecord> FindRecord(ApiClient* client, const std::string& prefix) {
  DROVER_ASSIGN(const json answer, SearchRecords(client, prefix));
  return ChooseRecord(answer, prefix);
}

Result<FoundRecord> ChooseRecord(const json& answer, const std::string& prefix) {
  bool truncated = false;
  const std::vector<FoundRecord> records = FoundRecords(answer, prefix, &truncated);
  const auto is_whole = [&](const FoundRecord& record) { return record.id == prefix; };
  const auto whole = std::find_if(records.begin(), records.end(), is_whole);
  // Two jobs of different namespaces may have the same id. These are one record here.
  const auto other = std::find_if(records.begin(), records.end(), [&](const FoundRecord& record) {
    return is_whole(record) && record.kind != whole->kind;
  });
  if (whole != records.end() && other == records.end()) return *whole;
  const auto is_first = [&](const FoundRecord& record) { return record == records.front(); };
  if (!records.empty() && !truncated && std::all_of(records.begin(), records.end(), is_first)) {
    return records.front();
  }
  if (records.empty() && !truncated) {
    return Error(Code::kNotFound, "nothing has an id that begins with \"" + prefix + "\"");
  }
  std::string text = "\"" + prefix + "\" is the beginning of several ids: write more of it";
  const std::size_t shown = std::min(records.size(), kMostListed);
  for (std::size_t i = 0; i < shown; ++i) text += "\n  " + records[i].id + "  " + records[i].kind;
  if (truncated || shown < records.size()) text += "\n  ...";
  return Error(Code::kFailedPrecondition, text);
}

}  // namespace drover
