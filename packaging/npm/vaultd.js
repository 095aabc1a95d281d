#!/usr/bin/env node
// Starts the program for this machine, which npm installed as an optional package. Clients need not start this:
// `vaultd connect` gives them the path of the program itself.
'use strict';
const { spawn } = require('node:child_process');
const { name: own, optionalDependencies } = require('./package.json');

function fail(message) {
  console.error(`vaultd: ${message}`);
  process.exit(1);
}

function findProgram() {
  const name = `${own}-${process.platform}-${process.arch}`;
  if (!(name in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((one) => one.slice(own.length + 1)).join(', ');
    fail(`there is no package for ${process.platform}-${process.arch} yet, only for ${known}: use a container, WSL, or a Linux machine`);
  }
  try {
    return require.resolve(`${name}/bin/vaultd${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    return fail(`the package ${name} is missing: install ${own} again, with its optional packages`);
  }
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => fail(`cannot start the program: ${error.message}`));
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => {}); // a terminal sends it to the program, too
child.on('exit', (code, signal) => {
  if (signal) process.removeAllListeners(signal);
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
});
