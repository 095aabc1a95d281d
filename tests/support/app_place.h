/*
 * app_place - the whole app over vaults in a temporary folder, without a process or a transport: arguments as JSON in,
 * the answer of a tool as text out, and the files afterwards.
 *
 *     struct app_place *p = app_place_open("--read-only", fill);
 *     CHECK_STR("answer", app_call(p, "vault_read", "'path':'A.md'"), "...");
 *     app_place_close(p);
 *
 * Settings are given as on the command line, with their defaults, and @ for the temporary folder. The first vault is
 * @/vault: place_put(p->place, ...) writes its files, and app_call() sees them.
 */
#pragma once

#include <stdlib.h>
#include <time.h>

#include "app/catalog/assembly.h"
#include "app/setup/callers.h"
#include "app/setup/profiles.h"
#include "peer.h"
#include "settings_of_argv.h"
#include "vault_place.h"

struct app_place {
    struct place *place;
    struct app app;
    struct peer
        peer; /* peer.caller.grant: what the caller may do (callers.h); empty: everything */
    bool stopped;
};

enum { APP_FLAGS_MAX = 64 };

/* Settings of the developer's own shell do not count. */
static inline void app_place_clean_environment(const struct place *p)
{
    const char *now = getenv("PATH");
    char *path = mem_str(str_c(now != NULL ? now : "/usr/bin:/bin"));
    clearenv();
    setenv("PATH", path, 1);
    setenv("HOME", p->top, 1);
    setenv("TZ", "UTC", 1);
    tzset();
    free(path);
}

/* words[0] is the program. */
static inline int app_place_words(struct place *p, const char *flags, char **words)
{
    int n = 0;
    str rest = str_c(flags), word, part;
    words[n++] = (char *)arena_str(&p->arena, STR("vaultd")).p;
    while (rest.n > 0 && str_next(&rest, ' ', &word)) {
        struct sbuf whole = SBUF_ON(&p->arena);
        for (bool first = true; str_next(&word, '@', &part); first = false)
            sbuf_printf(&whole, "%s" STR_FMT, first ? "" : p->top, STR_ARG(part));
        if (whole.n > 0 && n < APP_FLAGS_MAX)
            words[n++] = (char *)arena_str(&p->arena, sbuf_str(&whole)).p;
    }
    words[n] = NULL;
    return n;
}

static inline struct settings app_place_settings(struct place *p, const char *flags)
{
    bool own = strstr(flags, "--vault ") != NULL || strstr(flags, "--vaults-dir") != NULL;
    str all = arena_printf(&p->arena,
                           "%s --state-dir @/state --sandbox off --log-level error %s",
                           own ? "" : "--vault-path @/vault", flags);
    char *words[APP_FLAGS_MAX + 1];
    int n = app_place_words(p, all.p, words);
    struct settings settings;
    struct option_list rest;
    struct err err = {0};
    if (!settings_of_argv(&p->arena, n, words, &settings, &rest, &err))
        fail_msg("%s: %s", flags, err.msg);
    return settings;
}

/* fill writes the first files; it may be NULL. */
static inline struct app_place *app_place_open(const char *flags,
                                               void (*fill)(struct place *p))
{
    struct app_place *p = mem_zero(sizeof(*p));
    struct err err = {0};
    void *place;
    place_setup(&place);
    p->place = place;
    app_place_clean_environment(p->place);
    if (fill != NULL)
        fill(p->place);
    struct settings settings = app_place_settings(p->place, flags);
    if (!assembly_open(&p->app, &settings, &err))
        fail_msg("%s: %s", flags, err.msg);
    pthread_mutex_init(&p->peer.lock, NULL);
    pthread_cond_init(&p->peer.changed, NULL);
    p->peer.server = p->app.mcp;
    p->peer.revision = MCP_NEWEST_LEGACY;
    p->peer.capabilities = "{}";
    p->peer.scope = "here";
    p->peer.wait = true;
    return p;
}

/* As a server that has ended: its files are there, for another program. */
static inline void app_place_stop(struct app_place *p)
{
    if (p->stopped)
        return;
    mcp_server_drain(p->app.mcp, 5000);
    assembly_close(&p->app, SYNC_STOP_PUSH_MS);
    p->stopped = true;
}

static inline void app_place_close(struct app_place *p)
{
    app_place_stop(p);
    peer_free_calls(&p->peer);
    arena_release(&p->peer.arena);
    void *place = p->place;
    place_teardown(&place);
    free(p);
}

/* The index has what is on disk now, in every vault. */
static inline void app_look(struct app_place *p)
{
    for (size_t i = 0; i < p->app.n_vaults; i++) {
        OK(vault_wait(p->app.vaults[i].vault, NULL, NULL, &err));
        vault_refresh(p->app.vaults[i].vault, NULL, 0);
    }
}

/* The blocks of an answer with a line of three hyphens between them; a failure begins with "ERROR ", and a protocol
 * error with "RPC" and its code. */
static inline str app_answer(struct peer_call *c)
{
    const struct json *j, *error, *result, *content;
    struct err err = {0};
    struct arena *a = &c->peer->arena;
    str text = peer_answer(c);
    if (!json_parse(a, text, &j, &err))
        fail_msg("%s: " STR_FMT, err.msg, STR_ARG(text));
    struct sbuf b = SBUF_ON(a);
    error = json_get(j, STR("error"));
    result = json_get(j, STR("result"));
    content = json_get(result, STR("content"));
    if (error != NULL)
        sbuf_printf(&b, "RPC %d " STR_FMT, c->code,
                    STR_ARG(json_get_str(error, STR("message"))));
    else if (json_get_true(result, STR("isError")))
        sbuf_printf(&b, "ERROR ");
    if (result != NULL && content == NULL)
        sbuf_add(&b, text);
    for (const struct json *block = content != NULL ? content->child : NULL;
         block != NULL; block = block->next)
        sbuf_printf(&b, "%s" STR_FMT, block == content->child ? "" : "\n---\n",
                    STR_ARG(json_get_str(block, STR("text"))));
    return sbuf_str(&b);
}

/* A tool with these members of its arguments, in the form of quoted.h. */
static inline str app_call(struct app_place *p, const char *tool, const char *arguments)
{
    const char *members =
        arena_printf(&p->peer.arena, "'name':'%s','arguments':{%s}", tool, arguments).p;
    return app_answer(peer_send(&p->peer, "tools/call", members));
}

/* The vault has no files. */
static inline void app_empty(struct app_place *p)
{
    DIR *dir = fdopendir(openat(p->place->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    assert_non_null(dir);
    for (const struct dirent *d; (d = readdir(dir)) != NULL;)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            place_remove(p->place->fd, d->d_name);
    closedir(dir);
}

/* The text of a file on disk. */
static inline str app_file(struct app_place *p, const char *path)
{
    struct sbuf b = SBUF_ON(&p->peer.arena);
    int fd = openat(p->place->fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return STR("(no such file)");
    char bytes[4096];
    for (ssize_t n; (n = read(fd, bytes, sizeof(bytes))) > 0;)
        sbuf_add(&b, (str){bytes, (size_t)n});
    close(fd);
    return sbuf_str(&b);
}

/* One call: what its answer has, and what a file then is. */
struct app_row {
    const char *tool, *arguments;
    const char
        *want; /* part of the answer; with ~ in front as in quoted.h, with = all of it */
    const char *path; /* a file afterwards, or NULL */
    const char *text; /* its text; NULL: it does not exist */
};

static inline bool app_is_wanted(struct arena *a, str got, const char *want)
{
    if (want[0] == '~')
        return str_find(got, quoted(a, want + 1)) != STR_NONE;
    return want[0] == '=' ? str_eq(got, str_c(want + 1))
                          : str_find(got, str_c(want)) != STR_NONE;
}

/* Whether the row is right; says what is wrong. */
static inline bool app_check_row(struct app_place *p, const struct app_row *r)
{
    str got = app_call(p, r->tool, r->arguments);
    bool right = app_is_wanted(&p->peer.arena, got, r->want);
    if (!right)
        print_error("%s {%s}:\n  got  '" STR_FMT "'\n  want '%s'\n", r->tool,
                    r->arguments, STR_ARG(got), r->want);
    if (r->path == NULL)
        return right;
    str text =
        place_has(p->place, r->path) ? app_file(p, r->path) : STR("(no such file)");
    const char *want = r->text != NULL ? r->text : "(no such file)";
    if (str_eq(text, str_c(want)))
        return right;
    print_error("%s {%s}:\n  %s is '" STR_FMT "'\n  want '%s'\n", r->tool, r->arguments,
                r->path, STR_ARG(text), want);
    return false;
}

/* All of them, each with the files that fill makes; NULL: with those that the rows before left. */
static inline void app_check_rows(struct app_place *p, void (*fill)(struct place *p),
                                  const struct app_row *rows, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        if (fill != NULL) {
            app_empty(p);
            fill(p->place);
            app_look(p);
        }
        wrong += !app_check_row(p, &rows[i]);
    }
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, n);
}
