// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_templates.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "host/base/ids.h"
#include "host/base/printable.h"
#include "host/consul/consul_values.h"
#include "host/node/consul_options.h"
#include "host/render/render_task_template.h"
#include "host/task/hooks/template_hook.h"

namespace drover {
namespace {

constexpr int kRenderers = 2;  // threads
constexpr int kSlowRenderers = 1;

// The cluster whose values templates have.
constexpr char kTemplateCluster[] = "default";

std::uint64_t RandomBelow(std::uint64_t bound) {
  std::uint64_t bits = 0;
  RandomBytes(&bits, sizeof bits);
  return bits % bound;
}

}  // namespace

NodeTemplates::NodeTemplates(NodeTemplatesOptions options) : options_(std::move(options)) {}

NodeTemplates::~NodeTemplates() = default;

Result<std::unique_ptr<NodeTemplates>> NodeTemplates::Create(NodeTemplatesOptions options) {
  std::unique_ptr<NodeTemplates> made(new NodeTemplates(std::move(options)));
  const NodeTemplatesOptions& of = made->options_;
  if (of.state.store != nullptr) {
    made->sources_.push_back(std::make_unique<StateValues>(of.state));
  }
  if (const auto cluster = of.consul.find(kTemplateCluster); cluster != of.consul.end()) {
    DROVER_ASSIGN(std::unique_ptr<ConsulAgent> agent,
                  ConsulAgent::Create(ConsulOptionsOf(cluster->second), of.pool));
    made->sources_.push_back(std::make_unique<ConsulValues>(of.loop, of.pool, std::move(agent),
                                                            ConsulValues::Options()));
  }
  WatchedValues::Options values;
  values.loop = of.loop;
  for (const auto& source : made->sources_) values.sources.push_back(source.get());
  values.report = [](const std::string& name, const Error& error) {
    spdlog::warn("templates keep the last value of {}: {}", Printable(name), error.message());
  };
  made->values_ = WatchedValues::Create(std::move(values));
  if (of.state.on_policies) {
    made->on_policies_ =
        of.state.on_policies([values = made->values_.get()] { values->CheckAgain(); });
  }
  return made;
}

void NodeTemplates::AddHooks(const std::string& alloc_id, const Task& task, TaskHooks* hooks) {
  if (!TemplateHook::IsNeeded(task)) return;
  TemplateHookOptions options;
  options.loop = options_.loop;
  options.values = values_;
  options.preparer = options_.preparer;
  if (!renderers_) renderers_ = std::make_unique<WorkerPool>(kRenderers);
  if (!slow_renderers_) slow_renderers_ = std::make_unique<WorkerPool>(kSlowRenderers);
  options.pool = renderers_.get();
  options.slow_pool = slow_renderers_.get();
  options.render = RenderTaskTemplate;
  options.render_quickly = RenderQuickTemplate;
  options.random = RandomBelow;
  options.report = [name = alloc_id + "/" + task.name](const Error& error) {
    spdlog::warn("task {}: {}", name, error.message());
  };
  hooks->after_stats.push_back(std::make_shared<TemplateHook>(std::move(options)));
}

}  // namespace drover
