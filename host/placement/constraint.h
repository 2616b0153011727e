// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "host/state/records.h"

namespace drover {

// Returns whether NODE meets CONSTRAINT. The text ${...} stands for a value of the node:
// node.unique.id, node.unique.name, node.datacenter, node.class, node.pool, attr.NAME or
// meta.NAME. Any other text is taken literally. If the node lacks a value, only two operands can
// be met: is_not_set, and != if the value on the other side exists. The operand distinct_property
// only requires that the node has the property, and distinct_hosts is always met. UnmetConstraint
// counts the allocations for both.
bool Meets(const NodeRecord& node, const Constraint& constraint);

// Returns whether the texts LEFT and RIGHT meet OPERAND, by the rules above. An absent text is a
// value that is not there.
bool MeetsText(const std::optional<std::string>& left, const std::string& operand,
               const std::optional<std::string>& right);
// Returns what is wrong with RIGHT as the right side of OPERAND; empty if nothing is wrong.
std::string RightMistake(const std::string& operand, const std::string& right);

// Returns whether the value of PROPERTY, a text with ${...}, is the same on the nodes A and B. A
// value that is not there is the same as none.
bool HaveSame(const NodeRecord& a, const NodeRecord& b, const std::string& property);

// Returns the counts of all nodes on which PROPERTY has the same value as on the one in question,
// with those of that node.
using CountsOfProperty = std::function<GroupCounts(const std::string& property)>;

// Returns the text of the first constraint that is not met, such as "${meta.rack} = 7"; empty if
// all are met. It checks the constraints of JOB, of its GROUP, and of the group's tasks, and that
// NODE has the group's network. A
// constraint is not met if NODE does not meet it. A distinct_* constraint is also not met if it
// forbids one more allocation of GROUP besides those in HERE, which are on NODE. With several
// nodes, distinct_property looks at those of ALIKE instead. The text is for people.
std::string UnmetConstraint(const Job& job, const TaskGroup& group, const NodeRecord& node,
                            const GroupCounts& here, const CountsOfProperty& alike = nullptr);

// Checks the patterns and versions in all constraints of JOB, also in those of its devices. One
// error lists all mistakes, each with its JSON pointer. PLACE is the JSON pointer of the job in its
// file.
Status CheckConstraints(const Job& job, const std::string& place);

}  // namespace drover
