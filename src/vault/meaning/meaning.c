#include "vault/meaning/meaning.h"

struct meaning {
    const struct embedder *embedder;
};

struct meaning *meaning_open(const struct embedder *e, const struct embedder *former,
                             const char *file)
{
    (void)former, (void)file;
    struct meaning *m = mem_zero(sizeof(*m));
    m->embedder = e;
    return m;
}

void meaning_close(struct meaning *m)
{
    free(m);
}

void meaning_ask(struct meaning *m, struct arena *a, str question, uint64_t deadline_ns,
                 struct meaning_query *out)
{
    (void)m, (void)a, (void)question, (void)deadline_ns;
    *out = (struct meaning_query){.why = STR("no embeddings are set up")};
}

size_t meaning_near(struct meaning *m, const struct index *x, struct arena *a,
                    const struct meaning_query *q,
                    bool (*takes)(void *arg, const struct file *f), void *arg, size_t max,
                    struct meaning_near **out)
{
    (void)m, (void)x, (void)a, (void)q, (void)takes, (void)arg, (void)max;
    *out = NULL;
    return 0;
}

struct meaning_query meaning_of(struct meaning *m, const struct index *x, struct arena *a,
                                const struct file *f)
{
    (void)m, (void)x, (void)a, (void)f;
    return (struct meaning_query){0};
}

struct meaning_state meaning_state(struct meaning *m, const struct index *x,
                                   struct arena *a)
{
    (void)x, (void)a;
    return (struct meaning_state){.about = m != NULL ? m->embedder->about : STR("")};
}
