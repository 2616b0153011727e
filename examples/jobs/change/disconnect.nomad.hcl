# A task that stays unknown for up to ten minutes when its node loses contact. Another one takes its
# place in the meantime, and stops when the node is back.
job "disconnect" {
  type = "service"

  update {
    max_parallel = 0
  }

  group "group" {
    disconnect {
      lost_after = "10m"
      replace    = true
      reconcile  = "keep_original"
    }

    task "wait" {
      driver = "raw_exec"

      config {
        command = "/bin/sleep"
        args    = ["1000000"]
      }
    }
  }
}
