# Workers whose number an autoscaler may choose: drover scaling policy list shows what it reads.
job "scaling" {
  type = "service"

  group "workers" {
    # The group begins with the minimum, as it has no count. drover job scale scaling 3 changes it, and
    # no count beyond the bounds is accepted. drover job run -preserve-counts keeps it.
    scaling {
      min = 1
      max = 4

      # Only the autoscaler understands this part.
      policy {
        cooldown = "2m"

        check "queue" {
          source = "prometheus"
          query  = "queue_length"

          strategy "target-value" {
            target = 20
          }
        }
      }
    }

    task "worker" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo worker $NOMAD_ALLOC_INDEX; exec sleep 100000"]
      }

      # What the resources of the task may become. This policy is disabled: an autoscaler leaves it alone.
      scaling "cpu" {
        enabled = false
        min     = 50
        max     = 500
      }
    }
  }
}
