#include "base/os/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static void test_addresses(void **state)
{
    static const struct {
        const char *text, *printed; /* NULL: not an address */
        enum net_kind kind;
        bool local;
    } cases[] = {
        {"127.0.0.1", "127.0.0.1", NET_IP4, true},
        {"192.0.2.7", "192.0.2.7", NET_IP4, false},
        {"::1", "::1", NET_IP6, true},
        {"::ffff:127.0.0.1", "127.0.0.1", NET_IP6, true},
        {"::ffff:192.0.2.7", "192.0.2.7", NET_IP6, false},
        {"fe80::1", "fe80::1", NET_IP6, false},
        {"::", "::", NET_IP6, false},
        {"", NULL, NET_OTHER, false},
        {"127.1", NULL, NET_OTHER, false},
        {"[::1]", NULL, NET_OTHER, false},
        {"::1%lo", NULL, NET_OTHER, false},
        {"localhost", NULL, NET_OTHER, false},
        {"1:2:3:4:5:6:7:8:9:1:2:3:4:5:6:7:8:9:1:2:3:4:5:6:7:8:9", NULL, NET_OTHER, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct net_address a;
        char text[NET_TEXT_SIZE];
        bool ok = net_read_ip(str_c(cases[i].text), &a);
        CHECK_INT(cases[i].text, ok, cases[i].printed != NULL);
        if (!ok)
            continue;
        CHECK_INT(cases[i].text, a.kind, cases[i].kind);
        CHECK_STR(cases[i].text, net_print(&a, text), cases[i].printed);
        CHECK_INT(cases[i].text, net_is_local(&a), cases[i].local);
    }
}

static int accept_soon(int fd, struct net_address *peer)
{
    for (;;) {
        int got = net_accept(fd, peer);
        if (got >= 0 || errno != EAGAIN)
            return got;
        usleep(1000);
    }
}

/* Connect to a, which is bound and listens with fd, and talk. */
static void talk(int fd, const struct net_address *a, enum net_kind kind)
{
    char got[8] = {0};
    size_t n;
    struct net_address peer;
    int client = net_connect(a, 5000);
    CHECK("connected", client >= 0);
    int server = accept_soon(fd, &peer);
    CHECK("accepted", server >= 0);
    CHECK_INT("by whom", peer.kind, kind);
    CHECK("sent", net_send(client, STR("hello")));
    net_dismiss(server, STR("no"), got, sizeof(got));
    CHECK("received", net_receive(client, got, sizeof(got), &n));
    CHECK_STR("the last words", ((str){got, n}), "no");
    close(client);
}

static void test_loopback(void **state)
{
    (void)state;
    struct net_address a = {.kind = NET_IP4, .ip = {127, 0, 0, 1}}, name;
    int fd = net_bind(&a);
    CHECK("bound", fd >= 0 && net_listen(fd, 4) && net_name(fd, &name));
    CHECK("a port was chosen", name.port != 0 && net_is_local(&name));
    CHECK_INT("no other socket may bind to it", net_bind(&name), -1);
    CHECK_INT("because", errno, EADDRINUSE);
    talk(fd, &name, NET_IP4);
    close(fd);
}

static void test_unix(void **state)
{
    (void)state;
    char folder[] = "/tmp/test-net-XXXXXX";
    CHECK("a folder", mkdtemp(folder) != NULL);
    struct net_address a = {.kind = NET_UNIX};
    bool stream = false;
    snprintf(a.path, sizeof(a.path), "%s/socket", folder);
    CHECK("nothing there is not deserted", !net_is_deserted(&a));
    int fd = net_bind(&a);
    CHECK("bound", fd >= 0 && net_listen(fd, 4));
    CHECK("adopted", net_adopt(fd, &stream) && stream);
    talk(fd, &a, NET_UNIX);
    CHECK("a server listens", !net_is_deserted(&a));
    close(fd);
    CHECK("no server listens", net_is_deserted(&a));
    unlink(a.path);
    rmdir(folder);
    CHECK("not a socket", !net_adopt(STDERR_FILENO + 100, &stream));
}

static void test_names(void **state)
{
    struct net_address list[4], one;
    size_t n;
    struct sockaddr_in6 sa = {.sin6_family = AF_INET6, .sin6_port = htons(443)};
    CHECK("an address", net_look_up("192.0.2.7", true, list, 4, &n) && n == 1);
    CHECK_INT("kind", list[0].kind, NET_IP4);
    CHECK("is not a name", !net_look_up("localhost", true, list, 4, &n));
    CHECK("which is looked up", net_look_up("localhost", false, list, 1, &n) && n == 1);
    CHECK("on this machine", net_is_local(&list[0]));
    sa.sin6_addr.s6_addr[15] = 1;
    net_read_system(&sa, sizeof(sa), &one);
    CHECK("read", one.kind == NET_IP6 && one.port == 443 && net_is_local(&one));
    int fd = net_socket(AF_INET, SOCK_STREAM, 0);
    CHECK("not inherited", fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    close(fd);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_loopback),
        cmocka_unit_test(test_unix),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
