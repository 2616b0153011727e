/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The test driver with several processes of a run, and with places (USES_RUN_SERVICES). A task has
 * no process of its own. It asks the host for what a signal says: "do [stranger] [hurried]
 * REQUEST". The call of the signal ends with the request. The attribute "said" of inspect is then
 * its result, and the attribute "open" the number of requests that have not ended. A stranger asks
 * for a run that is not one of this driver. Who is in a hurry cancels the request at once. The
 * requests are
 *
 *   start NAME SCRIPT                starts a shell as the process NAME
 *   program NAME PATH                starts a program
 *   limited NAME FILES SCRIPT        starts a shell that may open so many files
 *   piped NAME TEXT SCRIPT           starts one with TEXT as its input, and a pipe as descriptor 3
 *   terminal NAME SCRIPT             starts one with a terminal of 100 columns and 30 rows
 *   odd WHAT                         asks for a start that the host must refuse
 *   attach, wait, kill, release NAME
 *   signal NAME NUMBER
 *   stop NAME NUMBER MILLISECONDS
 *   list
 *   exec NAME SESSION SCRIPT
 *   resize, end SESSION
 *   place, unplace                   makes and removes the place of the run
 *
 * The rest is no request: "cancel" cancels all open ones, "read" reads the pipe to its end, and
 * "hangup" closes the terminal.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "test_driver.h"

#ifdef USES_RUN_SERVICES
#include "drover/drover_process2.h"
#include "drover/drover_task_place.h"

/* One more than the host permits. */
#define MANY 17

typedef struct request {
  task* t;
  uint64_t call;
  struct request* next;
} request;
static request* open_requests; /* of all instances, under OPEN_MUTEX */
static pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;

/* What a request needs. */
typedef struct asking {
  const drover_host* host;
  const drover_process2* named;
  const drover_task_place* places;
  drover_run_id run;
  request* r;
  drover_error* error;
} asking;

static drover_str text_of(const char* from) {
  drover_str out = {from, strlen(from)};
  return out;
}

/* Cuts the first word off TEXT. */
static char* word(char** text) {
  char* begin = *text;
  char* end = strchr(begin, ' ');
  *text = end ? end + 1 : begin + strlen(begin);
  if (end) *end = 0;
  return begin;
}

static int is(const char* one, const char* other) { return strcmp(one, other) == 0; }

/* ------------------------------------------------------------------------- the end of requests */

static request* open_request(task* t, uint64_t call) {
  request* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->t = t;
  r->call = call;
  pthread_mutex_lock(&open_mutex);
  r->next = open_requests;
  open_requests = r;
  pthread_mutex_unlock(&open_mutex);
  return r;
}

static void close_request(request* r) {
  pthread_mutex_lock(&open_mutex);
  for (request** at = &open_requests; *at; at = &(*at)->next) {
    if (*at != r) continue;
    *at = r->next;
    break;
  }
  pthread_mutex_unlock(&open_mutex);
  free(r);
}

/* Adds to what the task says. */
static void say(task* t, const char* format, ...) {
  size_t used;
  va_list words;
  pthread_mutex_lock(&open_mutex);
  used = strlen(t->said);
  va_start(words, format);
  vsnprintf(t->said + used, sizeof t->said - used, format, words);
  va_end(words);
  pthread_mutex_unlock(&open_mutex);
}

static void say_text(task* t, const char* before, drover_str text) {
  say(t, "%s%.*s", before, (int)text.size, text.size > 0 ? text.data : "");
}

static void say_nothing(task* t) {
  pthread_mutex_lock(&open_mutex);
  t->said[0] = 0;
  pthread_mutex_unlock(&open_mutex);
}

static void finish(request* r, const drover_error* error) {
  const drover_host* host = r->t->owner->host;
  const uint64_t call = r->call;
  const drover_empty_result result = {sizeof result, 0};
  close_request(r);
  host->complete(host, call, error, error ? NULL : &result);
}

static void say_exit(task* t, const char* what, const drover_exit_result* end) {
  say(t, "%s %d %d", what, end->exit_code, end->signal);
}

static void say_running(task* t, const drover_process2_info* info) {
  say(t, "running %d", info->pid);
  say_text(t, " ", info->cgroup);
  if (info->pidfd.ownership == DROVER_FD_GIVEN) {
    if (syscall(SYS_pidfd_send_signal, info->pidfd.fd, 0, NULL, 0) == 0) say(t, " pidfd");
    close(info->pidfd.fd);
  }
  if (info->terminal.ownership == DROVER_FD_GIVEN) t->terminal = info->terminal.fd;
}

static void started(void* context, const drover_error* error, const void* result) {
  request* r = context;
  if (!error) say_running(r->t, result);
  finish(r, error);
}

static void attached(void* context, const drover_error* error, const void* result) {
  request* r = context;
  const drover_process2_state* state = result;
  if (!error && state->state == DROVER_TASK_RUNNING) say_running(r->t, state->info);
  if (!error && state->state == DROVER_TASK_EXITED) say_exit(r->t, "exited", state->exit_result);
  finish(r, error);
}

static void ended(void* context, const drover_error* error, const void* result) {
  request* r = context;
  if (!error) say_exit(r->t, "ended", result);
  finish(r, error);
}

static void listed(void* context, const drover_error* error, const void* result) {
  request* r = context;
  const drover_process2_list* list = result;
  if (!error) say(r->t, "names");
  for (size_t i = 0; !error && i < list->names.count; ++i) {
    say_text(r->t, " ",
             *(const drover_str*)((const char*)list->names.data + i * list->names.element_size));
  }
  finish(r, error);
}

static void placed(void* context, const drover_error* error, const void* result) {
  request* r = context;
  const drover_place* place = result;
  if (!error) say_text(r->t, "place ", place->cgroup);
  for (size_t i = 0; !error && i < place->directories.count; ++i) {
    const drover_pair* pair = (const drover_pair*)((const char*)place->directories.data +
                                                   i * place->directories.element_size);
    say_text(r->t, " ", pair->value);
  }
  if (!error && place->network.ownership == DROVER_FD_GIVEN) {
    if (fcntl(place->network.fd, F_GETFD) >= 0) say_text(r->t, " net:", place->network_namespace);
    close(place->network.fd);
  }
  finish(r, error);
}

static void done(void* context, const drover_error* error, const void* result) {
  request* r = context;
  (void)result;
  if (!error) say(r->t, "done");
  finish(r, error);
}

/* -------------------------------------------------------------------------------- the requests */

/* The arguments of a start, and all that they point to. */
typedef struct start_request {
  drover_process2_start_args args;
  drover_process_start_args process;
  drover_str argv[3];
  drover_pair path;
  drover_process2_limit limits[MANY];
  drover_process2_descriptor descriptors[MANY];
} start_request;

static void set_limits(start_request* start, size_t count, uint64_t files) {
  for (size_t i = 0; i < count; ++i) {
    const drover_process2_limit one = {sizeof one, RLIMIT_NOFILE, files, files};
    start->limits[i] = one;
  }
  start->args.limits.data = start->limits;
  start->args.limits.count = count;
  start->args.limits.element_size = sizeof start->limits[0];
}

static void set_descriptors(start_request* start, size_t count, int32_t fd, int32_t ownership) {
  for (size_t i = 0; i < count; ++i) {
    const drover_process2_descriptor one = {sizeof one, 0, {fd, ownership}};
    start->descriptors[i] = one;
  }
  start->args.descriptors.data = start->descriptors;
  start->args.descriptors.count = count;
  start->args.descriptors.element_size = sizeof start->descriptors[0];
}

static int set_pipes(start_request* start, task* t, const char* input) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return -1;
  if (dprintf(in[1], "%s\n", input) < 0) return -1;
  close(in[1]);
  start->args.input.fd = in[0];
  start->args.input.ownership = DROVER_FD_GIVEN;
  set_descriptors(start, 1, out[1], DROVER_FD_GIVEN);
  t->pipe = out[0];
  return 0;
}

/* A start that breaks one rule. */
static int set_odd(start_request* start, const char* what) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const drover_fd borrowed = {null, DROVER_FD_BORROWED};
  if (is(what, "flags")) start->args.flags = 1u << 7;
  if (is(what, "nothing")) start->args.process = NULL;
  if (is(what, "root")) start->args.root = text_of("/");
  if (is(what, "empty-descriptor")) set_descriptors(start, 1, -1, DROVER_FD_NONE);
  if (is(what, "strange-descriptor")) set_descriptors(start, 1, null, 7);
  if (is(what, "strange-input")) {
    start->args.input = borrowed;
    start->args.input.ownership = 7;
  }
  if (is(what, "many-descriptors")) set_descriptors(start, MANY, null, DROVER_FD_BORROWED);
  if (is(what, "many-limits")) set_limits(start, MANY, 100);
  if (is(what, "two-inputs")) {
    start->args.flags = DROVER_PROCESS2_TERMINAL;
    start->args.input = borrowed;
  }
  return null;
}

static int32_t ask_start(asking* a, const char* how, char* rest) {
  static const drover_pair path = {TEXT("PATH"), TEXT("/usr/local/bin:/usr/bin:/bin")};
  start_request start;
  int borrowed = -1;
  int32_t code;
  memset(&start, 0, sizeof start);
  start.args.struct_size = sizeof start.args;
  start.process.struct_size = sizeof start.process;
  start.args.process = &start.process;
  start.args.name = text_of(is(how, "odd") ? "odd" : word(&rest));
  start.path = path;
  start.process.env.data = &start.path;
  start.process.env.count = 1;
  start.process.env.element_size = sizeof start.path;
  if (is(how, "limited")) set_limits(&start, 1, strtoul(word(&rest), NULL, 10));
  if (is(how, "piped") && set_pipes(&start, a->r->t, word(&rest)) != 0)
    return fail(a->error, DROVER_E_INTERNAL, "no pipes");
  if (is(how, "terminal")) {
    start.args.flags = DROVER_PROCESS2_TERMINAL;
    start.args.width = 100;
    start.args.height = 30;
  }
  if (is(how, "odd")) borrowed = set_odd(&start, word(&rest));
  start.argv[0] = text_of(is(how, "program") ? rest : "/bin/sh");
  start.argv[1] = text_of("-c");
  start.argv[2] = text_of(rest);
  start.process.argv.data = start.argv;
  start.process.argv.count = is(how, "program") ? 1 : 3;
  start.process.argv.element_size = sizeof start.argv[0];
  code = a->named->start(a->host, &a->run, &start.args, started, a->r, a->error);
  if (borrowed >= 0) close(borrowed);
  return code;
}

static int32_t ask_exec(asking* a, char* rest) {
  const drover_fd null = {open("/dev/null", O_RDWR | O_CLOEXEC), DROVER_FD_BORROWED};
  drover_str argv[3];
  drover_exec_args command;
  drover_process2_exec_args args;
  int32_t code;
  memset(&command, 0, sizeof command);
  memset(&args, 0, sizeof args);
  command.struct_size = sizeof command;
  args.struct_size = sizeof args;
  args.name = text_of(word(&rest));
  args.session = strtoul(word(&rest), NULL, 10);
  args.command = &command;
  argv[0] = text_of("/bin/sh");
  argv[1] = text_of("-c");
  argv[2] = text_of(rest);
  command.command.data = argv;
  command.command.count = 3;
  command.command.element_size = sizeof argv[0];
  command.input = command.output = command.error = null;
  code = a->named->exec(a->host, &a->run, &args, ended, a->r, a->error);
  close(null.fd);
  return code;
}

static int32_t ask_by_name(asking* a, const char* what, char* rest) {
  const drover_process2_name_args args = {sizeof args, 0, text_of(word(&rest))};
  if (is(what, "attach"))
    return a->named->attach(a->host, &a->run, &args, attached, a->r, a->error);
  if (is(what, "wait")) return a->named->wait(a->host, &a->run, &args, ended, a->r, a->error);
  if (is(what, "kill")) return a->named->kill(a->host, &a->run, &args, done, a->r, a->error);
  if (is(what, "release")) return a->named->release(a->host, &a->run, &args, done, a->r, a->error);
  return fail(a->error, DROVER_E_INVALID_ARGUMENT, "there is no such request");
}

static int32_t ask_named(asking* a, const char* what, char* rest) {
  static const char* const kStarts[] = {"start", "program", "limited", "piped", "terminal", "odd"};
  for (size_t i = 0; i < sizeof kStarts / sizeof kStarts[0]; ++i) {
    if (is(what, kStarts[i])) return ask_start(a, what, rest);
  }
  if (is(what, "exec")) return ask_exec(a, rest);
  if (is(what, "list")) {
    const drover_process_none_args none = {sizeof none, 0};
    return a->named->list(a->host, &a->run, &none, listed, a->r, a->error);
  }
  if (is(what, "signal")) {
    drover_process2_signal_args args = {sizeof args, 0, text_of(word(&rest))};
    args.number = atoi(rest);
    return a->named->signal(a->host, &a->run, &args, done, a->r, a->error);
  }
  if (is(what, "stop")) {
    drover_process2_stop_args args = {sizeof args, 0, 0, text_of(word(&rest))};
    args.number = atoi(word(&rest));
    args.timeout = atol(rest) * 1000000l;
    return a->named->stop(a->host, &a->run, &args, done, a->r, a->error);
  }
  if (is(what, "resize") || is(what, "end")) {
    const drover_process2_session_args args = {sizeof args, 0, strtoul(rest, NULL, 10), 80, 24};
    return is(what, "end") ? a->named->end_session(a->host, &a->run, &args, done, a->r, a->error)
                           : a->named->resize(a->host, &a->run, &args, done, a->r, a->error);
  }
  return ask_by_name(a, what, rest);
}

static int32_t ask(asking* a, const char* what, char* rest) {
  const int place = is(what, "place"), unplace = is(what, "unplace");
  if ((place || unplace) ? !a->places : !a->named)
    return fail(a->error, DROVER_E_UNIMPLEMENTED, "the host has no such service");
  if (place) return a->places->make(a->host, &a->run, placed, a->r, a->error);
  if (unplace) return a->places->remove(a->host, &a->run, done, a->r, a->error);
  return ask_named(a, what, rest);
}

/* ------------------------------------------------------------------------ what is no request */

/* Cancels the open request ONE, or all of the task. */
static void cancel_requests(const asking* a, task* t, const request* one) {
  pthread_mutex_lock(&open_mutex); /* so that none of them ends meanwhile */
  for (request* r = open_requests; r; r = r->next) {
    if (r->t == t && (!one || r == one)) a->named->cancel(a->host, r);
  }
  pthread_mutex_unlock(&open_mutex);
}

static int32_t read_pipe(task* t, drover_error* error) {
  char text[256];
  for (;;) {
    struct pollfd readable = {t->pipe, POLLIN, 0};
    if (poll(&readable, 1, 5000) <= 0)
      return fail(error, DROVER_E_TIMEOUT, "somebody still has the other end of the pipe");
    const ssize_t size = read(t->pipe, text, sizeof text);
    if (size <= 0) break;
    say(t, "%.*s", (int)size, text);
  }
  close(t->pipe);
  t->pipe = 0;
  return DROVER_OK;
}

int32_t run_request(task* t, const drover_call* call, drover_str text, drover_error* error) {
  static const drover_str named_id = TEXT(DROVER_PROCESS2_ID),
                          place_id = TEXT(DROVER_TASK_PLACE_ID);
  const drover_host* host = t->owner->host;
  asking a = {
      host, host->get_extension(host, named_id), host->get_extension(host, place_id), t->run, NULL,
      error};
  char line[2048];
  char *rest = line, *what;
  int hurried = 0, code = DROVER_OK;
  snprintf(line, sizeof line, "%.*s", (int)text.size, text.data);
  word(&rest); /* "do" */
  what = word(&rest);
  if (is(what, "stranger")) {
    memset(&a.run, 0x77, sizeof a.run);
    what = word(&rest);
  }
  if (is(what, "hurried")) {
    hurried = 1;
    what = word(&rest);
  }
  if (is(what, "cancel") || is(what, "read") || is(what, "hangup")) {
    say_nothing(t);
    if (is(what, "cancel")) cancel_requests(&a, t, NULL);
    if (is(what, "read")) code = read_pipe(t, error);
    if (is(what, "hangup")) drop_descriptors(t);
    if (code == DROVER_OK) complete_empty(host, call->id);
    return code;
  }
  a.r = open_request(t, call->id);
  if (!a.r) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "no memory");
  say_nothing(t);
  code = ask(&a, what, rest);
  if (code != DROVER_OK) close_request(a.r);
  if (code == DROVER_OK && hurried) cancel_requests(&a, t, a.r);
  return code;
}

void drop_descriptors(task* t) {
  if (t->pipe > 0) close(t->pipe);
  if (t->terminal > 0) close(t->terminal);
  t->pipe = t->terminal = 0;
}

void add_said(task* t, said_attributes* to, drover_task_status* status) {
  static const drover_str said_key = TEXT("said"), open_key = TEXT("open");
  int count = 0;
  pthread_mutex_lock(&open_mutex);
  for (const request* r = open_requests; r; r = r->next) count += r->t == t;
  memcpy(to->said, t->said, sizeof to->said);
  pthread_mutex_unlock(&open_mutex);
  snprintf(to->open, sizeof to->open, "%d", count);
  to->pairs[0].key = said_key;
  to->pairs[0].value = text_of(to->said);
  to->pairs[1].key = open_key;
  to->pairs[1].value = text_of(to->open);
  status->attributes.data = to->pairs;
  status->attributes.count = 2;
  status->attributes.element_size = sizeof to->pairs[0];
}

#else
typedef int nothing_to_ask; /* a file must have something in it */
#endif
