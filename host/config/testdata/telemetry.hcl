telemetry {
  collection_interval        = "1s"
  disable_hostname           = true  # warning /telemetry/disable_hostname
  prometheus_metrics         = true
  publish_allocation_metrics = true
  publish_node_metrics       = true
}
