# Two groups, whose containers do not share anything.
job "groups" {
  type = "batch"

  group "one" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "echo"
        args    = ["one"]
      }
    }
  }

  group "two" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "echo"
        args    = ["two"]
      }
    }
  }
}
