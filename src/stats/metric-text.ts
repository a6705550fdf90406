import { own } from '../kube/text/own.ts';

/**
 * Writes Prometheus' text format (version 0.0.4), for thousands of samples that live for one scrape. A registry
 * would keep an object for each, and has no sample timestamps.
 */
export class MetricText {
  #text = '';

  /** All samples of a metric must follow one another. */
  family(name: string, type: 'counter' | 'gauge', help: string): Family {
    let hasHead = false;
    const open = `${name}{`;
    return {
      add: (labels, value, atMs) => {
        if (value === undefined || Number.isNaN(value)) return;
        if (!hasHead) this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
        hasHead = true;
        const end = atMs === undefined ? '\n' : ` ${atMs}\n`;
        this.#text += labels === '' ? `${name} ${value}${end}` : `${open}${labels}} ${value}${end}`;
      },
    };
  }

  toString(): string {
    return this.#text;
  }
}

export interface Family {
  /** `labels`: as `labelText` writes them. An unknown value is left out, and so is a metric without values. */
  add(labels: string, value: number | undefined, atMs?: number): void;
}

/** Returns the labels of a sample, as between the braces. Written once and reused for every metric of an object. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(own(labels, name) ?? '')}"`;
  return text;
}

/** Names of Kubernetes objects need no escaping; values that a user chooses might. */
const escaped = (value: string): string =>
  /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
