// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/scheduler/records.h"

namespace drover {

// Whether a node has the value that a constraint wants. Of distinct_hosts and distinct_property,
// which ask for more than the node, this says whether it has the property. What is named by ${...}
// is the node's: node.unique.id, node.unique.name, node.datacenter, node.class, node.pool,
// attr.NAME and meta.NAME; everything else stands for itself. A value that the node does not have
// is equal to none.
bool Meets(const NodeRecord& node, const Constraint& constraint);

// The first constraint of GROUP, one of JOB's groups, of its tasks or of JOB that the node does not
// meet, or that one more allocation of GROUP beside HERE would break, as people read it:
// "${meta.rack} = 7". Empty: it meets all.
std::string UnmetConstraint(const Job& job, const TaskGroup& group, const NodeRecord& node,
                            const GroupCounts& here);

// The mistakes of all constraints of JOB that only show when they are carried out, in one error,
// each with its JSON pointer. PLACE is that of the job in its file.
Status CheckConstraints(const Job& job, const std::string& place);

}  // namespace drover
