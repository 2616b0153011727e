// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/periodic_checks.h"

#include <algorithm>
#include <utility>

namespace drover {
namespace {

using job_checks::CheckText;
using job_checks::HasControl;
using job_checks::kMaxName;

constexpr std::size_t kMostSpecs = 64;
constexpr std::size_t kMostMetaKeys = 128;  // of each list
// The longest parts that the ids of children add: "/periodic-" and "/dispatch-" with seconds since
// 1970, and of the latter also eight digits.
constexpr std::size_t kOfLaunch = 20;
constexpr std::size_t kOfDispatch = 29;
// Base64 of the largest payload.
constexpr std::size_t kMostPayloadText = (kMostPayload + 2) / 3 * 4;

bool IsBatch(const Job& job) {
  return job.type == JobType::kBatch || job.type == JobType::kSysbatch;
}

void CheckPeriodic(const Job& job, const JobPlace& at) {
  const PeriodicPolicy& policy = *job.periodic;
  at.Unless(IsBatch(job), "only batch and sysbatch jobs may be periodic");
  const JobPlace specs = at / "Specs";
  if (policy.enabled && policy.specs.empty()) {
    specs.Fault("is missing; write one or more cron expressions, or disable the block");
  } else if (policy.specs.size() > kMostSpecs) {
    specs.Fault("has more than " + std::to_string(kMostSpecs) + " expressions");
  }
}

void CheckMetaKeys(const ParameterizedPolicy& policy, const JobPlace& at) {
  UniqueNames names;
  for (const auto& [list, keys] : {std::pair("MetaRequired", &policy.meta_required),
                                   {"MetaOptional", &policy.meta_optional}}) {
    if (keys->size() > kMostMetaKeys) {
      (at / list).Fault("has more than " + std::to_string(kMostMetaKeys) + " keys");
      continue;
    }
    for (std::size_t i = 0; i < keys->size(); ++i) {
      if (CheckText((*keys)[i], at / list / i)) names.Add((*keys)[i], at / list / i);
    }
  }
}

// Checks the id of a parent, so that the ids of its children are ids, too.
void CheckRoomForChildren(const Job& job, const JobPlace& at) {
  std::size_t more = 0;
  if (job.parameterized && !job.dispatched) more += kOfDispatch;
  if (job.periodic) more += kOfLaunch;
  if (more == 0 || job.id.size() + more <= kMaxName) return;
  at.Fault("is " + std::to_string(job.id.size()) +
           " bytes long, to which the ids of its children add " + std::to_string(more) +
           ": that is more than " + std::to_string(kMaxName));
}

// Calls CALL with the file of each task that wants a payload, and with the place of its block.
template <typename F>
void ForEachPayloadFile(const Job& job, const JobPlace& at, F call) {
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    for (std::size_t t = 0; t < job.groups[g].tasks.size(); ++t) {
      const std::string& file = job.groups[g].tasks[t].dispatch_payload_file;
      if (!file.empty()) call(file, at / "TaskGroups" / g / "Tasks" / t / "DispatchPayload");
    }
  }
}

}  // namespace

bool IsPayloadFile(std::string_view file) {
  if (file.empty() || file.size() > kMostPayloadFile || HasControl(file)) return false;
  while (!file.empty()) {
    const std::size_t slash = std::min(file.find('/'), file.size());
    const std::string_view part = file.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.size() > kMaxName) return false;
    if (slash + 1 == file.size()) return false;  // nothing behind the slash
    file.remove_prefix(std::min(slash + 1, file.size()));
  }
  return true;
}

void CheckStarts(const Job& job, const JobPlace& at) {
  if (job.periodic) CheckPeriodic(job, at / "Periodic");
  if (job.parameterized) {
    const JobPlace place = at / "ParameterizedJob";
    place.Unless(IsBatch(job), "only batch and sysbatch jobs may be parameterized");
    CheckMetaKeys(*job.parameterized, place);
  }
  CheckRoomForChildren(job, at / "ID");
  ForEachPayloadFile(job, at, [](const std::string& file, const JobPlace& place) {
    if (IsPayloadFile(file)) return;
    (place / "File").Fault(Quoted(file) + " is no file below the local directory of the task");
  });
  (at / "Dispatched")
      .Unless(!job.dispatched || job.parameterized,
              "only a dispatch of a parameterized job makes such a job");
  (at / "DispatchIdempotencyToken")
      .Unless(job.dispatch_token.empty() || job.dispatched, "is for dispatched jobs");
  if (job.payload.size() > kMostPayloadText) {
    (at / "Payload").Fault("is larger than " + std::to_string(kMostPayload) + " bytes");
  } else {
    (at / "Payload").Unless(job.payload.empty() || job.dispatched, "is for dispatched jobs");
  }
}

void WarnOfStarts(const Job& job, const JobPlace& at) {
  const bool forbidden =
      job.parameterized && job.parameterized->payload == ParameterizedPolicy::Payload::kForbidden;
  if (job.parameterized && !forbidden) return;
  ForEachPayloadFile(job, at, [forbidden](const std::string&, const JobPlace& place) {
    place.Fault(forbidden ? "has no effect: ParameterizedJob forbids a payload"
                          : "has no effect: only a parameterized job gets a payload");
  });
}

Status CheckChildId(const Job& parent, const std::string& id) {
  if (HasControl(id) || id.find(' ') != std::string::npos) {
    return Error(Code::kInvalidArgument,
                 "IdPrefixTemplate holds a space, a control character or an invisible one");
  }
  const std::size_t more = parent.periodic ? kOfLaunch : 0;
  if (id.size() + more <= kMaxName) return {};
  return Error(Code::kInvalidArgument, "IdPrefixTemplate makes the id of the job longer than " +
                                           std::to_string(kMaxName - more) +
                                           " bytes, which is the most here");
}

}  // namespace drover
