// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "host/scheduler/records.h"

// The records of the scheduler as they are kept, in JSON. A field that is missing has its default,
// and one that is not known is left out of account, so records of other versions can be read. Texts
// that are no UTF-8 are replaced. Reading fails with kInvalidArgument.
namespace drover {

// A version of a job without its submission, which never changes and has a record of its own. Where
// an earlier agent has kept both in one, the submission is read, too.
std::string EncodeRecord(const JobRecord& record);
Result<std::shared_ptr<const JobRecord>> DecodeJobRecord(const std::string& text);
std::string EncodeRecord(const JobSubmission& submission);
Result<std::shared_ptr<const JobSubmission>> DecodeSubmission(const std::string& text);

std::string EncodeRecord(const Evaluation& eval);
Result<std::shared_ptr<const Evaluation>> DecodeEvaluation(const std::string& text);

// What was decided of an allocation, with its job, so that it needs no other record; and, as it
// changes more often, what its node has told.
std::string EncodePlaced(const AllocRecord& record);
std::string EncodeTold(const AllocRecord& record);
// The jobs that were read last: an allocation whose job is the same takes it from there, since to
// read a job costs more than the rest of the record.
using SeenJobs =
    std::deque<std::pair<std::shared_ptr<const nlohmann::json>, std::shared_ptr<const JobRecord>>>;
Result<AllocRecord> DecodePlaced(const std::string& text, SeenJobs* seen);
Status DecodeTold(const std::string& text, AllocRecord* record);

// Of a node, what it does not tell again when it registers.
std::string EncodeRecord(const NodeRecord& node);
Result<std::shared_ptr<const NodeRecord>> DecodeNode(const std::string& text);

}  // namespace drover
