server {
  enabled              = true  # warning /server/enabled
  num_schedulers       = 2  # warning /server/num_schedulers
  eval_gc_threshold    = "1h"  # warning /server/eval_gc_threshold
  job_default_priority = 50
  default_scheduler_config {
    scheduler_algorithm             = "spread"  # warning /server/default_scheduler_config/scheduler_algorithm
    memory_oversubscription_enabled = true
    reject_job_registration         = true  # error /server/default_scheduler_config/reject_job_registration
    preemption_config {
      batch_scheduler_enabled  = true
      system_scheduler_enabled = true
    }
  }
}
autopilot {  # warning /autopilot
  cleanup_dead_servers = true
}
