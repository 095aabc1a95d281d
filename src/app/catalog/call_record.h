/*
 * call_record - what becomes of a finished request: metrics, the log, the audit.
 */
#pragma once

#include "app/setup/app.h"
#include "mcp/call.h"

/* Before a tool runs. Where calls are refused without an audit line, a call that may change
 * something has one before it does. */
MUST_CHECK bool call_record_before(struct mcp_call *call, struct err *err);

/* For mcp_config.on_done. */
MUST_CHECK bool call_record_done(void *app, const struct mcp_record *r, struct err *err);

/* Events of sign-in, for log_also(). */
void call_record_sign_in(void *app, const char *event, const struct log_field *fields);
