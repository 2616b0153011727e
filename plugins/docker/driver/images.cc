// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "driver/images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "config/host_path.h"
#include "container/image_archive.h"

namespace drover_docker {
namespace {

constexpr std::size_t kLargestAuthFile = 1u << 20;

// Returns the same text for all names of one image.
std::string NormalName(const std::string& image) {
  return IsImageId(image) ? image : ImageRef::Parse(image).Text();
}

// Returns the text of the operator's file, which has the form of docker's config.json.
std::string ReadAuthFile(const std::string& path) {
  const drover::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat found{};
  if (!file.ok() || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    throw drover::Error(drover::Code::kFailedPrecondition,
                        "auth.config: cannot read " + Quoted(path));
  }
  std::string out;
  std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(got));
    if (out.size() > kLargestAuthFile) {
      throw drover::Error(drover::Code::kFailedPrecondition,
                          "auth.config: " + Quoted(path) + " is larger than 1 MiB");
    }
  }
}

}  // namespace

Images::Images(drover::Host host, Engine* engine) : host_(std::move(host)), engine_(engine) {}

std::string Images::Key(const TaskOptions& options) {
  if (!options.load.empty()) return "load:" + options.image;
  const std::string name = NormalName(options.image);
  if (options.auth.empty()) return name;
  return name + " " +
         Sha256(options.auth.username + "\n" + options.auth.password + "\n" +
                options.auth.server_address);
}

std::string Images::Take(const std::string& user, const Settings& settings,
                         const TaskOptions& options, const std::string& task_dir,
                         const ImageNews& news, const CancelToken& cancel) {
  const std::string id = Find(settings, options, task_dir, news, cancel);
  Adopt(user, id, NormalName(options.image), Key(options));
  return id;
}

void Images::Prefetch(const Settings& settings, const TaskOptions& options,
                      const std::string& task_dir, const ImageNews& news,
                      const CancelToken& cancel) {
  const std::string user = "prefetch:" + Key(options);
  Take(user, settings, options, task_dir, news, cancel);
  Release(user, !settings.gc_image,
          std::max<drover::Duration>(settings.gc_image_delay, std::chrono::minutes(5)));
}

void Images::Adopt(const std::string& user, const std::string& id, const std::string& name,
                   const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string& mine = image_of_[user];
  if (const auto before = used_.find(mine); before != used_.end() && mine != id) {
    // The image of the user was replaced while the user started.
    std::vector<std::string>& users = before->second.users;
    users.erase(std::remove(users.begin(), users.end(), user), users.end());
    if (users.empty()) used_.erase(before);
  }
  mine = id;
  Used& used = used_[id];
  used.name = name;
  used.key = key;
  used.last_used = drover::WallNow();
  used.generation = ++last_generation_;
  if (std::find(used.users.begin(), used.users.end(), user) == used.users.end()) {
    used.users.push_back(user);
  }
}

void Images::Release(const std::string& user, bool keep, drover::Duration delay) {
  std::string id;
  std::uint64_t generation = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto mine = image_of_.find(user);
    if (mine == image_of_.end()) return;
    id = mine->second;
    image_of_.erase(mine);
    const auto found = used_.find(id);
    if (found == used_.end()) return;
    found->second.last_used = drover::WallNow();
    std::vector<std::string>& users = found->second.users;
    users.erase(std::remove(users.begin(), users.end(), user), users.end());
    if (!users.empty()) return;
    if (keep) {
      used_.erase(found);
      return;
    }
    generation = found->second.generation;
  }
  RemoveLater(id, generation, delay);
}

void Images::RemoveLater(const std::string& id, std::uint64_t generation, drover::Duration delay) {
  host_.After(delay, [this, id, generation] {
    host_.Post([this, id, generation] { RemoveNow(id, generation); });
  });
}

void Images::RemoveNow(const std::string& id, std::uint64_t generation) {
  std::string name;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = used_.find(id);
    if (found == used_.end() || !found->second.users.empty() ||
        found->second.generation != generation) {
      return;  // somebody uses it again
    }
    name = found->second.name;
    used_.erase(found);
  }
  try {
    // The name goes first: an image that has other names stays under those.
    engine_->RemoveImage(name, /*force=*/false, closing_);
  } catch (const drover::Error& error) {
    host_.Log(drover::LogLevel::kInfo, "the image " + Quoted(name) + " stays: " + error.message());
  }
}

std::vector<Images::Item> Images::List() {
  std::vector<Item> out;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& item : used_) out.push_back(Item{item.second.key, item.second.last_used});
  return out;
}

void Images::Remove(const std::string& key) {
  std::string name;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(used_.begin(), used_.end(),
                                    [&](const auto& item) { return item.second.key == key; });
    if (found == used_.end()) {
      throw drover::Error(drover::Code::kNotFound, "there is no image " + Quoted(key));
    }
    if (!found->second.users.empty()) {
      throw drover::Error(drover::Code::kFailedPrecondition, "a task uses " + Quoted(key));
    }
    name = found->second.name;
    used_.erase(found);
  }
  engine_->RemoveImage(name, /*force=*/false, closing_);
}

std::string Images::Find(const Settings& settings, const TaskOptions& options,
                         const std::string& task_dir, const ImageNews& news,
                         const CancelToken& cancel) {
  if (!options.load.empty()) return Load(options, task_dir, cancel);
  if (IsImageId(options.image)) {
    const auto found = engine_->InspectImage(options.image, cancel);
    if (found) return found->id;
    Invalid("/image: the engine has no image with the id " + Quoted(options.image) +
            ", and an id cannot be pulled");
  }
  const ImageRef ref = ImageRef::Parse(options.image);
  // The tag "latest" may have moved, so it is pulled each time, as Nomad does.
  const bool moves = ref.digest.empty() && ref.tag == "latest";
  if (!options.force_pull && !moves) {
    if (const auto found = FindHere(options.image, cancel)) return found->id;
  }
  try {
    return Pull(settings, options, ref, news, cancel);
  } catch (const drover::Error& error) {
    if (options.force_pull || !moves || cancel.cancelled()) throw;
    const auto found = FindHere(options.image, cancel);
    if (!found) throw;
    if (news.event) {
      news.event("Using the image " + options.image +
                 " that is here, since it could not be pulled: " + error.message());
    }
    return found->id;
  }
}

std::optional<ImageInfo> Images::FindHere(const std::string& image, const CancelToken& cancel) {
  if (auto found = engine_->InspectImage(NormalName(image), cancel)) return found;
  if (IsImageId(image)) return std::nullopt;
  const ImageRef ref = ImageRef::Parse(image);
  const std::string familiar = ref.Familiar();
  if (familiar == ref.Text() || image.find("docker.io/") != std::string::npos) return std::nullopt;
  return engine_->InspectImage("localhost/" + familiar, cancel);
}

std::string Images::Load(const TaskOptions& options, const std::string& task_dir,
                         const CancelToken& cancel) {
  const auto path = FindOwn(TaskPlaces{task_dir, ""}, options.load);
  if (!path) Denied("/load: " + Quoted(options.load) + " is no file in the directory of the task");
  const drover::Fd file = OpenOwn("/load", *path, /*make=*/false, /*readable=*/true);
  struct stat found{};
  if (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    Invalid("/load: " + Quoted(options.load) + " is no plain file");
  }
  const std::vector<std::string> names = engine_->LoadImage(file.get(), cancel);
  if (const auto image = FindHere(options.image, cancel)) return image->id;
  std::string has;
  for (const std::string& name : names) has += (has.empty() ? "" : ", ") + Printable(name, 200);
  Invalid("/load: " + Quoted(options.load) + " has no image " + Quoted(options.image) +
          (has.empty() ? std::string() : ": it has " + has));
}

std::optional<RegistryAuth> Images::AuthFor(const Settings& settings, const TaskOptions& options,
                                            const ImageRef& ref, const ImageNews& news) {
  try {
    AuthSources sources;
    if (!options.auth.empty()) {
      RegistryAuth job;
      job.username = options.auth.username;
      job.password = options.auth.password;
      job.email = options.auth.email;
      job.server_address = options.auth.server_address;
      sources.job = job;
    }
    sources.helper = settings.auth_helper;
    if (!settings.auth_config.empty()) sources.config_text = ReadAuthFile(settings.auth_config);
    sources.run = news.run;
    return FindAuth(sources, ref);
  } catch (const drover::Error& error) {
    if (!options.auth_soft_fail) throw;
    if (news.event) news.event("Pulling without authentication: " + error.message());
    return std::nullopt;
  }
}

std::string Images::Pull(const Settings& settings, const TaskOptions& options, const ImageRef& ref,
                         const ImageNews& news, const CancelToken& cancel) {
  const std::optional<RegistryAuth> auth = AuthFor(settings, options, ref, news);
  if (news.event) news.event("Downloading image " + options.image);
  PullLimits limits;
  limits.silence = settings.pull_activity_timeout;
  limits.total = options.image_pull_timeout.count() > 0 ? options.image_pull_timeout
                                                        : settings.image_pull_timeout;
  const std::string key = ref.Text() + " " + (auth ? Sha256(auth->Header()) : std::string("-"));
  const auto pull = [this, ref, auth, silence = limits.silence](const PullCallback& report,
                                                                const CancelToken& stop) {
    return engine_->PullImage(ref, auth, report, silence, stop);
  };
  try {
    return pulls_.Get(key, pull, limits, news.progress, cancel);
  } catch (const drover::Error& error) {
    if (error.code() == drover::Code::kCancelled) throw;
    // The registry may have it later, unless it says that it has no such image.
    throw drover::Error(error.code(),
                        "Failed to pull " + Quoted(options.image) + ": " + error.message(),
                        error.code() != drover::Code::kNotFound);
  }
}

}  // namespace drover_docker
