module drover.dev/examples/hello_go

go 1.19
