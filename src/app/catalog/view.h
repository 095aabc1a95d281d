/*
 * view - a map of the notes around a note, or of the whole vault: a page that MCP clients
 * with Apps show beside the results of vault_links and vault_search, and that browsers
 * find at /graph.
 *
 * The page (view.html, with the scripts next to it compiled into it) is self-contained:
 * no library, and no network except for the data below.
 */
#pragma once

#include "app/setup/app.h"
#include "http/request.h"
#include "http/response.h"
#include "mcp/resource.h"

enum {
    VIEW_NODES_MAX = 150,
    VIEW_EDGES_MAX = 1000,
    VIEW_WHOLE_NODES_MAX = 10000, /* of the whole vault: the notes with the most links */
    VIEW_WHOLE_EDGES_MAX = 40000,
    VIEW_TEXT_MAX = 4000, /* bytes of the note in the centre */
    VIEW_DEPTH_MAX = 3,
    VIEW_FOUND_MAX = 30,
    VIEW_FOLDERS = 6, /* that have a colour */
    VIEW_TAGS = 30,   /* that notes can be chosen by: those of the most notes shown */
};

/* Where the page has room for links to other pages. */
#define VIEW_NAV_MARK "<!--nav-->"

/* The page, and its data as vault-graph://DEPTH/PATH, where DEPTH may be "all" for the
 * whole vault, or "find" with words instead of a path; not listed. */
extern const struct mcp_resource view_page, view_graph;

/*
 * The page or its data for a browser: /graph, /graph/data?path=&depth= or ?find=,
 * with the same depths; "notice" in the data is for its reader. It shows the vault that
 * ?vault= names, else the first one of a person, who must be allowed to read all of it; empty:
 * the operator. May wait for the index.
 */
void view_answer(struct app *app, struct arena *a, const struct http_request *r,
                 str person, struct http_response *out);
