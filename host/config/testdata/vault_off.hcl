vault {
  enabled = false
  address = "http://vault:8200"
}
acl {
  enabled = false
}
ui {
  enabled = false
}
