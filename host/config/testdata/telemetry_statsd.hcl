telemetry {
  statsd_address  = "127.0.0.1:8125"  # warning /telemetry/statsd_address
  datadog_address = "localhost:8125"  # warning /telemetry/datadog_address
  datadog_tags    = ["env:prod"]  # warning /telemetry/datadog_tags
  prefix_filter   = ["-nomad.raft"]  # warning /telemetry/prefix_filter
  filter_default  = true
}
