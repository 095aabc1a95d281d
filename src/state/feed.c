#include "state/feed.h"

#include "state/keeper.h"

struct feed {
    struct postgres *postgres; /* NULL: nobody else is there */
    struct feed_config config;
};

static void feed_set(struct postgres *p, struct feed *f)
{
    mutex_lock(&p->feeding);
    if (f != NULL && p->feed != NULL)
        BUG("a store has one feed");
    p->feed = f;
    mutex_unlock(&p->feeding);
}

struct feed *feed_open(struct store *s, const struct feed_config *config)
{
    struct feed *f = mem_alloc(sizeof(*f));
    *f = (struct feed){postgres_of(s), *config};
    if (f->postgres != NULL)
        feed_set(f->postgres, f);
    return f;
}

void feed_close(struct feed *f)
{
    if (f == NULL)
        return;
    if (f->postgres != NULL)
        feed_set(f->postgres, NULL);
    free(f);
}

void feed_say(struct feed *f, enum feed_topic topic, str text)
{
    if (text.n > FEED_LONG_MAX)
        BUG("a message of %zu bytes", text.n);
    if (f->postgres != NULL)
        keeper_say(f->postgres, topic, text);
}

void feed_hear(struct feed *f, enum feed_topic topic, str text)
{
    f->config.heard(f->config.arg, topic, text);
}

void feed_lost(struct feed *f)
{
    if (f->config.lost != NULL)
        f->config.lost(f->config.arg);
}
