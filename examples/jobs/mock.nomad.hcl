# Three allocations of a task that only pretends to run.
job "mock" {
  type = "batch"

  group "group" {
    count = 3

    task "sleeper" {
      driver = "mock_driver"

      config {
        run_for       = "2s"
        stdout_string = "hello from the mock driver\n"
      }
    }
  }
}
