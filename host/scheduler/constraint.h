// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/scheduler/records.h"

namespace drover {

// Whether NODE meets CONSTRAINT. ${...} names a value of the node: node.unique.id,
// node.unique.name, node.datacenter, node.class, node.pool, attr.NAME or meta.NAME. Any other text
// stands for itself. A value that the node lacks meets only is_not_set, and != against a value that
// is there. distinct_property only needs a node that has the property, and distinct_hosts nothing:
// UnmetConstraint counts the allocations.
bool Meets(const NodeRecord& node, const Constraint& constraint);

// Returns the first constraint of JOB, of its GROUP or of the group's tasks that NODE does not
// meet, or that one more allocation of GROUP beside HERE would break. The text is for people:
// "${meta.rack} = 7". Empty: all are met.
std::string UnmetConstraint(const Job& job, const TaskGroup& group, const NodeRecord& node,
                            const GroupCounts& here);

// Checks the patterns and versions in all constraints of JOB. One error lists all mistakes, each
// with its JSON pointer. PLACE is the pointer of the job in its file.
Status CheckConstraints(const Job& job, const std::string& place);

}  // namespace drover
