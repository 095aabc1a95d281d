/*
 * home_status - what the start page says about a vault that is open: sync and search by
 * meaning, what is wrong and what to do about it, and when which apps changed notes.
 */
#pragma once

#include "app/web/frame.h"

enum {
    HOME_WEEKS = 26,     /* of the calendar */
    HOME_CHANGES = 500,  /* the latest ones, that it and the list of apps are made of */
    HOME_APPS = 8,       /* listed */
    HOME_LATEST = 6,     /* changes that are listed */
    HOME_CONFLICTS = 10, /* listed */
};

/* Rows of <dl class="facts"> about the vault of the frame. */
void home_status_put_facts(struct frame *f, struct html *h, struct vault *v);

/* What needs a person; nothing if all is well. */
void home_status_put_problems(struct frame *f, struct html *h, struct vault *v);

/* What was changed in these weeks, in the arena; NULL: there is no journal. */
struct home_activity;
const struct home_activity *home_status_read(struct frame *f, struct vault *v);

/* The calendar and the latest changes; the apps that made them. */
void home_status_put_done(struct frame *f, struct html *h, const struct home_activity *t);
void home_status_put_apps(struct frame *f, struct html *h, const struct home_activity *t);
