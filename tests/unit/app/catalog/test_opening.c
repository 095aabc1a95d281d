/* How vaults of the settings and hosted ones are opened and closed, by the hooks that open_vaults.h calls. */
#include "app/catalog/opening.h"

#include "app/setup/reach.h"
#include "app/setup/vaults.h"
#include "app_place.h"
#include "state/vault_table.h"

static void fill(struct place *p)
{
    place_put(p, "A.md", STR("alpha\n"));
}

/* plain has no remote; the remote of lost does not exist. */
static void fill_hosted(struct place *p)
{
    struct settings settings = {.state_dir = str_c(p->state)};
    struct vault_table_row plain = {.name = STR("plain")}, lost = {.name = STR("lost")};
    struct store *s;
    lost.remote = arena_printf(&p->arena, "%s/none.git", p->top);
    (void)mkdir(p->state, 0700);
    OK(store_open(reach_state(&p->arena, &settings), &s, &err));
    OK(vault_table_add(s, &plain, &err));
    OK(vault_table_add(s, &lost, &err));
    store_close(s);
}

static struct app_vault *named(struct app_place *p, const char *name)
{
    struct app_vault *v = vaults_named(&p->app, str_c(name));
    assert_non_null(v);
    return v;
}

/* Tools of sync are offered if a vault may be synced: a hosted one may get a remote later. */
static void test_what_is_offered(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    CHECK("not synced", !opening_may_sync(&p->app) && !opening_has_history(&p->app));
    app_place_close(p);
    p = app_place_open("--vaults-dir @/hosted", fill_hosted);
    CHECK("hosted", opening_may_sync(&p->app) && opening_has_history(&p->app));
    app_place_close(p);
}

static void test_hosted(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--vaults-dir @/hosted", fill_hosted);
    struct app_vault *v = named(p, "plain");
    str *names;
    CHECK("nothing to clone", !opening_hooks.is_away(v));
    CHECK("closed", v->vault == NULL);
    for (int i = 0; i < 2; i++) {
        OK(opening_hooks.open(v, &err));
        CHECK_STR("its folder", str_c(vault_folder(v->vault)), vaults_folder(v));
        CHECK("all is sent", !opening_hooks.unsent(v));
        opening_hooks.close(v);
        CHECK("closed again", v->vault == NULL);
    }
    CHECK_INT("subscriptions", opening_hooks.watched(&p->app, &p->place->arena, &names),
              0);
    app_place_close(p);
}

/* A failure leaves nothing open, and can be tried again. */
static void test_remote_is_missing(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--vaults-dir @/hosted", fill_hosted);
    struct app_vault *v = named(p, "lost");
    struct err err = {0};
    CHECK("must be cloned", opening_hooks.is_away(v));
    for (int i = 0; i < 2; i++) {
        CHECK("cannot be cloned", !opening_hooks.fetch(v, &err) && err.msg[0] != '\0');
        CHECK("cannot be opened", !opening_hooks.open(v, &err) && v->vault == NULL);
        CHECK("still away", opening_hooks.is_away(v));
    }
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_offered),
        cmocka_unit_test(test_hosted),
        cmocka_unit_test(test_remote_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
