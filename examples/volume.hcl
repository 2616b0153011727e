# A volume that the agent makes: drover volume create examples/volume.hcl
# examples/jobs/host-volume.nomad.hcl is a job that uses it, and docs/volumes.md has the details.
type      = "host"
name      = "example"
plugin_id = "mkdir"

parameters {
  mode = "0777"
}

capability {
  access_mode     = "single-node-single-writer"
  attachment_mode = "file-system"
}
