module drover/tests/interop/artifact

go 1.26.0

require github.com/hashicorp/go-getter v1.8.10
