#include "oauth/documents.h"

#include "check.h"

#define AT "https://app.example/meta"
#define GOOD "\"client_id\":\"" AT "\",\"client_name\":\"App\""
#define URIS ",\"redirect_uris\":[\"https://app.example/back\"]"

static const struct {
    const char *name, *text;
    bool good;
} rows[] = {
    {"plain", "{" GOOD URIS "}", true},
    {"none", "{" GOOD URIS ",\"token_endpoint_auth_method\":\"none\"}", true},
    {"ChatGPT prefers a key but lists none",
     "{" GOOD URIS ",\"token_endpoint_auth_method\":\"private_key_jwt\","
     "\"token_endpoint_auth_methods_supported\":[\"private_key_jwt\",\"none\"]}",
     true},
    {"no name", "{\"client_id\":\"" AT "\"" URIS "}", true},
    {"loopback", "{" GOOD ",\"redirect_uris\":[\"http://localhost/cb\"]}", true},
    {"not JSON", "<html>", false},
    {"not an object", "[]", false},
    {"another id", "{\"client_id\":\"https://app.example/meta/\"" URIS "}", false},
    {"no id", "{\"client_name\":\"App\"" URIS "}", false},
    {"a key only", "{" GOOD URIS ",\"token_endpoint_auth_method\":\"private_key_jwt\"}",
     false},
    {"a secret method",
     "{" GOOD URIS ",\"token_endpoint_auth_method\":\"client_secret_basic\"}", false},
    {"a secret", "{" GOOD URIS ",\"client_secret\":\"x\"}", false},
    {"a private key",
     "{" GOOD URIS ",\"jwks\":{\"keys\":[{\"kty\":\"EC\",\"d\":\"x\"}]}}", false},
    {"no redirect", "{" GOOD "}", false},
    {"empty redirects", "{" GOOD ",\"redirect_uris\":[]}", false},
    {"redirect not a string", "{" GOOD ",\"redirect_uris\":[1]}", false},
    {"script", "{" GOOD ",\"redirect_uris\":[\"javascript:alert(1)\"]}", false},
    {"plain http", "{" GOOD ",\"redirect_uris\":[\"http://app.example/\"]}", false},
    {"one of two is bad",
     "{" GOOD ",\"redirect_uris\":[\"https://app.example/\",\"file:///x\"]}", false},
    {"duplicate key", "{" GOOD URIS URIS "}", false},
};

static void test_SEC_25_read(void **state)
{
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct oauth_client c;
        struct err err;
        bool good = document_read(&a, STR(AT), str_c(rows[i].text), &c, &err);
        CHECK_INT(rows[i].name, good, rows[i].good);
        if (good) {
            CHECK_STR(rows[i].name, c.id, AT);
            CHECK_INT(rows[i].name, c.kind, CLIENT_DOCUMENT);
            CHECK_INT(rows[i].name, c.auth, CLIENT_PUBLIC);
            CHECK(rows[i].name, c.n_redirect_uris == 1 && c.name.n > 0);
        } else {
            CHECK_INT(rows[i].name, err.code, ERR_NOT_FOUND);
        }
    }
    arena_release(&a);
}

/* None of these is ever fetched. */
static void test_SEC_25_urls(void **state)
{
    static const char *const bad[] = {
        "https://app.example",        "https://app.example/",
        "http://app.example/meta",    "https://user@app.example/meta",
        "https://app.example/meta#x", "https://app.example/a/../meta",
        "https://app.example/./meta", "ftp://app.example/meta",
        "https://127.0.0.1/meta",     "https://localhost/meta",
        "https://[::1]/meta",         "https://2130706433/meta",
        "https://0x7f.1/meta",        "https://0177.0.0.1/meta",
        "https://169.254.169.254/l",  "https://10.0.0.1:8443/meta",
        "https://[::ffff:7f00:1]/m",  "https:///meta",
    };
    struct documents *d = documents_create(false);
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct oauth_client c;
        struct err err;
        CHECK(bad[i], !documents_find(d, &a, str_c(bad[i]), &c, &err));
    }
    arena_release(&a);
    documents_free(d);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_25_read),
        cmocka_unit_test(test_SEC_25_urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
