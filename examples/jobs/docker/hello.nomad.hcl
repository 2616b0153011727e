# The smallest job: a container that writes a line and ends.
job "hello" {
  type = "batch"

  group "hello" {
    task "hello" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "echo"
        args    = ["hello from a container"]
      }
    }
  }
}
