// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "host/api/router.h"
#include "host/base/worker_pool.h"
#include "host/hcl/is_json.h"
#include "host/hcl/job_hcl.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

// How many texts of one client are read or wait for that. They hold room that all clients share.
constexpr int kMostOfClient = 32;
// How long a text waits for its turn. A turn of another text takes about two seconds at most.
constexpr Duration kTurnWait = 10s;

// A place for a text of CLIENT, if the client does not have too many. [any thread]
class Place {
 public:
  explicit Place(const std::string& client) : client_(client) {
    const std::lock_guard lock(Shared().mutex);
    given_ = ++Shared().texts[client_] <= kMostOfClient;
  }
  ~Place() {
    const std::lock_guard lock(Shared().mutex);
    const auto of_client = Shared().texts.find(client_);
    if (--of_client->second == 0) Shared().texts.erase(of_client);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool given() const { return given_; }

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int> texts;
  };
  static Counts& Shared() {
    static auto& counts = *new Counts;
    return counts;
  }
  const std::string client_;
  bool given_ = false;
};

Answer TooMany() {
  return ErrorAnswer(429, "too many job files are read at the moment; try again");
}

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
  const std::string client = request->http().client;
  const Place place(client);
  if (!place.given()) co_return TooMany();
  // A text is read to its end, so its turn is not given back early. But only turns that could be
  // demanded back count for their client, and the client with the fewest has the next turn.
  ByteBudget::Owner owner{client, [] {}};
  const Context waiting = request->exchange()->context().WithTimeout(kTurnWait);
  const Result<ByteBudget::Share> turn =
      co_await request->agent().hcl_turns->Take(waiting, 1, std::move(owner));
  if (!turn.ok()) co_return TooMany();
  const Result<HclJob> read = co_await Read(std::move(wanted));
  if (!read.ok() && read.error().code() == Code::kResourceExhausted) co_return TooMany();
  if (!read.ok()) co_return read.error();
  if (!read->job.is_null()) {
    co_return canonicalize ? Canonicalized(read->job) : JsonAnswer(read->job);
  }
  std::string text;
  for (const HclDiagnostic& one : read->diagnostics) {
    if (one.error) text += "\n" + TextOf(one);
  }
  co_return Refuse(text.substr(std::min<std::size_t>(text.size(), 1)));
}

}  // namespace

std::vector<Route> JobParseRoutes() { return {{"PUT POST", "/v1/jobs/parse", ParseJobText}}; }

}  // namespace drover
