// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "host/state/tables.h"

namespace drover {

// Each record of a job is stored whole, so that it can be read without any other. When an agent
// reads them, this lets the documents of children be shared again: with that of their parent, or
// among each other if it has changed or is gone.
class SharedDocuments {
 public:
  // Returns RECORD, or a copy with a document that shares what an earlier one has. Returns RECORD
  // itself if it was returned before.
  std::shared_ptr<const JobRecord> Share(std::shared_ptr<const JobRecord> record);

 private:
  // The objects that were seen last, by the parent whose children, or who itself, have them.
  std::map<JobKey, std::deque<JobDocument::Object>> seen_;
};

}  // namespace drover
