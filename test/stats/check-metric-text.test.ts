import { describe, expect, it } from 'vitest';
import { pickFamilies } from '../../src/serving/pick-families.ts';
import { labelText, MetricText } from '../../src/stats/metric-text.ts';
import { checkMetricText } from './check-metric-text.ts';

const head = '# HELP a A.\n# TYPE a counter\n';

describe('the checker of metric text', () => {
  it('reads names, labels, values and times', () => {
    const [sample] = checkMetricText(`${head}a{x="1\\"\\n\\\\"} 1.5e3 12\n`).get('a')?.samples ?? [];
    expect(sample).toEqual({ name: 'a', labels: { x: '1"\n\\' }, value: 1_500, atMs: 12 });
  });

  it.each([
    ['a sample without a head', 'a 1\n', 'not a line of a metric'],
    ['an end without a newline', `${head}a 1`, 'no end'],
    ['a sample twice', `${head}a{x="1"} 1\na{x="1"} 2\n`, 'a sample twice'],
    ['a label twice', `${head}a{x="1",x="2"} 1\n`, 'a label twice'],
    ['a metric in two places', `${head}a 1\n# HELP b B.\n# TYPE b gauge\nb 1\n# HELP a A.\n`, 'not together'],
    ['a sample under another head', `${head}b 1\n`, 'not of a'],
    ['a counter below nought', `${head}a -1\n`, 'below nought'],
    ['a type that there is not', '# HELP a A.\n# TYPE a number\na 1\n', 'no such type'],
    ['a quote that is not escaped', `${head}a{x="1"2"} 1\n`, 'labels cannot be read'],
    ['a value that is none', `${head}a undefined\n`, 'not a line of a metric'],
  ])('refuses %s', (_, text, why) => {
    expect(() => checkMetricText(text)).toThrow(why);
  });
});

describe('metric text', () => {
  it('escapes special characters in labels', () => {
    const text = new MetricText();
    text.family('a', 'gauge', 'A.').add(labelText({ path: 'C:\\"x"\n' }), 1);
    expect(checkMetricText(text.toString()).get('a')?.samples[0]?.labels).toEqual({ path: 'C:\\"x"\n' });
  });

  it('leaves out unknown values, and metrics without any value', () => {
    const text = new MetricText();
    text.family('a', 'gauge', 'A.').add('', undefined);
    const b = text.family('b', 'gauge', 'B.');
    b.add('x="1"', Number.NaN);
    b.add('x="2"', 0);
    expect(text.toString()).toBe('# HELP b B.\n# TYPE b gauge\nb{x="2"} 0\n');
  });

  it('is filtered by metric, with all lines of each', () => {
    const text = `${head}a 1\n# HELP b B.\n# TYPE b gauge\nb{x="1"} 1\nb{x="2"} 2\n`;
    expect(pickFamilies(text, (name) => name === 'b')).toBe('# HELP b B.\n# TYPE b gauge\nb{x="1"} 1\nb{x="2"} 2\n');
    expect(pickFamilies(text, () => true)).toBe(text);
  });
});
