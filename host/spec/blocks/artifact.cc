// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/artifact.h"

#include <algorithm>
#include <cctype>

#include "host/spec/blocks/service_place.h"
#include "host/spec/job_place.h"

namespace drover {
namespace {

using job_checks::BytesOf;

// Whether NAME is a token, as RFC 9110 demands of the name of a header.
bool IsHeaderName(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kOthers.find(c) != kOthers.npos;
  });
}

// The host sets these headers itself. Another value would change where the request ends.
bool IsOwnHeader(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "host" || name == "content-length" || name == "transfer-encoding" ||
         name == "connection" || name == "te" || name == "upgrade";
}

void CheckArtifactHeaders(const std::map<std::string, std::string>& headers, const JobPlace& at) {
  for (const auto& [name, value] : headers) {
    if (!IsHeaderName(name)) {
      at.Fault(Quoted(name) + " is not the name of a header");
    } else if (IsOwnHeader(name)) {
      at.Fault("the host sets the header " + name + " itself; remove it");
    } else if (job_checks::HasControl(value)) {
      // The value may be a secret, so the message does not have it.
      (at / name).Fault("holds a control character or an invisible one");
    }
  }
}

void CheckArtifact(const Artifact& artifact, std::string_view task, const JobPlace& at) {
  const std::size_t bytes = artifact.source.size() + artifact.destination.size() +
                            BytesOf(artifact.options) + BytesOf(artifact.headers);
  if (bytes > kMostArtifactBytes) {
    at.Fault("its texts are longer than " + std::to_string(kMostArtifactBytes) + " bytes");
    return;
  }
  if (artifact.source.empty()) {
    (at / "GetterSource").Fault("is missing");
  } else if (job_checks::HasControl(artifact.source)) {
    (at / "GetterSource").Fault("holds a control character or an invisible one");
  }
  if (job_checks::HasControl(artifact.destination)) {
    (at / "RelativeDest").Fault("holds a control character or an invisible one");
  } else if (artifact.destination.find("${") == std::string::npos &&
             !ArtifactPlace(task, artifact.destination)) {
    (at / "RelativeDest")
        .Fault(Quoted(artifact.destination) +
               " is no place for an artifact: write one in the task's directory, such as "
               "\"local/\", or one such as \"../alloc/data\"");
  }
  for (const auto& [name, value] : artifact.options) {
    if (name.empty() || job_checks::HasControl(name) || job_checks::HasControl(value)) {
      (at / "GetterOptions").Fault("holds an empty name or a control character");
    }
  }
  CheckArtifactHeaders(artifact.headers, at / "GetterHeaders");
}

}  // namespace

std::string_view ArtifactModeName(Artifact::Mode mode) {
  switch (mode) {
    case Artifact::Mode::kAny:
      return "any";
    case Artifact::Mode::kFile:
      return "file";
    case Artifact::Mode::kDir:
      break;
  }
  return "dir";
}

std::optional<std::string> ArtifactPlace(std::string_view task, std::string_view destination) {
  std::vector<std::string_view> parts = {task};
  for (std::size_t begin = 0; begin <= destination.size();) {
    const std::size_t end = std::min(destination.find('/', begin), destination.size());
    const std::string_view part = destination.substr(begin, end - begin);
    begin = end + 1;
    if (part.find('\0') != part.npos || part.size() > 255) return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  if (parts.empty()) return std::nullopt;
  const std::string_view inside = parts.size() > 1 ? parts[1] : std::string_view();
  const bool in_task = parts[0] == task && inside != "private";
  const bool in_shared = parts[0] == "alloc" && !inside.empty() && inside != "logs";
  if (!in_task && !in_shared) return std::nullopt;
  std::string place(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) place.append("/").append(parts[i]);
  return place;
}

void CheckArtifacts(const std::vector<Artifact>& artifacts, std::string_view task,
                    const std::string& pointer, JobFaults* faults) {
  const JobPlace at = JobPlace(pointer, faults) / "Artifacts";
  if (artifacts.size() > kMostArtifacts) {
    at.Fault("holds more than " + std::to_string(kMostArtifacts) + " artifacts");
    return;
  }
  for (std::size_t i = 0; i < artifacts.size(); ++i) CheckArtifact(artifacts[i], task, at / i);
}

}  // namespace drover
