// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "host/scheduler/records.h"

// Encodes the scheduler's records as JSON for the store, and decodes them. A missing field has its
// default and an unknown one is ignored, so records of other versions can be read. Invalid UTF-8 is
// replaced. Decoding fails with kInvalidArgument.
namespace drover {

// A version of a job without its submission, which never changes and has a record of its own. If an
// earlier agent stored both in one record, the submission is decoded, too.
std::string EncodeRecord(const JobRecord& record);
Result<std::shared_ptr<const JobRecord>> DecodeJobRecord(const std::string& text);
std::string EncodeRecord(const JobSubmission& submission);
Result<std::shared_ptr<const JobSubmission>> DecodeSubmission(const std::string& text);

std::string EncodeRecord(const Evaluation& eval);
Result<std::shared_ptr<const Evaluation>> DecodeEvaluation(const std::string& text);

// An allocation has two records. "Placed" is the scheduler's decision, with the job, so that it
// needs no other record. "Reported" is the node's part, which changes more often.
std::string EncodePlaced(const AllocRecord& record);
std::string EncodeReported(const AllocRecord& record);
// The jobs that were decoded last. An allocation with an equal job shares it, since decoding a job
// costs more than decoding the other fields.
using SeenJobs =
    std::deque<std::pair<std::shared_ptr<const nlohmann::json>, std::shared_ptr<const JobRecord>>>;
Result<AllocRecord> DecodePlaced(const std::string& text, SeenJobs* seen);
Status DecodeReported(const std::string& text, AllocRecord* record);

// Only the fields of a node that it does not report when it registers.
std::string EncodeRecord(const NodeRecord& node);
Result<std::shared_ptr<const NodeRecord>> DecodeNode(const std::string& text);

}  // namespace drover
