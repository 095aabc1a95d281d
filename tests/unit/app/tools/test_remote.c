/* The tools that talk to a git remote: what they answer when it takes a push, refuses it, or does not answer. */
#include <stdlib.h>
#include <sys/stat.h>

#include "app_place.h"

#define SYNCED "--git-remote @/remote.git --git-pull-interval 0 "
#define PUSHED SYNCED "--sync-ack push"

static void sh(struct place *p, const char *script)
{
    const char *command = arena_printf(&p->arena, "cd '%s' && %s", p->top, script).p;
    if (system(command) != 0) // NOLINT(cert-env33-c): a command of ours
        fail_msg("%s", command);
}

/* A remote with one commit. */
static void fill(struct place *p)
{
    sh(p,
       "git init -q --bare -b main remote.git && git clone -q remote.git phone "
       "2>/dev/null && "
       "cd phone && echo garden >Garden.md && mkdir Private && echo x >Private/x.md && "
       "git add . && git -c user.name=Ann -c user.email=a@b commit -qm 'phone: garden' "
       "&& "
       "git push -q origin HEAD:main");
}

/* The remote runs this before it takes a push. */
static void put_hook(struct app_place *p, const char *script)
{
    sh(p->place,
       arena_printf(&p->place->arena,
                    "printf '#!/bin/sh\\n%%s\\n' '%s' >remote.git/hooks/pre-receive "
                    "&& chmod 755 remote.git/hooks/pre-receive",
                    script)
           .p);
}

static void lift_hook(struct app_place *p)
{
    sh(p->place, "touch go && rm remote.git/hooks/pre-receive");
}

#define REFUSING "echo no notes on Fridays >&2; exit 1"
#define WAITING "while [ ! -e ../go ]; do sleep 0.05; done"
#define NEW(name) "'path':'" name ".md','content':'x'"

static void test_pushed(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_write", NEW("One"), "created One.md", "One.md", "x"},
        {"vault_sync", "", "ahead: 0\n"},
        {"vault_sync", "'status':true", "behind: 0\n"},
        {"vault_changes", "'source':'git'", "2 commits\n"},
        {"vault_changes", "'source':'git'",
         " Ann: phone: garden; Garden.md, Private/x.md\n"},
        {"vault_changes", "'source':'git','limit':1", "vault_write: One.md; One.md\n"},
        {"vault_changes", "'source':'git','limit':1", "[more: offset 1]\n"},
        {"vault_changes", "'source':'git','offset':1", "1 commit\n"},
        {"vault_changes", "'source':'git','path':'Garden.md'", "1 commit\n"},
        {"vault_changes", "'source':'git','path':'../x'", "ERROR '..' is not allowed"},
        {"vault_changes", "'source':'git','path':'.git/config'",
         "ERROR '.git' is a hidden name"},
        {"vault_changes", "'source':'git','range':'nonsense..'", "ERROR "},
        {"vault_undo", "", "undone", "One.md", NULL},
    };
    struct app_place *p = app_place_open(PUSHED, fill);
    app_look(p);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    sh(p->place, "test $(git -C remote.git rev-list --count main) = 3");
    app_place_close(p);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_write", NEW("One"),
         "ERROR the change is made on this server and can be read here, but the remote "
         "has "
         "not confirmed it: ",
         "One.md", "x"},
        {"vault_write", NEW("Two"), "no notes on Fridays", "Two.md", "x"},
        {"vault_sync", "",
         ". The notes here are safe: 2 changes are waiting to be sent, and vaultd will "
         "try "
         "again"},
    };
    static const struct app_row hidden[] = {
        {"vault_write", NEW("Three"),
         "the last sync failed; the operator can see why with vaultd status"},
        {"vault_sync", "",
         "the last sync failed; the operator can see why with vaultd "
         "status. The notes here are safe: 3 "},
    };
    struct app_place *p = app_place_open(PUSHED, fill);
    app_look(p);
    put_hook(p, REFUSING);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    p->peer.caller.grant = STR("deny Private\n"); /* the message may name any file */
    app_check_rows(p, NULL, hidden, COUNT_OF(hidden));
    lift_hook(p);
    app_place_close(p);
}

/* Neither a call nor the end of the server waits for a remote that does not answer. */
static void test_waiting(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_write", NEW("One"), "it has not answered in time", "One.md", "x"},
        {"vault_sync", "", "The sync is still running; the notes here are safe."},
    };
    struct app_place *p = app_place_open(PUSHED, fill);
    app_look(p);
    put_hook(p, WAITING);
    p->app.stopping = true; /* as if --sync-wait were over */
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    lift_hook(p);
    app_place_close(p);
}

/* Commits that touch a hidden folder are not shown, whatever else they touch. */
static void test_hidden(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_write", NEW("One"), "created One.md"},
        {"vault_sync", "", "ahead: 0\n"},
        {"vault_changes", "'source':'git'", "1 commit\n"},
        {"vault_changes", "'source':'git'", "vault_write: One.md; One.md\n"},
        {"vault_changes", "'source':'git','path':'Private/x.md'", "0 commits\n"},
        {"vault_changes", "'source':'git','path':'Garden.md'", "0 commits\n"},
        {"vault_changes", "'source':'git','path':'One.md'", "1 commit\n"},
    };
    struct app_place *p = app_place_open(SYNCED, fill);
    app_look(p);
    p->peer.caller.grant = STR("deny Private\n");
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    app_place_close(p);
}

/* --- decision records --- */

static void fill_records(struct place *p)
{
    fill(p);
    place_put(p, "Use C.md", STR("---\nstatus: Accepted\n---\nUse C.\n"));
    place_put(p, "Draft.md", STR("---\nstatus: proposed\n---\nUse Rust.\n"));
    place_put(p, "Bare.md", STR("Use Go.\n"));
    place_put(p, "a/Same.md", STR("---\nstatus: accepted\n---\n1\n"));
    place_put(p, "b/Same.md", STR("---\nstatus: accepted\n---\n2\n"));
}

static void test_records(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"adr_publish", "'path':'Draft'", "has the status 'proposed': only notes with"},
        {"adr_publish", "'path':'Bare'", "has the status '': only notes with"},
        {"adr_publish", "'path':'None'", "ERROR File not found: None"},
        {"adr_publish", "'path':'a/Same'",
         "'b/Same.md' is accepted and has the same name"},
        {"adr_publish", "'path':'Use C','dry_run':true",
         "~{'path':'Use C.md','published':'docs/adr/Use "
         "C.md','changed':false,'content':"},
        {"adr_publish", "'path':'Use C'",
         "~{'path':'Use C.md','published':'docs/adr/Use C.md','changed':true}"},
        {"adr_publish", "'path':'Use C'", "~'changed':false}"},
    };
    struct app_place *p =
        app_place_open("--tools default,adr --adr-repo @/remote.git", fill_records);
    app_look(p);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    sh(p->place, "git -C remote.git show 'main:docs/adr/Use C.md' | grep -q 'Use C'");
    app_place_close(p);
    p = app_place_open("--tools default,adr --adr-repo @/remote.git --adr-branch none",
                       fill_records);
    app_look(p);
    str got = app_call(p, "adr_publish", "'path':'Use C'");
    CHECK(arena_str(&p->peer.arena, got).p,
          str_find(got, STR("has no branch 'none': create it there first")) != STR_NONE);
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushed),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_waiting), cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
