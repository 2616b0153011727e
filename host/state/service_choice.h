// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/spec/blocks/service_registration.h"

namespace drover {

// How many instances of a service a client wants, and the key by which they are chosen.
struct ServiceChoice {
  std::size_t count = 1;
  std::string key;
};

// Reads the query parameter ?choose, which has the form N|KEY. N is a positive number, and KEY is a
// text that is not empty and has no "|".
Result<ServiceChoice> ParseServiceChoice(const std::string& text);

// Returns at most CHOICE.count of SERVICES, by rendezvous hashing: a client with the same key
// always gets the same instances. If an instance comes or goes, only the choices change in which it
// takes part. The result depends on nothing but the ids of SERVICES and on CHOICE.
std::vector<std::shared_ptr<const ServiceRegistration>> ChooseServices(
    const std::vector<std::shared_ptr<const ServiceRegistration>>& services,
    const ServiceChoice& choice);

}  // namespace drover
