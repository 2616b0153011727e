// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/plugin_config.h"
#include "config/task_options.h"
#include "drover/host.hpp"
#include "engine/engine.h"
#include "engine/pull_pool.h"

namespace drover_docker {

// What a start gives to the fetch of its image. All may be null.
struct ImageNews {
  std::function<void(const std::string& text)> event;
  std::function<void(const PullProgress& progress)> progress;
  RunHelper run;  // runs a credential helper as long as the start is wanted
};

// The images that tasks use. It fetches them, counts their users, and removes them some time after
// the last user has ended. [any-thread]
class Images {
 public:
  // HOST must outlive the object.
  Images(drover::Host host, Engine* engine);
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  // Returns the id of the task's image, and adds USER to the users of the image. Fetches or loads
  // the image if it is not there. Blocks. Throws drover::Error.
  std::string Take(const std::string& user, const Settings& settings, const TaskOptions& options,
                   const std::string& task_dir, const ImageNews& news, const CancelToken& cancel);
  // USER, which an earlier instance has added, uses the image ID, which was named NAME.
  void Adopt(const std::string& user, const std::string& id, const std::string& name,
             const std::string& key);
  // USER has ended. The last user's image is removed after DELAY, unless KEEP.
  void Release(const std::string& user, bool keep, drover::Duration delay);

  // The key of the image for PullPool, and for a pull ahead of the start.
  static std::string Key(const TaskOptions& options);

  // An image that this object has fetched or that a task of it uses.
  struct Item {
    std::string key;
    std::int64_t last_used = 0;  // ns since 1970
  };
  std::vector<Item> List();
  // Removes the image of KEY. Blocks. Throws drover::Error: kNotFound, or kFailedPrecondition if a
  // task uses it.
  void Remove(const std::string& key);

  // Fetches an image and holds it for the time of DELAY, so that a start finds it.
  void Prefetch(const Settings& settings, const TaskOptions& options, const std::string& task_dir,
                const ImageNews& news, const CancelToken& cancel);

 private:
  struct Used {
    std::string name;
    std::string key;
    std::int64_t last_used = 0;    // ns since 1970
    std::uint64_t generation = 0;  // grows with each use, so that an old timer removes nothing
    std::vector<std::string> users;
  };

  std::string Find(const Settings& settings, const TaskOptions& options,
                   const std::string& task_dir, const ImageNews& news, const CancelToken& cancel);
  // Returns the image if the engine has it. Podman gives a name without a registry to what it
  // builds or loads as localhost/NAME, so that is looked for, too.
  std::optional<ImageInfo> FindHere(const std::string& image, const CancelToken& cancel);
  std::string Load(const TaskOptions& options, const std::string& task_dir,
                   const CancelToken& cancel);
  std::string Pull(const Settings& settings, const TaskOptions& options, const ImageRef& ref,
                   const ImageNews& news, const CancelToken& cancel);
  std::optional<RegistryAuth> AuthFor(const Settings& settings, const TaskOptions& options,
                                      const ImageRef& ref, const ImageNews& news);
  void RemoveLater(const std::string& id, std::uint64_t generation, drover::Duration delay);
  void RemoveNow(const std::string& id, std::uint64_t generation);

  const drover::Host host_;
  Engine* const engine_;
  const CancelToken closing_;
  PullPool pulls_;
  std::mutex mutex_;                             // guards the members below
  std::map<std::string, Used> used_;             // by the id of the image
  std::map<std::string, std::string> image_of_;  // by user
  std::uint64_t last_generation_ = 0;
};

}  // namespace drover_docker
