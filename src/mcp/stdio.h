/*
 * stdio - MCP over stdin and stdout: one JSON message per line.
 *
 * The calling thread reads; quick requests are answered on it, others by workers. Output
 * never blocks the reader: what the client does not read immediately waits in a queue
 * that a separate thread writes out. While that queue is full, reading pauses, workers
 * wait with their answers, and reports of changes are dropped. So a client may write ten
 * thousand requests before it reads an answer, and memory stays bounded. stdout carries
 * nothing but protocol.
 */
#pragma once

#include "mcp/server.h"

enum {
    STDIO_LINE_MAX = 10 << 20,  /* bytes of one message; longer ones are refused */
    STDIO_QUEUE_MAX = 32 << 20, /* bytes the client may leave unread */
    STDIO_DRAIN_MS = 5000,      /* time for running calls to finish at the end, */
    STDIO_STOP_MS = 1000,       /* or when the server stops */
};

/*
 * Serve until EOF on in, an exit notification, the death of the parent process, or until
 * the descriptor stop becomes readable (-1: none); finish running calls, flush, and
 * return.
 */
void mcp_stdio_run(struct mcp_server *server, int in, int out, int stop);
