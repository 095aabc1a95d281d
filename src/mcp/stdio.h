/*
 * stdio - MCP over stdin and stdout: one JSON message per line.
 *
 * The calling thread reads; quick requests are answered on it, others by workers. Output
 * never blocks the reader: what the client does not take at once waits in a queue that a
 * thread of its own writes out, and only when that queue is full does reading pause. So a
 * client that writes ten thousand requests before it reads an answer is served, in
 * bounded memory. stdout carries nothing but protocol.
 */
#pragma once

#include "mcp/server.h"

enum {
    STDIO_LINE_MAX = 10 << 20,  /* bytes of one message; longer ones are refused */
    STDIO_QUEUE_MAX = 32 << 20, /* bytes the client may leave unread */
    STDIO_DRAIN_MS = 5000,      /* what running calls get at the end */
};

/*
 * Serve until EOF on in, an exit notification, SIGTERM, SIGINT, SIGHUP, or the death of
 * the parent process; finish what runs, flush, and return.
 */
void mcp_stdio_run(struct mcp_server *server, int in, int out);
