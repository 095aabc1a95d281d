/* The checks of vaultd doctor on a machine that is prepared for each: what is found, and how to fix it. */
#include "app/doctor/checkup_parts.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/doctor/checkup.h"
#include "app/doctor/doctor.h"
#include "app_place.h"
#include "cli_place.h"

struct row {
    const char *name;
    check_fn *run;
    const char *flags;
    void (*prepare)(struct place *p);
    enum finding_status status; /* of the last finding */
    const char *got, *fix;      /* parts of it; got NULL: there is no finding */
};

static void put_state(struct place *p, const char *name, const char *bytes, size_t n,
                      mode_t mode)
{
    (void)mkdir(p->state, 0700);
    const char *path = arena_printf(&p->arena, "%s/%s", p->state, name).p;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_int_equal(write(fd, bytes, n), n);
    fchmod(fd, mode);
    close(fd);
}

static void no_folder(struct place *p)
{
    place_remove(AT_FDCWD, p->folder);
}

static void obsidian(struct place *p)
{
    place_put(p, ".obsidian/app.json", STR("{}"));
    place_put(p, "Sub/a.md", STR("a"));
}

static void link_out(struct place *p)
{
    obsidian(p);
    assert_int_equal(symlinkat("/etc", p->fd, "etc"), 0);
    assert_int_equal(symlinkat("Sub/a.md", p->fd, "inside.md"), 0);
}

static void in_icloud(struct place *p)
{
    obsidian(p);
    place_put(p, "Sub/.Far.md.icloud", STR("bplist00"));
    place_put(p, ".Near.md.icloud", STR("bplist00"));
}

static void open_state(struct place *p)
{
    assert_int_equal(mkdir(p->state, 0700), 0);
    assert_int_equal(chmod(p->state, 0755), 0);
}

static void private_state(struct place *p)
{
    assert_int_equal(mkdir(p->state, 0700), 0);
}

static void file_as_state(struct place *p)
{
    int fd = open(p->state, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(fd);
}

static void empty_database(struct place *p)
{
    put_state(p, "oauth.db", "", 0, 0600);
}

static void damaged_database(struct place *p)
{
    put_state(p, "oauth.db", "nonsense", 8, 0600);
}

static void database_of(struct place *p, unsigned char version)
{
    char head[64] = "SQLite format 3";
    head[63] = (char)version;
    put_state(p, "oauth.db", head, sizeof(head), 0600);
}

static void old_database(struct place *p)
{
    database_of(p, 1);
}

static void new_database(struct place *p)
{
    database_of(p, 250);
}

static void open_key(struct place *p)
{
    put_state(p, "key", "secret", 6, 0644);
}

static void private_key(struct place *p)
{
    put_state(p, "key", "secret", 6, 0600);
}

static const struct row rows[] = {
    {"no folder", checkup_vault, "", no_folder, FINDING_BAD, "/vault is not a folder",
     "--vault-path FOLDER"},
    {"never opened", checkup_vault, "", NULL, FINDING_GOOD, "/vault, 1 folder", NULL},
    {"fine", checkup_vault, "", obsidian, FINDING_GOOD, "/vault, 2 folders", NULL},
    {"link out", checkup_vault, "", link_out, FINDING_WARN,
     "1 symbolic link leads outside ", "not followed"},
    {"only in iCloud", checkup_vault, "", in_icloud, FINDING_WARN,
     "2 files are only in iCloud and cannot be read in ", "on this computer"},
    {"polling", checkup_watches, "--poll", NULL, FINDING_GOOD,
     "by polling every second (--poll)", NULL},
    {"watches", checkup_watches, "", NULL, FINDING_GOOD, "3 folders; up to ", NULL},
    {"no index", checkup_index, "", NULL, FINDING_GOOD, "none yet: the first start of ",
     NULL},
    {"no state", checkup_state, "", NULL, FINDING_GOOD,
     "does not exist yet and will be created", NULL},
    {"private state", checkup_state, "", private_state, FINDING_GOOD, " left", NULL},
    {"file as state", checkup_state, "", file_as_state, FINDING_BAD,
     "/state cannot be used", "another --state-dir"},
    {"no database", checkup_database, "", NULL, FINDING_GOOD, NULL, NULL},
    {"empty database", checkup_database, "", empty_database, FINDING_GOOD, NULL, NULL},
    {"damaged database", checkup_database, "", damaged_database, FINDING_BAD,
     "is damaged", "Restore it from a backup"},
    {"old database", checkup_database, "", old_database, FINDING_GOOD,
     "version 1, which the next start will upgrade", NULL},
    {"new database", checkup_database, "", new_database, FINDING_BAD,
     "it was made by a newer vaultd (version 250;", "Use that vaultd"},
    {"stdio", checkup_sign_in, "--stdio", NULL, FINDING_GOOD, NULL, NULL},
    {"this machine", checkup_sign_in, "", NULL, FINDING_GOOD,
     "only local programs have access", NULL},
    {"auth none", checkup_sign_in, "--auth none --listen-addr 127.0.0.1:0", NULL,
     FINDING_WARN, "everyone who can reach the server has access", "firewall or VPN"},
    {"no sync", checkup_sync, "", NULL, FINDING_GOOD, NULL, NULL},
    {"open key", checkup_sync,
     "--git-remote git@example.invalid:a.git --git-ssh-key @/state/key", open_key,
     FINDING_BAD, "can be read by others, so ssh refuses it", "chmod 600 '"},
    {"no key", checkup_sync,
     "--git-remote git@example.invalid:a.git --git-ssh-key @/state/none", private_key,
     FINDING_BAD, "cannot find", "See docs/git.md"},
    {"no program", checkup_sync, "--sync-command /nowhere/sync", NULL, FINDING_BAD,
     "there is no program /nowhere/sync", "full path"},
    {"program", checkup_sync, "--sync-command sh", NULL, FINDING_GOOD,
     "the program was found", NULL},
    {"no endpoint", checkup_meaning, "", NULL, FINDING_GOOD, NULL, NULL},
    {"stdio has no port", checkup_port, "--stdio", NULL, FINDING_GOOD, NULL, NULL},
    {"a socket", checkup_port, "--listen-addr unix:@/sock", NULL, FINDING_GOOD,
     "unix:", NULL},
    {"free", checkup_port, "--listen-addr 127.0.0.1:0", NULL, FINDING_GOOD,
     "127.0.0.1:0 is free", NULL},
    {"not our address", checkup_port, "--listen-addr 192.0.2.1:8090 --auth none", NULL,
     FINDING_BAD, "192.0.2.1:8090 cannot be used: ", "--listen-addr"},
    {"no proxy", checkup_proxy, "", NULL, FINDING_GOOD, NULL, NULL},
    {"proxy not trusted", checkup_proxy,
     "--server-url https://vault.example.com --auth none", NULL, FINDING_WARN,
     "no proxy is trusted", "--trusted-proxies 127.0.0.1"},
    {"proxy", checkup_proxy,
     "--server-url https://vault.example.com --auth none --trusted-proxies 127.0.0.1",
     NULL, FINDING_GOOD, "vaultd doctor --connector https://vault.example.com/mcp", NULL},
    {"clock", checkup_clock, "", private_state, FINDING_GOOD, "no deviation found", NULL},
    {"clients", checkup_clients, "", NULL, FINDING_GOOD, "no AI client is configured",
     NULL},
};

static void check_row(const struct row *r)
{
    void *state;
    place_setup(&state);
    struct place *p = state;
    app_place_clean_environment(p);
    if (r->prepare != NULL)
        r->prepare(p);
    struct settings settings = app_place_settings(p, r->flags);
    struct checkup *c = ARENA_NEW(&p->arena, struct checkup);
    *c = (struct checkup){
        .arena = &p->arena, .settings = &settings, .state_dir = p->state, .folders = 3};
    c->vaults =
        (struct configured_vaults){ARENA_NEW(&p->arena, struct configured_vault), 1};
    c->vaults.items[0].folder = str_c(p->folder);
    r->run(c);
    const struct checkup_finding *last = c->n > 0 ? &c->findings[c->n - 1] : NULL;
    CHECK_INT(r->name, last != NULL, r->got != NULL);
    if (last != NULL) {
        const char *row = arena_printf(&p->arena, "%s, '" STR_FMT "', '" STR_FMT "'",
                                       r->name, STR_ARG(last->got), STR_ARG(last->fix))
                              .p;
        CHECK_INT(row, last->status, r->status);
        CHECK(row, str_find(last->got, str_c(r->got)) != STR_NONE);
        CHECK_INT(row, last->fix.n > 0, last->status != FINDING_GOOD);
        CHECK(row, r->fix == NULL || str_find(last->fix, str_c(r->fix)) != STR_NONE);
    }
    place_teardown(&state);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(&rows[i]);
}

/* A warning that is not the last finding. */
static void test_warnings(void **state)
{
    struct place *p = *state;
    app_place_clean_environment(p);
    open_state(p);
    struct settings settings = app_place_settings(p, "");
    struct checkup *c = ARENA_NEW(&p->arena, struct checkup);
    *c = (struct checkup){
        .arena = &p->arena, .settings = &settings, .state_dir = p->state};
    checkup_state(c);
    CHECK_INT("others can read the state", c->findings[0].status, FINDING_WARN);
    CHECK("chmod", str_starts(c->findings[0].fix, STR("chmod 700 '")));
    checkup_vault(c);
    CHECK_STR("no vault", c->findings[c->n - 1].got,
              "no vault is configured, and this folder is not inside one");
    CHECK_INT("no vault", c->findings[c->n - 1].status, FINDING_BAD);
    for (size_t i = c->n; i < 2 * (size_t)FINDINGS_MAX; i++)
        FOUND_GOOD(c, "more");
    CHECK_INT("limit", c->n, FINDINGS_MAX);
}

/* A port that another program has. */
static void test_taken(void **state)
{
    struct place *p = *state;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    app_place_clean_environment(p);
    const char *flags =
        arena_printf(&p->arena, "--listen-addr 127.0.0.1:%u", ntohs(at.sin_port)).p;
    struct settings settings = app_place_settings(p, flags);
    struct checkup *c = ARENA_NEW(&p->arena, struct checkup);
    *c = (struct checkup){
        .arena = &p->arena, .settings = &settings, .state_dir = p->state};
    checkup_port(c);
    CHECK_INT("taken", c->findings[0].status, FINDING_BAD);
    CHECK("taken", str_find(c->findings[0].got, STR(" is in use")) != STR_NONE);
    CHECK("taken", str_find(c->findings[0].fix, STR("--port")) != STR_NONE);
    close(fd);
}

/* The whole command: what is printed, and its exit code. */
static void test_command(void **state)
{
    struct place *p = *state;
    static const struct cli_verb *const none[] = {NULL};
    static const struct cli_row commands[] = {
        {"doctor @/vault --state-dir @/state --port 0", .out = "✓ Settings: OK\n"},
        {"doctor @/vault --state-dir @/state --port 0",
         .out = "✓ Vault: @/vault, 2 folders\n", .width = 80},
        {"doctor @/vault --state-dir @/state --port 0 --json",
         .out = "~{'ok':true,'checks':[{'id':'settings','status':'ok','got':'OK'}"},
        {"doctor @/none --state-dir @/state", .code = 1,
         .out = "✗ Vault: @/none is not a folder\n    Give the folder"},
        {"doctor @/none --state-dir @/state --json", .code = 1, .out = "~{'ok':false,"},
        {"doctor @/vault --auth none --auth-users a:b", .code = 1, .out = "✗ Settings: "},
        {"doctor --connector nonsense", .code = 2,
         .err = "usage: vaultd doctor --connector https://NAME/mcp"},
        {"doctor --connector http://127.0.0.1:1", .code = 1,
         .out = "✗ claude.ai asks without a token\n    expected  401 with"},
        {"doctor http://127.0.0.1:1 --json", .code = 1,
         .out = "~{'url':'http://127.0.0.1:1/mcp','ok':false,'steps':[{'id':'claude'"},
        {"doctor --key-file @/none --connector http://127.0.0.1:1/", .code = 2,
         .err = "vaultd: "},
        {"doctor --strange", .code = 2, .err = "vaultd: unknown option '--strange'"},
        {"doctor --help",
         .out = "usage: vaultd doctor [VAULT|--connector URL] [OPTIONS]\n"},
    };
    app_place_clean_environment(p);
    obsidian(p);
    cli_check_rows(&(struct cli_place){p, none, doctor_run}, commands,
                   COUNT_OF(commands));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        PLACE_TEST(test_warnings),
        PLACE_TEST(test_taken),
        PLACE_TEST(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
