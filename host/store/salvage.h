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
// damaged. The result has the newest version of each record that can be read. This version may be
// from before the damaged part of the log. Of a record that is longer than a page, only the last
// version can be found, since only the newest copies of its further pages are used. Records that
// were committed together may be returned only in part. Nothing is written.
Result<Salvage> SalvageRecords(const std::string& path);

// Returns kInternal if SQLite cannot find all commits in the log of PATH.
Status CheckLog(const std::string& path);

}  // namespace drover
