// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/engine.h"
#include "engine/engine_request.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

std::vector<std::string> ListAt(const nlohmann::json& json, JsonPath path) {
  std::vector<std::string> out;
  const nlohmann::json& list = At(json, path);
  if (!list.is_array()) return out;
  for (const nlohmann::json& item : list) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

ImageInfo ReadImage(nlohmann::json json) {
  ImageInfo out;
  out.id = TextAt(json, {"Id"}, TextAt(json, {"ID"}));
  if (out.id.size() == 64 && IsImageId(out.id)) out.id = "sha256:" + out.id;
  out.tags = ListAt(json, {"RepoTags"});
  out.digests = ListAt(json, {"RepoDigests"});
  out.os = TextAt(json, {"Os"});
  out.arch = TextAt(json, {"Architecture"});
  out.created_at = ParseTime(TextAt(json, {"Created"}));
  const std::int64_t created = IntAt(json, {"Created"});  // a list has seconds
  if (created > 0 && created < 9'000'000'000) out.created_at = created * 1'000'000'000;
  out.size = CountAt(json, {"Size"});
  out.labels = TextsAt(json, {"Config", "Labels"});
  if (out.labels.empty()) out.labels = TextsAt(json, {"Labels"});
  out.user = TextAt(json, {"Config", "User"});
  out.work_dir = TextAt(json, {"Config", "WorkingDir"});
  out.entrypoint = ListAt(json, {"Config", "Entrypoint"});
  out.command = ListAt(json, {"Config", "Cmd"});
  out.env = ListAt(json, {"Config", "Env"});
  out.raw = std::move(json);
  return out;
}

// The path of an image. Engines take the slashes and the colons of a reference as they are.
std::string ImagePath(const std::string& ref, std::string_view verb) {
  std::string_view rest(ref);
  for (;;) {
    const std::size_t end = rest.find('/');
    PathPart(rest.substr(0, end));  // refuses a part that would lead elsewhere
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
  }
  std::string out = "/images/" + PercentEncode(ref, "/:@");
  if (!verb.empty()) out += "/" + std::string(verb);
  return out;
}

bool HasAny(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

// An error in the answer to a pull has words only. The status is the one that fits them.
int StatusOfWords(const std::string& words) {
  if (HasAny(words, {"no space left", "disk quota"})) return 507;
  if (HasAny(words, {"unauthorized", "authentication required", "denied", "no basic auth",
                     "incorrect username or password"})) {
    return 401;
  }
  if (HasAny(words, {"manifest unknown", "not found", "does not exist", "no matching manifest",
                     "name unknown", "no such image"})) {
    return 404;
  }
  return 500;
}

}  // namespace

std::vector<ImageInfo> Engine::ListImages(const CancelToken& cancel) {
  HttpLimits limits = options_.limits;
  limits.max_body = std::max<std::size_t>(limits.max_body, 64u << 20);
  nlohmann::json list = AskJson(Request("GET", "/images/json"), "list images", limits, cancel);
  std::vector<ImageInfo> out;
  if (!list.is_array()) {
    throw drover::Error(drover::Code::kUnavailable,
                        "list images: the container engine answers with something else", true);
  }
  for (nlohmann::json& one : list) out.push_back(ReadImage(std::move(one)));
  return out;
}

std::optional<ImageInfo> Engine::InspectImage(const std::string& ref, const CancelToken& cancel) {
  try {
    ImageInfo out = ReadImage(AskJson(Request("GET", ImagePath(ref, "json")),
                                      "inspect image " + ref, options_.limits, cancel));
    if (!IsImageId(out.id)) {
      throw drover::Error(drover::Code::kUnavailable,
                          "inspect image " + ref + ": the container engine reports no id", true);
    }
    return out;
  } catch (const EngineError& error) {
    if (error.not_found()) return std::nullopt;
    throw;
  }
}

bool Engine::RemoveImage(const std::string& ref, bool force, const CancelToken& cancel) {
  const std::string target = Target(ImagePath(ref, ""), {{"force", force ? "true" : "false"}});
  return AskWhether(Request("DELETE", target), "remove image " + ref, LongLimits(), 404, cancel);
}

void Engine::TagImage(const std::string& ref, const ImageRef& as, const CancelToken& cancel) {
  const std::string target = Target(ImagePath(ref, "tag"), {{"repo", as.Name()}, {"tag", as.tag}});
  Ask(Request("POST", target), "tag image " + ref + " as " + as.Text(), options_.limits, cancel);
}

std::string Engine::PullImage(const ImageRef& ref, const std::optional<RegistryAuth>& auth,
                              const PullCallback& report, drover::Duration silence,
                              const CancelToken& cancel, const std::string& platform) {
  const std::string action = "pull image " + ref.Text();
  std::vector<std::pair<std::string, std::string>> query = {{"fromImage", ref.Name()},
                                                            {"tag", ref.PullTag()}};
  if (!platform.empty()) query.emplace_back("platform", platform);
  HttpRequest request = Request("POST", Versioned(Target("/images/create", query), cancel));
  if (auth && !auth->empty()) request.headers["X-Registry-Auth"] = auth->Header();
  HttpLimits limits = options_.limits;
  limits.first_byte = limits.silence = silence;
  limits.total = drover::Duration(0);
  PullReader reader;
  const HttpResponse response =
      client_.Stream(request, limits, cancel, [&](std::string_view piece) {
        if (reader.Put(piece) && report) report(reader.progress());
        return true;
      });
  if (response.head.status / 100 != 2) throw ErrorOf(response, action);
  reader.End();
  if (reader.error()) {
    throw EngineError(StatusOfWords(*reader.error()), action, *reader.error());
  }
  const std::optional<ImageInfo> image =
      InspectImage(ref.digest.empty() ? ref.Text() : ref.Name() + "@" + ref.digest, cancel);
  if (image) return image->id;
  throw drover::Error(drover::Code::kUnavailable,
                      action + ": the container engine has no such image after the pull", true);
}

std::vector<std::string> Engine::LoadImage(int tar_fd, const CancelToken& cancel) {
  HttpRequest request =
      Request("POST", Versioned(Target("/images/load", {{"quiet", "1"}}), cancel));
  request.content_type = "application/x-tar";
  request.body_fd = tar_fd;
  HttpLimits limits = LongLimits();
  limits.total = drover::Duration(0);
  PullReader reader;
  const HttpResponse response =
      client_.Stream(request, limits, cancel, [&](std::string_view piece) {
        reader.Put(piece);
        return true;
      });
  if (response.head.status / 100 != 2) throw ErrorOf(response, "load an image");
  reader.End();
  if (reader.error()) {
    throw EngineError(StatusOfWords(*reader.error()), "load an image", *reader.error());
  }
  return reader.images();
}

void Engine::PutArchive(const std::string& id, const std::string& path, int tar_fd,
                        const CancelToken& cancel) {
  HttpRequest request = Request("PUT", Target(ContainerPath(id, "archive"), {{"path", path}}));
  request.content_type = "application/x-tar";
  request.body_fd = tar_fd;
  Ask(std::move(request), "write files to container " + id, LongLimits(), cancel);
}

}  // namespace drover_docker
