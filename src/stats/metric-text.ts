import { own } from '../kube/text/own.ts';

/**
 * Writes Prometheus' text format (version 0.0.4). For figures by the thousand that live for one scrape: a registry would keep
 * an object for each, and knows no times of samples.
 */
export class MetricText {
  #text = '';

  /** All samples of a metric follow one after the other. */
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
  /** `labels`: as `labelText` writes them. A value that is not known is left out, with the whole metric if none is. */
  add(labels: string, value: number | undefined, atMs?: number): void;
}

/** The labels of a sample, as they stand between the braces. Written once and used for every metric of a thing. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(own(labels, name) ?? '')}"`;
  return text;
}

/** Names of Kubernetes' things have nothing in them to escape; what a user may choose might. */
const escaped = (value: string): string =>
  /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
