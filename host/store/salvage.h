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

// The whole records of the file PATH and its log, whatever else of them is damaged: of each the
// newest that can be read, which may be one from before the damaged part of the log (but of one
// that is longer than a page, whose older pages are gone, only the last). Each record by itself:
// what was committed together may come back in part. Reads only.
Result<Salvage> SalvageRecords(const std::string& path);

// An error of kInternal if what PATH's log holds would not be found by SQLite.
Status CheckLog(const std::string& path);

}  // namespace drover
