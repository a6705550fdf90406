#!/usr/bin/env node
'use strict';
// Runs under any Node of the machine, old versions included: no syntax or module newer than Node 12 here.
var childProcess = require('child_process');
var crypto = require('crypto');
var fs = require('fs');
var path = require('path');
var url = require('url');

var OLDEST_NODE = 24;
// Set for the second run only: an included Node that is itself too old must end in a message, not in a loop.
var MARK = 'HIVELET_NODE_CHOSEN';
var SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Returns which Node runs hivelet: this one, the one included in the package, or none.
 * `broughtNode` is the path of the included Node, or undefined; `again` is true in the second run.
 */
function chooseNode(version, broughtNode, again) {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return { type: 'run-here' };
  if (broughtNode !== undefined && !again) return { type: 'run-with', node: broughtNode };
  return {
    type: 'refuse',
    message:
      'hivelet needs Node ' +
      OLDEST_NODE +
      ' or newer, and this is Node ' +
      version +
      '. Install a newer Node, or install hivelet with its optional dependencies, which include a Node for ' +
      process.platform +
      '-' +
      process.arch +
      ' where available.',
  };
}

/** Returns the Node of the optional platform package and that package's version, if the package is installed. */
function findBroughtNode() {
  try {
    var manifest = require.resolve('node-' + process.platform + '-' + process.arch + '/package.json');
    var node = path.join(path.dirname(manifest), 'bin', 'node');
    fs.accessSync(node, fs.constants.X_OK);
    var described = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    return { node: node, of: described.name + '@' + described.version };
  } catch {
    // The package is not installed, or not for this platform.
    return undefined;
  }
}

function sha256(file) {
  var hash = crypto.createHash('sha256');
  var piece = Buffer.alloc(1024 * 1024);
  var open = fs.openSync(file, 'r');
  try {
    for (;;) {
      var length = fs.readSync(open, piece, 0, piece.length, null);
      if (length === 0) return hash.digest('hex');
      hash.update(piece.slice(0, length));
    }
  } finally {
    fs.closeSync(open);
  }
}

/**
 * Returns why the included Node must not run; undefined when it may. `checksums` are the published checksums.
 * The whole file is read each time, in some 100 ms: a remembered result could be forged, and an agent starts once.
 */
function objectionTo(brought, checksums) {
  var expected = Object.prototype.hasOwnProperty.call(checksums, brought.of) ? checksums[brought.of] : undefined;
  var howToGoOn = 'Reinstall hivelet from a registry that you trust, or install Node ' + OLDEST_NODE + '.';
  if (expected === undefined) {
    return brought.node + ' cannot be run: hivelet has no checksum for ' + brought.of + '. ' + howToGoOn;
  }
  var found = sha256(brought.node);
  if (found === expected) return undefined;
  return (
    brought.node +
    ' cannot be run: it differs from the Node of ' +
    brought.of +
    ' that hivelet was published with. Its SHA-256 is ' +
    found +
    ', expected was ' +
    expected +
    '. ' +
    howToGoOn
  );
}

/** Returns the sources in a checkout, where they are never out of date; the build in the published package, which has no sources. */
function findMain() {
  var source = path.join(__dirname, '..', 'main.ts');
  return fs.existsSync(source) ? source : path.join(__dirname, '..', '..', 'dist', 'main.js');
}

/** Runs the other Node in place of this one: same arguments, streams, signals and exit code. */
function runWith(node, main) {
  var env = Object.assign({}, process.env);
  env[MARK] = '1';
  // The channel tells the child when this process is gone, even by SIGKILL.
  var options = { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: env };
  var child = childProcess.spawn(node, [main].concat(process.argv.slice(2)), options);
  SIGNALS.forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('error', function (error) {
    process.stderr.write('hivelet: ' + node + ' cannot be run: ' + error.message + '\n');
    process.exit(1);
  });
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code);
    SIGNALS.forEach(function (each) {
      process.removeAllListeners(each);
    });
    process.kill(process.pid, signal);
  });
}

function start() {
  var again = process.env[MARK] !== undefined;
  delete process.env[MARK];
  var brought = findBroughtNode();
  var choice = chooseNode(process.versions.node, brought && brought.node, again);
  if (choice.type === 'run-with') {
    var objection = objectionTo(brought, require('./node-checksums.json'));
    if (objection !== undefined) choice = { type: 'refuse', message: 'hivelet: ' + objection };
  }
  if (choice.type === 'refuse') {
    process.stderr.write(choice.message + '\n');
    process.exitCode = 1;
  } else if (choice.type === 'run-with') {
    runWith(choice.node, findMain());
  } else {
    void import(url.pathToFileURL(findMain()).href);
  }
}

module.exports = { chooseNode: chooseNode, objectionTo: objectionTo };
if (require.main === module) start();
