/* What the log says when the server serves: where it listens, and who gets in. */
#include "app/web/announce.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "base/log.h"
#include "check.h"

enum { LOG_MAX = 4096 };

struct world {
    struct app *app;
    struct http_server *http;
    char text[LOG_MAX];
};

static int setup(void **state)
{
    static struct app_vault vault = {.name = {"notes", 5}};
    struct world *w = mem_zero(sizeof(*w));
    struct err err = {0};
    w->app = mem_zero(sizeof(*w->app));
    w->app->vaults = &vault;
    w->app->n_vaults = 1;
    w->http = http_server_create(&(struct http_config){.limits = HTTP_LIMITS_DEFAULT});
    if (!http_server_listen(w->http, STR("127.0.0.1:0"), &err))
        fail_msg("%s", err.msg);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    http_server_free(w->http);
    free(w->app);
    free(w);
    return 0;
}

/* What a server with these settings writes to stderr; http: NULL for stdio. */
static const char *announced(struct world *w, bool stdio, bool people)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    log_setup(LOG_INFO, LOG_TEXT);
    if (stdio)
        announce_stdio(w->app);
    else
        announce_http(w->app, w->http, people);
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    rewind(file);
    w->text[fread(w->text, 1, sizeof(w->text) - 1, file)] = '\0';
    fclose(file);
    return w->text;
}

/* A host that means all addresses of this machine is no address for a client. */
static void test_listening(void **state)
{
    static const struct {
        const char *listen, *host; /* host: NULL: as in the settings */
    } rows[] = {
        {"127.0.0.1:0", "127.0.0.1"}, {"0.0.0.0:0", "127.0.0.1"},
        {":0", "127.0.0.1"},          {"[::]:0", "[::1]"},
        {"notes.lan:0", "notes.lan"}, {"unix:/run/vaultd.socket", NULL},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char want[100];
        w->app->settings.listen_addr = str_c(rows[i].listen);
        if (rows[i].host != NULL)
            snprintf(want, sizeof(want), "http://%s:%u/mcp", rows[i].host,
                     http_server_port(w->http));
        else
            snprintf(want, sizeof(want), "%s", rows[i].listen);
        const char *text = announced(w, false, true);
        CHECK(rows[i].listen, strstr(text, want) != NULL);
        CHECK(rows[i].listen, strstr(text, "notes") != NULL);
        CHECK(rows[i].listen, strstr(text, "warn") == NULL);
    }
    CHECK("stdio", strstr(announced(w, true, true), "stdio") != NULL);
}

/* No user can sign in, or no sign-in is required. */
static void test_access(void **state)
{
    struct world *w = *state;
    struct settings *s = &w->app->settings;
    s->listen_addr = STR("127.0.0.1:0");
    CHECK("no people", strstr(announced(w, false, false), REACH_NO_PEOPLE) != NULL);
    s->auth = AUTH_NONE;
    s->auth_given = true;
    CHECK("open", strstr(announced(w, false, true), "--auth none") != NULL);
    s->auth_given = false;
    const char *text = announced(w, false, true);
    CHECK("by its profile", strstr(text, "without sign-in") != NULL);
    CHECK("by its profile", strstr(text, "--auth none") == NULL);
}

/* Notes that leave the machine are worth a line. */
static void test_embeddings(void **state)
{
    struct world *w = *state;
    w->app->settings.listen_addr = STR("127.0.0.1:0");
    CHECK("off", strstr(announced(w, false, true), "notes_are_sent") == NULL);
    w->app->settings.embeddings.where = STR("https://api.example.com/v1");
    CHECK("sent", strstr(announced(w, false, true), "api.example.com") != NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_listening, setup, teardown),
        cmocka_unit_test_setup_teardown(test_access, setup, teardown),
        cmocka_unit_test_setup_teardown(test_embeddings, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
