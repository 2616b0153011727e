// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"strings"
	"time"

	"github.com/hashicorp/nomad/api"
)

const reader = `{"namespace": {"default": {"policy": "read"}}}`

// Makes a client of the agent at ADDRESS with a token.
func clientWith(address, secret string) *api.Client {
	client, err := api.NewClient(&api.Config{Address: address, SecretID: secret})
	check(err, "client")
	return client
}

// Drives an agent whose policies count and that has no token yet.
func access(address string) {
	anonymous := clientWith(address, "")
	_, _, err := anonymous.Jobs().List(nil)
	equal(code(err), 403, "a list without a token")
	first, meta, err := anonymous.ACLTokens().BootstrapOpts("2b778dd9-f5f1-6f29-b4b4-9a5fa948757a", nil)
	check(err, "bootstrap")
	equal([]any{first.SecretID, first.Type, first.Global, meta.LastIndex > 0},
		[]any{"2b778dd9-f5f1-6f29-b4b4-9a5fa948757a", "management", true, true}, "the first token")
	_, _, err = anonymous.ACLTokens().Bootstrap(nil)
	equal(err != nil && strings.Contains(err.Error(), "ACL bootstrap already done"), true, "a second one")
	client := clientWith(address, first.SecretID)
	accessPolicies(client)
	role := accessRoles(client)
	accessTokens(address, client, role)
}

func accessPolicies(client *api.Client) {
	_, err := client.ACLPolicies().Upsert(&api.ACLPolicy{Name: "reader", Description: "reads", Rules: reader}, nil)
	check(err, "policy")
	_, err = client.ACLPolicies().Upsert(&api.ACLPolicy{Name: "of-web", Rules: reader,
		JobACL: &api.JobACL{Namespace: "default", JobID: "web"}}, nil)
	check(err, "policy of a job")
	policy, _, err := client.ACLPolicies().Info("reader", nil)
	check(err, "policy")
	equal([]any{policy.Rules, policy.Description, policy.JobACL == nil, policy.CreateIndex > 0},
		[]any{reader, "reads", true, true}, "policy")
	listed, meta, err := client.ACLPolicies().List(nil)
	check(err, "policies")
	equal([]any{len(listed), listed[0].JobACL.JobID, listed[1].Name, meta.LastIndex > 0},
		[]any{2, "web", "reader", true}, "policies")
	_, err = client.ACLPolicies().Upsert(&api.ACLPolicy{Name: "bad", Rules: `{"namespace": 7}`}, nil)
	equal(code(err), 400, "a policy that cannot be read")
	_, err = client.ACLPolicies().Delete("of-web", nil)
	check(err, "delete")
	_, _, err = client.ACLPolicies().Info("of-web", nil)
	equal(code(err), 404, "a policy that is gone")
}

func accessRoles(client *api.Client) *api.ACLRole {
	role, _, err := client.ACLRoles().Create(&api.ACLRole{Name: "readers",
		Policies: []*api.ACLRolePolicyLink{{Name: "reader"}}}, nil)
	check(err, "role")
	role.Description = "read"
	role, _, err = client.ACLRoles().Update(role, nil)
	check(err, "change of a role")
	named, _, err := client.ACLRoles().GetByName("readers", nil)
	check(err, "role by its name")
	same, _, err := client.ACLRoles().Get(role.ID, nil)
	check(err, "role by its id")
	equal(toJSON(named), toJSON(same), "role")
	equal([]any{named.Description, named.Policies[0].Name}, []any{"read", "reader"}, "role")
	listed, _, err := client.ACLRoles().List(nil)
	check(err, "roles")
	equal([]any{len(listed), listed[0].ID}, []any{1, role.ID}, "roles")
	return role
}

func accessTokens(address string, client *api.Client, role *api.ACLRole) {
	made, _, err := client.ACLTokens().Create(&api.ACLToken{Name: "ci", Type: "client", ExpirationTTL: time.Hour,
		Roles: []*api.ACLTokenRoleLink{{ID: role.ID}}}, nil)
	check(err, "token")
	equal([]any{made.ExpirationTTL, made.ExpirationTime.Sub(made.CreateTime), made.Roles[0].Name},
		[]any{time.Hour, time.Hour, "readers"}, "token")
	own := clientWith(address, made.SecretID)
	self, _, err := own.ACLTokens().Self(nil)
	check(err, "its own token")
	equal([]any{self.AccessorID, self.SecretID}, []any{made.AccessorID, made.SecretID}, "its own token")
	policies, _, err := own.ACLPolicies().Self(nil)
	check(err, "its own policies")
	equal([]any{len(policies), policies[0].Name}, []any{1, "reader"}, "its own policies")
	_, _, err = own.Jobs().List(nil)
	check(err, "a list with the token")
	_, _, err = own.Nodes().List(nil)
	equal(code(err), 403, "what its policy does not grant")
	_, _, err = own.ACLTokens().List(nil)
	equal(code(err), 403, "the tokens of all")
	made.Name, made.SecretID = "cd", ""
	changed, _, err := client.ACLTokens().Update(made, nil)
	check(err, "change of a token")
	equal([]any{changed.Name, changed.ExpirationTime.Equal(*made.ExpirationTime)}, []any{"cd", true}, "token")
	info, _, err := client.ACLTokens().Info(made.AccessorID, nil)
	check(err, "token")
	equal([]any{info.Name, info.SecretID}, []any{"cd", ""}, "token")
	listed, _, err := client.ACLTokens().List(nil)
	check(err, "tokens")
	equal(len(listed), 2, "tokens")
	_, err = client.ACLTokens().Delete(made.AccessorID, nil)
	check(err, "delete")
	_, _, err = own.Jobs().List(nil)
	equal(code(err), 403, "a token that is gone")
	_, err = client.ACLRoles().Delete(role.ID, nil)
	check(err, "delete")
}
