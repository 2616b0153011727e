// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/base/result.h"
#include "host/store/record.h"

namespace drover {

using SalvagedRecords = std::map<RecordKey, std::string>;

struct Salvage {
  SalvagedRecords records;
  int version = 0;  // of the tables; 0 if it cannot be read
};

// Returns the whole records of the file PATH and its log, whatever else in them is damaged. Each
// record has its newest readable version, which may be one from before the damaged part of the log.
// A record longer than a page has only its last version, since older pages are gone. Records that
// were committed together may come back in part. Reads only.
Result<Salvage> SalvageRecords(const std::string& path);

// Returns kInternal if SQLite would not find all commits in PATH's log.
Status CheckLog(const std::string& path);

}  // namespace drover
