/* What is said about a sync, and to whom: a caller who does not see the whole vault learns no name of a file that is hidden,
 * and nothing that could have one in it. */
#include "app/setup/syncing.h"

#include "quoted.h"
#include "vault_place.h"

static struct sync_conflict conflicts[] = {
    {{"Home.md", 7}, {"Home (conflict 1).md", 20}},
    {{"Private/a.md", 12}, {"Private/a (conflict 1).md", 25}},
    {{"Open.md", 7}, {"Private/moved (conflict 1).md", 29}},
    {{".obsidian/app.json", 18}, {"", 0}},
};
static str notices[] = {{"Private/too large.bin is not on disk", 36}};

static const struct {
    const char *name;
    struct sync_state state;
    const char *all, *some; /* for the owner, and for a caller who does not see Private */
} rows[] = {
    {"never synced",
     {.kind = SYNC_GIT, .ahead = -1, .behind = -1},
     "{'kind':'git','conflicts':[]}",
     "{'kind':'git','conflicts':[]}"},
    {"level",
     {.kind = SYNC_GIT,
      .remote = {"git@host:notes", 14},
      .branch = {"main", 4},
      .last_try = 60,
      .last_success = 61},
     "{'kind':'git','remote':'git@host:notes','branch':'main','ahead':0,'behind':0,"
     "'last_try':'1970-01-01T00:01:00Z','last_success':'1970-01-01T00:01:01Z',"
     "'conflicts':[]}",
     "{'kind':'git','branch':'main','ahead':0,'behind':0,"
     "'last_try':'1970-01-01T00:01:00Z','last_success':'1970-01-01T00:01:01Z',"
     "'conflicts':[]}"},
    {"running",
     {.kind = SYNC_COMMAND, .ahead = -1, .behind = -1, .running_since = 5, .waiting = 2},
     "{'kind':'command','waiting':2,'running_since':'1970-01-01T00:00:05Z',"
     "'conflicts':[]}",
     "{'kind':'command','waiting':2,'running_since':'1970-01-01T00:00:05Z',"
     "'conflicts':[]}"},
    {"failed",
     {.kind = SYNC_COMMAND,
      .ahead = -1,
      .behind = -1,
      .last_error = {"cannot copy Private/a.md", 24}},
     "{'kind':'command','last_error':'cannot copy Private/a.md','conflicts':[]}",
     "{'kind':'command','last_error':'" SYNCING_FAILED "','conflicts':[]}"},
    {"conflicts and notices",
     {.kind = SYNC_GIT,
      .ahead = -1,
      .behind = -1,
      .conflicts = conflicts,
      .n_conflicts = COUNT_OF(conflicts),
      .notices = notices,
      .n_notices = COUNT_OF(notices)},
     "{'kind':'git','conflicts':[{'path':'Home.md','theirs':'Home (conflict 1).md'},"
     "{'path':'Private/a.md','theirs':'Private/a (conflict 1).md'},"
     "{'path':'Open.md','theirs':'Private/moved (conflict 1).md'}],"
     "'notices':['Private/too large.bin is not on disk']}",
     "{'kind':'git','conflicts':[{'path':'Home.md','theirs':'Home (conflict 1).md'}]}"},
};

static str status(struct arena *a, const struct sync_state *s, const struct vault *v)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    syncing_put(&w, s, v);
    jsonw_end(&w);
    return sbuf_str(&out);
}

static void test_status(void **state)
{
    struct place *p = *state;
    struct access access;
    str hidden = STR("Private");
    place_put(p, "Home.md", STR("home\n"));
    place_start(p);
    OK(access_make(&p->arena, &(struct access_request){.deny = &hidden, .n_deny = 1},
                   &access, &err));
    struct vault *some = vault_as(p->vault, &p->arena, &access);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct sync_state *s = &rows[i].state;
        CHECK_QUOTED(&p->arena, rows[i].name, status(&p->arena, s, p->vault),
                     rows[i].all);
        CHECK_QUOTED(&p->arena, rows[i].name, status(&p->arena, s, some), rows[i].some);
    }
}

static void test_saved(void **state)
{
    struct place *p = *state;
    str text;
    assert_int_equal(mkdir(p->state, 0700), 0);
    FAILS(syncing_saved(&p->arena, STR("k1"), p->state, &text, &err), ERR_NOT_FOUND,
          "this vault has never been synced");
    place_put(p, "../state/sync-k1.json", STR("{\"kind\":\"git\"}\n"));
    OK(syncing_saved(&p->arena, STR("k1"), p->state, &text, &err));
    CHECK_STR("saved", text, "{\"kind\":\"git\"}\n");
    FAILS(syncing_saved(&p->arena, STR("k"), p->state, &text, &err), ERR_NOT_FOUND,
          "never");
    str large = {ARENA_ARRAY(&p->arena, char, 2 << 20), 2 << 20};
    memset((char *)large.p, ' ', large.n);
    place_put(p, "../state/sync-k2.json", large);
    FAILS(syncing_saved(&p->arena, STR("k2"), p->state, &text, &err), ERR_LIMIT, "");
}

static bool prepare(struct place *p, const struct settings_sync *s, struct syncing *out,
                    struct err *err)
{
    *out = (struct syncing){0};
    bool ok = syncing_prepare(out, &p->arena, s, p->folder, p->state, err);
    lock_release(&out->lock);
    return ok;
}

static void test_prepare(void **state)
{
    struct place *p = *state;
    struct syncing s;
    struct settings_sync nothing = {.wait = 20},
                         push = {.kind = SETTINGS_SYNC_GIT,
                                 .ack = SYNC_ACK_PUSH,
                                 .git_author_name = STR("v"),
                                 .git_author_email = STR("v@localhost"),
                                 .timeout = 60},
                         local = push;
    assert_int_equal(mkdir(p->state, 0700), 0);
    OK(prepare(p, &nothing, &s, &err));
    CHECK("off", !syncing_is_on(&s) && !syncing_has_history(&s));
    CHECK_INT("seconds", s.wait_ms, 20000);
    FAILS(prepare(p, &push, &s, &err), ERR_INVALID, "give --git-remote");
    local.ack = SYNC_ACK_LOCAL;
    OK(prepare(p, &local, &s, &err));
    CHECK("on", syncing_is_on(&s) && syncing_has_history(&s));
    CHECK("a key", s.config.state_key != NULL && s.config.state_key[0] != '\0');
    s = (struct syncing){.state_key = "hosted-1"};
    OK(syncing_prepare(&s, &p->arena, &local, p->folder, p->state, &err));
    CHECK_STR("that of the hosted vault", str_c(s.config.state_key), "hosted-1");
    lock_release(&s.lock);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_status),
        PLACE_TEST(test_saved),
        PLACE_TEST(test_prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
