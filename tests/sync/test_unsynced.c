/* Files that sync leaves alone: those with a filter, and plugins. */
#include "sync_world.h"
#include "tree.h"

static bool has_notice(struct side *s, const char *part)
{
    struct sync_state st = side_state(s);
    for (size_t i = 0; i < st.n_notices; i++)
        if (str_find(st.notices[i], str_c(part)) != STR_NONE)
            return true;
    return false;
}

/* --- filters --- */

/* Ann's repository has an encrypted folder and pictures in LFS, as their filters store
 * them. */
static void seed_filters(struct world *w)
{
    world_seed(w);
    sh(w, "cd ann; mkdir -p secret pics;"
          "printf 'secret/** filter=git-crypt diff=git-crypt\\n*.png filter=lfs -text\\n"
          "*.txt -filter\\n' > .gitattributes;"
          "printf '\\0GITCRYPT\\0one' > secret/a.md;"
          "printf 'version https://git-lfs.github.com/spec/v1\\n' > pics/p.png;"
          "echo plain > plain.txt; git add .; git commit -qm filters;"
          "git push -q origin HEAD:main");
}

/* SEC-124: nothing that a filter would encrypt is published, by any way to commit. */
static void test_filters_commit(void **state)
{
    struct world *w = *state;
    for (int all = 0; all < 2; all++) {
        struct side s;
        if (all == 0)
            seed_filters(w);
        side_init(w, &s, all == 0 ? "bob" : "eve");
        s.config.git.add_all = all == 1;
        side_start(&s);
        CHECK("clone", !there(s.place.fd, "secret/a.md"));
        CHECK("clone", !there(s.place.fd, "pics/p.png"));
        CHECK_FILE(&s, "plain.txt", "plain\n");
        side_write(&s, "secret/a.md", "PLAIN TEXT\n");
        side_write(&s, "secret/deep/new.md", "PLAIN TEXT\n");
        side_write(&s, "pics/p.png", "PLAIN TEXT\n");
        side_write(&s, "Open.md", all == 0 ? "open\n" : "more\n");
        side_sync(&s);
        side_move(&s, "Open.md", "secret/Open.md");
        side_sync(&s);
        side_move(&s, "secret/Open.md", "Open.md");
        side_delete(&s, "secret/a.md");
        side_sync(&s);
        CHECK_STR("open", remote_text(w, "Open.md"), all == 0 ? "open" : "more");
        CHECK_STR("kept", sh(w, "git -C remote.git show main:secret/a.md | tr -d '\\0'"),
                  "GITCRYPTone");
        sh_code(w, "git -C remote.git log -p --all --text -S'PLAIN TEXT' | grep PLAIN",
                1);
        sh_code(w, "git -C remote.git cat-file -e main:secret/Open.md", 128);
        CHECK("notice", has_notice(&s, "the filter 'git-crypt'"));
        CHECK("notice", has_notice(&s, "the filter 'lfs'"));
        assert_int_equal(side_state(&s).n_notices, 2);
        side_close(&s);
    }
}

/* What the remote has for such a file is not written, and what is here stays. */
static void test_filters_pull(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_write(&s, "secret/a.md", "known before\n");
    side_write(&s, "old.png", "picture\n");
    side_sync(&s);
    sh(w, "cd ann; git pull -q; printf 'secret/** filter=git-crypt\\n*.png filter=lfs\\n'"
          "  > .gitattributes; printf '\\0GITCRYPT\\0' > secret/a.md; git add .;"
          "printf pointer > new.png; git mv old.png renamed.png; git add .;"
          "echo ok >> Note.md; git add .; git commit -qm crypt; git push -q origin "
          "HEAD:main");
    side_sync(&s);
    CHECK_FILE(&s, "secret/a.md", "known before\n");
    CHECK_FILE(&s, "old.png", "picture\n");
    CHECK("pictures", !there(s.place.fd, "new.png") && !there(s.place.fd, "renamed.png"));
    CHECK("others", str_find(place_text(&s.place, "Note.md"), STR("ok")) != STR_NONE);
    CHECK("notice", has_notice(&s, "neither committed nor written"));
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("theirs", sh(w, "git -C remote.git show main:new.png"), "pointer");
    CHECK_STR("theirs", sh(w, "git -C remote.git show main:secret/a.md | tr -d '\\0'"),
              "GITCRYPT");
    sh(w, "cd ann; git pull -q; git rm -q secret/a.md; git commit -qm gone;"
          "git push -q origin HEAD:main");
    side_sync(&s);
    CHECK_FILE(&s, "secret/a.md", "known before\n");
    side_close(&s);
    check_sound(w, "bob");
}

/* Attributes of folders above the vault count, too; and those in the git folder. */
static void test_filters_above(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w,
       "cd ann; mkdir notes; echo x > notes/x.md; echo 'notes/in/** filter=git-crypt' > "
       ".gitattributes; git add .; git commit -qm notes; git push -q origin HEAD:main;"
       "cd ..; git clone -q remote.git repo;"
       "echo 'notes/local.md filter=git-crypt' > repo/.git/info/attributes");
    for (int i = 0; i < 2; i++) {
        side_init(w, &s, i == 0 ? "repo/notes" : "alone");
        if (i == 0)
            snprintf(s.place.state, sizeof(s.place.state), "%s/state", w->top);
        s.config.git.subfolder = STR("notes");
        side_start(&s);
        side_write(&s, "in/a.md", "PLAIN TEXT\n");
        if (i == 0)
            side_write(&s, "local.md", "PLAIN TEXT\n");
        side_write(&s, "y.md", i == 0 ? "y\n" : "z\n");
        side_sync(&s);
        CHECK_STR("y", remote_text(w, "notes/y.md"), i == 0 ? "y" : "z");
        sh_code(w, "git -C remote.git grep -q 'PLAIN TEXT' main", 1);
        side_close(&s);
    }
}

/* --- plugins --- */

static void add_plugins(struct world *w)
{
    sh(w, "cd ann; mkdir -p .obsidian/plugins/evil .obsidian/snippets "
          ".mobile/Plugins/evil Sub/.obsidian/plugins/evil .obsidian/themes/t;"
          "for f in .obsidian/plugins/evil/main.js .obsidian/plugins/evil/data.json "
          ".obsidian/community-plugins.json .obsidian/Community-Plugins.JSON "
          ".mobile/Plugins/evil/main.js Sub/.obsidian/plugins/evil/main.js "
          "'.obsidian/plugins./main.js' .obsidian/snippets/a.css .obsidian/app.json "
          ".obsidian/themes/t/theme.css; do mkdir -p \"$(dirname \"$f\")\";"
          "echo evil > \"$f\"; done; git add -f .; git commit -qm plugins;"
          "git push -q origin HEAD:main");
}

static void check_plugins(struct world *w, const char *folder, const char *want)
{
    CHECK_STR(folder,
              sh(w, arena_printf(&w->arena,
                                 "cd %s; find . -path ./.git -prune -o -type f -print | "
                                 "grep -i plugins | wc -l",
                                 folder)
                        .p),
              want);
}

static void test_plugins(void **state)
{
    struct world *w = *state;
    struct side pulled, cloned, allowed;
    world_seed(w);
    side_open(w, &pulled, "bob");
    side_sync(&pulled);
    add_plugins(w);
    side_sync(&pulled);
    check_plugins(w, "bob", "0");
    CHECK_FILE(&pulled, ".obsidian/app.json", "evil\n");
    CHECK_FILE(&pulled, ".obsidian/snippets/a.css", "evil\n");
    CHECK("notice", has_notice(&pulled, "--git-plugins"));
    side_init(w, &cloned, "eve");
    cloned.config.git.add_all = true;
    side_start(&cloned);
    check_plugins(w, "eve", "0");
    side_init(w, &allowed, "joe");
    allowed.config.git.plugins = true;
    side_start(&allowed);
    check_plugins(w, "joe", "6");
    /* what is only in the repository is neither removed nor reverted */
    side_write(&pulled, "A.md", "a\n");
    side_sync(&pulled);
    side_write(&cloned, "B.md", "b\n");
    side_sync(&cloned);
    CHECK_STR("kept", remote_text(w, ".obsidian/plugins/evil/main.js"), "evil");
    CHECK_STR("kept", remote_text(w, ".obsidian/community-plugins.json"), "evil");
    side_close(&pulled);
    side_close(&cloned);
    side_close(&allowed);
}

/* One's own plugins are saved in the repository, and what others make of them stays
 * there; a plugin that others removed goes. */
static void test_own_plugins(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.add_all = true;
    side_start(&s);
    sh(w, "cd bob; mkdir -p .obsidian/plugins/mine; echo mine > "
          ".obsidian/plugins/mine/main.js;"
          "echo x > .obsidian/plugins/mine/x.js");
    side_sync(&s);
    CHECK_STR("saved", remote_text(w, ".obsidian/plugins/mine/main.js"), "mine");
    sh(w, "cd ann; git pull -q; echo evil > .obsidian/plugins/mine/main.js;"
          "git rm -q .obsidian/plugins/mine/x.js; git commit -qam evil;"
          "git push -q origin HEAD:main");
    side_sync(&s);
    CHECK_FILE(&s, ".obsidian/plugins/mine/main.js", "mine\n");
    CHECK("gone", !there(s.place.fd, ".obsidian/plugins/mine/x.js"));
    side_write(&s, "A.md", "a\n");
    side_sync(&s);
    CHECK_STR("not reverted", remote_text(w, ".obsidian/plugins/mine/main.js"), "evil");
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_filters_commit), WORLD_TEST(test_filters_pull),
        WORLD_TEST(test_filters_above),  WORLD_TEST(test_plugins),
        WORLD_TEST(test_own_plugins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
