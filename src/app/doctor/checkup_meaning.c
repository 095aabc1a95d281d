/* Search by meaning: does the endpoint that makes vectors answer, and who gets the notes? */

#include "app/doctor/checkup_parts.h"
#include "app/setup/advice.h"
#include "app/setup/endpoint.h"
#include "app/setup/secret_files.h"
#include "base/clock.h"
#include "base/os/file.h"

enum { CHECKUP_EMBED_S = 20 };

static bool key_is_private(struct checkup *c, const char *path)
{
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_FOLLOW);
    if (fd < 0 || !secret_files_judge(fd))
        return true; /* that it cannot be read is a problem of the settings */
    FOUND_WARN(c, advice(c->arena, ADVICE_PRIVATE_FILE, str_c(path)),
               "the key %s can be read by others", path);
    return false;
}

static str embeddings_advice(const struct err *err)
{
    if (err->code == ERR_DENIED || err->code == ERR_INVALID)
        return STR("See the --embeddings settings in docs/search.md");
    return STR("Start that server and load its model, or see docs/search.md; until then "
               "search uses words only");
}

static void ask_endpoint(struct checkup *c, const struct embedder *e)
{
    struct err err = {0};
    str outside = endpoint_outside(c->arena, &c->settings->embeddings);
    str text = STR("vaultd doctor");
    float *vector;
    unsigned numbers;
    uint64_t began = clock_ns();
    if (!e->embed(e->arg, c->arena, EMBED_CHUNK, &text, 1,
                  began + CHECKUP_EMBED_S * 1000000000ULL, &vector, &numbers, &err)) {
        FOUND_BAD(c, embeddings_advice(&err), "%s", err.msg);
        return;
    }
    FOUND_GOOD(c, STR_FMT " returns embeddings of %u dimensions in %u ms",
               STR_ARG(e->about), numbers, (unsigned)((clock_ns() - began) / 1000000));
    if (outside.n > 0)
        FOUND_GOOD(c, "the text of notes is sent to " STR_FMT, STR_ARG(outside));
}

void checkup_meaning(struct checkup *c)
{
    const struct settings_embeddings *s = &c->settings->embeddings;
    struct embedder e;
    if (c->problem != NULL || !endpoint_url(s, NULL))
        return;
    if (s->key_file.n > 0 && !key_is_private(c, arena_str(c->arena, s->key_file).p))
        return;
    endpoint_open(c->arena, s, &e);
    ask_endpoint(c, &e);
    endpoint_close(&e);
}
