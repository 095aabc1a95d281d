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
    HOME_CONFLICTS = 10, /* listed */
};

/* Rows of <dl class="facts"> about the vault of the frame. */
void home_status_put_facts(struct frame *f, struct html *h, struct vault *v);

/* What needs a person; nothing if all is well. */
void home_status_put_problems(struct frame *f, struct html *h, struct vault *v);

/* The calendar of changes, and the apps that made them. */
void home_status_put_activity(struct frame *f, struct html *h, struct vault *v);
