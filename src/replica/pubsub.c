/*
 * A message is "TOPIC NUMBER/COUNT TEXT": one of the parts that its text was cut into.
 * They are sent one after the other, and put together if none is missing.
 */
#include "replica/pubsub.h"

#include "base/lock.h"
#include "base/sbuf.h"
#include "state/pg_thread.h"

enum { PUBSUB_SENDERS = 64, PUBSUB_PARTS_MAX = 2 * PUBSUB_LONG_MAX / PUBSUB_TEXT_MAX };

struct subscription {
    const char *topic;
    void (*notified)(void *arg, str text);
    void *arg;
};

/* What has arrived of a message that is not complete. */
struct incomplete {
    char sender[PG_THREAD_ID];
    int64_t parts; /* 0: nothing */
    struct sbuf text;
    struct arena arena;
};

struct pubsub {
    struct postgres *postgres; /* NULL: there are no others */
    struct thread thread;
    bool has_thread;
    struct lock lock; /* of the following */
    struct cond called;
    const struct subscription *calls; /* whose function runs now; or NULL */
    struct subscription all[PUBSUB_TOPICS_MAX];
    size_t n;

    /* Of the thread. */
    struct incomplete incomplete[PUBSUB_SENDERS];
    size_t next; /* to be replaced */
};

/* --- subscribers --- */

static struct subscription *pubsub_find(struct pubsub *p, str topic)
{
    for (size_t i = 0; i < p->n; i++)
        if (str_eq(str_c(p->all[i].topic), topic))
            return &p->all[i];
    return NULL;
}

void pubsub_subscribe(struct pubsub *p, const char *topic,
                      void (*notified)(void *arg, str text), void *arg)
{
    if (p == NULL || p->postgres == NULL)
        return;
    lock_take(&p->lock);
    struct subscription *s = pubsub_find(p, str_c(topic));
    if (s == NULL && p->n == PUBSUB_TOPICS_MAX)
        BUG("more than %d topics", PUBSUB_TOPICS_MAX);
    if (s == NULL)
        s = &p->all[p->n++];
    *s = (struct subscription){topic, notified, arg};
    while (notified == NULL && p->calls == s)
        lock_wait(&p->lock, &p->called);
    lock_drop(&p->lock);
}

static void pubsub_deliver(struct pubsub *p, str topic, str text)
{
    lock_take(&p->lock);
    const struct subscription *s = pubsub_find(p, topic);
    struct subscription copy = s != NULL ? *s : (struct subscription){0};
    p->calls = s;
    lock_drop(&p->lock);
    if (copy.notified != NULL)
        copy.notified(copy.arg, text);
    lock_take(&p->lock);
    p->calls = NULL;
    cond_wake_all(&p->called);
    lock_drop(&p->lock);
}

/* --- parts --- */

/* Of this sender; else one that may be replaced. */
static struct incomplete *incomplete_of(struct pubsub *p, str sender)
{
    for (size_t i = 0; i < PUBSUB_SENDERS; i++)
        if (str_eq(str_c(p->incomplete[i].sender), sender))
            return &p->incomplete[i];
    struct incomplete *m = &p->incomplete[p->next++ % PUBSUB_SENDERS];
    arena_reset(&m->arena);
    m->parts = 0;
    snprintf(m->sender, sizeof(m->sender), STR_FMT, STR_ARG(sender));
    return m;
}

/* Add a part; true: the message is complete. */
static bool pubsub_add_part(struct incomplete *m, int64_t number, int64_t count, str text)
{
    if (number == 1) {
        arena_reset(&m->arena);
        m->text = SBUF_ON(&m->arena);
        m->parts = 0;
    }
    bool follows = number == m->parts + 1;
    m->parts = follows ? number : 0;
    if (follows)
        sbuf_add(&m->text, text);
    return follows && number == count;
}

/* "ID TOPIC NUMBER/COUNT TEXT" */
static void pubsub_take_in(struct pubsub *p, str line)
{
    str sender, topic, part, number;
    int64_t i, n;
    if (!str_next(&line, ' ', &sender) || !str_next(&line, ' ', &topic) ||
        !str_next(&line, ' ', &part) || !str_next(&part, '/', &number) ||
        !str_to_int(number, &i) || !str_to_int(part, &n) || i < 1 || i > n ||
        n > PUBSUB_PARTS_MAX)
        return;
    struct incomplete *m = incomplete_of(p, sender);
    if (!pubsub_add_part(m, i, n, line))
        return;
    pubsub_deliver(p, topic, sbuf_str(&m->text));
    arena_reset(&m->arena);
    m->parts = 0;
}

static void *pubsub_run(void *arg)
{
    struct pubsub *p = arg;
    bool missed = false;
    char *line;
    while ((line = pg_thread_receive(p->postgres, &missed)) != NULL || missed) {
        if (missed)
            pubsub_deliver(p, STR(PUBSUB_MISSED), STR(""));
        else
            pubsub_take_in(p, str_c(line));
        free(line);
    }
    return NULL;
}

/* --- sending --- */

/* As much as fits into a part, without cutting a character. */
static size_t part_length(str text)
{
    size_t n = text.n < PUBSUB_TEXT_MAX ? text.n : PUBSUB_TEXT_MAX;
    while (n < text.n && n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

void pubsub_publish(struct pubsub *p, const char *topic, str text)
{
    struct arena a = {0};
    str parts[PUBSUB_PARTS_MAX], messages[PUBSUB_PARTS_MAX];
    size_t n = 0;
    if (text.n > PUBSUB_LONG_MAX)
        BUG("a message of %zu bytes", text.n);
    if (p == NULL || p->postgres == NULL)
        return;
    do {
        parts[n] = str_slice(text, 0, part_length(text));
        text = str_skip(text, parts[n++].n);
    } while (text.n > 0);
    for (size_t i = 0; i < n; i++)
        messages[i] =
            arena_printf(&a, "%s %zu/%zu " STR_FMT, topic, i + 1, n, STR_ARG(parts[i]));
    pg_thread_send(p->postgres, messages, n);
    arena_release(&a);
}

/* --- */

struct pubsub *pubsub_open(struct store *s)
{
    struct pubsub *p = mem_zero(sizeof(*p));
    p->postgres = postgres_of(s);
    lock_init(&p->lock, LOCK_LEAF);
    cond_init(&p->called);
    if (p->postgres == NULL)
        return p;
    pg_thread_listen(p->postgres, true);
    p->has_thread = thread_start(&p->thread, "pubsub", pubsub_run, p);
    if (!p->has_thread)
        BUG("cannot start a thread for messages of other servers");
    return p;
}

void pubsub_stop(struct pubsub *p)
{
    if (p == NULL || !p->has_thread)
        return;
    p->has_thread = false;
    pg_thread_listen(p->postgres, false);
    thread_join(&p->thread);
}

void pubsub_close(struct pubsub *p)
{
    if (p == NULL)
        return;
    pubsub_stop(p);
    for (size_t i = 0; i < PUBSUB_SENDERS; i++)
        arena_release(&p->incomplete[i].arena);
    cond_destroy(&p->called);
    lock_release(&p->lock);
    free(p);
}
