// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/check_templates.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "host/spec/job_place.h"
#include "host/template/parser.h"

namespace drover {
namespace {

constexpr std::size_t kMostMessage = 400;

// Whether an action of TEXT, which stands between LEFT and RIGHT, has a reference that might be
// replaced before the template is read.
bool HasReferenceInAction(std::string_view text, std::string_view left, std::string_view right) {
  for (std::size_t at = text.find(left); at != text.npos; at = text.find(left, at)) {
    at += left.size();
    const std::size_t end = std::min(text.find(right, at), text.size());
    if (text.substr(at, end - at).find("${") != text.npos) return true;
    at = end;
  }
  return false;
}

// Returns TEXT, which may quote a part of the template, without the rest if it is long.
std::string Cut(std::string text) {
  if (text.size() <= kMostMessage) return text;
  std::size_t end = kMostMessage;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

void CheckText(const TaskTemplate& of, const JobPlace& at) {
  const std::string left = of.left_delimiter.empty() ? "{{" : of.left_delimiter;
  const std::string right = of.right_delimiter.empty() ? "}}" : of.right_delimiter;
  if (HasReferenceInAction(of.data, left, right)) return;
  const auto parsed =
      templates::ParseTemplate("template", of.data, left, right, templates::FunctionSet::OfTasks());
  if (!parsed.ok()) at.Fault(Cut(parsed.error().message()));
}

}  // namespace

void CheckTemplateTexts(const Job& job, const std::string& pointer, JobFaults* faults) {
  const JobPlace groups = JobPlace(pointer, faults) / "TaskGroups";
  std::size_t bytes = 0;
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const std::vector<Task>& tasks = job.groups[g].tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::vector<TaskTemplate>& list = tasks[t].templates;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::size_t size = list[i].data.size();
        if (size == 0 || size > kMostCheckedTemplate || bytes + size > kMostCheckedTemplates) {
          continue;
        }
        bytes += size;
        CheckText(list[i], groups / g / "Tasks" / t / "Templates" / i / "EmbeddedTmpl");
      }
    }
  }
}

}  // namespace drover
