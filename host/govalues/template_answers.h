// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/govalues/value.h"

// What Consul, Nomad and the host answer, as values of templates. The names and the order of the
// fields are those that templates see in consul-template. In JSON, each struct is an object with
// the names of its fields; what an object lacks is zero, and what it has beyond that is ignored.
namespace drover::templates {

inline constexpr Type kTags{Kind::kList, "dependency.ServiceTags", &kString, nullptr, nullptr, 0,
                            &kStringList};

inline constexpr StructField kPairFields[] = {{"Path", &kString},        {"Key", &kString},
                                              {"Value", &kString},       {"CreateIndex", &kUint64},
                                              {"ModifyIndex", &kUint64}, {"LockIndex", &kUint64},
                                              {"Flags", &kUint64},       {"Session", &kString}};
inline constexpr Type kPair{Kind::kStruct, "*dependency.KeyPair", nullptr, nullptr, kPairFields, 8};
inline constexpr Type kPairs{Kind::kList, "[]*dependency.KeyPair", &kPair};
inline constexpr Type kPairMap{Kind::kMap, "map[string]*dependency.KeyPair", &kPair, &kString};
inline constexpr Type kPairMaps{Kind::kMap, "map[string]map[string]*dependency.KeyPair", &kPairMap,
                                &kString};

inline constexpr StructField kHealthFields[] = {
    {"Node", &kString},        {"NodeID", &kString},
    {"NodeAddress", &kString}, {"NodeTaggedAddresses", &kStringMap},
    {"NodeMeta", &kStringMap}, {"ServiceMeta", &kStringMap},
    {"Address", &kString},     {"ServiceTaggedAddresses", &kAnyMap},
    {"ID", &kString},          {"Name", &kString},
    {"Tags", &kTags},          {"Checks", &kAnyList},
    {"Status", &kString},      {"Port", &kInt},
    {"Weights", &kAnyMap}};
inline constexpr Type kHealth{
    Kind::kStruct, "*dependency.HealthService", nullptr, nullptr, kHealthFields, 15};
inline constexpr Type kHealths{Kind::kList, "[]*dependency.HealthService", &kHealth};
inline constexpr Type kHealthMap{Kind::kMap, "map[string][]*dependency.HealthService", &kHealths,
                                 &kString};

inline constexpr StructField kNameFields[] = {{"Name", &kString}, {"Tags", &kTags}};
inline constexpr Type kCatalogName{
    Kind::kStruct, "*dependency.CatalogSnippet", nullptr, nullptr, kNameFields, 2};
inline constexpr Type kCatalogNames{Kind::kList, "[]*dependency.CatalogSnippet", &kCatalogName};
inline constexpr Type kNomadName{
    Kind::kStruct, "*dependency.NomadServicesSnippet", nullptr, nullptr, kNameFields, 2};
inline constexpr Type kNomadNames{Kind::kList, "[]*dependency.NomadServicesSnippet", &kNomadName};

inline constexpr StructField kNodeFields[] = {{"ID", &kString},
                                              {"Node", &kString},
                                              {"Address", &kString},
                                              {"Datacenter", &kString},
                                              {"TaggedAddresses", &kStringMap},
                                              {"Meta", &kStringMap}};
inline constexpr Type kNode{Kind::kStruct, "*dependency.Node", nullptr, nullptr, kNodeFields, 6};
inline constexpr Type kNodes{Kind::kList, "[]*dependency.Node", &kNode};

inline constexpr StructField kNodeServiceFields[] = {{"ID", &kString},
                                                     {"Service", &kString},
                                                     {"Tags", &kTags},
                                                     {"Meta", &kStringMap},
                                                     {"Port", &kInt},
                                                     {"Address", &kString},
                                                     {"EnableTagOverride", &kBool}};
inline constexpr Type kNodeService{
    Kind::kStruct, "*dependency.CatalogNodeService", nullptr, nullptr, kNodeServiceFields, 7};
inline constexpr Type kNodeServices{Kind::kList, "[]*dependency.CatalogNodeService", &kNodeService};
inline constexpr StructField kNodeWithServicesFields[] = {{"Node", &kNode},
                                                          {"Services", &kNodeServices}};
inline constexpr Type kNodeWithServices{Kind::kStruct, "*dependency.CatalogNode", nullptr,
                                        nullptr,       kNodeWithServicesFields,   2};

inline constexpr StructField kInstanceFields[] = {
    {"ID", &kString},      {"Name", &kString},  {"Node", &kString},
    {"Address", &kString}, {"Port", &kInt},     {"Datacenter", &kString},
    {"Tags", &kTags},      {"JobID", &kString}, {"AllocID", &kString}};
inline constexpr Type kInstance{
    Kind::kStruct, "*dependency.NomadService", nullptr, nullptr, kInstanceFields, 9};
inline constexpr Type kInstances{Kind::kList, "[]*dependency.NomadService", &kInstance};

// A variable of Nomad. Its time is printed as a time, but is a number of nanoseconds in JSON.
inline constexpr Type kVariableTime{Kind::kInt, "dependency.nanoTime"};
inline constexpr StructField kVariableMetaFields[] = {
    {"Namespace", &kString},        {"Path", &kString},
    {"CreateIndex", &kUint64},      {"ModifyIndex", &kUint64},
    {"CreateTime", &kVariableTime}, {"ModifyTime", &kVariableTime}};
inline constexpr Type kVariableMeta{Kind::kStruct, "*dependency.NomadVarMeta", nullptr,
                                    nullptr,       kVariableMetaFields,        6};
inline constexpr Type kVariableMetas{Kind::kList, "[]*dependency.NomadVarMeta", &kVariableMeta};
// An item has its key, its value, and the variable to which it belongs.
inline constexpr StructField kVariableItemFields[] = {{"Key", &kString}, {"Value", &kString}};
inline constexpr Type kVariableItem{Kind::kStruct, "dependency.NomadVarItem", nullptr,
                                    nullptr,       kVariableItemFields,       2};
inline constexpr Type kVariableItems{Kind::kMap, "dependency.NomadVarItems", &kVariableItem,
                                     &kString};
inline constexpr StructField kTupleFields[] = {{"K", &kString}, {"V", &kString}};
inline constexpr Type kTuple{
    Kind::kStruct, "struct { K string; V string }", nullptr, nullptr, kTupleFields, 2};
inline constexpr Type kTuples{Kind::kList, "[]struct { K string; V string }", &kTuple};

// Returns ANSWER as a value of TYPE. An error says what is not of the type.
Result<Value> ValueOfAnswer(const nlohmann::json& answer, const Type* type, Heap* heap);
// Returns JSON as the values that parseJSON gives: numbers are float64, or, if INTEGERS is true,
// int64 where they are whole.
Value ValueOfJson(const nlohmann::json& json, bool integers, Heap* heap);
// Returns a value of TYPE, a struct that is no pointer, whose fields are all zero.
Value ZeroStruct(const Type* type, Heap* heap);

// Returns the text of a value whose type has a method String; null for other types. BUFFER may hold
// the text.
const std::string* OwnText(const Value& value, std::string* buffer);

}  // namespace drover::templates
