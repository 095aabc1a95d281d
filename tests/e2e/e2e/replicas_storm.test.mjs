// With --sync-ack push nothing that was acknowledged is lost, whatever fails. ./test --full does this for minutes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { storm } from './replica_storm.mjs';
import { startReplicas } from './replica_world.mjs';

const SECONDS = Number(process.env.STORM_SECONDS ?? 0); // each trouble occurs at least once

test('replicas: no acknowledged change is lost when replicas, database, git server and network fail', { timeout: 240_000 + 2000 * SECONDS }, async (t) => {
  const w = await startReplicas(t, { wired: true });
  const { acknowledged } = await storm(t, w, SECONDS);
  assert.ok(acknowledged.length >= 50, `only ${acknowledged.length} changes`);
});
