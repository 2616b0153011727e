// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_places.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "host/hcl/hcl_diagnostics.h"
#include "host/spec/job_fields.h"

namespace drover {
namespace {

// An agent may send any text. A pointer does not become longer.
constexpr std::size_t kMostPointer = 4096;
constexpr std::size_t kMostFaults = 100;

// Returns POINTER without the "/Job" in which a request has the job.
std::string_view InJob(std::string_view pointer) {
  constexpr std::string_view kJob = "/Job";
  return pointer.starts_with("/Job/") ? pointer.substr(kJob.size()) : pointer;
}

// Returns the JSON pointer within the job at the beginning of TEXT. Returns an empty text if there
// is none, since a line may also begin with the path of a file.
std::string_view PointerOf(std::string_view text) {
  const std::size_t colon = text.substr(0, kMostPointer).find(": ");
  if (!text.starts_with('/') || colon == std::string_view::npos) return "";
  const std::string_view pointer = InJob(text.substr(0, colon));
  const std::string_view rest = pointer.substr(1);
  const std::string_view first = rest.substr(0, rest.find('/'));
  const auto is_first = [first](const JobField& field) { return field.name == first; };
  return std::ranges::any_of(JobFields(), is_first) ? pointer : "";
}

// Returns the faults of fields in LINE. There are none if it does not begin with one.
std::vector<std::string_view> FaultsIn(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t*"), line.size()));
  std::vector<std::string_view> faults;
  if (PointerOf(line).empty()) return faults;
  std::size_t begin = 0;
  for (std::size_t at = line.find("; /");
       at != std::string_view::npos && faults.size() < kMostFaults; at = line.find("; /", at + 1)) {
    if (PointerOf(line.substr(at + 2)).empty()) continue;
    faults.push_back(line.substr(begin, at - begin));
    begin = at + 2;
  }
  faults.push_back(line.substr(begin));
  return faults;
}

}  // namespace

JobPlaces::JobPlaces(HclSource file, HclPlaces places) : places_(std::move(places)) {
  files_.push_back(std::move(file));
}

std::string JobPlaces::Shown(std::string_view fault) const {
  HclDiagnostic diagnostic;
  diagnostic.summary = std::string(fault);
  diagnostic.file = files_.front().name;
  const HclPlace* const place = places_.Find(PointerOf(fault));
  if (place != nullptr) diagnostic.SetPlace(*place);
  return DiagnosticsText({diagnostic}, files_);
}

std::string JobPlaces::WithPlaces(std::string_view text) const {
  if (places_.empty()) return std::string(text);
  std::string out;
  std::size_t shown = 0;
  bool follows_fault = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::vector<std::string_view> faults = FaultsIn(line);
    shown += faults.size();
    if (faults.empty() || shown > kMostFaults) {
      out += std::string(line) + "\n";
      follows_fault = false;
      continue;
    }
    if (out.empty()) {  // what comes before TEXT in a message ends its line here
      const std::string count = std::to_string(faults.size());
      out = "the job has " + count + (faults.size() == 1 ? " fault:\n" : " faults:\n");
    }
    for (const std::string_view fault : faults) {
      if (follows_fault) out += '\n';
      out += Shown(fault);
      follows_fault = true;
    }
  }
  if (!text.ends_with('\n') && !out.empty()) out.pop_back();
  return out;
}

Error JobPlaces::WithPlaces(const Error& error) const {
  return Error(error.code(), WithPlaces(error.message()), error.recoverable());
}

std::string JobPlaces::LineOf(std::string_view pointer) const {
  const HclPlace* const place = places_.Find(InJob(pointer));
  if (place == nullptr) return "";
  return ":" + std::to_string(place->line) + "," + std::to_string(place->column);
}

}  // namespace drover
