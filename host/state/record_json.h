// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "host/spec/blocks/service_registration.h"
#include "host/state/records.h"

// Encodes the scheduler's records as JSON for the store, and decodes them. A missing field gets
// its default, and an unknown field is ignored. So the agent can read records that other versions
// of it have written. Encoding replaces invalid UTF-8. Decoding fails with kInvalidArgument.
namespace drover {

// Encodes a version of a job without its submission. The submission never changes and has its own
// record. If an earlier agent stored both in one record, the submission is decoded, too.
std::string EncodeRecord(const JobRecord& record);
Result<std::shared_ptr<const JobRecord>> DecodeJobRecord(const std::string& text);
std::string EncodeRecord(const JobSubmission& submission);
Result<std::shared_ptr<const JobSubmission>> DecodeSubmission(const std::string& text);

std::string EncodeRecord(const Evaluation& eval);
Result<std::shared_ptr<const Evaluation>> DecodeEvaluation(const std::string& text);

// An allocation has two records. "Placed" is the decision of the scheduler. It includes the job,
// so it can be read without any other record. "Reported" is the report of the node, which changes
// more often.
//
// A job costs far more to encode and to decode than the other fields, and many allocations have the
// same one. So its text is encoded once for all of them, ends their records, and is decoded once.
std::string EncodePlaced(const AllocRecord& record);
// JOB_END is the end of the record: what EncodeJobEnd returned for the job of RECORD.
std::string EncodePlaced(const AllocRecord& record, const std::string& job_end);
std::string EncodeJobEnd(const JobRecord& job);
std::string EncodeReported(const AllocRecord& record);
// The jobs that were decoded last, each with the end of the records that have it.
using SeenJobs = std::deque<std::pair<std::string, std::shared_ptr<const JobRecord>>>;
Result<AllocRecord> DecodePlaced(const std::string& text, SeenJobs* seen);
Status DecodeReported(const std::string& text, AllocRecord* record);

// Omits most of the fields that the node reports each time it registers, since the node will report
// them again.
std::string EncodeRecord(const NodeRecord& node);
Result<std::shared_ptr<const NodeRecord>> DecodeNode(const std::string& text);

std::string EncodeRecord(const ServiceRegistration& service);
Result<std::shared_ptr<const ServiceRegistration>> DecodeService(const std::string& text);

}  // namespace drover
