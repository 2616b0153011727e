// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/view/table.h"

namespace drover {

// These functions make tables of the records that an agent lists.

TextTable AllocTable(const nlohmann::json& stubs, bool full_ids);
// Returns a table of the health checks of one allocation. CHECKS maps the id of each check to its
// newest result. If ALL_FIELDS is true, the table also has the code, the time and the id of each.
TextTable CheckTable(const nlohmann::json& checks, bool all_fields);
// Returns a table of the names in LIST, which has the services of each namespace.
TextTable ServiceTable(const nlohmann::json& list);
// Returns a table of the registrations of services.
TextTable RegistrationTable(const nlohmann::json& registrations, bool full_ids);
// Returns a table of the keys that sign the tokens of tasks.
TextTable SigningKeyTable(const nlohmann::json& keys, bool full_ids);
// Returns a table of evaluations, the newest first.
TextTable EvalTable(const nlohmann::json& evals, bool full_ids);
// The same for the evaluations that are related to one, with the times for which they wait.
TextTable RelatedEvalTable(const nlohmann::json& evals, bool full_ids);
// Returns a table of the metadata of a node. It shows whether the configuration or a client has set
// each value.
TextTable MetaTable(const nlohmann::json& answer);

}  // namespace drover
