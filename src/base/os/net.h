/*
 * net - addresses, and sockets between programs.
 *
 * A socket is a file descriptor that no program started from here inherits, and that
 * never raises SIGPIPE. Functions that make one return -1 and set errno if they fail.
 */
#pragma once

#include "base/str.h"

enum {
    NET_PATH_MAX = 108, /* bytes of a unix socket's path, with its end */
    NET_TEXT_SIZE = 64, /* for a printed address */
};

enum net_kind { NET_OTHER, NET_IP4, NET_IP6, NET_UNIX };

struct net_address {
    enum net_kind kind;
    uint8_t ip[16]; /* the first 4 for NET_IP4 */
    uint16_t port;
    char path[NET_PATH_MAX]; /* of a unix socket */
};

/* --- addresses --- */

/* An IP address without port and brackets; sets kind and ip alone. */
MUST_CHECK bool net_read_ip(str text, struct net_address *out);

/* The IP address without port, or "unix"; IPv4 within IPv6 is printed as IPv4. */
str net_print(const struct net_address *a, char out[NET_TEXT_SIZE]);

/* IPv4 within IPv6 becomes IPv4. */
void net_unmap(struct net_address *a);

/* Whether other machines cannot connect: loopback or unix. */
bool net_is_local(const struct net_address *a);

/* --- names --- */

/*
 * The addresses of a host, up to max of them. numeric: host must be an address, and no
 * lookup is made; else this may take as long as the system's name servers. False if there
 * are none.
 */
MUST_CHECK bool net_look_up(const char *host, bool numeric, struct net_address *out,
                            size_t max, size_t *n);

/* --- for a library that makes its own connections --- */

/* The address in a struct sockaddr. */
void net_read_system(const void *sockaddr, size_t size, struct net_address *out);

/* As socket(). */
int net_socket(int family, int type, int protocol);

/* What the system calls a socket: the descriptor itself, or a SOCKET of Windows. */
uintptr_t net_system(int fd);

/* The library closes the socket, or has done so: only its number ends. -1 is fine. */
void net_release(int fd);

/* --- listening --- */

/* A bound socket that does not block. IPv6 takes connections from IPv4, too. */
int net_bind(const struct net_address *a);
MUST_CHECK bool net_listen(int fd, int backlog);

/* A connection that does not block, and whose it is; peer may be NULL. */
int net_accept(int fd, struct net_address *peer);

/* The address of this end. */
MUST_CHECK bool net_name(int fd, struct net_address *out);

/* Prepare a socket that was inherited; false if it is none, with *stream whether it would
 * be one of the right type. */
MUST_CHECK bool net_adopt(int fd, bool *stream);

/* Whether a unix socket exists without a listener. */
bool net_is_deserted(const struct net_address *a);

/* --- talking --- */

/* A connection on which each reading and writing may take that long. */
int net_connect(const struct net_address *a, unsigned ms);

/* End a TCP connection whose other side does not confirm what was sent for that long. */
void net_give_up_after(int fd, unsigned ms);

/* Send all of it; false if that was not possible, at once or in time. */
MUST_CHECK bool net_send(int fd, str bytes);

/* Wait for some bytes; *got is 0 at the end. */
MUST_CHECK bool net_receive(int fd, void *out, size_t size, size_t *got);

/* Send what is possible without waiting, and end the connection politely: bytes that the
 * other side sent are read first, since they would turn the end into a reset. */
void net_dismiss(int fd, str last, void *scratch, size_t size);

/* One message to a unix socket; a path that begins with '@' has no file. Nobody waits for
 * it to be read. False, with errno, if it could not be sent. */
MUST_CHECK bool net_send_message(str path, str message);
void net_notify(str path, str message); /* the same, if that does not matter */
