# The leader decides when the allocation ends.
job "leader" {
  type = "batch"

  group "leader" {
    task "follower" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sleep"
        args    = ["1000"]
      }

      kill_timeout = "1s"
    }

    task "main" {
      driver = "docker"
      leader = true

      config {
        image   = "drover-test:1"
        command = "echo"
        args    = ["the leader is done"]
      }
    }
  }
}
