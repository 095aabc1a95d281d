/*
 * config - the configuration of a server by its app: its tables, and its callbacks.
 */
#pragma once

#include "base/pool.h"
#include "mcp/caller.h"
#include "mcp/revision.h"

struct mcp_call;
struct mcp_field;
struct mcp_prompt;
struct mcp_prompt_family;
struct mcp_resource;
struct mcp_skill_family;
struct mcp_tool;

enum { MCP_KEY_SIZE = 32 };

/* Lists that may change. */
enum mcp_change { MCP_TOOLS_CHANGED, MCP_PROMPTS_CHANGED, MCP_RESOURCES_CHANGED };

/* A finished request, for the log. Valid during the call only. */
struct mcp_record {
    str method, name; /* name: of the tool, resource or prompt */
    enum mcp_revision revision;
    int code;              /* JSON-RPC error code, 0 for a result */
    const struct err *err; /* why a tool failed, or NULL */
    uint64_t micros;
    bool
        uses_app; /* a handler of the app was asked: tools, resources, prompts and so on */
    bool asks;    /* the answer is a question to the client */
    bool cancelled;
    const struct mcp_caller *caller;
    const char *client; /* its name and version, as it says; "" if it gave none */
    str trace;    /* the id of the trace that the client is in, 32 hex digits; or empty */
    str session;  /* of a legacy client, or the process on stdio; or empty */
    str answer;   /* the whole message */
    size_t bytes; /* of the request's parameters */
    struct mcp_request *request; /* for mcp_record_kept() */
};

struct mcp_kept;

/* What a module has kept for the request (mcp_kept()), or NULL. */
void *mcp_record_kept(const struct mcp_record *r, const struct mcp_kept *key);

enum { MCP_TELL_MAX = 64200 }; /* bytes that one message to the others may have */

struct mcp_peer_note {
    str part, text;
};

struct mcp_peer_limits {
    str group, all;
    int64_t group_max, all_max;
};

/*
 * Other processes that serve the same clients with the same key, and a place where all of
 * them store notes. All NULL: there are none. From any thread, but put and list only on
 * workers, because they may wait.
 */
struct mcp_peers {
    /* Pass a text on to mcp_server_heard() of all others. Does not wait; may be lost. */
    void (*tell)(void *app, str text);
    /* Store a part of a note for some seconds; 0: remove it. */
    void (*put)(void *app, str name, str part, str text, int64_t seconds);
    /* The same if the notes whose name begins with group, and those that begin with all,
     * have fewer than that many parts; *full: they do not. False if it cannot be stored
     * now. */
    bool (*put_some)(void *app, str name, str part, int64_t seconds,
                     const struct mcp_peer_limits *limits, bool *full);
    /* Keep all parts of a note for so many seconds from now on. */
    void (*touch)(void *app, str name, int64_t seconds);
    /* The parts of a note, in the arena. False if they cannot be read now. */
    bool (*list)(void *app, struct arena *a, str name, struct mcp_peer_note **out,
                 size_t *n);
    /* Remember a name for some seconds; *first: none of them had done so before. False if
     * that cannot be known now. */
    bool (*once)(void *app, str name, int64_t seconds, bool *first);
    /* The name of this process, and whether the one of another name is gone. */
    str (*self)(void *app);
    bool (*is_gone)(void *app, str name);
};

struct mcp_server;

/* Another process has sent this (mcp_peers.tell). From any thread; does not wait. */
void mcp_server_heard(struct mcp_server *s, str text);

struct mcp_config {
    const char *name, *title, *version;
    str website, icon; /* URLs, the icon of a PNG for any size; or empty */
    str instructions;  /* for the model; may be empty */
    /* Text to append for this caller, as of now; called on a worker, and again if it
     * calls mcp_wait(). NULL: none. */
    str (*more)(struct mcp_call *call);
    const struct mcp_tool *const *tools; /* each list ends with NULL; NULL: none */
    const struct mcp_resource *const *resources;
    const struct mcp_prompt *const *prompts;
    const struct mcp_prompt_family *more_prompts; /* or NULL; needs prompts */
    const struct mcp_skill_family *skills;        /* or NULL; needs resources */

    /* Fields that every tool and prompt has after its own, for call->common; or NULL. Not
     * for tools with MCP_OWN_FIELDS or a schema as text. */
    const struct mcp_field *common;
    size_t common_size;
    /* The fields of a tool instead of common, with the same struct; NULL: common. */
    const struct mcp_field *(*common_of)(void *app, const struct mcp_tool *t);
    bool plain;         /* for clients that do not support extensions */
    bool plain_errors;  /* failures of tools without MCP_OWN_FIELDS are only a message */
    bool always_stream; /* over HTTP, even where one JSON body would do */
    bool list_changes;  /* lists may change: mcp_server_changed() will be called */
    bool subscribe;     /* resources can be subscribed to: mcp_server_updated() will be */
    bool logging;       /* handlers use mcp_log(); deprecated since 2026-07-28, and kept
                           because the conformance suites of older revisions need it */
    bool tasks;         /* handlers use mcp_become_task() */
    size_t page_size;   /* of lists; 0: 100 */
    struct pool *pool;
    void *app;

    /* 32 secret bytes, the same after a restart; requested when first needed. */
    bool (*key)(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err);

    /*
     * What must survive a restart about legacy clients (levels, subscriptions): as last
     * saved, and a function that saves it, on a worker and never concurrently. NULL:
     * nothing is saved.
     */
    str memory;
    void (*keep_memory)(void *app, str memory);

    struct mcp_peers peers; /* then there is no memory of legacy clients of our own */

    /* Called before a tool's handler, with the common fields read. False: the call fails.
     * If it calls mcp_wait(), the handler is not run now. May be NULL. */
    bool (*before)(struct mcp_call *call, struct err *err);

    /* A request that holds something is about to be answered, not with an error: its
     * caller sees what is here. May be NULL. */
    void (*answering)(void *app, void *held);

    /* Gives up what mcp_held() has. NULL: nothing is held. */
    void (*let_go)(void *app, const struct mcp_caller *caller, void *held);

    /* Called after a tool has succeeded: may change call->text and set call->aside. May
     * be NULL. */
    void (*after)(struct mcp_call *call, const struct mcp_tool *t);
    /* Called after a tool has failed: may set call->aside. May be NULL. */
    void (*after_failure)(struct mcp_call *call);

    /* Called before a request is answered. False: it is answered with an error instead,
     * which says why. May be NULL. */
    bool (*on_done)(void *app, const struct mcp_record *r, struct err *err);
    bool on_done_waits; /* it may wait, if the request uses the app and has a result: then
                           such requests never run on a transport's thread of many */

    /* Parse a grant that is not empty into caller->rights: once per request, in its
     * arena. May be NULL. */
    void *(*read_grant)(void *app, struct arena *a, str grant);

    /* Whether calls can run without waiting, for MCP_BRIEF. NULL: never. */
    bool (*ready)(void *app);

    /* Whether a caller may use a tool; if not, the tool is hidden. NULL: all may. */
    bool (*offers)(void *app, const struct mcp_caller *caller, const struct mcp_tool *t);

    /* What a text of the app's own, such as a description, says to a caller: without the tools
     * that are not offered. Returns text itself if that is all of it. NULL: the same to all. */
    str (*words)(void *app, struct arena *a, const struct mcp_caller *caller, str text);

    /* Whether a tool is hidden only because the caller has too little scope, so that it may ask
     * for more. NULL: whenever it is offered to a caller without a grant. */
    bool (*withholds)(void *app, const struct mcp_caller *caller,
                      const struct mcp_tool *t);

    /* Whether a caller with that grant may be notified of a resource. From any thread.
     * NULL: all may. */
    bool (*sees)(void *app, str grant, str uri);
};
