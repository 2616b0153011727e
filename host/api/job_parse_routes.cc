// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "host/api/router.h"
#include "host/base/worker_pool.h"
#include "host/hcl/is_json.h"
#include "host/hcl/job_hcl.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

// How many texts are read at once, or wait for that. Each holds a thread.
constexpr int kMostReaders = 8;

// A right to read a text, if there is one left.
class Turn {
 public:
  Turn() : given_(Readers().fetch_add(1) < kMostReaders) {}
  ~Turn() { Readers().fetch_sub(1); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool given() const { return given_; }

 private:
  static std::atomic<int>& Readers() {
    static std::atomic<int> readers{0};
    return readers;
  }
  const bool given_;
};

// Returns a fault in the form in which Nomad's agents report it: FILE:LINE,COLUMN-COLUMN: what is
// wrong; more about it.
std::string TextOf(const HclDiagnostic& fault) {
  const auto number = [](int value) { return std::to_string(value); };
  std::string text = fault.file;
  if (fault.line != 0) {
    text += ":" + number(fault.line) + "," + number(fault.column) + "-";
    if (fault.end_line != fault.line) text += number(fault.end_line) + ",";
    text += number(fault.end_column);
  }
  if (!text.empty()) text += ": ";
  return text + fault.summary + "; " + fault.detail;
}

Answer Refuse(const std::string& why) { return ErrorAnswer(400, "Failed to parse job: " + why); }

// Answers with the job, with all that a registration would fill in.
Answer Canonicalized(const json& sent) {
  std::vector<JobFault> faults;
  const Result<Job> job = ParseJob(sent.dump(), &faults);
  if (job.ok()) return JsonAnswer(CanonicalJob(*job, sent));
  std::string text;
  for (const JobFault& fault : faults) text += "\n" + fault.pointer + ": " + fault.message;
  return Refuse(faults.empty() ? job.error().message() : text.substr(1));
}

// Reads the text on a thread of its own, which ends with this call: most agents are never asked to.
Co<Result<HclJob>> Read(HclRequest request) {
  WorkerPool reader(1);
  co_return co_await reader.Run([&request] { return ReadJobHcl(std::move(request)); });
}

Co<Answer> ParseJobText(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  HclRequest wanted;
  wanted.file = "input.hcl";
  wanted.text = Field<std::string>(body, "JobHCL");
  const std::string variables = Field<std::string>(body, "Variables");
  if (!variables.empty()) wanted.variable_files.push_back({"variables.hcl", variables});
  wanted.loose = true;
  const bool canonicalize = Field<bool>(body, "Canonicalize");
  if (wanted.text.empty()) co_return ErrorAnswer(400, "Job spec is empty");
  for (const char* key : {"HCLv1", "hclv1"}) {
    if (Field<bool>(body, key)) co_return Refuse("HCLv1 is not supported: write the job in HCL2");
  }
  if (IsJsonText(wanted.text)) co_return Refuse("it is JSON and not HCL: send it to /v1/jobs");
  const Turn turn;
  if (!turn.given()) {
    co_return ErrorAnswer(429, "too many job files are read at the moment; try again");
  }
  DROVER_CO_ASSIGN(const HclJob read, co_await Read(std::move(wanted)));
  if (!read.job.is_null()) {
    co_return canonicalize ? Canonicalized(read.job) : JsonAnswer(read.job);
  }
  std::string text;
  for (const HclDiagnostic& one : read.diagnostics) {
    if (one.error) text += "\n" + TextOf(one);
  }
  co_return Refuse(text.substr(std::min<std::size_t>(text.size(), 1)));
}

}  // namespace

std::vector<Route> JobParseRoutes() { return {{"PUT POST", "/v1/jobs/parse", ParseJobText}}; }

}  // namespace drover
