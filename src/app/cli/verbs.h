/*
 * verbs - the verbs of the command line. One file each.
 */
#pragma once

#include "app/cli/cli.h"

extern const struct cli_verb cli_audit;
extern const struct cli_verb cli_base;
extern const struct cli_verb cli_check;
extern const struct cli_verb cli_connect;
extern const struct cli_verb cli_init;
extern const struct cli_verb cli_links;
extern const struct cli_verb cli_list;
extern const struct cli_verb cli_model;
extern const struct cli_verb cli_properties;
extern const struct cli_verb cli_query;
extern const struct cli_verb cli_read;
extern const struct cli_verb cli_search;
extern const struct cli_verb cli_status;
extern const struct cli_verb cli_tags;
extern const struct cli_verb cli_write;
extern const struct cli_verb cli_edit;
extern const struct cli_verb cli_embeddings;
extern const struct cli_verb cli_insert;
extern const struct cli_verb cli_frontmatter;
extern const struct cli_verb cli_move;
extern const struct cli_verb cli_delete;
extern const struct cli_verb cli_restore;
extern const struct cli_verb cli_daily;
extern const struct cli_verb cli_changes;
extern const struct cli_verb cli_proposals;
extern const struct cli_verb cli_accept;
extern const struct cli_verb cli_reject;
extern const struct cli_verb cli_open;
extern const struct cli_verb cli_related;
extern const struct cli_verb cli_task;
extern const struct cli_verb cli_tasks;
extern const struct cli_verb cli_sync;
extern const struct cli_verb cli_undo;
extern const struct cli_verb cli_batch;
extern const struct cli_verb cli_canvas;
extern const struct cli_verb cli_user;
extern const struct cli_verb cli_vault;
