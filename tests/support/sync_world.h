/*
 * sync_world - a bare repository and some vaults that sync with it, in a temporary
 * folder, and a shell with git for the actions of others. The shell's folder is the top:
 * "remote.git" is the remote, "NAME" a vault.
 */
#pragma once

#include "base/clock.h"
#include "base/process.h"
#include "fast_folder.h"
#include "sync/sync.h"
#include "vault_place.h"

struct world {
    struct arena arena;
    char top[64];
    const char *env[8];
};

struct side {
    struct world *w;
    struct place place; /* folder, vault; its top is not used */
    struct sync_config config;
    struct sync *sync;
};

/* --- others --- */

static inline str sh_code(struct world *w, const char *script, int want)
{
    const char *argv[] = {"sh", "-ec", script, NULL};
    struct process p = {
        .argv = argv, .env = w->env, .folder = w->top, .out_max = 64 << 20, .ms = 120000};
    struct process_result r;
    struct err err = {0};
    if (!process_run(&w->arena, &p, &r, &err))
        fail_msg("%s: %s", script, err.msg);
    if (r.code != want)
        fail_msg("%s: %d: " STR_FMT STR_FMT, script, r.code, STR_ARG(r.out),
                 STR_ARG(r.errors));
    return arena_str(&w->arena, str_trim_line(r.out));
}

static inline str sh(struct world *w, const char *script)
{
    return sh_code(w, script, 0);
}

static inline int world_setup(void **state)
{
    struct world *w = mem_zero(sizeof(*w));
    log_setup(LOG_ERROR, LOG_TEXT);
    snprintf(w->top, sizeof(w->top), "%s/vaultd-test-sync-XXXXXX", fast_folder());
    assert_non_null(mkdtemp(w->top));
    w->env[0] = "PATH=/usr/local/bin:/usr/bin:/bin";
    w->env[1] = arena_printf(&w->arena, "HOME=%s/home", w->top).p;
    w->env[2] = "GIT_CONFIG_NOSYSTEM=1";
    w->env[3] = "GIT_TERMINAL_PROMPT=0";
    w->env[4] = "GIT_MERGE_AUTOEDIT=no";
    *state = w;
    sh(w, "mkdir home; git config --global user.name Ann;"
          "git config --global user.email ann@example.org;"
          "git config --global init.defaultBranch main;"
          "git config --global pull.rebase false;"
          "git config --global core.compression 0;" /* a third of what git does here */
          "git init -q --bare remote.git; git -C remote.git config core.compression 0");
    return 0;
}

static inline int world_teardown(void **state)
{
    struct world *w = *state;
    place_remove(AT_FDCWD, w->top);
    arena_release(&w->arena);
    free(w);
    return 0;
}

#define WORLD_TEST(function)                                                             \
    cmocka_unit_test_setup_teardown(function, world_setup, world_teardown)

/* A clone called ann with one note, pushed. */
static inline void world_seed(struct world *w)
{
    sh(w, "git clone -q remote.git ann 2>/dev/null; cd ann; mkdir Sub;"
          "printf 'one\\n\\ntwo\\n\\nthree\\n' > Note.md; echo inner > Sub/Inner.md;"
          "git add .; git commit -qm seed; git push -q origin HEAD:main");
}

/* --- one of our vaults --- */

static inline void side_init(struct world *w, struct side *s, const char *name)
{
    *s = (struct side){.w = w};
    snprintf(s->place.folder, sizeof(s->place.folder), "%s/%s", w->top, name);
    snprintf(s->place.state, sizeof(s->place.state), "%s/%s-state", w->top, name);
    s->config = (struct sync_config){
        .kind = SYNC_GIT,
        .git = {.remote = arena_printf(&w->arena, "%s/remote.git", w->top)},
        .vault_folder = s->place.folder,
        .state_folder = s->place.state};
}

static inline void side_start(struct side *s)
{
    OK(sync_prepare(&s->config, &err));
    s->place.fd = open(s->place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    place_start(&s->place);
    OK(sync_start(&s->config, s->place.vault, &s->sync, &err));
}

static inline void side_open(struct world *w, struct side *s, const char *name)
{
    side_init(w, s, name);
    side_start(s);
}

static inline void side_stop(struct side *s)
{
    sync_stop(s->sync, clock_ms() + SYNC_STOP_PUSH_MS);
    s->sync = NULL;
    vault_close(s->place.vault);
    s->place.vault = NULL;
    close(s->place.fd);
}

static inline void side_close(struct side *s)
{
    side_stop(s);
    place_close_drafts(&s->place);
    arena_release(&s->place.arena);
}

static inline struct draft *side_draft(struct side *s)
{
    struct actor as = {
        .tool = STR("vault_write"), .client = STR("tester"), .who = STR("bob")};
    return place_keep(&s->place, draft_create(s->place.vault, &s->place.arena, &as));
}

/* As a tool does it: change the vault, then notify sync. */
static inline void side_commit(struct side *s, const char *row, struct draft *d)
{
    place_commit(row, d);
    sync_changed(s->sync);
}

static inline void side_write(struct side *s, const char *path, const char *text)
{
    struct draft *d = side_draft(s);
    OK(draft_write(d, str_c(path), str_c(text), DRAFT_OVERWRITE, &err));
    side_commit(s, path, d);
}

static inline void side_delete(struct side *s, const char *path)
{
    struct draft *d = side_draft(s);
    OK(draft_delete(d, str_c(path), &err));
    side_commit(s, path, d);
}

static inline void side_move(struct side *s, const char *from, const char *to)
{
    struct draft *d = side_draft(s);
    draft_move(d, str_c(from), str_c(to));
    side_commit(s, from, d);
}

static inline void side_sync(struct side *s)
{
    OK(sync_wait(s->sync, NULL, NULL, &err));
}

static inline struct sync_state side_state(struct side *s)
{
    struct sync_state state;
    sync_state(s->sync, &s->place.arena, &state);
    return state;
}

#define CHECK_FILE(s, path, want) CHECK_STR((path), place_text(&(s)->place, (path)), want)

/* The content of a path in the remote's branch. */
static inline str remote_text(struct world *w, const char *path)
{
    return sh(w, arena_printf(&w->arena, "git -C remote.git show 'main:%s'", path).p);
}

static inline void check_sound(struct world *w, const char *folder)
{
    sh(w, arena_printf(&w->arena, "git -C %s fsck --full --strict 2>&1", folder).p);
}
