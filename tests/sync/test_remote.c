/* Credentials reach git and ssh, and nothing else. */
#include "sync_world.h"

/* The answer of the helper for a host. */
static str asked(struct world *w, const char *host)
{
    return sh(w, arena_printf(
                     &w->arena,
                     "cd bob-state/sync-*; export VAULTD_GIT_HOST=https://127.0.0.1:1 "
                     "VAULTD_GIT_USER=me VAULTD_GIT_TOKEN=$PWD/token "
                     "GIT_ASKPASS=$PWD/askpass;"
                     "printf 'protocol=https\\nhost=%s\\n' | git credential fill 2>&1 |"
                     "grep -v ^host || true",
                     host)
                     .p);
}

/* The token is only for its host; a token in the URL is in no file of git. */
static void test_SEC_125_askpass(void **state)
{
    struct world *w = *state;
    struct side s;
    side_init(w, &s, "bob");
    sh(w, "mkdir bob; git -C bob init -q");
    s.config.git.remote = STR("https://me:to%40ken@127.0.0.1:1/x.git");
    OK(sync_prepare(&s.config, &err));
    CHECK_STR("ours", asked(w, "127.0.0.1:1"),
              "protocol=https\nusername=me\npassword=to@ken");
    assert_true(str_find(asked(w, "evil.example"), STR("to@ken")) == STR_NONE);
    CHECK_STR("mode", sh(w, "stat -c %a bob-state/sync-*/token"), "600");
    sh_code(w, "grep -r 'to@ken\\|to%40ken' bob/.git", 1);
    place_start(&s.place);
    OK(sync_start(&s.config, s.place.vault, &s.sync, &err));
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "https://127.0.0.1:1");
    CHECK_STR("remote", side_state(&s).remote, "https://127.0.0.1:1/x.git");
    s.place.fd = -1;
    side_close(&s);
}

/* A fake ssh records its arguments and runs the command locally. */
static void test_ssh(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "mkdir bin; cat > bin/ssh <<'END'\n#!/bin/sh\n"
          "for a; do echo \"[$a]\"; last=$a; done >> \"${0%/*}/called\"\n"
          "[ \"$1\" = -G ] && exit 0\nexec sh -c \"$last\"\nEND\nchmod +x bin/ssh");
    setenv("PATH", arena_printf(&w->arena, "%s/bin:/usr/bin:/bin", w->top).p, 1);
    side_init(w, &s, "bob");
    s.config.git.remote = arena_printf(&w->arena, "ssh://git@host%s/remote.git", w->top);
    s.config.git.ssh_key = STR("/keys/it's mine");
    s.config.git.known_hosts = STR("/keys/known hosts");
    side_start(&s);
    CHECK_FILE(&s, "Sub/Inner.md", "inner\n");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    str called = sh(w, "cat bin/called");
    static const char *const wanted[] = {"[/keys/it's mine]", "[BatchMode=yes]",
                                         "[UserKnownHostsFile=\"/keys/known hosts\"]",
                                         "[StrictHostKeyChecking=yes]", "[git@host]"};
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        if (str_find(called, str_c(wanted[i])) == STR_NONE)
            fail_msg("%s is not in " STR_FMT, wanted[i], STR_ARG(called));
    side_close(&s);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

/* With certificates of our own, git looks for others in an empty folder: libcurl would trust
 * the system's, too. */
static void test_certificates(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "mkdir bin; cat > bin/ssh <<'END'\n#!/bin/sh\n"
          "for a; do last=$a; done; [ \"$1\" = -G ] && exit 0\n"
          "echo \"$GIT_SSL_CAINFO $(ls -A \"$GIT_SSL_CAPATH\" | wc -l)\" > "
          "\"${0%/*}/told\"\n"
          "exec sh -c \"$last\"\nEND\nchmod +x bin/ssh");
    setenv("PATH", arena_printf(&w->arena, "%s/bin:/usr/bin:/bin", w->top).p, 1);
    side_init(w, &s, "bob");
    s.config.git.remote = arena_printf(&w->arena, "ssh://git@host%s/remote.git", w->top);
    s.config.git.ca_file = STR("/keys/ca.pem");
    side_start(&s);
    CHECK_STR("told", sh(w, "cat bin/told"), "/keys/ca.pem 0");
    sh(w, "ls -d bob-state/sync-*/no-certificates");
    side_close(&s);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

/* What is changed while a fetch goes on is committed before it is merged: a note that was
 * moved then keeps what they have written into it, and does not come back. */
static void test_moved_during_fetch(void **state)
{
    struct world *w = *state;
    struct side s;
    struct err refused;
    uint64_t ticket;
    world_seed(w);
    sh(w, "mkdir bin; cat > bin/ssh <<'END'\n#!/bin/sh\nfor a; do last=$a; done\n"
          "[ \"$1\" = -G ] && exit 0\ncd \"${0%/*}\"\n"
          "while [ -e stop ]; do touch here; sleep 0.01; done\n"
          "exec sh -c \"$last\"\nEND\nchmod +x bin/ssh");
    setenv("PATH", arena_printf(&w->arena, "%s/bin:/usr/bin:/bin", w->top).p, 1);
    side_init(w, &s, "bob");
    s.config.git.remote = arena_printf(&w->arena, "ssh://git@host%s/remote.git", w->top);
    side_start(&s);
    side_sync(&s);
    sh(w, "cd ann; echo four >> Note.md; git commit -qam four; git push -q;"
          "touch ../bin/stop");
    OK(sync_ask(s.sync, &ticket, &err));
    sh(w, "while [ ! -e bin/here ]; do sleep 0.01; done");
    side_move(&s, "Note.md", "Moved.md");
    sh(w, "rm bin/stop");
    side_sync(&s);
    CHECK_FILE(&s, "Moved.md", "one\n\ntwo\n\nthree\nfour\n");
    assert_false(place_has(&s.place, "Note.md"));
    assert_int_equal(sync_answer(s.sync, ticket, &refused), SYNC_SUCCEEDED);
    CHECK_STR("remote", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "Moved.md\nSub/Inner.md");
    side_close(&s);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

/* A later commit, which is not pushed yet, hides neither the refusal nor its reason. */
static void test_refused_push(void **state)
{
    struct world *w = *state;
    struct side s;
    uint64_t ticket;
    side_open(w, &s, "bob");
    side_write(&s, "First.md", "first\n");
    side_sync(&s);
    sh(w, "printf '#!/bin/sh\necho not you >&2; exit 1\n' > remote.git/hooks/update;"
          "chmod +x remote.git/hooks/update");
    side_write(&s, "Second.md", "second\n");
    OK(sync_ask(s.sync, &ticket, &err));
    while (side_state(&s).last_error.n == 0)
        usleep(10000);
    side_write(&s, "Third.md", "third\n");
    sync_changed(s.sync);
    sh(w, "while ! git -C bob cat-file -e HEAD:Third.md 2>&-; do sleep 0.05; done");
    assert_true(str_find(side_state(&s).last_error, STR("not you")) != STR_NONE);
    struct err why = {0};
    assert_int_equal(sync_answer(s.sync, ticket, &why), SYNC_REFUSED);
    assert_non_null(strstr(why.msg, "not you"));
    side_close(&s);
}

/* Hooks, filters and helpers of a repository are not run; other protocols are refused. */
static void test_SEC_124_hardened(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; echo '*.md filter=evil' > .gitattributes; git add .;"
          "git commit -qm attributes; git push -q; cd ..; git clone -q remote.git bob;"
          "cd bob; e=\"touch $PWD/../ran\"; for h in pre-commit post-checkout pre-push "
          "reference-transaction post-index-change; do"
          " printf '#!/bin/sh\\n%s\\n' \"$e\" > .git/hooks/$h; chmod +x .git/hooks/$h;"
          "done; git config core.fsmonitor \"$e\"; git config core.sshCommand \"$e\";"
          "git config credential.helper \"!$e\"; git config gpg.program \"$e\";"
          "git config commit.gpgSign true; git config core.askPass \"$e\";"
          "git config diff.external \"$e\"; git config remote.origin.uploadpack \"$e\";"
          "git config remote.origin.receivepack \"$e\"");
    side_init(w, &s, "bob");
    side_start(&s);
    side_write(&s, "Mine.md", "mine\n");
    side_write(&s, "Mine.canvas", "{}\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.canvas"), "{}");
    sh_code(w, "test -e ran", 1);
    side_close(&s);
    side_init(w, &s, "eve");
    s.config.git.remote = STR("ext::sh -c 'touch ran'");
    FAILS(sync_prepare(&s.config, &err), ERR_BUSY, "not allowed");
    s.config.git.remote = STR("--upload-pack=touch ran");
    FAILS(sync_prepare(&s.config, &err), ERR_BUSY, "git ");
    sh_code(w, "test -e ran -o -e eve/ran", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_SEC_125_askpass), WORLD_TEST(test_ssh),
        WORLD_TEST(test_certificates),    WORLD_TEST(test_moved_during_fetch),
        WORLD_TEST(test_refused_push),    WORLD_TEST(test_SEC_124_hardened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
