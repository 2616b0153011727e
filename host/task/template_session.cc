// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/template_session.h"

#include <algorithm>
#include <map>
#include <utility>

#include "host/render/content_hash.h"
#include "host/render/env_file.h"

namespace drover {
namespace {

// In place of the hash of a content: the task may know what is in the file, or not.
constexpr char kUnsure[] = "unsure";
// The first and the longest pause before a template is rendered again that could not be rendered.
constexpr Duration kFirstPause = 10s;
constexpr Duration kLastPause = 10min;

Result<std::string> TextOf(const TaskTemplate& of, const TemplateSession::Place& place) {
  if (!place.source) return of.data;
  Result<std::string> text = ReadFileOfTask(*place.source, kMostTemplateFile);
  if (!text.ok()) return text.error().WithContext("source");
  return text;
}

// Returns whether the file at PLACE has CONTENT already. A reader that looks for changes of the
// file is not woken then.
bool HasContent(const TaskPlace& place, const std::string& content) {
  const Result<std::string> found = ReadFileOfTask(place, content.size());
  return found.ok() && *found == content;
}

bool Exists(const TaskPlace& place) {
  const Result<std::string> found = ReadFileOfTask(place, 0);
  return found.ok() || found.code() == Code::kResourceExhausted;
}

}  // namespace

bool RunsScriptFirst(const TaskTemplate& of) {
  return of.change_mode == TaskTemplate::ChangeMode::kScript && of.script &&
         of.script->run_on_first_render;
}

TemplateSession::TemplateSession(Start start, std::unique_ptr<ValueWatch> watch,
                                 const StringMap& kept)
    : start_(std::move(start)), watch_(std::move(watch)), items_(templates().size()) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto acted = kept.find(templates()[i].destination);
    if (acted != kept.end()) items_[i].acted = acted->second;
    if (start_.running) items_[i].file = File::kOfRunning;
  }
}

void TemplateSession::TakeOver(const TemplateSession& earlier, bool write_again) {
  if (earlier.items_.size() != items_.size()) return;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!(earlier.templates()[i] == templates()[i])) return;
  }
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& from = earlier.items_[i];
    items_[i].acted = from.acted;
    items_[i].used = from.used;
    if (write_again) continue;
    items_[i].file = File::kKnown;
    // The variables of a file that an earlier agent has rendered are not known.
    if (templates()[i].env && from.env.empty()) continue;
    items_[i].rendered = from.rendered;
    items_[i].env = from.env;
  }
  // A watch of the earlier session goes on. What may not be read is an error of the rendering.
  if (WantUsed()) {
    for (Item& item : items_) item.used.clear();
  }
}

bool TemplateSession::IsDoneForGood(std::size_t index) const {
  const Item& item = items_[index];
  const bool by_earlier_agent = start_.running && !item.acted.empty();
  return templates()[index].once && (!item.rendered.empty() || by_earlier_agent);
}

TemplateSession::Indices TemplateSession::ToRender() const {
  Indices indices;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!IsDoneForGood(i)) indices.push_back(i);
  }
  return indices;
}

TemplateSession::Rendering TemplateSession::Prepare(Indices indices) const {
  Rendering rendering;
  rendering.indices = std::move(indices);
  rendering.values = watch_->Known();
  rendering.run = [start = start_, values = rendering.values](std::size_t index, bool quickly) {
    KnownValues known(values, start.env, [&start](const std::string& path) -> Result<std::string> {
      DROVER_ASSIGN(const TaskPlace place, PlaceInTask(start.location, path));
      return ReadFileOfTask(place, kMostTemplateFile);
    });
    const TaskTemplate& of = start.task->templates[index];
    const Result<std::string> text = TextOf(of, start.places[index]);
    const RenderFunction& render = quickly ? start.render_quickly : start.render;
    return text.ok() ? render(of, *text, &known) : Result<RenderedTemplate>(text.error());
  };
  return rendering;
}

TemplateSession::Seen TemplateSession::Look(const std::set<ValueRequest>& used,
                                            const ValueMap& known) const {
  Seen seen;
  for (const ValueRequest& request : used) {
    const auto found = known.find(request);
    seen.emplace(request, found == known.end() ? nullptr : found->second);
  }
  return seen;
}

std::optional<TemplateSession::Failed> TemplateSession::WantUsed() {
  std::set<ValueRequest> wanted;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (IsDoneForGood(i)) continue;
    wanted.insert(items_[i].used.begin(), items_[i].used.end());
  }
  ValueRequest refused;
  const Status status = watch_->Want(wanted, &refused);
  if (status.ok()) return std::nullopt;
  const auto asked = std::ranges::find_if(
      items_, [&refused](const Item& item) { return item.used.contains(refused); });
  return Failed{static_cast<std::size_t>(asked - items_.begin()), status.error()};
}

std::vector<TemplateSession::Written> TemplateSession::Take(
    const Rendering& rendering, std::vector<Result<RenderedTemplate>> results,
    std::vector<ValueRequest>* missing, std::vector<Failed>* failed) {
  std::vector<Written> written;
  for (std::size_t n = 0; n < results.size(); ++n) {
    const std::size_t i = rendering.indices[n];
    Item& item = items_[i];
    item.quiet.Rendered();
    item.retry.reset();
    if (!results[n].ok()) {
      item.noted = Look(item.used, *rendering.values);
      failed->push_back({i, results[n].error()});
      continue;
    }
    RenderedTemplate& made = *results[n];
    item.used = std::set<ValueRequest>(made.used.begin(), made.used.end());
    item.used.insert(made.missing.begin(), made.missing.end());
    item.noted = Look(item.used, *rendering.values);
    if (!made.missing.empty()) {
      missing->insert(missing->end(), made.missing.begin(), made.missing.end());
      continue;
    }
    Written one;
    one.index = i;
    one.hash = ContentHash(made.text);
    if (templates()[i].env) {
      Result<StringMap> env = ReadEnvFile(made.text);
      if (!env.ok()) {
        failed->push_back({i, env.error()});
        continue;
      }
      one.env = *std::move(env);
    }
    const TaskPlace place = start_.places[i].destination;
    const bool same = item.file == File::kKnown && one.hash == item.rendered;
    const bool compares = item.file == File::kOfRunning;
    RenderedFileOwner owner;
    // The job was checked, so the permissions are right.
    owner.mode = FileModeOf(templates()[i].perms).value_or(0644);
    owner.uid = templates()[i].uid;
    owner.gid = templates()[i].gid;
    one.is_gone = [place] { return !Exists(place); };
    one.write = [place, owner, same, compares, text = std::move(made.text)]() -> Status {
      if (same && Exists(place)) return {};
      if (compares && HasContent(place, text)) {
        RemoveUnfinishedFile(place);  // the earlier agent may have died while it wrote
        return {};
      }
      return WriteRenderedFile(place, owner, text);
    };
    written.push_back(std::move(one));
  }
  return written;
}

bool TemplateSession::InformsOfReturn(std::size_t index) const {
  using Mode = TaskTemplate::ChangeMode;
  const Mode mode = templates()[index].change_mode;
  // An action follows the writing in any case if the task does not know the content yet.
  const std::string& acted = items_[index].acted;
  return (mode == Mode::kSignal || mode == Mode::kScript) && !acted.empty() && acted != kUnsure;
}

bool TemplateSession::SetGone(std::size_t index) {
  return !std::exchange(items_[index].gone, true);
}

void TemplateSession::SetWritten(const Written& written) {
  Item& item = items_[written.index];
  if (std::exchange(item.gone, false)) item.acted = kUnsure;
  item.rendered = written.hash;
  item.env = written.env;
  item.file = File::kKnown;
  if (templates()[written.index].change_mode == TaskTemplate::ChangeMode::kNoop) {
    item.acted = item.rendered;
  }
}

void TemplateSession::NoteChanges(TimePoint now) {
  const std::shared_ptr<const ValueMap> known = watch_->Known();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (IsDoneForGood(i)) continue;
    Seen seen = Look(items_[i].used, *known);
    if (seen == items_[i].noted) continue;
    items_[i].noted = std::move(seen);
    items_[i].quiet.Changed(now);
  }
}

void TemplateSession::NoteAll(TimePoint now) {
  for (const std::size_t i : ToRender()) items_[i].quiet.Changed(now);
}

void TemplateSession::RetryFailed(std::size_t index, TimePoint now) {
  Item& item = items_[index];
  item.pause = std::clamp(2 * item.pause, kFirstPause, kLastPause);
  item.retry = now + item.pause;
}

std::optional<TimePoint> TemplateSession::DueOf(std::size_t index) const {
  const Item& item = items_[index];
  std::optional<TimePoint> due = item.retry;
  if (item.quiet.is_changed()) {
    const TimePoint changed = item.quiet.Due(templates()[index].wait);
    due = due ? std::min(*due, changed) : changed;
  }
  return due;
}

TemplateSession::Indices TemplateSession::Due(TimePoint now) const {
  Indices indices;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::optional<TimePoint> due = DueOf(i);
    if (due && *due <= now) indices.push_back(i);
  }
  return indices;
}

std::optional<TimePoint> TemplateSession::NextDue() const {
  std::optional<TimePoint> next;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::optional<TimePoint> due = DueOf(i);
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

ChangePlan TemplateSession::Plan() const {
  std::vector<std::string> rendered, acted;
  for (const Item& item : items_) {
    rendered.push_back(item.rendered);
    acted.push_back(item.acted);
  }
  return PlanChanges(templates(), rendered, acted);
}

void TemplateSession::SetUnsure() {
  for (Item& item : items_) {
    if (!item.rendered.empty() && item.rendered != item.acted) item.acted = kUnsure;
  }
}

void TemplateSession::SetActed(const std::set<std::string>& unsent) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const TaskTemplate& of = templates()[i];
    const bool is_unsent =
        of.change_mode == TaskTemplate::ChangeMode::kSignal && unsent.contains(of.change_signal);
    if (!items_[i].rendered.empty() && !is_unsent) items_[i].acted = items_[i].rendered;
  }
}

void TemplateSession::SetFirstUnsure() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (RunsScriptFirst(templates()[i])) items_[i].acted = kUnsure;
  }
}

StringMap TemplateSession::Kept() const {
  StringMap kept;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.acted.empty()) continue;
    kept[templates()[i].destination] = item.gone ? kUnsure : item.acted;
  }
  return kept;
}

std::string TemplateSession::Generation() const {
  std::string all;
  for (const Item& item : items_) all += item.rendered + "\n";
  return all;
}

StringMap TemplateSession::Env() const {
  StringMap env;
  for (const Item& item : items_) {
    for (const auto& [name, value] : item.env) env[name] = value;
  }
  return env;
}

}  // namespace drover
