module drover/tests/interop/template

go 1.24.4

require (
	github.com/hashicorp/consul-template v0.41.1
	github.com/hashicorp/nomad/api v0.0.0-20230103221135-ce00d683f9be
)
