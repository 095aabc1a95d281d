/*
 * Who uses connections, and memory for unfinished requests.
 *
 * A connection belongs to the caller of its last request if a judge or handler knows it, else
 * to the address from which that came, as trusted proxies report it. If all of them together
 * have sent too much, the owner that holds most loses its largest request, until an eighth
 * of the room is free again, so that the next bytes do not repeat the search. If there are
 * too many connections, the owner of most of them loses one to a newcomer who has fewer.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/sort.h"
#include "http/address.h"
#include "http/connection.h"
#include "http/parse.h"

static uint64_t owner_at(str address)
{
    char room[NET_TEXT_SIZE];
    return hash_table(http_address_network(address, room)) | 1;
}

void senders_name(struct connection *c, str peer)
{
    c->owner = owner_at(peer);
    c->known = false;
}

void http_name_caller(struct http_exchange *x, uint64_t owner)
{
    if (x->connection == NULL || owner == 0)
        return;
    x->connection->owner = owner;
    x->connection->known = true;
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

/* Something that an owner uses. */
struct used {
    struct connection *connection;
    uint64_t owner;
    size_t amount;
    uint64_t worth; /* an owner who uses too much loses what is worth least */
};

static int by_owner(const void *a, const void *b)
{
    const struct used *x = a, *y = b;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* What the owner of most loses; NULL if there is nothing. all is sorted by owner. */
static const struct used *find_worst(const struct used *all, size_t n, size_t *most)
{
    const struct used *worst = NULL, *least = NULL;
    size_t sum = 0;
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        bool other = i == 0 || all[i].owner != all[i - 1].owner;
        sum = (other ? 0 : sum) + all[i].amount;
        if (other || all[i].worth < least->worth)
            least = &all[i];
        if (sum > *most) {
            *most = sum;
            worst = least;
        }
    }
    return worst;
}

static struct used sender_bytes(struct connection *c)
{
    return (struct used){c, c->owner, c->held, SIZE_MAX - c->held};
}

/* The less a request has been worked on, and the longer it takes, the less it is worth. */
static struct used connection_value(struct connection *c)
{
    enum { TIME_BITS = 56 };
    uint64_t until = c->deadline & (((uint64_t)1 << TIME_BITS) - 1);
    return (struct used){c, c->owner, c->state != CONNECTION_CLOSING,
                         ((uint64_t)c->state << TIME_BITS) | until};
}

/* Of all connections, sorted by owner; to be freed. */
static struct used *list_used(const struct http_server *s,
                              struct used (*of)(struct connection *), size_t *n)
{
    struct used *all = mem_alloc(size_mul(atomic_load(&s->n_connections), sizeof(*all)));
    *n = 0;
    for (struct connection *c = s->connections; c != NULL; c = c->next) {
        all[*n] = of(c);
        *n += all[*n].amount > 0;
    }
    sort_items(all, *n, sizeof(*all), by_owner);
    return all;
}

static void shed_senders(struct http_server *s)
{
    size_t n, most, enough = s->config.limits.received_all / 8 * 7;
    struct used *all = list_used(s, sender_bytes, &n);
    while (s->received > enough) {
        const struct used *worst = find_worst(all, n, &most);
        if (worst == NULL)
            break;
        struct connection *c = worst->connection;
        all[worst - all] = (struct used){.owner = worst->owner, .worth = UINT64_MAX};
        senders_forget(c);
        serve_drop(c);
    }
    free(all);
}

bool senders_make_room(struct http_server *s, const struct net_address *newcomer)
{
    char text[NET_TEXT_SIZE];
    uint64_t owner = owner_at(net_print(newcomer, text));
    size_t n, most, own = 0;
    struct used *all = list_used(s, connection_value, &n);
    const struct used *worst = find_worst(all, n, &most);
    for (size_t i = 0; i < n; i++)
        own += all[i].owner == owner;
    bool is_fairer = most > own + 1;
    if (is_fairer)
        connection_close(worst->connection);
    free(all);
    return is_fairer;
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
