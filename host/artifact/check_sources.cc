// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/check_sources.h"

#include <algorithm>

#include "host/artifact/artifact_source.h"
#include "host/spec/job_place.h"

namespace drover {
namespace {

bool HasReference(const std::string& text) { return text.find("${") != std::string::npos; }

void CheckSource(const Artifact& artifact, const JobPlace& at) {
  const bool later =
      HasReference(artifact.source) ||
      std::ranges::any_of(artifact.options, [](const auto& of) { return HasReference(of.second); });
  if (later) return;
  const Result<ArtifactSource> source =
      ParseArtifactSource(artifact.source, artifact.options, artifact.mode);
  if (!source.ok()) return at.Fault(source.error().message());
  if (source->checksum_source.empty()) return;
  const Result<ArtifactSource> sums =
      ParseArtifactSource(source->checksum_source, {{"archive", "false"}}, Artifact::Mode::kFile);
  if (!sums.ok()) {
    at.Fault(sums.error().WithContext("the file of its checksum").message());
  } else if (sums->kind != ArtifactSource::Kind::kHttp) {
    at.Fault("a file of checksums is fetched only by http or https");
  }
}

}  // namespace

void CheckArtifactSources(const Job& job, const std::string& pointer, JobFaults* faults) {
  const JobPlace groups = JobPlace(pointer, faults) / "TaskGroups";
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const std::vector<Task>& tasks = job.groups[g].tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const JobPlace at = groups / g / "Tasks" / t / "Artifacts";
      for (std::size_t i = 0; i < tasks[t].artifacts.size(); ++i) {
        CheckSource(tasks[t].artifacts[i], at / i / "GetterSource");
      }
    }
  }
}

}  // namespace drover
