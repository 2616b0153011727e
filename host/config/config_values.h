// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"
#include "host/config/config_document.h"
#include "host/config/config_reader.h"
#include "host/spec/job.h"

namespace drover {

// Reads values of a document by their JSON pointers. Each value has the kind that the table of keys
// gives it. A key that is not set leaves OUT as it is.
class ConfigValues {
 public:
  // All pointers must outlive the object.
  ConfigValues(const ConfigDocument* document, const AddressSource* addresses,
               ConfigFindings* mistakes)
      : document_(document), addresses_(addresses), mistakes_(mistakes) {}

  // Returns null if POINTER is not set.
  const nlohmann::json* Find(const std::string& pointer) const;
  bool Has(const std::string& pointer) const { return Find(pointer) != nullptr; }

  void Text(const std::string& pointer, std::string* out) const;
  // Reads a text in which templates become addresses.
  void Address(const std::string& pointer, std::string* out) const;
  void Bool(const std::string& pointer, bool* out) const;
  void Number(const std::string& pointer, int* out) const;
  void Time(const std::string& pointer, Duration* out) const;
  void Texts(const std::string& pointer, std::vector<std::string>* out) const;
  void Map(const std::string& pointer, StringMap* out) const;

  void Mistake(const std::string& pointer, const std::string& what) const;
  // Returns whether a mistake in the value at POINTER has been found, so that it is not set.
  bool IsMistaken(const std::string& pointer) const;
  // Two keys that say the same must not both be set.
  void Exclude(const std::string& pointer, const std::string& other) const;

 private:
  const ConfigDocument* const document_;
  const AddressSource* const addresses_;
  ConfigFindings* const mistakes_;
};

// Returns whether TEXT is a host, with or without a port. An IPv6 address must be in brackets.
bool IsHostAndPort(const std::string& text);

// Reads what artifacts may cost. [part of ReadConfigDocument]
void ReadArtifactConfig(const ConfigValues& values, AgentConfig::Client::Artifacts* artifacts);

// Reads the clusters of Consul, by name. [part of ReadConfigDocument]
void ReadConsulConfig(const ConfigValues& values,
                      std::map<std::string, AgentConfig::Consul>* clusters);

// Reads ports and ranges such as "22,80,8500-8600". Returns false if TEXT has another form. The
// sizes of the ranges cost no time.
bool ReadPorts(std::string_view text, std::set<int>* ports);

// Reads the networks that the node offers to jobs. [part of ReadConfigDocument]
void ReadNetworkConfig(const ConfigValues& values, AgentConfig::Client* client);

// Reads the volumes of the node. [part of ReadConfigDocument]
void ReadHostVolumes(const ConfigValues& values, AgentConfig::Client* client);

// Reads the keys of the API. [part of ReadConfigDocument]
void ReadHttpConfig(const ConfigValues& values, AgentConfig::Http* http);

// Reads as whom tasks may run. Changes the blocks of plugins, so it comes after them. [part of
// ReadConfigDocument]
void ReadUsersConfig(const ConfigValues& values, AgentConfig* config);

// Reads the blocks of plugins. [part of ReadConfigDocument]
void ReadPluginConfigs(const ConfigValues& values, AgentConfig* config);

}  // namespace drover
