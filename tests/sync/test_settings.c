/* What other programs put into the repository's git folder has no effect on sync. */
#include "sync_world.h"

/* Wait for the given round and check that no program was run. */
static void check_nothing_ran(struct world *w, const char *row)
{
    str ran = sh(w, "cat ran 2>/dev/null || true");
    if (ran.n > 0)
        fail_msg("%s: " STR_FMT, row, STR_ARG(ran));
}

/* A clone called bob, and a program that leaves a mark. */
static void make_bob(struct world *w)
{
    world_seed(w);
    sh(w, "git clone -q remote.git bob;"
          "printf '#!/bin/sh\\necho \"$0 $*\" >> %s/ran\\nexit 1\\n' \"$PWD\" > evil;"
          "chmod +x evil");
}

/* Commit, pull, push, and everything else that runs git. */
static void use_all(struct world *w, struct side *s, const char *row)
{
    struct sync_commit *commits;
    size_t n;
    str text, id, diff;
    sh(w, "cd ann; git pull -q; echo more >> Note.md; echo x > Theirs.md; git add .;"
          "git commit -qm more; git push -q origin HEAD:main");
    side_write(s, "Mine.md", arena_printf(&w->arena, "for %s\n", row).p);
    side_write(s, "Sub/Inner.md", row);
    sh(w, "echo by hand > bob/Hand.md; touch bob/Note.md; echo x > bob/Hand.crypt");
    side_sync(s);
    sh(w, "cd ann; git pull -q; git rm -q Theirs.md; git commit -qm less;"
          "git push -q origin HEAD:main");
    side_sync(s);
    CHECK_STR(row, remote_text(w, "Sub/Inner.md"), row);
    struct arena *a = &s->place.arena;
    struct sync_log q = {.limit = 10};
    OK(sync_history(s->sync, a, &q, &commits, &n, &err));
    OK(sync_file_at(s->sync, a, STR("Note.md"), STR("HEAD~1"), &text, &id, &err));
    OK(sync_diff(s->sync, a, s->place.vault, STR("Mine.md"), STR("HEAD~3"), STR("HEAD"),
                 &diff, &err));
    check_nothing_ran(w, row);
}

/* Ways to have git run a program, from its documentation. */
static const char *const ways[] = {
    "alias.fetch|!E",
    "alias.log|!E",
    "browser.evil.cmd|E",
    "commit.gpgSign|true",
    "core.alternateRefsCommand|E",
    "core.askPass|E",
    "core.attributesFile|TOP/attributes",
    "core.editor|E",
    "core.excludesFile|TOP/attributes",
    "core.fsmonitor|E",
    "core.gitProxy|E",
    "core.hooksPath|TOP/hooks",
    "core.pager|E",
    "core.sshCommand|E",
    "core.worktree|TOP",
    "credential.helper|!E",
    "credential.https://example.org.helper|!E",
    "diff.evil.command|E",
    "diff.evil.textconv|E",
    "diff.external|E",
    "difftool.evil.cmd|E",
    "extensions.worktreeConfig|true",
    "filter.evil.clean|E",
    "filter.evil.process|E",
    "filter.evil.required|true",
    "filter.evil.smudge|E",
    "gc.recentObjectsHook|E",
    "gpg.format|ssh",
    "gpg.openpgp.program|E",
    "gpg.program|E",
    "gpg.ssh.defaultKeyCommand|E",
    "gpg.ssh.program|E",
    "gpg.x509.program|E",
    "hook.evil.command|E",
    "hook.evil.event|reference-transaction",
    "http.proxy|http://127.0.0.1:1",
    "include.path|TOP/included",
    "includeIf.gitdir:/**.path|TOP/included",
    "includeIf.onbranch:**.path|TOP/included",
    "interactive.diffFilter|E",
    "log.showSignature|true",
    "maintenance.strategy|incremental",
    "merge.evil.driver|E",
    "mergetool.evil.cmd|E",
    "pack.packSizeLimit|1",
    "pager.log|E",
    "protocol.allow|always",
    "protocol.ext.allow|always",
    "push.gpgSign|if-asked",
    "receive.procReceiveRefs|refs",
    "remote.TOP/remote.git.proxy|http://127.0.0.1:1",
    "remote.TOP/remote.git.receivepack|E",
    "remote.TOP/remote.git.uploadpack|E",
    "remote.TOP/remote.git.vcs|ext",
    "remote.origin.promisor|true",
    "remote.origin.receivepack|E",
    "remote.origin.uploadpack|E",
    "remote.pushDefault|evil",
    "sendemail.smtpServer|E",
    "sequence.editor|E",
    "ssh.variant|simple",
    "submodule.Sub.update|!E",
    "submodule.recurse|true",
    "tag.gpgSign|true",
    "tar.evil.command|E",
    "trailer.evil.command|E",
    "trailer.evil.cmd|E",
    "uploadpack.packObjectsHook|E",
    "url.ext::E .insteadOf|TOP",
    "url.ext::E .pushInsteadOf|TOP",
    "web.browser|evil",
};

static void set_ways(struct world *w)
{
    sh(w, "E=\"$PWD/evil\"; mkdir hooks; for h in pre-commit post-checkout pre-push "
          "reference-transaction post-index-change pre-auto-gc post-merge update "
          "fsmonitor-watchman proc-receive push-to-checkout commit-msg post-rewrite; do"
          "  cp evil hooks/$h; cp evil bob/.git/hooks/$h; done;"
          "printf '* diff=evil merge=evil\\n*.crypt filter=evil\\n' > attributes;"
          "cp attributes bob/.git/info/attributes;"
          "printf '[core]\\n\\tfsmonitor = %s\\n[filter \"evil\"]\\n\\tclean = %s\\n'"
          "  \"$E\" \"$E\" > included; cp included bob/.git/config.worktree");
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct sbuf b = SBUF_ON(&w->arena);
        size_t bar = strcspn(ways[i], "|");
        sbuf_printf(&b,
                    "E=\"$PWD/evil\"; set -- '%.*s' '%s';"
                    "k=$(printf %%s \"$1\" | sed \"s|E |$E |;s|TOP|$PWD|\");"
                    "v=$(printf %%s \"$2\" | sed \"s|TOP|$PWD|;s|E$|$E|\");"
                    "git config --file bob/.git/config --add \"$k\" \"$v\"",
                    (int)bar, ways[i], ways[i] + bar + 1);
        sh(w, arena_str(&w->arena, sbuf_str(&b)).p);
    }
}

/* SEC-124: each key that can name a program, as documented by git. */
static void test_programs(void **state)
{
    struct world *w = *state;
    struct side s;
    make_bob(w);
    set_ways(w);
    side_open(w, &s, "bob");
    use_all(w, &s, "ways");
    side_close(&s);
}

/* SEC-124: every key that this git knows, also those that are new, names the program. */
static void test_every_key(void **state)
{
    struct world *w = *state;
    struct side s;
    make_bob(w);
    str n =
        sh(w, "E=\"$PWD/evil\"; git help -c | grep -E '^[a-zA-Z][a-zA-Z0-9]*\\.' |"
              "sed 's/<[^>]*>/evil/g; s/[*]/evil/g; s/_//g' | grep -vi "
              "'^extensions\\.\\|^remote\\."
              "evil.url\\|^core.repositoryFormat' | sort -u > keys;"
              "while read -r k; do git config --file bob/.git/config --add \"$k\" \"$E\";"
              "done < keys; wc -l < keys");
    int64_t keys = 0;
    assert_true(str_to_int(str_trim(n), &keys) && keys > 400);
    side_open(w, &s, "bob");
    use_all(w, &s, "keys");
    side_close(&s);
}

/* --- remotes --- */

/* A remote that only the repository names must be one that cannot run programs. */
static void test_remote_of_the_repository(void **state)
{
    static const struct {
        const char *url;
        bool refused;
    } rows[] = {
        {"/tmp/x.git", true},         {"file:///tmp/x.git", true},
        {"../x.git", true},           {"./x:y", true},
        {"ext::sh -c evil", true},    {"evil::x", true},
        {"--upload-pack=evil", true}, {"-x:y", true},
        {"git://host/x", true},       {"http://host/x", true},
        {"https://host/x", false},    {"ssh://git@host/x", false},
        {"git@host:x/y.git", false},  {"host:x", false},
    };
    struct world *w = *state;
    make_bob(w);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct side s;
        struct err err = {0};
        sh(w, arena_printf(&w->arena, "git -C bob config remote.origin.url '%s'",
                           rows[i].url)
                  .p);
        side_init(w, &s, "bob");
        s.config.git.remote = (str){0};
        CHECK_INT(rows[i].url, !sync_prepare(&s.config, &err), rows[i].refused);
        if (rows[i].refused)
            CHECK(rows[i].url, strstr(err.msg, "--git-remote") != NULL);
    }
}

/* SEC-124: git's guard against folders of other users is lifted only for a remote that
 * the operator named. */
static void test_safe_directory(void **state)
{
    struct world *w = *state;
    struct side s;
    make_bob(w);
    side_init(w, &s, "bob");
    if (geteuid() == 0)
        sh(w, "chown -R 1234 remote.git bob");
    side_start(&s);
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    if (geteuid() == 0)
        sh(w, "chown -R 0 remote.git");
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    sh_code(w, "grep -r -F '= *' bob-state/sync-*/.gitconfig", 1);
    sh(w, "test $(grep -c directory bob-state/sync-*/.gitconfig) = 3");
    side_close(&s);
}

/* --- forms of repositories --- */

static void test_linked_work_tree(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "git clone -q remote.git main; git -C main checkout -q --detach;"
          "git -C main worktree add -q ../bob main");
    side_open(w, &s, "bob");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("reflog", sh(w, "git -C bob reflog | grep -c vaultd"), "1");
    side_close(&s);
    check_sound(w, "bob");
}

static void test_split_index(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "git clone -q remote.git bob; cd bob; git config core.splitIndex true;"
          "git update-index --split-index; ls .git/sharedindex.*");
    side_open(w, &s, "bob");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("error", side_state(&s).last_error, "");
    assert_int_equal(side_state(&s).n_notices, 0);
    side_close(&s);
}

static void test_shared(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "git clone -q remote.git bob; git -C bob config core.sharedRepository group");
    side_open(w, &s, "bob");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("mode", sh(w, "stat -c %a bob/.git/refs/heads/main"), "664");
    side_close(&s);
}

static void test_unknown_extension(void **state)
{
    static const char *const rows[] = {"partialClone", "refStorage", "tomorrow"};
    struct world *w = *state;
    world_seed(w);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct side s;
        sh(w, arena_printf(&w->arena,
                           "rm -rf bob; git clone -q remote.git bob; git config --file "
                           "bob/.git/config extensions.%s evil",
                           rows[i])
                  .p);
        side_init(w, &s, "bob");
        FAILS(sync_prepare(&s.config, &err), ERR_INVALID, "does not support");
    }
}

/* Files that a sparse checkout leaves out are not deleted. Sync waits until it ends,
 * whether it began before or after the start. */
static void test_sparse(void **state)
{
    static const char *const rows[] = {
        "git config core.sparseCheckout yes; echo /Note.md > .git/info/sparse-checkout;"
        "git read-tree -mu HEAD",
        "git sparse-checkout set --cone Deep",
    };
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "git clone -q remote.git bob");
    side_init(w, &s, "bob");
    s.config.git.add_all = true;
    side_start(&s);
    side_sync(&s);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *path = arena_printf(&w->arena, "Mine %zu.md", i).p;
        sh(w, arena_printf(&w->arena, "cd bob; %s; ! test -e Sub/Inner.md", rows[i]).p);
        side_write(&s, path, "mine\n");
        FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY,
              "'git sparse-checkout disable'");
        side_stop(&s);
        side_start(&s);
        FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY,
              "'git sparse-checkout disable'");
        CHECK_STR("kept", remote_text(w, "Sub/Inner.md"), "inner");
        sh(w, "cd bob; git sparse-checkout disable 2>&1; test -e Sub/Inner.md");
        side_sync(&s);
        CHECK_STR("again", remote_text(w, path), "mine");
        CHECK_STR("still", remote_text(w, "Sub/Inner.md"), "inner");
        CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    }
    side_close(&s);
}

/* In a linked work tree, only its own setting counts. */
static void test_sparse_elsewhere(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "git clone -q remote.git main; cd main; git checkout -q --detach;"
          "git worktree add -q ../bob main; git sparse-checkout set --cone Deep");
    side_init(w, &s, "bob");
    s.config.git.add_all = true;
    side_start(&s);
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    sh(w, "cd bob; git sparse-checkout set --cone Deep; ! test -e Sub/Inner.md");
    side_write(&s, "Mine.md", "again\n");
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "sparse");
    CHECK_STR("kept", remote_text(w, "Sub/Inner.md"), "inner");
    side_close(&s);
}

/* What a shallow clone left out is fetched when it is needed, for the user's git, too. */
static void test_unshallow(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; for i in 1 2 3 4; do echo $i >> Note.md; git commit -qam $i; done;"
          "git push -q origin HEAD:main");
    side_init(w, &s, "bob");
    s.config.git.depth = 1;
    side_start(&s);
    side_sync(&s);
    CHECK_STR("shallow", sh(w, "git -C bob rev-parse --is-shallow-repository"), "true");
    side_write(&s, "Mine.md", "mine\n");
    sh(w, "cd ann; git checkout -q HEAD~2; echo other > Other.md; git add .;"
          "git commit -qm other; git push -qf origin HEAD:main;"
          "git -C ../bob update-ref -d refs/vaultd/seen");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    CHECK_FILE(&s, "Other.md", "other\n");
    CHECK_STR("whole", sh(w, "git -C bob rev-parse --is-shallow-repository"), "false");
    check_sound(w, "bob");
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_programs),
        WORLD_TEST(test_every_key),
        WORLD_TEST(test_remote_of_the_repository),
        WORLD_TEST(test_safe_directory),
        WORLD_TEST(test_linked_work_tree),
        WORLD_TEST(test_split_index),
        WORLD_TEST(test_shared),
        WORLD_TEST(test_unknown_extension),
        WORLD_TEST(test_sparse),
        WORLD_TEST(test_sparse_elsewhere),
        WORLD_TEST(test_unshallow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
