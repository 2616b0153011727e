// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/service_choice.h"

#include <openssl/sha.h>

#include <cstdint>
#include <map>

#include "host/base/text.h"

namespace drover {
namespace {

// Returns the rank of the registration ID among those that KEY may choose. The lowest rank is
// chosen first. The rank ends with the id, so no two ranks are equal.
std::string RankOf(const std::string& id, const std::string& key) {
  const std::string text = key + '\n' + id;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return std::string(reinterpret_cast<const char*>(digest), sizeof digest) + id;
}

}  // namespace

Result<ServiceChoice> ParseServiceChoice(const std::string& text) {
  const std::size_t bar = text.find('|');
  ServiceChoice choice;
  if (bar != std::string::npos) {
    choice.count = ParseNumber<std::uint32_t>(text.substr(0, bar)).value_or(0);
    choice.key = text.substr(bar + 1);
  }
  if (choice.count == 0 || choice.key.empty() || choice.key.find('|') != std::string::npos) {
    return Error(Code::kInvalidArgument,
                 "choose must be a number, | and a key, not \"" + text + "\"");
  }
  return choice;
}

std::vector<std::shared_ptr<const ServiceRegistration>> ChooseServices(
    const std::vector<std::shared_ptr<const ServiceRegistration>>& services,
    const ServiceChoice& choice) {
  std::map<std::string, std::shared_ptr<const ServiceRegistration>> ranked;
  for (const auto& service : services) ranked.emplace(RankOf(service->id, choice.key), service);
  std::vector<std::shared_ptr<const ServiceRegistration>> chosen;
  for (const auto& [rank, service] : ranked) {
    if (chosen.size() == choice.count) break;
    chosen.push_back(service);
  }
  return chosen;
}

}  // namespace drover
