/* Where clients connect: is the address free, the proxy trusted, the clock right? */
#include <errno.h>

#include "app/doctor/checkup_parts.h"
#include "app/setup/operator_request.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/monotonic_date.h"
#include "base/os/folder.h"
#include "fetch/fetch.h"
#include "http/address.h"
#include "http/response.h"

enum { ANSWER_MS = 10000, SKEW_FILES_S = 5, SKEW_SERVER_S = 60 };

/* --- which process listens? --- */

/* A line of /proc/net/tcp: number, local and remote address, state, and so on. */
static bool is_listener(str line, str port, int64_t *inode)
{
    enum { LOCAL = 1, STATE = 3, INODE = 9 };
    str word;
    bool here = false, listens = false;
    for (int i = 0; str_next(&line, ' ', &word);) {
        if (word.n == 0)
            continue;
        here |= i == LOCAL && str_ends(word, port);
        listens |= i == STATE && str_eq(word, STR("0A"));
        if (i++ == INODE)
            return here && listens && str_to_int(word, inode);
    }
    return false;
}

/* 0: no process listens there. */
static int64_t inode_in(struct arena *a, const char *table, unsigned port)
{
    str text = checkup_read(a, table), line, ending = arena_printf(a, ":%04X", port);
    int64_t inode = 0;
    while (str_next(&text, '\n', &line))
        if (is_listener(line, ending, &inode))
            break;
    return inode;
}

static bool has_socket(struct arena *a, const char *pid, str socket)
{
    bool has = false;
    struct folder_names names =
        folder_names(FILE_CWD, arena_printf(a, "/proc/%s/fd", pid).p);
    for (const char *name; !has && (name = folder_next(&names)) != NULL;) {
        char text[64];
        str target;
        has = file_read_symlink(names.fd, name, text, sizeof(text), &target) &&
              str_eq(target, socket);
    }
    folder_end(&names);
    return has;
}

static str owner_of(struct arena *a, int64_t inode)
{
    str socket = arena_printf(a, "socket:[%lld]", (long long)inode), name = {0};
    struct folder_names processes = folder_names(FILE_CWD, "/proc");
    int64_t number;
    for (const char *pid; name.n == 0 && (pid = folder_next(&processes)) != NULL;) {
        if (!str_to_int(str_c(pid), &number) || !has_socket(a, pid, socket))
            continue;
        str comm = checkup_read(a, arena_printf(a, "/proc/%s/comm", pid).p);
        name = arena_printf(a, STR_FMT ", process %s", STR_ARG(str_trim_line(comm)), pid);
    }
    folder_end(&processes);
    return name;
}

str checkup_listener(struct arena *a, unsigned port)
{
    int64_t inode = inode_in(a, "/proc/net/tcp", port);
    if (inode == 0)
        inode = inode_in(a, "/proc/net/tcp6", port);
    return inode != 0 ? owner_of(a, inode) : STR("");
}

/* 0, or errno. */
static int try_bind(const struct net_address *to)
{
    AUTO_CLOSE int fd = net_bind(to);
    return fd >= 0 && net_listen(fd, 1) ? 0 : errno;
}

static void report_taken(struct checkup *c, const struct net_address *to)
{
    const struct json *health;
    struct err err;
    str address = c->settings->listen_addr;
    if (operator_request(c->arena, address, "/health", &health, &err) &&
        json_get(health, STR("status")) != NULL) {
        FOUND_GOOD(c, "vaultd is already running on " STR_FMT, STR_ARG(address));
        return;
    }
    str owner = checkup_listener(c->arena, to->port);
    FOUND_BAD(c, STR("Stop that program, or give another --port"),
              STR_FMT " is in use%s" STR_FMT, STR_ARG(address), owner.n > 0 ? " by " : "",
              STR_ARG(owner));
}

void checkup_port(struct checkup *c)
{
    struct net_address to;
    struct err err;
    str address = c->settings->listen_addr;
    if (c->settings->stdio || !http_address_parse(address, &to, &err))
        return; /* reported with the settings */
    if (to.kind == NET_UNIX) {
        FOUND_GOOD(c, STR_FMT, STR_ARG(address));
        return;
    }
    int error = try_bind(&to);
    if (error == EADDRINUSE)
        report_taken(c, &to);
    else if (error == EACCES)
        FOUND_BAD(c,
                  STR("Use a port of 1024 or higher behind a proxy, or "
                      "AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit"),
                  STR_FMT " can only be used by root", STR_ARG(address));
    else if (error != 0)
        FOUND_BAD(c, STR("Give an address of this machine with --listen-addr"),
                  STR_FMT " cannot be used: %s", STR_ARG(address), strerror(error));
    else
        FOUND_GOOD(c, STR_FMT " is free", STR_ARG(address));
}

/* --- the proxy --- */

void checkup_proxy(struct checkup *c)
{
    const struct settings *s = c->settings;
    struct net_address to;
    struct err err;
    if (s->stdio || s->server_url.n == 0 ||
        !http_address_parse(s->listen_addr, &to, &err))
        return;
    if (str_starts(s->server_url, STR("https://")) && s->trusted_proxies.n == 0)
        FOUND_WARN(c, STR("Give --trusted-proxies 127.0.0.1, or unix for a socket"),
                   "no proxy is trusted, so limits and logs see all clients as one");
    else
        FOUND_GOOD(c, STR_FMT "; to test it: vaultd doctor --connector " STR_FMT "/mcp",
                   STR_ARG(s->server_url), STR_ARG(s->server_url));
}

/* --- the clock --- */

/* By how many seconds the time of a new file in the state folder is off. */
static int64_t skew_of_files(struct checkup *c)
{
    struct file_stat st;
    char *path = mem_str(arena_printf(c->arena, "%s/.clock-XXXXXX", c->state_dir));
    AUTO_CLOSE int fd = mkstemp(path);
    int64_t off = 0;
    if (fd >= 0) {
        file_remove(FILE_CWD, path);
        if (file_stat(fd, &st))
            off = clock_now() - st.mtime;
    }
    free(path);
    return off < 0 ? -off : off;
}

/* By the Date header of --server-url; 0 if there is none. */
static int64_t skew_of_server(struct checkup *c)
{
    struct fetched got;
    struct err err;
    int64_t theirs;
    if (c->settings->server_url.n == 0)
        return 0;
    struct fetch ask = {.url = arena_printf(c->arena, STR_FMT "/health",
                                            STR_ARG(c->settings->server_url)),
                        .max = OPS_ANSWER_MAX,
                        .ms = ANSWER_MS,
                        .any_http = true};
    if (!fetch_url(c->arena, &ask, &got, &err))
        return 0;
    if (!http_read_date(fetched_header(&got, STR("date")), &theirs))
        return 0;
    int64_t off = clock_now() - theirs;
    return off < 0 ? -off : off;
}

/* By how many seconds the clock is ahead of what a journal's witness would believe. */
static int64_t ahead_of_journals(struct checkup *c)
{
    int64_t most = 0;
    struct folder_names names = folder_names(FILE_CWD, c->state_dir);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        struct monotonic_date w = {0};
        struct err ignored;
        str text, path = arena_printf(c->arena, "%s/%s/clock", c->state_dir, name);
        if (!str_starts(str_c(name), STR("changes-")) ||
            !fs_read_file(c->arena, path, MONOTONIC_DATE_SIZE, &text, &ignored))
            continue;
        monotonic_date_parse(&w, text);
        int64_t ahead = w.believed > 0 ? clock_now() - w.believed : 0;
        most = ahead > most ? ahead : most;
    }
    folder_end(&names);
    return most;
}

void checkup_clock(struct checkup *c)
{
    static const int64_t BUILT = 1767225600; /* 2026: any earlier time is wrong */
    str fix = STR("Set the time from the network: timedatectl set-ntp true");
    int64_t files = skew_of_files(c), server = skew_of_server(c);
    int64_t ahead = ahead_of_journals(c);
    if (clock_now() < BUILT)
        FOUND_BAD(c, fix, "it is set to a time before 2026");
    else if (server > SKEW_SERVER_S)
        FOUND_BAD(c, fix,
                  "it differs by %lld s from the clock of --server-url: tokens would be "
                  "expired or not yet valid",
                  (long long)server);
    else if (files > SKEW_FILES_S)
        FOUND_WARN(c, STR("Set the clock of the file server"),
                   "new files in the state folder get a time that is off by %lld s",
                   (long long)files);
    else if (ahead > CLOCK_AHEAD_S)
        FOUND_WARN(
            c,
            STR("If the date is wrong, set it: timedatectl set-ntp true. Otherwise do "
                "nothing: it is accepted after seven days"),
            "it is " STR_FMT " ahead of the last change: until it is accepted, no old "
            "change or sign-in is deleted",
            STR_ARG(arena_count(c->arena, (size_t)(ahead / CLOCK_DAY_S), "day", "days")));
    else
        FOUND_GOOD(c, "no deviation found");
}
