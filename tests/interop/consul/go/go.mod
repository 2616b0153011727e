module drover/tests/interop/consul

go 1.20

require (
	github.com/hashicorp/consul v1.15.4
	github.com/hashicorp/consul/api v1.24.0
)
