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
  int version = 0;  // version of the tables; 0 if it cannot be read
};

// Returns the undamaged records of the file PATH and its log. Other parts of the two files may be
// damaged. For each record, it returns the newest version that can be read. This version may be
// from before the damaged part of the log. A record longer than a page is found only in its last
// version, since only the newest copy of each further page is used. Records that were committed
// together may be returned only in part. Nothing is written.
Result<Salvage> SalvageRecords(const std::string& path);

// Returns kInternal if SQLite cannot find all commits in the log of PATH.
Status CheckLog(const std::string& path);

}  // namespace drover
