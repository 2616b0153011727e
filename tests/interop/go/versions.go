// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"strings"

	"github.com/hashicorp/nomad/api"
)

// Values that clients set for a job's versions, evaluations and the node, and read again.
func versions(client *api.Client) {
	spec := job()
	spec.ID, spec.Name = pointer("versions"), pointer("versions")
	spec.TaskGroups[0].Count = pointer(0)
	text := &api.JobSubmission{Source: "job \"versions\" {}", Format: "hcl2",
		VariableFlags: map[string]string{"a": "b"}, Variables: "c = 1"}
	_, _, err := client.Jobs().RegisterOpts(spec, &api.RegisterOptions{Submission: text}, nil)
	check(err, "register with its text")
	kept, _, err := client.Jobs().Submission("versions", 0, nil)
	check(err, "submission")
	equal(kept, text, "submission")
	spec.Meta = map[string]string{"a": "b"}
	_, _, err = client.Jobs().Register(spec, nil)
	check(err, "register without its text")
	_, _, err = client.Jobs().Submission("versions", 1, nil)
	equal(code(err), 404, "submission that was not sent")

	_, err = client.Jobs().TagVersion("versions", 0, "golden", "it ran", nil)
	check(err, "tag")
	tagged, _, err := client.Jobs().VersionByTag("versions", "golden", nil)
	check(err, "version by its tag")
	equal([]any{*tagged.Version, tagged.VersionTag.Description, tagged.VersionTag.TaggedTime > 0},
		[]any{uint64(0), "it ran", true}, "tagged version")
	_, err = client.Jobs().TagVersionOpts("versions", "now", &api.TagVersionRequest{Latest: true}, nil)
	check(err, "tag of the newest")
	newest, _, err := client.Jobs().Info("versions", nil)
	check(err, "job")
	equal(newest.VersionTag.Name, "now", "tag of the newest")
	_, err = client.Jobs().UntagVersion("versions", "golden", nil)
	check(err, "untag")
	_, _, err = client.Jobs().VersionByTag("versions", "golden", nil)
	equal(err != nil && strings.Contains(err.Error(), "tag golden not found"), true, "untagged version")
	stable, _, err := client.Jobs().Stable("versions", 0, true, nil)
	check(err, "stable")
	all, diffs, _, err := client.Jobs().Versions("versions", true, nil)
	check(err, "versions")
	equal([]any{len(all), *all[0].Stable, *all[1].Stable, stable.LastIndex > 0},
		[]any{2, false, true, false}, "stable")
	meta := &api.FieldDiff{Type: "Added", Name: "Meta[a]", New: "b"}
	equal(diffs, []*api.JobDiff{{Type: "Edited", ID: "versions", Fields: []*api.FieldDiff{meta}}},
		"differences of the versions")
	_, diffs, _, err = client.Jobs().VersionsOpts("versions",
		&api.VersionsOptions{Diffs: true, DiffVersion: pointer(uint64(1))}, nil)
	check(err, "versions compared with one")
	equal([]string{diffs[0].Type, diffs[1].Fields[0].Type}, []string{"None", "Deleted"},
		"differences from one version")
	deleteEvaluations(client)
}

func deleteEvaluations(client *api.Client) {
	evals, _, err := client.Jobs().Evaluations("versions", nil)
	check(err, "evaluations")
	equal(len(evals), 2, "evaluations")
	_, err = client.Evaluations().Delete([]string{evals[1].ID}, nil) // the newest is first
	check(err, "delete an evaluation")
	reply, _, err := client.Evaluations().DeleteOpts(
		&api.EvalDeleteRequest{Filter: `JobID == "versions"`}, nil)
	check(err, "delete evaluations by a filter")
	equal(reply.Count, 0, "the newest is needed")
	_, _, err = client.Jobs().Deregister("versions", true, nil)
	check(err, "purge")
}

func metadata(client *api.Client) {
	applied, err := client.Nodes().Meta().Apply(
		&api.NodeMetaApplyRequest{Meta: map[string]*string{"rack": pointer("7"), "zone": nil}}, nil)
	check(err, "metadata")
	equal(applied, &api.NodeMetaResponse{Meta: map[string]string{"rack": "7"}, Static: map[string]string{},
		Dynamic: map[string]*string{"rack": pointer("7")}}, "metadata")
	again, err := client.Nodes().Meta().Read("", nil)
	check(err, "metadata again")
	equal(again, applied, "metadata again")
}
