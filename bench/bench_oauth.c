/*
 * What the gate costs per request: a token seen before, one that is new to this process,
 * and an unknown one. bench_oauth FOLDER
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "oauth/proof/secret.h"

enum { TOKENS = 500, CALLS = 200000, RUNS = 5 };

struct measured {
    struct oauth *oauth;
    str tokens[TOKENS];
};

static void issue(struct measured *m, struct arena *a)
{
    struct oauth_code order = {.client_id = STR("app"),
                               .client_name = STR("App"),
                               .redirect_uri = STR("https://app.example/cb"),
                               .challenge =
                                   STR("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                               .user = STR("alice"),
                               .rights = rights_all(OAUTH_READ)};
    const struct oauth_client app = {.id = STR("app"), .grants = GRANT_CODE};
    for (size_t i = 0; i < TOKENS; i++) {
        struct oauth_answer answer;
        struct oauth_fault fault;
        struct err err;
        str code;
        if (!grants_issue_code(m->oauth, a, &order, &code, &err) ||
            !grants_redeem_code(m->oauth, a, &app, code,
                                STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
                                (str){0}, &answer, &fault))
            BUG("no token");
        m->tokens[i] = answer.access_token;
    }
}

static double look_up(struct measured *m, size_t calls, const str *tokens, bool good)
{
    struct arena a = {0};
    uint64_t begin = clock_ns();
    for (size_t i = 0; i < calls; i++) {
        struct oauth_grant g;
        bool unsure;
        if (grant_of_token(m->oauth, &a, tokens[i % TOKENS], &g, &unsure) != good)
            BUG("wrong answer");
        arena_reset(&a);
    }
    double ns = (double)(clock_ns() - begin) / (double)calls;
    arena_release(&a);
    return ns;
}

static double hash_only(const str *tokens)
{
    uint8_t hash[HASH_SIZE];
    uint64_t begin = clock_ns();
    for (size_t i = 0; i < CALLS; i++)
        hash_sha256(tokens[i % TOKENS], hash);
    return (double)(clock_ns() - begin) / CALLS;
}

static void keep_least(double *least, double value)
{
    if (*least == 0 || value < *least)
        *least = value;
}

static void measure(const char *name, enum oauth_tokens format, const char *folder)
{
    struct arena a = {0};
    struct measured m = {0};
    str strangers[TOKENS];
    double known = 0, fresh = 0, unknown = 0, floor = 0;
    struct oauth_config config = {.url = STR("https://vault.example"),
                                  .mcp_path = STR("/mcp"),
                                  .users = STR("alice:$2b$10$N9qo8uLOickgx2ZMRZoMye"
                                               "IjZAgcfl7p92ldGxad68LJZdL17lhWy"),
                                  .token_format = format,
                                  .access_ttl = 86400,
                                  .refresh_ttl = 86400,
                                  .refresh_idle = 86400};
    config.database = arena_printf(&a, "%s/%s.db", folder, name).p;
    struct err err = {0};
    for (size_t i = 0; i < TOKENS; i++)
        strangers[i] = secret_new(&a, STR(""));
    for (int run = 0; run < RUNS; run++) {
        if (!oauth_create(&config, &m.oauth, &err))
            BUG("%s (%s)", err.msg, err.detail);
        if (run == 0)
            issue(&m, &a);
        keep_least(&fresh, look_up(&m, TOKENS, m.tokens, true));
        keep_least(&known, look_up(&m, CALLS, m.tokens, true));
        keep_least(&unknown, look_up(&m, CALLS / 20, strangers, false));
        keep_least(&floor, hash_only(m.tokens));
        oauth_free(m.oauth);
    }
    fprintf(stdout,
            "%-6s token seen before %.2f us (SHA-256 alone %.2f), new to the process "
            "%.1f us, unknown %.1f us\n",
            name, known / 1e3, floor / 1e3, fresh / 1e3, unknown / 1e3);
    arena_release(&a);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: bench_oauth FOLDER\n", stderr);
        return 2;
    }
    log_setup(LOG_ERROR, LOG_TEXT);
    measure("opaque", OAUTH_OPAQUE, argv[1]);
    measure("jwt", OAUTH_JWT, argv[1]);
    return 0;
}
