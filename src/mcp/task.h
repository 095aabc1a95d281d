/*
 * task - calls that continue after they were answered (extension
 * io.modelcontextprotocol/tasks). Private to src/mcp.
 *
 * mcp_become_task() answers the call with a handle and puts a sink in place of the
 * client's: the final result is kept there until the client fetches it or it expires.
 */
#pragma once

#include "mcp/request.h"

enum {
    MCP_TASKS_MAX = 256,
    MCP_TASK_TTL_MS = 15 * 60 * 1000,
    MCP_TASK_POLL_MS = 500,
    MCP_TASK_ID_MAX = 64,    /* bytes of an id that is looked for */
    MCP_TASK_PASS_MS = 2000, /* how long another process may take to get answers */
    MCP_TASK_PASS_POLL_MS = 20,
};

struct mcp_tasks *mcp_tasks_create(void);
void mcp_tasks_free(struct mcp_tasks *t);

/* Another process got tasks/update, with these answers as JSON, or (empty) tasks/cancel for
 * a task that may be ours. */
void mcp_task_heard(struct mcp_server *s, str id, str message);

/* Its request left questions open: they are answered by tasks/update. */
void mcp_task_asks(struct mcp_request *r);

/* A request is about to be run, again or for the first time: if it is a task whose questions
 * were answered, the others learn that it goes on. On workers. */
void mcp_task_goes_on(struct mcp_request *r);
