client {
  enabled = true
  meta = { "a" = }
}
# error
