// A Dockerfile without a container engine: its steps, executed in order on new systems.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { newSystem } from './chroot.mjs';

/** [{ op, text }], with continued lines joined. */
export function parseDockerfile(file) {
  const lines = readFileSync(file, 'utf8').replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ').split('\n');
  return lines.filter((line) => line.trim()).map((line) => {
    const [, op, text] = line.match(/^([A-Z]+)\s+(.*)$/) ?? assert.fail(`not an instruction: ${line}`);
    return { op, text: text.trim() };
  });
}

const words = (text) => (text.startsWith('[') ? JSON.parse(text) : ['/bin/sh', '-c', text]);

function copy(stage, from, sources, target) {
  const to = stage.system.path(path.resolve(stage.folder, target));
  for (const source of sources) {
    const full = path.join(from, source);
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(full, statSync(full).isFile() && target.endsWith('/') ? path.join(to, path.basename(full)) : to, { recursive: true });
  }
}

// Arguments that every builder sets.
const BUILDER = { TARGETARCH: { x64: 'amd64' }[process.arch] ?? process.arch };

const STEPS = {
  WORKDIR: (stage, text) => {
    stage.folder = text;
    mkdirSync(stage.system.path(text), { recursive: true });
  },
  COPY: (stage, text, { context, stages }) => {
    const [, from, rest] = text.match(/^(?:--from=(\S+) )?(.*)$/);
    const names = rest.split(/\s+/);
    copy(stage, from ? stages[from].system.root : context, names.slice(0, -1), names.at(-1));
  },
  RUN: (stage, text) => stage.system.run(words(text), stage),
  ENV: (stage, text) => Object.assign(stage.env, Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map((m) => m.slice(1)))),
  USER: (stage, text) => (stage.user = `${text}:${text}`),
  ENTRYPOINT: (stage, text) => (stage.entrypoint = words(text)),
  CMD: (stage, text) => (stage.cmd = words(text)),
  HEALTHCHECK: (stage, text) => (stage.health = words(text.split(/\bCMD /)[1])),
  ARG: (stage, text) => text in BUILDER && (stage.env[text] = BUILDER[text]),
  LABEL: (stage, text) => (stage.label = text),
  EXPOSE: (stage, text) => (stage.port = Number(text)),
  VOLUME: (stage, text) => (stage.volumes = JSON.parse(text)),
};

/** Execute; returns the last stage: { system, env, user, folder, entrypoint, cmd, health, port, volumes }. */
export async function buildDockerfile(t, file, context) {
  const stages = {};
  let stage;
  for (const { op, text } of parseDockerfile(file)) {
    if (op === 'FROM') {
      const [, image, name] = text.match(/^(?:--platform=\$BUILDPLATFORM )?(\S+)(?: AS (\S+))?$/);
      assert.match(image, /^debian:/);
      stage = { system: await newSystem(t, `docker-${name ?? 'last'}`), env: {}, folder: '/' };
      stages[name ?? 'last'] = stage;
    } else {
      assert.ok(STEPS[op], op);
      await STEPS[op](stage, text, { context, stages });
    }
  }
  return stage;
}

/** Processes of the namespace whose process 1 is pid outside: [{ pid, name, state, parent }]. */
export function processesBelow(pid) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), state, parent: Number(parent) }];
    } catch {
      return [];
    }
  });
  const below = all.filter((p) => p.pid === pid);
  for (let i = 0; i < below.length; i++) below.push(...all.filter((p) => p.parent === below[i].pid));
  return below;
}
