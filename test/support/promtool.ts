import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

function promtool(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'promtool'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Like `skipWithoutKubectl`, for suites that need Prometheus' own tool. */
export function skipWithoutPromtool(what: string): boolean {
  if (promtool() !== undefined || process.env['HIVELET_E2E'] === 'required') return false;
  process.stderr.write(
    `\nWARNING: NOT RUN: "${what}" needs promtool. On Debian, .ci/install-packages (as root) brings it. ` +
      `HIVELET_E2E=required makes this a failure.\n`,
  );
  return true;
}

/** Resolves with whether Prometheus' own parser accepts a metrics text, and with its remarks on metric names. */
export function checkMetrics(text: string): Promise<{ readonly read: boolean; readonly advice: readonly string[] }> {
  return new Promise((resolve) => {
    const child = execFile(promtool() ?? 'promtool', ['check', 'metrics'], (error, _out, err) =>
      // Code 3: the metrics were parsed, with remarks.
      resolve({ read: error === null || error.code === 3, advice: err.split('\n').filter((line) => line !== '') }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
  });
}
