// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/image_archive.h"

#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace drover_docker {
namespace {

constexpr std::size_t kBlock = 512;

// Appends one file to a tar in the form of POSIX.
void AppendFile(std::string* tar, const std::string& name, std::string_view bytes, int mode) {
  std::array<char, kBlock> head{};
  std::snprintf(&head[0], 100, "%s", name.c_str());
  std::snprintf(&head[100], 8, "%07o", mode);
  std::snprintf(&head[108], 8, "%07o", 0);
  std::snprintf(&head[116], 8, "%07o", 0);
  std::snprintf(&head[124], 12, "%011lo", static_cast<unsigned long>(bytes.size()));
  std::snprintf(&head[136], 12, "%011o", 0);
  std::memset(&head[148], ' ', 8);  // of the sum, while it is made
  head[156] = '0';
  std::memcpy(&head[257], "ustar", 6);
  std::memcpy(&head[263], "00", 2);
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  std::snprintf(&head[148], 8, "%06o", sum);
  head[155] = ' ';
  tar->append(head.data(), head.size());
  tar->append(bytes);
  tar->append((kBlock - bytes.size() % kBlock) % kBlock, '\0');
}

void EndTar(std::string* tar) { tar->append(2 * kBlock, '\0'); }

}  // namespace

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", hash[i]);
    out += digits;
  }
  return out;
}

ImageArchive MakeImage(std::string_view name, std::string_view file_name, std::string_view program,
                       std::string_view arch) {
  using nlohmann::json;
  std::string layer;
  AppendFile(&layer, std::string(file_name), program, 0755);
  EndTar(&layer);
  json config = json::object();
  config["architecture"] = std::string(arch);
  config["os"] = "linux";
  config["created"] = "2026-01-01T00:00:00Z";
  config["config"]["Entrypoint"] = json::array({"/" + std::string(file_name)});
  config["rootfs"]["type"] = "layers";
  ImageArchive out;
  out.layer = "sha256:" + Sha256(layer);
  config["rootfs"]["diff_ids"] = json::array({out.layer});
  const std::string config_text = config.dump();
  const std::string digest = Sha256(config_text);
  out.name = std::string(name) + ":" + digest.substr(0, 12);
  json entry = json::object();
  entry["Config"] = digest + ".json";
  entry["RepoTags"] = json::array({out.name});
  entry["Layers"] = json::array({"layer.tar"});
  json manifest = json::array();
  manifest.push_back(std::move(entry));
  AppendFile(&out.tar, digest + ".json", config_text, 0644);
  AppendFile(&out.tar, "layer.tar", layer, 0644);
  AppendFile(&out.tar, "manifest.json", manifest.dump(), 0644);
  EndTar(&out.tar);
  return out;
}

}  // namespace drover_docker
