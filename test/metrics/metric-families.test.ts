import { describe, expect, it } from 'vitest';
import { mergeMetrics } from '../../src/metrics/merge-metrics.ts';
import { MetricFamilies } from '../../src/metrics/metric-families.ts';

describe('a metric of a thread', () => {
  it('begins at 0 without labels', () => {
    const families = new MetricFamilies();
    families.counter({ name: 'starts_total', help: 'Starts.' });
    families.counter({ name: 'ends_total', help: 'Ends.', labels: ['why'] });
    expect(families.text()).toBe(
      '# HELP starts_total Starts.\n# TYPE starts_total counter\nstarts_total 0\n' +
        '# HELP ends_total Ends.\n# TYPE ends_total counter\n',
    );
  });

  it('is counted by its labels, whatever their values', () => {
    const families = new MetricFamilies();
    const ends = families.counter({ name: 'ends_total', help: 'Ends.', labels: ['why', 'how'] });
    ends.add(['a"b\\', 'c\nd']);
    ends.add(['a"b\\', 'c\nd'], 2);
    expect(families.text()).toContain('ends_total{why="a\\"b\\\\",how="c\\nd"} 3\n');
  });

  it('counts a value in its bucket and all larger buckets', () => {
    const families = new MetricFamilies();
    const times = families.histogram({ name: 'times_seconds', help: 'Times.', buckets: [1, 2.5] });
    for (const each of [0.5, 1, 2, 7]) times.observe(each);
    expect(families.text().split('\n').slice(2, -1)).toEqual([
      'times_seconds_bucket{le="1"} 2',
      'times_seconds_bucket{le="2.5"} 3',
      'times_seconds_bucket{le="+Inf"} 4',
      'times_seconds_sum 10.5',
      'times_seconds_count 4',
    ]);
  });

  it('is read on demand, from the latest actor', () => {
    const families = new MetricFamilies();
    const running = families.gauge({ name: 'running', help: 'Run.', labels: ['state'] });
    running.readBy(() => [[['up'], 1]]);
    running.readBy(() => [
      [['up'], 2],
      [['down'], 3],
    ]);
    expect(families.text().split('\n').slice(2, -1)).toEqual(['running{state="up"} 2', 'running{state="down"} 3']);
  });

  it('has each name once', () => {
    const families = new MetricFamilies();
    families.gauge({ name: 'running', help: 'Run.' });
    expect(() => families.counter({ name: 'running', help: 'Run.' })).toThrow('already registered');
  });

  it('is added up over threads, so that no series appears twice', () => {
    const texts = [1, 2].map((by) => {
      const families = new MetricFamilies();
      const starts = families.counter({ name: 'starts_total', help: 'Starts.', labels: ['of'] });
      starts.add(['pod'], by);
      if (by === 2) starts.add(['container']);
      families.histogram({ name: 'times_seconds', help: 'Times.', buckets: [1] }).observe(by);
      return families.text();
    });
    expect(mergeMetrics(texts)).toBe(
      [
        '# HELP starts_total Starts.',
        '# TYPE starts_total counter',
        'starts_total{of="pod"} 3',
        'starts_total{of="container"} 1',
        '# HELP times_seconds Times.',
        '# TYPE times_seconds histogram',
        'times_seconds_bucket{le="1"} 1',
        'times_seconds_bucket{le="+Inf"} 2',
        'times_seconds_sum 3',
        'times_seconds_count 2',
        '',
      ].join('\n'),
    );
  });
});
