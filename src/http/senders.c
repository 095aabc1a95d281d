/*
 * Whose unfinished requests use memory and connections.
 *
 * A request belongs to its caller if a judge knows it, else to the address from which it
 * came, as trusted proxies report it. If all of them together have sent too much, the owner
 * that holds most loses its largest request, until an eighth of the room is free again, so
 * that the next bytes do not repeat the search.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "http/address.h"
#include "http/connection.h"
#include "http/parse.h"

void senders_name(struct connection *c, str peer)
{
    char room[NET_TEXT_SIZE];
    c->owner = hash_table(http_address_network(peer, room)) | 1;
}

static bool is_unfinished(const struct connection *c)
{
    return c->state == CONNECTION_BODY || c->state == CONNECTION_JUDGING;
}

int senders_judge(const struct connection *c, bool is_local)
{
    const struct http_limits *l = connection_limits(c);
    size_t of_owner = 0, of_all = 0;
    for (const struct connection *o = c->server->connections; o != NULL; o = o->next) {
        bool counts = o != c && is_unfinished(o) && !o->known;
        of_all += counts;
        of_owner += counts && o->owner == c->owner;
    }
    if (!is_local && of_owner >= l->unfinished_per_peer)
        return 429;
    return of_all >= l->connections - l->connections / HTTP_RESERVED ? 503 : 0;
}

static size_t held_by(const struct connection *c)
{
    size_t parsed = c->parser != NULL ? http_parser_held(c->parser) : 0;
    return parsed + c->waiting_n;
}

static int by_owner(const void *a, const void *b)
{
    const struct connection *const *x = a, *const *y = b;
    uint64_t m = (*x)->owner, n = (*y)->owner;
    return (m > n) - (m < n);
}

/* The largest request of the owner that holds most. all is sorted by owner. */
static struct connection *worst_sender(struct connection *const *all, size_t n)
{
    struct connection *worst = NULL, *largest = NULL;
    size_t most = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        bool other = i == 0 || all[i]->owner != all[i - 1]->owner;
        sum = (other ? 0 : sum) + all[i]->held;
        if (other || all[i]->held > largest->held)
            largest = all[i];
        if (sum > most) {
            most = sum;
            worst = largest;
        }
    }
    return worst;
}

static void shed_senders(struct http_server *s)
{
    size_t n = 0, enough = s->config.limits.received_all / 8 * 7;
    struct connection **all =
        mem_alloc(size_mul(atomic_load(&s->n_connections), sizeof(struct connection *)));
    for (struct connection *c = s->connections; c != NULL; c = c->next)
        if (c->held > 0)
            all[n++] = c;
    qsort(all, n, sizeof(struct connection *), by_owner);
    while (s->received > enough) {
        struct connection *worst = worst_sender(all, n);
        if (worst == NULL)
            break;
        senders_forget(worst);
        serve_drop(worst);
    }
    free(all);
}

void senders_forget(struct connection *c)
{
    c->server->received -= c->held;
    c->held = 0;
}

void senders_count(struct connection *c)
{
    struct http_server *s = c->server;
    size_t held = c->state == CONNECTION_CLOSING ? 0 : held_by(c);
    s->received = s->received - c->held + held;
    c->held = held;
    if (s->received > s->config.limits.received_all)
        shed_senders(s);
}
